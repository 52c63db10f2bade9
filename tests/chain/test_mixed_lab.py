"""The fabric of four systems: lossless by the chain, and driven by ansible-playbook alone."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from netcheck import api
from netcheck.chain import ChainOptions, lab_for, run_chain
from netcheck.collect.collector import collect
from netcheck.lab import control
from netcheck.model.finding import Basis, ExitCode, RunResult
from netcheck.perf.options import PerfOptions
from netcheck.report.report import exit_code
from tests.chain.lab_world import ROOT, errors, quiet, told

pytestmark = pytest.mark.slow

INTENT = ROOT / "examples" / "lab-mixed.yaml"
DEVICES = 22


def test_the_fabric_of_four_systems_is_lossless_and_follows_one_policy(tmp_path: Path) -> None:
    fabric = api.complete(api.load_intent(INTENT, deployable=True))
    with lab_for(fabric, tmp_path / "lab", ()) as (reached, _):
        options = ChainOptions(
            state=tmp_path / "state",
            basis=Basis.SIMULATED,
            perf=PerfOptions(settle_s=0.0, probe_after_s=0.0),
        )
        report = run_chain(reached, options, quiet)
        collect(reached, tmp_path / "snapshot")
    assert errors(report.findings) == [], told(report.findings)
    assert report.verdict is not None
    assert report.verdict.run is RunResult.LOSSLESS, told(report.findings)
    assert exit_code(report) is ExitCode.CLEAN, told(report.findings)
    imported = api.import_paths([tmp_path / "snapshot"], tmp_path / "found.yaml")
    assert imported.findings == (), told(imported.findings)
    found = api.load_intent(tmp_path / "found.yaml")
    assert list(found.policies) == ["roce"]
    assert set(found.devices) == set(fabric.devices)
    ends = {frozenset({link.a, link.b}) for link in fabric.links}
    assert {frozenset({link.a, link.b}) for link in found.links} == ends
    judged = api.lint_paths([tmp_path / "found.yaml"])
    assert errors(judged.findings) == [], told(judged.findings)


def play(home: Path, playbook: str, *more: str) -> subprocess.CompletedProcess[str]:
    """Run a playbook by hand from the checkout, on the lab below ``home``."""
    program = Path(sys.executable).with_name("ansible-playbook")
    return subprocess.run(
        [str(program), "-i", "inventories/lab", f"playbooks/{playbook}.yml", *more],
        env={
            "PATH": os.environ["PATH"],
            "HOME": str(home),
            "LC_ALL": "C.UTF-8",
            "NETCHECK_LAB": str(home / "lab"),
            "XDG_STATE_HOME": str(home),
        },
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )


def test_ansible_alone_deploys_verifies_and_rolls_back_all_four(tmp_path: Path) -> None:
    fabric = api.complete(api.load_intent(INTENT, deployable=True))
    control.start_lab(fabric, tmp_path / "lab")
    try:
        first = play(tmp_path, "deploy")
        assert first.returncode == 0, first.stdout
        assert first.stdout.partition("PLAY RECAP")[2].count("changed=1") == DEVICES
        again = play(tmp_path, "deploy")
        assert again.stdout.partition("PLAY RECAP")[2].count("changed=0") == DEVICES, again.stdout
        assert play(tmp_path, "verify").returncode == 0
        for device in ("spine01", "leaf01", "leaf03", "leaf04"):
            control.inject(tmp_path / "lab", "ecn-off", device)
        broken = play(tmp_path, "verify")
        assert broken.returncode != 0
        for device in ("spine01", "leaf01", "leaf03", "leaf04"):
            assert f"{device}: differs in " in broken.stdout
        control.clear(tmp_path / "lab")
        run = next((tmp_path / "netcheck" / fabric.name / "runs").iterdir())
        back = play(tmp_path, "rollback", "-e", f"netcheck_run={run}")
        assert back.stdout.partition("PLAY RECAP")[2].count("changed=1") == DEVICES, back.stdout
    finally:
        control.stop_lab(tmp_path / "lab")
