"""How one port shares its link: lanes by their weights, then flows by their queue pairs.

Source: InfiniBand Architecture Specification volume 1, 7.6.9 (VL arbitration). Within a
lane shares are fair by flow. The specification leaves that open; in many switches inputs
take turns instead, which gives less to flows that came together through one of them.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

from netcheck.lossless.credits.fabric import Entries, Port

WEIGHT_BYTES = 64
LIMIT_BYTES = 4096
ENDLESS = 255
TINY = 1e-9

Key = TypeVar("Key", bound="int | str")


@dataclass(frozen=True, slots=True)
class Claim:
    """What one flow asks of a port: its lane, how much, how weighty."""

    flow: str
    lane: int
    demand: float
    weight: float = 1.0


def turn_bytes(entries: Entries, packet_bytes: int) -> dict[int, int]:
    """Bytes that each lane sends in one round of a table.

    A packet begins while any of an entry's weight is left, so that an entry sends
    whole packets.

    Example:
        >>> turn_bytes(((0, 64), (1, 192), (2, 1), (3, 0)), 4096)
        {0: 4096, 1: 12288, 2: 4096}
    """
    found: dict[int, int] = {}
    for lane, weight in entries:
        if weight:
            packets = math.ceil(weight * WEIGHT_BYTES / packet_bytes)
            found[lane] = found.get(lane, 0) + packets * packet_bytes
    return found


def low_share(high_limit: int, packet_bytes: int) -> float:
    """Share of the low-priority table while the high-priority one always has packets.

    After as many bytes as the limit says, or one packet for a limit of 0, one packet
    of low priority gets its chance.

    Example:
        >>> low_share(0, 4096), low_share(3, 4096), low_share(255, 4096)
        (0.5, 0.25, 0.0)
    """
    if high_limit == ENDLESS:
        return 0.0
    return packet_bytes / (max(high_limit * LIMIT_BYTES, packet_bytes) + packet_bytes)


def share_lanes(
    port: Port, demands: Mapping[int, float], packet_bytes: int, capacity: float = 1.0
) -> dict[int, float]:
    """What each lane gets of a port's capacity; a lane without weight gets nothing."""
    high = turn_bytes(port.high, packet_bytes)
    low = turn_bytes(port.low, packet_bytes)
    given = dict.fromkeys(demands, 0.0)
    hungry = {
        lane for lane, demand in demands.items() if demand > 0 and (lane in high or lane in low)
    }
    left = capacity
    while hungry and left > TINY:
        weights = _weights(hungry, high, low, low_share(port.high_limit, packet_bytes))
        taking = {lane for lane in hungry if weights[lane] > 0}
        step = min((demands[lane] - given[lane]) / weights[lane] for lane in taking)
        step = min(step, left)
        for lane in taking:
            given[lane] += step * weights[lane]
        left -= step
        hungry -= {lane for lane in taking if given[lane] >= demands[lane] - TINY}
    return given


def _weights(
    lanes: set[int], high: Mapping[int, int], low: Mapping[int, int], share: float
) -> dict[int, float]:
    """Parts of lanes that always have packets; they sum up to one."""
    of_high = sum(high.get(lane, 0) for lane in lanes)
    of_low = sum(low.get(lane, 0) for lane in lanes)
    if not of_high or not of_low:
        share = 0.0 if of_high else 1.0
    return {
        lane: (1 - share) * high.get(lane, 0) / (of_high or 1)
        + share * low.get(lane, 0) / (of_low or 1)
        for lane in lanes
    }


def fill(
    capacity: float, demands: Mapping[Key, float], weights: Mapping[Key, float]
) -> dict[Key, float]:
    """Share a capacity by weights; what one does not need goes to the others.

    Example:
        >>> fill(1.0, {"a": 0.2, "b": 1.0, "c": 1.0}, {"a": 1, "b": 1, "c": 1})
        {'a': 0.2, 'b': 0.4, 'c': 0.4}
    """
    given = dict.fromkeys(demands, 0.0)
    hungry = {key for key, demand in demands.items() if demand > 0}
    left = capacity
    while hungry:
        whole = sum(weights[key] for key in hungry)
        modest = {key for key in hungry if demands[key] <= left * weights[key] / whole + TINY}
        for key in modest or hungry:
            given[key] = min(demands[key], left * weights[key] / whole)
        if not modest:
            break
        left -= sum(given[key] for key in modest)
        hungry -= modest
    return given


def entitlement(
    port: Port, claims: Sequence[Claim], flow: str, packet_bytes: int, capacity: float
) -> float:
    """What a flow could get at a port if it asked for everything, given what others ask for."""
    lane = next(one.lane for one in claims if one.flow == flow)
    by_lane: dict[int, float] = {}
    by_flow: dict[str, float] = {}
    weights: dict[str, float] = {}
    for one in claims:
        demand = capacity if one.flow == flow else min(one.demand, capacity)
        by_lane[one.lane] = by_lane.get(one.lane, 0.0) + demand
        if one.lane == lane:
            by_flow[one.flow], weights[one.flow] = demand, one.weight
    share = share_lanes(port, by_lane, packet_bytes, capacity)[lane]
    return fill(share, by_flow, weights)[flow]
