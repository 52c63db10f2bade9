"""What a simulated subnet is set up with: GUIDs of names, each manager's files and its place."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, replace

from netcheck.lab.opensm.manager import SHORT_TIMERS
from netcheck.lab.opensm.network import FASTEST, Network, read_network
from netcheck.lab.opensm.subnet import ManagerPlan
from netcheck.model.cables import with_guids
from netcheck.model.device import Device, LinkLayer
from netcheck.model.document import Document
from netcheck.model.errors import InputError
from netcheck.model.fabric import Fabric
from netcheck.model.guids import ports_of, with_discovered
from netcheck.model.infiniband import LANE_BPS, IbSubnet
from netcheck.model.known import is_known, known_or
from netcheck.model.subnets import Subnet
from netcheck.platforms.infiniband.netfile import write_net
from netcheck.platforms.infiniband.parse import parse
from netcheck.platforms.opensm.render import render_subnet
from netcheck.platforms.placeholders import filled
from netcheck.platforms.sm_subject import secrets_of

UPSTREAM = "upstream"
EMBEDDED = "onyx"
# What NVIDIA's build does besides, upstream's does without.
PLAIN_ENGINES = {"ar_updn": "updn", "ar_ftree": "ftree", "ar_dor": "dor", "ar_torus": "torus-2QoS"}
# 4 packets at a time take three times as long on thousands of nodes; a standby is seen to
# stand by at the next sweep, which comes after 10 s otherwise.
QUICK_SWEEP = {"max_wire_smps": "16", "sweep_interval": "2"}
STAND_IN = "sm"
SHOWN = 8
FASTEST_BPS = 4 * LANE_BPS[FASTEST]


@dataclass(frozen=True)
class Staged:
    """A simulated subnet before it begins.

    Attributes:
        fabric: The intent, with a GUID for every name.
        network: What the simulator runs.
        plans: Managers in the order they are started; the preferred one first.
        ports: Shape: ``manager -> port GUID it runs at``.
        notes: What was assumed, in words.
    """

    fabric: Fabric
    subnet: Subnet
    network: Network
    plans: tuple[ManagerPlan, ...]
    ports: Mapping[str, int]
    notes: tuple[str, ...]


def stage(fabric: Fabric, name: str, discovered: str | None = None, file: str = "") -> Staged:
    """Set a rehearsal up.

    Args:
        fabric: A completed intent.
        name: One of its subnets.
        discovered: Output of ``ibnetdiscover``; without it the fabric is made from the intent.
        file: Name of the file it came from, for messages.

    Raises:
        InputError: There is no such subnet, no InfiniBand link in it, or the file is damaged.
        RefusalError: The intent cannot be expressed in a subnet manager's files.
    """
    if name not in fabric.subnets:
        known = ", ".join(fabric.subnets) or "none"
        raise InputError(f"subnet {name}: not in the intent; expected one of: {known}")
    notes: list[str] = []
    if discovered is None:
        fabric = with_guids(fabric)
        network = read_network(write_net(fabric, name), f"fabric of {name}")
        notes.append("fabric: made from the intent; GUIDs that it does not say are made up")
    else:
        network = read_network(discovered, file)
        fabric = with_discovered(fabric, name, seen_of(discovered, file))
        notes.append(f"fabric: {file}")
    notes += network.notes
    fabric = _as_fast_as_simulated(fabric, name, notes)
    fabric, subnet = _simulable(fabric, name, notes)
    ports, nodes = _places(fabric, subnet, network, notes)
    notes += _apart(network, next(iter(nodes.values())))
    plans = tuple(
        ManagerPlan(
            manager,
            nodes[manager],
            with_made_up_keys(render_subnet(fabric, name, manager=manager)),
            _extra(subnet),
        )
        for manager in nodes
    )
    if any(secrets_of(subnet)):
        notes.append("keys: made up; a rehearsal asks for no secret")
    engines = _plain_engines(subnet)
    subnet = replace(subnet, routing=engines) if engines else subnet
    return Staged(fabric, subnet, network, plans, ports, tuple(notes))


def with_made_up_keys(files: Mapping[str, str]) -> dict[str, str]:
    """Give a manager's files with a number in place of each secret, the same for the same one."""
    digest = hashlib.sha256
    return {
        name: filled(text, lambda reference: f"0x{digest(reference.encode()).hexdigest()[:16]}")
        for name, text in files.items()
    }


def seen_of(text: str, file: str) -> IbSubnet:
    """Give the subnet that a discovery shows."""
    seen = parse((Document(file, text, "ibnetdiscover"),), name="subnet").seen_subnet
    return seen if is_known(seen) else IbSubnet()


