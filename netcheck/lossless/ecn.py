"""ECN thresholds: where marking has to start, and that it starts before PFC."""

from __future__ import annotations

from netcheck.model.frozen import frozen

REFERENCE_BPS = 100_000_000_000
KMIN_AT_REFERENCE = 400_000
KMAX_AT_REFERENCE = 1_600_000
PMAX_PERCENT = 20
DCTCP_SHARE = 7


@frozen
class EcnThresholds:
    """Marking starts at ``kmin_bytes`` and reaches ``pmax_percent`` at ``kmax_bytes``."""

    kmin_bytes: int
    kmax_bytes: int
    pmax_percent: int
    derivation: str


def ecn_thresholds(speed_bps: int) -> EcnThresholds:
    """Thresholds that grow with the port's speed: 4 KB and 16 KB a Gb/s, 20 %.

    Source: alibaba-edu/High-Precision-Congestion-Control simulation/run.py
        (100/400 KB at 25G, 400/1600 KB at 100G, 1600/6400 KB at 400G).

    Example:
        >>> ecn_thresholds(400_000_000_000).kmin_bytes
        1600000
    """
    kmin = KMIN_AT_REFERENCE * speed_bps // REFERENCE_BPS
    kmax = KMAX_AT_REFERENCE * speed_bps // REFERENCE_BPS
    return EcnThresholds(
        kmin, kmax, PMAX_PERCENT, f"4 KB and 16 KB per Gb/s at {speed_bps / 1e9:g}G (HPCC)"
    )


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


def lowest_useful_kmin_bytes(*, speed_bps: int, round_trip_s: float) -> float:
    """Threshold below which a link cannot be kept busy: a seventh of rate times round trip.

    Source: DCTCP (SIGCOMM 2010) section 3.3.
    """
    return speed_bps / 8 * round_trip_s / DCTCP_SHARE
