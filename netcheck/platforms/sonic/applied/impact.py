"""What a change disturbs, by the tables that it touches."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final

from netcheck.platforms.platform import Impact
from netcheck.platforms.sonic.applied.operations import Difference


@dataclass(frozen=True, slots=True)
class Disturbance:
    """How far a change reaches, why, and which document says so."""

    impact: Impact
    reason: str
    source: str


_SWSS: Final = "sonic-net/sonic-swss"
_RELOAD: Final = Disturbance(
    Impact.DEVICE,
    "config reload stops and starts all services; every port goes down",
    "sonic-net/sonic-utilities doc/Command-Reference.md, config reload",
)
_ACCOUNTS: Final = Disturbance(
    Impact.PORT,
    "buffers of the port are taken apart and built again; packets in them may be lost",
    f"{_SWSS} cfgmgr/buffermgrdyn.cpp and orchagent/bufferorch.cpp",
)
_QUEUES: Final = Disturbance(
    Impact.QUEUE,
    "queues change their service, marking or class while traffic runs",
    f"{_SWSS} orchagent/qosorch.cpp",
)
_BY_TABLE: Final[Mapping[str, Disturbance]] = {
    "DEVICE_METADATA": _RELOAD,
    "BUFFER_POOL": _ACCOUNTS,
    "BUFFER_PROFILE": _ACCOUNTS,
    "BUFFER_PG": _ACCOUNTS,
    "BUFFER_QUEUE": _ACCOUNTS,
    "CABLE_LENGTH": _ACCOUNTS,
    "LOSSLESS_TRAFFIC_PATTERN": _ACCOUNTS,
    "DEFAULT_LOSSLESS_BUFFER_PARAMETER": _ACCOUNTS,
    "PORT": Disturbance(
        Impact.PORT,
        "the MTU or the PFC mode of the port changes, and its headroom with it",
        f"{_SWSS} orchagent/portsorch.cpp",
    ),
    "PFC_WD": Disturbance(
        Impact.QUEUE,
        "the watchdog of the port stops and starts; a storm in between goes unseen",
        f"{_SWSS} orchagent/pfcwdorch.cpp",
    ),
    "FLEX_COUNTER_TABLE": Disturbance(
        Impact.COUNTERS,
        "counters begin to be read",
        f"{_SWSS} orchagent/flexcounterorch.cpp",
    ),
}
_WEIGHT: Final = {impact: weight for weight, impact in enumerate(Impact)}


def disturbance(found: Iterable[Difference]) -> Disturbance:
    """Give the widest disturbance of the objects that differ."""
    all_of_them = [_BY_TABLE.get(one.table, _QUEUES) for one in found]
    return max(all_of_them, key=lambda one: _WEIGHT[one.impact])


def reload_disturbance(cause: str) -> Disturbance:
    """Give the disturbance of a whole reload, with what makes it necessary."""
    return Disturbance(_RELOAD.impact, f"{cause}, so {_RELOAD.reason}", _RELOAD.source)
