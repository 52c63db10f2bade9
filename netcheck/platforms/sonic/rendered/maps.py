"""Maps and their binding to ports: model to variables of ``maps.j2`` and ``bindings.j2``."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from netcheck.model.device import Port
from netcheck.model.frozen import frozen
from netcheck.model.frozenmap import FrozenMap
from netcheck.model.known import ABSENT, UNKNOWN, Known, is_known
from netcheck.model.qos import PortQos
from netcheck.platforms.sonic.rendered.facts import uses_of
from netcheck.platforms.sonic.rendered.names import Use, shared_names
from netcheck.platforms.switch import Switch, any_said

IntMap = FrozenMap[int, int]
ALL_PRIORITIES: Final = frozenset(range(8))


@frozen
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


@frozen
class MapTable:
    """One table of maps; ``rows`` are (name, entries in order)."""

    name: str
    rows: list[tuple[str, dict[int, int]]]


@frozen
class Binding:
    """One row of PORT_QOS_MAP: bound maps in order, and the PFC lists where they are said."""

    maps: tuple[tuple[str, str], ...]
    pfc: str | None = None
    watchdog: str | None = None


# kind of map -> map -> its name on the switch
MapNames = Mapping[MapKind, Mapping[IntMap, str]]


def map_names(switch: Switch) -> MapNames:
    """Give the name of each map that the switch holds."""
    return {kind: _names_of(switch, kind) for kind in MAP_KINDS}


def _names_of(switch: Switch, kind: MapKind) -> dict[IntMap, str]:
    uses = uses_of(switch, lambda port: _values(kind.of(port.qos)))
    if kind is DSCP_MAP:
        for value in _values(switch.qos.dscp_to_priority):
            uses.setdefault(value, [Use()])
    return shared_names(uses)


def map_tables(switch: Switch, names: MapNames) -> list[MapTable]:
    """Give the tables of maps that are said; one that nothing needs is there and empty."""
    tables = []
    for kind in MAP_KINDS:
        if names[kind] or any(kind.of(port.qos) is not UNKNOWN for port in switch.kinds):
            rows = [(name, dict(sorted(value.items()))) for value, name in names[kind].items()]
            tables.append(MapTable(kind.table, sorted(rows, key=lambda row: row[0])))
    return tables


def is_binding_said(switch: Switch) -> bool:
    """Tell whether anything of PORT_QOS_MAP is said; the table is then whole."""
    of_switch = switch.qos.dscp_to_priority
    return (
        of_switch is ABSENT
        or bool(_values(of_switch))
        or any_said(switch, _anything)
        or any(watched_priorities(port.qos) is not None for port in switch.kinds)
    )


def global_binding(switch: Switch, names: MapNames) -> Binding | None:
    """Give the row ``global`` of PORT_QOS_MAP; None where the whole switch has no map."""
    for value in _values(switch.qos.dscp_to_priority):
        return Binding(((DSCP_MAP.binding, names[DSCP_MAP][value]),))
    return None


def binding(port: Port, names: MapNames) -> Binding | None:
    """Give the row of a port of PORT_QOS_MAP; None where nothing of it is said."""
    bound = tuple(
        (kind.binding, names[kind][value])
        for kind in MAP_KINDS
        for value in _values(kind.of(port.qos))
    )
    pfc, guarded = paused_priorities(port.qos), watched_priorities(port.qos)
    if not bound and pfc is None and guarded is None:
        return None
    return Binding(bound, pfc, guarded)


def _anything(port: Port) -> object:
    qos = port.qos
    if qos.pfc_tx is not UNKNOWN or qos.pfc_rx is not UNKNOWN:
        return ABSENT
    return UNKNOWN if all(kind.of(qos) is UNKNOWN for kind in MAP_KINDS) else ABSENT


def _values(value: Known[IntMap]) -> tuple[IntMap, ...]:
    return (value,) if is_known(value) and value else ()


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
