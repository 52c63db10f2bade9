"""A device made of what its configuration and its live outputs say."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, replace
from typing import Any, Final

from netcheck.model.device import Device, Port
from netcheck.model.document import Evidence
from netcheck.model.frozenmap import FrozenMap
from netcheck.model.known import UNKNOWN, Known, first_known, is_known
from netcheck.model.qos import DeviceQos, PortQos
from netcheck.platforms.nxos.parsed.config import Config, watchdog_number
from netcheck.platforms.nxos.parsed.live import Live
from netcheck.platforms.nxos.parsed.ports import ConfiguredPorts
from netcheck.platforms.nxos.parsed.words import port_order
from netcheck.platforms.nxos.quirks import DEFAULT_INTERVAL_MS

_QOS_FACTS: Final = frozenset(each.name for each in fields(PortQos))
_FACTS: Final = _QOS_FACTS | {each.name for each in fields(Port)}


def build_device(name: str, config: Config, live: Live) -> Device:
    """Give the device of both; where both speak of a fact, the configuration wins."""
    configured = ConfiguredPorts(config)
    ports = {port.name: port for port in configured.ports()}
    evidence = dict(configured.evidence)
    for port_name, facts in live.ports.items():
        port = ports.get(port_name, Port(port_name))
        ports[port_name] = _with_live(port, facts, evidence)
    for fact, (_, where) in live.device.items():
        evidence.setdefault(f"device {fact}", where)
    if config.header is not None:
        evidence.setdefault("device", config.header.evidence)
    return Device(
        name,
        platform="nxos",
        os_version=config.version or _said(live, "os_version"),
        model=config.model or _said(live, "model"),
        boot_id=_said(live, "boot_id"),
        qos=FrozenMap({"": _device_qos(config, live, ports, evidence)}),
        ports=FrozenMap({each: ports[each] for each in sorted(ports, key=port_order)}),
        counters=FrozenMap(live.counters) if live.is_counted else UNKNOWN,
        evidence=FrozenMap({**live.evidence, **evidence}),
        defects=(*config.defects, *configured.defects, *live.defects),
        unread=(*config.unread, *live.unread),
        is_whole=config.is_whole,
    )


def _said(live: Live, fact: str) -> Any:  # Any: facts are of every kind
    return live.device.get(fact, (UNKNOWN, None))[0]


def _with_live(
    port: Port, facts: Mapping[str, tuple[Any, Evidence]], evidence: dict[str, Evidence]
) -> Port:  # Any: as above
    """Give the port with live facts where the configuration says nothing."""
    plain: dict[str, Any] = {}
    qos: dict[str, Any] = {}
    for fact, (value, where) in facts.items():
        there, found = (port.qos, qos) if fact in _QOS_FACTS else (port, plain)
        if fact not in _FACTS or getattr(there, fact) is not UNKNOWN:
            continue
        found[fact] = value
        evidence[f"port {port.name} {fact}"] = where
    if qos:
        plain["qos"] = replace(port.qos, **qos)
    return replace(port, **plain) if plain else port


def _device_qos(
    config: Config, live: Live, ports: Mapping[str, Port], evidence: dict[str, Evidence]
) -> DeviceQos:
    line = config.watchdog.get("interval")
    if line is not None:
        evidence["device watchdog_poll_ms"] = line.evidence
    said = watchdog_number(config, "interval")
    poll: Known[int] = UNKNOWN if said is None else said
    if said is None and config.is_whole:
        poll = DEFAULT_INTERVAL_MS
    return DeviceQos(
        is_headroom_computed=_is_computed(ports),
        watchdog_poll_ms=first_known(poll, _said(live, "watchdog_poll_ms")),
    )


def _is_computed(ports: Mapping[str, Port]) -> Known[bool]:
    """The switch sizes the accounts itself where no policy states pauses; UNKNOWN without any."""
    accounts = [
        account
        for port in ports.values()
        if is_known(port.qos.ingress_buffer) and is_known(port.qos.pfc_tx) and port.qos.pfc_tx
        for account in port.qos.ingress_buffer.values()
    ]
    if not accounts:
        return UNKNOWN
    return any(account.is_computed is True for account in accounts)
