"""Ports that a cable goes to and a whole configuration says nothing of."""

from __future__ import annotations

from collections.abc import Iterator

from netcheck.model.fabric import Fabric, PortRef
from netcheck.model.finding import Place, Severity
from netcheck.model.known import ABSENT
from netcheck.model.view import FabricView, LinkView
from netcheck.rules.rule import Fault, Scope, rule


@rule(
    "linked-port-left-out",
    severity=Severity.ERROR,
    scope=Scope.FABRIC,
    source="derived: a port that a configuration does not name has the factory's settings, which "
    "on no platform pause anything; Arista EOS User Manual, Quality of Service: PFC is off",
    is_proof=False,
)
def linked_port_left_out(fabric: FabricView) -> Iterator[Fault]:
    """A cable goes to a port that the device's whole configuration does not name.

    Why: the port has the settings of the factory: no PFC, a small MTU, everything in one class;
        its lines may have landed under the heading of another port.
    Bad: the cable of gpu1 ends at Ethernet3, the configuration has Ethernet1 and Ethernet2.
    Good: the configuration names every port with a cable.
    Fix: configure the port, or correct the cabling plan.
    """
    left_out = {
        here: there
        for link in fabric.links
        if not link.has_ends and _is_rdma(link)
        for here, there in _both_ways(link)
        if _is_left_out(fabric.record, here)
    }
    for here, there in sorted(left_out.items()):
        place = Place(here.device, here.port)
        wanted, note = "a configured port", f"cable of {there.device} {there.port}"
        yield Fault(fabric, ("ports",), wanted, "no such port", note, places=(place,))


def _both_ways(link: LinkView) -> tuple[tuple[PortRef, PortRef], tuple[PortRef, PortRef]]:
    a, b = link.record.a, link.record.b
    return (a, b), (b, a)


def _is_rdma(link: LinkView) -> bool:
    """The end that is given takes part in RDMA, or none is given."""
    given = [end for end in link.given if end.record.policy is not ABSENT]
    return all(end.is_rdma for end in given)


def _is_left_out(fabric: Fabric, end: PortRef) -> bool:
    device = fabric.devices.get(end.device)
    return device is not None and device.is_whole and end.port not in device.ports
