"""A platform for tests: one file a device, in a folder of a real shell; no vendor in it."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from types import ModuleType, SimpleNamespace

from netcheck.collect import collector, target
from netcheck.collect.fanout import Pace
from netcheck.deploy import device as deploy_device
from netcheck.deploy import plan as deploy_plan
from netcheck.model.device import Device, Role
from netcheck.model.document import DocumentKind
from netcheck.model.errors import InputError
from netcheck.model.fabric import Credentials, Fabric, Link, PortRef
from netcheck.model.frozenmap import FrozenMap
from netcheck.platforms import placeholders
from netcheck.platforms.capabilities import SHELL
from netcheck.platforms.platform import Change, Command, Impact, Run, Upload

NAMES = ("gpu01", "gpu02", "leaf01")
PACE = Pace(workers=4, deadline_s=20)
BEFORE = "unowned line\npfc off\n"
AFTER = "pfc 3\n"


def root() -> Path:
    return Path(os.environ["NETCHECK_TEST_ROOT"])


def path_of(device: str) -> Path:
    return root() / device / "fabric.conf"


class Applying:
    """Owns the line that begins with pfc; everything else stays."""

    @staticmethod
    def holdings(device: Device) -> tuple[Command, ...]:
        path = path_of(device.name)
        return (
            Command(f"cat {path}", "fabric.conf", DocumentKind.CONFIG),
            Command(f"cat {path}.more", "more.conf", DocumentKind.CONFIG, may_fail=True),
        )

    @staticmethod
    def plan(device: Device, rendered: Mapping[str, str], held: Mapping[str, str]) -> Change:
        path = path_of(device.name)
        lines = held["fabric.conf"].splitlines()
        if "damaged" in lines:
            raise InputError(f"{device.name}: fabric.conf: damaged")
        wanted = [*(line for line in lines if not line.startswith("pfc")), rendered["pfc"].strip()]
        text = "".join(f"{line}\n" for line in wanted)
        if held["fabric.conf"] == text:
            return Change()
        apply = "sh -c 'exit 9'" if "refuse" in lines else "true"
        return Change(
            objects=(("fabric.conf", held["fabric.conf"], text),),
            save=(Run(f"cp {path} {path}.before"),),
            steps=(Upload(str(path), text), Run(apply)),
            undo=(Run(f"cp {path}.before {path}"), Run(f"rm -f {path}.boot")),
            persist=(Run(f"cp {path} {path}.boot"),),
            impact=Impact.QUEUE,
        )


class Reading:
    """Allows ``cat`` below the root."""

    @staticmethod
    def is_read_only(line: str) -> bool:
        return line.startswith(f"cat {root()}")

    @staticmethod
    def commands(device: Device) -> tuple[Command, ...]:
        return Applying.holdings(device)


def install() -> None:
    """Put the fake in the place of every platform, in this process."""
    fake = SimpleNamespace(applying=Applying, reading=Reading)
    modules: tuple[ModuleType, ...] = (collector, deploy_plan, deploy_device)
    for module in modules:
        vars(module)["load"] = lambda _name: fake
    vars(placeholders)["secret_keys"] = lambda _name: ()
    vars(target)["capabilities"] = lambda _name: SimpleNamespace(netmiko="linux", session=SHELL)


def make_fabric(port: int, password: str) -> Fabric:
    """One leaf and two hosts, all behind one SSH port."""
    devices = {
        name: Device(
            name,
            role=Role.LEAF if name.startswith("leaf") else Role.HOST,
            platform="fake",
            mgmt="127.0.0.1",
            mgmt_port=port,
            credentials="lab",
        )
        for name in NAMES
    }
    links = tuple(Link(PortRef(n, "rail0"), PortRef("leaf01", n)) for n in NAMES[:2])
    login = Credentials("lab", "admin", password=password)
    return Fabric(
        "train", devices=FrozenMap(devices), links=links, credentials=FrozenMap({"lab": login})
    )


def put_before() -> None:
    """Give each device the configuration it has before any run."""
    for name in NAMES:
        path_of(name).parent.mkdir(parents=True, exist_ok=True)
        path_of(name).write_text(BEFORE)


def held_by(name: str) -> str:
    return path_of(name).read_text()
