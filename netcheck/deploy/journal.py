"""What a run did, on disk before and after it does it.

Layout of a state folder::

    STATE/lock                    held by the run at work
    STATE/work                    shared by all that work on devices for it
    STATE/runs/RUN/run.json       fabric, batches, backend
    STATE/runs/RUN/orders/DEVICE.json
    STATE/runs/RUN/journal.jsonl  one line an event, appended and flushed

A run without a journal line touched nothing. Lines that a cut left torn are
passed over: what they would have said happened is then found on the device.
"""

from __future__ import annotations

import fcntl
import json
import os
import secrets
import shutil
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum
from pathlib import Path
from typing import Final

from netcheck.collect.atomic import append_durably, remove_leftovers, write_atomically
from netcheck.collect.snapshot import safe_name
from netcheck.deploy.codec import decode, encode
from netcheck.deploy.plan import Order, Plan
from netcheck.model.errors import InputError

_WORK_WAIT_S: Final = 120.0


class Phase(StrEnum):
    """How far a device is; words ending in -ing are written before, others after."""

    PLANNED = "planned"
    SAVING = "saving"
    SAVED = "saved"
    CHANGING = "changing"
    CHANGED = "changed"
    CHECKED = "checked"
    PERSISTING = "persisting"
    DONE = "done"
    FAILED = "failed"
    UNDOING = "undoing"
    UNDONE = "undone"
    STUCK = "stuck"


TOUCHED: Final = frozenset(
    {Phase.CHANGING, Phase.CHANGED, Phase.CHECKED, Phase.PERSISTING, Phase.DONE}
    | {Phase.UNDOING, Phase.STUCK}
)
"""Phases from which something may have to be brought back."""


class Mark(StrEnum):
    """Events of a run as a whole."""

    STARTED = "started"
    ROLLBACK = "rollback"
    FINISHED = "finished"
    SUPERSEDED = "superseded"


@dataclass(frozen=True, slots=True)
class Event:
    """One line of a journal; ``device`` is empty for the run as a whole."""

    at: str
    device: str
    what: str
    note: str = ""


@dataclass(frozen=True, slots=True)
class RunHead:
    """What a run is about; ``names`` are the devices it changes."""

    run: str
    fabric: str
    backend: str
    batches: tuple[tuple[str, ...], ...]

    @property
    def names(self) -> tuple[str, ...]:
        """Devices of all batches, in order."""
        return tuple(name for batch in self.batches for name in batch)


@dataclass(frozen=True, slots=True)
class Run:
    """A run on disk."""

    folder: Path

    @property
    def name(self) -> str:
        """Name of the run, which begins with its time."""
        return self.folder.name

    def head(self) -> RunHead:
        """Give what the run is about.

        Raises:
            InputError: It cannot be read.
        """
        found = _read(self.folder / "run.json", RunHead)
        if not isinstance(found, RunHead):
            raise InputError(f"{self.folder}: is no run")
        return found

    def order(self, device: str) -> Order:
        """Give a device's order.

        Raises:
            InputError: It cannot be read.
        """
        found = _read(self._order_path(device), Order)
        if not isinstance(found, Order):
            raise InputError(f"{self.folder}: has no order for {device}")
        return found

    def write_order(self, order: Order) -> None:
        """Write a device's order, whole or not at all."""
        write_atomically(self._order_path(order.name), _dump(order), mode=0o600)

    def note(self, device: str, what: Phase | Mark, note: str = "") -> None:
        """Append an event and flush it to disk."""
        at = datetime.now(UTC).isoformat(timespec="milliseconds")
        line = json.dumps({"at": at, "device": device, "what": what.value, "note": note})
        append_durably(self._journal, line)

    def events(self) -> list[Event]:
        """Give all events that are whole."""
        try:
            lines = self._journal.read_text(encoding="utf-8", errors="replace").splitlines()
        except FileNotFoundError:
            return []
        return [event for event in map(_event, lines) if event is not None]

    def phases(self) -> dict[str, Phase]:
        """Give how far each device is, by its last event."""
        return {event.device: Phase(event.what) for event in self.events() if event.device}

    def last_note(self, device: str) -> str:
        """Give what the last event of a device says beside its phase."""
        notes = [event.note for event in self.events() if event.device == device]
        return notes[-1] if notes else ""

    def reached(self, device: str, phase: Phase) -> bool:
        """Tell whether a device has an event of this phase."""
        return any(e.device == device and e.what == phase.value for e in self.events())

    @property
    def is_started(self) -> bool:
        """It may have touched a device."""
        return bool(self.events())

    @property
    def last_mark(self) -> Mark | None:
        """The last event of the run as a whole."""
        marks = [event.what for event in self.events() if not event.device]
        return Mark(marks[-1]) if marks else None

    @property
    def is_open(self) -> bool:
        """It, or its rollback, was cut off and not taken over by another run."""
        return self.last_mark in (Mark.STARTED, Mark.ROLLBACK)

    @property
    def _journal(self) -> Path:
        return self.folder / "journal.jsonl"

    def _order_path(self, device: str) -> Path:
        return self.folder / "orders" / f"{safe_name(device)}.json"


