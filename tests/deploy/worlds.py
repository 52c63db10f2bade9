"""What the cut tests work on: the fake devices, or a running lab."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from netcheck.collect.fanout import Pace
from netcheck.deploy.ansible import AnsibleBackend
from netcheck.deploy.backend import Backend, NetmikoBackend
from netcheck.model.fabric import Fabric
from tests.deploy import fake_platform

ROOT = Path(__file__).parents[2]
CHILD = ROOT / "tests" / "ansible" / "child"


@dataclass(frozen=True)
class World:
    """A fabric that can be reached, and what is rendered for it."""

    fabric: Fabric
    rendered: Mapping[str, Mapping[str, str]]
    pace: Pace


def load() -> World:
    """Give the world that the environment describes: a running lab, or the fake."""
    if lab := os.environ.get("NETCHECK_TEST_LAB"):
        from tests.deploy import lab_world  # noqa: PLC0415 -- the fake needs no lab

        return lab_world.world(Path(lab))
    fake_platform.install()
    port = int(os.environ["NETCHECK_TEST_PORT"])
    fabric = fake_platform.make_fabric(port, "env:NETCHECK_TEST_PASSWORD")
    rendered = {name: {"pfc": fake_platform.AFTER} for name in fake_platform.NAMES}
    return World(fabric, rendered, fake_platform.PACE)


def backend(name: str, world: World, cut: int = 0) -> Backend:
    """Give the backend; children of Ansible see the same world, and are cut too."""
    if name == "netmiko":
        return NetmikoBackend(pace=world.pace)
    passed_on = {n: v for n, v in os.environ.items() if n.startswith("NETCHECK_TEST_")}
    passed_on.pop("NETCHECK_TEST_PASSWORD", None)
    variables = passed_on | {
        "PYTHONPATH": f"{CHILD}{os.pathsep}{ROOT}",
        "NETCHECK_TEST_CUT": str(cut) if cut else "",
    }
    return AnsibleBackend(pace=world.pace, variables=variables)
