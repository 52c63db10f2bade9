"""What the tables of one switch are made of: its ports in order and its device-wide facts."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator
from dataclasses import dataclass, replace
from typing import TypeVar

from netcheck.model.device import Device, Port
from netcheck.model.known import UNKNOWN
from netcheck.model.qos import DeviceQos
from netcheck.platforms.sonic.rendered.names import Use, port_order

FactT = TypeVar("FactT", bound=Hashable)
RowsT = TypeVar("RowsT")


@dataclass(frozen=True, slots=True)
class Switch:
    """One switch as its tables see it.

    Ports of one kind have the same rows but for their names: what ports hold is
    looked at once for each kind.

    Attributes:
        qos: What holds for the whole switch.
        asics: Number of its ASICs.
        ports: All ports, as they stand in every table.
        kinds: The first port of each kind.
        kind_of: For each of ``ports``, which of ``kinds`` it is like.
    """

    name: str
    qos: DeviceQos
    asics: int
    ports: tuple[Port, ...]
    kinds: tuple[Port, ...]
    kind_of: tuple[int, ...]

    def for_each_port(self, rows: Iterable[RowsT]) -> Iterator[tuple[Port, RowsT]]:
        """Yield every port with what its kind has; ``rows`` are in the order of ``kinds``."""
        found = tuple(rows)
        return ((port, found[kind]) for port, kind in zip(self.ports, self.kind_of, strict=True))

    def reduced(self) -> Switch:
        """Give the switch with one port of each kind."""
        return replace(self, ports=self.kinds, kind_of=tuple(range(len(self.kinds))))


def switch_of(device: Device) -> Switch:
    """Give the tables' view of a switch."""
    ports = tuple(device.ports[name] for name in sorted(device.ports, key=port_order))
    numbers: dict[tuple[object, ...], int] = {}
    kinds: list[Port] = []
    kind_of = []
    for one in ports:
        # ports share their policies, as objects
        key = (id(one.qos), one.policy, one.speed_bps, one.cable_m, one.l2_mtu)
        number = numbers.setdefault(key, len(kinds))
        if number == len(kinds):
            kinds.append(one)
        kind_of.append(number)
    return Switch(
        device.name,
        device_qos(device),
        len(device.qos),
        ports,
        tuple(kinds),
        tuple(kind_of),
    )


def device_qos(device: Device) -> DeviceQos:
    """Give what holds for the whole switch (its first ASIC; `multi-asic` refuses more)."""
    return next(iter(device.qos.values()), DeviceQos())


def any_said(switch: Switch, fact: Callable[[Port], object]) -> bool:
    """Tell whether a fact is said (a value or ABSENT) of any port: its table is then whole."""
    return any(fact(port) is not UNKNOWN for port in switch.kinds)


def uses_of(switch: Switch, facts: Callable[[Port], Iterable[FactT]]) -> dict[FactT, list[Use]]:
    """Give for each content the kinds of places that need it, in the order of the ports."""
    uses: dict[FactT, list[Use]] = {}
    for port in switch.kinds:
        for content in facts(port):
            uses.setdefault(content, []).append(Use(port.policy, port.speed_bps))
    return uses
