"""What a change disturbs, by the kinds of lines that it touches."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from netcheck.platforms.platform import Impact

_QOS: Final = "Cisco Nexus 9000 Series NX-OS QoS Configuration Guide 10.5(x)"


@dataclass(frozen=True, slots=True)
class Disturbance:
    """How far a change reaches, why, and which document says so."""

    impact: Impact
    reason: str
    source: str


_NETWORK: Final = Disturbance(
    Impact.DEVICE,
    "no-drop classes and their MTU are those of the whole switch; buffers are carved anew",
    f"{_QOS}, Configuring Network QoS",
)
_BUFFERS: Final = Disturbance(
    Impact.PORT,
    "no-drop buffers of the port are taken or given; packets in them may be lost, links stay up",
    f"{_QOS}, Configuring Priority Flow Control",
)
_MTU: Final = Disturbance(
    Impact.PORT,
    "the MTU of the port changes",
    "Cisco Nexus 9000 NX-OS Interfaces Configuration Guide, Configuring the MTU Size",
)
_QUEUES: Final = Disturbance(
    Impact.QUEUE,
    "queues change their service, marking or class while traffic runs",
    f"{_QOS}, Configuring Queuing and Scheduling",
)
_WATCHDOG: Final = Disturbance(
    Impact.QUEUE,
    "the watchdog of the port stops and starts; a storm in between goes unseen",
    f"{_QOS}, Configuring a Priority Flow Control Watchdog Interval",
)
_BY_SUBJECT: Final = {
    "policy-map network-qos": _NETWORK,
    "service-policy type network-qos": _NETWORK,
    "priority-flow-control mode": _BUFFERS,
    "service-policy type queuing input": _BUFFERS,
    "mtu": _MTU,
    "flowcontrol receive": _BUFFERS,
    "flowcontrol send": _BUFFERS,
}
_WEIGHT: Final = {impact: weight for weight, impact in enumerate(Impact)}


def disturbance(subjects: Iterable[str]) -> Disturbance:
    """Give the widest disturbance of what changes.

    Example:
        >>> disturbance({"mtu", "policy-map queuing"}).impact
        <Impact.PORT: 'port'>
    """
    found = [
        _WATCHDOG if "watch-dog" in each else _BY_SUBJECT.get(each, _QUEUES)
        for each in sorted(subjects)
    ]
    return max(found, key=lambda one: _WEIGHT[one.impact])
