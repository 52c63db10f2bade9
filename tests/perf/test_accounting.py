"""What soft-RoCE lost is known to the packet; what it no longer waited for is no loss."""

from __future__ import annotations

import pytest

from netcheck.model.counters import Meaning
from netcheck.model.finding import RunResult
from netcheck.perf.accounting import lost_packets
from netcheck.perf.observe import RoundResult
from tests.perf.test_verdict import PACKETS, Readings, incast, judge, key

SENT = 2 * PACKETS


def soft(*, arrived: int | None, taken: int, timeouts: int = 0) -> RoundResult:
    """An incast of soft-RoCE hosts.

    Args:
        arrived: Packets of the class that came to the receiver's NIC; None where
            it does not count by priority.
        taken: Those that a queue pair took.
        timeouts: Acknowledgements that did not come in time.
    """

    def change(readings: dict[str, Readings]) -> None:
        at = readings["gpu01"]
        at[key("rail0", Meaning.RDMA_TX_PACKETS)] = 0
        at[key("rail0", Meaning.RDMA_RX_PACKETS)] = taken
        at.pop(key("rail0", Meaning.PRIORITY_RX_PACKETS, 3))
        if arrived is not None:
            at[key("rail0", Meaning.PRIORITY_RX_PACKETS, 3)] = arrived
        readings["gpu02"][key("rail0", Meaning.RDMA_TX_PACKETS)] = SENT
        readings["gpu02"][key("rail0", Meaning.RDMA_RX_PACKETS)] = 0
        readings["gpu02"][key("rail0", Meaning.ACK_TIMEOUT)] = timeouts

    return incast(change)


@pytest.mark.parametrize(
    ("arrived", "taken", "lost"),
    [
        (SENT, SENT, 0),
        (SENT, SENT - 74, 0),  # came to a queue pair that was gone
        (SENT - 3, SENT - 74, 3),
        (None, SENT, 0),
        (None, SENT - 74, None),  # lost, or too late: nobody can tell
    ],
)
def test_what_arrived_is_counted_before_the_queue_pairs(
    arrived: int | None, taken: int, lost: int | None
) -> None:
    assert lost_packets(soft(arrived=arrived, taken=taken), {3}) == lost


def test_adapters_that_count_no_rdma_packets_are_not_asked() -> None:
    assert lost_packets(incast(), {3}) is None


@pytest.mark.parametrize(
    ("arrived", "expected"), [(SENT, RunResult.LOSSLESS), (SENT - 1, RunResult.NOT_LOSSLESS)]
)
def test_a_timeout_is_a_busy_host_where_every_packet_arrived(
    arrived: int, expected: RunResult
) -> None:
    found = judge(soft(arrived=arrived, taken=SENT - 74, timeouts=27))
    assert found.verdict.run is expected
