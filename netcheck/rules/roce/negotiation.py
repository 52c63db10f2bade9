"""DCBX: a port that waits for its peer may wait for ever."""

from __future__ import annotations

from collections.abc import Iterator

from netcheck.model.finding import Severity
from netcheck.model.qos import DcbxMode, PfcMode
from netcheck.model.view import PortView
from netcheck.rules.roce.groups import only_switch
from netcheck.rules.rule import Fault, Scope, rule

TROUBLESHOOTING = (
    "Azure/AzureLocal-Supportability TSG/Networking/Top-Of-Rack-Switch "
    "Troubleshoot-TOR-LLDP-DCBX-PFC-RoCEv2"
)


@rule(
    "pfc-mode-auto",
    severity=Severity.WARNING,
    scope=Scope.PORT,
    source=TROUBLESHOOTING,
    is_proof=False,
)
def pfc_mode_auto(port: PortView) -> Iterator[Fault]:
    """A port of a lossless class leaves it to its peer whether it pauses.

    Why: where DCBX does not agree, PFC stays off, and nothing says so; a peer that is changed or
        replaced can switch it off later.
    Bad: NX-OS priority-flow-control mode auto.
    Good: priority-flow-control mode on.
    Fix: force PFC on the port (NX-OS: priority-flow-control mode on).
    """
    only_switch(port)
    if port.lossless and port.pfc_mode is PfcMode.AUTO:
        yield Fault(port, ("pfc_mode",), PfcMode.ON, PfcMode.AUTO)


@rule(
    "dcbx-peer-not-ieee",
    severity=Severity.WARNING,
    scope=Scope.PORT,
    source=TROUBLESHOOTING,
    supersedes=("pfc-mode-auto",),
    is_proof=False,
)
def dcbx_peer_not_ieee(port: PortView) -> Iterator[Fault]:
    """A port in mode auto has a peer that does not speak DCBX of IEEE 802.1.

    Why: the two do not agree on PFC, so it stays off, and packets of the lossless class drop.
    Bad: mode auto, peer detected as CIN.
    Good: mode on; or a peer detected as IEEE 802.1.
    Fix: force PFC on the port, or let the peer speak DCBX of IEEE 802.1.
    """
    only_switch(port)
    if port.lossless and port.pfc_mode is PfcMode.AUTO and port.dcbx_mode is DcbxMode.CEE:
        yield Fault(port, ("dcbx_mode",), DcbxMode.IEEE, DcbxMode.CEE, note="mode auto")
