"""How each port treats traffic: PORT_QOS_MAP, QUEUE, SCHEDULER, WRED_PROFILE, PFC_WD."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Final, TypeVar

from netcheck.model.device import Port
from netcheck.model.frozenmap import FrozenMap
from netcheck.model.known import ABSENT, UNKNOWN, Known, Missing, is_known
from netcheck.model.qos import (
    CongestionAction,
    DcbxMode,
    Ecn,
    PfcMode,
    PortQos,
    Scheduler,
    SchedulerKind,
    Trust,
    Watchdog,
    WatchdogAction,
)
from netcheck.platforms.sonic import quirks
from netcheck.platforms.sonic.parsed.buffers import Accounts
from netcheck.platforms.sonic.parsed.check import bare_name
from netcheck.platforms.sonic.parsed.tables import Row, Tables
from netcheck.platforms.sonic.parsed.values import (
    Book,
    Maps,
    RowsOfPorts,
    first_setting,
    number,
    priorities,
    reference,
    shared_text,
    text,
)

ValueT = TypeVar("ValueT")
ALL_PRIORITIES: Final = frozenset(range(8))
_ECN_GREEN: Final = frozenset({"ecn_all", "ecn_green", "ecn_green_yellow", "ecn_green_red"})
_BITS_OF_METER: Final = {"bytes": 8}
# field of the model: field of PORT_QOS_MAP, table that it names
_MAPS: Final = {
    "pcp_to_priority": ("dot1p_to_tc_map", "DOT1P_TO_TC_MAP"),
    "priority_to_queue": ("tc_to_queue_map", "TC_TO_QUEUE_MAP"),
    "priority_to_priority_group": ("tc_to_pg_map", "TC_TO_PRIORITY_GROUP_MAP"),
    "pfc_priority_to_queue": ("pfc_to_queue_map", "MAP_PFC_PRIORITY_TO_QUEUE"),
    "pfc_priority_to_priority_group": ("pfc_to_pg_map", "PFC_PRIORITY_TO_PRIORITY_GROUP_MAP"),
    "remark_dscp": ("tc_to_dscp_map", "TC_TO_DSCP_MAP"),
}


# facts of a port, and the fields of PORT_QOS_MAP that they are read from
_NOTED: Final = (
    ("pfc_tx", "pfc_enable"),
    ("pfc_rx", "pfc_enable"),
    ("dscp_to_priority", "dscp_to_tc_map"),
    *((fact, field_name) for fact, (field_name, _) in _MAPS.items()),
)
_OF_QUEUE: Final = (("scheduler", "scheduler"), ("ecn", "wred_profile"))


@dataclass(slots=True)
class PortPolicies:
    """Gives each port its ``PortQos``; ports that are alike share one."""

    tables: Tables
    accounts: Accounts
    book: Book
    maps: Maps = field(init=False)
    bindings: RowsOfPorts = field(init=False)
    queues: RowsOfPorts = field(init=False)
    watchdogs: RowsOfPorts = field(init=False)
    _shared: dict[PortQos, PortQos] = field(default_factory=dict)
    _ecn: dict[str, Ecn] = field(default_factory=dict)
    _read: dict[object, PortQos] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.maps = Maps(self.tables)
        self.bindings = RowsOfPorts(self.tables, "PORT_QOS_MAP")
        self.queues = RowsOfPorts(self.tables, "QUEUE")
        self.watchdogs = RowsOfPorts(self.tables, "PFC_WD")

    def read(self, port: Port, configured: Known[Row]) -> PortQos:
        """Give how a port treats traffic; ``configured`` is its row of PORT."""
        row = self.bindings.row(port.name)
        self._note(port.name, row)
        alike = self._signature(port, row, configured)
        found = self._read.get(alike)
        if found is None:
            defects = len(self.accounts.defects)
            qos = self._made(port, row, configured)
            found = self._shared.setdefault(qos, qos)
            if len(self.accounts.defects) == defects:  # defects name the port
                self._read[alike] = found
        return found

    def _signature(self, port: Port, row: Known[Row], configured: Known[Row]) -> object:
        """Equal for ports of which the tables say the same."""
        return (
            *(
                each if isinstance(each, Missing) else (id(each.texts), each.is_whole)
                for each in (row, self.watchdogs.row(port.name))
            ),
            configured if isinstance(configured, Missing) else configured.is_whole,
            text(configured, "PORT", "pfc_asym"),
            port.speed_bps,
            port.cable_m,
            self.queues.signature(port.name),
            self.accounts.groups.signature(port.name),
            self.accounts.queues.signature(port.name),
        )

    def _made(self, port: Port, row: Known[Row], configured: Known[Row]) -> PortQos:
        pfc = priorities(row, "pfc_enable")
        # CONFIG_DB has no field for it, and SAI leaves it off
        # (SAI_PORT_ATTR_GLOBAL_FLOW_CONTROL_MODE in opencomputeproject/SAI saiport.h)
        pauses: Known[bool] = False if is_known(configured) and configured.is_whole else UNKNOWN
        bound = partial(self._bound_map, row)
        return PortQos(
            trust=self._trust(row),
            dscp_to_priority=self.maps.find("DSCP_TO_TC_MAP", self._dscp_name(row)),
            pcp_to_priority=bound("pcp_to_priority"),
            priority_to_queue=bound("priority_to_queue"),
            priority_to_priority_group=bound("priority_to_priority_group"),
            pfc_priority_to_queue=bound("pfc_priority_to_queue"),
            pfc_priority_to_priority_group=bound("pfc_priority_to_priority_group"),
            remark_dscp=bound("remark_dscp"),
            pfc_tx=pfc,
            pfc_rx=_received(pfc, text(configured, "PORT", "pfc_asym")),
            pfc_mode=_pfc_mode(pfc),
            dcbx_mode=DcbxMode.DISABLED,  # community SONiC has no DCBX at all
            dcbx_willing=False,
            global_pause_rx=pauses,
            global_pause_tx=pauses,
            scheduler=self._schedulers(port.name),
            ecn=self._ecn_by_queue(port.name),
            ingress_buffer=self.accounts.ingress(port, pfc),
            egress_buffer=self.accounts.egress(port.name),
            watchdog=self._watchdog(port.name, row, pfc),
        )

    def read_ecn_profiles(self) -> Known[FrozenMap[str, Ecn]]:
        """Give all WRED profiles, bound or not."""
        table = self.tables.find("WRED_PROFILE")
        if isinstance(table, Missing):
            return table
        for name, row in table.rows.items():
            self.book.note(f"device ecn_profiles {name}", row)
        profiles = {name: self._ecn_profile(name) for name in table.rows}
        return FrozenMap(profiles) if table.is_whole or profiles else UNKNOWN

    def _note(self, port: str, row: Known[Row]) -> None:
        """Keep where everything was read that says how a port treats traffic."""
        place = f"port {port}"
        for fact, field_name in _NOTED:
            self.book.note_field(f"{place} {fact}", row, field_name)
        dscp = self._dscp_name(row)
        used = "dscp_to_tc_map" if is_known(dscp) else "dot1p_to_tc_map"
        self.book.note_field(f"{place} trust", row, used)
        mapped = UNKNOWN if isinstance(dscp, Missing) else self.tables.row("DSCP_TO_TC_MAP", dscp)
        if is_known(mapped) and is_known(self.maps.find("DSCP_TO_TC_MAP", dscp)):
            self.book.maps.append((f"{place} dscp_to_priority", mapped))
        self._note_queues(place, port)
        self.accounts.note(port)
        watchdog = self.watchdogs.row(port)
        if watchdog is UNKNOWN and is_known(priorities(row, "pfcwd_sw_enable")):
            # what it guards stands beside pfc_enable
            self.book.note_field(f"{place} watchdog", row, "pfcwd_sw_enable")
        self.book.note(f"{place} watchdog", watchdog)

    def _note_queues(self, place: str, port: str) -> None:
        rows = self.queues.indices(port)
        for queue, of_queue in () if isinstance(rows, Missing) else sorted(rows.items()):
            for fact, field_name in _OF_QUEUE:
                found = shared_text(of_queue, field_name)
                if found is ABSENT:
                    continue
                setting = first_setting(of_queue, field_name)
                at = of_queue[0] if isinstance(found, Missing) else setting.cells[field_name]
                self.book.note(f"{place} {fact} {queue}", at)
                self.book.note(f"{place} {fact}", at)

    def _bound_map(self, row: Known[Row], fact: str) -> Known[FrozenMap[int, int]]:
        field_name, table = _MAPS[fact]
        return self.maps.find(table, reference(row, "PORT_QOS_MAP", field_name))

    def _dscp_name(self, row: Known[Row]) -> Known[str]:
        """Map of the port; whether the map of the whole switch stands in is not documented."""
        own = reference(row, "PORT_QOS_MAP", "dscp_to_tc_map")
        if own is not ABSENT:
            return own
        for_all = self.tables.cell("PORT_QOS_MAP", "global", "dscp_to_tc_map")
        return UNKNOWN if is_known(for_all) and is_known(row) else ABSENT

    def _trust(self, row: Known[Row]) -> Known[Trust]:
        dscp = self._dscp_name(row)
        pcp = reference(row, "PORT_QOS_MAP", "dot1p_to_tc_map")
        if UNKNOWN in {dscp, pcp}:
            return UNKNOWN
        if is_known(dscp):
            return Trust.BOTH if is_known(pcp) else Trust.DSCP
        return Trust.PCP if is_known(pcp) else ABSENT

    def _schedulers(self, port: str) -> Known[FrozenMap[int, Scheduler]]:
        found = self._by_queue(port, "scheduler", self._scheduler)
        if isinstance(found, Missing):
            return found
        schedulers = {}
        for queue, scheduler in found.items():
            if scheduler is None:
                return UNKNOWN
            schedulers[queue] = scheduler
        return FrozenMap(schedulers) if schedulers else ABSENT

    def _scheduler(self, name: Known[str]) -> Scheduler | None:
        row = UNKNOWN if isinstance(name, Missing) else self.tables.row("SCHEDULER", name)
        kind = text(row, "SCHEDULER", "type")
        if not is_known(kind):
            return None
        weight = number(row, "SCHEDULER", "weight")
        strict = kind == "STRICT"
        return Scheduler(
            SchedulerKind.STRICT if strict else SchedulerKind.WEIGHTED,
            ABSENT if strict else _never_absent(weight),
            _shaper(row),
        )

    def _ecn_by_queue(self, port: str) -> Known[FrozenMap[int, Ecn]]:
        found = self._by_queue(port, "wred_profile", self._ecn_of)
        if isinstance(found, Missing):
            return found
        return FrozenMap(found) if found else ABSENT

    def _ecn_of(self, name: Known[str]) -> Ecn:
        return Ecn() if isinstance(name, Missing) else self._ecn_profile(name)

    def _by_queue(
        self, port: str, field_name: str, make: Callable[[Known[str]], ValueT]
    ) -> Known[Mapping[int, ValueT]]:
        rows = self.queues.indices(port)
        if isinstance(rows, Missing):
            return rows
        found = {}
        for queue, of_queue in sorted(rows.items()):
            name = shared_text(of_queue, field_name)
            if name is not ABSENT:
                found[queue] = make(name if isinstance(name, Missing) else bare_name(name))
        return found

    def _ecn_profile(self, name: str) -> Ecn:
        if name not in self._ecn:
            self._ecn[name] = _ecn(self.tables.row("WRED_PROFILE", name))
        return self._ecn[name]

    def _watchdog(
        self, port: str, binding: Known[Row], pfc: Known[frozenset[int]]
    ) -> Known[Watchdog]:
        row = self.watchdogs.row(port)
        guarded = priorities(binding, "pfcwd_sw_enable")
        if row is UNKNOWN and is_known(guarded):
            # its times are in a table that was not given
            return Watchdog(priorities=guarded)
        if isinstance(row, Missing):
            return row
        action = text(row, "PFC_WD", "action")
        if guarded is ABSENT and quirks.watchdog_follows_pfc(self.tables):
            guarded = pfc
        return Watchdog(
            detection_ms=number(row, "PFC_WD", "detection_time"),
            restoration_ms=number(row, "PFC_WD", "restoration_time"),
            action=action if isinstance(action, Missing) else WatchdogAction(action),
            priorities=guarded,
        )


def _received(pfc: Known[frozenset[int]], asymmetric: Known[str]) -> Known[frozenset[int]]:
    """Priorities whose pause frames are obeyed: all of them on an asymmetric port.

    Source: sonic-net/SONiC doc/pfc-asym (SAI asymmetric PFC: RX on for all priorities).
    """
    return ALL_PRIORITIES if asymmetric == "on" else pfc


def _pfc_mode(pfc: Known[frozenset[int]]) -> Known[PfcMode]:
    if pfc is UNKNOWN:
        return UNKNOWN
    return PfcMode.ON if is_known(pfc) and pfc else PfcMode.OFF


def _never_absent(value: Known[int]) -> Known[int]:
    return UNKNOWN if value is ABSENT else value


def _shaper(row: Known[Row]) -> Known[int]:
    rate = number(row, "SCHEDULER", "pir")
    if not is_known(rate):
        return rate
    meter = text(row, "SCHEDULER", "meter_type")
    bits = _BITS_OF_METER.get(str(meter))
    return UNKNOWN if bits is None else rate * bits


def _ecn(row: Known[Row]) -> Ecn:
    """Marking of green packets: all are green where nothing meters them."""
    if isinstance(row, Missing):
        return Ecn()
    marks = text(row, "WRED_PROFILE", "ecn")
    green = text(row, "WRED_PROFILE", "wred_green_enable")
    action: Known[CongestionAction] = UNKNOWN
    if marks is not UNKNOWN:
        action = CongestionAction.MARK if marks in _ECN_GREEN else CongestionAction.DROP
    return Ecn(
        kmin_bytes=number(row, "WRED_PROFILE", "green_min_threshold"),
        kmax_bytes=number(row, "WRED_PROFILE", "green_max_threshold"),
        pmax_percent=number(row, "WRED_PROFILE", "green_drop_probability"),
        action=action,
        is_active=UNKNOWN if green is UNKNOWN else green == "true",
    )
