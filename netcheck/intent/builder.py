"""Devices as the intent states them; what several have in common is read once."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import NamedTuple

from netcheck.intent.devices import EXPANDED, read_device, read_port, read_rdma, with_rdma
from netcheck.intent.fields import Fields, Layer
from netcheck.intent.likeness import port_like
from netcheck.intent.ranges import Pattern, bind
from netcheck.intent.sharing import Placed, Running, SharedPorts, is_plain
from netcheck.intent.units import checked_address
from netcheck.model.device import Device, Port, RdmaDevice
from netcheck.model.document import Evidence
from netcheck.model.frozenmap import FrozenMap
from netcheck.model.known import Known, first_known

ADDRESS_ALONE = frozenset({"address"})
NO_RDMA: FrozenMap[str, RdmaDevice] = FrozenMap()


class Builder:
    """Builds the devices of one intent."""

    def __init__(self) -> None:
        self._ports = SharedPorts(read_port)
        self._sections: dict[int, _Section] = {}
        self._adapters = _Adapters()
        self._first: dict[object, Device | None] = {}

    def device(self, name: str, fields: Fields, fallback: Known[str]) -> Device:
        """Give one device; ``fallback`` is the fabric's policy."""
        policy = first_known(fields.name("policy"), fallback)
        section = self._section(self._ports.of(fields.child("ports"), policy))
        adapters = self._adapters.of(fields.child("rdma"), policy)
        parts = _Parts(
            FrozenMap(_with_ports(section.ports, adapters)) if adapters else section.ports,
            FrozenMap({one.rdma.name: one.rdma for one in adapters}) if adapters else NO_RDMA,
            FrozenMap({**_evidence(adapters), **section.evidence, "device": fields.at}),
        )
        return self._with_parts(name, fields, parts)

    def _section(self, placed: dict[str, Placed]) -> _Section:
        found = self._sections.get(id(placed))
        if found is None:
            found = self._sections[id(placed)] = _Section(placed)
        return found

    def _with_parts(self, name: str, fields: Fields, parts: _Parts) -> Device:
        """A device with these parts; of those in one range all but one are made like the first."""
        key = tuple([id(layer.node) for layer in fields.layers])
        like = self._first.get(key)
        if like is not None:
            return replace(like, name=name, mgmt=fields.text("mgmt"), **parts._asdict())
        found = read_device(name, fields, *parts)
        if key not in self._first:
            self._first[key] = found if _differ_by_address(fields.layers) else None
        return found


class _Parts(NamedTuple):
    """What a device has, and where the intent says so."""

    ports: FrozenMap[str, Port]
    rdma: FrozenMap[str, RdmaDevice]
    evidence: FrozenMap[str, Evidence]


def _differ_by_address(layers: Iterable[Layer]) -> bool:
    """Whether the devices of a range differ in their management address and parts alone."""
    own = {"mgmt", *EXPANDED}
    return all(
        is_plain(node)
        for layer in layers
        for key, node in layer.node.mapping.items()
        if key not in own
    )


class _Section:
    """The ports that a section states, with their places; it keeps ``placed`` alive."""

    def __init__(self, placed: dict[str, Placed]) -> None:
        self.placed = placed
        self.ports = FrozenMap({name: port for name, (port, _) in placed.items()})
        self.evidence: dict[str, Evidence] = {
            f"port {name}": at for name, (_, at) in placed.items()
        }


class _RunningAddress(NamedTuple):
    """An address that runs with the devices of a range.

    Attributes:
        pattern: Its text, with the ranges that run with the device.
        axes: Which of the device's ranges those are.
        layer: Which layer of the section says it.
    """

    pattern: Pattern
    axes: tuple[int, ...]
    layer: int


class _Adapter(NamedTuple):
    """An RDMA device, the ports that it states, and what is said of it."""

    rdma: RdmaDevice
    ports: tuple[Port, ...]
    fields: Fields
    address: _RunningAddress | None = None

    def on(self, layers: tuple[Layer, ...]) -> _Adapter:
        """Give the RDMA device of another device of the range.

        Raises:
            ValueError: Its address is none.
        """
        if self.address is None:
            return self
        outer = layers[self.address.layer].axes
        indices = tuple([outer[number].index for number in self.address.axes])
        address = checked_address(self.address.pattern.at(indices))
        ports = tuple([port_like(one, one.name, address) for one in self.ports])
        return _Adapter(self.rdma, ports, self.fields)


class _Adapters:
    """RDMA devices; of devices in one range they are read once where only addresses differ."""

    def __init__(self) -> None:
        self._running = Running()
        self._ranges: dict[object, tuple[_Adapter, ...]] = {}

    def of(self, section: Fields, policy: Known[str]) -> tuple[_Adapter, ...]:
        """Give the RDMA devices that a section states."""
        layers = section.layers
        if not layers:
            return ()
        lengths = [(id(one.node), *[axis.length for axis in one.axes]) for one in layers]
        key = (policy, *lengths)
        alike = self._ranges.get(key)
        if alike is None:
            read = tuple(_read_adapters(section, policy))
            self._ranges[key] = tuple(self._in_range(read, layers))
            return read
        try:
            found = tuple([one.on(layers) for one in alike])
        except ValueError:  # told where it is read as it stands
            found = ()
        return found or tuple(_read_adapters(section, policy))

    def _in_range(self, read: tuple[_Adapter, ...], outer: tuple[Layer, ...]) -> Iterable[_Adapter]:
        """What devices of the range are made like; nothing where more than addresses differ."""
        found = []
        for one in read:
            address: _RunningAddress | None = None
            for layer in one.fields.layers:
                number, own = _holder(layer, outer)
                running = self._running.of(layer, own)
                if running is None or not running <= ADDRESS_ALONE:
                    return ()
                said = layer.node.mapping.get("address")
                if said is not None:
                    bound = bind(str(said.value), layer.axes[:own], layer.axes[own:])
                    address = _RunningAddress(*bound, number) if running else None
            found.append(one._replace(address=address))
        return found


def _holder(layer: Layer, outer: tuple[Layer, ...]) -> tuple[int, int]:
    """Number of the layer of a section that holds another, and how many ranges that adds."""
    return next(
        (number, len(layer.axes) - len(one.axes))
        for number, one in enumerate(outer)
        if one.node.mapping.get(layer.key) is layer.node
    )


def _read_adapters(section: Fields, policy: Known[str]) -> Iterable[_Adapter]:
    for name, inner in section.spread().items():
        rdma = read_rdma(name, inner)
        yield _Adapter(rdma, tuple(read_port(one, inner, policy) for one in rdma.ports), inner)


def _with_ports(known: Mapping[str, Port], adapters: Iterable[_Adapter]) -> dict[str, Port]:
    """The ports of a section, and those that RDMA devices state."""
    ports = dict(known)
    for one in adapters:
        for port in one.ports:
            stated = ports.get(port.name)
            ports[port.name] = port if stated is None else with_rdma(stated, port, one.fields)
    return ports


def _evidence(adapters: Iterable[_Adapter]) -> dict[str, Evidence]:
    """Where RDMA devices are named, and the ports that they state."""
    found: dict[str, Evidence] = {}
    for one in adapters:
        found[f"rdma {one.rdma.name}"] = one.fields.at
        for port in one.ports:
            found.setdefault(f"port {port.name}", one.fields.at)
    return found
