"""Runs by Ansible: one playbook a batch through ansible-runner, in an environment without secrets.

ansible-runner writes the whole environment of its child to disk, so the child
gets a minimal one. Logins are asked for over a socket (``collect.secrets``),
outcomes are read from the run's journal, and of the artifacts only what
Ansible printed is kept.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from netcheck.collect.atomic import write_atomically
from netcheck.collect.connection import KNOWN_HOSTS
from netcheck.collect.fanout import PACE, Pace, Progress, silent
from netcheck.collect.secrets import secret_server
from netcheck.deploy.device import Outcome, State
from netcheck.deploy.journal import TOUCHED, Event, Phase, Run
from netcheck.deploy.share import collections_path, shared
from netcheck.platforms.placeholders import references as references_in

_KEPT_VARIABLES: Final = ("SSH_AUTH_SOCK", "TMPDIR", KNOWN_HOSTS)
_STATES: Final = {
    Phase.DONE: State.DONE,
    Phase.UNDONE: State.UNDONE,
    Phase.STUCK: State.STUCK,
}


@dataclass(frozen=True)
class AnsibleBackend:
    """Playbooks of ours, run by ansible-runner.

    Attributes:
        variables: Added to the child's environment; never for secrets.
    """

    pace: Pace = PACE
    progress: Progress = silent
    variables: Mapping[str, str] = field(default_factory=dict)
    name: str = "ansible"

    def apply(self, run: Run, names: Sequence[str]) -> list[Outcome]:
        """Bring devices to what was rendered."""
        return self._play("deploy.yml", run, names)

    def undo(self, run: Run, names: Sequence[str]) -> list[Outcome]:
        """Bring devices back to what they held."""
        return self._play("rollback.yml", run, names) if names else []

    def _play(self, playbook: str, run: Run, names: Sequence[str]) -> list[Outcome]:
        targets = [run.order(name).target for name in names]
        logins = [r for target in targets for r in (target.password, target.key)]
        texts = [text for name in names for text in run.order(name).rendered.values()]
        references = [*logins, *(one for text in texts for one in references_in(text))]
        seen = len(run.events())
        folder = _private_folder(run)
        with secret_server(references) as address:
            _write_inputs(folder, run, names, address)
            said = self._run_child(folder, playbook)
        _scrub(folder)
        events = run.events()[seen:]
        outcomes = [_outcome(run, name, events, said) for name in names]
        for outcome in outcomes:
            self.progress(outcome.device, outcome.reason or outcome.state.value)
        return outcomes

    def _run_child(self, folder: Path, playbook: str) -> str:
        """Run a playbook to its end; give the last thing Ansible said when it failed."""
        command = [sys.executable, "-m", "ansible_runner", "run", str(folder)]
        command += ["-p", str(shared("playbooks") / playbook), "-i", "run", "-q"]
        command += ["--forks", str(self.pace.workers)]
        done = subprocess.run(  # noqa: S603 -- our own interpreter and paths
            command,
            env={**child_environment(folder), **self.variables},
            capture_output=True,
            check=False,
            text=True,
            errors="replace",
            stdin=subprocess.DEVNULL,
            cwd=folder,
        )
        return "" if done.returncode == 0 else _last_words(folder, done.stderr)


def child_environment(folder: Path) -> dict[str, str]:
    """Give the environment of a child: what it needs to run, and nothing of the user's."""
    package = Path(__file__).resolve().parents[2]
    kept = {name: os.environ[name] for name in _KEPT_VARIABLES if name in os.environ}
    return kept | {
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.defpath}",
        "HOME": str(folder),
        "LANG": "C.UTF-8",
        "LC_ALL": "C.UTF-8",
        "PYTHONPATH": str(package),
        "ANSIBLE_HOME": str(folder / "home"),
        "ANSIBLE_CONFIG": str(folder / "ansible.cfg"),
        "ANSIBLE_COLLECTIONS_PATH": str(collections_path()),
        "ANSIBLE_ROLES_PATH": str(shared("roles")),
        "ANSIBLE_LOCALHOST_WARNING": "False",
        "ANSIBLE_RETRY_FILES_ENABLED": "False",
    }


def _private_folder(run: Run) -> Path:
    number = len(list(run.folder.glob("ansible-*"))) + 1
    folder = run.folder.resolve() / f"ansible-{number}"  # the child works in that folder
    folder.mkdir(mode=0o700)
    return folder


def _write_inputs(folder: Path, run: Run, names: Sequence[str], address: Path) -> None:
    hosts: dict[str, dict[str, str]] = {name: {} for name in names}
    inventory = {"netcheck": {"hosts": hosts}}
    write_atomically(folder / "ansible.cfg", "[defaults]\n")
    write_atomically(folder / "inventory" / "hosts.json", json.dumps(inventory))
    variables = {
        "netcheck_run": str(run.folder.resolve()),
        "netcheck_secrets": str(address),
        "netcheck_serial": ["100%"],
    }
    write_atomically(folder / "env" / "extravars", json.dumps(variables))


def _last_words(folder: Path, errors: str) -> str:
    said = folder / "artifacts" / "run" / "stdout"
    text = said.read_text(errors="replace") if said.is_file() else errors
    lines = [line for line in text.splitlines() if "fatal:" in line or "ERROR" in line]
    return (lines or text.splitlines() or ["no output"])[-1].strip()[:500]


def _scrub(folder: Path) -> None:
    """Keep what Ansible printed; remove everything else that it left behind."""
    said = folder / "artifacts" / "run" / "stdout"
    if said.is_file():
        write_atomically(folder / "stdout", said.read_bytes(), mode=0o600)
    for name in ("artifacts", "home", "env", "inventory"):
        shutil.rmtree(folder / name, ignore_errors=True)


def _outcome(run: Run, name: str, events: Sequence[Event], said: str) -> Outcome:
    """Give how a device stands by the journal; a worker that died says nothing there."""
    mine = [event for event in events if event.device == name]
    last = Phase(mine[-1].what) if mine else Phase.PLANNED
    if last in _STATES:
        return Outcome(name, _STATES[last], mine[-1].note)
    is_touched = last in TOUCHED or run.reached(name, Phase.CHANGING)
    note = mine[-1].note if last is Phase.FAILED else f"ansible: {said or 'did not come to it'}"
    return Outcome(name, State.FAILED if is_touched else State.UNTOUCHED, note)
