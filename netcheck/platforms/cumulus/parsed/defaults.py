"""What the switch does where a configuration is silent, and what one-click RoCE expands to.

Source: CumulusNetworks/docs cumulus-linux-514 Quality of Service (Classification,
Egress Queues, Egress Scheduler, Congestion Control, PFC Watchdog).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any, Final

from netcheck.lossless.packaged import packaged_yaml
from netcheck.model.frozenmap import FrozenMap
from netcheck.model.known import UNKNOWN, Known
from netcheck.model.qos import CongestionAction, Ecn, Scheduler, SchedulerKind

DSCPS: Final = range(64)
PRIORITIES: Final = range(8)
KMIN: Final = 150_000
KMAX: Final = 1_500_000
PMAX: Final = 100
POLL_MS: Final = 100
ROBUSTNESS: Final = 3
PFC_CABLE_M: Final = 10
ROCE_CABLE_M: Final = 100
MTU: Final = 9216  # cumulus-linux-514 Switch Port Attributes, MTU
LOSSLESS_ALPHA: Final = 1.0  # Flow Control Buffers: dynamic_quota = ALPHA_1

DSCP_MAP: Final = FrozenMap({dscp: dscp // 8 for dscp in DSCPS})
IDENTITY: Final = FrozenMap({number: number for number in PRIORITIES})
ECN: Final = Ecn(KMIN, KMAX, PMAX, CongestionAction.MARK, is_active=True)
ECN_MAP: Final = FrozenMap({0: ECN})
SCHEDULER: Final = FrozenMap(
    {queue: Scheduler(SchedulerKind.WEIGHTED, 13 if queue % 2 else 12) for queue in PRIORITIES}
)


@dataclass(frozen=True, slots=True)
class OneClick:
    """Everything that a mode of one-click RoCE sets on all ports."""

    dscp: FrozenMap[int, int]
    queues: FrozenMap[int, int]
    scheduler: FrozenMap[int, Scheduler]
    ecn: FrozenMap[int, Ecn]
    pfc: frozenset[int]


@cache
def one_click(mode: str) -> OneClick | None:
    """Give what a mode expands to; None for a mode that is not known."""
    table: Mapping[str, Any] = packaged_yaml("netcheck.platforms", "cumulus/parsed/roce.yaml")
    row = table.get(mode)
    if row is None:
        return None
    marks = {mark: sp for sp, listed in row.get("dscp", {}).items() for mark in listed}
    base = dict.fromkeys(DSCPS, 0) if marks else dict(DSCP_MAP)
    ecn = row["ecn"]
    mark = Ecn(
        _known(ecn.get("kmin")),
        _known(ecn.get("kmax")),
        ecn["pmax"],
        CongestionAction.MARK,
        is_active=True,
    )
    weighted = {
        queue: Scheduler(SchedulerKind.WEIGHTED, weight) for queue, weight in row["weights"].items()
    }
    strict = {queue: Scheduler(SchedulerKind.STRICT) for queue in row["strict"]}
    return OneClick(
        FrozenMap(base | marks),
        FrozenMap(row["queues"]),
        FrozenMap(dict(sorted((weighted | strict).items()))),
        FrozenMap(dict.fromkeys(ecn["queues"], mark)),
        frozenset(row["pfc"]),
    )


def _known(value: int | None) -> Known[int]:
    return UNKNOWN if value is None else value
