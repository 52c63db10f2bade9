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
    "loss-located": Page(
        Severity.INFO,
        Verdict.FAIL,
        "The place that the counters, or the flows that suffered, point at.",
        "Compare this port and its peer with the intent.",
        "derived: counted drops first, else the cables that only suffering flows share",
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
        "Take PFC off that priority on both ends, or declare the class lossless.",
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
        " or measure with --schedule exhaustive or more --queue-pairs.",
        "derived: coverage is what egress counters show, not what was planned",
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
