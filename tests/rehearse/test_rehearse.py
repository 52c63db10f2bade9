"""Rehearsals on a real OpenSM: a clean one is clean, and what is wrong is found and named."""

import re
import signal
import threading
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from netcheck.intent.complete import complete
from netcheck.intent.load import load_intent
from netcheck.lab.opensm.network import read_network
from netcheck.lab.opensm.subnet import SimulatedSubnet
from netcheck.lab.staging import Staged, stage
from netcheck.model.errors import InputError, TransportError
from netcheck.model.fabric import Fabric
from netcheck.model.finding import Finding, Verdict
from netcheck.model.known import is_known
from netcheck.rehearse.failures import Failures, Outcome
from netcheck.rehearse.rehearse import Rehearsal, RehearsalOptions, rehearse
from tests.lab.opensm.ib_labs import host_id, leaf_id, needs_opensm, written

INTENT = Path(__file__).parent / "intents" / "tree.yaml"
FEW = RehearsalOptions(hosts=16, paths=60, failures=False)


def on_opensm(test: Callable[..., None]) -> Callable[..., None]:
    """A test that needs OpenSM and some seconds of it."""
    marked: Callable[..., None] = pytest.mark.slow(needs_opensm(test))
    return marked


def fabric(text: str | None = None, folder: Path | None = None) -> Fabric:
    path = INTENT
    if text is not None and folder is not None:
        path = folder / "intent.yaml"
        path.write_text(text, encoding="utf-8")
    return complete(load_intent(path))


def changed(folder: Path, *changes: tuple[str, str]) -> Fabric:
    text = INTENT.read_text(encoding="utf-8")
    for old, new in changes:
        assert old in text
        text = text.replace(old, new)
    return fabric(text, folder)


def failed(rehearsal: Rehearsal) -> list[Finding]:
    return [one for one in rehearsal.findings if one.verdict is Verdict.FAIL]


def said(rehearsal: Rehearsal) -> dict[str, set[str]]:
    """Shape: ``rule -> devices``."""
    found: dict[str, set[str]] = {}
    for one in failed(rehearsal):
        found.setdefault(one.rule, set()).update(place.device for place in one.where)
    return found


def discovered(staged: Staged) -> str:
    """What ``ibnetdiscover`` prints of the fabric that the intent makes."""
    return staged.network.text


def on_other_fabric(change: Callable[[str], str]) -> Rehearsal:
    """A rehearsal on a fabric that is not quite the intended one."""
    made = stage(fabric(), "storage")
    text = change(discovered(made))
    return rehearse(stage(fabric(), "storage", text, "fabric.txt"), FEW)


def tampered(change: Callable[[SimulatedSubnet], None]) -> Rehearsal:
    return rehearse(stage(fabric(), "storage"), replace(FEW, tamper=change))


def block(text: str, name: str) -> str:
    """The part of a network file that is one node's."""
    return next(
        part
        for part in text.split("\n\n")
        if re.search(rf'^(?:Ca|Switch)\s.*# "{name}\b', part, re.MULTILINE)
    )


def port_line(text: str, name: str, port: int) -> str:
    return next(line for line in block(text, name).splitlines() if line.startswith(f"[{port}]"))


def without_cable(text: str, name: str, port: int, far: str, far_port: int) -> str:
    for node, number in ((name, port), (far, far_port)):
        part = block(text, node)
        line = port_line(text, node, number)
        text = text.replace(part, part.replace(f"{line}\n", "").replace(f"\n{line}", ""))
    return text


@on_opensm
def test_what_is_rendered_is_what_is_read_back_also_after_failures() -> None:
    found = rehearse(stage(fabric(), "storage"), replace(FEW, failures=True))
    assert failed(found) == []
    told = "\n".join(found.notes)
    assert "tables of 16 of 16 host ports and 10 of 32 switch ports; 60 path records" in told
    assert "routing engine: updn" in told
    assert "subnet manager gone: gpu16 took over from gpu01 within" in told
    assert "cable leaf01 port 5 - spine01 port 1: routed around within" in told
    assert "switch spine01: routed around within" in told
    assert "never simulated: P_Key enforcement bits" in told


