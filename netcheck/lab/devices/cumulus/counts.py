"""What ``nv show`` gives of counters, as objects; bytes are bytes, durations microseconds.

Source: CumulusNetworks/docs nvue-reference Show-Commands (QoS, Interface),
    Cumulus Linux 5.14 user guide, RDMA over Converged Ethernet.
"""

from __future__ import annotations

from netcheck.lab.devices.cumulus import defaults
from netcheck.lab.devices.cumulus.state import CumulusSwitch
from netcheck.lab.devices.cumulus.views import View

PRIORITIES = defaults.PRIORITIES


def counters(switch_: CumulusSwitch, name: str) -> View:
    """``nv show interface NAME counters``."""
    tallies = switch_.tallies
    errors = tallies.count(name, "oversize_in", 0) + tallies.count(name, "errors_in", 0)
    drops_in, drops_out = tallies.total(name, "group_drops"), tallies.total(name, "queue_drops")
    return {
        "carrier-transitions": 1,
        "netstat": {
            "rx-bytes": tallies.total(name, "rx_bytes"),
            "rx-packets": tallies.total(name, "rx_packets"),
            "rx-drops": drops_in,
            "rx-errors": errors,
            "tx-bytes": tallies.total(name, "tx_bytes"),
            "tx-packets": tallies.total(name, "tx_packets"),
            "tx-drops": drops_out + tallies.count(name, "oversize_out", 0),
            "tx-errors": 0,
        },
        "qos": qos_counters(switch_, name),
    }


def qos_counters(switch_: CumulusSwitch, name: str) -> View:
    """``nv show interface NAME counters qos``."""
    return {
        "egress-queue-stats": egress_queue_stats(switch_, name),
        "ingress-buffer-stats": ingress_buffer_stats(switch_, name),
        "pfc-stats": pfc_stats(switch_, name),
        "port-stats": port_stats(switch_, name),
    }


def egress_queue_stats(switch_: CumulusSwitch, name: str) -> View:
    """Frames, bytes and discards of each traffic class.

    The discards are packets, though texts write Bytes behind them: the same
    counter stands without a unit in ``qos roce counters``.
    """
    tallies = switch_.tallies
    return {
        str(queue): {
            "tx-frames": tallies.count(name, "queue_packets", queue),
            "tx-bytes": tallies.count(name, "queue_bytes", queue),
            "tx-uc-buffer-discards": tallies.count(name, "queue_drops", queue),
            "wred-discards": 0,
        }
        for queue in PRIORITIES
    }


def ingress_buffer_stats(switch_: CumulusSwitch, name: str) -> View:
    """Frames and discards (packets) of each priority group."""
    group_of = switch_.port(name).group_of
    tallies = switch_.tallies
    return {
        str(group): {
            "rx-frames": sum(
                tallies.count(name, "rx_packets", priority)
                for priority in PRIORITIES
                if group_of[priority] == group
            ),
            "rx-buffer-discards": tallies.count(name, "group_drops", group),
            "rx-shared-buffer-discards": 0,
        }
        for group in PRIORITIES
    }


def pfc_stats(switch_: CumulusSwitch, name: str) -> View:
    """Pause frames of each switch priority, and for how long they paused (microseconds)."""
    tallies = switch_.tallies
    return {
        str(priority): {
            "rx-pause-frames": tallies.count(name, "pfc_in", priority),
            "rx-pause-duration": tallies.count(name, "paused_us", priority),
            "tx-pause-frames": tallies.count(name, "pfc_out", priority),
            "tx-pause-duration": 0,
        }
        for priority in PRIORITIES
    }


def port_stats(switch_: CumulusSwitch, name: str) -> View:
    """Marked packets and link pause."""
    marked = switch_.tallies.total(name, "queue_marks")
    return {
        "rx-stats": {"pause-frames": 0},
        "tx-stats": {"ecn-marked-packets": marked, "mc-buffer-discards": 0, "pause-frames": 0},
    }


def roce_counters(switch_: CumulusSwitch, name: str) -> View:
    """``nv show interface NAME qos roce counters``: of the lossless priority and of CNPs."""
    if not defaults.roce_mode(switch_.applied):
        return {}
    port, tallies = switch_.port(name), switch_.tallies
    priority = min(port.lossless, default=3)
    queues = defaults.queue_mapping(switch_.applied)
    data, cnp = (int(queues[str(n)]["traffic-class"]) for n in (priority, 6))
    group = port.group_of[priority]
    others = [n for n in PRIORITIES if n != priority]

    def rest(kind: str) -> int:
        return sum(tallies.count(name, kind, n) for n in others)

    return {
        "rx-stats": {
            "rx-non-roce-stats": {
                "no-buffer-discard": sum(
                    tallies.count(name, "group_drops", n) for n in PRIORITIES if n != group
                ),
                "non-roce-bytes": rest("rx_bytes"),
                "non-roce-packets": rest("rx_packets"),
            },
            "rx-pfc-stats": {
                "pause-duration": tallies.count(name, "paused_us", priority),
                "pause-packets": tallies.count(name, "pfc_in", priority),
            },
            "rx-roce-stats": {
                "no-buffer-discard": tallies.count(name, "group_drops", group),
                "pg-max-usage": tallies.peaks[name, "group_shared_peak", group],
                "roce-bytes": tallies.count(name, "rx_bytes", priority),
                "roce-packets": tallies.count(name, "rx_packets", priority),
            },
        },
        "tx-stats": {
            "tx-cnp-stats": {
                "cnp-bytes": tallies.count(name, "queue_bytes", cnp),
                "cnp-packets": tallies.count(name, "queue_packets", cnp),
                "unicast-no-buffer-discard": tallies.count(name, "queue_drops", cnp),
            },
            "tx-ecn-stats": {"ecn-marked-packets": tallies.total(name, "queue_marks")},
            "tx-pfc-stats": {
                "pause-duration": 0,
                "pause-packets": tallies.count(name, "pfc_out", priority),
            },
            "tx-roce-stats": {
                "roce-bytes": tallies.count(name, "queue_bytes", data),
                "roce-packets": tallies.count(name, "queue_packets", data),
                "tc-max-usage": tallies.peaks[name, "queue_peak", data],
                "unicast-no-buffer-discard": tallies.count(name, "queue_drops", data),
            },
        },
    }
