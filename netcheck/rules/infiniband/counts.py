"""Counters of InfiniBand ports: packets that were discarded, and errors on the link."""

from __future__ import annotations

from collections.abc import Iterator

from netcheck.model.counters import Counter, CounterClass, CounterKey, Meaning
from netcheck.model.device import Device
from netcheck.model.fact import NotGivenError
from netcheck.model.finding import Place, Severity
from netcheck.model.known import is_known
from netcheck.model.view import DeviceView, FabricView
from netcheck.rules.rule import Fault, Scope, rule

DISCARDS = frozenset({Meaning.PORT_EGRESS_DROP, Meaning.VL15_DROP})
DETAILS = frozenset(
    {
        "PortInactiveDiscards",
        "PortNeighborMTUDiscards",
        "PortSwLifetimeLimitDiscards",
        "PortSwHOQLifetimeLimitDiscards",
    }
)

Counted = tuple[CounterKey, Counter]


def port_place(key: CounterKey) -> Place:
    """Give the place of a counter of a subnet: its port names node and port."""
    device, _, port = key.port.rpartition(" ")
    return Place(device, port) if device else Place(key.port)


def _subnets(fabric: FabricView) -> Iterator[DeviceView]:
    """Devices whose counters are those of a subnet.

    Raises:
        NotGivenError: There is none.
    """
    found = [device for device in fabric.devices if is_known(device.record.seen_subnet)]
    if not found:
        raise NotGivenError("InfiniBand subnet")
    yield from found


def _grown(device: DeviceView) -> Iterator[Counted]:
    """Counters that must be zero and are not."""
    for key, counter in device.counters.items():
        value = counter.value
        if counter.kind is CounterClass.MUST_BE_ZERO and is_known(value) and value > 0:
            yield key, counter


def _is_discard(key: CounterKey) -> bool:
    return key.meaning in DISCARDS or key.name in DETAILS


@rule(
    "ib-packets-discarded",
    severity=Severity.ERROR,
    scope=Scope.FABRIC,
    source="InfiniBand Architecture Specification volume 1, 16.1.3.5 (PortXmitDiscards)",
)
def ib_packets_discarded(fabric: FabricView) -> Iterator[Fault]:
    """A port discarded packets.

    Why: an InfiniBand link is lossless; a packet is discarded only where something is wrong: a
        port that is down, a packet that waited for longer than its time at the head of a queue,
        or more management packets than a port can take.
    Bad: PortXmitDiscards 4242 at leaf01 port 5.
    Good: PortXmitDiscards and VL15Dropped 0.
    Fix: look at the far end first: a slow or dead host holds the queue up; then at the lifetime
        of the queue's head, and at what floods the subnet manager (VL15).
    """
    for device in _subnets(fabric):
        with fabric.attempt():
            yield from _discards(fabric, device)


def _discards(fabric: FabricView, device: DeviceView) -> Iterator[Fault]:
    grown = [pair for pair in _grown(device) if _is_discard(pair[0])]
    whole = {key.port for key, _ in grown if key.meaning is Meaning.PORT_EGRESS_DROP}
    reasons = {
        key.port: f"of them {key.name.removeprefix('Port').removesuffix('Discards')} {one.value}"
        for key, one in grown
        if key.name in DETAILS
    }
    for key, counter in grown:
        if key.name in DETAILS and key.port in whole:
            continue
        note = reasons.get(key.port, "") if key.meaning is Meaning.PORT_EGRESS_DROP else ""
        yield _fault(fabric, device.record, (key, counter), note)


@rule(
    "ib-link-errors",
    severity=Severity.WARNING,
    scope=Scope.FABRIC,
    source="linux-rdma/rdma-core infiniband-diags ibqueryerrors(8): error counters of a port",
)
def ib_link_errors(fabric: FabricView) -> Iterator[Fault]:
    """A port counted errors of its link.

    Why: bit errors and recoveries stall a link, and packets that arrive damaged are sent again
        from the host; one bad cable slows a whole job.
    Bad: SymbolErrorCounter 120, LinkDownedCounter 3.
    Good: error counters 0 since they were last reset.
    Fix: clear the counters and look whether they grow; clean or replace the cable, then the port.
    """
    for device in _subnets(fabric):
        with fabric.attempt():
            for pair in _grown(device):
                if not _is_discard(pair[0]):
                    yield _fault(fabric, device.record, pair, "")


def _fault(fabric: FabricView, device: Device, counted: Counted, note: str) -> Fault:
    key, counter = counted
    top = (1 << counter.width_bits) - 1
    is_full = counter.value == top
    notes = [note] if note else []
    if is_full:
        notes.append(f"at least: the counter stops at {top}")
    if port_place(key).port == "":
        notes.append("all ports of the node together")
    return Fault(
        fabric,
        (key.name,),
        0,
        counter.value,
        "; ".join(notes),
        places=(port_place(key),),
        evidence=device.find_evidence(f"port {key.port}", key.name),
    )