@on_opensm
def test_a_rehearsal_that_cannot_go_on_keeps_what_it_found(monkeypatch: pytest.MonkeyPatch) -> None:
    def hangs() -> Outcome:
        raise TransportError("smpquery portinfo 7: no answer, nor to others before it")

    def never() -> Outcome:
        raise AssertionError

    cases = [("link failed", hangs), ("switch failed", never)]
    monkeypatch.setattr(Failures, "cases", lambda _: iter(cases))
    found = rehearse(stage(fabric(), "storage"), replace(FEW, failures=True))
    (unread,) = [one for one in found.findings if one.verdict is Verdict.UNVERIFIED]
    assert unread.rule == "subnet-not-read"
    assert unread.message.startswith("link failed: smpquery portinfo 7: no answer")
    assert "60 path records" in "\n".join(found.notes)


@on_opensm
def test_a_link_that_is_down_is_named() -> None:
    def cut(text: str) -> str:
        return without_cable(text, "leaf02", 5, "spine01", 2)

    found = said(on_other_fabric(cut))
    assert found["ib-topology-vs-intent"] >= {"leaf02", "spine01"}


@on_opensm
def test_swapped_cables_are_named() -> None:
    def swap(text: str) -> str:
        first, other = port_line(text, "leaf01", 1), port_line(text, "leaf02", 1)
        swapped = text.replace(first, "@1").replace(other, "@2")
        swapped = swapped.replace("@1", other).replace("@2", first)
        leaves = re.findall(r'^Switch\s+\d+ "(S-\w+)".*# "(leaf0[12])', text, re.MULTILINE)
        ids = {name: node for node, name in leaves}
        for host, old, new in (("gpu01", "leaf01", "leaf02"), ("gpu05", "leaf02", "leaf01")):
            part = block(swapped, host)
            moved = part.replace(ids[old], ids[new]).replace(f'"{old}"', f'"{new}"')
            swapped = swapped.replace(part, moved)
        return swapped

    found = said(on_other_fabric(swap))
    assert found["ib-topology-vs-intent"] >= {"gpu01", "gpu05"}


@on_opensm
@pytest.mark.parametrize("rate", ["1xHDR", "4xEDR"])
def test_a_narrow_or_slow_link_is_named(rate: str) -> None:
    def degrade(text: str) -> str:
        for node, number in (("gpu03", 1), ("leaf01", 3)):
            part, line = block(text, node), port_line(text, node, number)
            text = text.replace(part, part.replace(line, line.replace("4xHDR", rate)))
        return text

    def keep(staged: Staged) -> Staged:
        # OpenSM raises a slow link to what both ends could do; a real cable stays as it is
        plans = [
            replace(plan, extra={**plan.extra, "force_link_speed_ext": "0"})
            for plan in staged.plans
        ]
        return replace(staged, plans=tuple(plans))

    text = degrade(discovered(stage(fabric(), "storage")))
    found = said(rehearse(keep(stage(fabric(), "storage", text, "fabric.txt")), FEW))
    assert "gpu03" in found["ib-link-width-speed"]


@on_opensm
def test_a_duplicate_guid_is_named() -> None:
    def double(text: str) -> str:
        first, other = block(text, "gpu07"), block(text, "gpu08")
        guids = [
            re.findall(r"caguid=0x(\w+)|^\[1\]\((\w+)\)", part, re.MULTILINE)
            for part in (first, other)
        ]
        (old_node, _), (_, old_port) = guids[0]
        (new_node, _), (_, new_port) = guids[1]
        doubled = first.replace(f"caguid=0x{old_node}", f"caguid=0x{new_node}")
        return text.replace(first, doubled.replace(f"({old_port})", f"({new_port})"))

    (finding,) = failed(on_other_fabric(double))
    assert finding.rule == "subnet-not-up"
    assert "Found duplicated node GUID" in finding.message
    assert {place.device for place in finding.where} == {"gpu07", "gpu08", "leaf02"}


@on_opensm
@pytest.mark.parametrize(
    ("counter", "rule"),
    [
        ("PortCounters.SymbolErrorCounter", "ib-link-errors"),
        ("PortCounters.LinkDownedCounter", "ib-link-errors"),
        ("PortCounters.PortXmitDiscards", "ib-packets-discarded"),
        ("PortCounters.VL15Dropped", "ib-packets-discarded"),
    ],
)
def test_error_counters_are_named(counter: str, rule: str) -> None:
    def count(subnet: SimulatedSubnet) -> None:
        node = next(key for key, name in subnet.network.names.items() if name.startswith("leaf03"))
        subnet.simulator.count(node, 2, counter, 200)

    assert said(tampered(count))[rule] == {"leaf03"}


