"""DCBX: a port that waits for its peer may wait for ever."""

from __future__ import annotations

from collections.abc import Iterator

from netcheck.model.device import AdminState
from netcheck.model.fact import is_absent, is_readable
from netcheck.model.finding import Severity
from netcheck.model.qos import DcbxMode, PfcMode
from netcheck.model.view import LinkView, PortView
from netcheck.rules.roce.groups import only_switch
from netcheck.rules.rule import Fault, Profile, Scope, rule

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


@rule(
    "dcbx-both-willing",
    severity=Severity.WARNING,
    scope=Scope.LINK,
    source="IEEE 802.1Q clause 38.4: of two willing ends the one with the lower MAC address wins",
    is_proof=False,
)
def dcbx_both_willing(link: LinkView) -> Iterator[Fault]:
    """Both ends of a link take the DCB settings of the other.

    Why: MAC addresses decide whose settings hold, perhaps those of a NIC that nobody set up;
        another NIC in its place turns them round.
    Bad: switch willing, NIC willing.
    Good: the switch tells, the NIC takes; or neither takes anything.
    Fix: make the switch not willing.
    """
    a, b = link.ends
    if a.lossless and b.lossless and _takes(a) and _takes(b):
        yield Fault((a, b), ("dcbx_willing",), "one end at most", "both willing")


def _takes(port: PortView) -> bool:
    is_off = is_readable(port, "dcbx_mode") and port.dcbx_mode is DcbxMode.DISABLED
    return not is_off and port.dcbx_willing


@rule(
    "link-autoneg-mismatch",
    severity=Severity.WARNING,
    scope=Scope.LINK,
    source="IEEE 802.3 clause 73: both ends of a copper cable negotiate, or neither",
    profile=Profile.STRICT,
    is_proof=False,
)
def link_autoneg_mismatch(link: LinkView) -> Iterator[Fault]:
    """One end of a link negotiates speed and FEC, and the other does not.

    Why: the end that negotiates waits for the other; the link stays down, or comes up with another
        FEC. Strict, since NICs say "on" of optical cables too, over which nothing is negotiated.
    Bad: switch port autoneg off, NIC autoneg on.
    Good: on at both ends, or off at both.
    Fix: set both ends alike.
    """
    a, b = link.ends
    if a.autoneg != b.autoneg:
        here, there = (a, b) if not a.device.is_host else (b, a)
        yield Fault(here, ("autoneg",), there.autoneg, here.autoneg, note="as the peer")


@rule(
    "linked-port-shut",
    severity=Severity.WARNING,
    scope=Scope.LINK,
    source="sonic-net/sonic-buildimage sonic-port.yang: admin_status is down unless it is said",
    is_proof=False,
)
def linked_port_shut(link: LinkView) -> Iterator[Fault]:
    """A cable goes to a port that is shut.

    Why: nothing passes; traffic takes what other ways there are, and they carry it all.
    Bad: a cable between leaf01 and spine01, the port at leaf01 down (SONiC: no admin_status).
    Good: both ports up.
    Fix: take the port up, or the cable out of the plan.
    """
    for end in link.ends:
        with end.attempt():
            if _is_shut(end):
                yield Fault(end, ("admin_state",), "up", "down")


def _is_shut(port: PortView) -> bool:
    """Said to be down; or a whole row (one with lanes) that does not say that it is up."""
    if is_absent(port, "admin_state"):
        return is_readable(port, "lanes")
    return port.admin_state is AdminState.DOWN
