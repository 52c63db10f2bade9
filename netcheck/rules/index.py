"""Ports by device and name: looked up without making a reference of each."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from operator import attrgetter
from typing import Generic, TypeVar

from netcheck.model.fabric import Fabric, PortRef

V = TypeVar("V")


class ByPort(Mapping[PortRef, V], Generic[V]):
    """A mapping from references to ports; ``here`` gives all of one device by port name."""

    __slots__ = ("_devices",)

    def __init__(self, items: Iterable[tuple[PortRef, V]] = ()) -> None:
        self._devices: defaultdict[str, dict[str, V]] = defaultdict(dict)
        for end, value in items:
            self._devices[end.device][end.port] = value

    def put(self, end: PortRef, value: V) -> None:
        """Set the value of a port."""
        self._devices[end.device][end.port] = value

    def here(self, device: str) -> Mapping[str, V]:
        """Give ``port name -> value`` of one device."""
        return self._devices.get(device, {})

    def by_device(self) -> Mapping[str, Mapping[str, V]]:
        """Give ``device -> port name -> value``."""
        return self._devices

    def __getitem__(self, end: PortRef) -> V:
        return self.here(end.device)[end.port]

    def __iter__(self) -> Iterator[PortRef]:
        return (PortRef(device, port) for device, here in self._devices.items() for port in here)

    def __len__(self) -> int:
        return sum(map(len, self._devices.values()))


def facts_of_ports(fabric: Fabric, fact: str) -> set[object]:
    """Give every value that a port of the fabric has for a fact."""
    value_of = attrgetter(fact)
    ports = (device.ports.values() for device in fabric.devices.values())
    return {value for each in ports for value in map(value_of, each)}
