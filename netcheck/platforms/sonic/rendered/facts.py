"""What the tables of one switch are made of, and who needs what."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from typing import TypeVar

from netcheck.model.device import Device, Port
from netcheck.model.qos import DeviceQos
from netcheck.platforms.sonic.rendered.names import Use
from netcheck.platforms.switch import Switch

FactT = TypeVar("FactT", bound=Hashable)


def device_qos(device: Device) -> DeviceQos:
    """Give what holds for the whole switch (its first ASIC; `multi-asic` refuses more)."""
    return next(iter(device.qos.values()), DeviceQos())


def uses_of(switch: Switch, facts: Callable[[Port], Iterable[FactT]]) -> dict[FactT, list[Use]]:
    """Give for each content the kinds of places that need it, in the order of the ports."""
    uses: dict[FactT, list[Use]] = {}
    for port in switch.kinds:
        for content in facts(port):
            uses.setdefault(content, []).append(Use(port.policy, port.speed_bps))
    return uses
