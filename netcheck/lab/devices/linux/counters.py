"""Counters of an adapter in the names and widths of the mlx5 driver.

Source: torvalds/linux Documentation/networking/device_drivers/ethernet/mellanox/mlx5/counters.rst
    and drivers/infiniband/hw/mlx5/counters.c.
"""

from __future__ import annotations

from collections.abc import Sequence

from netcheck.lab.devices.linux.adapter import PRIORITIES, Adapter
from netcheck.lossless.dataplane.result import FlowCounters, PortCounters

WRAP_32 = 1 << 32
# q-counters are read from the firmware as 32-bit values; congestion counters are 64 bits wide
Q_COUNTERS = (
    "duplicate_request",
    "implied_nak_seq_err",
    "local_ack_timeout_err",
    "out_of_buffer",
    "out_of_sequence",
    "packet_seq_err",
    "req_cqe_error",
    "req_cqe_flush_error",
    "req_remote_access_errors",
    "req_remote_invalid_request",
    "req_transport_retries_exceeded",
    "resp_cqe_error",
    "resp_cqe_flush_error",
    "resp_local_length_error",
    "resp_remote_access_errors",
    "rnr_nak_retry_err",
    "roce_adp_retrans",
    "roce_adp_retrans_to",
    "roce_slow_restart",
    "roce_slow_restart_cnps",
    "roce_slow_restart_trans",
    "rx_atomic_requests",
    "rx_read_requests",
    "rx_write_requests",
)
CONGESTION_COUNTERS = (
    "np_cnp_sent",
    "np_ecn_marked_roce_packets",
    "rp_cnp_handled",
    "rp_cnp_ignored",
    "rx_icrc_encapsulated",
)
LIFESPAN_MS = 10
RETRIES = 7


