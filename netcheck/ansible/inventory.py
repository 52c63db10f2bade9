"""The inventory of an intent, without Ansible in it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from netcheck.ansible.work import find_lab, lab_intent, load_fabric
from netcheck.deploy.order import tier_of
from netcheck.model.device import Device
from netcheck.model.fabric import Fabric
from netcheck.model.known import is_known


@dataclass(frozen=True, slots=True)
class Host:
    """One host of the inventory."""

    name: str
    groups: tuple[str, ...]
    variables: Mapping[str, Any]  # Any: what Ansible takes


@dataclass(frozen=True, slots=True)
class Inventory:
    """Hosts in the order in which they change, and variables of all of them."""

    hosts: tuple[Host, ...] = ()
    variables: Mapping[str, Any] = field(default_factory=dict)  # Any: what Ansible takes


def build(intent: Sequence[str], *, lab: str, folder: Path) -> Inventory:
    """Give the inventory; relative intents are below ``folder``.

    Raises:
        InputError: The intent has complaints, or the lab is not up.
    """
    directory = find_lab(lab) if lab else None
    files = [str((folder / item).resolve()) for item in intent]
    if directory is not None and not files:
        files = lab_intent(directory)
    place = str(directory) if directory else ""
    fabric = load_fabric(files, place)
    variables = {"netcheck_intent": files, "netcheck_lab": place, "netcheck_fabric": fabric.name}
    return Inventory(tuple(_host(device) for device in _in_order(fabric)), variables)


def _in_order(fabric: Fabric) -> list[Device]:
    known = [device for device in fabric.devices.values() if is_known(device.mgmt)]
    return sorted(known, key=tier_of)


def _host(device: Device) -> Host:
    facts = {
        "ansible_host": device.mgmt,
        "ansible_port": device.mgmt_port,
        "netcheck_platform": device.platform,
        "netcheck_role": device.role,
    }
    groups = (_group(device.role, "role"), _group(device.platform, "platform"))
    variables = {name: _plain(value) for name, value in facts.items() if is_known(value)}
    return Host(device.name, tuple(group for group in groups if group), variables)


def _group(value: object, prefix: str) -> str:
    return f"{prefix}_{_plain(value)}".replace("-", "_") if is_known(value) else ""


def _plain(value: object) -> object:
    return value if isinstance(value, int) else str(value)
