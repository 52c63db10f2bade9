"""Hosts: what shares a queue with a lossless class, what outlives a boot, what the bus carries."""

from __future__ import annotations

from collections.abc import Iterator

from netcheck.model.fact import is_readable
from netcheck.model.finding import Severity
from netcheck.model.view import DeviceView, PortView, RdmaView
from netcheck.rules.roce.groups import only_host
from netcheck.rules.rule import Fault, Scope, rule

DEFAULT_PRIORITY = 0
MARKED = 3


@rule(
    "nic-prio-tc-mismatch",
    severity=Severity.WARNING,
    scope=Scope.PORT,
    source="NVIDIA mlnx_qos documentation, --prio_tc; torvalds/linux include/uapi/linux/dcbnl.h, "
    "ieee_ets.prio_tc",
    is_proof=False,
)
def nic_prio_tc_mismatch(port: PortView) -> Iterator[Fault]:
    """A lossless class of a NIC leaves through the queue of another class.

    Why: a pause of the lossless priority stops the other class as well, and the other class takes
        its place in the queue.
    Bad: prio_tc 0,0,0,0,0,0,6,0: priority 3 in queue 0 with priority 0.
    Good: prio_tc 0,0,0,3,0,0,6,0.
    Fix: give the priority a queue of its own (mlnx_qos --prio_tc).
    """
    only_host(port)
    lossless = port.lossless_priorities
    others = _other_priorities(port) - lossless
    for priority in sorted(lossless):
        queue = port.queue_of(priority)
        beside = frozenset(other for other in others if port.queue_of(other) == queue)
        if beside:
            number, note = f"priority {priority}", f"with priority {min(beside)}"
            facts = ("priority_to_queue",)
            yield Fault(port, facts, "a queue of its own", f"queue {queue}", note, number=number)


def _other_priorities(port: PortView) -> frozenset[int]:
    """Priorities that carry other traffic: those of the intent, else that of the default."""
    if not port.has_policy:
        return frozenset({DEFAULT_PRIORITY})
    said = (each for each in port.policy.classes if is_readable(each, "priority"))
    return frozenset(each.priority for each in said if not each.is_cnp)


@rule(
    "host-qos-not-persistent",
    severity=Severity.WARNING,
    scope=Scope.DEVICE,
    source="NVIDIA mlnx_qos documentation: settings are the driver's, and are lost with it",
    is_proof=False,
)
def host_qos_not_persistent(device: DeviceView) -> Iterator[Fault]:
    """The DCB settings of a host are not written by any unit that runs at boot.

    Why: after the next boot or reload of the driver the host pauses nothing, and nobody is told.
    Bad: PFC set by hand, no unit.
    Good: a unit or udev rule that sets it whenever the port appears.
    Fix: install the unit that netcheck renders, and enable it.
    """
    if device.is_host and not device.persistent_unit:
        yield Fault(device, ("persistent_unit",), expected=True, found=False)


@rule(
    "nic-pcie-underspeed",
    severity=Severity.WARNING,
    scope=Scope.RDMA,
    source="RDMA over Commodity Ethernet at Scale, SIGCOMM 2016: slow receivers pause; "
    "PCI Express Base Specification: width and speed of a link are negotiated",
    is_proof=False,
)
def nic_pcie_underspeed(rdma: RdmaView) -> Iterator[Fault]:
    """The bus of a NIC carries less than its port.

    Why: the host cannot take what the port brings; its buffer fills, and it pauses the fabric.
    Bad: a port of 400G on PCIe of 8 lanes with 16 GT/s.
    Good: PCIe of 16 lanes with 32 GT/s.
    Fix: look at the slot, the riser and the setting of the BIOS; seat the card anew.
    """
    buses = rdma.device.pcie_bps
    found = buses.get(rdma.port.place.port)
    if found is not None and found < rdma.port.speed_bps:
        expected = f">= {rdma.port.speed_bps / 1e9:g}G"
        yield Fault(rdma, ("pcie_bps",), expected, f"{found / 1e9:g}G")


@rule(
    "ecn-marked-by-sender",
    severity=Severity.WARNING,
    scope=Scope.RDMA,
    source="RFC 3168 section 5: both bits set mean that congestion was experienced",
    is_proof=False,
)
def ecn_marked_by_sender(rdma: RdmaView) -> Iterator[Fault]:
    """A NIC sends packets that say by themselves that they met congestion.

    Why: every one of them is answered by a notification, and the sender slows down to its lowest
        rate on an idle network.
    Bad: traffic class 107: DSCP 26 with both ECN bits.
    Good: 106: DSCP 26, capable of ECN.
    Fix: take the lowest bit away (106 instead of 107).
    """
    for fact in ("traffic_class", "rdma_cm_tos"):
        with rdma.attempt():
            found = getattr(rdma, fact)
            if found & MARKED == MARKED:
                yield Fault(rdma, (fact,), f"ToS {found - 1}", f"ToS {found}")
