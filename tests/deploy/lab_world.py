"""The small lab as a world for tests: started once, pointed at, rendered for."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from netcheck.ansible.work import load_fabric, render_all
from netcheck.collect.fanout import PACE
from netcheck.lab.control import start_lab
from netcheck.model.fabric import Fabric
from tests.deploy.worlds import ROOT, World

INTENT = ROOT / "examples" / "lab-small.yaml"
NAMES = ("gpu01", "gpu02", "leaf01")


def start(directory: Path) -> World:
    """Start the small lab in a folder and give the world in it."""
    start_lab(load_fabric([str(INTENT)], ""), directory)
    return world(directory)


def world(directory: Path) -> World:
    """Give the world of a lab that runs."""
    fabric = load_fabric([str(INTENT)], str(directory))
    return World(fabric, rendered(fabric), PACE)


def rendered(fabric: Fabric) -> dict[str, Mapping[str, str]]:
    return render_all(fabric)
