"""Counters of a switch: kept in our own words, shown in SAI's.

Source: sonic-net/sonic-swss-common and sonic-net/sonic-swss flex counter names.
"""

from __future__ import annotations

from netcheck.lab.devices import tallies
from netcheck.lossless.dataplane.network import PRIORITIES

Row = dict[str, str]


class Tallies(tallies.Tallies):
    """Counters and watermarks of a switch."""

    def port_row(self, port: str) -> Row:
        """What COUNTERS_DB holds of a port."""
        oversize = self.counts[port, "oversize_in", 0]
        errors = self.counts[port, "errors_in", 0]
        row = {
            "SAI_PORT_STAT_IF_IN_UCAST_PKTS": self.total(port, "rx_packets"),
            "SAI_PORT_STAT_IF_IN_OCTETS": self.total(port, "rx_bytes"),
            "SAI_PORT_STAT_IF_IN_ERRORS": oversize + errors,
            "SAI_PORT_STAT_IF_IN_DISCARDS": self.total(port, "group_drops") + oversize,
            "SAI_PORT_STAT_ETHER_RX_OVERSIZE_PKTS": oversize,
            "SAI_PORT_STAT_IF_OUT_UCAST_PKTS": self.total(port, "tx_packets"),
            "SAI_PORT_STAT_IF_OUT_OCTETS": self.total(port, "tx_bytes"),
            "SAI_PORT_STAT_IF_OUT_ERRORS": 0,
            "SAI_PORT_STAT_IF_OUT_DISCARDS": self.total(port, "queue_drops")
            + self.counts[port, "oversize_out", 0],
            "SAI_PORT_STAT_IF_IN_FEC_NOT_CORRECTABLE_FRAMES": errors,
            "SAI_PORT_STAT_IF_IN_FEC_SYMBOL_ERRORS": 0,
        }
        for priority in range(PRIORITIES):
            prefix = f"SAI_PORT_STAT_PFC_{priority}"
            row[f"{prefix}_RX_PKTS"] = self.counts[port, "pfc_in", priority]
            row[f"{prefix}_TX_PKTS"] = self.counts[port, "pfc_out", priority]
            duration = self.counts[port, "paused_us", priority]
            row[f"EST_PORT_STAT_PFC_{priority}_RX_PAUSE_DURATION_US"] = duration
        return {name: str(value) for name, value in row.items()}

    def queue_row(self, port: str, queue: int, enabled: frozenset[str]) -> Row:
        """What COUNTERS_DB holds of a queue; ``enabled`` are the counter groups polled."""
        counts = self.counts
        row: dict[str, int | str] = {}
        if "QUEUE" in enabled:
            row |= {
                "SAI_QUEUE_STAT_PACKETS": counts[port, "queue_packets", queue],
                "SAI_QUEUE_STAT_BYTES": counts[port, "queue_bytes", queue],
                "SAI_QUEUE_STAT_DROPPED_PACKETS": counts[port, "queue_drops", queue],
                "SAI_QUEUE_STAT_DROPPED_BYTES": counts[port, "queue_drop_bytes", queue],
            }
        if "QUEUE_WATERMARK" in enabled:
            row["SAI_QUEUE_STAT_SHARED_WATERMARK_BYTES"] = self.peaks[port, "queue_peak", queue]
        if "WRED_ECN_QUEUE" in enabled:
            marks = counts[port, "queue_marks", queue]
            row |= {
                "SAI_QUEUE_STAT_WRED_ECN_MARKED_PACKETS": marks,
                "SAI_QUEUE_STAT_WRED_ECN_MARKED_BYTES": marks * 4158,
                "SAI_QUEUE_STAT_WRED_DROPPED_PACKETS": 0,
                "SAI_QUEUE_STAT_WRED_DROPPED_BYTES": 0,
            }
        return {name: str(value) for name, value in row.items()}

    def watchdog_row(self, port: str, queue: int, action: str) -> Row:
        """What the watchdog adds to a queue that it watches."""
        storms = self.counts[port, "queue_storms", queue]
        sent = self.counts[port, "queue_packets", queue]
        dropped = self.counts[port, "queue_drops", queue]
        row = {
            "PFC_WD_STATUS": "operational",
            "PFC_WD_ACTION": action,
            "PFC_WD_QUEUE_STATS_DEADLOCK_DETECTED": storms,
            "PFC_WD_QUEUE_STATS_DEADLOCK_RESTORED": storms,
            "PFC_WD_QUEUE_STATS_TX_PACKETS": sent if storms else 0,
            "PFC_WD_QUEUE_STATS_TX_DROPPED_PACKETS": dropped if storms else 0,
            "PFC_WD_QUEUE_STATS_RX_PACKETS": 0,
            "PFC_WD_QUEUE_STATS_RX_DROPPED_PACKETS": 0,
        }
        return {name: str(value) for name, value in row.items()}

    def group_row(self, port: str, group: int, enabled: frozenset[str]) -> Row:
        """What COUNTERS_DB holds of a priority group."""
        row = {}
        if "PG_DROP" in enabled:
            row["SAI_INGRESS_PRIORITY_GROUP_STAT_DROPPED_PACKETS"] = self.counts[
                port, "group_drops", group
            ]
        return {name: str(value) for name, value in row.items()}

    def group_peaks(self, port: str, group: int) -> Row:
        """Watermarks of a priority group."""
        prefix = "SAI_INGRESS_PRIORITY_GROUP_STAT"
        shared = self.peaks[port, "group_shared_peak", group]
        headroom = self.peaks[port, "group_headroom_peak", group]
        return {
            f"{prefix}_SHARED_WATERMARK_BYTES": str(shared),
            f"{prefix}_XOFF_ROOM_WATERMARK_BYTES": str(headroom),
        }
