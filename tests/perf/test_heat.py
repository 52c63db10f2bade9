"""Rates of pairs by rail and rack."""

from dataclasses import replace

import pytest

from netcheck.model.device import Device, Port, RdmaDevice, Role
from netcheck.model.fabric import Fabric, Link, PortRef
from netcheck.model.frozenmap import FrozenMap
from netcheck.perf.bandwidth import expected_bps
from netcheck.perf.heat import heat_maps
from netcheck.perf.observe import FlowResult, RoundResult
from netcheck.perf.perftest import NO_DATA, PerftestResult, Tool
from netcheck.perf.schedule import Pattern, endpoints, rounds

SPEED = 400_000_000_000


def fabric(hosts: int) -> Fabric:
    """Hosts with two rails, each on its own leaf."""
    rails = ("rail0", "rail1")
    devices = {
        f"gpu{n:02}": Device(
            f"gpu{n:02}",
            role=Role.HOST,
            ports=FrozenMap({rail: Port(rail, speed_bps=SPEED) for rail in rails}),
            rdma=FrozenMap({f"mlx5_{r}": RdmaDevice(f"mlx5_{r}", (f"rail{r}",)) for r in (0, 1)}),
        )
        for n in range(hosts)
    }
    links = [
        Link(PortRef(name, rail), PortRef(f"leaf-{rail}", f"Ethernet{8 * n}"))
        for n, name in enumerate(devices)
        for rail in rails
    ]
    leaves = {f"leaf-{rail}": Device(f"leaf-{rail}", role=Role.LEAF) for rail in rails}
    return Fabric("heat", devices=FrozenMap({**devices, **leaves}), links=tuple(links))


def measured(found: Fabric, slow: str = "", share: float = 0.5) -> RoundResult:
    """Pairs within each leaf at their full rate, all of one sender at a share of it."""
    one = next(r for r in rounds(endpoints(found)) if r.pattern is Pattern.PAIRS)
    full = expected_bps(found, one.flows[0][0], 4096) or 0.0
    flows = tuple(
        FlowResult(a, b, PerftestResult(bandwidth_bps=full * (share if a.host == slow else 1.0)))
        for a, b in one.flows
    )
    return RoundResult(one, "ib_write_bw", "rdma", flows, {})


def test_few_nics_have_a_row_each_by_rail_first() -> None:
    (heat,) = heat_maps([measured(fabric(3), "gpu01")], fabric(3))
    assert heat.places == tuple(f"gpu{n:02} rail{r}" for r in range(2) for n in range(3))
    slow = {key for key, cell in heat.cells.items() if cell.percent < 99}
    assert {heat.places[row] for row, _ in slow} == {"gpu01 rail0", "gpu01 rail1"}
    assert {round(heat.cells[key].percent) for key in slow} == {50}


def test_many_nics_are_together_by_leaf_and_rail_and_the_lowest_pair_counts() -> None:
    (heat,) = heat_maps([measured(fabric(20), "gpu07", 0.25)], fabric(20))
    assert heat.places == ("leaf-rail0 rail0", "leaf-rail1 rail1")
    assert {key: (round(c.percent), c.pairs) for key, c in heat.cells.items()} == {
        (0, 0): (25, 20),
        (1, 1): (25, 20),
    }


def test_of_a_pair_the_best_of_its_rounds_counts() -> None:
    whole = fabric(3)
    first, second = measured(whole, "gpu00", 0.9), measured(whole, "gpu00", 0.7)
    (heat,) = heat_maps([first, replace(second, tool="ib_send_bw")], whole)
    assert min(round(cell.percent) for cell in heat.cells.values()) == 90


@pytest.mark.parametrize(
    ("error", "tool", "lowest"),
    [
        (NO_DATA, Tool.WRITE_BW, 0),
        (f"{NO_DATA}; rping fails too: no answer", Tool.WRITE_BW, 0),
        (NO_DATA, Tool.WRITE_LAT, 100),  # says nothing of rates
        ("gpu00 mlx5_0: no RoCE v2 GID with an IPv4 address", Tool.WRITE_BW, 100),  # not tested
    ],
)
def test_a_pair_whose_tests_all_failed_is_on_the_map(error: str, tool: Tool, lowest: int) -> None:
    whole = fabric(3)
    result = measured(whole)
    failed = replace(result.flows[0], result=PerftestResult(error=error))
    broken = replace(result, tool=tool, flows=(failed, *result.flows[1:]))
    (heat,) = heat_maps([broken], whole)
    assert min(round(cell.percent) for cell in heat.cells.values()) == lowest
    (mended,) = heat_maps([broken, result], whole)
    assert min(round(cell.percent) for cell in mended.cells.values()) == 100


def test_an_incast_is_on_no_map() -> None:
    whole = fabric(3)
    one = next(r for r in rounds(endpoints(whole)) if r.pattern is Pattern.INCAST)
    assert list(heat_maps([replace(measured(whole), round=one)], whole)) == []
