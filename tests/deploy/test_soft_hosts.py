"""Hosts whose adapter no vendor's tool sets: deployed with ``dcb``, and brought back with it."""

from __future__ import annotations

from pathlib import Path

import pytest

from netcheck.ansible.work import load_fabric, render_all
from netcheck.deploy.backend import NetmikoBackend
from netcheck.deploy.engine import deploy, make_plan, rollback
from netcheck.deploy.holding import read_all_held
from netcheck.lab.control import start_lab, stop_lab
from netcheck.model.fabric import Fabric
from tests.deploy.worlds import ROOT

pytestmark = pytest.mark.slow

INTENT = str(ROOT / "examples" / "lab-real.yaml")
HOST = "gpu01"


def held_by(fabric: Fabric) -> dict[str, str]:
    """What the host's adapter and files hold; the folder of our scripts may stay, empty."""
    found, unreachable = read_all_held(fabric, [HOST])
    assert unreachable == {}
    return {file: text for file, text in found[HOST].items() if file != "roce_scripts.txt"}


def test_a_soft_roce_host_is_deployed_and_brought_back(tmp_path: Path) -> None:
    folder = tmp_path / "lab"
    start_lab(load_fabric([INTENT], ""), folder)
    try:
        fabric = load_fabric([INTENT], str(folder))
        plan = make_plan(fabric, {HOST: render_all(fabric)[HOST]}, devices=[HOST])
        before = held_by(fabric)
        assert deploy(plan, tmp_path / "state", NetmikoBackend(), confirm=lambda _: True).is_ok
        assert '"dscp_prio":[[26,3]]' in held_by(fabric)["dcb_app_rail0.json"].replace(" ", "")
        assert rollback(tmp_path / "state", fabric.name, NetmikoBackend()).is_ok
        assert held_by(fabric) == before
    finally:
        stop_lab(folder)