@on_opensm
def test_a_manager_that_was_killed_is_missed() -> None:
    def kill(subnet: SimulatedSubnet) -> None:
        standby, master = subnet.managers["gpu16"], subnet.managers["gpu01"]
        standby.mark()
        master.kill()
        standby.wait_state("MASTER", 30)
        standby.wait_up(30)

    found = tampered(kill)
    assert said(found)["manager-missing"] == {"gpu01"}


@on_opensm
def test_a_key_removed_on_one_port_is_named() -> None:
    def remove(subnet: SimulatedSubnet) -> None:
        master = subnet.managers["gpu01"]
        staged = stage(fabric(), "storage")
        files = dict(staged.plans[0].files)
        guid = staged.fabric.devices["gpu04"].rdma["mlx5_0"].port_guid
        line = f"    {guid:#018x}=full,\n"
        assert line in files["partitions.conf"]
        files["partitions.conf"] = files["partitions.conf"].replace(line, "")
        subnet.change(master.name, files)

    found = tampered(remove)
    (finding,) = [one for one in failed(found) if one.rule == "partition-keys-differ"]
    assert [place.device for place in finding.where] == ["gpu04"]
    assert "lacks 0x8a01 (tenant-a)" in finding.message
    assert (finding.expected, finding.found) == ("0x7fff 0x8a01", "0x7fff")
    assert "path-missing" in said(found)


@on_opensm
def test_a_manager_that_is_busy_for_a_while_is_asked_again(tmp_path: Path) -> None:
    def occupy(subnet: SimulatedSubnet) -> None:
        # as long as a sweep of a large subnet on a busy machine: a query gives up before it ends
        subnet.managers["gpu01"].kept.signal(signal.SIGSTOP)
        threading.Timer(4, subnet.managers["gpu01"].kept.signal, [signal.SIGCONT]).start()

    alone = changed(tmp_path, ("[gpu01, gpu16]", "[gpu01]"))  # a standby would take over
    found = rehearse(stage(alone, "storage"), replace(FEW, paths=10, tamper=occupy))
    assert [one for one in found.findings if one.verdict is Verdict.UNVERIFIED] == []
    assert not any("calls failed" in note for note in found.notes)


@on_opensm
def test_partitions_that_opensm_throws_away_open_every_port() -> None:
    def damage(subnet: SimulatedSubnet) -> None:
        files = dict(stage(fabric(), "storage").plans[0].files)
        files["partitions.conf"] = files["partitions.conf"].replace("ALL=limited", "gpu01=limited")
        subnet.change("gpu01", files)

    found = said(tampered(damage))
    assert len(found["partition-keys-differ"]) == 16
    assert "path-across-partitions" in found


@on_opensm
@pytest.mark.parametrize(
    ("text", "expected", "found"),
    [
        ("ipoib, mtu=3", "2048", "1024"),
        ("", "ff12:401b:ffff::ffff:ffff", "no group"),
    ],
)
def test_a_group_of_ipoib_that_is_not_as_intended_is_named(
    text: str, expected: str, found: str
) -> None:
    staged = stage(fabric(), "storage")
    head = "default=0x7fff, ipoib, mtu=4"
    assert head in staged.plans[0].files["partitions.conf"]
    wrong = f"default=0x7fff, {text}".rstrip(", ")
    plans = [
        replace(
            plan,
            files={name: each.replace(head, wrong) for name, each in plan.files.items()},
        )
        for plan in staged.plans
    ]
    (finding,) = failed(rehearse(replace(staged, plans=tuple(plans)), FEW))
    assert (finding.rule, finding.expected, finding.found) == ("group-differs", expected, found)


@on_opensm
def test_an_engine_that_gives_way_is_named(tmp_path: Path) -> None:
    odd = changed(tmp_path, ("routing: [updn]", "routing: [torus-2QoS]"))
    found = rehearse(stage(odd, "storage"), FEW)
    (finding,) = [one for one in failed(found) if one.rule == "routing-engine-differs"]
    assert (finding.expected, finding.found) == ("torus-2QoS", "minhop")


@on_opensm
def test_what_the_manager_complains_of_in_its_log_is_told(tmp_path: Path) -> None:
    roots = "routing: [ftree, updn]\n      roots: [leaf01]"
    found = rehearse(stage(changed(tmp_path, ("routing: [updn]", roots)), "storage"), FEW)
    (finding,) = [one for one in failed(found) if one.rule == "manager-complains"]
    assert finding.expected == "nothing said against the routing engine ftree"
    assert re.search(r"ERR AB26: CN port 0x\w+ is connected to switch 0x\w+", finding.found)
    assert "ftree: cannot build lid matrices" in finding.found
    assert "routing engine: updn" in found.notes


