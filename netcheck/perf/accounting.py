"""Packets that left one end and did not arrive at the other, where both ends count all of theirs.

Soft-RoCE counts every RDMA packet that it sends, and of those that arrive only what a queue
pair still waits for: a test by time ends with packets on their way, and these come to a queue
pair that is gone. So what arrived is counted before it, by the NIC's priority. Soft-RoCE also
times out when the host is busy, without any loss: such a timeout says nothing where every
packet has arrived.
"""

from __future__ import annotations

from collections.abc import Iterable

from netcheck.model.counters import Meaning
from netcheck.model.known import UNKNOWN, Known, is_known
from netcheck.perf.deltas import Deltas
from netcheck.perf.observe import RoundResult
from netcheck.perf.schedule import Endpoint


def lost_packets(result: RoundResult, priorities: Iterable[int]) -> int | None:
    """Packets of some priorities that were sent and not received in a round.

    The two readings of a host are not taken at one moment, but before and after
    all traffic: nothing is on its way then.

    Args:
        priorities: Of the class that is tested, or of all that a test sends.

    Returns:
        None where no host counts every RDMA packet, and where those that came to a
        queue pair that was gone cannot be told from those that were lost.
    """
    ends = sorted({end for flow in result.round.every for end in flow})
    if not ends or not all(_counts_all(result.deltas.get(end.host)) for end in ends):
        return None
    wanted = sorted(set(priorities))
    lost = _missing(
        [_by_priority(result, end, Meaning.PRIORITY_TX_PACKETS, wanted) for end in ends],
        [_by_priority(result, end, Meaning.PRIORITY_RX_PACKETS, wanted) for end in ends],
    )
    if lost is not None:
        return lost
    hosts = sorted({end.host for end in ends})
    return 0 if _missing(*(_by_pair(result, hosts, one) for one in _PAIRS)) == 0 else None


_PAIRS = (Meaning.RDMA_TX_PACKETS, Meaning.RDMA_RX_PACKETS)


def _counts_all(deltas: Deltas | None) -> bool:
    """Whether a host shows packets that its queue pairs sent and received."""
    return deltas is not None and all(is_known(_sum(deltas, meaning)) for meaning in _PAIRS)


def _missing(sent: Iterable[Known[int]], received: Iterable[Known[int]]) -> int | None:
    left, came = list(sent), list(received)
    if not all(is_known(one) for one in (*left, *came)):
        return None
    return sum(one for one in left if is_known(one)) - sum(one for one in came if is_known(one))


def _by_priority(
    result: RoundResult, end: Endpoint, meaning: Meaning, priorities: Iterable[int]
) -> Known[int]:
    total = 0
    for number in priorities:
        by = result.deltas[end.host].find(end.port, meaning, number)
        if not is_known(by):
            return UNKNOWN
        total += by
    return total


def _by_pair(result: RoundResult, hosts: Iterable[str], meaning: Meaning) -> list[Known[int]]:
    return [_sum(result.deltas[host], meaning) for host in hosts]


def _sum(deltas: Deltas, meaning: Meaning) -> Known[int]:
    """Movement of a host's counters of that meaning, all ports together."""
    rows = [row for (_, kind), found in deltas.moved.items() if kind is meaning for row in found]
    if not rows or not all(is_known(row.by) for row in rows):
        return UNKNOWN
    return sum(row.by for row in rows if is_known(row.by))
