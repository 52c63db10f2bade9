"""PFC watchdog and counter groups: model to variables of ``watchdog.j2`` and ``counters.j2``."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from netcheck.model.device import Device, Port
from netcheck.model.known import ABSENT, is_known
from netcheck.model.qos import Watchdog
from netcheck.platforms.sonic.rendered.facts import any_said, device_qos, ordered_ports

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


@dataclass(frozen=True, slots=True)
class WatchdogRow:
    """One row of PFC_WD."""

    port: str
    action: str | None
    detection_ms: int | None
    restoration_ms: int | None


def watchdog_rows(device: Device) -> list[WatchdogRow] | None:
    """Give the rows of PFC_WD by port; None when nothing is said of them."""
    is_poll_absent = device_qos(device).watchdog_poll_ms is ABSENT
    if not is_poll_absent and not any_said(device, lambda port: port.qos.watchdog):
        return None
    return [
        _row(port.name, port.qos.watchdog)
        for port in ordered_ports(device)
        if is_known(port.qos.watchdog)
    ]


def _row(port: str, watchdog: Watchdog) -> WatchdogRow:
    return WatchdogRow(
        port=port,
        action=watchdog.action.value if is_known(watchdog.action) else None,
        detection_ms=watchdog.detection_ms if is_known(watchdog.detection_ms) else None,
        restoration_ms=watchdog.restoration_ms if is_known(watchdog.restoration_ms) else None,
    )


def poll_ms(device: Device) -> int | None:
    """Give the interval at which the watchdog looks; None where it is not said."""
    poll = device_qos(device).watchdog_poll_ms
    return poll if is_known(poll) else None


def counter_groups(device: Device) -> list[str] | None:
    """Give the counter groups to switch on; None when neither they nor PFC are said.

    Unless the intent says which, a switch with PFC counts all that proves
    losslessness.
    """
    said = device_qos(device).counters_enabled
    if is_known(said):
        return sorted(said)
    return list(PROOF_COUNTERS) if any(map(_pauses, device.ports.values())) else None


def _pauses(port: Port) -> bool:
    return is_known(port.qos.pfc_tx) and bool(port.qos.pfc_tx)
