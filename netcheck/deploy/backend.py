"""How orders reach devices: directly, or by Ansible. The work on a device is the same code."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass
from functools import partial
from typing import Protocol

from netcheck.collect.fanout import PACE, Pace, Progress, fan_out, silent
from netcheck.deploy.device import Outcome, apply_order, undo_order
from netcheck.deploy.journal import Run
from netcheck.model.errors import InputError


class Backend(Protocol):
    """Works on the devices of one batch at once and gives one outcome for each."""

    @property
    def name(self) -> str:
        """How the user calls it."""

    def apply(self, run: Run, names: Sequence[str]) -> list[Outcome]:
        """Bring devices to what was rendered."""

    def undo(self, run: Run, names: Sequence[str]) -> list[Outcome]:
        """Bring devices back to what they held."""


@dataclass(frozen=True)
class NetmikoBackend:
    """Sessions from this process, one thread a device."""

    executor: Executor | None = None
    pace: Pace = PACE
    progress: Progress = silent
    name: str = "netmiko"

    def apply(self, run: Run, names: Sequence[str]) -> list[Outcome]:
        """Bring devices to what was rendered."""
        return self._each(partial(apply_order, run), names)

    def undo(self, run: Run, names: Sequence[str]) -> list[Outcome]:
        """Bring devices back to what they held."""
        return self._each(partial(undo_order, run), names)

    def _each(self, work: Callable[[str], Outcome], names: Sequence[str]) -> list[Outcome]:
        outcomes = []
        for outcome in fan_out(work, names, executor=self.executor, pace=self.pace):
            self.progress(outcome.device, outcome.reason or outcome.state.value)
            outcomes.append(outcome)
        return sorted(outcomes, key=lambda outcome: names.index(outcome.device))


def backend(name: str, *, pace: Pace = PACE, progress: Progress = silent) -> Backend:
    """Give the backend of that name.

    Raises:
        InputError: There is none of that name.
    """
    if name == "netmiko":
        return NetmikoBackend(pace=pace, progress=progress)
    if name == "ansible":
        from netcheck.deploy.ansible import AnsibleBackend  # noqa: PLC0415 -- only when chosen

        return AnsibleBackend(pace=pace, progress=progress)
    raise InputError(f"backend expected netmiko or ansible, found {name}")
