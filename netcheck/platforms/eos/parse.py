"""EOS texts into a device. Parse says what the given texts say, and no more."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from netcheck.model.device import Defect, DefectKind, Device, Port
from netcheck.model.document import Document, Evidence
from netcheck.model.frozenmap import FrozenMap
from netcheck.model.known import UNKNOWN, first_known, is_known
from netcheck.model.qos import DeviceQos, PortQos
from netcheck.platforms.eos.parsed.config import Config, read_config
from netcheck.platforms.eos.parsed.counts import (
    BY_FIELD,
    READERS,
    Counts,
    Json,
    read_interface_counters,
    read_queue_table,
    rows_of,
)
from netcheck.platforms.eos.parsed.forms import Form, form_of, is_config, load_json
from netcheck.platforms.eos.parsed.outputs import (
    Live,
    read_ecn,
    read_interfaces,
    read_maps,
    read_neighbours,
    read_pfc,
    read_version,
    with_live_maps,
)
from netcheck.platforms.eos.parsed.ports import PortReader
from netcheck.platforms.eos.parsed.tree import Source


@dataclass(slots=True)
class _Reading:
    """Everything that was read of one device."""

    config: Config = field(default_factory=Config)
    live: Live = field(default_factory=Live)
    counts: Counts = field(default_factory=Counts)
    defects: list[Defect] = field(default_factory=list)
    unread: list[Evidence] = field(default_factory=list)


def parse(documents: Sequence[Document], *, name: str) -> Device:
    """Give what one device's documents (of one reading) say. Never raises on content."""
    reading = _Reading()
    for document in documents:
        _read(document, reading)
    return _device(reading, name)


def _read(document: Document, reading: _Reading) -> None:
    source = Source(document)
    if document.text.lstrip()[:1] == "{":
        _read_json(source, reading)
        return
    form = form_of(document)
    if form is Form.CONFIG or (form is None and is_config(document.text)):
        read_config(source, reading.config)
    elif form in _TABLES:
        _TABLES[form](source, reading)
    elif not document.text.strip():
        _tell(source, reading, "is empty; what it would say is unknown")
    else:
        reading.unread.append(source.at(0))


def _read_json(source: Source, reading: _Reading) -> None:
    data = load_json(source.document.text)
    if not isinstance(data, Mapping):
        _tell(source, reading, "is broken off or no JSON; what it would say is unknown")
        return
    form = form_of(source.document, data)
    if form is Form.VERSION:
        read_version(data, source, reading.live)
    elif form is Form.NEIGHBOURS:
        read_neighbours(data, source, reading.live)
    elif form is Form.INTERFACES:
        read_interfaces(data, source, reading.live)
        read_interface_counters(data, source, reading.counts)
    elif form is Form.COUNTERS:
        _read_counters(data, source, reading.counts)
    elif "errors" in data:
        _tell(source, reading, "holds an error of the switch; what it would say is unknown")
    elif data.get("interfaces") != {}:
        reading.unread.append(source.at(0))


def _read_counters(data: Json, source: Source, counts: Counts) -> None:
    for name, reader in READERS:
        if name in data:
            reader(data, source, counts)
            return
    rows = [row for _, row in rows_of(data.get("interfaces"))]
    for name, reader in BY_FIELD:
        if any(name in row for row in rows):
            reader(data, source, counts)
            return


def _tell(source: Source, reading: _Reading, what: str) -> None:
    document = source.document
    reading.defects.append(
        Defect(
            DefectKind.MALFORMED_VALUE,
            document.name,
            f"{document.name} {what}",
            evidence=source.at(0),
        )
    )


def _device(reading: _Reading, name: str) -> Device:
    config, live, counts = reading.config, reading.live, reading.counts
    reader = PortReader(config)
    ports = {port.name: port for port in reader.ports()}
    for one in live.ports:
        ports[one] = _merged(ports.get(one), live.ports[one])
    if live.dscp_map is not UNKNOWN and not config.is_given:
        ports = {one: with_live_maps(port, live) for one, port in ports.items()}
    evidence = {**live.evidence, **counts.evidence, **reader.evidence}
    if config.is_given:
        evidence["device"] = config.at
    return Device(
        name,
        platform="eos",
        model=first_known(live.model, config.model or UNKNOWN),
        os_version=first_known(live.os_version, config.version or UNKNOWN),
        boot_id=live.boot_id,
        qos=FrozenMap({"": _device_qos(config, live)}),
        ports=FrozenMap(ports),
        counters=FrozenMap(counts.counters) if counts.is_given else UNKNOWN,
        evidence=FrozenMap(evidence),
        defects=(*reading.defects, *config.defects, *reader.defects),
        unread=tuple(reading.unread),
        is_whole=config.is_whole,
    )


def _merged(configured: Port | None, live: Port) -> Port:
    """What is configured, with what only live outputs tell."""
    if configured is None:
        return live
    qos = PortQos(
        **{
            fact: first_known(getattr(configured.qos, fact), getattr(live.qos, fact))
            for fact in PortQos.__dataclass_fields__
        }
    )
    return replace(
        configured,
        operational_speed_bps=live.operational_speed_bps,
        link_state=live.link_state,
        speed_bps=first_known(configured.speed_bps, live.speed_bps),
        neighbour=live.neighbour,
        ip_mtu=first_known(configured.ip_mtu, live.ip_mtu),
        l2_mtu=first_known(configured.l2_mtu, live.l2_mtu),
        admin_state=first_known(configured.admin_state, live.admin_state),
        qos=qos,
    )


def _device_qos(config: Config, live: Live) -> DeviceQos:
    poll = config.watchdog.get("polling-interval")
    return DeviceQos(
        is_headroom_computed=True if config.is_given else UNKNOWN,
        watchdog_poll_ms=poll.value if poll and isinstance(poll.value, int) else UNKNOWN,
        dscp_to_priority=live.dscp_map if is_known(live.dscp_map) else UNKNOWN,
    )


_TABLES: Final[Mapping[Form | None, Callable[[Source, _Reading], None]]] = {
    Form.PFC: lambda source, reading: read_pfc(source, reading.live),
    Form.ECN: lambda source, reading: read_ecn(source, reading.live),
    Form.MAPS: lambda source, reading: read_maps(source, reading.live),
    Form.QUEUES: lambda source, reading: read_queue_table(source, reading.counts),
}
