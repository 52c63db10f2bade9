"""A change of a subnet manager over SSH: its files, a real OpenSM that takes them, the way back."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from netcheck.deploy.backend import NetmikoBackend
from netcheck.deploy.device import State
from netcheck.deploy.engine import deploy, make_plan, rollback
from netcheck.deploy.plan import Plan
from netcheck.lab.opensm.manager import Manager
from netcheck.lab.opensm.subnet import simulated_subnet
from netcheck.lab.staging import stage, with_made_up_keys
from netcheck.model.fabric import Fabric
from netcheck.model.finding import Finding
from netcheck.model.frozenmap import FrozenMap
from netcheck.platforms.opensm.render import render_subnet
from netcheck.platforms.platform import Impact
from netcheck.rehearse import live
from tests.lab.opensm.ib_labs import needs_opensm
from tests.platforms.opensm.opensm_subnets import TENANTS, fabric_of
from tests.rehearse.test_live import SECRET, SUBNET, not_held, reached, shell, verified

KEY = "0x5ec2e7000000aaaa"
INTENDED = replace(SUBNET, m_key="env:M_KEY")
LACKS = replace(TENANTS["b"], members=FrozenMap({"gpu03": "full"}))
BEFORE = replace(SUBNET, partitions=TENANTS.with_items({"b": LACKS}))
OWN_LINES = "# set for the rehearsal alone"


@dataclass(frozen=True)
class World:
    """A host over SSH with a real OpenSM that takes its files from ``etc``."""

    fabric: Fabric
    etc: Path
    manager: Manager

    @property
    def files(self) -> dict[str, str]:
        return {path.name: path.read_text() for path in self.etc.iterdir()}

    def plan(self) -> Plan:
        rendered = {"gpu01": render_subnet(self.fabric, "s", manager="gpu01")}
        return make_plan(self.fabric, rendered, devices=["gpu01"])


def programs(folder: Path, manager: Manager) -> Mapping[str, str]:
    """What stands for the parts of a host that a test may not touch."""
    own = (manager.folder / "opensm.conf").read_text().partition(OWN_LINES)[2]
    (folder / "own").write_text(own)
    place = "s#/etc/opensm/#" + f"{manager.folder}/#"
    return {
        "sudo": 'args=(); for a in "$@"; do a="${a//\\/etc\\/opensm/'
        + str(folder / "etc").replace("/", "\\/")
        + '}"; args+=("${a//\\/var\\/lib\\/netcheck/'
        + str(folder / "kept").replace("/", "\\/")
        + '}"); done; exec "${args[@]}"\n',
        "systemctl": "if [ $1 = is-active ]; then exec kill -0 " + f"{manager.pid}; fi\n"
        f"for f in {folder}/etc/*; do sed '{place}' $f > {manager.folder}/$(basename $f); done\n"
        f"cat {folder}/own >> {manager.folder}/opensm.conf\nexec kill -HUP {manager.pid}\n",
    }


@contextmanager
def world(folder: Path) -> Iterator[World]:
    staged = stage(fabric_of(BEFORE), "s")
    with simulated_subnet(staged.network) as subnet:
        for number, plan in enumerate(staged.plans):
            subnet.start(plan, is_first=number == 0)
        manager = subnet.managers["gpu01"]
        with shell(folder, subnet) as port:
            for name, text in programs(folder, manager).items():
                (folder / "bin" / name).write_text(f"#!/bin/bash\n{text}")
                (folder / "bin" / name).chmod(0o755)
            (folder / "etc").mkdir()
            for name, text in with_made_up_keys(render_subnet(fabric_of(BEFORE), "s")).items():
                (folder / "etc" / name).write_text(text)
            whole = reached(port)
            subnets = whole.subnets.with_items({"s": INTENDED})
            yield World(replace(whole, subnets=subnets), folder / "etc", manager)


def missing(findings: list[Finding]) -> set[str]:
    return {place.device for one in findings for place in one.where}


@needs_opensm
@pytest.mark.slow
def test_a_real_manager_takes_what_is_deployed_and_comes_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NETCHECK_TEST_PASSWORD", SECRET)
    monkeypatch.setenv("M_KEY", KEY)
    monkeypatch.setattr(live, "PATHS", 40)
    with world(tmp_path / "host") as host:
        before = host.files
        assert "gpu04" in missing(not_held(verified(host.fabric).findings))
        plan = host.plan()
        (order,) = plan.orders.values()
        assert order.change.impact is Impact.NONE  # a reload, no restart
        assert deploy(plan, tmp_path / "state", NetmikoBackend(), confirm=lambda _: True).is_ok
        assert f"m_key {KEY}" in host.files["opensm.conf"].splitlines()
        assert (host.etc / "opensm.conf").stat().st_mode & 0o777 == 0o600
        assert not_held(verified(host.fabric).findings) == []
        assert host.plan().is_empty
        assert rollback(tmp_path / "state", "f", NetmikoBackend()).is_ok
        assert host.files == before
        assert "gpu04" in missing(not_held(verified(host.fabric).findings))
    told = [path for path in (tmp_path / "state").rglob("*") if path.is_file()]
    assert [path for path in told if KEY[2:] in path.read_text("utf-8", "replace")] == []


@needs_opensm
@pytest.mark.slow
def test_a_manager_that_ends_on_a_change_is_brought_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NETCHECK_TEST_PASSWORD", SECRET)
    monkeypatch.setenv("M_KEY", KEY)
    with world(tmp_path / "host") as host:
        before = host.files
        plan = host.plan()
        os.kill(host.manager.pid, signal.SIGKILL)
        result = deploy(plan, tmp_path / "state", NetmikoBackend(), confirm=lambda _: True)
        assert [(one.device, one.state) for one in result.outcomes] == [("gpu01", State.UNDONE)]
        assert host.files == before
