"""Queues of a port: service, marking, and which of them the watchdog guards."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from netcheck.model.frozenmap import FrozenMap
from netcheck.model.known import ABSENT, UNKNOWN, Known, is_known
from netcheck.model.qos import CongestionAction, Ecn, Scheduler, SchedulerKind
from netcheck.platforms.eos import defaults
from netcheck.platforms.eos.parsed.config import Settings
from netcheck.platforms.eos.parsed.grammar import Ramp, Word
from netcheck.platforms.eos.parsed.layers import Layers

_SHAPER_BPS: Final = {"": 1000, "kbps": 1000}


def guarded(
    layers: Layers, pfc: Known[frozenset[int]], queues: Mapping[int, int]
) -> Known[frozenset[int]]:
    """No-drop priorities whose queue has guaranteed bandwidth: the watchdog looks at no other."""
    if not is_known(pfc):
        return UNKNOWN
    held = layers.queues()
    found = set()
    for priority in pfc:
        said = held.get(queues.get(priority, priority), {}).get("guaranteed")
        if said is not None and not isinstance(said.value, Word):
            found.add(priority)
        elif not layers.is_complete:
            return UNKNOWN
    return frozenset(found)


def schedulers(layers: Layers, *, is_whole: bool) -> Known[FrozenMap[int, Scheduler]]:
    """Service of queues; in a whole configuration those that no line states are strict.

    Source: batfish/batfish testconfigs/arista_interface_show_run_all (priority strict).
    """
    if not layers.is_complete:
        return UNKNOWN
    strict = Scheduler(SchedulerKind.STRICT)
    found = dict.fromkeys(defaults.PRIORITIES, strict) if is_whole else {}
    for queue, settings in sorted(layers.queues().items()):
        scheduler = _scheduler(settings)
        if scheduler is not None:
            found[queue] = scheduler
    return FrozenMap(found) if found else ABSENT


def _scheduler(settings: Settings) -> Scheduler | None:
    """Service of a queue; None where no line says anything of it."""
    priority, weight, shape = (
        settings[key].value if key in settings else None
        for key in ("priority", "bandwidth", "shape")
    )
    if priority is None and not isinstance(weight, int) and not isinstance(shape, str):
        return None
    shaper = _shaper_bps(shape) if isinstance(shape, str) else UNKNOWN
    if isinstance(weight, int) and priority != "strict":
        return Scheduler(SchedulerKind.WEIGHTED, weight, shaper)
    if priority is Word.NO:
        return Scheduler(SchedulerKind.WEIGHTED, UNKNOWN, shaper)
    return Scheduler(SchedulerKind.STRICT, UNKNOWN, shaper)


def _shaper_bps(text: str) -> Known[int]:
    number, _, unit = text.partition(" ")
    factor = _SHAPER_BPS.get(unit)
    return UNKNOWN if factor is None else int(number) * factor


def markings(layers: Layers) -> Known[FrozenMap[int, Ecn]]:
    """Give the thresholds of each queue that has any."""
    if not layers.is_complete:
        return UNKNOWN
    found = {}
    for queue, settings in sorted(layers.queues().items()):
        for key, action in (("ecn", CongestionAction.MARK), ("drop", CongestionAction.DROP)):
            said = settings.get(key)
            if said is not None and isinstance(said.value, Ramp):
                found[queue] = Ecn(*said.value[:3], action, is_active=True)
                break
    return FrozenMap(found) if found else ABSENT
