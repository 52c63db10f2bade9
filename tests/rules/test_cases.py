"""Every rule against its case file: good cases pass, bad ones fail at the exact place."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import yaml

from netcheck.model.device import CongestionControl, Device, HostFacts, Port, RdmaDevice
from netcheck.model.fabric import Fabric, Origin
from netcheck.model.finding import Finding, Verdict
from netcheck.model.frozenmap import FrozenMap
from netcheck.model.qos import DeviceQos, PortQos
from netcheck.rules.catalogue import catalogue, find_rule
from netcheck.rules.engine import judge
from netcheck.rules.rule import Rule, Scope
from netcheck.rules.settle import group, settle
from tests.rules.world import fabric, intent

HERE = Path(__file__).parent
Case = dict[str, Any]  # Any: what the YAML file holds
TODAY = "2026-02-01"


def cases_of(slug: str) -> dict[str, Case]:
    loaded: dict[str, Case] = yaml.safe_load((HERE / f"{slug}.yaml").read_text(encoding="utf-8"))
    return loaded


def all_cases() -> Iterator[Any]:  # Any: pytest's parameter sets
    for rule in catalogue():
        if (HERE / f"{rule.slug}.yaml").is_file():
            for name, case in cases_of(rule.slug).items():
                yield pytest.param(rule, case, id=f"{rule.slug}-{name}")


def findings(rule: Rule, case: Case) -> list[Finding]:
    world = next(case[verdict] for verdict in ("good", "bad", "not_applicable") if verdict in case)
    plan = intent(world)
    observed = fabric(world, Origin.CONFIG)
    raw = judge(observed, intended=plan, rules=[rule], evidence_asked=True, profile="strict")
    return settle([], plan, today=TODAY) if rule.scope is Scope.SUPPRESSION else list(group(raw))


@pytest.mark.parametrize(("rule", "case"), list(all_cases()))
def test_a_rule_finds_exactly_what_its_case_says(rule: Rule, case: Case) -> None:
    found = findings(rule, case)
    failed = [
        {"at": [str(place) for place in one.where], "expected": one.expected, "found": one.found}
        | ({} if one.severity is rule.severity else {"severity": one.severity.value})
        for one in found
        if one.verdict is Verdict.FAIL
    ]
    wanted = case.get("findings", [case["finding"]] if "finding" in case else [])
    wanted = [
        one | {"at": [one["at"]] if isinstance(one["at"], str) else one["at"]} for one in wanted
    ]
    assert failed == wanted
    if "good" in case and rule.scope is not Scope.SUPPRESSION:
        assert Verdict.PASS in {one.verdict for one in found}, found


@pytest.mark.parametrize("rule", catalogue(), ids=lambda rule: rule.slug)
def test_every_rule_has_page_source_and_good_and_bad_cases(rule: Rule) -> None:
    assert rule.page.summary.endswith(".")
    assert len(rule.source) > len("derived: ")
    cases = cases_of(rule.slug)
    assert any("good" in case for case in cases.values())
    assert any("bad" in case for case in cases.values())


def test_every_case_file_belongs_to_a_rule() -> None:
    assert {path.stem for path in HERE.glob("*.yaml")} <= {rule.slug for rule in catalogue()}


def test_every_superseded_rule_exists() -> None:
    named = {slug for rule in catalogue() for slug in rule.supersedes}
    assert named == {find_rule(slug).slug for slug in named}


def without_evidence(observed: Fabric) -> Fabric:
    """The same devices, ports and links, and nothing known of them."""
    devices = {name: _bare_device(device) for name, device in observed.devices.items()}
    return replace(observed, devices=FrozenMap(devices))


def _bare_device(device: Device) -> Device:
    ports = {name: Port(name, qos=PortQos()) for name in device.ports}
    rdma = {
        name: RdmaDevice(name, ports=one.ports, congestion_control=CongestionControl())
        for name, one in device.rdma.items()
    }
    return Device(
        device.name,
        role=device.role,
        platform=device.platform,
        asic=device.asic,
        qos=FrozenMap({"": DeviceQos()}),
        ports=FrozenMap(ports),
        rdma=FrozenMap(rdma),
        host=HostFacts(),
    )


OF_DEVICES = [rule for rule in catalogue() if rule.scope in {Scope.PORT, Scope.LINK, Scope.RDMA}]


@pytest.mark.parametrize("rule", OF_DEVICES, ids=lambda rule: rule.slug)
def test_a_rule_whose_evidence_vanished_does_not_pass(rule: Rule) -> None:
    goods = [case["good"] for case in cases_of(rule.slug).values() if "good" in case]
    observed = without_evidence(fabric(goods[0], Origin.CONFIG))
    found = judge(
        observed, intended=intent(goods[0]), rules=[rule], evidence_asked=True, profile="strict"
    )
    assert [one.message for one in found if one.verdict is Verdict.PASS] == []
    proven = {one.verdict for one in found}
    assert proven == ({Verdict.UNVERIFIED} if rule.is_proof else {Verdict.NOT_APPLICABLE})
