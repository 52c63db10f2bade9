"""Devices as the intent states them; what several have in common is read once."""

from __future__ import annotations

from dataclasses import replace

from netcheck.intent.devices import read_device, read_port, read_rdma, with_rdma
from netcheck.intent.fields import Fields
from netcheck.intent.ranges import expand
from netcheck.intent.sharing import Built, Running, Shared
from netcheck.model.device import Device, Port, RdmaDevice
from netcheck.model.document import Evidence
from netcheck.model.frozenmap import FrozenMap
from netcheck.model.known import Known, first_known

ADDRESS_ALONE = frozenset({"address"})


class Builder:
    """Builds the devices of one intent."""

    def __init__(self) -> None:
        self._ports = Shared(read_port)
        self._running = Running()
        self._rdma: dict[object, tuple[RdmaDevice, tuple[Port, ...]]] = {}
        self._sections: dict[int, _Section] = {}

    def device(self, name: str, fields: Fields, fallback: Known[str]) -> Device:
        """Give one device; ``fallback`` is the fabric's policy."""
        policy = first_known(fields.name("policy"), fallback)
        section = self._section(self._ports.of(fields.child("ports"), policy))
        evidence = {"device": fields.at, **section.evidence}
        said = fields.children("rdma")
        if not said:
            return read_device(name, fields, section.ports, FrozenMap(), FrozenMap(evidence))
        ports = dict(section.ports)
        rdma = {}
        for one, inner in said.items():
            rdma[one], stated = self._rdma_of(one, inner, policy)
            evidence[f"rdma {one}"] = inner.at
            for port in stated:
                evidence.setdefault(f"port {port.name}", inner.at)
                known = ports.get(port.name)
                ports[port.name] = port if known is None else with_rdma(known, port, inner)
        return read_device(name, fields, FrozenMap(ports), FrozenMap(rdma), FrozenMap(evidence))

    def _section(self, built: Built[Port]) -> _Section:
        found = self._sections.get(id(built))
        if found is None:
            found = self._sections[id(built)] = _Section(built)
        return found

    def _rdma_of(
        self, name: str, fields: Fields, policy: Known[str]
    ) -> tuple[RdmaDevice, tuple[Port, ...]]:
        """An RDMA device and its ports; those of other devices differ in their address only."""
        key = self._key(name, fields, policy)
        if key is None:
            return _read(name, fields, policy)
        found = self._rdma.get(key)
        if found is None:
            found = self._rdma[key] = _read(name, fields, policy)
            return found
        address = fields.address("address")
        rdma, stated = found
        return rdma, tuple(
            one if one.address == address else replace(one, address=address) for one in stated
        )

    def _key(self, name: str, fields: Fields, policy: Known[str]) -> object:
        said = []
        for layer in fields.layers:
            own = len(expand(layer.key)[0][1])
            running = self._running.of(layer, own)
            if running is None or not running <= ADDRESS_ALONE:
                return None
            said.append((id(layer.node), layer.axes[:own]))
        return (name, policy, *said)


def _read(name: str, fields: Fields, policy: Known[str]) -> tuple[RdmaDevice, tuple[Port, ...]]:
    rdma = read_rdma(name, fields)
    return rdma, tuple(read_port(port, fields, policy) for port in rdma.ports)


class _Section:
    """The ports that a section states, with their places; it keeps ``built`` alive."""

    def __init__(self, built: Built[Port]) -> None:
        self.built = built
        self.ports = FrozenMap({name: port for name, (port, _) in built.items()})
        self.evidence: dict[str, Evidence] = {f"port {name}": at for name, (_, at) in built.items()}
