"""What a fault does: the types of its changes, and the one that no device makes.

Each simulated platform's ``faults.py`` offers ``CHANGES``, ``change name ->
function``; a knob that a platform lacks is missing there. Visible changes
alter what a device holds, as an operator's own command would, or the cabling;
silent ones make hardware differ from what its device shows. Each says in the
device's own words what it did. The names of changes and their arguments
stand in ``faults.yaml``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from importlib import import_module, util
from typing import Any

from netcheck.lab.building import Building
from netcheck.lab.devices.device import SimulatedDevice

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


def swap_cables(building: Building, place: tuple[str, str]) -> Done:
    """Exchange the far ends of the cable at a port and of another one of the same switch.

    Raises:
        FaultError: There is only one cable.
    """
    first = next(i for i, cable in enumerate(building.cables) if place in (cable.a, cable.b))
    mine = building.cables[first]
    shared = mine.b if mine.a == place else mine.a
    second = next(
        (
            i
            for i, cable in enumerate(building.cables)
            if shared[0] in (cable.a[0], cable.b[0]) and place[0] not in (cable.a[0], cable.b[0])
        ),
        None,
    )
    if second is None:
        second = next((i for i in range(len(building.cables)) if i != first), None)
    if second is None:
        raise FaultError("fewer than two cables: nothing to swap")
    other = building.cables[second]
    building.swap_cables(first, second)
    ends = f"{' '.join(mine.b)} and {' '.join(other.b)}"
    return Done(
        f"far ends of two cables exchanged: {ends}", lambda: building.swap_cables(first, second)
    )
