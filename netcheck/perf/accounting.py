"""Packets that left one end and did not arrive at the other, where both ends count all of theirs.

Soft-RoCE counts every RDMA packet at both ends, so what was lost is known to the
packet. It also times out when the host is busy, without any loss: such a timeout
says nothing where every packet has arrived.
"""

from __future__ import annotations

from netcheck.model.counters import Meaning
from netcheck.model.known import is_known
from netcheck.perf.deltas import Deltas
from netcheck.perf.observe import RoundResult


def lost_packets(result: RoundResult) -> int | None:
    """RDMA packets that were sent and not received in a round; None where nobody counts them.

    The two readings of a host are not taken at one moment, but before and after
    all traffic: nothing is on its way then.
    """
    hosts = sorted({end.host for flow in result.round.flows for end in flow})
    sent = [_count(result.deltas.get(host), Meaning.RDMA_TX_PACKETS) for host in hosts]
    received = [_count(result.deltas.get(host), Meaning.RDMA_RX_PACKETS) for host in hosts]
    counted = [one for one in (*sent, *received) if one is not None]
    if not hosts or len(counted) < len(sent) + len(received):
        return None
    return sum(counted[: len(sent)]) - sum(counted[len(sent) :])


def _count(deltas: Deltas | None, meaning: Meaning) -> int | None:
    """Movement of a host's counters of that meaning, all ports together."""
    if deltas is None:
        return None
    rows = [row for (_, kind), found in deltas.moved.items() if kind is meaning for row in found]
    if not rows or not all(is_known(row.by) for row in rows):
        return None
    return sum(row.by for row in rows if is_known(row.by))
