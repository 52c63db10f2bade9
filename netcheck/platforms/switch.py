"""A switch as renderers see it: its ports in order, and which of them are alike.

Ports of one kind are written and judged alike but for their names, so that what
they hold is looked at once for each kind, however many ports there are.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from typing import Any, TypeVar

from netcheck.model.device import Device, Port
from netcheck.model.frozen import frozen
from netcheck.model.known import UNKNOWN
from netcheck.model.qos import DeviceQos

RowsT = TypeVar("RowsT")


@frozen
class Switch:
    """One switch and its kinds of ports.

    Attributes:
        qos: What holds for the whole switch (its first ASIC).
        ports: All ports, as they stand in a configuration.
        kinds: The first port of each kind, in the same order.
        kind_of: For each of ``ports``, which of ``kinds`` it is like.
    """

    device: Device
    qos: DeviceQos
    ports: tuple[Port, ...]
    kinds: tuple[Port, ...]
    kind_of: tuple[int, ...]

    @property
    def name(self) -> str:
        """Name of the switch."""
        return self.device.name

    def for_each_port(self, rows: Iterable[RowsT]) -> Iterator[tuple[Port, RowsT]]:
        """Yield every port with what its kind has; ``rows`` are in the order of ``kinds``."""
        found = tuple(rows)
        return ((port, found[kind]) for port, kind in zip(self.ports, self.kind_of, strict=True))

    def reduced(self) -> Switch:
        """Give the switch with one port of each kind."""
        return replace(self, ports=self.kinds, kind_of=tuple(range(len(self.kinds))))


def switch_of(device: Device, order: Callable[[str], Any]) -> Switch:  # Any: what can be compared
    """Give the view of a switch whose ports stand in this order of their names."""
    ports = tuple(device.ports[name] for name in sorted(device.ports, key=order))
    numbers: dict[tuple[object, ...], int] = {}
    kinds: list[Port] = []
    kind_of = []
    for one in ports:
        # ports share their policies, as objects
        key = (id(one.qos), one.policy, one.speed_bps, one.cable_m, one.l2_mtu, one.ip_mtu)
        number = numbers.setdefault(key, len(kinds))
        if number == len(kinds):
            kinds.append(one)
        kind_of.append(number)
    qos = next(iter(device.qos.values()), DeviceQos())
    return Switch(device, qos, ports, tuple(kinds), tuple(kind_of))


def any_said(switch: Switch, fact: Callable[[Port], object]) -> bool:
    """Tell whether a fact is said (a value or ABSENT) of any port."""
    return any(fact(port) is not UNKNOWN for port in switch.kinds)


def bare(port: Port) -> Port:
    """Give a port with no more than what its kind says, and no name: equal for many ports."""
    return Port(
        "",
        speed_bps=port.speed_bps,
        l2_mtu=port.l2_mtu,
        ip_mtu=port.ip_mtu,
        cable_m=port.cable_m,
        qos=port.qos,
    )
