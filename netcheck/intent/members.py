"""Names that InfiniBand subnets use: members, roots, managers, partitions of matches."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain

from netcheck.intent.complaint import suggest
from netcheck.model.device import Role
from netcheck.model.document import Evidence
from netcheck.model.fabric import Fabric
from netcheck.model.guids import nodes_of, ports_of
from netcheck.model.known import Known, is_known
from netcheck.model.subnets import IbQosLevel, Subnet

WIDE = frozenset({"all", "all_cas", "all_switches", "all_routers", "sm"})
LOW_15 = 0x7FFF
Said = Iterator[tuple[Evidence, str]]


def check_subnets(fabric: Fabric, *, deployable: bool) -> Said:
    """Yield a complaint for every name that nothing declares, or (to deploy) without a GUID."""
    for subnet in fabric.subnets.values():
        yield from _partitions(subnet)
        yield from _services(subnet)
        if fabric.devices:
            yield from _names(fabric, subnet)
        if deployable:
            yield from _guids(fabric, subnet)


def _partitions(subnet: Subnet) -> Said:
    seen: dict[int, str] = {}
    for one in subnet.partitions.values():
        first = seen.setdefault(one.pkey & LOW_15, one.name)
        if first != one.name:
            same = f"pkey {one.pkey & LOW_15:#06x} is that of partition {first}"
            yield one.evidence, f"{_place(subnet)}.partitions.{one.name}: {same}"


def _services(subnet: Subnet) -> Said:
    lanes: dict[int, tuple[str, int]] = {}
    for one in subnet.qos_levels.values():
        place = f"{_place(subnet)}.qos.{one.name}"
        if is_known(one.vl):
            name, vl = lanes.setdefault(one.sl, (one.name, one.vl))
            if vl != one.vl:
                yield one.evidence, f"{place}: sl {one.sl} goes to vl {vl} by {name}, not {one.vl}"
        for match in one.matches:
            if is_known(match.partition) and match.partition not in subnet.partitions:
                hint = suggest(match.partition, subnet.partitions)
                yield one.evidence, f"{place}: partition {match.partition} is not declared{hint}"


def _names(fabric: Fabric, subnet: Subnet) -> Said:
    known = {*fabric.devices, *subnet.port_guids, *subnet.node_guids, *map(str, Role)}
    for at, place, names in _said(subnet):
        for name in names:
            if not _is_declared(fabric, name, known):
                hint = suggest(name, known)
                yield at, f"{place}: {name} is no device, role or GUID{hint}"
    managers = subnet.subnet_managers if is_known(subnet.subnet_managers) else ()
    for name in subnet.priorities:
        if name not in managers:
            hint = suggest(name, managers)
            yield subnet.evidence, f"{_place(subnet)}.priorities: {name} is no manager{hint}"


def _is_declared(fabric: Fabric, name: str, known: set[str]) -> bool:
    if name in known or name.startswith("0x") or name in WIDE:
        return True
    of, _, inner = name.partition(":")
    return of in fabric.devices and inner in fabric.devices[of].rdma


def _said(subnet: Subnet) -> Iterator[tuple[Evidence, str, Iterable[str]]]:
    """Yield where names of ports or switches are said, and which."""
    for one in subnet.partitions.values():
        yield one.evidence, f"{_place(subnet)}.partitions.{one.name}.members", one.members
    for level in subnet.qos_levels.values():
        yield level.evidence, f"{_place(subnet)}.qos.{level.name}.match", _matched(level)
    for key in ("roots", "io_nodes", "compute_nodes"):
        yield subnet.evidence, f"{_place(subnet)}.{key}", _listed(getattr(subnet, key))


def _matched(level: IbQosLevel) -> Iterator[str]:
    for match in level.matches:
        yield from chain(_listed(match.source), _listed(match.destination))


def _listed(names: Known[tuple[str, ...]]) -> tuple[str, ...]:
    return names if is_known(names) else ()


def _guids(fabric: Fabric, subnet: Subnet) -> Said:
    """What would be rendered needs a GUID for each name."""
    for at, place, names in _said(subnet):
        look = nodes_of if place.endswith(".roots") else ports_of
        missing = look(fabric, subnet, (name for name in names if name not in WIDE)).missing
        if missing:
            others = f" and {len(missing) - 1} more have" if len(missing) > 1 else " has"
            hint = "say it, or name an ibnetdiscover file (fabric)"
            yield at, f"{place}: {missing[0]}{others} no guid; {hint}"


def _place(subnet: Subnet) -> str:
    return f"infiniband.subnets.{subnet.name}"
