"""One device out of its tables."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Final

from netcheck.model.device import AdminState, Defect, Device, LinkLayer, Neighbour, Port
from netcheck.model.document import Evidence
from netcheck.model.frozenmap import FrozenMap, LazyMap
from netcheck.model.known import ABSENT, UNKNOWN, Known, Missing, first_known, is_known
from netcheck.model.qos import DeviceQos, HeadroomRow
from netcheck.platforms.sonic.parsed.buffers import Accounts, read_pools
from netcheck.platforms.sonic.parsed.check import check_tables
from netcheck.platforms.sonic.parsed.counters import Counts, read_counters
from netcheck.platforms.sonic.parsed.keys import port_order
from netcheck.platforms.sonic.parsed.port_qos import PortPolicies
from netcheck.platforms.sonic.parsed.schema import UINT64, number_in
from netcheck.platforms.sonic.parsed.tables import Database, Row, Tables, text_of
from netcheck.platforms.sonic.parsed.values import Book, number, only_row, reference, text

_MBPS: Final = 1_000_000
_APPLIED: Final = ("BUFFER_POOL", "BUFFER_PROFILE", "BUFFER_PG", "BUFFER_QUEUE")
# Keys of PORT_TABLE in APPL_DB and names among counters that are no ports.
_NO_PORTS: Final = frozenset({"", "PortConfigDone", "PortInitDone", "eth0", "CPU"})
_PORT_TABLES: Final = (
    "PORT_QOS_MAP",
    "PFC_WD",
    "BUFFER_PORT_INGRESS_PROFILE_LIST",
    "BUFFER_PORT_EGRESS_PROFILE_LIST",
)


@dataclass(slots=True)
class Reading:
    """All that one device's documents say, before it is made a device.

    Attributes:
        headroom: Rows of the lookup table; UNKNOWN where it was not given or is damaged.
    """

    tables: Tables = field(default_factory=Tables)
    counts: Counts = field(default_factory=Counts)
    headroom: Known[tuple[HeadroomRow, ...]] = UNKNOWN
    headroom_evidence: Evidence = field(default_factory=Evidence)
    os_version: Known[str] = UNKNOWN
    boot_id: Known[str] = UNKNOWN
    logged: list[Defect] = field(default_factory=list)


def build_device(reading: Reading, name: str) -> Device:
    """Give the device that the tables describe."""
    tables = reading.tables
    _use_applied_tables(tables)
    book = Book()
    if is_known(reading.headroom):
        book.note("device headroom_table", reading.headroom_evidence)
    accounts = Accounts(tables, reading.headroom, book)
    policies = PortPolicies(tables, accounts, book)
    read_counters(tables, reading.counts)
    names = _port_names(tables, policies, reading.counts)
    ports = {port: _port(port, tables, policies, book) for port in names}
    metadata = tables.row("DEVICE_METADATA", "localhost")
    qos = _device_qos(reading, accounts, policies, book)
    defects = [*tables.defects, *check_tables(tables), *accounts.defects, *reading.logged]
    book.note("device", metadata)
    return Device(
        name=name,
        platform="sonic",
        variant=_variant(tables),
        model=_plain(metadata, "hwsku"),
        os_version=reading.os_version,
        boot_id=reading.boot_id,
        qos=FrozenMap({"": qos}),
        ports=FrozenMap(ports),
        counters=FrozenMap(reading.counts.counters) if reading.counts.is_given else UNKNOWN,
        evidence=LazyMap(partial(_evidence, reading.counts, book)),
        defects=tuple(dict.fromkeys(defects)),
        unread=tuple(dict.fromkeys(tables.unread)),
        is_whole=tables.is_whole and not tables.is_damaged,
    )


def _evidence(counts: Counts, book: Book) -> dict[str, Evidence]:
    of_counters = Book()
    of_counters.places = counts.seen
    return {**of_counters.evidence(), **book.evidence()}


def _use_applied_tables(tables: Tables) -> None:
    """Read what the device applied wherever the configuration does not say it."""
    for name in _APPLIED:
        applied = tables.tables.get((Database.APPL, name))
        if applied is None:
            continue
        configured = tables.tables.get((Database.CONFIG, name))
        merged = applied if configured is None else configured.merged(applied)
        tables.tables[Database.CONFIG, name] = merged


def _port_names(tables: Tables, policies: PortPolicies, counts: Counts) -> list[str]:
    """Ports of the PORT table; where it is not given, every port that is named."""
    table = tables.find("PORT")
    if not isinstance(table, Missing) and table.is_whole:
        names: set[str] = set(table.rows)
    else:
        names = {row.key for row in tables.rows("PORT")} | _named_ports(tables, policies, counts)
    return sorted(names, key=port_order)


def _named_ports(tables: Tables, policies: PortPolicies, counts: Counts) -> set[str]:
    accounts = policies.accounts
    names = {
        port
        for rows in (policies.queues, policies.bindings, policies.watchdogs)
        for port in rows.ports
    }
    names.update(accounts.groups.ports, accounts.queues.ports)
    for table in _PORT_TABLES[2:]:
        names.update(row.key for row in tables.rows(table))
    for row in tables.rows("CABLE_LENGTH"):
        names.update(row.texts)
    for database in (Database.APPL, Database.STATE):
        names.update(row.key for row in tables.rows("PORT", database))
    names.update(row.key for row in tables.rows("LLDP_ENTRY", Database.APPL))
    names.update(key.port for key in counts.counters)
    return {name for name in names if name not in _NO_PORTS}


def _port(name: str, tables: Tables, policies: PortPolicies, book: Book) -> Port:
    row = tables.row("PORT", name)
    live = tables.row("PORT", name, Database.APPL)
    _note_port(name, tables, row, live, book)
    cable = _cable(name, tables, book)
    speed = first_known(number(row, "PORT", "speed"), number(live, "PORT", "speed"))
    mtu = first_known(number(row, "PORT", "mtu"), number(live, "PORT", "mtu"))
    state = _state(_plain(live, "oper_status"))
    port = Port(
        name=name,
        alias=first_known(_plain(row, "alias"), _plain(live, "alias")),
        speed_bps=speed * _MBPS if is_known(speed) else UNKNOWN,
        operational_speed_bps=_operational_speed(name, tables, live, state),
        lanes=_lanes(first_known(text(row, "PORT", "lanes"), text(live, "PORT", "lanes"))),
        fec=first_known(_plain(row, "fec"), _plain(live, "fec")),
        autoneg=_truth(text(row, "PORT", "autoneg")),
        # a port without mtu runs with the default of its release: not stated anywhere
        l2_mtu=UNKNOWN if mtu is ABSENT else mtu,
        cable_m=cable,
        max_headroom_bytes=_limit(tables, name, "max_headroom_size"),
        admin_state=_state(first_known(_plain(row, "admin_status"), _plain(live, "admin_status"))),
        link_state=UNKNOWN if state is ABSENT else state,
        link_layer=LinkLayer.ETHERNET,
        neighbour=_neighbour(name, tables, book),
        policy=ABSENT if _is_inactive(name, policies) else UNKNOWN,
        aggregate=_aggregate(name, tables),
    )
    return replace(port, qos=policies.read(port, row))


def _note_port(name: str, tables: Tables, row: Known[Row], live: Known[Row], book: Book) -> None:
    at = live if isinstance(row, Missing) else row
    book.note(f"port {name}", at)
    for fact, field_name in (("speed_bps", "speed"), ("l2_mtu", "mtu"), ("fec", "fec")):
        _note_cell(book, f"port {name} {fact}", at, field_name)
    binding = tables.row("PORT_QOS_MAP", name)
    book.note(f"port {name}", binding)
    _note_cell(book, f"port {name} link_state", live, "oper_status")


def _note_cell(book: Book, place: str, row: Known[Row], field_name: str) -> None:
    if not isinstance(row, Missing) and field_name in row.texts:
        book.note(place, row.cells[field_name])


def _cable(name: str, tables: Tables, book: Book) -> Known[int]:
    row = only_row(tables, "CABLE_LENGTH")
    found = text(row, "CABLE_LENGTH", name)
    _note_cell(book, f"port {name} cable_m", row, name)
    return found if isinstance(found, Missing) else int(found.removesuffix("m"))


def _plain(row: Known[Row], field_name: str) -> Known[str]:
    return row if isinstance(row, Missing) else text_of(row, field_name)


def _state(word: Known[str]) -> Known[AdminState]:
    if word in {"up", "down"}:
        return AdminState(str(word))
    return ABSENT if word is ABSENT else UNKNOWN


def _truth(word: Known[str]) -> Known[bool]:
    return word if isinstance(word, Missing) else word == "on"


def _lanes(word: Known[str]) -> Known[int]:
    return word if isinstance(word, Missing) else len(word.split(","))


def _operational_speed(
    name: str, tables: Tables, live: Known[Row], state: Known[AdminState]
) -> Known[int]:
    """Speed of a link that is up; a link that is down has none."""
    if state is AdminState.DOWN:
        return ABSENT
    speed = number(tables.row("PORT", name, Database.STATE), "PORT", "speed")
    if state is AdminState.UP and not is_known(speed):
        speed = number(live, "PORT", "speed")
    return speed * _MBPS if is_known(speed) else UNKNOWN


def _neighbour(name: str, tables: Tables, book: Book) -> Known[Neighbour]:
    """Who LLDP shows; a port without an entry may still have a silent neighbour."""
    row = tables.row("LLDP_ENTRY", name, Database.APPL)
    if isinstance(row, Missing):
        return UNKNOWN
    book.note(f"port {name} neighbour", row)
    device, port = _plain(row, "lldp_rem_sys_name"), _plain(row, "lldp_rem_port_id")
    if not (is_known(device) and is_known(port) and device and port):
        return UNKNOWN
    return Neighbour(device, port)


def _aggregate(name: str, tables: Tables) -> Known[str]:
    table = tables.find("PORTCHANNEL_MEMBER")
    if isinstance(table, Missing):
        return table
    for key in table.rows:
        channel, _, member = key.rpartition("|")
        if member == name:
            return channel
    return ABSENT if table.is_whole else UNKNOWN


def _is_inactive(name: str, policies: PortPolicies) -> bool:
    """An unused port: no QoS binding, and profiles that take away all its buffer."""
    if policies.bindings.row(name) is not ABSENT:
        return False
    names = _bound_profiles(name, policies.accounts)
    return bool(names) and all(policies.accounts.profiles.is_zero(profile) for profile in names)


def _bound_profiles(name: str, accounts: Accounts) -> set[str]:
    """Names of the buffer profiles that a port's priority groups and queues are bound to."""
    found: set[str] = set()
    for table, rows in (("BUFFER_PG", accounts.groups), ("BUFFER_QUEUE", accounts.queues)):
        of_port = rows.indices(name)
        for of_index in () if isinstance(of_port, Missing) else of_port.values():
            profiles = (reference(row, table, "profile") for row in of_index)
            found.update(profile for profile in profiles if is_known(profile))
    return found


