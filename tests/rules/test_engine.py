"""The engine: equal things judged once, gaps kept apart from passes, evidence attached."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

import pytest

from netcheck.model.document import Evidence
from netcheck.model.errors import InputError
from netcheck.model.fabric import Fabric, Origin
from netcheck.model.fact import NotGivenError
from netcheck.model.finding import Finding, Place, Severity, Stage, Verdict
from netcheck.model.frozenmap import FrozenMap
from netcheck.model.view import DeviceView, PortView
from netcheck.rules.catalogue import find_rule, is_rule
from netcheck.rules.engine import judge
from netcheck.rules.rule import Fault, Profile, Rule, Scope, read_page, rule, show
from tests.rules.world import fabric, intent

PAGE = "A test.\n\nWhy: w\nBad: b\nGood: g\nFix: f\n"


def port_rule(
    slug: str = "test-rule", *, profile: Profile = Profile.BASELINE, is_proof: bool = True
) -> Rule:
    """A rule that wants trust dscp and counts how often it was asked."""

    def check(port: PortView) -> Iterator[Fault]:
        asked.append(port.place.port)
        if port.trust != "dscp":
            yield Fault(port, ("trust",), "dscp", port.trust)

    asked: list[str] = []
    check.__doc__ = PAGE
    made = rule(
        slug,
        severity=Severity.ERROR,
        scope=Scope.PORT,
        source="derived: a test",
        profile=profile,
        is_proof=is_proof,
    )(check)
    ASKED[made.slug] = asked
    return made


ASKED: dict[str, list[str]] = {}


def by_verdict(found: list[Finding]) -> dict[Verdict, list[Finding]]:
    return {
        verdict: [one for one in found if one.verdict is verdict]
        for verdict in {one.verdict for one in found}
    }


def observed(**facts: Mapping[str, object]) -> Fabric:
    """Ports of one leaf, by name."""
    return fabric({f"leaf1 {name}": value for name, value in facts.items()}, Origin.CONFIG)


def test_ports_with_equal_facts_are_judged_once_and_named_all() -> None:
    many = observed(**{f"E{number}": {"trust": "pcp"} for number in range(50)})
    checked = port_rule("once")
    [found] = judge(many, rules=[checked])
    assert len(ASKED["once"]) == 1
    assert found.where == tuple(Place("leaf1", f"E{number}") for number in range(50))


def test_equal_ports_of_equal_devices_are_judged_once() -> None:
    world = {f"leaf{number} E0": {"trust": "pcp"} for number in range(20)}
    checked = port_rule("across")
    [found] = judge(fabric(world, Origin.CONFIG), rules=[checked])
    assert len(ASKED["across"]) == 1
    assert {place.device for place in found.where} == {f"leaf{number}" for number in range(20)}


def test_a_missing_fact_leaves_the_other_ports_judged() -> None:
    ports = observed(E0={"trust": "pcp"}, E1={}, E2={"trust": "dscp"})
    found = by_verdict(judge(ports, rules=[port_rule()], evidence_asked=True))
    assert [one.where for one in found[Verdict.FAIL]] == [(Place("leaf1", "E0"),)]
    assert [one.where for one in found[Verdict.UNVERIFIED]] == [(Place("leaf1", "E1"),)]
    assert found[Verdict.PASS][0].message == "1 places checked"


def test_a_missing_fact_that_nobody_asked_for_is_not_applicable() -> None:
    [found] = judge(observed(E1={}), rules=[port_rule()])
    assert (found.verdict, found.message) == (
        Verdict.NOT_APPLICABLE,
        "trust: no evidence (places: 1)",
    )


def test_an_absent_fact_that_a_rule_needs_is_not_applicable() -> None:
    found = judge(observed(E1={"trust": "ABSENT"}), rules=[port_rule()], evidence_asked=True)
    assert [one.verdict for one in found] == [Verdict.NOT_APPLICABLE]


def test_rules_that_prove_nothing_never_ask_for_evidence() -> None:
    checked = port_rule(is_proof=False)
    found = judge(observed(E1={}), rules=[checked], evidence_asked=True)
    assert [one.verdict for one in found] == [Verdict.NOT_APPLICABLE]


def test_what_an_intent_does_not_say_is_not_applicable() -> None:
    silent = fabric({"leaf1 E0": {}}, Origin.INTENDED)
    found = judge(silent, rules=[port_rule()], evidence_asked=True)
    assert [one.verdict for one in found] == [Verdict.NOT_APPLICABLE]


def test_a_pass_says_which_facts_were_read() -> None:
    [found] = judge(observed(E0={"trust": "dscp"}), rules=[port_rule()], stage=Stage.VERIFY)
    assert (found.verdict, found.facts, found.stage) == (
        Verdict.PASS,
        frozenset({"trust"}),
        Stage.VERIFY,
    )
    assert found.where == (Place("leaf1"),)


def test_a_finding_points_at_where_the_fact_was_read() -> None:
    ports = observed(E0={"trust": "pcp"})
    line = Evidence("a.json", 7)
    leaf = replace(ports.devices["leaf1"], evidence=FrozenMap({"port E0 trust": line}))
    [found] = judge(replace(ports, devices=FrozenMap({"leaf1": leaf})), rules=[port_rule()])
    assert found.evidence == (line,)
    assert found.message == "trust expected dscp, found pcp"


def test_strict_rules_run_in_that_profile_only() -> None:
    checked = port_rule(profile=Profile.STRICT)
    ports = observed(E0={"trust": "pcp"})
    assert judge(ports, rules=[checked]) == []
    assert len(judge(ports, rules=[checked], profile="strict")) == 1


def test_a_loop_goes_on_after_a_fact_that_one_step_lacks() -> None:
    def check(device: DeviceView) -> Iterator[Fault]:
        for name, profile in device.whole_qos.ecn_profiles.items():
            with device.attempt():
                if profile.kmin_bytes == 0:
                    yield Fault(profile, ("kmin_bytes",), "> 0", profile.kmin_bytes, note=name)

    check.__doc__ = PAGE
    made = rule("loop", severity=Severity.ERROR, scope=Scope.DEVICE, source="derived: a test")
    profiles = {"a": {}, "b": {"kmin_bytes": 0}}
    world = fabric({"leaf1": {"ecn_profiles": profiles}}, Origin.CONFIG)
    found = by_verdict(judge(world, rules=[made(check)], evidence_asked=True))
    assert [one.where for one in found[Verdict.FAIL]] == [(Place("leaf1", "", "profile b"),)]
    assert [one.message for one in found[Verdict.UNVERIFIED]] == ["kmin_bytes: no evidence"]


def test_links_come_from_neighbours_where_nobody_states_them() -> None:
    world = {
        "leaf1 E0": {"pfc": [3], "alias": "etp1"},
        "spine1 E0": {"pfc": [], "neighbour": {"device": "leaf1", "port": "etp1"}},
    }
    peer = find_rule("pfc-prio-peer-mismatch")
    [found] = judge(fabric(world, Origin.SNAPSHOT), rules=[peer])
    assert found.where == (Place("spine1", "E0"),)


def test_a_port_where_the_intent_ends_rdma_is_not_judged_as_lossless() -> None:
    world = {
        "leaf1 E0": {"pfc": []},
        "intent": {
            "classes": {"rdma": {"priority": 3, "delivery": "lossless"}},
            "leaf1 E0": {"policy": "ABSENT"},
        },
    }
    off = find_rule("pfc-lossless-priority-off")
    found = judge(fabric(world, Origin.CONFIG), intended=intent(world), rules=[off])
    assert [one.verdict for one in found] == [Verdict.NOT_APPLICABLE]


def test_an_infiniband_port_is_no_roce_port() -> None:
    world = {
        "gpu1 ib0": {"link_layer": "infiniband", "pfc": []},
        "intent": {"classes": {"rdma": {"priority": 3, "delivery": "lossless"}}},
    }
    off = find_rule("pfc-lossless-priority-off")
    found = judge(fabric(world, Origin.CONFIG), intended=intent(world), rules=[off])
    assert Verdict.FAIL not in {one.verdict for one in found}


def test_a_rule_is_found_by_slug_and_by_earlier_slug() -> None:
    assert find_rule("trust-untrusted-host-port") is find_rule("port-trust-not-intended")
    assert is_rule("pfc-host-missing")
    with pytest.raises(InputError, match="did you mean pfc-host-missing"):
        find_rule("pfc-host-mising")


def test_a_page_without_a_section_is_refused() -> None:
    with pytest.raises(ValueError, match="page without Fix"):
        read_page("A test.\n\nWhy: w\nBad: b\nGood: g\n")


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (frozenset({4, 3}), "3, 4"),
        (frozenset(), "none"),
        ({26: 3}, "26->3"),
        ({}, "none"),
        (True, "on"),
        (2.50, "2.5"),
        ("text", "text"),
    ],
)
def test_values_are_shown_in_order_and_in_words(value: object, text: str) -> None:
    assert show(value) == text


def test_not_given_names_what_was_not_given() -> None:
    assert str(NotGivenError("peer")) == "peer: not given"


def test_a_fact_that_a_device_need_not_show_is_not_asked_for() -> None:
    given = observed(E1={})
    hiding = {
        name: replace(each, hidden=frozenset({"trust"})) for name, each in given.devices.items()
    }
    hidden = replace(given, devices=FrozenMap(hiding))
    found = [
        judge(each, rules=[port_rule("hidden-fact")], evidence_asked=True)[0].verdict
        for each in (given, hidden)
    ]
    assert found == [Verdict.UNVERIFIED, Verdict.NOT_APPLICABLE]


def device_rule(slug: str, wrong: str) -> Rule:
    """A rule that finds one device at fault and counts how often it was asked."""

    def check(device: DeviceView) -> Iterator[Fault]:
        asked.append(device.record.name)
        if wrong in device.members:
            yield Fault(device, ("model",), "another", device.model)

    asked: list[str] = []
    check.__doc__ = PAGE
    made = rule(slug, severity=Severity.ERROR, scope=Scope.DEVICE, source="derived: a test")(check)
    ASKED[made.slug] = asked
    return made


def alike(origin: Origin) -> Fabric:
    """Twenty leaves that differ in their names alone."""
    given = fabric({f"leaf{number:02d} E0": {"trust": "pcp"} for number in range(20)}, origin)
    named = {name: replace(each, model="SN5600") for name, each in given.devices.items()}
    return replace(given, devices=FrozenMap(named))


def test_devices_of_an_intent_that_are_alike_are_judged_once_and_counted_all() -> None:
    [found] = judge(alike(Origin.INTENDED), rules=[device_rule("device-once", "none")])
    assert len(ASKED["device-once"]) == 1
    assert (found.verdict, found.message) == (Verdict.PASS, "20 places checked")
    assert len(found.where) == 20


def test_one_device_at_fault_is_told_from_those_that_are_alike() -> None:
    found = judge(alike(Origin.INTENDED), rules=[device_rule("device-told", "leaf07")])
    by = by_verdict(found)
    assert [one.where for one in by[Verdict.FAIL]] == [(Place("leaf07"),)]
    assert [one.message for one in by[Verdict.PASS]] == ["19 places checked"]


def test_devices_that_were_seen_are_judged_each_for_itself() -> None:
    judge(alike(Origin.CONFIG), rules=[device_rule("device-seen", "none")])
    assert len(ASKED["device-seen"]) == 20
