"""Where a simulated switch's hardware differs from what it shows: what silent faults change."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass
class Deviation:
    """Empty in health.

    Attributes:
        headroom: ``(port, priority group or QoS group) -> bytes`` the hardware has.
        class_of_dscp: ``port -> DSCP -> class`` the hardware has: switch
            priority, traffic class or QoS group, as the platform calls it.
        stuck: Counters that no longer move: ``(port, kind, index)``.
    """

    headroom: dict[tuple[str, int], int] = field(default_factory=dict)
    class_of_dscp: dict[str, dict[int, int]] = field(default_factory=dict)
    stuck: set[tuple[str, str, int]] = field(default_factory=set)
