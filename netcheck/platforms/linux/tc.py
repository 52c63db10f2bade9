"""Reads ``tc -s -j qdisc`` and ``tc -s -j filter``: what a Linux switch and a soft NIC count.

Bands of an ETS queueing discipline are queues counted from the top: band 0 is the highest.
Source: iproute2 tc/q_ets.c, tc/q_red.c, tc/f_flower.c; torvalds/linux v6.12
drivers/net/ethernet/mellanox/mlxsw/spectrum_qdisc.c, MLXSW_SP_PRIO_BAND_TO_TCLASS.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from netcheck.model.frozenmap import FrozenMap
from netcheck.model.qos import CongestionAction, Ecn, Scheduler, SchedulerKind
from netcheck.platforms.linux.facts import Item, Page, Reading
from netcheck.platforms.linux.quirks import PRIORITIES
from netcheck.platforms.linux.rdma_tool import read_json_list

Row = Mapping[str, Any]  # Any: JSON of a tool
PERCENT = 100
# Disciplines that stand for a cable: what they lose, no queue has lost.
_CABLE = "netem"
_COUNTS = {"packets": "packets", "bytes": "bytes", "drops": "drops", "marked": "marked"}


def read_qdiscs(page: Page) -> Iterator[Item]:
    """Give scheduling, ECN and the counters of each queue of one port."""
    try:
        rows = read_json_list(page)
    except ValueError as error:
        yield page.defect(1, f"tc qdisc: not JSON as expected: {error}")
        return
    by_handle = {row.get("handle"): row for row in rows}
    ets = next((row for row in rows if row.get("kind") == "ets"), None)
    for row in rows:
        if row.get("kind") == _CABLE:
            yield Reading(page.port, "tc_netem_drops", _whole(row, "drops"), 1)
        if row.get("kind") == "clsact":
            for name in ("tc_ingress_drops", "tc_ingress_filter_drops"):
                yield Reading(page.port, name, _whole(row, "drops"), 1)
    if ets is None:
        return
    bands = _bands(ets)
    children = {
        queue: row for row in rows if (queue := _queue(row, ets.get("handle"), bands)) is not None
    }
    lost = sum(_whole(row, "drops") or 0 for row in children.values())
    yield from _counted(page, children)
    yield Reading(page.port, "tc_egress_drops", _beside(ets, by_handle, lost), 1)
    yield from _settings(page, ets, children, bands)


def _whole(row: Row, name: str) -> int | None:
    value = row.get(name)
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def _options(row: Row) -> Row:
    found = row.get("options")
    return found if isinstance(found, Mapping) else {}


def _bands(ets: Row) -> int:
    return _whole(_options(ets), "bands") or PRIORITIES


def _queue(row: Row, handle: object, bands: int) -> int | None:
    """Queue of a child of the ETS discipline; None where it is no child."""
    parent, _, minor = str(row.get("parent", "")).partition(":")
    if f"{parent}:" != handle or not minor:
        return None
    try:
        return bands - int(minor, 16)
    except ValueError:
        return None


def _counted(page: Page, children: Mapping[int, Row]) -> Iterator[Item]:
    for queue, row in sorted(children.items()):
        for name, ours in _COUNTS.items():
            if name == "marked" and row.get("kind") != "red":
                continue
            yield Reading(page.port, f"tc_queue_{queue}_{ours}", _whole(row, name), 1)


def _beside(ets: Row, by_handle: Mapping[object, Row], lost: int) -> int | None:
    """Packets that the port dropped and no queue of it owns."""
    total = _whole(ets, "drops")
    parent = str(ets.get("parent", "")).partition(":")[0]
    shaper = by_handle.get(f"{parent}:")
    if shaper is not None and shaper.get("kind") != _CABLE:
        total = _whole(shaper, "drops")
    return None if total is None else max(0, total - lost)


def _settings(page: Page, ets: Row, children: Mapping[int, Row], bands: int) -> Iterator[Item]:
    options = _options(ets)
    strict = _whole(options, "strict") or 0
    quanta = options.get("quanta")
    if isinstance(quanta, list) and all(isinstance(one, int) for one in quanta):
        total = sum(quanta)
        found = {bands - 1 - band: Scheduler(SchedulerKind.STRICT) for band in range(strict)}
        for place, quantum in enumerate(quanta):
            weight = Scheduler(SchedulerKind.WEIGHTED, round(quantum * PERCENT / total))
            found[bands - 1 - strict - place] = weight
        yield page.of_port("scheduler", FrozenMap(dict(sorted(found.items()))), 1)
    marks = {}
    for queue, row in sorted(children.items()):
        if row.get("kind") == "red":
            marks[queue] = _ecn(_options(row))
    yield page.of_port("ecn", FrozenMap(marks), 1)


def _ecn(options: Row) -> Ecn:
    is_marking = options.get("ecn") is True
    return Ecn(
        kmin_bytes=_whole(options, "min") or 0,
        kmax_bytes=_whole(options, "max") or 0,
        action=CongestionAction.MARK if is_marking else CongestionAction.DROP,
        is_active=is_marking,
    )


def read_filters(page: Page) -> Iterator[Item]:
    """Give packets by the priority that filters gave them, in one direction of a port."""
    direction = "tx" if page.document.command.endswith(" egress") else "rx"
    try:
        rows = read_json_list(page)
    except ValueError as error:
        yield page.defect(1, f"tc filter: not JSON as expected: {error}")
        return
    packets: dict[int, int] = {}
    for row in rows:
        actions = _options(row).get("actions")
        for action in actions if isinstance(actions, list) else ():
            number = _priority(action)
            stats = action.get("stats") if isinstance(action, Mapping) else None
            count = _whole(stats, "packets") if isinstance(stats, Mapping) else None
            if number is not None and count is not None:
                packets[number] = packets.get(number, 0) + count
    for number, count in sorted(packets.items()):
        yield Reading(page.port, f"tc_prio_{number}_{direction}_packets", count, 1)


def _priority(action: object) -> int | None:
    """Priority that an action gives; ``none`` is how the tool prints 0."""
    if not isinstance(action, Mapping) or action.get("kind") != "skbedit":
        return None
    text = str(action.get("priority", "")).removeprefix(":")
    if text == "none":
        return 0
    return int(text, 16) if text.isdecimal() else None
