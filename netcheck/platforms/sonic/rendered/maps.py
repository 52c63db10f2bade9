"""Maps and their binding to ports: model to variables of ``maps.j2`` and ``bindings.j2``."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from netcheck.model.device import Device, Port
from netcheck.model.frozenmap import FrozenMap
from netcheck.model.known import ABSENT, UNKNOWN, Known, is_known
from netcheck.model.qos import PortQos
from netcheck.platforms.sonic.rendered.facts import any_said, device_qos, ordered_ports, uses_of
from netcheck.platforms.sonic.rendered.names import Use, shared_names

IntMap = FrozenMap[int, int]
ALL_PRIORITIES: Final = frozenset(range(8))


@dataclass(frozen=True, slots=True)
class MapKind:
    """One kind of map: SONiC's table, the port's field that binds it, our fact."""

    table: str
    binding: str
    fact: str

    def of(self, qos: PortQos) -> Known[IntMap]:
        """Give the map of a port; an empty one binds nothing, as redis keeps no empty object."""
        value: Known[IntMap] = getattr(qos, self.fact)
        return ABSENT if is_known(value) and not value else value


# Source: sonic-net/sonic-buildimage sonic-port-qos-map.yang.
DSCP_MAP: Final = MapKind("DSCP_TO_TC_MAP", "dscp_to_tc_map", "dscp_to_priority")
MAP_KINDS: Final = (
    DSCP_MAP,
    MapKind("DOT1P_TO_TC_MAP", "dot1p_to_tc_map", "pcp_to_priority"),
    MapKind("TC_TO_QUEUE_MAP", "tc_to_queue_map", "priority_to_queue"),
    MapKind("TC_TO_PRIORITY_GROUP_MAP", "tc_to_pg_map", "priority_to_priority_group"),
    MapKind("MAP_PFC_PRIORITY_TO_QUEUE", "pfc_to_queue_map", "pfc_priority_to_queue"),
    MapKind(
        "PFC_PRIORITY_TO_PRIORITY_GROUP_MAP", "pfc_to_pg_map", "pfc_priority_to_priority_group"
    ),
    MapKind("TC_TO_DSCP_MAP", "tc_to_dscp_map", "remark_dscp"),
)


@dataclass(frozen=True, slots=True)
class MapTable:
    """One table of maps; ``rows`` are (name, entries in order)."""

    name: str
    rows: list[tuple[str, dict[int, int]]]


@dataclass(frozen=True, slots=True)
class Binding:
    """One row of PORT_QOS_MAP: bound maps in order, and the PFC lists where they are said."""

    port: str
    maps: list[tuple[str, str]]
    pfc: str | None
    watchdog: str | None


def map_names(device: Device, kind: MapKind) -> dict[IntMap, str]:
    """Give the name of each map of one kind that the switch holds."""
    uses = uses_of(device, lambda port: _values(kind.of(port.qos)))
    if kind is DSCP_MAP:
        for value in _values(device_qos(device).dscp_to_priority):
            uses.setdefault(value, [Use()])
    return shared_names(uses)


def map_tables(device: Device) -> list[MapTable]:
    """Give the tables of maps that are said; one that nothing needs is there and empty."""
    tables = []
    for kind in MAP_KINDS:
        names = map_names(device, kind)
        is_said = any_said(device, lambda port, kind=kind: kind.of(port.qos))  # type: ignore[misc] # mypy cannot type a default in a lambda
        if names or is_said:
            rows = [(name, dict(sorted(value.items()))) for value, name in names.items()]
            tables.append(MapTable(kind.table, sorted(rows, key=lambda row: row[0])))
    return tables


def bindings(device: Device) -> list[Binding] | None:
    """Give the rows of PORT_QOS_MAP, ``global`` first; None when nothing of it is said."""
    names = {kind: map_names(device, kind) for kind in MAP_KINDS}
    rows = [
        *_global(device, names[DSCP_MAP]),
        *(_binding(port, names) for port in ordered_ports(device)),
    ]
    said = [row for row in rows if row is not None]
    is_map_absent = device_qos(device).dscp_to_priority is ABSENT
    return said if said or is_map_absent or any_said(device, _anything) else None


def _global(device: Device, names: dict[IntMap, str]) -> Iterator[Binding]:
    for value in _values(device_qos(device).dscp_to_priority):
        yield Binding("global", [(DSCP_MAP.binding, names[value])], None, None)


def _binding(port: Port, names: dict[MapKind, dict[IntMap, str]]) -> Binding | None:
    bound = [
        (kind.binding, names[kind][value])
        for kind in MAP_KINDS
        for value in _values(kind.of(port.qos))
    ]
    pfc, guarded = paused_priorities(port.qos), watched_priorities(port.qos)
    if not bound and pfc is None and guarded is None:
        return None
    return Binding(port.name, bound, pfc, guarded)


def _anything(port: Port) -> object:
    facts = [kind.of(port.qos) for kind in MAP_KINDS]
    facts += [port.qos.pfc_tx, port.qos.pfc_rx]  # type: ignore[list-item] # only compared with UNKNOWN
    return UNKNOWN if all(fact is UNKNOWN for fact in facts) else ABSENT


def _values(value: Known[IntMap]) -> Iterator[IntMap]:
    if is_known(value) and value:
        yield value


def paused_priorities(qos: PortQos) -> str | None:
    """Give ``pfc_enable``: the priorities for which the port sends PFC.

    An empty list switches PFC off; the field must not just be missing, since
    orchagent then leaves PFC as it was (sonic-net/sonic-swss#1055).
    """
    if qos.pfc_tx is UNKNOWN:
        return None
    return _listed(qos.pfc_tx if is_known(qos.pfc_tx) else frozenset())


def watched_priorities(qos: PortQos) -> str | None:
    """Give ``pfcwd_sw_enable``: the priorities that the watchdog guards."""
    if not is_known(qos.watchdog) or not is_known(qos.watchdog.priorities):
        return None
    return _listed(qos.watchdog.priorities)


def is_asymmetric(qos: PortQos) -> bool | None:
    """Tell whether ``pfc_asym`` has to be on: PFC is honoured for every priority.

    Source: sonic-net/sonic-swss orchagent/portsorch.cpp, setPortPfcAsym.
    """
    if not is_known(qos.pfc_rx) or not is_known(qos.pfc_tx):
        return None
    return qos.pfc_rx != qos.pfc_tx


def _listed(priorities: frozenset[int]) -> str:
    return ",".join(str(priority) for priority in sorted(priorities))
