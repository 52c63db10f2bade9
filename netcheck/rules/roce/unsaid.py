"""What a whole configuration leaves to the switch, and no document of the vendor says."""

from __future__ import annotations

from collections.abc import Iterator

from netcheck.model.fact import NotGivenError
from netcheck.model.finding import Severity
from netcheck.model.known import UNKNOWN
from netcheck.model.view import PortView
from netcheck.rules.roce.groups import only_switch
from netcheck.rules.rule import Fault, Scope, rule


@rule(
    "port-trust-unsaid",
    severity=Severity.WARNING,
    scope=Scope.PORT,
    source="derived: NVIDIA Cumulus Linux 5.15, Quality of Service: the switch trusts 802.1p "
    "unless told otherwise, and says nothing of a mapping profile without trust",
    is_proof=False,
)
def port_trust_unsaid(port: PortView) -> Iterator[Fault]:
    """A whole configuration maps DSCPs of a port and does not say that the port believes them.

    Why: where the port believes PCP, untagged RDMA packets all fall into the default class, and
        the DSCP map is never looked at.
    Bad: the mapping profile of a port has DSCP 26 to priority 3 and no trust.
    Good: the profile says trust l3.
    Fix: say which mark the port trusts.
    """
    only_switch(port)
    if not port.device.record.is_whole or "trust" in port.device.record.hidden:
        raise NotGivenError("whole configuration")
    if port.record.qos.trust is UNKNOWN and port.pfc_rx | port.pfc_tx and port.dscp_to_priority:
        yield Fault(port, ("trust",), "dscp", "not said")
