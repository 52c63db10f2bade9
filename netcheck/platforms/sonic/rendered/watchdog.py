"""PFC watchdog and counter groups: model to variables of ``watchdog.j2`` and ``counters.j2``."""

from __future__ import annotations

from typing import Final

from netcheck.model.device import Port
from netcheck.model.frozen import frozen
from netcheck.model.known import UNKNOWN, Missing, is_known
from netcheck.platforms.switch import Switch, any_said

# Counter groups without which a loss, a pause or a mark goes uncounted;
# WRED_ECN_QUEUE is off unless configured.
# Source: sonic-net/sonic-buildimage sonic-flex_counter.yang and
# sonic-net/sonic-swss orchagent/flexcounterorch.cpp.
PROOF_COUNTERS: Final = (
    "PFCWD",
    "PG_DROP",
    "PG_WATERMARK",
    "PORT",
    "QUEUE",
    "QUEUE_WATERMARK",
    "WRED_ECN_QUEUE",
)


@frozen
class WatchdogRow:
    """One row of PFC_WD."""

    action: str | None
    detection_ms: int | None
    restoration_ms: int | None


def is_watchdog_said(switch: Switch) -> bool:
    """Tell whether anything is said of watchdogs; PFC_WD is then whole."""
    poll_ms = switch.qos.watchdog_poll_ms
    return poll_ms is not UNKNOWN or any_said(switch, lambda port: port.qos.watchdog)


def watchdog_row(port: Port) -> WatchdogRow | None:
    """Give the row of a port of PFC_WD; None where it has no watchdog."""
    watchdog = port.qos.watchdog
    if isinstance(watchdog, Missing):
        return None
    return WatchdogRow(
        action=watchdog.action.value if is_known(watchdog.action) else None,
        detection_ms=watchdog.detection_ms if is_known(watchdog.detection_ms) else None,
        restoration_ms=watchdog.restoration_ms if is_known(watchdog.restoration_ms) else None,
    )


def poll_ms(switch: Switch) -> int | None:
    """Give the interval at which the watchdog looks; None where it is not said."""
    poll = switch.qos.watchdog_poll_ms
    return poll if is_known(poll) else None


def counter_groups(switch: Switch) -> list[str] | None:
    """Give the counter groups to switch on; None when neither they nor PFC are said.

    Unless the intent says which, a switch with PFC counts all that proves
    losslessness.
    """
    said = switch.qos.counters_enabled
    if is_known(said):
        return sorted(said)
    return list(PROOF_COUNTERS) if any(map(_pauses, switch.kinds)) else None


def _pauses(port: Port) -> bool:
    return is_known(port.qos.pfc_tx) and bool(port.qos.pfc_tx)
