"""An installed wheel in an empty folder, in a fresh virtual environment: the whole chain."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import venv
import zipfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
MOST_S = 600  # the dependencies come from a package index, or from pip's cache
EXAMPLE = "examples/lab-small.yaml"
# Data beside the code that no import would miss.
NEEDED = (
    "netcheck/py.typed",
    "netcheck/intent/schema.json",
    "netcheck/lab/faults.yaml",
    "netcheck/lossless/data/asics.yaml",
    "netcheck/platforms/sonic/gcu.yaml",
    "netcheck/ansible/ansible_collections/netcheck/fabric/galaxy.yml",
    "netcheck/ansible/ansible_collections/netcheck/fabric/plugins/inventory/intent.py",
    f"netcheck/share/{EXAMPLE}",
    "netcheck/share/inventories/lab/lab.netcheck.yml",
    "netcheck/share/playbooks/deploy.yml",
    "netcheck/share/roles/deploy/tasks/main.yml",
    *(
        f"netcheck/platforms/{platform}/{file}"
        for platform in ("sonic", "linux")
        for file in ("anchors.yaml", "capabilities.yaml")
    ),
)
KINDS = {
    ".cfg",
    ".css",
    ".py",
    ".pyi",
    ".typed",
    ".json",
    ".yaml",
    ".yml",
    ".j2",
    ".sh",
    ".c",
    ".ini",
    ".md",
    ".toml",
}

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("wheel")]


@dataclass(frozen=True)
class Installed:
    """A virtual environment that holds the wheel, and an empty folder to work in."""

    environment: Path
    empty: Path
    home: Path

    @property
    def share(self) -> Path:
        """Examples, playbooks and roles inside the installed package."""
        return next(self.environment.glob("lib/python3*/site-packages/netcheck/share"))

    def run(self, *command: str) -> subprocess.CompletedProcess[str]:
        """Run a program of the virtual environment, with nothing of the checkout in sight."""
        program = str(self.environment / "bin" / command[0])
        variables = {"PATH": os.defpath, "HOME": str(self.home), "LC_ALL": "C.UTF-8"}
        return _run([program, *command[1:]], self.empty, variables)


def _run(
    command: Sequence[str], folder: Path, variables: dict[str, str]
) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        command,
        cwd=folder,
        env=variables,
        capture_output=True,
        text=True,
        check=False,
        timeout=MOST_S,
    )


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    command = [sys.executable, "-m", "build", "--wheel", "--no-isolation", "-o", str(folder)]
    done = _run([*command, str(ROOT)], folder, dict(os.environ))
    assert done.returncode == 0, done.stdout + done.stderr
    return next(folder.glob("*.whl"))


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Installed:
    folder = tmp_path_factory.mktemp("installed")
    found = Installed(folder / "venv", folder / "empty", folder / "home")
    found.empty.mkdir()
    found.home.mkdir()
    venv.create(found.environment, with_pip=True)
    pip = [str(found.environment / "bin" / "pip"), "install", "-q", f"{wheel}[lab]"]
    variables = {name: text for name, text in os.environ.items() if name != "PYTHONPATH"}
    done = _run(pip, found.empty, variables)
    assert done.returncode == 0, done.stdout + done.stderr
    return found


def test_the_wheel_holds_what_is_needed_and_nothing_else(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        names = [name for name in archive.namelist() if ".dist-info/" not in name]
    assert [name for name in NEEDED if name not in names] == []
    assert [name for name in names if not name.startswith("netcheck/")] == []
    assert [name for name in names if re.search(r"(^|/)(\.|__pycache__|tests?/)", name)] == []
    assert [name for name in names if Path(name).suffix not in KINDS] == []


def test_the_wheel_holds_every_file_of_the_package_that_git_knows(wheel: Path) -> None:
    listed = _run(["git", "ls-files", "netcheck"], ROOT, dict(os.environ))
    if listed.returncode:
        pytest.skip("the checkout is no git repository; the list of files is not known")
    there = [name for name in listed.stdout.split() if (ROOT / name).is_file()]
    with zipfile.ZipFile(wheel) as archive:
        assert set(there) - set(archive.namelist()) == set()


def test_its_dependencies_agree(installed: Installed) -> None:
    done = installed.run("pip", "check")
    assert done.returncode == 0, done.stdout


def test_the_code_that_runs_is_the_installed_one(installed: Installed) -> None:
    done = installed.run("python", "-c", "import netcheck; print(netcheck.__file__)")
    assert done.stdout.startswith(str(installed.environment))


def test_an_installed_netcheck_lints_and_renders(installed: Installed, tmp_path: Path) -> None:
    example = str(installed.share / EXAMPLE)
    lint = installed.run("netcheck", "lint", example)
    assert (lint.returncode, lint.stdout.splitlines()[-1:]) == (
        0,
        ["clean: no findings on 3 devices"],
    )
    render = installed.run("netcheck", "render", example, "-o", str(tmp_path / "out"))
    assert render.returncode == 0, render.stderr
    assert (tmp_path / "out" / "leaf01").is_dir()


@pytest.mark.parametrize("backend", ["netmiko", "ansible"])
def test_an_installed_netcheck_runs_the_chain(installed: Installed, backend: str) -> None:
    example = str(installed.share / EXAMPLE)
    done = installed.run("netcheck", "run", example, "--lab", "--backend", backend)
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.splitlines()[-1] == "lossless (simulated)"
    assert list(installed.empty.iterdir()) == []
