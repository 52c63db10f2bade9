"""Virtual lanes of a subnet's ports against the services of an intent."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from netcheck.compare.subnet_pages import made, unread
from netcheck.model.finding import Finding
from netcheck.model.infiniband import IbNode, IbPort
from netcheck.model.known import UNKNOWN, Known, is_known, known_or
from netcheck.model.subnets import Subnet

MANAGEMENT_VL: Final = 15
ALL_SLS: Final = range(16)


@dataclass(frozen=True, slots=True)
class LanesIntent:
    """What is said of lanes.

    Attributes:
        sl_to_vl: Lane of each service level that something is said of; 15 drops.
        high, low: Weights by lane.
    """

    sl_to_vl: Mapping[int, int]
    high: Known[Mapping[int, int]] = UNKNOWN
    low: Known[Mapping[int, int]] = UNKNOWN
    data_vls: Known[int] = UNKNOWN

    @property
    def says_nothing(self) -> bool:
        """Whether nothing is said that ports could be asked for."""
        return not self.sl_to_vl and not self.has_weights and not is_known(self.data_vls)

    @property
    def has_weights(self) -> bool:
        """Whether weights are said."""
        return is_known(self.high) or is_known(self.low)


def intended_lanes(subnet: Subnet) -> LanesIntent:
    """What an intent says of lanes: tables as a whole, or service by service."""
    if is_known(subnet.sl_to_vl):
        lanes = dict(zip(ALL_SLS, subnet.sl_to_vl, strict=False))
    else:
        services = subnet.qos_levels.values()
        lanes = {one.sl: one.vl for one in services if is_known(one.vl)}
    if is_known(subnet.vl_high) or is_known(subnet.vl_low):
        return LanesIntent(lanes, subnet.vl_high, subnet.vl_low, subnet.data_vls)
    high, low = _weights(subnet, is_high=True), _weights(subnet, is_high=False)
    return LanesIntent(lanes, high, low, subnet.data_vls)


def _weights(subnet: Subnet, *, is_high: bool) -> Known[Mapping[int, int]]:
    """Weights of services in one of the two tables; others may stand there besides."""
    found = {
        known_or(one.vl, 0): one.weight
        for one in subnet.qos_levels.values()
        if is_known(one.weight) and (one.is_high is True) is is_high
    }
    return found or UNKNOWN


def compare_lanes(
    intent: LanesIntent, asked: Iterable[tuple[IbNode, IbPort]], *, most_vls: int = 15
) -> Iterator[Finding]:
    """Yield a finding for every port whose lanes differ from the intent.

    Args:
        asked: Ports whose tables were asked for.
        most_vls: Data lanes that the ports have at all; what needs more is not judged.
    """
    for node, port in asked:
        if intent.sl_to_vl:
            yield from _compare_map(intent, node, port, most_vls)
        for name, wanted in (("vlarb_high", intent.high), ("vlarb_low", intent.low)):
            if is_known(wanted):
                yield from _compare_weights(name, wanted, node, port, most_vls)
        if is_known(intent.data_vls):
            yield from _compare_count(min(intent.data_vls, most_vls), node, port)


def _compare_map(
    intent: LanesIntent, node: IbNode, port: IbPort, most_vls: int
) -> Iterator[Finding]:
    command = f"smpquery sl2vl {_address(node, port)}"
    if not is_known(port.sl_to_vl):
        yield unread("sl-on-other-vl", [node.place(port.number)], "SL2VL table", command)
        return
    wanted = {sl: vl for sl, vl in intent.sl_to_vl.items() if vl < most_vls or vl == MANAGEMENT_VL}
    wrong: dict[int, set[int]] = {}
    for lanes in port.sl_to_vl.values():
        for sl, vl in wanted.items():
            if lanes[sl] != vl:
                wrong.setdefault(sl, set()).add(lanes[sl])
    if wrong:
        yield made(
            "sl-on-other-vl",
            [node.place(port.number)],
            f"{_sls(wrong)} on another lane than intended{_lanes_in_operation(port)}",
            expected=", ".join(f"SL {sl} on VL {wanted[sl]}" for sl in sorted(wrong)),
            found=", ".join(
                f"SL {sl} on VL {'/'.join(map(str, sorted(vls)))}"
                for sl, vls in sorted(wrong.items())
            ),
            command=command,
            facts=("sl_to_vl",),
        )


def _sls(wrong: Iterable[int]) -> str:
    found = ", ".join(map(str, sorted(wrong)))
    return f"service level {found}"


def _lanes_in_operation(port: IbPort) -> str:
    return f"; {port.oper_vls} lanes are in operation" if is_known(port.oper_vls) else ""


def _compare_weights(
    name: str, wanted: Mapping[int, int], node: IbNode, port: IbPort, most_vls: int
) -> Iterator[Finding]:
    command = f"smpquery vlarb {_address(node, port)}"
    table = port.vlarb_high if name == "vlarb_high" else port.vlarb_low
    if not is_known(table):
        yield unread("vl-weights-differ", [node.place(port.number)], "VL arbitration", command)
        return
    held: dict[int, int] = {}
    for lane, weight in table:
        held[lane] = held.get(lane, 0) + weight
    judged = {lane: weight for lane, weight in wanted.items() if lane < most_vls}
    wrong = sorted(lane for lane, weight in judged.items() if held.get(lane, 0) != weight)
    if wrong:
        yield made(
            "vl-weights-differ",
            [node.place(port.number)],
            f"{'high' if name == 'vlarb_high' else 'low'}-priority arbitration differs",
            expected=", ".join(f"VL {lane}: {judged[lane]}" for lane in wrong),
            found=", ".join(f"VL {lane}: {held.get(lane, 0)}" for lane in wrong),
            command=command,
            facts=(name,),
        )


def _compare_count(wanted: int, node: IbNode, port: IbPort) -> Iterator[Finding]:
    command = f"smpquery portinfo {_address(node, port)}"
    if not is_known(port.oper_vls):
        yield unread("data-vls-differ", [node.place(port.number)], "lanes in operation", command)
    elif port.oper_vls != wanted:
        yield made(
            "data-vls-differ",
            [node.place(port.number)],
            "another number of data lanes is in operation",
            expected=str(wanted),
            found=str(port.oper_vls),
            command=command,
            facts=("oper_vls",),
        )


def _address(node: IbNode, port: IbPort) -> str:
    lid = first_lid(node, port)
    return f"{lid if is_known(lid) else '?'} {port.number}"


def first_lid(node: IbNode, port: IbPort) -> Known[int]:
    """Address to ask at: a switch answers for its ports at its own LID."""
    return port.lid if is_known(port.lid) and port.lid else node.lid
