"""Which classes are tested, between which NICs, and what each says of the run."""

from dataclasses import replace
from pathlib import Path

import pytest

from netcheck import api
from netcheck.model.counters import Meaning
from netcheck.model.fabric import Delivery, Fabric, Policy, PortRef, TrafficClass
from netcheck.model.finding import (
    Basis,
    ClassVerdict,
    NotProven,
    Place,
    RunResult,
    RunVerdict,
    Severity,
)
from netcheck.model.frozenmap import FrozenMap
from netcheck.perf.losses import Sight
from netcheck.perf.observe import carries, lossless_pfc_priorities
from netcheck.perf.observe import tested_classes as classes_to_test
from netcheck.perf.proof import loss_finding, run_verdict
from netcheck.perf.schedule import endpoints, islands_of, rounds

SCOPES = Path(__file__).parents[2] / "examples" / "scopes.yaml"


@pytest.fixture(scope="module")
def fabric() -> Fabric:
    return api.complete(api.load_intent(SCOPES, deployable=True))


def test_a_class_that_several_policies_declare_alike_is_tested_once(fabric: Fabric) -> None:
    assert [item.name for item in classes_to_test(fabric)] == ["rdma", "storage", "bulk"]


def test_one_name_for_two_marks_is_told_apart_by_policy() -> None:
    def policy(name: str, dscp: int) -> Policy:
        item = TrafficClass("rdma", dscp=frozenset({dscp}), priority=3, delivery=Delivery.LOSSLESS)
        return Policy(name, classes=FrozenMap({"rdma": item}))

    fabric = Fabric("two", policies=FrozenMap({n: policy(n, d) for n, d in (("a", 26), ("b", 40))}))
    assert [item.name for item in classes_to_test(fabric)] == ["a/rdma", "b/rdma"]


@pytest.mark.parametrize(
    ("name", "hosts"),
    [
        ("rdma", {"gpu01 rail0", "gpu01 rail1"}),
        ("storage", {"gpu01 rail0", "gpu01 rail1", "store01 p0", "store01 p1"}),
        ("bulk", {"gpu01 front0"}),
    ],
)
def test_a_class_is_tested_between_the_nics_that_have_it(
    fabric: Fabric, name: str, hosts: set[str]
) -> None:
    item = next(one for one in classes_to_test(fabric) if one.name == name)
    ends = [end for end in endpoints(fabric) if carries(fabric, end.ref, item)]
    assert {str(end.ref) for end in ends if end.host.endswith("01")} == hosts
    flows = [flow for one in rounds(ends, islands_of(fabric)) for flow in one.flows]
    assert {end for flow in flows for end in flow} == set(ends)


def test_switches_of_one_fabric_are_one_island_and_rails_alone_are_several(fabric: Fabric) -> None:
    assert len(set(islands_of(fabric).values())) == 1
    apart = replace(fabric, links=tuple(one for one in fabric.links if "gpu" in one.a.device))
    assert islands_of(apart) == {}


def test_a_port_may_pause_what_its_own_policy_declares(fabric: Fabric) -> None:
    assert lossless_pfc_priorities(fabric, PortRef("leaf03", "Ethernet0")) == {4}
    assert lossless_pfc_priorities(fabric, PortRef("leaf03", "Ethernet8")) == frozenset()
    assert lossless_pfc_priorities(fabric, PortRef("border01", "Ethernet64")) == frozenset()


def verdict(name: str, run: RunResult, *, is_lossless: bool = True) -> ClassVerdict:
    reason = NotProven.NOT_EXERCISED if run is RunResult.NOT_PROVEN else None
    detail = "" if run is RunResult.LOSSLESS else "loss was counted"
    found = RunVerdict(run, Basis.SIMULATED, None, reason, detail)
    return ClassVerdict(name, found, 10, paused=True, marked=True, is_lossless=is_lossless)


def test_the_run_names_the_class_that_lost() -> None:
    found = run_verdict(
        [verdict("rdma", RunResult.LOSSLESS), verdict("storage", RunResult.NOT_LOSSLESS)],
        Basis.SIMULATED,
    )
    assert found.run is RunResult.NOT_LOSSLESS
    assert found.detail == "class storage: loss was counted"


def test_a_class_that_is_only_marked_does_not_decide_beside_a_lossless_one() -> None:
    bulk = verdict("bulk", RunResult.NOT_LOSSLESS, is_lossless=False)
    both = run_verdict([verdict("rdma", RunResult.LOSSLESS), bulk], Basis.SIMULATED)
    alone = run_verdict([bulk], Basis.SIMULATED)
    assert (both.run, both.detail) == (RunResult.LOSSLESS, "")
    assert (alone.run, alone.detail) == (RunResult.NOT_LOSSLESS, "class bulk: loss was counted")


def test_a_loss_of_a_marked_class_is_a_warning_and_says_what_helps() -> None:
    sight = Sight("leaf03", "Ethernet8", Meaning.PRIORITY_GROUP_DROP, 0, 7)
    found, promised = loss_finding(sight, "bulk", is_promised=False), loss_finding(sight, "rdma")
    assert (found.severity, promised.severity) == (Severity.WARNING, Severity.ERROR)
    assert "pool" in found.fix
    assert found.where == promised.where == (Place("leaf03", "Ethernet8", "priority group 0"),)
