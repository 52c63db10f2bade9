"""Every row of the table of counters is sound, and the widths are those of the hardware."""

import re
from importlib import resources

import pytest
import yaml

from netcheck.model.counters import CounterClass, Meaning, counter_delta
from netcheck.model.known import UNKNOWN
from netcheck.platforms.linux.counters import counted, counter_slot

TABLE = yaml.safe_load(
    resources.files("netcheck.platforms.linux").joinpath("counters.yaml").read_text("utf-8")
)


@pytest.mark.parametrize("group", TABLE)
def test_every_group_names_its_source(group: str) -> None:
    assert TABLE[group]["source"]


ROWS = [row for group in TABLE.values() for row in group["counters"]]


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row["name"])
def test_every_row_is_a_pattern_with_a_known_meaning(row: dict[str, str]) -> None:
    assert re.compile(row["name"])
    assert Meaning(row["meaning"])
    assert row["kind"] in {"zero", "congestion", "information", "gauge"}


@pytest.mark.parametrize(
    ("name", "meaning", "number", "kind", "width"),
    [
        ("rx_prio5_discards", Meaning.PRIORITY_INGRESS_DROP, 5, CounterClass.MUST_BE_ZERO, 64),
        ("rx_prio0_cong_discard", Meaning.PRIORITY_INGRESS_DROP, 0, CounterClass.MUST_BE_ZERO, 64),
        ("packet_seq_err", Meaning.SEQUENCE_NAK, -1, CounterClass.MUST_BE_ZERO, 32),
        ("np_cnp_sent", Meaning.CNP_SENT, -1, CounterClass.CONGESTION, 64),
        ("rp_cnp_ignored", Meaning.CNP_IGNORED, -1, CounterClass.MUST_BE_ZERO, 64),
        ("out_of_buffer", Meaning.OUT_OF_BUFFER, -1, CounterClass.INFORMATION, 32),
        ("tx_priority_2_xoff.nic", Meaning.PFC_TX, 2, CounterClass.CONGESTION, 64),
        ("rx_pfc_ena_frames_pri3", Meaning.PFC_RX, 3, CounterClass.CONGESTION, 64),
        ("missin_resp", Meaning.IMPLIED_NAK, -1, CounterClass.MUST_BE_ZERO, 64),
        ("cnpIgnored", Meaning.CNP_IGNORED, -1, CounterClass.MUST_BE_ZERO, 24),
        ("RxECNMrkd", Meaning.CE_RECEIVED, -1, CounterClass.CONGESTION, 56),
        ("tx_rdma_ack_timeout", Meaning.ACK_TIMEOUT, -1, CounterClass.MUST_BE_ZERO, 64),
        ("port_xmit_discards", Meaning.PORT_EGRESS_DROP, -1, CounterClass.MUST_BE_ZERO, 16),
        ("port_xmit_wait", Meaning.TRANSMIT_WAIT, -1, CounterClass.CONGESTION, 32),
        ("link_error_recovery", Meaning.LINK_RECOVERY, -1, CounterClass.MUST_BE_ZERO, 8),
        ("something_new", Meaning.OTHER, -1, CounterClass.INFORMATION, 64),
    ],
)
def test_a_name_has_one_meaning(
    name: str, meaning: Meaning, number: int, kind: CounterClass, width: int
) -> None:
    key, row = counter_slot("rail0", name)
    found = counted(1, row)
    assert (key.port, key.meaning, key.number, key.name) == ("rail0", meaning, number, name)
    assert (found.value, found.kind, found.width_bits) == (1, kind, width)


def test_counters_of_an_infiniband_port_stop_at_their_largest_value() -> None:
    _, row = counter_slot("ib0", "port_xmit_wait")
    first, last = counted(5, row), counted(2**32 - 1, row)
    assert counter_delta(first, last) is UNKNOWN
    assert counter_delta(first, counted(2**32 + 5, row)) == 2**32  # this adapter has 64 bits
