"""Which services are measured, how, and what is said of those that are not."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from netcheck.model.finding import NotProven, Place, RunResult, Verdict
from netcheck.perf.options import PerfOptions
from netcheck.perf.schedule import Depth
from tests.perf.infiniband.subnet import OPTIONS, Subnet, intent, judged, measured

MUTE = "service train/jobs sl 2 is not measured: no two hosts with a login may talk by it"


def typed(net: Subnet) -> list[str]:
    return [line for line in net.lines if ": ib_" in line]


def test_a_test_names_level_and_the_place_of_the_key_at_each_end() -> None:
    net = Subnet()
    measured(net)
    sent = [line for line in typed(net) if line.endswith(" 192.0.2.11")]
    assert sent[0] == (
        "gpu02: ib_write_bw -d mlx5_2 -p 18515 -F --sl=2 --pkey_index=2 -s 65536 -q 2 -D 1"
        " --report_gbits 192.0.2.11"
    )
    assert "gpu01: ib_write_bw -d mlx5_2 -p 18515 -F --sl=2 --pkey_index=1 -s 65536" in " ".join(
        typed(net)
    )
    assert not any(word in line for line in typed(net) for word in (" -x ", "tclass"))


def test_two_limited_members_never_test_each_other() -> None:
    net = Subnet()
    net.keys["gpu03"] = [0x7FFF, 0x0A01]
    (one,) = measured(net, options=replace(OPTIONS, depth=Depth.EXHAUSTIVE)).tested
    pairs = {(a.host, b.host) for result in one.results for a, b in result.round.flows}
    assert ("gpu01", "gpu03") in pairs or ("gpu02", "gpu03") in pairs
    assert not pairs & {("gpu03", "gpu04"), ("gpu04", "gpu03")}


def test_a_key_of_the_intent_that_a_host_lacks_is_a_finding_and_the_rest_is_measured() -> None:
    net = Subnet()
    net.keys["gpu02"] = [0x7FFF, 0]
    found = judged(net)
    (missing,) = (f for f in found.findings if f.rule == "partition-key-missing")
    assert missing.where == (Place("gpu02", "ib0"),)
    assert (missing.expected, missing.found) == ("0x8a01", "0x7fff")
    (one,) = found.classes
    assert (one.verdict.run, one.verdict.reason) == (
        RunResult.NOT_PROVEN,
        NotProven.NOT_EXERCISED,
    )
    assert any(line.startswith("gpu03: ib_") for line in net.lines)
    assert not any(line.startswith("gpu02: ib_") for line in net.lines)


def test_a_table_that_is_not_shown_is_no_missing_key() -> None:
    net = Subnet()
    net.keys["gpu02"] = []
    (unread,) = (f for f in judged(net).findings if f.rule.startswith("partition-key"))
    assert (unread.rule, unread.verdict) == ("partition-key-unread", Verdict.UNVERIFIED)


def test_without_infiniband_diags_a_note_says_that_nothing_was_measured() -> None:
    found = measured(Subnet(has_diags=False))
    assert found.tested == ()
    (note,) = found.notes
    assert note.startswith("subnet train: not measured, for it could not be read: gpu01: ")


def test_the_subnet_is_read_at_the_next_host_where_the_manager_does_not_answer() -> None:
    net = Subnet(deaf={"gpu01"})
    (one,) = measured(net).tested
    assert "gpu02: sudo ibnetdiscover" in net.lines
    assert [(f.rule, f.where) for f in one.findings] == [("device-unreachable", (Place("gpu01"),))]


def test_hosts_without_a_login_are_named(tmp_path: Path) -> None:
    def alone(text: str) -> str:
        return text.replace('    mgmt: "192.0.2.[11-14]"\n', "").replace(
            '  "ibleaf[01-02]":', '  gpu01: {mgmt: 192.0.2.11}\n  "ibleaf[01-02]":'
        )

    fabric = intent(alone, tmp_path)
    found = measured(Subnet(), fabric)
    assert found.tested == ()
    assert found.notes == (
        "subnet train: hosts without a login are not measured: gpu02, gpu03, gpu04",
        f"subnet train: {MUTE}",
    )


def test_a_limit_keeps_the_named_hosts() -> None:
    options: PerfOptions = replace(OPTIONS, limit=frozenset({"gpu01", "gpu02"}))
    (one,) = measured(Subnet(), options=options).tested
    assert {e.host for r in one.results for flow in r.round.flows for e in flow} == {
        "gpu01",
        "gpu02",
    }


def test_nothing_that_is_typed_changes_or_resets_anything() -> None:
    net = Subnet()
    measured(net)
    asked = {line.partition(": ")[2].split()[1] for line in net.lines if ": sudo " in line}
    assert asked == {"ibnetdiscover", "saquery", "sminfo", "perfquery"}
    assert not any(word in line.split() for line in net.lines for word in ("-r", "-R"))


def test_where_the_intent_states_no_links_those_that_are_seen_are_measured(tmp_path: Path) -> None:
    def bare(text: str) -> str:
        head, _, tail = text.partition("links:\n")
        return head.partition('  "ibleaf')[0] + "\n" + tail[tail.index("expect:") :]

    (one,) = measured(Subnet(), intent(bare, tmp_path)).tested
    links = {str(end) for link in one.places.fabric.links for end in (link.a, link.b)}
    assert {"gpu01 ib0", "ibleaf01 1", "unnamed 2"} <= links
    assert any(result.round.name == "incast from leaf to leaf" for result in one.results)