def _variant(tables: Tables) -> Known[str]:
    """Enterprise SONiC keeps its RoCE switch in the table SWITCH."""
    roce = tables.cell("SWITCH", "switch", "roce_enable")
    if is_known(roce):
        return "enterprise"
    return "community" if tables.is_whole else UNKNOWN


def _device_qos(
    reading: Reading, accounts: Accounts, policies: PortPolicies, book: Book
) -> DeviceQos:
    tables = reading.tables
    model = text(tables.row("DEVICE_METADATA", "localhost"), "DEVICE_METADATA", "buffer_model")
    pattern = only_row(tables, "LOSSLESS_TRAFFIC_PATTERN")
    default = only_row(tables, "DEFAULT_LOSSLESS_BUFFER_PARAMETER")
    watchdog = tables.row("PFC_WD", "GLOBAL")
    switch_map = reference(tables.row("PORT_QOS_MAP", "global"), "PORT_QOS_MAP", "dscp_to_tc_map")
    for fact, row in (
        ("lossless_mtu_bytes", pattern),
        ("oversubscription", default),
        ("watchdog_poll_ms", watchdog),
    ):
        book.note(f"device {fact}", row)
    return DeviceQos(
        pools=read_pools(tables, book),
        oversubscription=number(
            default, "DEFAULT_LOSSLESS_BUFFER_PARAMETER", "over_subscribe_ratio"
        ),
        is_headroom_computed=model == "dynamic" if is_known(model) else UNKNOWN,
        headroom_table=reading.headroom,
        lossless_mtu_bytes=number(pattern, "LOSSLESS_TRAFFIC_PATTERN", "mtu"),
        small_packet_percent=number(pattern, "LOSSLESS_TRAFFIC_PATTERN", "small_packet_percentage"),
        lossless_alpha_exponent=number(
            default, "DEFAULT_LOSSLESS_BUFFER_PARAMETER", "default_dynamic_th"
        ),
        watchdog_poll_ms=number(watchdog, "PFC_WD", "POLL_INTERVAL"),
        dscp_to_priority=policies.maps.find("DSCP_TO_TC_MAP", switch_map),
        counters_enabled=_enabled_counters(tables),
        buffer_profiles=accounts.profiles.read_all(book),
        ecn_profiles=policies.read_ecn_profiles(),
        mmu_bytes=_limit(tables, "global", "mmu_size"),
    )


def _limit(tables: Tables, key: str, field_name: str) -> Known[int]:
    """A limit that the device states in BUFFER_MAX_PARAM_TABLE."""
    found = _plain(tables.row("BUFFER_MAX_PARAM", key, Database.STATE), field_name)
    if isinstance(found, Missing):
        return UNKNOWN
    return int(found) if number_in(found, 0, UINT64) else UNKNOWN


def _enabled_counters(tables: Tables) -> Known[frozenset[str]]:
    table = tables.find("FLEX_COUNTER_TABLE")
    if isinstance(table, Missing):
        return table
    return frozenset(_enabled(table.rows.values()))


def _enabled(rows: Iterable[Row]) -> Iterable[str]:
    for row in rows:
        if text(row, "FLEX_COUNTER_TABLE", "FLEX_COUNTER_STATUS") == "enable":
            yield row.key
