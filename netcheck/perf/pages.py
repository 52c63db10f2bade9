"""What each finding of a measurement means: text only."""

from __future__ import annotations

from dataclasses import dataclass

from netcheck.model.finding import Severity, Verdict


@dataclass(frozen=True, slots=True)
class Page:
    """Severity, verdict, and the words that go with one kind of finding."""

    severity: Severity
    verdict: Verdict
    why: str
    fix: str
    source: str


_ROCEV2 = "sonic-net/sonic-mgmt tests/snappi_tests/rocev2: lossless flows with no loss, NAK or gap"
_DERIVED = "derived: what is not counted is not known"

PAGES = {
    "loss-counted": Page(
        Severity.ERROR,
        Verdict.FAIL,
        "A packet of a lossless class was dropped, or a NIC had to send it again.",
        "Look at the place first: PFC on both ends, headroom, DSCP map, MTU.",
        _ROCEV2,
    ),
    "packets-damaged": Page(
        Severity.ERROR,
        Verdict.FAIL,
        "Packets came in damaged: what is lost is lost by the cable, not by congestion.",
        "Clean or replace the cable or its modules; compare FEC at both ends.",
        "linux kernel mlx5 counters (rx_crc_errors_phy, rx_symbol_err_phy); SAI port counters",
    ),
    "congestion-unmarked": Page(
        Severity.WARNING,
        Verdict.FAIL,
        "Senders were paused and no packet was marked: without marks nothing slows them down but"
        " pause frames, which spread.",
        "Compare ECN of this queue with the intent.",
        _ROCEV2,
    ),
    "cnp-ignored": Page(
        Severity.WARNING,
        Verdict.FAIL,
        "An adapter was told of congestion and did not slow down.",
        "Switch the reaction point on for the class's priority (roce_rp).",
        "linux kernel mlx5 counters (rp_cnp_ignored)",
    ),
    "cnp-outside-class": Page(
        Severity.WARNING,
        Verdict.FAIL,
        "Notifications of congestion travel outside their class: they wait behind the data that"
        " they tell of, and may be dropped.",
        "Compare CNP DSCP and the DSCP map of this adapter with the intent.",
        "IEEE 802.1Q; Congestion Control for Large-Scale RDMA Deployments (SIGCOMM 2015)",
    ),
    "cnp-lost": Page(
        Severity.WARNING,
        Verdict.FAIL,
        "Notifications of congestion go into this switch and do not come out: senders are not"
        " told to slow down.",
        "Look for a filter, a policer or a wrong DSCP map on the way of CNPs.",
        _DERIVED,
    ),
    "queue-share-off": Page(
        Severity.WARNING,
        Verdict.FAIL,
        "A full port does not give the class the share of it that the intent says.",
        "Compare scheduler and weights of this port with the intent.",
        _ROCEV2 + " (per-queue rate within 5 % of its share)",
    ),
    "droppable-without-loss": Page(
        Severity.WARNING,
        Verdict.FAIL,
        "A port had more to send than it can, the lossless class was paused, and traffic that may"
        " be dropped lost nothing: it is paused too, or takes room that is meant for the class.",
        "Look at PFC of its priority, and at which queue and pool its packets go into.",
        _ROCEV2 + " (lossy flows must show loss under incast)",
    ),
    "droppable-not-run": Page(
        Severity.INFO,
        Verdict.FAIL,
        "Traffic that may be dropped was to run beside the class, and a test of it did not end with"
        " a figure: shares of queues, and whether it loses as it should, were not judged there.",
        "None where it lost too much to go on (no acknowledgement); else look at what the test"
        " says.",
        _DERIVED,
    ),
    "cable-below-speed": Page(
        Severity.WARNING,
        Verdict.FAIL,
        "A port had more to send than it sent, nobody paused it, and still it carried much less"
        " than others of its speed.",
        "Look at lanes and negotiated speed of this cable, at both ends.",
        "derived: full ports of one speed carry alike",
    ),
    "collective-failed": Page(
        Severity.ERROR,
        Verdict.FAIL,
        "The collective test that was asked for did not run to its end.",
        "Run the same command on the host by hand; NCCL_DEBUG=INFO names the failing call.",
        "NVIDIA/nccl-tests src/common.cu",
    ),
    "collective-wrong": Page(
        Severity.ERROR,
        Verdict.FAIL,
        "The collective test ended with wrong values: data was damaged on its way or in memory.",
        "Look for damaged packets (ICRC, FEC), and at the memory path of the GPUs.",
        "NVIDIA/nccl-tests src/common.cu (# Out of bounds values)",
    ),
    "look-at-the-host": Page(
        Severity.INFO,
        Verdict.FAIL,
        "Nothing was lost, and still a NIC pauses its switch or is slow with every peer: its own"
        " host does not take or give what the port carries.",
        "Mend the slot, BIOS setting or governor that is named; compare the host with a peer.",
        "RDMA over Commodity Ethernet at Scale, SIGCOMM 2016: slow receivers pause",
    ),
    "latency-above-peers": Page(
        Severity.WARNING,
        Verdict.FAIL,
        "A pair takes much longer than others at the same distance on an idle fabric: a host that"
        " sleeps, a NIC on another NUMA node, or a path that is longer than it should be.",
        "Compare CPU governor, C-states and NUMA node of both hosts with their peers; measure with"
        " --pin.",
        "derived: pairs within leaves differ by cables alone",
    ),
    "latency-test-failed": Page(
        Severity.WARNING,
        Verdict.FAIL,
        "Latency into a port that an incast fills was to be measured, and the test did not end with"
        " a figure: nothing is known of it.",
        "Look at what the test says, and at findings of the flows of the incast.",
        _DERIVED,
    ),
    "rdma-mtu-small": Page(
        Severity.WARNING,
        Verdict.FAIL,
        "Tests succeed with smaller packets than the fabric takes: the rate falls with them.",
        "Raise the MTU of the host's port (4200 bytes or more for an RDMA MTU of 4096).",
        "linux kernel include/rdma/ib_addr.h iboe_get_mtu; NVIDIA/nccl PR 2135",
    ),
    "worse-than-baseline": Page(
        Severity.WARNING,
        Verdict.FAIL,
        "The same test was better in the earlier run that was given for comparison.",
        "Look at what changed since: netcheck diff of two snapshots, cables, firmware, load.",
        "microsoft/superbenchmark: variance above 5 % against a baseline is a defect",
    ),
    "baseline-not-measured": Page(
        Severity.INFO,
        Verdict.FAIL,
        "Some tests of the earlier run were not made this time, and nothing is said of them.",
        "Measure with the same schedule and the same hosts as before.",
        _DERIVED,
    ),
    "fault-located": Page(
        Severity.INFO,
        Verdict.FAIL,
        "The place that counters and results point at.",
        "Compare this place and its peer with the intent.",
        "derived: see netcheck.perf.clues and netcheck.perf.tomography",
    ),
    "loss-located": Page(
        Severity.INFO,
        Verdict.FAIL,
        "The place that the counters, or the flows that suffered, point at.",
        "Compare this port and its peer with the intent.",
        "derived: see netcheck.perf.clues and netcheck.perf.tomography",
    ),
    "loss-outside-queue": Page(
        Severity.WARNING,
        Verdict.FAIL,
        "A port dropped packets that no queue owns; the class may have been among them.",
        "Check the MTU of the port and of its peer, and its error counters.",
        _DERIVED,
    ),
    "traffic-outside-class": Page(
        Severity.ERROR,
        Verdict.FAIL,
        "The packets of the test were not treated as the class; nothing protects them.",
        "Compare trust and DSCP map of this device with the intent.",
        "bytedance/byteps#179, openucx/ucx#10325",
    ),
    "pause-on-other-priority": Page(
        Severity.ERROR,
        Verdict.FAIL,
        "A priority is paused that is not declared lossless; it can block traffic it should not.",
        "Take PFC off that priority on both ends, or declare the class lossless; of a whole port,"
        " switch link-level flow control off at both ends.",
        _ROCEV2,
    ),
    "counter-missing": Page(
        Severity.ERROR,
        Verdict.UNVERIFIED,
        "Without this counter a loss would not be seen; missing is not zero.",
        "Switch the counter on (SONiC: counterpoll; mlx5: PFC on the priority) and test again.",
        _DERIVED,
    ),
    "counters-disagree": Page(
        Severity.ERROR,
        Verdict.UNVERIFIED,
        "Two counters of the same packets differ: one is stuck, or packets are lost between them.",
        "Read both counters again; restart the counter polling of the device that stands still.",
        _DERIVED,
    ),
    "counter-reset": Page(
        Severity.ERROR,
        Verdict.UNVERIFIED,
        "Counters started again from zero during the test.",
        "Find out why the device rebooted, then test again.",
        _DERIVED,
    ),
    "device-unreachable": Page(
        Severity.ERROR,
        Verdict.UNVERIFIED,
        "A device on the path could not be read.",
        "Check address, login and the device itself.",
        _DERIVED,
    ),
    "cable-not-crossed": Page(
        Severity.WARNING,
        Verdict.FAIL,
        "No data of the class was seen on this cable, though flows could have taken it: what was"
        " proven does not hold for it.",
        "See whether routing uses the port and whether hashing spreads flows (ECMP, polarisation);"
        " or measure with a longer --schedule or more --queue-pairs.",
        "derived: coverage is what egress counters show, not what was planned",
    ),
    "run-not-proven": Page(
        Severity.ERROR,
        Verdict.UNVERIFIED,
        "Nothing was lost, and nothing was seen to be congested: a calm test drops nothing on any"
        " fabric.",
        "Let more NICs take part (an incast takes three on two hosts or more), test for longer, or"
        " see why nothing paused or marked.",
        _ROCEV2,
    ),
    "round-not-run": Page(
        Severity.WARNING,
        Verdict.FAIL,
        "Rounds of the schedule were left out: what was proven does not hold for the cables and"
        " buffers that they alone would have loaded.",
        "For want of time: a larger --budget, or a shorter --schedule or --duration. For want of a"
        " way: see to tiers and cables of the intent.",
        _DERIVED,
    ),
    "partition-key-missing": Page(
        Severity.ERROR,
        Verdict.FAIL,
        "The adapter does not hold a key that the intent gives it: it cannot talk in that"
        " partition, and the partition was measured without it.",
        "Compare partitions.conf of the master with the intent, and reload it; netcheck verify"
        " reads the tables of the whole subnet.",
        "linux-rdma/opensm doc/partition-config.txt; sysfs ports/N/pkeys of the adapter",
    ),
    "partition-key-unread": Page(
        Severity.ERROR,
        Verdict.UNVERIFIED,
        "Without its P_Key table nobody knows by which index the adapter is in a partition.",
        "See whether /sys/class/infiniband shows the adapter and its port.",
        _DERIVED,
    ),
    "service-without-lane": Page(
        Severity.ERROR,
        Verdict.FAIL,
        "Packets of this service level are dropped at once, or wait for ever: the subnet manager"
        " gave the level a lane that carries no data.",
        "Compare qos_sl2vl, qos_vlarb_high and qos_vlarb_low of the master with the intent.",
        "InfiniBand Architecture Specification volume 1, 7.6 (VL15 carries management alone);"
        " linux-rdma/opensm doc/QoS_management_in_OpenSM.txt",
    ),
    "cable-damages": Page(
        Severity.WARNING,
        Verdict.FAIL,
        "A cable makes bit errors, or its link trained again, while the test ran: that is no"
        " congestion, and packets will be lost by it.",
        "Clean or replace the cable or its modules.",
        "InfiniBand Architecture Specification volume 2: a bit error rate of 10^-12 or better",
    ),
    "link-below-speed": Page(
        Severity.WARNING,
        Verdict.FAIL,
        "A link came up narrower or slower than its ports are meant to run.",
        "Look at lanes and negotiated speed of this cable, at both ends.",
        "linux-rdma/rdma-core infiniband-diags (ibnetdiscover prints width and speed)",
    ),
    "rdma-test-failed": Page(
        Severity.ERROR,
        Verdict.FAIL,
        "Two NICs that should reach each other by RDMA do not.",
        "Check GID, MTU along the path, and loss at the hops named in the other findings.",
        "linux-rdma/perftest",
    ),
    "bandwidth-below-expected": Page(
        Severity.WARNING,
        Verdict.FAIL,
        "A pair, or the senders of an incast together, stay below line rate times efficiency.",
        "Compare with pairs at the same distance; look at ETS weights, PCIe and cable errors.",
        "derived: payload share of a RoCEv2 packet, see netcheck.lossless.efficiency",
    ),
}
