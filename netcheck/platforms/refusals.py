"""What platforms cannot express, asked once for all devices that are alike.

A refusal follows from what ports hold and not from how many hold it, nor from
the digits of a name. So a device is first cut down to one port of each kind; only
where that is refused, the device is asked about as it is.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import fields, replace
from functools import partial
from operator import attrgetter

from netcheck.model.device import Device, Port, RdmaDevice
from netcheck.model.fabric import Fabric
from netcheck.model.finding import Finding, Place, Severity, Stage, Verdict
from netcheck.model.frozenmap import FrozenMap
from netcheck.model.halves import by_turns
from netcheck.model.known import UNKNOWN, Known, is_known
from netcheck.platforms.platform import Refusal, load, platform_names

_DIGITS = re.compile(r"[0-9]+")
_NAMED = {"name", "alias", "parent", "address", "policy", "neighbour", "qos"}
_PLAIN = attrgetter(*(each.name for each in fields(Port) if each.name not in _NAMED))


def find_refusals(
    fabric: Fabric, *, is_shared_out: bool = False
) -> Iterator[tuple[Device, Refusal]]:
    """Yield everything in a completed intent that the device's platform cannot express.

    Args:
        fabric: The completed intent.
        is_shared_out: Two processes take the platforms by turns.
    """
    names = frozenset(platform_names())
    by_platform: dict[Known[str], list[Device]] = {}
    for device in fabric.devices.values():
        if is_known(device.platform) and device.platform in names:
            by_platform.setdefault(device.platform, []).append(device)
    largest_first = sorted(by_platform.values(), key=len, reverse=True)
    tasks = [partial(_by_device, devices, fabric) for devices in largest_first]
    parts = by_turns(tasks) if is_shared_out else [task() for task in tasks]
    found = {name: refused for part in parts for name, refused in part.items()}
    for name in (name for name in fabric.devices if name in found):
        for refusal in found[name]:
            yield fabric.devices[name], refusal


def refusal_findings(
    fabric: Fabric, *, stage: Stage, is_shared_out: bool = False
) -> Iterator[Finding]:
    """Yield what ``find_refusals`` gives as findings.

    Args:
        stage: Part of the chain that the findings belong to.
    """
    for device, refusal in find_refusals(fabric, is_shared_out=is_shared_out):
        yield Finding(
            "platform-limit",
            Severity.ERROR,
            Verdict.FAIL,
            (_place_of(device, refusal),),
            f"{refusal.place}: {refusal.reason}",
            expected=f"within the limit {refusal.limit}",
            why="The platform cannot express it, so the device would not do what is intended.",
            fix="Change the intent within the limit, or use another platform there.",
            reference=f"capabilities of platform {device.platform}: {refusal.limit}",
            stage=stage,
        )


def _place_of(device: Device, refusal: Refusal) -> Place:
    """A refusal that names one of the device's ports is at that port."""
    words = refusal.place.replace("|", " ").split()
    port = next((word for word in words if word in device.ports), "")
    return Place(device.name, port)


def _by_device(devices: Iterable[Device], fabric: Fabric) -> dict[str, list[Refusal]]:
    """Give ``device -> what it is refused`` of one platform's devices."""
    found: dict[str, list[Refusal]] = {}
    for device, refusal in _refusals(devices, fabric):
        found.setdefault(device.name, []).append(refusal)
    return found


def _refusals(devices: Iterable[Device], fabric: Fabric) -> Iterator[tuple[Device, Refusal]]:
    kinds = _Kinds()
    for device in devices:
        assert is_known(device.platform)  # noqa: S101 -- the caller sorts by it
        rendering = load(device.platform).rendering
        key, kept = kinds.kinds_of(device)
        key = (key, *_managed(device, fabric))
        if key in kinds.clean:
            continue
        if not rendering.refusals(_reduced(device, kept), fabric):
            kinds.clean.add(key)
            continue
        for refusal in rendering.refusals(device, fabric):
            yield device, refusal


def _managed(device: Device, fabric: Fabric) -> Iterator[str]:
    """Yield the InfiniBand subnets that a device manages: what it is asked follows from them."""
    for name, subnet in fabric.subnets.items():
        if is_known(subnet.subnet_managers) and device.name in subnet.subnet_managers:
            yield name


def _reduced(device: Device, kept: Iterable[str]) -> Device:
    """The device with these ports only, and the RDMA devices that use them or none."""
    ports = frozenset(kept)
    rdma = {
        name: one
        for name, one in device.rdma.items()
        if not one.ports or not ports.isdisjoint(one.ports)
    }
    return replace(
        device,
        ports=FrozenMap({name: port for name, port in device.ports.items() if name in ports}),
        rdma=FrozenMap(rdma),
    )


class _Kinds:
    """Small numbers for what ports and devices hold, names and addresses aside."""

    def __init__(self) -> None:
        self.clean: set[object] = set()
        self._numbers: dict[object, int] = {}
        self._by_id: dict[int, int] = {}
        self._shapes: dict[str, str] = {}

    def kinds_of(self, device: Device) -> tuple[object, Iterable[str]]:
        """Give what the device holds as a key, and the name of one port of each kind."""
        users = _users(device)
        kept: dict[object, str] = {}
        known = self._by_id.get
        for name, port in device.ports.items():
            kind: object = known(id(port))
            if kind is None:
                kind = self._port(port)
            if name in users:
                kind = (kind, *map(self._rdma, users[name]))
            if kind not in kept:
                kept[kind] = name
        loose = frozenset(self._rdma(one) for one in device.rdma.values() if not one.ports)
        return (*self._device(device), frozenset(kept), loose), kept.values()

    def _device(self, device: Device) -> tuple[object, ...]:
        plain = (device.platform, device.variant, device.model, device.asic, device.os_version)
        return (*plain, self._shape(device.name), device.role, device.qos, device.host)

    def _port(self, port: Port) -> int:
        shapes = (
            self._shape(port.name),
            self._known_shape(port.alias),
            self._known_shape(port.parent),
            self._known_shape(port.address),
        )
        plain = (*_PLAIN(port), *shapes)
        number = self._by_id[id(port)] = self._number((plain, self._qos(port)))
        return number

    def _qos(self, port: Port) -> int:
        number = self._by_id.get(id(port.qos))
        if number is None:
            number = self._by_id[id(port.qos)] = self._number(port.qos)
        return number

    def _rdma(self, one: RdmaDevice) -> int:
        number = self._by_id.get(id(one))
        if number is None:
            plain = replace(
                one,
                name=self._shape(one.name),
                ports=tuple(map(self._shape, one.ports)),
                node_guid=UNKNOWN,
                port_guid=UNKNOWN,
            )
            number = self._by_id[id(one)] = self._number(plain)
        return number

    def _number(self, value: object) -> int:
        return self._numbers.setdefault(value, len(self._numbers))

    def _known_shape(self, text: Known[str]) -> Known[str]:
        return self._shape(text) if is_known(text) else text

    def _shape(self, text: str) -> str:
        """The text with every number as one sign."""
        shape = self._shapes.get(text)
        if shape is None:
            shape = self._shapes[text] = _DIGITS.sub("#", text)
        return shape


def _users(device: Device) -> dict[str, list[RdmaDevice]]:
    found: dict[str, list[RdmaDevice]] = {}
    for one in device.rdma.values():
        for port in one.ports:
            found.setdefault(port, []).append(one)
    return found
