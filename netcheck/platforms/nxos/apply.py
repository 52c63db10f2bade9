"""How a change gets onto a switch: typed line by line, with a checkpoint to go back to.

NX-OS has no candidate configuration by default. A checkpoint is taken first;
``rollback ... atomic`` brings it back or leaves everything as it is.
Source: Cisco Nexus 9000 NX-OS System Management Configuration Guide, Configuring
Rollback.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

from netcheck.model.device import Device
from netcheck.model.document import DocumentKind
from netcheck.model.errors import InputError
from netcheck.platforms.nxos.applied.changes import edits
from netcheck.platforms.nxos.applied.held import Held, read_held
from netcheck.platforms.nxos.applied.impact import disturbance
from netcheck.platforms.platform import Change, Command, Removal, Run, Step

FILE: Final = "running-config.txt"
CHECKPOINTS: Final = "checkpoints.txt"
KEPT: Final = 3  # the switch keeps ten; others belong to its users
LINE_S: Final = 60.0
ROLLBACK_S: Final = 300.0
PERSIST: Final = (Run("copy running-config startup-config", ROLLBACK_S),)


def holdings(device: Device) -> tuple[Command, ...]:  # noqa: ARG001 -- the same for every switch
    """Give the commands whose outputs ``plan`` has to see."""
    return (
        Command("show running-config", FILE, DocumentKind.CONFIG),
        Command("show checkpoint summary", CHECKPOINTS, DocumentKind.STATE, may_fail=True),
    )


def plan(device: Device, rendered: Mapping[str, str], held: Mapping[str, str]) -> Change:
    """Give the change from what the switch holds to what is rendered.

    Raises:
        InputError: The held configuration is missing or none of a whole switch, or a
            port that is rendered is not on the switch.
    """
    now = _read(device, held.get(FILE))
    wanted = read_held(rendered.get(FILE, ""))
    missing = sorted(set(wanted.ports) - set(now.ports))
    if missing:
        raise InputError(
            f"{device.name} interface {missing[0]}: expected on the switch, found"
            f" {', '.join(sorted(now.ports)[:4]) or 'no interface'}"
        )
    found = edits(now, wanted)
    if not found.lines:
        return Change()
    effect = disturbance(found.subjects)
    save, undo = _checkpoint(held.get(CHECKPOINTS, ""))
    return Change(
        objects=tuple(found.objects),
        removals=tuple(Removal(name) for name in found.removals),
        save=save,
        steps=tuple(Run(line, LINE_S) for line in ("configure terminal", *found.lines, "end")),
        undo=undo,
        persist=PERSIST,
        impact=effect.impact,
        reason=effect.reason,
        source=effect.source,
    )


def _read(device: Device, text: str | None) -> Held:
    if text is None:
        raise InputError(f"{device.name} {FILE}: is not there")
    held = read_held(text)
    if not held.has_host:
        raise InputError(
            f"{device.name} {FILE}: expected a running-config with hostname, found none"
        )
    return held


def _checkpoint(summary: str) -> tuple[tuple[Step, ...], tuple[Step, ...]]:
    """Give the steps that take the next checkpoint (and drop old ones), and that go back to it."""
    numbers = sorted({int(found) for found in re.findall(r"\bnetcheck-(\d+)\b", summary)})
    name = f"netcheck-{numbers[-1] + 1 if numbers else 1}"
    old = numbers[: max(len(numbers) - KEPT + 1, 0)]
    save = (*(Run(f"no checkpoint netcheck-{each}") for each in old), Run(f"checkpoint {name}"))
    undo = (Run(f"rollback running-config checkpoint {name} atomic", ROLLBACK_S), *PERSIST)
    return save, undo
