"""How a change gets onto a switch: in a configuration session, committed under a timer.

Lines are typed into a session, which the switch takes as a whole or not at all.
The commit waits for its confirmation: a switch that cannot be reached any more
goes back by itself. The configuration held before is kept in a file of flash.
Source: Arista EOS User Manual, Managing Switch Configuration Settings
(configuration sessions, `commit timer`, `configure replace`).
"""

from __future__ import annotations

from collections.abc import Mapping
from hashlib import sha256
from typing import Final

from netcheck.model.device import Device
from netcheck.model.document import DocumentKind
from netcheck.model.errors import InputError
from netcheck.platforms.eos.applied.edits import Edits, Texts, find_edits, read_texts
from netcheck.platforms.eos.applied.impact import disturbance
from netcheck.platforms.platform import Change, Command, Removal, Run, Step

FILE: Final = "running-config.txt"
SAVED: Final = "flash:netcheck-before.cfg"
TIMER: Final = "00:05:00"
LINE_S: Final = 60.0
COMMIT_S: Final = 300.0
PERSIST: Final = (Run("write memory", COMMIT_S),)


def holdings(device: Device) -> tuple[Command, ...]:  # noqa: ARG001 -- the same for every switch
    """Give the commands whose outputs ``plan`` has to see."""
    return (Command("show running-config", FILE, DocumentKind.CONFIG),)


def plan(device: Device, rendered: Mapping[str, str], held: Mapping[str, str]) -> Change:
    """Give the change from what the switch holds to what is rendered.

    Raises:
        InputError: The held configuration is missing or none of a whole switch, or a
            port that is rendered is not on the switch.
    """
    text = held.get(FILE)
    if text is None:
        raise InputError(f"{device.name} {FILE}: is not there")
    now = read_texts(text, FILE)
    if not now.config.is_whole:
        raise InputError(
            f"{device.name} {FILE}: expected a running-config with hostname, found none"
        )
    wanted = read_texts(rendered.get(FILE, ""), FILE)
    _refuse_missing_ports(device, now, wanted)
    edits = find_edits(now, wanted)
    if not edits.lines:
        return Change()
    return _change(edits, _session(text, edits))


def _refuse_missing_ports(device: Device, now: Texts, wanted: Texts) -> None:
    missing = [name for name in wanted.config.interfaces if name not in now.config.interfaces]
    if missing:
        there = ", ".join(list(now.config.interfaces)[:4]) or "no interface"
        raise InputError(
            f"{device.name} interface {missing[0]}: expected on the switch, found {there}"
        )


def _session(held: str, edits: Edits) -> str:
    """Name of the session: the same for the same change, so that a run can go on."""
    lines = "\n".join([held, *edits.lines])
    return f"netcheck-{sha256(lines.encode()).hexdigest()[:8]}"


def _change(edits: Edits, session: str) -> Change:
    effect = disturbance(edits.subjects)
    lines = (
        f"configure session {session}",
        *edits.lines,
        "show session-config diffs",
    )
    return Change(
        objects=tuple(edits.objects),
        removals=tuple(Removal(name) for name in edits.removals),
        save=(Run(f"copy running-config {SAVED}", COMMIT_S),),
        steps=(
            *(Run(line, LINE_S) for line in lines),
            Run(f"commit timer {TIMER}", COMMIT_S),
            Run(f"configure session {session} commit", COMMIT_S),
        ),
        undo=_undo(session),
        persist=PERSIST,
        impact=effect.impact,
        reason=effect.reason,
        source=effect.source,
    )


def _undo(session: str) -> tuple[Step, ...]:
    """Give up the session wherever it stands, then take the kept configuration.

    The first three fail where there is nothing to give up or to forget; what counts is
    the configuration. A completed session keeps its name, which the next run may need.
    """
    return (
        Run("abort", LINE_S),
        Run(f"configure session {session} abort", LINE_S),
        Run(f"no configure session {session}", LINE_S),
        Run(f"configure replace {SAVED}", COMMIT_S),
        *PERSIST,
    )
