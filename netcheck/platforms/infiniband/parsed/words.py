"""Words of infiniband-diags for speeds, widths and states.

Source: linux-rdma/rdma-core libibmad/dump.c, infiniband-diags/ibdiag_common.c.
"""

from __future__ import annotations

import re
from typing import Final

from netcheck.model.infiniband import NodeKind, PortState, SmState

KINDS: Final = {
    "Switch": NodeKind.SWITCH,
    "SW": NodeKind.SWITCH,
    "S": NodeKind.SWITCH,
    "Ca": NodeKind.ADAPTER,
    "CA": NodeKind.ADAPTER,
    "CA-SM": NodeKind.ADAPTER,
    "Hca": NodeKind.ADAPTER,
    "H": NodeKind.ADAPTER,
    "Channel Adapter": NodeKind.ADAPTER,
    "Rt": NodeKind.ROUTER,
    "RT": NodeKind.ROUTER,
    "R": NodeKind.ROUTER,
    "Router": NodeKind.ROUTER,
    "Switch-SM": NodeKind.SWITCH,
    "SW-SM": NodeKind.SWITCH,
}
STATES: Final = {
    "Down": PortState.DOWN,
    "Initialize": PortState.INIT,
    "Init": PortState.INIT,
    "Armed": PortState.ARMED,
    "Active": PortState.ACTIVE,
    "DWN": PortState.DOWN,
    "INI": PortState.INIT,
    "ARM": PortState.ARMED,
    "ACT": PortState.ACTIVE,
}
SM_STATES: Final = {
    0: SmState.NOT_ACTIVE,
    1: SmState.DISCOVERING,
    2: SmState.STANDBY,
    3: SmState.MASTER,
}
# Signalling rate of one lane in Gb/s, as it is printed.
SPEEDS: Final = {
    "2.5": "SDR",
    "5.0": "DDR",
    "5": "DDR",
    "10.0": "QDR",
    "10": "QDR",
    "10.3125": "FDR10",
    "14.0625": "FDR",
    "14": "FDR",
    "25.78125": "EDR",
    "25": "EDR",
    "53.125": "HDR",
    "50": "HDR",
    "106.25": "NDR",
    "100": "NDR",
    "212.5": "XDR",
    "200": "XDR",
}
LANES: Final = {"VL0": 1, "VL0-1": 2, "VL0-3": 4, "VL0-7": 8, "VL0-14": 15}
MTU_CODES: Final = {1: 256, 2: 512, 3: 1024, 4: 2048, 5: 4096}
# Source: linux-rdma/opensm include/iba/ib_types.h, IB_PATH_RECORD_RATE_*; 23 and 24 unverified.
RATE_CODES: Final = {
    2: 2_500_000_000,
    3: 10_000_000_000,
    4: 30_000_000_000,
    5: 5_000_000_000,
    6: 20_000_000_000,
    7: 40_000_000_000,
    8: 60_000_000_000,
    9: 80_000_000_000,
    10: 120_000_000_000,
    11: 14_000_000_000,
    12: 56_000_000_000,
    13: 112_000_000_000,
    14: 168_000_000_000,
    15: 25_000_000_000,
    16: 100_000_000_000,
    17: 200_000_000_000,
    18: 300_000_000_000,
    19: 28_000_000_000,
    20: 50_000_000_000,
    21: 400_000_000_000,
    22: 600_000_000_000,
    23: 800_000_000_000,
    24: 1_200_000_000_000,
}
SELECTOR: Final = 0x3F  # the two bits above say "exactly" or "at least"
_GBPS: Final = re.compile(r"(\d+(?:\.\d+)?) Gbps")
_WIDTHS: Final = re.compile(r"(\d+)X")


def speed_of(text: str) -> str | None:
    """Give the name of a speed as it is printed: ``53.125 Gbps``, ``HDR``, ``10.0 Gbps (FDR10)``.

    Example:
        >>> speed_of("53.125 Gbps"), speed_of("HDR"), speed_of("undefined (9)")
        ('HDR', 'HDR', None)
    """
    if "FDR10" in text:
        return "FDR10"
    found = _GBPS.search(text)
    if found:
        return SPEEDS.get(found[1])
    word = text.strip()
    return word if word in SPEEDS.values() else None


def speeds_of(text: str) -> frozenset[str]:
    """Give the names of several speeds: ``2.5 Gbps or 5.0 Gbps``."""
    return frozenset(SPEEDS[each] for each in _GBPS.findall(text) if each in SPEEDS)


def widths_of(text: str) -> frozenset[int]:
    """Give several widths: ``1X or 4X``."""
    return frozenset(int(each) for each in _WIDTHS.findall(text))


def hexadecimal(text: str) -> int | None:
    """Give a number written as ``0x1a`` or ``26``; None for anything else."""
    try:
        return int(text, 16 if text.lower().startswith("0x") else 10)
    except ValueError:
        return None
