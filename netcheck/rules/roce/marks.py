"""Marks that adapters put on RDMA packets, against the maps of the two ports they pass first."""

from __future__ import annotations

from collections.abc import Iterator

from netcheck.model.device import AdminState
from netcheck.model.fabric import PortRef
from netcheck.model.fact import is_readable
from netcheck.model.finding import Severity
from netcheck.model.view import FabricView, PortView, RdmaView
from netcheck.rules.roce.hosts import TRAFFIC_CLASS
from netcheck.rules.roce.trust import believes_dscp
from netcheck.rules.rule import Fault, Scope, rule

# Marks as ToS bytes; the two lowest bits are ECN.
ECN_BITS = 2


@rule(
    "rdma-mark-lossy",
    severity=Severity.ERROR,
    scope=Scope.FABRIC,
    source="derived: PFC holds back only what the receiving port's map leads to a paused priority; "
    "NVIDIA: /sys/class/infiniband/DEV/tc/1/traffic_class forces the mark of all packets",
    supersedes=("dscp-lossless-at-one-end-only",),
    is_proof=False,
)
def rdma_mark_lossy(fabric: FabricView) -> Iterator[Fault]:
    """A port leads the DSCP that an adapter marks its packets with to a priority without PFC.

    Why: both ends of the link pause a priority, and the traffic is not in it: it is dropped where
        it should have been paused. Comparing the two maps does not show it.
    Bad: the adapter forces traffic class 106 (DSCP 26), its switch port leads 27 to the paused
        priority 3 and 26 to 0.
    Good: the switch port leads 26 to 3.
    Fix: map the DSCP to the lossless priority, or let the adapter mark with one that is mapped.
    """
    by_port: dict[int, list[RdmaView]] = {}
    for rdma in fabric.rdma:
        for port in rdma.ports:
            by_port.setdefault(id(port.record), []).append(rdma)
    for link in fabric.links:
        with fabric.attempt():
            host, switch = link.host_and_switch()
            for rdma in by_port.get(id(host.record), ()):
                yield from _faults(rdma, host, switch)


def _faults(rdma: RdmaView, host: PortView, switch: PortView) -> Iterator[Fault]:
    if not (_is_judged(host) and _is_judged(switch)):
        return
    marks = dict(_marks(rdma))
    for port in (host, switch):
        for dscp, said_by in marks.items():
            found = port.dscp_to_priority.get(dscp)
            if found in port.lossless_priorities:
                continue
            yield Fault(
                _of_rdma(rdma, host, port),
                ("dscp_to_priority", "traffic_class"),
                f"{dscp}->{_list(port.lossless_priorities)}",
                f"{dscp}->{'nothing' if found is None else found}",
                note=f"{said_by} at {rdma.place}",
                key=str(dscp),
            )


def _is_judged(port: PortView) -> bool:
    """It pauses something by DSCP, and no intent says which DSCPs are lossless here."""
    if not port.is_rdma or port.record.admin_state is AdminState.DOWN or not believes_dscp(port):
        return False
    if port.has_policy and any(True for _ in port.policy.classes_saying("dscp", "priority")):
        return False
    return bool(port.pfc_rx | port.pfc_tx)


def _marks(rdma: RdmaView) -> Iterator[tuple[int, str]]:
    """DSCPs that packets of this adapter carry, with who says so; 0 is no mark of anybody's."""
    if is_readable(rdma, "rdma_cm_tos") and rdma.rdma_cm_tos >> ECN_BITS:
        yield rdma.rdma_cm_tos >> ECN_BITS, f"rdma_cm ToS {rdma.rdma_cm_tos}"
    if is_readable(rdma.device, "environment"):
        for name in TRAFFIC_CLASS:
            value = rdma.device.environment.get(name, "")
            if value.isdigit() and int(value) >> ECN_BITS:
                yield int(value) >> ECN_BITS, f"{name}={value}"
    if is_readable(rdma, "traffic_class") and rdma.traffic_class >> ECN_BITS:
        yield rdma.traffic_class >> ECN_BITS, f"traffic class {rdma.traffic_class}"


def _of_rdma(rdma: RdmaView, host: PortView, port: PortView) -> PortView:
    """The port (of either end) at those links where this adapter is."""
    of_rdma = {(place.device, place.port) for place in rdma.members}
    pairs = zip(host.members, port.members, strict=True)
    members: tuple[PortRef, ...] = tuple(
        there for here, there in pairs if (here.device, here.port) in of_rdma
    )
    return port.standing_for(members or port.members)


def _list(priorities: frozenset[int]) -> str:
    return " or ".join(map(str, sorted(priorities)))