@on_opensm
def test_a_policy_that_is_thrown_away_is_told_though_no_path_differs() -> None:
    staged = stage(fabric(), "storage")
    plans = [
        replace(one, files={**one.files, name: one.files[name] + "nonsense\n"})
        for one in staged.plans
        for name in one.files
        if name.endswith("qos-policy.conf")
    ]
    (finding,) = failed(rehearse(replace(staged, plans=tuple(plans)), FEW))
    assert finding.rule == "manager-complains"
    assert finding.expected == "nothing said against the QoS policy"
    assert "ERR AC05: Syntax error" in finding.found


@on_opensm
def test_lanes_that_the_manager_sets_otherwise_are_named() -> None:
    def swap(subnet: SimulatedSubnet) -> None:
        files = dict(stage(fabric(), "storage").plans[0].files)
        files["opensm.conf"] = files["opensm.conf"].replace("qos_sl2vl 0,1,2", "qos_sl2vl 0,2,1")
        subnet.change("gpu01", files)

    found = tampered(swap)
    finding = next(one for one in failed(found) if one.rule == "sl-on-other-vl")
    assert (finding.expected, finding.found) == (
        "SL 1 on VL 1, SL 2 on VL 2",
        "SL 1 on VL 2, SL 2 on VL 1",
    )


@on_opensm
def test_without_a_standby_the_rehearsal_says_that_nobody_takes_over() -> None:
    def stop(subnet: SimulatedSubnet) -> None:
        subnet.managers["gpu16"].kill()

    options = replace(FEW, tamper=stop, failures=True, paths=20)
    found = rehearse(stage(fabric(), "storage"), options)
    assert "subnet manager gone: not rehearsed: nobody to take over" in found.notes


def test_a_subnet_that_is_not_in_the_intent_is_bad_input() -> None:
    with pytest.raises(InputError, match="subnet backup: not in the intent; expected one of: stor"):
        stage(fabric(), "backup")


