"""Switches that count drops at ingress for all priority groups of a port together."""

from __future__ import annotations

from dataclasses import replace

import pytest

from netcheck.model.counters import Meaning
from netcheck.model.fabric import PortRef
from netcheck.model.finding import RunResult
from netcheck.model.known import UNKNOWN, Known
from netcheck.perf.clues import narrow, vanished
from tests.perf.test_verdict import PACKETS, RDMA, Readings, fabric, incast, judge, key

GROUP = Meaning.PRIORITY_GROUP_DROP


def by_port(readings: dict[str, Readings], dropped: Known[int]) -> None:
    """Make the leaf count groups together, and ``dropped`` at one port."""
    leaf = readings["leaf01"]
    for name in ("Ethernet0", "Ethernet2", "Ethernet3"):
        del leaf[key(name, GROUP, 3)]
        leaf[key(name, GROUP)] = 0
    leaf[key("Ethernet2", GROUP)] = dropped


@pytest.mark.parametrize(
    ("dropped", "expected"),
    [(0, RunResult.LOSSLESS), (7, RunResult.NOT_PROVEN), (UNKNOWN, RunResult.NOT_PROVEN)],
)
def test_drops_of_all_groups_together_prove_what_they_can(
    dropped: Known[int], expected: RunResult
) -> None:
    found = judge(incast(lambda readings: by_port(readings, dropped)))
    assert found.verdict.run is expected


def test_a_group_that_is_counted_apart_is_asked_for_itself() -> None:
    def change(readings: dict[str, Readings]) -> None:
        readings["leaf01"][key("Ethernet2", GROUP)] = 0
        readings["leaf01"][key("Ethernet2", GROUP, 3)] = 7

    assert judge(incast(change)).verdict.run is RunResult.NOT_LOSSLESS


@pytest.mark.parametrize(("dropped", "damaged"), [(0, ["5"]), (2, ["3"]), (5, []), (UNKNOWN, [])])
def test_errors_are_damage_where_they_are_no_drops_for_length(
    dropped: Known[int], damaged: list[str]
) -> None:
    def change(readings: dict[str, Readings]) -> None:
        readings["leaf01"][key("Ethernet2", Meaning.PHYSICAL_ERROR)] = 5
        readings["leaf01"][key("Ethernet2", Meaning.PORT_INGRESS_DROP)] = dropped

    found = judge(incast(change))
    assert found.verdict.run is RunResult.NOT_PROVEN
    assert [one.found for one in found.findings if one.rule == "packets-damaged"] == damaged


@pytest.mark.parametrize(
    ("heard", "first"),
    [
        (0, "gpu02 rail0"),
        (None, "gpu02 rail0"),  # not shown, as by one whose PFC is off
        (9, "leaf01 Ethernet2"),
        (UNKNOWN, "leaf01 Ethernet2"),
    ],
)
def test_an_adapter_hears_no_pause_where_it_counts_none(
    heard: Known[int] | None, first: str
) -> None:
    def change(readings: dict[str, Readings]) -> None:
        readings["leaf01"][key("Ethernet2", GROUP, 3)] = 7
        if heard is not None:
            readings["gpu02"][key("rail0", Meaning.PFC_RX, 3)] = heard
        readings["gpu02"][key("rail1", Meaning.PFC_RX, 3)] = 50

    found = judge(incast(change)).suspects[0]
    assert str(found.where).strip() == first


@pytest.mark.parametrize(
    ("left", "gone"),
    [(2 * PACKETS, []), (PACKETS, [f"{PACKETS - 10} packets went in"]), (UNKNOWN, [])],
)
def test_packets_are_gone_inside_a_switch_that_tells_what_left_it(
    left: Known[int], gone: list[str]
) -> None:
    def change(readings: dict[str, Readings]) -> None:
        readings["leaf01"][key("Ethernet0", Meaning.PORT_TX_PACKETS)] = left
        readings["leaf01"][key("Ethernet2", Meaning.PORT_TX_PACKETS)] = 10
        readings["gpu02"][key("rail0", Meaning.ACK_TIMEOUT)] = 1

    found = [clue.evidence.split(",")[0] for clue in vanished([incast(change)], fabric(), RDMA)]
    assert found == gone


@pytest.mark.parametrize(("paused", "is_narrow"), [(0, [40]), (9, []), (UNKNOWN, [])])
def test_a_full_port_is_narrow_where_it_is_known_not_to_be_paused(
    paused: Known[int], is_narrow: list[int]
) -> None:
    def change(readings: dict[str, Readings]) -> None:
        for name, octets in (("Ethernet0", 40_000), ("Ethernet1", 100_000)):
            readings["leaf01"][key(name, Meaning.ECN_MARKED, 3)] = 5
            readings["leaf01"][key(name, Meaning.QUEUE_BYTES, 3)] = octets
        readings["leaf01"][key("Ethernet0", Meaning.PFC_RX, 3)] = paused

    result = incast(change)
    first = result.round.flows[0]
    other = replace(first[1], port="rail1", rdma="mlx5_1", leaf=PortRef("leaf01", "Ethernet1"))
    result = replace(result, round=replace(result.round, flows=(first, (first[0], other))))
    found = [clue.evidence for clue in narrow([result], fabric(), RDMA)]
    assert found == [
        f"full, and carried {share} % of what other full ports of its speed did"
        for share in is_narrow
    ]
