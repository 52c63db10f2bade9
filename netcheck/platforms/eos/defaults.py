"""What EOS does where its configuration says nothing, and what follows from PFC.

Source: Arista EOS User Manual, Quality of Service, Trident and Tomahawk
platform switches: default DSCP, CoS and traffic class maps (0 and 1 are
swapped); queue 7 belongs to traffic class 7.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from netcheck.model.frozenmap import FrozenMap

PRIORITIES: Final = range(8)
DSCPS: Final = range(64)
# traffic class of a block of eight DSCPs, and of a CoS
_SWAPPED: Final = (1, 0, 2, 3, 4, 5, 6, 7)
DSCP_TO_PRIORITY: Final = FrozenMap({dscp: _SWAPPED[dscp // 8] for dscp in DSCPS})
PCP_TO_PRIORITY: Final = FrozenMap({pcp: _SWAPPED[pcp] for pcp in PRIORITIES})
PRIORITY_TO_QUEUE: Final = FrozenMap({number: number for number in PRIORITIES})
REMARK_DSCP: Final = FrozenMap({number: 8 * _SWAPPED[number] for number in PRIORITIES})
REMARK_PCP: Final = FrozenMap({number: _SWAPPED[number] for number in PRIORITIES})
# Traffic class 7 carries the switch's own control traffic and keeps its queue.
CONTROL_PRIORITY: Final = 7
# Bytes of an untagged Ethernet header: `mtu` counts the IP packet, frames are larger.
ETHERNET_BYTES: Final = 14
DEFAULT_IP_MTU: Final = 1500


def paused_queues(pfc: frozenset[int], queues: Mapping[int, int]) -> FrozenMap[int, int]:
    """Give ``PFC priority -> queue it stops``: the queue of the traffic class of that number.

    Example:
        >>> paused_queues(frozenset({3}), {3: 4})[3]
        4
    """
    return FrozenMap({one: queues.get(one, one) if one in pfc else one for one in PRIORITIES})


def priority_groups(pfc: frozenset[int]) -> FrozenMap[int, int]:
    """Give ``switch priority -> priority group`` of no-drop priorities: each has its own.

    Example:
        >>> dict(priority_groups(frozenset({3})))
        {3: 3}
    """
    return FrozenMap({one: one for one in sorted(pfc)})


PFC_PRIORITY_TO_GROUP: Final = FrozenMap({number: number for number in PRIORITIES})
