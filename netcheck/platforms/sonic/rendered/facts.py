"""What the tables of one switch are made of: its ports in order and its device-wide facts."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterator
from dataclasses import replace
from typing import TypeVar

from netcheck.model.device import Device, Port
from netcheck.model.frozenmap import FrozenMap
from netcheck.model.known import UNKNOWN
from netcheck.model.qos import DeviceQos
from netcheck.platforms.sonic.rendered.names import Use, port_order

FactT = TypeVar("FactT", bound=Hashable)


def device_qos(device: Device) -> DeviceQos:
    """Give what holds for the whole switch (its first ASIC; `multi-asic` refuses more)."""
    return next(iter(device.qos.values()), DeviceQos())


def ordered_ports(device: Device) -> list[Port]:
    """Give the ports as they stand in every table."""
    return [device.ports[name] for name in sorted(device.ports, key=port_order)]


def with_distinct_ports(device: Device) -> Device:
    """Give the switch with one port of each kind: same policy, speed, cable and MTU."""
    kinds = {
        (one.qos, one.speed_bps, one.cable_m, one.l2_mtu): one for one in device.ports.values()
    }
    return replace(device, ports=FrozenMap({one.name: one for one in kinds.values()}))


def any_said(device: Device, fact: Callable[[Port], object]) -> bool:
    """Tell whether a fact is said (a value or ABSENT) of any port: its table is then whole."""
    return any(fact(port) is not UNKNOWN for port in device.ports.values())


def uses_of(device: Device, facts: Callable[[Port], Iterator[FactT]]) -> dict[FactT, list[Use]]:
    """Give for each content the places that need it, in the order of the ports."""
    uses: dict[FactT, list[Use]] = defaultdict(list)
    for port in ordered_ports(device):
        for content in facts(port):
            uses[content].append(Use(port.policy, port.speed_bps))
    return uses