def count_port(adapter: Adapter, found: PortCounters) -> None:
    """Add a run's counters of the port."""
    for priority in range(PRIORITIES):
        adapter.add(f"rx_packets {priority}", found.rx_packets[priority])
        adapter.add(f"rx_bytes {priority}", found.rx_bytes[priority])
        adapter.add(f"tx_packets {priority}", found.tx_packets[priority])
        adapter.add(f"tx_bytes {priority}", found.tx_bytes[priority])
        adapter.add(f"rx_pause {priority}", found.pfc_in[priority])
        adapter.add(f"tx_pause {priority}", found.pfc_out[priority])
        adapter.add(f"rx_pause_duration {priority}", found.paused_s[priority] * 1e6)
        adapter.add(f"rx_pause_transition {priority}", found.pfc_in[priority] // 2)
        adapter.add(f"rx_discards {priority}", found.group_drops[priority])
    adapter.add("rx_oversize", found.oversize_in)
    adapter.add("rx_discards", sum(found.group_drops))
    adapter.add("rx_errors", found.errors_in)
    if adapter.storms:
        adapter.add("pause_storms", 1)
    if adapter.receive_bps and sum(found.pfc_out):
        adapter.add("pcie_stalls", sum(found.pfc_out))


def count_requests(adapter: Adapter, flows: Sequence[FlowCounters]) -> None:
    """Add what the sending ends of flows counted."""
    for flow in flows:
        is_dead = flow.sent > 0 and flow.delivered == 0
        adapter.add("packet_seq_err", flow.sequence_errors)
        adapter.add("local_ack_timeout_err", RETRIES + 1 if is_dead else flow.timeouts)
        adapter.add("req_transport_retries_exceeded", int(is_dead))
        adapter.add("req_cqe_error", int(is_dead))
        adapter.add("rp_cnp_handled", flow.cnp_handled)
        adapter.add("rp_cnp_ignored", flow.cnp_ignored)


def count_answers(adapter: Adapter, flows: Sequence[FlowCounters]) -> None:
    """Add what the receiving ends of flows counted."""
    for flow in flows:
        adapter.add("out_of_sequence", flow.out_of_sequence)
        adapter.add("np_ecn_marked_roce_packets", flow.marked)
        adapter.add("np_cnp_sent", flow.cnp_sent)
        adapter.add("rx_write_requests", flow.arrived // 16)


def hw_counter(adapter: Adapter, name: str) -> int:
    """Value of one file below ``hw_counters``."""
    if name == "lifespan":
        return LIFESPAN_MS
    value = adapter.counters[name]
    return value % WRAP_32 if name in Q_COUNTERS else value


def hw_counter_names() -> tuple[str, ...]:
    """Names of the files below ``hw_counters``."""
    return tuple(sorted((*Q_COUNTERS, *CONGESTION_COUNTERS, "lifespan")))


def ethtool_statistics(adapter: Adapter) -> dict[str, int]:
    """What ``ethtool -S`` prints, in its order."""
    counted = adapter.counters
    rows: dict[str, int] = {}
    for direction in ("rx", "tx"):
        packets = sum(counted[f"{direction}_packets {p}"] for p in range(PRIORITIES))
        octets = sum(counted[f"{direction}_bytes {p}"] for p in range(PRIORITIES))
        rows[f"{direction}_vport_rdma_unicast_packets"] = packets
        rows[f"{direction}_vport_rdma_unicast_bytes"] = octets
        rows[f"{direction}_packets_phy"] = packets
        rows[f"{direction}_bytes_phy"] = octets
    rows |= _physical(adapter)
    for priority in range(PRIORITIES):
        rows |= _by_priority(adapter, priority)
    return rows


def _physical(adapter: Adapter) -> dict[str, int]:
    counted = adapter.counters
    pauses = {
        direction: sum(counted[f"{direction}_pause {p}"] for p in range(PRIORITIES))
        for direction in ("rx", "tx")
    }
    return {
        "rx_out_of_buffer": 0,
        "rx_crc_errors_phy": counted["rx_errors"],
        "rx_symbol_err_phy": 0,
        "rx_pcs_symbol_err_phy": 0,
        "rx_corrected_bits_phy": 0,
        "link_down_events_phy": counted["link_down_events"],
        "rx_oversize_pkts_phy": counted["rx_oversize"],
        "rx_discards_phy": counted["rx_discards"],
        "tx_discards_phy": 0,
        "rx_pause_ctrl_phy": pauses["rx"],
        "tx_pause_ctrl_phy": pauses["tx"],
        "rx_buffer_passed_thres_phy": 0,
        "tx_pause_storm_warning_events": counted["pause_storms"],
        "tx_pause_storm_error_events": 0,
        "outbound_pci_stalled_rd": 0,
        "outbound_pci_stalled_wr": 0,
        "outbound_pci_stalled_rd_events": 0,
        "outbound_pci_stalled_wr_events": counted["pcie_stalls"],
    }


def _by_priority(adapter: Adapter, priority: int) -> dict[str, int]:
    counted = adapter.counters
    rows = {
        f"rx_prio{priority}_bytes": counted[f"rx_bytes {priority}"],
        f"rx_prio{priority}_packets": counted[f"rx_packets {priority}"],
        f"rx_prio{priority}_discards": counted[f"rx_discards {priority}"],
        f"tx_prio{priority}_bytes": counted[f"tx_bytes {priority}"],
        f"tx_prio{priority}_packets": counted[f"tx_packets {priority}"],
    }
    if adapter.pfc[priority]:  # shown for priorities with PFC alone
        for direction in ("rx", "tx"):
            for noun in ("pause", "pause_duration"):
                name = f"{direction}_{noun} {priority}"
                rows[f"{direction}_prio{priority}_{noun}"] = counted[name]
        rows[f"rx_prio{priority}_pause_transition"] = counted[f"rx_pause_transition {priority}"]
    rows[f"rx_prio{priority}_buf_discard"] = 0
    rows[f"rx_prio{priority}_cong_discard"] = 0
    return rows
