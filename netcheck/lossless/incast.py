"""Incast in closed form: when a switch marks and pauses, and what still arrives then.

``senders`` ports send to one port of the same speed. Bytes in buffers are
bytes of cells; ``frame_bytes`` with FCS, without preamble and gap.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from netcheck.lossless.asics import pause_quanta
from netcheck.lossless.headroom import NS_PER_M, QUANTUM_BYTES, wire_bytes
from netcheck.model.known import is_known

GAP_BYTES = 20  # preamble and inter-frame gap
PAUSE_FRAME_BYTES = 84
SMALLEST_FRAME_BYTES = 64
MAC_NS = 100.0  # of a port without FEC; the responder's FEC is in its response


@dataclass(frozen=True, slots=True)
class Incast:
    """An incast to one port.

    Attributes:
        pool_bytes, alpha: Shared pool, and dynamic threshold of each ingress account.
        cell_bytes: Buffer that even the smallest frame takes; 1 counts plain bytes.
    """

    senders: int
    speed_bps: int
    pool_bytes: int
    alpha: float
    frame_bytes: int = 4158
    cell_bytes: int = 1
    cable_m: float = 0.0

    def fill_bytes_per_s(self) -> float:
        """Growth of the hot queue: all senders at line rate less what leaves."""
        in_cells = math.ceil(self.frame_bytes / self.cell_bytes) * self.cell_bytes
        per_wire_byte = in_cells / (self.frame_bytes + GAP_BYTES)
        return (self.senders - 1) * self.speed_bps / 8 * per_wire_byte

    def pause_fill_bytes(self) -> float:
        """Fill of the hot queue when all ingress accounts reach their threshold.

        Source: derived: q / m = alpha * (B - q), solved for q.
        """
        return self.senders * self.alpha * self.pool_bytes / (1 + self.senders * self.alpha)

    def marking_starts_s(self, kmin_bytes: int) -> float:
        """Seconds from the first byte sent until the queue holds ``kmin_bytes``."""
        return self._arrival_s() + kmin_bytes / self.fill_bytes_per_s()

    def first_pause_s(self) -> float:
        """Seconds from the first byte sent until the first pause is sent."""
        return self._arrival_s() + self.pause_fill_bytes() / self.fill_bytes_per_s()

    def _arrival_s(self) -> float:
        return self.cable_m * NS_PER_M * 1e-9


def cell_headroom_bytes(
    *, speed_bps: int, cable_m: float, l2_mtu: int, lossless_mtu: int, cell_bytes: int
) -> int:
    """Cells that can still be taken after XOFF, when every frame is as bad as can be.

    A frame of ``l2_mtu`` has just started in the other direction when the pause
    is due; the peer sends smallest frames, one cell each, until it stops, and
    has then just started one of ``lossless_mtu``. No headroom law may lie below.

    Source: structure of the IEEE 802.1Q PFC annex; responses as in
        sonic-net/sonic-swss cfgmgr/buffer_headroom_mellanox.lua.

    Example:
        >>> cell_headroom_bytes(speed_bps=100_000_000_000, cable_m=40, l2_mtu=9216,
        ...                     lossless_mtu=1024, cell_bytes=192)
        94464
    """
    quanta = pause_quanta(speed_bps)
    wire = (
        l2_mtu
        + GAP_BYTES
        + PAUSE_FRAME_BYTES
        + wire_bytes(speed_bps, cable_m)
        + MAC_NS * speed_bps / 8e9
        + QUANTUM_BYTES * (quanta if is_known(quanta) else 0)
    )
    small = math.ceil(wire / (SMALLEST_FRAME_BYTES + GAP_BYTES))
    last = math.ceil(lossless_mtu / cell_bytes)
    return (small + last) * cell_bytes
