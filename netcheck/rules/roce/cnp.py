"""Congestion notifications: marked alike everywhere, never paused, never behind bulk data."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

from netcheck.model.fact import NotGivenError, is_readable
from netcheck.model.finding import Place, Severity
from netcheck.model.view import FabricView, IntentView, PortView, RdmaView
from netcheck.rules.roce.trust import believes_dscp, map_fault, wrong_entries
from netcheck.rules.rule import Fault, Scope, rule

CUMULUS = "NVIDIA Cumulus Linux 5.15, RDMA over Converged Ethernet: CNP on DSCP 48, strict"
DCQCN = "Congestion Control for Large-Scale RDMA Deployments, SIGCOMM 2015"
USUAL_DSCP = 48


@rule("cnp-dscp-unmapped", severity=Severity.ERROR, scope=Scope.PORT, source=CUMULUS)
def cnp_dscp_unmapped(port: PortView) -> Iterator[Fault]:
    """The DSCP of congestion notifications does not lead to their class.

    Why: notifications wait behind the data they are to slow down, or are paused with it. (A
        warning where they only land in another lossy class.)
    Bad: class cnp has DSCP 48 and priority 6, the map says 48->3.
    Good: the map says 48->6.
    Fix: add the entry to the DSCP map.
    """
    classes = [each for each in port.policy.cnp() if is_readable(each, "dscp")]
    if not classes:
        raise NotGivenError("class of congestion notifications")
    if not believes_dscp(port):
        return
    for each in classes:
        if is_readable(each, "priority"):
            wrong = wrong_entries(port, each)
            if wrong:
                is_bad = any(to is None or to in port.lossless_priorities for to in wrong.values())
                fault = map_fault(port, each, wrong)
                yield fault if is_bad else _milder(fault)
            continue
        for dscp in sorted(each.dscp):
            found = port.dscp_to_priority.get(dscp)
            if found in port.lossless_priorities:
                yield Fault(
                    port, ("dscp_to_priority",), f"{dscp}->a lossy priority", f"{dscp}->{found}"
                )


def _milder(fault: Fault) -> Fault:
    return Fault(
        fault.at,
        fault.facts,
        fault.expected,
        fault.found,
        note=fault.note,
        key=fault.key,
        severity=Severity.WARNING,
    )


@rule("cnp-class-lossless", severity=Severity.ERROR, scope=Scope.INTENT, source=DCQCN)
def cnp_class_lossless(intent: IntentView) -> Iterator[Fault]:
    """The class of congestion notifications is declared lossless.

    Why: notifications can be paused; feedback stops exactly when it is needed.
    Bad: cnp with delivery lossless.
    Good: cnp with delivery lossy and strict scheduling.
    Fix: take `delivery: lossless` away from the class.
    """
    for each in intent.policy.cnp():
        if each.is_lossless:
            place = Place(intent.policy.place.device, f"class {each.name}")
            yield Fault(intent, ("delivery",), "lossy", "lossless", places=(place,))


@rule("cnp-paused", severity=Severity.ERROR, scope=Scope.PORT, source=DCQCN)
def cnp_paused(port: PortView) -> Iterator[Fault]:
    """A port pauses the priority of congestion notifications.

    Why: feedback stops exactly when it is needed.
    Bad: cnp in priority 6, PFC {3, 6}.
    Good: PFC {3}.
    Fix: disable PFC for the priority.
    """
    for each in port.policy.cnp():
        if is_readable(each, "priority") and not each.is_lossless:
            found = port.pfc_rx | port.pfc_tx
            if each.pfc_priority in found:
                yield Fault(port, ("pfc_tx", "pfc_rx"), found - {each.pfc_priority}, found)


@rule(
    "cnp-nic-dscp-mismatch",
    severity=Severity.ERROR,
    scope=Scope.RDMA,
    source="NVIDIA: /sys/class/net/IF/ecn/roce_np/cnp_dscp",
    supersedes=("cnp-dscp-differs-between-hosts",),
)
def cnp_nic_dscp_mismatch(rdma: RdmaView) -> Iterator[Fault]:
    """A NIC marks its congestion notifications with a DSCP that is not their class's.

    Why: the switches put them into the wrong queue.
    Bad: class cnp has DSCP 48, the NIC sends 46.
    Good: the NIC sends 48.
    Fix: write the DSCP to /sys/class/net/IF/ecn/roce_np/cnp_dscp.
    """
    yield from _marked_unlike(rdma, "dscp", "cnp_dscp")


def _marked_unlike(rdma: RdmaView, mark: str, fact: str) -> Iterator[Fault]:
    """Compare a mark that the NIC sets with those of the intent's class."""
    said = (each for each in rdma.policy.cnp() if is_readable(each, mark))
    wanted: frozenset[int] = frozenset().union(*(getattr(each, mark) for each in said))
    if not wanted:
        raise NotGivenError(f"{mark.upper()} of congestion notifications")
    found = getattr(rdma, fact)
    if found not in wanted:
        yield Fault(rdma, (fact, "congestion_control"), wanted, found)


