"""Where a simulated switch's hardware differs from what it shows: what silent faults change."""

from __future__ import annotations

from dataclasses import dataclass, field

from netcheck.lossless.dataplane.network import Wear


@dataclass
class Deviation:
    """Empty in health.

    Attributes:
        headroom: ``(port, priority group or QoS group) -> bytes`` the hardware has.
        class_of_dscp: ``port -> DSCP -> class`` the hardware has: switch
            priority, traffic class or QoS group, as the platform calls it.
        lost: ``port -> what the chip does to packets that came in there``.
        is_hash_constant: All flows take the same of several equal exits.
        stuck: Counters that no longer move: ``(port, kind, index)``.
    """

    headroom: dict[tuple[str, int], int] = field(default_factory=dict)
    class_of_dscp: dict[str, dict[int, int]] = field(default_factory=dict)
    lost: dict[str, Wear] = field(default_factory=dict)
    is_hash_constant: bool = False
    stuck: set[tuple[str, str, int]] = field(default_factory=set)
