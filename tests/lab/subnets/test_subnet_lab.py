"""A lab with InfiniBand as a whole: what it takes of an intent, and its process over SSH."""

from __future__ import annotations

import os
import signal
import time
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path

import pytest

from netcheck import api
from netcheck.collect.session import Session
from netcheck.collect.target import target_of
from netcheck.deploy.backend import NetmikoBackend
from netcheck.deploy.engine import deploy, make_plan
from netcheck.lab.building import Building
from netcheck.lab.control import inject, relocate, start_lab, stop_lab
from netcheck.lab.describe import status_lines
from netcheck.lab.subnets import starting
from netcheck.lab.subnets.starting import start_subnets
from netcheck.lab.topology import Topology, topology_of
from netcheck.model.fabric import Fabric
from netcheck.model.known import UNKNOWN
from netcheck.rehearse import live
from netcheck.report.report import Report
from tests.lab.labs import sh
from tests.lab.opensm.ib_labs import needs_opensm
from tests.lab.subnets.subnet_labs import HYBRID, fabric

END_S = 15.0


def test_managers_that_are_deployed_to_begin_without_files_and_others_with_them() -> None:
    deployed = topology_of(fabric())
    assert [(one.name, dict(one.files)) for one in deployed.subnets[0].managers] == [
        ("sm01", {}),
        ("sm02", {}),
    ]
    whole = fabric(HYBRID)
    stores = {name: replace(whole.devices[name], mgmt=UNKNOWN) for name in ("store01", "store02")}
    hybrid = topology_of(replace(whole, devices=whole.devices.with_items(stores)))
    managers = hybrid.subnets[0].managers
    assert [one.name for one in managers] == ["store01", "store02"]
    assert "files=0x0a01" in managers[0].files["partitions.conf"]
    hcas = {one.name: [hca.name for hca in one.hcas] for one in hybrid.devices}
    assert hcas == {"leaf01": [], "gpu01": ["mlx5_2"], "gpu02": ["mlx5_2"]}
    assert Topology.from_json(hybrid.to_json()) == hybrid


def test_a_lab_without_the_packages_says_so_and_its_ports_are_down(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(starting, "missing_packages", lambda: ("opensm",))
    topology = topology_of(fabric())
    running, notes = start_subnets(topology.subnets, ExitStack())
    assert running == ()
    assert notes[0].startswith("InfiniBand left out: opensm not installed; on Debian")
    building = Building(topology, tmp_path, dict.fromkeys(fabric().devices, ""), running)
    gpu, manager = building.devices["gpu01"], building.devices["sm01"]
    assert "state is Down" in sh(gpu, "ib_write_bw -d mlx5_0")[0]
    assert sh(gpu, "cat /sys/class/infiniband/mlx5_0/ports/1/state") == ("1: DOWN\n", 0)
    assert "can't open UMAD port" in sh(gpu, "saquery")[0]
    text, status = sh(manager, "systemctl restart opensm")
    assert (status, "Job for opensm.service failed" in text) == (1, True)
    assert sh(manager, "systemctl is-active opensm") == ("inactive\n", 3)


def is_gone(pid: int) -> bool:
    """Wait until a process has ended."""
    end = time.monotonic() + END_S
    while Path(f"/proc/{pid}").exists():
        if time.monotonic() > end:
            return False
        time.sleep(0.05)
    return True


def verified(there: Fabric) -> set[str]:
    """Rules that find anything in the live subnet."""
    report = live.with_subnets(Report("verify", ()), there)
    return {one.rule for one in report.findings if one.verdict == "fail"}


@needs_opensm
def test_a_real_manager_takes_what_is_deployed_to_the_lab_and_ends_with_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(live, "PATHS", 6)
    intended = fabric()
    state = start_lab(intended, tmp_path / "lab", owner=os.getpid())
    try:
        there = relocate(intended, state)
        assert "subnet train: OpenSM at sm01, sm02" in status_lines(state)
        names = ["sm01", "sm02"]
        plan = make_plan(there, api.render(there, names), devices=names)
        assert deploy(plan, tmp_path / "state", NetmikoBackend(), confirm=lambda _: True).is_ok
        assert make_plan(there, api.render(there, names), devices=names).is_empty
        assert verified(there) == set()
        inject(tmp_path / "lab", "ib-partition-lost", "gpu02")
        assert "partition-keys-differ" in verified(there)
        with Session(target_of(there, there.devices["sm01"])) as session:
            pid = int(session.run("pgrep -x opensm").text)
        os.kill(state.pid, signal.SIGKILL)
        assert is_gone(pid)
    finally:
        stop_lab(tmp_path / "lab")
