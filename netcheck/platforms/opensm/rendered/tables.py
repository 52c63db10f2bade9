"""SL to VL and VL arbitration as ``opensm.conf`` writes them: as said, else as services need."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from netcheck.model.known import UNKNOWN, Known, is_known, known_or
from netcheck.model.subnets import IbQosLevel, Subnet
from netcheck.platforms.ib_codes import DATA_VLS
from netcheck.platforms.sm_subject import Subject

SLS = range(16)
DEFAULT_WEIGHT = 64  # one packet of 4096 bytes
NAMES = ("default",)
# OpenSM's own high-priority table has VL0, which would get every second turn, whatever the weights
# of the other table. Source: measured on 3.3.23; InfiniBand Architecture Specification 7.6.9.
NO_TURNS = "0:0"


def table_options(subject: Subject) -> Iterator[tuple[str, str]]:
    """Yield the options of SL2VL and VL arbitration."""
    subnet = subject.subnet
    if is_known(subnet.data_vls):
        yield "max_op_vls", str(DATA_VLS[subnet.data_vls])
    if is_known(subnet.high_limit):
        yield "qos_high_limit", str(subnet.high_limit)
    high, low = arbitration(subnet)
    if is_known(high):
        yield "qos_vlarb_high", _weights(high)
    elif is_known(low):
        yield "qos_vlarb_high", NO_TURNS
    if is_known(low):
        yield "qos_vlarb_low", _weights(low)
    sl_to_vl = sl2vl(subnet)
    if is_known(sl_to_vl):
        yield "qos_sl2vl", ",".join(map(str, sl_to_vl))


def sl2vl(subnet: Subnet) -> Known[tuple[int, ...]]:
    """Give the VL of each SL; of an SL that no service has, the default service's VL."""
    if is_known(subnet.sl_to_vl):
        return subnet.sl_to_vl
    said = {one.sl: one.vl for one in subnet.qos_levels.values() if is_known(one.vl)}
    if not said:
        return UNKNOWN
    fallback = said.get(default_sl(subnet), 0)
    return tuple(said.get(sl, fallback) for sl in SLS)


def default_sl(subnet: Subnet) -> int:
    """Give the SL of the default service: the one of that name, else 0."""
    level = default_level(subnet)
    return level.sl if level else 0


def default_level(subnet: Subnet) -> IbQosLevel | None:
    """Give the service that is named default, if there is one."""
    return next((one for one in subnet.qos_levels.values() if one.name.lower() in NAMES), None)


def arbitration(subnet: Subnet) -> tuple[Known[Mapping[int, int]], Known[Mapping[int, int]]]:
    """Give the weights of the high and of the low table, by VL.

    Every VL that some SL goes to is in one of them: a VL in neither is never served.
    """
    if is_known(subnet.vl_high) or is_known(subnet.vl_low):
        return subnet.vl_high, subnet.vl_low
    weighted = [one for one in subnet.qos_levels.values() if is_known(one.weight)]
    if not weighted:
        return UNKNOWN, UNKNOWN
    high: dict[int, int] = {}
    low: dict[int, int] = {}
    for one in weighted:
        table = high if one.is_high is True else low
        table[known_or(one.vl, 0)] = known_or(one.weight, 0)
    for vl in sorted(set(known_or(sl2vl(subnet), (0,))) - {15}):
        if vl not in high and vl not in low:
            low[vl] = DEFAULT_WEIGHT
    return high or UNKNOWN, low or UNKNOWN


def _weights(table: Mapping[int, int]) -> str:
    return ",".join(f"{vl}:{table[vl]}" for vl in sorted(table))
