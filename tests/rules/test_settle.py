"""Settling: one fault is one finding, accepted ones are marked, equal ones are put together."""

from __future__ import annotations

from dataclasses import replace

import pytest

from netcheck.model.fabric import Fabric, Suppression
from netcheck.model.finding import Finding, Place, Severity, Verdict
from netcheck.model.frozenmap import FrozenMap
from netcheck.model.known import UNKNOWN
from netcheck.rules.settle import settle

E0 = Place("leaf1", "Ethernet0")
E8 = Place("leaf1", "Ethernet8")
GPU = Place("gpu1", "rail0")


def finding(rule: str, *where: Place, facts: str = "pfc_rx", **more: object) -> Finding:
    """A failed check."""
    made = Finding(
        rule=rule,
        severity=Severity.ERROR,
        verdict=Verdict.FAIL,
        where=where,
        message="m",
        facts=frozenset(facts.split()),
    )
    return replace(made, **more)  # type: ignore[arg-type]  # what each test gives


def rules(found: list[Finding]) -> list[tuple[str, tuple[Place, ...]]]:
    return [(one.rule, one.where) for one in found]


def test_the_cause_stays_and_its_consequence_goes() -> None:
    found = settle(
        [finding("pfc-lossless-priority-off", E0), finding("pfc-prio-peer-mismatch", E0)]
    )
    assert rules(found) == [("pfc-lossless-priority-off", (E0,))]


def test_a_consequence_elsewhere_stays() -> None:
    found = settle(
        [finding("pfc-lossless-priority-off", E0), finding("pfc-prio-peer-mismatch", E8)]
    )
    assert len(found) == 2


def test_only_the_explained_ports_of_a_finding_go() -> None:
    cause = finding("pfc-lossless-priority-off", E0)
    found = settle([cause, finding("pfc-rx-only-or-tx-only", E0, E8)])
    assert ("pfc-rx-only-or-tx-only", (E8,)) in rules(found)


def test_the_ends_of_a_link_are_explained_together() -> None:
    cause = finding("link-asym-cabling", E0, facts="neighbour speed_bps")
    found = settle([cause, finding("link-speed-mismatch", E0, GPU, facts="speed_bps")])
    assert rules(found) == [("link-asym-cabling", (E0,))]


def test_other_facts_have_another_cause() -> None:
    cause = finding("hdrm-below-intended", E0, facts="headroom_bytes")
    other = finding("hdrm-below-required", E0, facts="cable_m")
    assert len(settle([cause, other])) == 2


def test_another_priority_group_has_another_cause() -> None:
    cause = finding("hdrm-below-intended", replace_queue(3), facts="headroom_bytes")
    other = finding("hdrm-below-required", replace_queue(4), facts="headroom_bytes")
    assert len(settle([cause, other])) == 2


def replace_queue(number: int) -> Place:
    return Place(E0.device, E0.port, f"priority group {number}")


def test_a_warning_does_not_hide_an_error() -> None:
    cause = finding("pfc-lossless-priority-off", E0, severity=Severity.WARNING)
    assert len(settle([cause, finding("pfc-prio-peer-mismatch", E0)])) == 2


def test_a_bare_difference_is_said_better_by_any_rule_about_the_fact() -> None:
    bare = finding("config-differs-from-intent", E0, facts="pfc_rx")
    assert rules(settle([bare, finding("pfc-lossless-priority-off", E0)])) == [
        ("pfc-lossless-priority-off", (E0,))
    ]
    assert len(settle([bare, finding("mtu-below-intent", E0, facts="l2_mtu")])) == 2


def test_a_bare_difference_of_the_device_is_explained_at_any_port() -> None:
    bare = finding("config-differs-from-intent", Place("leaf1"), facts="watchdog_poll_ms")
    cause = finding("pfcwd-absent", E0, facts="watchdog watchdog_poll_ms")
    assert rules(settle([bare, cause])) == [("pfcwd-absent", (E0,))]


def test_equal_findings_are_one_with_all_places() -> None:
    found = settle([finding("pfc-host-missing", E8), finding("pfc-host-missing", E0)])
    assert rules(found) == [("pfc-host-missing", (E8, E0))]


def accepted(where: str, reason: str = "rework", **more: str) -> Suppression:
    return Suppression("pfcwd-absent", where, reason, until=more.get("until", UNKNOWN))


@pytest.mark.parametrize("where", ["leaf1", "leaf1 Ethernet0", "leaf*", "leaf1 Ethernet[0-4]"])
def test_an_accepted_place_is_marked_and_the_others_still_fail(where: str) -> None:
    elsewhere = Place("spine1", "Ethernet0")
    found = settle([finding("pfcwd-absent", E0, elsewhere)], suppressions=[accepted(where)])
    assert [(one.verdict, one.where) for one in found] == [
        (Verdict.FAIL, (elsewhere,)),
        (Verdict.SUPPRESSED, (E0,)),
    ]
    assert found[1].message == "m; accepted: rework"


def test_a_suppression_without_a_reason_is_not_heeded_and_is_a_finding() -> None:
    found = settle([finding("pfcwd-absent", E0)], suppressions=[accepted("leaf1", reason="")])
    assert [one.rule for one in found] == ["pfcwd-absent", "suppression-unexplained"]


def test_an_expired_suppression_is_not_heeded_and_is_a_finding() -> None:
    late = accepted("leaf1", until="2026-01-31")
    found = settle([finding("pfcwd-absent", E0)], suppressions=[late], today="2026-02-01")
    assert [(one.rule, one.verdict) for one in found] == [
        ("pfcwd-absent", Verdict.FAIL),
        ("suppression-expired", Verdict.FAIL),
    ]


def test_the_last_day_still_counts() -> None:
    last = accepted("leaf1", until="2026-02-01")
    [found] = settle([finding("pfcwd-absent", E0)], suppressions=[last], today="2026-02-01")
    assert found.verdict is Verdict.SUPPRESSED


def test_the_intent_sets_severities_also_by_an_earlier_name() -> None:
    said = {"pfcwd-absent": "error", "traffic-class-sysfs": "off", "pfc-host-missing": "info"}
    intended = Fabric("x", severities=FrozenMap(said))
    found = settle(
        [
            finding("pfcwd-absent", E0, severity=Severity.WARNING),
            finding("roce-traffic-class-unset", GPU),
            finding("pfc-host-missing", GPU),
        ],
        intended,
    )
    assert [(one.rule, one.severity) for one in found] == [
        ("pfcwd-absent", Severity.ERROR),
        ("pfc-host-missing", Severity.INFO),
    ]


def test_failures_come_first_and_errors_before_warnings() -> None:
    found = settle(
        [
            finding("a", E0, verdict=Verdict.PASS),
            finding("c", E0, severity=Severity.WARNING),
            finding("b", E0),
        ]
    )
    assert [one.rule for one in found] == ["b", "c", "a"]