def begin_run(state: Path, plan: Plan, backend: str) -> Run:
    """Write a plan down as a run that has not started."""
    stamp = datetime.now(UTC).strftime("%Y%m%dT%H%M%S%fZ")
    folder = state / "runs" / f"{stamp}-{secrets.token_hex(2)}"
    folder.mkdir(parents=True, mode=0o700)
    run = Run(folder)
    head = RunHead(run.name, plan.fabric, backend, plan.batches)
    for name in head.names:
        run.write_order(plan.orders[name])
    write_atomically(folder / "run.json", _dump(head), mode=0o600)
    return run


def runs(state: Path, fabric: str) -> list[Run]:
    """Give the runs of a fabric that may have touched a device, oldest first.

    Raises:
        InputError: A run's head is damaged.
    """
    folders = sorted((state / "runs").glob("*/run.json"))
    found = [Run(path.parent) for path in folders]
    return [run for run in found if run.is_started and run.head().fabric == fabric]


def open_runs(state: Path, fabric: str) -> list[Run]:
    """Give the runs of a fabric that were cut off, oldest first.

    Raises:
        InputError: A run's head is damaged.
    """
    return [run for run in runs(state, fabric) if run.is_open]


def forget_unstarted(state: Path) -> None:
    """Remove runs that were cut off before they could touch anything."""
    for folder in (state / "runs").glob("*/"):
        if not Run(folder).is_started:
            shutil.rmtree(folder)


def default_state(fabric: str) -> Path:
    """Give the state folder of a fabric where the user names none."""
    home = os.environ.get("XDG_STATE_HOME") or str(Path.home() / ".local" / "state")
    return Path(home) / "netcheck" / safe_name(fabric)


@contextmanager
def locked(state: Path) -> Iterator[None]:
    """Be the only run at work in a state folder while the block runs.

    A run that was killed may have left children at work on a device; they are
    waited for.

    Raises:
        InputError: Another run is at work.
    """
    state.mkdir(parents=True, exist_ok=True, mode=0o700)
    with (state / "lock").open("w") as lock, (state / "work").open("w") as work:
        _take(lock.fileno(), state, wait_s=0.0)
        _take(work.fileno(), state, wait_s=_WORK_WAIT_S)
        fcntl.flock(work, fcntl.LOCK_UN)
        remove_leftovers(state)
        yield


@contextmanager
def at_work(state: Path) -> Iterator[None]:
    """Tell later runs that a device is being worked on while the block runs."""
    with (state / "work").open("w") as work:
        fcntl.flock(work, fcntl.LOCK_SH)
        yield


def _take(descriptor: int, state: Path, *, wait_s: float) -> None:
    end = time.monotonic() + wait_s
    while True:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if time.monotonic() >= end:
                raise InputError(f"{state}: another run is at work there") from None
            time.sleep(0.05)
        else:
            return


def _dump(value: object) -> str:
    return json.dumps(encode(value), indent=1) + "\n"


def _read(path: Path, kind: type) -> object:
    try:
        return decode(kind, json.loads(path.read_text(encoding="utf-8")), str(path))
    except OSError as error:
        raise InputError(f"{path}: cannot be read ({error.strerror})") from error
    except ValueError as error:
        raise InputError(f"{path}: is damaged ({error})") from error


def _event(line: str) -> Event | None:
    """Read a line; one that a cut left torn is none."""
    try:
        data = json.loads(line)
        event = Event(data["at"], data["device"], data["what"], data.get("note", ""))
        known = Phase if event.device else Mark
        known(event.what)
    except (ValueError, KeyError, TypeError, AttributeError):
        return None
    return event
