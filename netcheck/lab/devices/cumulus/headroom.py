"""Headroom of a lossless priority group, as switchd sizes it from cable length and speed.

The switch assumes that all packets are of 64 bytes, so that each takes the cells
of three. A share of small packets can be set from release 5.17 on.

Source: NVUE command reference, ``small-packet-probability`` (100 percent small
    packets are assumed); terms and constants as in sonic-net/sonic-swss
    cfgmgr/buffer_headroom_mellanox.lua, by the same vendor for the same ASIC.
"""

from __future__ import annotations

import math

from netcheck.lossless.dataplane.network import RESPONSE_QUANTA

KIB = 1024
CELL_BYTES = 192
SMALL_BYTES = 64
FRAME_BYTES = 1024
LIGHT_M_PER_S = 198_000_000
MAC_BYTES = 0.8 * KIB
TILE_NS = 120
PIPELINE_BYTES = 19 * KIB
ALL_SMALL_PERCENT = 100


def wire_bytes(*, speed_bps: int, cable_m: float, mtu_bytes: int) -> int:
    """Bytes that arrive between the decision to pause and the peer's standstill."""
    cable = 2 * cable_m / LIGHT_M_PER_S * speed_bps / 8
    fastest = max(RESPONSE_QUANTA)
    response = RESPONSE_QUANTA.get(speed_bps, RESPONSE_QUANTA[fastest]) * SMALL_BYTES
    tile = speed_bps * TILE_NS / 8e9
    return round(FRAME_BYTES + mtu_bytes + cable + MAC_BYTES + response + tile)


def headroom_bytes(
    *,
    speed_bps: int,
    cable_m: float,
    mtu_bytes: int,
    small_percent: int = ALL_SMALL_PERCENT,
) -> int:
    """Headroom that the switch reserves, in whole KiB.

    Args:
        mtu_bytes: MTU of the port.
        small_percent: Share of 64-byte packets among all.
    """
    wire = wire_bytes(speed_bps=speed_bps, cable_m=cable_m, mtu_bytes=mtu_bytes) - FRAME_BYTES
    mean = (small_percent * SMALL_BYTES + (100 - small_percent) * FRAME_BYTES) / 100
    share = small_percent * SMALL_BYTES / mean / 100
    occupancy = 1 - share + share * CELL_BYTES / SMALL_BYTES
    return KIB * math.ceil((FRAME_BYTES + wire * occupancy) / KIB)
