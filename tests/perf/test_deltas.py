"""How far counters moved, and when that cannot be told."""

import pytest

from netcheck.model.counters import (
    Counter,
    CounterClass,
    CounterKey,
    CounterLimit,
    Meaning,
    counter_delta,
)
from netcheck.model.device import Device
from netcheck.model.frozenmap import FrozenMap
from netcheck.model.known import ABSENT, UNKNOWN, Known
from netcheck.perf.deltas import deltas

KEY = CounterKey("rail0", Meaning.ACK_TIMEOUT, -1, "local_ack_timeout_err")
OTHER = CounterKey("rail0", Meaning.ACK_TIMEOUT, -1, "roce_adp_retrans_to")


def counter(
    value: Known[int], width: int = 64, limit: CounterLimit = CounterLimit.WRAPS
) -> Counter:
    return Counter(value, CounterClass.MUST_BE_ZERO, width_bits=width, limit=limit)


@pytest.mark.parametrize(
    ("before", "after", "moved"),
    [
        (counter(5), counter(12), 7),
        (counter(12), counter(5), UNKNOWN),
        (counter(2**32 - 3, 32), counter(4, 32), 7),
        (counter(2**31, 32), counter(0, 32), UNKNOWN),
        (counter(15, 4, CounterLimit.SATURATES), counter(15, 4, CounterLimit.SATURATES), UNKNOWN),
        (counter(3, 4, CounterLimit.SATURATES), counter(9, 4, CounterLimit.SATURATES), 6),
        (counter(65535, 16, CounterLimit.SATURATES), counter(70000), UNKNOWN),
        (counter(9, 16, CounterLimit.SATURATES), counter(70000), 69991),
        (counter(UNKNOWN), counter(9), UNKNOWN),
        (counter(9), counter(ABSENT), UNKNOWN),
        (counter(ABSENT), counter(ABSENT), ABSENT),
    ],
)
def test_a_delta_is_known_only_where_both_readings_can_be_trusted(
    before: Counter, after: Counter, moved: Known[int]
) -> None:
    assert counter_delta(before, after) == moved


def device(*readings: tuple[CounterKey, int], boot_id: str = "one", width: int = 64) -> Device:
    shown = FrozenMap({key: counter(value, width) for key, value in readings})
    return Device("gpu01", counters=shown, boot_id=boot_id)


def test_a_counter_of_one_reading_only_has_moved_by_unknown() -> None:
    found = deltas(device((KEY, 0)), device())
    assert found.find("rail0", Meaning.ACK_TIMEOUT) is UNKNOWN


def test_counters_of_one_meaning_add_up() -> None:
    found = deltas(device((KEY, 1), (OTHER, 1)), device((KEY, 3), (OTHER, 5)))
    assert found.find("rail0", Meaning.ACK_TIMEOUT) == 6


def test_one_unreadable_counter_makes_their_sum_unknown() -> None:
    found = deltas(device((KEY, 1)), device((KEY, 3), (OTHER, 5)))
    assert found.find("rail0", Meaning.ACK_TIMEOUT) is UNKNOWN


def test_a_reboot_makes_every_movement_unknown() -> None:
    found = deltas(device((KEY, 1)), device((KEY, 3), boot_id="two"))
    assert found.was_reset
    assert found.find("rail0", Meaning.ACK_TIMEOUT) is UNKNOWN


def test_counters_of_a_port_that_was_cleared_tell_nothing_also_where_they_stayed_zero() -> None:
    packets = CounterKey("rail0", Meaning.PORT_TX_PACKETS, -1, "tx_packets_phy")
    elsewhere = CounterKey("rail1", Meaning.ACK_TIMEOUT, -1, "local_ack_timeout_err")
    before = device((packets, 10**9), (KEY, 0), (elsewhere, 0))
    found = deltas(before, device((packets, 5), (KEY, 0), (elsewhere, 0)))
    assert found.find("rail0", Meaning.ACK_TIMEOUT) is UNKNOWN
    assert found.find("rail0", Meaning.PORT_TX_PACKETS) is UNKNOWN
    assert found.find("rail1", Meaning.ACK_TIMEOUT) == 0


def test_packets_that_wrapped_at_32_bits_were_not_cleared() -> None:
    packets = CounterKey("rail0", Meaning.PORT_TX_PACKETS, -1, "tx_packets")
    before = device((packets, 2**32 - 5), (KEY, 0), width=32)
    found = deltas(before, device((packets, 7), (KEY, 0), width=32))
    assert found.find("rail0", Meaning.PORT_TX_PACKETS) == 12
    assert found.find("rail0", Meaning.ACK_TIMEOUT) == 0
