"""What a fault does: the types of its changes, and what all simulated switches share.

Each simulated platform's ``faults.py`` offers ``CHANGES``, ``change name ->
function``; a knob that a platform lacks is missing there. Visible changes
alter what a device holds, as an operator's own command would, or the cabling;
silent ones make hardware differ from what its device shows. Each says in the
device's own words what it did. The names of changes and their arguments
stand in ``faults.yaml``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from importlib import import_module, util
from typing import Any

from netcheck.lab.devices.deviation import Deviation
from netcheck.lab.devices.device import SimulatedDevice
from netcheck.lossless.dataplane.network import PRIORITIES, Node, Wear

Undo = Callable[[], None]
Values = Mapping[str, Any]  # arguments differ by change


class FaultError(ValueError):
    """The fault does not exist or does not fit there."""


@dataclass(frozen=True, slots=True)
class Done:
    """A change that was made: place and knob in the device's own words, and the way back."""

    says: str
    undo: Undo


Change = Callable[[SimulatedDevice, str, Values], Done]
"""Makes one kind of change: device, port (its own name for it), arguments.

Raises FaultError when there is nothing that it could change.
"""


@cache
def changes_of(platform: str) -> Mapping[str, Change]:
    """Give the changes that devices of a platform can suffer, by name."""
    name = f"netcheck.lab.devices.{platform}.faults"
    if util.find_spec(name) is None:
        return {}
    found: Mapping[str, Change] = import_module(name).CHANGES
    return found


def stop_counters(name: str, deviation: Deviation, port: str, values: Values) -> Done:
    """Let counters of a port stand still: those of ``kinds``, at every index."""
    kinds = [str(kind) for kind in values["kinds"]]
    keys = {(port, kind, index) for kind in kinds for index in range(PRIORITIES)}
    fresh = keys - deviation.stuck
    deviation.stuck |= fresh

    def undo() -> None:
        deviation.stuck -= fresh

    return Done(f"{name} {port}: {', '.join(kinds)} no longer move", undo)


def move_lossless(node: Node, deviation: Deviation, to: int, word: str) -> Done:
    """Let the hardware lead every lossless DSCP to another class, whatever is shown.

    Args:
        node: What the hardware holds.
        deviation: The device's own.
        to: Where the DSCPs go.
        word: What the platform calls that.

    Raises:
        FaultError: No DSCP leads to a lossless class.
    """
    before = dict(deviation.class_of_dscp)
    changed = {
        name: {
            dscp: to
            for dscp, priority in enumerate(held.priority_of_dscp)
            if priority in held.pauses_sent
        }
        for name, held in node.ports.items()
    }
    moved = sorted({dscp for mapped in changed.values() for dscp in mapped})
    if not moved:
        raise FaultError(f"{node.name}: no DSCP maps to a lossless priority there")
    deviation.class_of_dscp.update(changed)

    def undo() -> None:
        deviation.class_of_dscp = before

    dscps = ",".join(map(str, moved))
    says = f"{node.name}: hardware maps DSCP {dscps} to {word} {to}, whatever is shown"
    return Done(says, undo)


def lose_in_chip(name: str, deviation: Deviation, ports: Iterable[str], wear: Wear) -> Done:
    """Let a switch's hardware lose packets that came in at ports, and count nothing."""
    before = dict(deviation.lost)
    deviation.lost.update(dict.fromkeys(ports, wear))

    def undo() -> None:
        deviation.lost = before

    what = f"of DSCP {','.join(map(str, sorted(wear.dscps)))} " if wear.dscps else ""
    share = f"{100 * wear.loss_share:g} %"
    return Done(f"{name}: hardware loses {share} of the packets {what}and counts none", undo)


def hash_constant(name: str, deviation: Deviation) -> Done:
    """Let a switch's hash take nothing that differs between flows."""

    def undo() -> None:
        deviation.is_hash_constant = False

    deviation.is_hash_constant = True
    return Done(f"{name}: all flows take the same of several equal exits", undo)