def test_a_fabric_cut_short_is_bad_input_with_its_line() -> None:
    text = discovered(stage(fabric(), "storage"))
    with pytest.raises(InputError, match=r"fabric\.txt:\d+: .* leads to .*"):
        stage(fabric(), "storage", text[: len(text) // 2], "fabric.txt")


def test_a_fabric_that_is_none_is_bad_input() -> None:
    with pytest.raises(InputError, match="no node in it; expected the output of ibnetdiscover"):
        stage(fabric(), "storage", "hello\n", "fabric.txt")


def test_names_of_the_intent_get_the_guids_of_the_fabric() -> None:
    made = stage(fabric(), "storage")
    again = stage(fabric(), "storage", discovered(made), "fabric.txt")
    guid = made.fabric.devices["gpu02"].rdma["mlx5_0"].port_guid
    assert is_known(guid)
    assert again.fabric.subnets["storage"].port_guids["gpu02"] == (guid,)
    assert f"{guid:#018x}=full" in again.plans[0].files["partitions.conf"]


def test_speeds_above_those_of_the_simulator_are_said() -> None:
    text = discovered(stage(fabric(), "storage")).replace("4xHDR", "4xNDR")
    network = read_network(text, "fabric.txt")
    assert "4xNDR" not in network.text
    assert network.notes == ("fabric.txt: 48 ends of NDR run as HDR: ibsim knows nothing faster",)


RING = """
netcheck: 1
name: ring
infiniband:
  subnets:
    storage:
      routing: [{engine}]
      options: {{qos: {qos}}}
      partitions: {{default: {{pkey: "0x7fff", members: {{all: full}}}}}}
"""


def ring() -> str:
    """Four switches in a ring, two hosts at each."""
    names = {host_id(n): f"gpu{n + 1:02d} mlx5_0" for n in range(8)}
    names |= {leaf_id(n): f"MF0;sw{n + 1}:MQM8700/U1" for n in range(4)}
    cables = [((host_id(n), 1), (leaf_id(n // 2), n % 2 + 1)) for n in range(8)]
    cables += [((leaf_id(n), 3), (leaf_id((n + 1) % 4), 4)) for n in range(4)]
    return written(names, cables)


@on_opensm
@pytest.mark.parametrize(
    ("engine", "qos", "loops"),
    [
        ("minhop", "false", True),
        ("updn", "false", True),
        ("dfsssp", "true", False),
    ],
)
def test_credit_loops_of_the_routes_that_are_really_set_are_found(
    engine: str,
    qos: str,
    loops: bool,  # noqa: FBT001 -- parametrised
    tmp_path: Path,
) -> None:
    intent = fabric(RING.format(engine=engine, qos=qos), tmp_path)
    found = said(rehearse(stage(intent, "storage", ring(), "ring.txt"), replace(FEW, paths=56)))
    assert ("ib-credit-loop" in found) is loops
    # on a ring updn finds no roots and gives way
    assert ("routing-engine-differs" in found) is (engine == "updn")


PAIR = """
netcheck: 1
name: pair
infiniband: {subnets: {s1: {routing: [minhop], subnet_managers: [h1, h4]}}}
devices:
  "sw[1-2]": {role: leaf, ports: {"[1-4]": {speed: 200G, link_layer: infiniband}}}
  "h[1-4]":
    role: host
    platform: linux
    rdma: {mlx5_0: {port: ib0, driver: mlx5, speed: 200G, link_layer: infiniband}}
links:
  - {a: "h[1-2]:ib0", b: "sw1:[1-2]"}
  - {a: "h[3-4]:ib0", b: "sw2:[1-2]"}
  - {a: "sw1:[3-4]", b: "sw2:[3-4]"}
"""
APART = """
sysimgguid=0x2cf4ac28ea7b000
switchguid=0x2cf4ac28ea7b000(2cf4ac28ea7b000)
Switch	4 "S-02cf4ac28ea7b000"		# "lonely" enhanced port 0 lid 0 lmc 0
[1]	"H-02bbcfa94d6587d0"[1](2bbcfa94d6587d1) 		# "other mlx5_0" lid 0 4xHDR

caguid=0x2bbcfa94d6587d0
Ca	1 "H-02bbcfa94d6587d0"		# "other mlx5_0"
[1](2bbcfa94d6587d1) 	"S-02cf4ac28ea7b000"[1]		# lid 0 lmc 0 "lonely" lid 0 4xHDR

"""


@on_opensm
def test_the_switch_that_fails_is_not_that_of_the_only_manager_left(tmp_path: Path) -> None:
    found = rehearse(stage(fabric(PAIR, tmp_path), "s1"), replace(FEW, failures=True))
    assert failed(found) == []
    told = "\n".join(found.notes)
    assert "subnet manager gone: h4 took over from h1" in told
    assert "switch failed: switch sw1, 2 hosts with it: routed around within" in told


@on_opensm
def test_what_no_cable_leads_to_is_said_once_and_not_blamed_on_a_failure() -> None:
    text = APART + discovered(stage(fabric(), "storage"))
    found = rehearse(stage(fabric(), "storage", text, "f.txt"), replace(FEW, failures=True))
    assert failed(found) == []
    assert "not rehearsed: no cable leads from gpu01 to lonely, other" in found.notes
    assert any(note.startswith("switch failed: switch spine01: ") for note in found.notes)


@on_opensm
def test_engines_of_another_build_are_not_told_from_those_that_run_for_them(
    tmp_path: Path,
) -> None:
    asked = ("routing: [updn]", "routing: [ar_ftree, ar_updn]\n      opensm: {build: nvidia}")
    found = rehearse(stage(changed(tmp_path, asked), "storage"), replace(FEW, failures=True))
    assert failed(found) == []
    told = "\n".join(found.notes)
    assert re.search(r"took over from gpu01 within [\d.]+ s \(timers", told)  # ftree as before
    assert re.search(r"routed around within [\d.]+ s by updn", told)


@on_opensm
def test_what_does_not_come_up_broken_is_put_right_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    relinked: list[str] = []
    relink = SimulatedSubnet.relink

    def noted(subnet: SimulatedSubnet, node: str, port: int | None = None) -> None:
        relinked.append(f"{subnet.network.device(node)} {port}")
        relink(subnet, node, port)

    monkeypatch.setattr(SimulatedSubnet, "relink", noted)
    monkeypatch.setattr("netcheck.rehearse.failures.AGAIN_S", 6.0)
    strict = ("routing: [updn]", "routing: [ftree, no_fallback]")
    found = rehearse(stage(changed(tmp_path, strict), "storage"), replace(FEW, failures=True))
    assert said(found) == {"subnet-not-up": set()}
    assert relinked == ["leaf01 5", "spine01 None"]