def _as_fast_as_simulated(fabric: Fabric, name: str, notes: list[str]) -> Fabric:
    """The fabric with InfiniBand ports no faster than the simulator's, which is noted."""
    changed: dict[str, Device] = {}
    count = 0
    for device in fabric.devices.values():
        slower = {
            port.name: replace(port, speed_bps=FASTEST_BPS)
            for port in device.ports.values()
            if port.link_layer is LinkLayer.INFINIBAND
            and is_known(port.speed_bps)
            and port.speed_bps > FASTEST_BPS
        }
        if slower:
            count += len(slower)
            changed[device.name] = replace(device, ports=device.ports.with_items(slower))
    subnet = fabric.subnets[name]
    speed = known_or(subnet.expect.speed, FASTEST)
    if LANE_BPS.get(speed, 0) > LANE_BPS[FASTEST]:
        subnet = replace(subnet, expect=replace(subnet.expect, speed=FASTEST))
    if count or subnet is not fabric.subnets[name]:
        notes.append(f"not simulated: {count} ports of the intent faster than {FASTEST}")
    return replace(
        fabric,
        devices=fabric.devices.with_items(changed),
        subnets=fabric.subnets.with_items({name: subnet}),
    )


def _simulable(fabric: Fabric, name: str, notes: list[str]) -> tuple[Fabric, Subnet]:
    """The subnet as upstream's OpenSM can run it; what is left out is noted."""
    subnet = fabric.subnets[name]
    build = known_or(subnet.opensm_build, UPSTREAM)
    if build not in {UPSTREAM, "inbox"}:
        notes.append(
            f"not simulated: OpenSM build {build}; upstream's runs in its place,"
            " without adaptive routing and keys that it does not know"
        )
    if build == EMBEDDED:
        subnet = replace(subnet, opensm_build=UPSTREAM)
    names = known_or(subnet.subnet_managers, ())
    switches = [
        each
        for each in names
        if each in fabric.devices and fabric.devices[each].platform == EMBEDDED
    ]
    if switches:
        notes.append(
            f"not simulated: the manager embedded in {', '.join(switches)}; upstream's OpenSM runs"
            " in its place"
        )
    changed = replace(fabric, subnets=fabric.subnets.with_items({name: subnet}))
    return changed, subnet


def _extra(subnet: Subnet) -> dict[str, str]:
    extra = {**SHORT_TIMERS, **QUICK_SWEEP}
    engines = _plain_engines(subnet)
    if engines:
        extra["routing_engine"] = ",".join(engines)
    return extra


def _plain_engines(subnet: Subnet) -> tuple[str, ...]:
    """Engines that run in place of those of NVIDIA's build; none where the intent's own do."""
    if known_or(subnet.opensm_build, UPSTREAM) != "nvidia" or not is_known(subnet.routing):
        return ()
    adaptive = "ar_" if subnet.adaptive_routing is True else ""
    return tuple(
        PLAIN_ENGINES.get(one, one.removeprefix(adaptive) if adaptive else one)
        for one in subnet.routing
    )


def _apart(network: Network, manager: str) -> list[str]:
    """A line for what no cable leads to from the first manager."""
    part = network.part(manager)
    names = [network.device(node) for node in network.ports if node not in part]
    if not names:
        return []
    more = f" and {len(names) - SHOWN} more" if len(names) > SHOWN else ""
    at = network.device(manager)
    return [f"not rehearsed: no cable leads from {at} to {', '.join(names[:SHOWN])}{more}"]


def _places(
    fabric: Fabric, subnet: Subnet, network: Network, notes: list[str]
) -> tuple[dict[str, int], dict[str, str]]:
    """Port GUID and node of each manager; one without a port runs at another host's."""
    at = _nodes_by_port(network)
    names = known_or(subnet.subnet_managers, ()) or (STAND_IN,)
    own = {
        name: [guid for guid in ports_of(fabric, subnet, [name]).found if guid in at]
        for name in names
    }
    used = {guids[0] for guids in own.values() if guids}
    free = [guid for guid in reversed(at) if guid not in used and at[guid].startswith("H-")]
    ports: dict[str, int] = {}
    for name in names:
        if not own[name] and not free:
            raise InputError(f"subnet {subnet.name}: no host's port for subnet manager {name}")
        ports[name] = own[name][0] if own[name] else free.pop(0)
        if not own[name] and name != STAND_IN:
            notes.append(f"{name} has no port in this fabric; it runs at {at[ports[name]]} here")
    return ports, {name: at[ports[name]] for name in subnet.by_preference or names}


def _nodes_by_port(network: Network) -> dict[int, str]:
    """Shape: ``port GUID -> node as the network file names it``, in order of the file."""
    return {guid: node for (node, _), guid in network.guids.items()}
