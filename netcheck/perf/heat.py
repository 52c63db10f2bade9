"""Rates of pairs as a map by rail and rack."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from netcheck.model.fabric import Fabric
from netcheck.model.frozenmap import FrozenMap
from netcheck.perf.bandwidth import rates
from netcheck.perf.observe import RoundResult
from netcheck.perf.perftest import Tool, is_told
from netcheck.perf.schedule import Endpoint, Pattern
from netcheck.report.heatmap import Heat, HeatMap

ONE_BY_ONE = 24  # NICs that have a row each; more are taken together
ALONE = (Pattern.PAIRS, Pattern.ACROSS)  # where a pair shares no port of a host


def heat_maps(results: Sequence[RoundResult], fabric: Fabric) -> Iterator[HeatMap]:
    """One map for each class; of a pair the best of its rounds counts, 0 where all failed.

    A row is a NIC, or in larger fabrics all NICs of one rail at one leaf.
    """
    for name in dict.fromkeys(result.traffic_class for result in results):
        own = [r for r in results if r.traffic_class == name and r.round.pattern in ALONE]
        best: dict[tuple[Endpoint, Endpoint], float] = {}
        for result in own:
            for flow, ceiling, rate in rates(result, fabric):
                pair = (flow.sender, flow.receiver)
                best[pair] = max(best.get(pair, 0.0), 100 * rate / ceiling)
            for flow in result.flows:
                if is_told(flow.result.error) and result.tool != Tool.WRITE_LAT:
                    best.setdefault((flow.sender, flow.receiver), 0.0)
        if best:
            yield _map(f"Rates of class {name}", best)


def _map(title: str, best: dict[tuple[Endpoint, Endpoint], float]) -> HeatMap:
    ends = sorted({end for pair in best for end in pair}, key=_by_rail)
    label = _nic if len(ends) <= ONE_BY_ONE else _group
    places = list(dict.fromkeys(label(end) for end in ends))
    at = {place: number for number, place in enumerate(places)}
    found: dict[tuple[int, int], Heat] = {}
    for (sender, receiver), percent in best.items():
        key = (at[label(sender)], at[label(receiver)])
        old = found.get(key, Heat(percent, 0))
        found[key] = Heat(min(old.percent, percent), old.pairs + 1)
    return HeatMap(title, tuple(places), FrozenMap(found))


Label = Callable[[Endpoint], str]


def _by_rail(end: Endpoint) -> tuple[str, str, str]:
    return end.port, end.leaf.device, end.host


def _nic(end: Endpoint) -> str:
    return str(end.ref)


def _group(end: Endpoint) -> str:
    return f"{end.leaf.device} {end.port}"
