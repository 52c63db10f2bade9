"""What a change disturbs, by the settings that it touches."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, NamedTuple

from netcheck.platforms.platform import Impact


class Disturbance(NamedTuple):
    """How far a change reaches, why, and which document says so."""

    impact: Impact
    reason: str
    source: str


_MANUAL: Final = "Arista EOS User Manual"
_PORT: Final = Disturbance(
    Impact.PORT,
    "PFC, the profile or the MTU of a port changes, and the buffers of its no-drop classes with it",
    f"{_MANUAL}, Data Center Bridging, Priority-Based Flow Control",
)
_QUEUE: Final = Disturbance(
    Impact.QUEUE,
    "queues change their service, marking or class while traffic runs",
    f"{_MANUAL}, Quality of Service",
)
_COUNTERS: Final = Disturbance(
    Impact.COUNTERS,
    "marks begin or end to be counted",
    "aristanetworks/avd qos_profiles.schema.yml, random_detect.ecn.count",
)
_OF_PORTS: Final = frozenset({"pfc", "profile", "mtu", "dcbx", "pause tx", "pause rx"})
_ORDER: Final = (Impact.COUNTERS, Impact.QUEUE, Impact.PORT)


def disturbance(subjects: Iterable[str]) -> Disturbance:
    """Give the widest disturbance among the settings that change.

    Example:
        >>> disturbance(["count", "pfc"]).impact
        <Impact.PORT: 'port'>
    """
    found = [_of(subject) for subject in subjects] or [_QUEUE]
    return max(found, key=lambda one: _ORDER.index(one.impact))


def _of(subject: str) -> Disturbance:
    if subject in _OF_PORTS:
        return _PORT
    return _COUNTERS if subject == "count" else _QUEUE
