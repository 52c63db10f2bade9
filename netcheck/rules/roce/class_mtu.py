"""MTU by class: where a platform has one, it holds beside the port's own."""

from __future__ import annotations

from collections.abc import Iterator

from netcheck.model.finding import Severity
from netcheck.model.view import PortView
from netcheck.rules.roce.groups import only_switch
from netcheck.rules.rule import Fault, Scope, rule


@rule(
    "mtu-class-below-port",
    severity=Severity.ERROR,
    scope=Scope.PORT,
    source="Cisco Nexus 9000 NX-OS QoS Configuration Guide, Configuring Network QoS; "
    "microsoft/SDN switch configurations: class MTU 2240 beside 9216",
    is_proof=False,
)
def mtu_class_below_port(port: PortView) -> Iterator[Fault]:
    """A lossless class takes smaller frames than its port.

    Why: the port lets large RDMA packets in and the class drops them, without a message.
    Bad: MTU 9216 of the port, 2240 of the class of priority 3.
    Good: 9216 of both.
    Fix: raise the MTU of the class (NX-OS: mtu in the policy-map of type network-qos).
    """
    only_switch(port)
    for each in port.lossless:
        found = port.mtu_by_priority.get(each.priority)
        if found is not None and found < port.l2_mtu:
            yield Fault(
                port,
                ("mtu_by_priority",),
                f">= {port.l2_mtu} bytes",
                f"{found} bytes",
                number=f"priority {each.priority}",
            )
