"""Which fields of a switch the intent says anything of: only they may be changed or removed."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from netcheck.model.device import Device, Port
from netcheck.model.known import UNKNOWN, is_known
from netcheck.platforms.sonic.rendered.facts import device_qos
from netcheck.platforms.sonic.rendered.maps import MAP_KINDS

# table -> port -> fields; a port without any entry is not of the intent
Said = Mapping[str, Mapping[str, frozenset[str]]]

WATCHDOG_FIELDS: Final = frozenset({"action", "detection_time", "restoration_time"})


def said_of(device: Device) -> Said:
    """Give the fields of each port of which something is said, be it that they are absent.

    The rows of the whole switch, ``global`` and ``GLOBAL``, stand among the ports.
    """
    readers: dict[str, Callable[[Port], frozenset[str]]] = {
        "PORT_QOS_MAP": _bindings,
        "QUEUE": _queues,
        "BUFFER_PG": lambda port: _profile(port.qos.ingress_buffer),
        "BUFFER_QUEUE": lambda port: _profile(port.qos.egress_buffer),
        "PFC_WD": lambda port: WATCHDOG_FIELDS if _is_said(port.qos.watchdog) else frozenset(),
        "CABLE_LENGTH": lambda port: frozenset({port.name} if _is_said(port.cable_m) else ()),
    }
    said = {
        table: {name: reader(port) for name, port in device.ports.items()}
        for table, reader in readers.items()
    }
    switch = device_qos(device)
    if _is_said(switch.dscp_to_priority):
        said["PORT_QOS_MAP"]["global"] = frozenset({"dscp_to_tc_map"})
    if _is_said(switch.watchdog_poll_ms):
        said["PFC_WD"]["GLOBAL"] = frozenset({"POLL_INTERVAL"})
    return said


def _is_said(fact: object) -> bool:
    return fact is not UNKNOWN


def _profile(fact: object) -> frozenset[str]:
    return frozenset({"profile"}) if _is_said(fact) else frozenset()


def _bindings(port: Port) -> frozenset[str]:
    fields = {kind.binding for kind in MAP_KINDS if _is_said(kind.of(port.qos))}
    if _is_said(port.qos.pfc_tx):
        fields.add("pfc_enable")
    watchdog = port.qos.watchdog
    if _is_said(watchdog.priorities if is_known(watchdog) else watchdog):
        fields.add("pfcwd_sw_enable")
    return frozenset(fields)


def _queues(port: Port) -> frozenset[str]:
    facts = {"scheduler": port.qos.scheduler, "wred_profile": port.qos.ecn}
    return frozenset(field for field, fact in facts.items() if _is_said(fact))
