"""Names of an intent to GUIDs: of ports for members, of nodes for switches.

A GUID comes from the intent (an RDMA device's ``port_guid``, a switch's
``node_guid``) or from a discovery of the fabric (``Subnet.port_guids`` and
``node_guids``). A name without one is reported, never guessed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from netcheck.model.device import Device, LinkLayer, RdmaDevice
from netcheck.model.fabric import Fabric
from netcheck.model.frozen import frozen
from netcheck.model.frozenmap import FrozenMap
from netcheck.model.known import is_known
from netcheck.model.subnets import Subnet

if TYPE_CHECKING:
    from netcheck.model.infiniband import IbSubnet

Look = Callable[[str], Iterable[int | str]]


@frozen
class Guids:
    """GUIDs of some names, in order, and the names for which there is none."""

    found: tuple[int, ...] = ()
    missing: tuple[str, ...] = ()


def is_in(subnet: Subnet, rdma: RdmaDevice, fabric: Fabric) -> bool:
    """Tell whether an RDMA device is in a subnet, as said or as the only one there is."""
    if is_known(rdma.subnet):
        return rdma.subnet == subnet.name
    is_ib = rdma.link_layer is LinkLayer.INFINIBAND or is_known(rdma.port_guid)
    return is_ib and tuple(fabric.subnets) == (subnet.name,)


def ports_of(fabric: Fabric, subnet: Subnet, names: Iterable[str]) -> Guids:
    """Give the port GUIDs of members: devices, ``device:rdma``, roles and GUIDs."""
    return _all(names, lambda name: _port_guids(fabric, subnet, name))


def nodes_of(fabric: Fabric, subnet: Subnet, names: Iterable[str]) -> Guids:
    """Give the node GUIDs of switches: devices, roles and GUIDs."""
    return _all(names, lambda name: _node_guids(fabric, subnet, name))


def with_discovered(fabric: Fabric, name: str, seen: IbSubnet) -> Fabric:
    """Give the fabric with the GUIDs that a discovery of the subnet shows for its names.

    Node descriptions name hosts and switches; what the intent says of a GUID stays.
    """
    ports: dict[str, tuple[int, ...]] = {}
    nodes: dict[str, int] = {}
    for node in seen.nodes.values():
        if not node.device or not is_known(node.guid):
            continue
        if node.is_host:
            own = [one.guid for one in node.ports.values() if is_known(one.guid)]
            ports[node.device] = (*ports.get(node.device, ()), *own)
        else:
            nodes[node.device] = node.guid
    subnet = fabric.subnets[name]
    filled = replace(subnet, port_guids=FrozenMap(ports), node_guids=FrozenMap(nodes))
    return replace(fabric, subnets=fabric.subnets.with_items({name: filled}))


def _all(names: Iterable[str], look: Look) -> Guids:
    found: dict[int, None] = {}
    missing: list[str] = []
    for name in names:
        for guid in look(name):
            if isinstance(guid, int):
                found[guid] = None
            else:
                missing.append(guid)
    return Guids(tuple(found), tuple(dict.fromkeys(missing)))


def _port_guids(fabric: Fabric, subnet: Subnet, name: str) -> Iterator[int | str]:
    if name.startswith("0x"):
        yield int(name, 16)
        return
    if name in fabric.devices or name in subnet.port_guids:
        yield from _ports_of_device(fabric, subnet, name)
        return
    of, _, inner = name.partition(":")
    device = fabric.devices.get(of)
    if device is not None and inner in device.rdma:
        guid = device.rdma[inner].port_guid
        yield guid if is_known(guid) else name
        return
    members = _with_role(fabric, name)
    if not members:
        yield name
    for one in members:
        if _takes_part(fabric, subnet, one):
            yield from _ports_of_device(fabric, subnet, one.name)


def _takes_part(fabric: Fabric, subnet: Subnet, device: Device) -> bool:
    return device.name in subnet.port_guids or any(
        is_in(subnet, rdma, fabric) for rdma in device.rdma.values()
    )


def _ports_of_device(fabric: Fabric, subnet: Subnet, name: str) -> Iterator[int | str]:
    discovered = subnet.port_guids.get(name, ())
    device = fabric.devices.get(name)
    rdmas = device.rdma.values() if device else ()
    said = [rdma for rdma in rdmas if is_in(subnet, rdma, fabric)]
    for rdma in said:
        if is_known(rdma.port_guid):
            yield rdma.port_guid
        elif not discovered:
            yield f"{name}:{rdma.name}"
    yield from discovered
    if not said and not discovered:
        yield name


def _node_guids(fabric: Fabric, subnet: Subnet, name: str) -> Iterator[int | str]:
    if name.startswith("0x"):
        yield int(name, 16)
        return
    is_name = name in fabric.devices or name in subnet.node_guids
    names = [name] if is_name else [one.name for one in _with_role(fabric, name)]
    for each in names or [name]:
        device = fabric.devices.get(each)
        if device is not None and is_known(device.node_guid):
            yield device.node_guid
        else:
            yield subnet.node_guids.get(each, each)


def _with_role(fabric: Fabric, role: str) -> list[Device]:
    return [device for device in fabric.devices.values() if device.role == role]
