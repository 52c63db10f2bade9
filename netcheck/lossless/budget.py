"""Buffer budgets: what headroom leaves of a buffer, and how many ports may pause at once."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import accumulate

from netcheck.lossless.asics import Asic

EIGHT_LANES = 8
LEAST_SHARED = 0.2  # of a buffer, below which short bursts already pause
PRIORITIES = 8
PORT_FIXED_BYTES = 4096
EGRESS_MIRROR_BYTES = 20 * 1024
KIB = 1024


def lossless_priorities_possible(*, buffer_bytes: int, headroom_bytes: Iterable[int]) -> int:
    """Lossless priorities whose headroom leaves a shared pool that is of use.

    Args:
        headroom_bytes: Of one priority, of each port.

    Source: RDMA over Commodity Ethernet at Scale (SIGCOMM 2016): buffers of 9 and 12 MB
        hold the headroom of two classes.

    Example:
        >>> lossless_priorities_possible(buffer_bytes=12_000_000, headroom_bytes=[95_000] * 32)
        3
    """
    each = sum(headroom_bytes)
    if not each:
        return PRIORITIES
    return min(PRIORITIES, int(buffer_bytes * (1 - LEAST_SHARED) // each))


def ports_that_may_pause(*, shared_bytes: int, headroom_bytes: Sequence[int]) -> int:
    """Accounts that may overrun at once, whichever they are, with shared headroom.

    Source: sonic-net/sonic-swss cfgmgr/buffer_pool_mellanox.lua: the shared headroom is the
        sum of all accounts' headroom, divided by the ratio of over-subscription.

    Example:
        >>> ports_that_may_pause(shared_bytes=400_000, headroom_bytes=[100_000] * 8)
        4
    """
    largest_first = accumulate(sorted(headroom_bytes, reverse=True))
    return sum(total <= shared_bytes for total in largest_first)


def shared_headroom_limit_bytes(asic: Asic, *, lanes: int) -> int:
    """Most that one port may take of the shared headroom; 0 where the ASIC has no such limit.

    Source: sonic-net/sonic-swss cfgmgr/buffer_check_headroom_mellanox.lua.

    Example:
        >>> from netcheck.lossless.asics import find_asic
        >>> shared_headroom_limit_bytes(find_asic("spectrum-4"), lanes=4)
        1576704
    """
    own = asic.port_reserved_shp_cells * (2 if lanes == EIGHT_LANES else 1)
    return (asic.port_max_shp_cells + own) * asic.cell_bytes if asic.port_max_shp_cells else 0


def port_headroom_bytes(asic: Asic, *, lanes: int, sizes: Iterable[int]) -> int:
    """What a port's accounts take of its headroom, with what the ASIC keeps for itself.

    Source: sonic-net/sonic-swss cfgmgr/buffer_check_headroom_mellanox.lua.

    Example:
        >>> from netcheck.lossless.asics import find_asic
        >>> port_headroom_bytes(find_asic("spectrum-4"), lanes=4, sizes=[117_760])
        161792
    """
    is_eight = lanes == EIGHT_LANES
    pipeline = asic.pipeline_latency_kib * (2 if is_eight else 1) - (1 if is_eight else 0)
    mirror = EGRESS_MIRROR_BYTES * (2 if is_eight else 1)
    return PORT_FIXED_BYTES + int(pipeline * KIB) + mirror + sum(sizes)