@rule(
    "cnp-dscp-differs-between-hosts",
    severity=Severity.ERROR,
    scope=Scope.FABRIC,
    source=f"derived: all hosts share the switches' maps; {CUMULUS}",
    is_proof=False,
)
def cnp_dscp_differs_between_hosts(fabric: FabricView) -> Iterator[Fault]:
    """A NIC marks its congestion notifications unlike most others.

    Why: the switches have one class for them; some of the notifications miss it.
    Bad: 15 hosts send 48, one sends 46.
    Good: all send 48.
    Fix: set the same DSCP on all hosts.
    """
    yield from _unlike_most(fabric, "cnp_dscp", usual=USUAL_DSCP)


def _unlike_most(fabric: FabricView, fact: str, *, usual: object = None) -> Iterator[Fault]:
    """Find the NICs that differ from most others; between equals, from the usual value."""
    found: list[tuple[RdmaView, Any]] = []  # Any: the fact's own type, number or text
    for rdma in fabric.rdma:
        with fabric.attempt():
            found.append((rdma, getattr(rdma, fact)))
    counted = Counter[Any]()
    for rdma, value in found:
        counted[value] += len(rdma.members)
    most = min(counted, key=lambda value: (-counted[value], value != usual, value), default=None)
    for rdma, value in found:
        if value != most:
            facts = (fact, "congestion_control")
            yield Fault(rdma, facts, most, value, note=f"as {counted[most]} others")


@rule(
    "cnp-shares-data-queue",
    severity=Severity.WARNING,
    scope=Scope.PORT,
    source=f"derived: {DCQCN}",
    is_proof=False,
)
def cnp_shares_data_queue(port: PortView) -> Iterator[Fault]:
    """Congestion notifications leave through the queue of the data.

    Why: they wait behind the data that they are to slow down.
    Bad: priorities 3 and 6 in queue 3.
    Good: priority 6 in a strict queue of its own.
    Fix: map the priority of the notifications to another queue.
    """
    for each in port.policy.cnp():
        if not is_readable(each, "priority"):
            continue
        queue = port.queue_of(each.priority)
        data = frozenset(port.queue_of(one) for one in port.lossless_priorities - {each.priority})
        if queue in data:
            yield Fault(
                port,
                ("priority_to_queue",),
                "a queue of its own",
                f"queue {queue}",
                number=f"priority {each.priority}",
            )


@rule(
    "cnp-nic-prio-mismatch",
    severity=Severity.WARNING,
    scope=Scope.RDMA,
    source="NVIDIA: /sys/class/net/IF/ecn/roce_np/cnp_802p_prio",
    is_proof=False,
)
def cnp_nic_prio_mismatch(rdma: RdmaView) -> Iterator[Fault]:
    """A NIC tags its congestion notifications with a PCP that is not their class's.

    Why: where ports believe the tag, notifications land in another class, behind the data or
        paused with it.
    Bad: class cnp has PCP 6, the NIC sends 3.
    Good: the NIC sends 6.
    Fix: write the PCP to /sys/class/net/IF/ecn/roce_np/cnp_802p_prio.
    """
    yield from _marked_unlike(rdma, "pcp", "cnp_pcp")


@rule(
    "dcqcn-cc-algo-mixed",
    severity=Severity.WARNING,
    scope=Scope.FABRIC,
    source=f"derived: flows that share a queue share it by how they slow down; {DCQCN}",
    is_proof=False,
)
def dcqcn_cc_algo_mixed(fabric: FabricView) -> Iterator[Fault]:
    """A NIC slows down by another algorithm than most others.

    Why: flows of the gentler algorithm lose their share to those of the other, and thresholds
        for marking suit one of the two.
    Bad: 15 hosts with dcqcn, one with another.
    Good: all with dcqcn.
    Fix: set the same algorithm on all hosts.
    """
    yield from _unlike_most(fabric, "algorithm")
