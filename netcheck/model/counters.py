"""Counters: what a device counted, what it means, and how far it can be trusted."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from enum import StrEnum
from typing import Any, NamedTuple

from netcheck.model.frozen import frozen
from netcheck.model.frozenmap import FrozenMap
from netcheck.model.known import ABSENT, UNKNOWN, Known, Missing


class CounterClass(StrEnum):
    """How a counter's growth is judged."""

    MUST_BE_ZERO = "must_be_zero"
    CONGESTION = "congestion"
    INFORMATION = "information"
    GAUGE = "gauge"

    # looked up for every counter that is read: that of the text is worked out once
    __hash__ = str.__hash__


class CounterLimit(StrEnum):
    """What a counter does at its width."""

    WRAPS = "wraps"
    SATURATES = "saturates"


class Meaning(StrEnum):
    """What is counted, in the field's words and the same on every platform."""

    PORT_INGRESS_DROP = "port_ingress_drop"
    PORT_EGRESS_DROP = "port_egress_drop"
    PRIORITY_INGRESS_DROP = "priority_ingress_drop"
    PRIORITY_GROUP_DROP = "priority_group_drop"
    QUEUE_DROP = "queue_drop"
    QUEUE_PACKETS = "queue_packets"
    QUEUE_BYTES = "queue_bytes"
    PRIORITY_TX_PACKETS = "priority_tx_packets"
    PRIORITY_RX_PACKETS = "priority_rx_packets"
    PORT_TX_PACKETS = "port_tx_packets"
    PORT_RX_PACKETS = "port_rx_packets"
    RDMA_TX_PACKETS = "rdma_tx_packets"
    RDMA_RX_PACKETS = "rdma_rx_packets"
    RDMA_PACKETS_LOST = "rdma_packets_lost"
    PFC_RX = "pfc_rx"
    PFC_TX = "pfc_tx"
    PFC_RX_DURATION = "pfc_rx_duration"
    PFC_TX_DURATION = "pfc_tx_duration"
    GLOBAL_PAUSE_RX = "global_pause_rx"
    GLOBAL_PAUSE_TX = "global_pause_tx"
    PAUSE_STORM = "pause_storm"
    ECN_MARKED = "ecn_marked"
    WRED_DROP = "wred_drop"
    CE_RECEIVED = "ce_received"
    CNP_SENT = "cnp_sent"
    CNP_HANDLED = "cnp_handled"
    CNP_IGNORED = "cnp_ignored"
    OUT_OF_SEQUENCE = "out_of_sequence"
    SEQUENCE_NAK = "sequence_nak"
    IMPLIED_NAK = "implied_nak"
    ACK_TIMEOUT = "ack_timeout"
    RETRANSMISSION = "retransmission"
    DUPLICATE_REQUEST = "duplicate_request"
    RETRY_EXCEEDED = "retry_exceeded"
    RNR_NAK = "rnr_nak"
    OUT_OF_BUFFER = "out_of_buffer"
    ICRC_ERROR = "icrc_error"
    PHYSICAL_ERROR = "physical_error"
    LINK_DOWN = "link_down"
    WATCHDOG_STORM = "watchdog_storm"
    WATCHDOG_RESTORED = "watchdog_restored"
    WATCHDOG_DROP = "watchdog_drop"
    HEADROOM_WATERMARK = "headroom_watermark"
    SHARED_WATERMARK = "shared_watermark"
    QUEUE_WATERMARK = "queue_watermark"
    PCIE_STALL = "pcie_stall"
    VL15_DROP = "vl15_drop"
    LINK_RECOVERY = "link_recovery"
    TRANSMIT_WAIT = "transmit_wait"
    CONSTRAINT_ERROR = "constraint_error"
    RECEIVE_ERROR = "receive_error"
    OTHER = "other"

    # part of every counter's key: that of the text is worked out once
    __hash__ = str.__hash__


class CounterKey(NamedTuple):
    """Which counter: port, meaning, the queue or priority it is for (or -1), vendor's own name."""

    port: str
    meaning: Meaning
    number: int
    name: str


@frozen
class Counter:
    """One reading.

    Attributes:
        value: Reading; UNKNOWN where the device showed none that can be trusted.
        kind: How growth is judged.
        unit: ``packets``, ``bytes``, ``us``, ``events`` or ``percent``.
        width_bits: Width in the device; 64 unless its source says less.
        limit: What happens at the width.
    """

    value: Known[int]
    kind: CounterClass
    unit: str = "packets"
    width_bits: int = 64
    limit: CounterLimit = CounterLimit.WRAPS


class WholeCounts(FrozenMap[CounterKey, Counter]):
    """Counters of a list that shows all that are not zero: what it does not show is zero."""

    __slots__ = ()

    def __reduce__(self) -> tuple[Any, ...]:  # Any: pickle's protocol
        return (WholeCounts, (dict(self),))


def reading_of(
    counters: Mapping[CounterKey, Counter], key: CounterKey, other: Counter | None
) -> Counter | None:
    """Give one counter; zero where a list shows only others, None where it is not known.

    Args:
        other: The same counter in another reading, whose class and width are taken.
    """
    found = counters.get(key)
    if found is None and other is not None and isinstance(counters, WholeCounts):
        return replace(other, value=0)
    return found


def counter_delta(before: Counter, after: Counter) -> Known[int]:
    """How far a counter moved between two readings.

    UNKNOWN where either reading is missing, where a saturating counter stands
    at its maximum in one of them (their widths may differ: a counter that is shown
    whole once only), and where a 64-bit counter went backwards (a reset). A
    narrower wrapping counter that went backwards is taken as wrapped once only
    if that is less than half its range; else as reset.

    Source: widths in torvalds/linux drivers/infiniband/hw/mlx5/counters.c.

    Example:
        >>> old = Counter(2**32 - 5, CounterClass.CONGESTION, width_bits=32)
        >>> new = Counter(7, CounterClass.CONGESTION, width_bits=32)
        >>> counter_delta(old, new)
        12
    """
    if isinstance(before.value, Missing) or isinstance(after.value, Missing):
        return ABSENT if before.value is after.value is ABSENT else UNKNOWN
    top = (1 << after.width_bits) - 1
    if after.limit is CounterLimit.SATURATES and after.value >= top:
        return UNKNOWN
    if before.limit is CounterLimit.SATURATES and before.value >= (1 << before.width_bits) - 1:
        return UNKNOWN
    if after.value >= before.value:
        return after.value - before.value
    wrapped = after.value - before.value + top + 1
    can_wrap = after.limit is CounterLimit.WRAPS and after.width_bits < 64  # noqa: PLR2004 -- a 64-bit counter does not wrap in a test
    return wrapped if can_wrap and wrapped < (top + 1) // 2 else UNKNOWN


def with_meaning(
    counters: Mapping[CounterKey, Counter], meaning: Meaning
) -> Iterator[tuple[CounterKey, Counter]]:
    """Yield the counters of one meaning.

    A map that keeps them apart by meaning offers a method of this name, so that
    the others need not be looked at.
    """
    own = getattr(counters, "with_meaning", None)
    if own is not None:
        yield from own(meaning)
        return
    yield from (pair for pair in counters.items() if pair[0].meaning is meaning)
