"""Where an account stops its peer, and where it lets it go on."""

from __future__ import annotations

from collections.abc import Iterator

from netcheck.model.fact import NotGivenError, is_readable
from netcheck.model.finding import Severity
from netcheck.model.records import BufferView
from netcheck.model.view import PortView
from netcheck.rules.roce.groups import only_switch
from netcheck.rules.rule import Fault, Scope, rule


@rule(
    "buf-xon-not-below-xoff",
    severity=Severity.WARNING,
    scope=Scope.PORT,
    source="derived: IEEE 802.1Q 36.2.1: a peer goes on when it is told so; Cisco Nexus 9000 QoS "
    "guide: resume-threshold below pause-threshold; sonic-net/sonic-swss xon_offset",
    aliases=("buf-xon-offset-zero-hysteresis", "buf-xon-too-low-junos"),
    is_proof=False,
)
def buf_xon_not_below_xoff(port: PortView) -> Iterator[Fault]:
    """A lossless account lets its peer go on at the fill at which it stops it.

    Why: every packet that leaves sends XON and the next one XOFF; pauses flap, and each costs the
        link a round trip.
    Bad: XOFF at 1600000 bytes, XON at 1600000; or an XON offset of 0 bytes.
    Good: XOFF at 1600000 bytes, XON at 1581520.
    Fix: lower the XON threshold by two frames at least.
    """
    only_switch(port)
    judged = 0
    for number, account in port.ingress_buffer.items():
        if not account.is_lossless or not _says_both(account):
            continue
        judged += 1
        place = f"priority group {number}"
        if is_readable(account, "xoff_bytes") and 0 < account.xoff_bytes <= account.xon_bytes:
            expected = f"< {account.xoff_bytes}"
            yield Fault(
                port, ("xon_bytes", "xoff_bytes"), expected, account.xon_bytes, "XON", number=place
            )
        elif is_readable(account, "xon_offset_bytes") and account.xon_offset_bytes == 0:
            yield Fault(
                port, ("xon_offset_bytes",), "> 0", 0, "XON below the threshold", number=place
            )
    if not judged:
        raise NotGivenError("XON and XOFF thresholds")


def _says_both(account: BufferView) -> bool:
    has_xoff = is_readable(account, "xoff_bytes") and is_readable(account, "xon_bytes")
    return has_xoff or is_readable(account, "xon_offset_bytes")
