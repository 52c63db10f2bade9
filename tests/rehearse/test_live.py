"""A subnet verified over SSH, at a host whose infiniband-diags see a real OpenSM's fabric."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from netcheck.collect.target import Target
from netcheck.compare.subnet_pages import unread
from netcheck.lab.opensm.process import wait_until
from netcheck.lab.opensm.subnet import SimulatedSubnet, simulated_subnet
from netcheck.lab.staging import Staged, stage
from netcheck.model.fabric import Credentials, Fabric
from netcheck.model.finding import Finding, Verdict
from netcheck.model.frozenmap import FrozenMap
from netcheck.model.known import UNKNOWN
from netcheck.model.subnets import Subnet
from netcheck.platforms.infiniband.commands import is_read_only
from netcheck.rehearse import live
from netcheck.rehearse.live import probes_of, verify_subnet, with_subnets
from netcheck.rehearse.rehearse import ALIVE, LISTED_S, SM_STATE
from netcheck.report.report import Report
from tests.lab.opensm.ib_labs import needs_opensm
from tests.platforms.opensm.opensm_subnets import TENANTS, TREE, fabric_of

SERVER = Path(__file__).parents[1] / "collect" / "bash_server.py"
TOOLS = (
    "ibnetdiscover",
    "saquery",
    "sminfo",
    "dump_fts",
    "iblinkinfo",
    "ibqueryerrors",
    "smpquery",
)
SECRET = "not-told"
SUBNET = replace(TREE, partitions=TENANTS, subnet_managers=("gpu01", "gpu02"))


@contextmanager
def shell(folder: Path, subnet: SimulatedSubnet) -> Iterator[int]:
    """A real shell over SSH whose tools see the simulated fabric; gives its port."""
    programs = folder / "bin"
    programs.mkdir(parents=True)
    (folder / "password.right").write_text(SECRET)
    master = subnet.managers["gpu01"]
    socket = subnet.environment["IBSIM_SOCKNAME"]
    scripts = {
        tool: f"export IBSIM_SOCKNAME={socket} SIM_HOST={master.node}\n"
        f'export LD_PRELOAD={subnet.tools.preload}\ncd {folder}\nexec /usr/sbin/{tool} "$@"\n'
        for tool in TOOLS
    }
    scripts["sudo"] = 'exec "$@"\n'
    scripts["grep"] = f'exec /bin/grep -h "tables configured" {master.folder}/opensm.log\n'
    for name, text in scripts.items():
        (programs / name).write_text(f"#!/bin/sh\n{text}")
        (programs / name).chmod(0o755)
    command = [sys.executable, str(SERVER), str(folder)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        try:
            yield int(server.stdout.readline())
        finally:
            server.terminate()


@contextmanager
def host(folder: Path, written: Staged) -> Iterator[Fabric]:
    """The intended fabric, whose first manager is a host that can be logged in to."""
    with simulated_subnet(written.network) as subnet:
        for number, plan in enumerate(written.plans):
            subnet.start(plan, is_first=number == 0)
        wait_until(lambda: _listed(subnet) == len(written.plans), LISTED_S, 0.3)
        with shell(folder, subnet) as port:
            yield reached(port)


def _listed(subnet: SimulatedSubnet) -> int:
    """Managers that the subnet administrator lists as master or standby: after its next sweep."""
    answer = subnet.diags.run("saquery", "SMIR").text
    return sum(state in ALIVE for state in SM_STATE.findall(answer))


def reached(port: int) -> Fabric:
    fabric = fabric_of(SUBNET)
    manager = replace(
        fabric.devices["gpu01"],
        platform="opensm",
        mgmt="127.0.0.1",
        mgmt_port=port,
        credentials="lab",
    )
    login = Credentials("lab", "admin", password="env:NETCHECK_TEST_PASSWORD")
    devices = fabric.devices.with_items({"gpu01": manager})
    return replace(fabric, devices=devices, credentials=FrozenMap({"lab": login}))


def not_held(findings: tuple[Finding, ...]) -> list[Finding]:
    return [one for one in findings if one.verdict in {Verdict.FAIL, Verdict.UNVERIFIED}]


def verified(fabric: Fabric) -> Report:
    return with_subnets(Report("verify", (), fabric=fabric), fabric)


@needs_opensm
@pytest.mark.slow
def test_a_live_subnet_as_intended_is_read_over_a_login(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NETCHECK_TEST_PASSWORD", SECRET)
    monkeypatch.setattr(live, "PATHS", 40)
    with host(tmp_path, stage(fabric_of(SUBNET), "s")) as fabric:
        report = verified(fabric)
    assert not_held(report.findings) == []
    told = "\n".join(report.notes)
    assert "s: read at gpu01" in told
    assert "s: read back: routes of 6 switches; tables of 16 of 16 host ports" in told
    assert "s: routing engine: updn" in told


@needs_opensm
@pytest.mark.slow
def test_a_live_subnet_that_is_not_as_intended_says_where(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NETCHECK_TEST_PASSWORD", SECRET)
    monkeypatch.setattr(live, "PATHS", 40)
    without = replace(
        TENANTS["b"], members=FrozenMap({"gpu03": "full"})
    )  # gpu04 lost its partition
    other = replace(SUBNET, partitions=TENANTS.with_items({"b": without}), routing=("minhop",))
    with host(tmp_path, stage(fabric_of(other), "s")) as fabric:
        found = not_held(verified(fabric).findings)
    told = {(one.rule, place.device) for one in found for place in one.where}
    assert ("partition-keys-differ", "gpu04") in told
    assert ("switch-keys-differ", "leaf01") in told
    assert "routing-engine-differs" in {one.rule for one in found}


def test_a_login_that_fails_is_unverified(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NETCHECK_TEST_PASSWORD", raising=False)
    fabric = reached(1)
    (target,) = probes_of(fabric, SUBNET)
    ((finding,), _) = verify_subnet(fabric, SUBNET, target, "baseline", lambda _: None)
    assert (finding.rule, finding.verdict) == ("subnet-not-read", Verdict.UNVERIFIED)
    assert "NETCHECK_TEST_PASSWORD is not set" in finding.message


def test_without_a_manager_to_log_in_to_it_is_said() -> None:
    fabric = fabric_of(SUBNET)
    report = verified(fabric)
    assert report.notes == ("s: no manager to log in to; the subnet was not read",)
    assert probes_of(fabric, replace(SUBNET, subnet_managers=UNKNOWN)) == []


def test_a_limit_that_leaves_the_managers_out_reads_nothing() -> None:
    assert probes_of(reached(1), SUBNET, ["leaf*"]) == []
    assert [one.device for one in probes_of(reached(1), SUBNET, ["gpu*"])] == ["gpu01"]


def test_a_manager_that_cannot_be_read_leaves_it_to_the_next(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def read_or_not(
        _fabric: Fabric, _subnet: Subnet, target: Target, *_: object
    ) -> tuple[list[Finding], list[str]]:
        if target.device == "gpu01":
            return [unread("subnet-not-read", [], "login refused", "login")], []
        return [], [f"read at {target.device}"]

    monkeypatch.setattr(live, "verify_subnet", read_or_not)
    fabric = reached(1)
    second = replace(fabric.devices["gpu01"], name="gpu02")
    report = verified(replace(fabric, devices=fabric.devices.with_items({"gpu02": second})))
    assert not_held(report.findings) == []
    assert report.notes == ("s: not read at gpu01: login refused: no answer", "s: read at gpu02")


def test_all_that_is_asked_only_reads() -> None:
    assert is_read_only("dump_fts -n")
    assert not is_read_only("dump_fts -n; reboot")
