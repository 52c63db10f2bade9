"""What the PFC watchdog of Cumulus Linux cannot do."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from netcheck.model.device import Port
from netcheck.model.known import ABSENT, Known, Missing, is_known, known_or
from netcheck.model.qos import DeviceQos, Watchdog
from netcheck.platforms.cumulus import quirks
from netcheck.platforms.cumulus.parsed.defaults import POLL_MS
from netcheck.platforms.cumulus.rendered.refuse import outside, refuse
from netcheck.platforms.platform import Refusal

ANY_PORT: Final = "swp1"
_NOTHING: frozenset[int] = frozenset()


def is_switch_port(port: Port) -> bool:
    """Tell whether a port is one of the switch's own, by its name."""
    return port.name.startswith("swp")


def poll_of(switch: DeviceQos) -> int:
    """Give the polling interval in ms: as said, else the switch's default."""
    return known_or(switch.watchdog_poll_ms, POLL_MS)


def detections(ports: Iterable[Port]) -> set[int]:
    """Give the detection times that are said, in ms."""
    watchdogs = [port.qos.watchdog for port in ports if is_known(port.qos.watchdog)]
    return {one.detection_ms for one in watchdogs if is_known(one.detection_ms)}


def detection_refusals(place: str, switch: DeviceQos, ports: Iterable[Port]) -> Iterator[Refusal]:
    """Refuse detection times that differ between ports or are no whole number of intervals."""
    yield from outside("watchdog-poll", place, [switch.watchdog_poll_ms])
    if switch.watchdog_poll_ms is ABSENT:
        yield refuse("watchdog-poll", place, "no interval")
    times = detections(ports)
    if len(times) > 1:
        yield refuse("watchdog-detection", place, f"{', '.join(map(str, sorted(times)))} ms")
    poll = poll_of(switch)
    for time in sorted(times):
        if poll > 0 and (time % poll or time < poll):
            yield refuse("watchdog-detection", place, f"{time} ms in intervals of {poll} ms")


def watchdog_refusals(place: str, port: Port, switch: DeviceQos) -> Iterator[Refusal]:
    """Refuse what one port's watchdog cannot do."""
    found: Known[Watchdog] = port.qos.watchdog
    if isinstance(found, Missing):
        return
    if not is_switch_port(port):
        yield refuse("watchdog-port", place, port.name)
    paused = known_or(port.qos.pfc_rx, _NOTHING)
    if not paused:
        yield refuse("watchdog-needs-pfc", place, "a watchdog without PFC")
    elif is_known(found.priorities) and found.priorities != paused:
        yield refuse("watchdog-needs-pfc", place, f"priorities {sorted(found.priorities)}")
    if is_known(found.action):
        yield from outside("watchdog-action", place, [found.action.value])
    if isinstance(found.detection_ms, Missing):
        yield refuse("watchdog-detection", place, "no detection time")
    restored = quirks.restoration_ms(poll_of(switch))
    if is_known(found.restoration_ms) and found.restoration_ms != restored:
        yield refuse("watchdog-restoration", place, f"{found.restoration_ms} ms, not {restored} ms")
