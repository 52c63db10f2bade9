"""ECN thresholds: where marking has to start, and that it starts before PFC."""

from __future__ import annotations

from netcheck.model.frozen import frozen

REFERENCE_BPS = 100_000_000_000
KMIN_AT_REFERENCE = 400_000
KMAX_AT_REFERENCE = 1_600_000
PMAX_PERCENT = 20
DCTCP_SHARE = 7
ROUND_TRIP_S = 8e-6  # NIC to NIC and back over three switches, idle
BEFORE_PFC = 0.8  # share of the fill at which PFC begins that marking may take
KMAX_OVER_KMIN = KMAX_AT_REFERENCE // KMIN_AT_REFERENCE
LARGEST_INCAST = 4096
# Round trip of a loaded fabric, and the gap that a NIC leaves between two notifications.
# Source: derived from switches of 1 us and cables of 40 m; NVIDIA roce_np min_time_between_cnps.
FEEDBACK_S = 12e-6


@frozen
class EcnThresholds:
    """Marking starts at ``kmin_bytes`` and reaches ``pmax_percent`` at ``kmax_bytes``."""

    kmin_bytes: int
    kmax_bytes: int
    pmax_percent: int
    derivation: str


def ecn_thresholds(
    speed_bps: int, *, round_trip_s: float = ROUND_TRIP_S, pool_bytes: int = 0, alpha: float = 1.0
) -> EcnThresholds:
    """Thresholds that grow with the port's speed: 4 KB and 16 KB a Gb/s, 20 %.

    Never below what the round trip needs, and below the fill at which PFC begins,
    where the pool is known: ECN acts first.

    Args:
        pool_bytes: Pool of the lossless accounts; 0 where it is not known.
        alpha: Dynamic threshold of those accounts.

    Source: alibaba-edu/High-Precision-Congestion-Control simulation/run.py
        (100/400 KB at 25G, 400/1600 KB at 100G, 1600/6400 KB at 400G).

    Example:
        >>> ecn_thresholds(400_000_000_000).kmin_bytes
        1600000
        >>> ecn_thresholds(400_000_000_000, pool_bytes=9_000_000).kmax_bytes
        3600000
    """
    least = round(lowest_useful_kmin_bytes(speed_bps=speed_bps, round_trip_s=round_trip_s))
    kmin = max(KMIN_AT_REFERENCE * speed_bps // REFERENCE_BPS, least)
    kmax = max(KMAX_AT_REFERENCE * speed_bps // REFERENCE_BPS, kmin)
    derivation = f"4 KB and 16 KB per Gb/s at {speed_bps / 1e9:g}G (HPCC)"
    onset = pfc_onset_bytes(pool_bytes=pool_bytes, alpha=alpha)
    if 0 < onset * BEFORE_PFC < kmax:
        kmax = int(onset * BEFORE_PFC)
        kmin = min(kmin, kmax // KMAX_OVER_KMIN)
        derivation += f", kept below PFC, which begins at {int(onset)} bytes"
    return EcnThresholds(kmin, kmax, PMAX_PERCENT, derivation)


def pfc_onset_bytes(*, pool_bytes: int, alpha: float, senders: int = 1) -> float:
    """Fill of one hot egress queue at which the first ingress account sends XOFF.

    ``senders`` equal ingress ports feed the queue; one is the tightest case.

    Source: derived: docs of dynamic thresholds, q/m = alpha * (B - q) solved for q;
        DCQCN (SIGCOMM 2015) section 4 has the same condition.

    Example:
        >>> round(pfc_onset_bytes(pool_bytes=10_875_072, alpha=1))
        5437536
    """
    return senders * alpha * pool_bytes / (1 + senders * alpha)


def all_hot_kmax_bytes(*, pool_bytes: float, alpha: float, ports: int, priorities: int) -> float:
    """Highest queue at which ECN precedes PFC whatever ports are hot.

    All ports and priorities are hot, and one ingress feeds a queue at each port:
    priorities * ports * K bytes are in use, and its account holds ports * K.

    Source: derived: n K <= alpha * (B - P n K); Congestion Control for Large-Scale RDMA
        Deployments (SIGCOMM 2015) has it for alpha = beta / 8 and 8 priorities.

    Example:
        >>> pool = shared_pool_bytes(buffer_bytes=12_000_000, ports=32, priorities=8,
        ...                          headroom_bytes=22_400)
        >>> round(all_hot_kmax_bytes(pool_bytes=pool, alpha=1, ports=32, priorities=8))
        21756
    """
    return alpha * pool_bytes / (ports * (1 + alpha * priorities))


def shared_pool_bytes(
    *, buffer_bytes: int, ports: int, priorities: int, headroom_bytes: int
) -> int:
    """What is left of a buffer when each lossless priority of each port has its headroom."""
    return buffer_bytes - ports * priorities * headroom_bytes


def static_xoff_bytes(*, pool_bytes: float, ports: int, priorities: int) -> float:
    """Highest static XOFF threshold that all accounts can reach at once.

    Source: Congestion Control for Large-Scale RDMA Deployments (SIGCOMM 2015), section 4.

    Example:
        >>> round(static_xoff_bytes(pool_bytes=6_265_600, ports=32, priorities=8))
        24475
    """
    return pool_bytes / (ports * priorities)


def incast_that_marks_first(
    *, kmax_bytes: int, pool_bytes: int, alpha: float, speed_bps: int, feedback_s: float
) -> int:
    """Largest incast whose senders are told to slow down before the first of them is paused.

    While the first marks travel, ``feedback_s`` seconds, each further sender adds
    what it sends at line rate.

    Returns:
        Number of senders; 0 where not even one sender is marked first.
    """
    per_sender = speed_bps / 8 * feedback_s
    fits = 0
    for senders in range(1, LARGEST_INCAST + 1):
        onset = pfc_onset_bytes(pool_bytes=pool_bytes, alpha=alpha, senders=senders)
        if kmax_bytes + (senders - 1) * per_sender >= onset:
            break
        fits = senders
    return fits


def lowest_useful_kmin_bytes(*, speed_bps: int, round_trip_s: float) -> float:
    """Threshold below which a link cannot be kept busy: a seventh of rate times round trip.

    Source: DCTCP (SIGCOMM 2010) section 3.3.
    """
    return speed_bps / 8 * round_trip_s / DCTCP_SHARE
