"""What counters tell of the cables that a test crossed."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from netcheck.model.counters import Counter, CounterClass, CounterKey, Meaning
from netcheck.model.device import Device, Port, RdmaDevice, Role
from netcheck.model.fabric import (
    Carries,
    Delivery,
    Fabric,
    Link,
    Policy,
    PortRef,
    TrafficClass,
)
from netcheck.model.finding import Basis
from netcheck.model.frozenmap import FrozenMap
from netcheck.model.known import UNKNOWN, Known, is_known
from netcheck.perf.coverage import OTHER_CABLES, coverage, peers_of
from netcheck.perf.deltas import Deltas, deltas
from netcheck.perf.observe import RoundResult
from netcheck.perf.schedule import Endpoint, Pattern, Round
from netcheck.perf.verdict import judge_perf

RDMA = TrafficClass(
    "rdma", dscp=frozenset({26}), priority=3, delivery=Delivery.LOSSLESS, carries=Carries.DATA
)
ANSWER_BYTES, DATA_BYTES = 66, 4178
Row = tuple[Known[int], int]  # packets of queue 3, bytes of each
Rows = dict[str, Row]


def device(name: str, role: Role, *ports: str) -> Device:
    made = FrozenMap({port: Port(port, policy="backend") for port in ports})
    rdma = {"mlx5_0": RdmaDevice("mlx5_0", ("rail0",))} if role is Role.HOST else {}
    return Device(name, role=role, ports=made, rdma=FrozenMap(rdma))


def clos() -> Fabric:
    """Two leaves with a host each, two spines."""
    leaves = [device(name, Role.LEAF, "down", "up1", "up2") for name in ("leaf1", "leaf2")]
    spines = [device(name, Role.SPINE, "d1", "d2") for name in ("spine1", "spine2")]
    hosts = [device(name, Role.HOST, "rail0") for name in ("gpu1", "gpu2")]
    links = [
        *(Link(PortRef(f"gpu{n}", "rail0"), PortRef(f"leaf{n}", "down")) for n in (1, 2)),
        *(
            Link(PortRef(f"leaf{n}", f"up{m}"), PortRef(f"spine{m}", f"d{n}"))
            for n in (1, 2)
            for m in (1, 2)
        ),
    ]
    return Fabric(
        "clos",
        devices=FrozenMap({one.name: one for one in (*leaves, *spines, *hosts)}),
        links=tuple(links),
        policies=FrozenMap({"backend": Policy("backend", classes=FrozenMap({"rdma": RDMA}))}),
        policy="backend",
    )


def moved(name: str, rows: Rows) -> Deltas:
    def reading(*, is_last: bool) -> Device:
        found: dict[CounterKey, Counter] = {}
        for port, (packets, size) in rows.items():
            many: Known[int] = packets if is_last or packets is UNKNOWN else 0
            total = many * size if is_known(many) else many
            for meaning, value in ((Meaning.QUEUE_PACKETS, many), (Meaning.QUEUE_BYTES, total)):
                key = CounterKey(port, meaning, 3, meaning.value)
                found[key] = Counter(value, CounterClass.INFORMATION)
        return Device(name, counters=FrozenMap(found))

    return deltas(reading(is_last=False), reading(is_last=True))


def result(**rows: Rows) -> RoundResult:
    """One flow from gpu1 to gpu2, with these movements of each switch."""
    a, b = (Endpoint(f"gpu{n}", "rail0", "mlx5_0", PortRef(f"leaf{n}", "down")) for n in (1, 2))
    names = ("leaf1", "leaf2", "spine1", "spine2")
    movements = {name: moved(name, rows.get(name, {})) for name in names}
    movements |= {name: Deltas(name, {}) for name in ("gpu1", "gpu2")}
    return RoundResult(
        Round("one", Pattern.ACROSS, ((a, b),)), "ib_write_bw", "rdma", (), movements
    )


FIRST: Rows = {"up1": (50_000, DATA_BYTES), "up2": (0, 0)}
ANSWERED: Rows = {"up1": (50_000, DATA_BYTES), "up2": (50_000, ANSWER_BYTES)}


@pytest.mark.parametrize("leaf", [FIRST, ANSWERED], ids=["nothing", "answers alone"])
def test_a_cable_without_data_is_missed(leaf: Rows) -> None:
    found = coverage(
        [result(leaf1=leaf, spine1={"d2": (50_000, DATA_BYTES)}, spine2={"d2": (3, DATA_BYTES)})],
        clos(),
        RDMA,
    )
    assert found.crossed == {PortRef("leaf1", "up1"), PortRef("spine1", "d2")}
    assert found.missed == {PortRef("leaf1", "up2"), PortRef("spine2", "d2")}
    assert not found.unseen


def test_a_cable_whose_queue_was_not_counted_is_neither_crossed_nor_missed() -> None:
    found = coverage([result(leaf1={"up1": (UNKNOWN, 0)})], clos(), RDMA)
    assert not found.crossed
    assert not found.missed
    assert found.unseen == {PortRef("leaf1", f"up{n}") for n in (1, 2)} | {
        PortRef(f"spine{n}", "d2") for n in (1, 2)
    }


def test_a_later_round_makes_up_for_an_earlier_one() -> None:
    other: Rows = {"up1": (0, 0), "up2": (50_000, DATA_BYTES)}
    found = coverage([result(leaf1=FIRST), result(leaf1=other)], clos(), RDMA)
    assert {PortRef("leaf1", "up1"), PortRef("leaf1", "up2")} == found.crossed


def test_a_missed_cable_is_a_warning_at_its_port() -> None:
    rows: dict[str, Rows] = {"leaf1": FIRST, "spine1": {"d2": (50_000, DATA_BYTES)}}
    judged = judge_perf([result(**rows)], clos(), Basis.SIMULATED)
    told = [one for one in judged.findings if one.rule == "cable-not-crossed"]
    assert [(str(one.where[0]), one.found) for one in told] == [
        ("leaf1 up2", "none"),
        ("spine2 d2", "no count"),
    ]


@pytest.mark.parametrize(("name", "suspects"), [("pairs", 0), (f"{OTHER_CABLES}, 1", 1)])
def test_a_cable_without_data_is_suspected_where_rounds_were_run_to_reach_it(
    name: str, suspects: int
) -> None:
    spines: dict[str, Rows] = {"spine1": {"d1": (9_000, DATA_BYTES), "d2": (9_000, DATA_BYTES)}}
    spines["spine2"] = {"d1": (0, 0), "d2": (0, 0)}
    ups: Rows = {"up1": (9_000, DATA_BYTES), "up2": (0, 0)}
    one = result(leaf1=ups, leaf2=ups, **spines)
    (there,) = one.round.flows
    both = replace(one.round, name=name, flows=(there, there[::-1]))
    judged = judge_perf([replace(one, round=both)], clos(), Basis.SIMULATED)
    unused = [found for found in judged.suspects if "no data in either direction" in found.evidence]
    assert len(unused) == 2 * suspects
    assert sum(one.rule == "cable-not-crossed" for one in judged.findings) == 4


COUNTS = st.sampled_from([(0, 0), (50_000, DATA_BYTES), (50_000, ANSWER_BYTES), (UNKNOWN, 0)])
SHOWN = st.dictionaries(st.sampled_from(["up1", "up2", "d1", "d2"]), COUNTS)
READ = st.dictionaries(st.sampled_from(["leaf1", "leaf2", "spine1", "spine2"]), SHOWN)


@given(st.lists(READ, max_size=5), st.integers(0, 5))
def test_rounds_seen_one_after_the_other_are_seen_as_all_together(
    rounds: list[dict[str, Rows]], cut: int
) -> None:
    results, fabric = [result(**rows) for rows in rounds], clos()
    first, rest = (coverage(some, fabric, RDMA) for some in (results[:cut], results[cut:]))
    assert first.joined(rest) == coverage(results, fabric, RDMA)


def test_peers_are_named_from_both_ends() -> None:
    peers = peers_of(clos())
    assert peers[PortRef("leaf1", "up2")] == "spine2"
    assert peers[PortRef("spine2", "d1")] == "leaf1"
