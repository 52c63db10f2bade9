"""What a change disturbs, by the objects that it touches.

Source: CumulusNetworks/docs cumulus-linux-514 Quality of Service, switchd and QoS: a
reload of switchd does not disturb forwarding except where pause, PFC or the buffer
configuration change, which may lose packets for a moment.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from netcheck.platforms.platform import Impact

_DOCS: Final = "CumulusNetworks/docs cumulus-linux-514 Quality of Service"


@dataclass(frozen=True, slots=True)
class Disturbance:
    """How far a change reaches, why, and which document says so."""

    impact: Impact
    reason: str
    source: str


_POOLS: Final = Disturbance(
    Impact.DEVICE,
    "switchd divides the buffer of the switch anew; packets of all ports may be lost for a moment",
    f"{_DOCS}, switchd and QoS",
)
_PFC: Final = Disturbance(
    Impact.PORT,
    "buffers of ports with PFC are taken apart and built again; packets in them may be lost",
    f"{_DOCS}, switchd and QoS",
)
_QUEUES: Final = Disturbance(
    Impact.QUEUE,
    "queues change their service, marking or class while traffic runs",
    f"{_DOCS}, switchd and QoS (a reload does not stop forwarding)",
)
_BY_SECTION: Final = {
    "traffic-pool": _POOLS,
    "roce": _POOLS,
    "pfc": _PFC,
    "link-pause": _PFC,
    "link": Disturbance(
        Impact.PORT,
        "the MTU of the port changes, and its headroom with it",
        "CumulusNetworks/docs nvue-reference Interface.md, link mtu",
    ),
    "lldp": Disturbance(
        Impact.NONE, "the switch tells its neighbours something else", f"{_DOCS}, LLDP"
    ),
}
_WEIGHT: Final = {impact: weight for weight, impact in enumerate(Impact)}


def disturbance(paths: Iterable[tuple[str, ...]]) -> Disturbance:
    """Give the widest disturbance of the paths that change."""
    found = [_BY_SECTION.get(_section(path), _QUEUES) for path in paths]
    return max(found, key=lambda one: _WEIGHT[one.impact])


def _section(path: tuple[str, ...]) -> str:
    inner = path[2:] if path[0] == "interface" else path[1:]
    names = inner[1:] if inner[:1] == ("qos",) else inner
    return names[0] if names else ""
