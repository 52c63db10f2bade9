"""What the managers of intended subnets will hold: their files, as they are rendered and read.

Rules then judge an intent as they judge files, and point at the intent.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from netcheck.model.device import Device
from netcheck.model.document import Document, Evidence
from netcheck.model.errors import RefusalError
from netcheck.model.fabric import Fabric
from netcheck.model.frozenmap import FrozenMap
from netcheck.model.known import Known, is_known
from netcheck.model.subnet_manager import SmConfig, SmPartition, SmPolicy
from netcheck.model.subnets import Subnet
from netcheck.platforms.onyx import parse as onyx_parse
from netcheck.platforms.onyx import render as onyx_render
from netcheck.platforms.opensm.parse import parse
from netcheck.platforms.opensm.render import render_subnet

NONE: FrozenMap[str, Evidence] = FrozenMap()


def with_managers(fabric: Fabric) -> Fabric:
    """Give the fabric with what each manager's files will say.

    A subnet that cannot be rendered leaves its managers UNKNOWN: why is told elsewhere.
    """
    managed = dict(_managed(fabric))
    return replace(fabric, devices=fabric.devices.with_items(managed)) if managed else fabric


def _managed(fabric: Fabric) -> Iterator[tuple[str, Device]]:
    for subnet in fabric.subnets.values():
        names = subnet.subnet_managers if is_known(subnet.subnet_managers) else ()
        for name in names:
            device = fabric.devices.get(name)
            config = _config(fabric, subnet, device) if device is not None else None
            if device is not None and config is not None:
                yield name, replace(device, subnet_manager=config)


def _config(fabric: Fabric, subnet: Subnet, device: Device) -> SmConfig | None:
    try:
        found = _read_back(fabric, subnet, device)
    except RefusalError:
        return None
    return _placed(found, subnet) if is_known(found) else None


def _read_back(fabric: Fabric, subnet: Subnet, device: Device) -> Known[SmConfig]:
    """What a manager's rendered files say: those of a host, or of the switch it is embedded in."""
    name = device.name
    if device.platform == onyx_parse.BUILD:
        files = onyx_render.render_subnet(fabric, subnet.name, manager=name)
        return onyx_parse.parse(_documents(files), name=name).subnet_manager
    files = render_subnet(fabric, subnet.name, manager=name)
    return parse(_documents(files), name=name, build=subnet.opensm_build).subnet_manager


def _documents(files: Mapping[str, str]) -> list[Document]:
    return [Document(name, text) for name, text in files.items()]


def _placed(config: SmConfig, subnet: Subnet) -> SmConfig:
    """The configuration with every fact at its place in the intent."""
    at = subnet.evidence
    options, partitions, policy = config.options, config.partitions, config.policy
    if is_known(options):
        placed = {key: replace(one, evidence=at) for key, one in options.items()}
        options = options.with_items(placed)
    if is_known(partitions):
        partitions = tuple(_placed_partition(one, subnet) for one in partitions)
    if is_known(policy):
        policy = _placed_policy(policy, subnet)
    roots = replace(config.roots, evidence=at) if is_known(config.roots) else config.roots
    return replace(
        config,
        options=options,
        partitions=partitions,
        policy=policy,
        roots=roots,
        misreadings=tuple(replace(one, evidence=at) for one in config.misreadings),
        files=frozenset(),
    )


def _placed_partition(one: SmPartition, subnet: Subnet) -> SmPartition:
    said = subnet.partitions.get(one.name)
    at = said.evidence if said is not None else subnet.evidence
    members = tuple(replace(member, evidence=at) for member in one.members)
    return replace(one, members=members, evidence=at)


def _placed_policy(policy: SmPolicy, subnet: Subnet) -> SmPolicy:
    levels = {name.upper(): level.evidence for name, level in subnet.qos_levels.items()}

    def place(name: str) -> Evidence:
        return levels.get(name.upper(), subnet.evidence)

    return replace(
        policy,
        ulps=tuple(replace(one, evidence=subnet.evidence, places=NONE) for one in policy.ulps),
        levels=tuple(replace(one, evidence=place(one.name)) for one in policy.levels),
        rules=tuple(replace(one, evidence=place(one.level), places=NONE) for one in policy.rules),
        groups=tuple(replace(one, evidence=subnet.evidence, places=NONE) for one in policy.groups),
        evidence=subnet.evidence,
    )
