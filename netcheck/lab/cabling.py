"""What faults do to cables: no device makes these changes, and none shows them as its setting."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

from netcheck.lab.building import Building
from netcheck.lab.fault_changes import Done, FaultError, Values
from netcheck.lossless.dataplane.network import Wear

CablingChange = Callable[[Building, tuple[str, str], Values], Done]


def _index(building: Building, place: tuple[str, str]) -> int:
    return next(i for i, cable in enumerate(building.cables) if place in (cable.a, cable.b))


def swap_cables(building: Building, place: tuple[str, str], values: Values) -> Done:
    """Exchange the far ends of the cable at a port and of another one of the same switch.

    Raises:
        FaultError: There is only one cable.
    """
    del values
    first = _index(building, place)
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


def wear_cable(building: Building, place: tuple[str, str], values: Values) -> Done:
    """Let a cable lose packets on their way to a port."""
    index = _index(building, place)
    was = building.cables[index]
    wear = Wear(
        float(values["loss_share"]),
        int(values.get("one_flow_in", 1)),
        is_counted=bool(values.get("is_counted", False)),
    )
    building.change_cable(index, replace(was, worn=wear, worn_to=place))
    flows = f" of one flow in {wear.one_flow_in}" if wear.one_flow_in > 1 else ""
    counted = "damaged" if wear.is_counted else "lost, uncounted"
    says = (
        f"cable to {' '.join(place)}: {100 * wear.loss_share:g} % of the packets{flows} {counted}"
    )
    return Done(says, lambda: building.change_cable(index, was))


def narrow_cable(building: Building, place: tuple[str, str], values: Values) -> Done:
    """Let a cable run on one part of its lanes."""
    index = _index(building, place)
    was = building.cables[index]
    speeds = [
        building.devices[name].hardware().ports[port].speed_bps for name, port in (was.a, was.b)
    ]
    limit = min(speeds) // int(values["divisor"])
    building.change_cable(index, replace(was, limit_bps=limit))
    says = f"cable to {' '.join(place)}: runs at {limit / 1e9:g} Gb/s (was {min(speeds) / 1e9:g})"
    return Done(says, lambda: building.change_cable(index, was))


CABLING: Mapping[str, CablingChange] = {
    "cables": swap_cables,
    "cable_worn": wear_cable,
    "cable_narrow": narrow_cable,
}
