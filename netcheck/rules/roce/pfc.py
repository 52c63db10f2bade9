"""PFC: the same priorities pause at both ends of every link of a lossless class."""

from __future__ import annotations

from collections.abc import Iterator

from netcheck.model.fact import NotGivenError
from netcheck.model.finding import Severity
from netcheck.model.view import FabricView, LinkView, PortView
from netcheck.rules.rule import Fault, Scope, rule

ALL_PRIORITIES = frozenset(range(8))
PFC = ("pfc_rx", "pfc_tx")


def paused(port: PortView) -> frozenset[int]:
    """PFC priorities that a port both honours and sends."""
    return port.pfc_rx & port.pfc_tx


def relevant(port: PortView) -> frozenset[int]:
    """PFC priorities to judge a port by: the intended ones where there are any."""
    if port.has_policy:
        intended = frozenset(each.pfc_priority for each in port.policy.lossless())
        if intended:
            return intended
    return ALL_PRIORITIES


@rule(
    "pfc-lossless-priority-off",
    severity=Severity.ERROR,
    scope=Scope.PORT,
    source="RDMA over Commodity Ethernet at Scale, SIGCOMM 2016, section 2; IEEE 802.1Q clause 36",
    supersedes=("pfc-prio-peer-mismatch", "pfc-host-missing", "pfc-rx-only-or-tx-only"),
)
def pfc_lossless_priority_off(port: PortView) -> Iterator[Fault]:
    """A port does not pause a priority that is meant to be lossless.

    Why: the port cannot hold its peer back, or ignores the peer's pause; packets of the
        lossless class drop at the first congestion.
    Bad: intended lossless priority 3, port pauses none.
    Good: the port sends and honours PFC for priority 3.
    Fix: enable PFC, both ways, for the missing priorities on the port.
    """
    intended = frozenset(each.pfc_priority for each in port.policy.lossless())
    if not intended:
        raise NotGivenError("lossless priority")
    facts = tuple(fact for fact in PFC if intended - getattr(port, fact))
    if facts:
        yield Fault(port, facts, intended, intended & paused(port))


@rule(
    "pfc-undeclared-priority",
    severity=Severity.WARNING,
    scope=Scope.PORT,
    source="derived: a priority that pauses and that no class declares lossless spreads pauses "
    "for traffic nobody sized headroom for",
    is_proof=False,
)
def pfc_undeclared_priority(port: PortView) -> Iterator[Fault]:
    """A port pauses a priority that no class declares lossless.

    Why: traffic that was never meant to be paused can now be, and takes headroom.
    Bad: intended lossless priority 3, port pauses 3 and 4.
    Good: the port pauses 3 alone.
    Fix: disable PFC for the priority, or declare its class lossless.
    """
    intended = frozenset(each.pfc_priority for each in port.policy.lossless())
    if not intended:
        raise NotGivenError("lossless priority")
    extra = paused(port) - intended
    if extra:
        yield Fault(port, PFC, intended, paused(port), note=f"also {sorted(extra)}")


@rule(
    "pfc-prio-peer-mismatch",
    severity=Severity.ERROR,
    scope=Scope.LINK,
    source="IEEE 802.1Q clause 36; Juniper CLI reference: congestion-notification-profile",
)
def pfc_prio_peer_mismatch(link: LinkView) -> Iterator[Fault]:
    """A switch port does not pause a priority that its peer pauses.

    Why: a peer whose pause is ignored overruns us, and a peer that is never paused drops.
    Bad: leaf port PFC {3}, spine port PFC {}.
    Good: both ports PFC {3}.
    Fix: enable PFC for the missing priorities at this end, or disable them at the other.
    """
    for here, there in link.directions():
        if here.device.is_host or not (here.is_rdma and there.is_rdma):
            continue
        missing = (paused(there) & relevant(here)) - paused(here)
        if missing:
            yield Fault(here, PFC, paused(there), paused(here), note="as the peer pauses")


@rule(
    "pfc-host-missing",
    severity=Severity.ERROR,
    scope=Scope.LINK,
    source="RDMA over Commodity Ethernet at Scale, SIGCOMM 2016",
)
def pfc_host_missing(link: LinkView) -> Iterator[Fault]:
    """A host does not pause a priority that its switch port pauses.

    Why: the port cannot hold the host back; its buffer overruns and packets drop.
    Bad: switch port PFC {3}, host PFC {}.
    Good: the host pauses at least what the port pauses.
    Fix: enable PFC for the missing priorities on the host (mlnx_qos --pfc, or dcb pfc set).
    """
    host, switch = link.host_and_switch()
    if not (host.is_rdma and switch.is_rdma):
        return
    missing = (paused(switch) & relevant(host)) - paused(host)
    if missing:
        yield Fault(host, PFC, paused(switch), paused(host), note="as the switch port pauses")


@rule(
    "pfc-path-gap",
    severity=Severity.ERROR,
    scope=Scope.FABRIC,
    source="derived: a path is as lossless as its worst hop; Congestion Control for Large-Scale "
    "RDMA Deployments, SIGCOMM 2015, section 2",
    is_proof=False,
)
def pfc_path_gap(fabric: FabricView) -> Iterator[Fault]:
    """A link between two switches pauses nothing for a priority that both pause elsewhere.

    Why: one hop that drops makes the whole path lossy, however well the others are set.
    Bad: leaf and spine pause priority 3 on other ports, and neither does on this link.
    Good: every link between them pauses priority 3.
    Fix: enable PFC for the priority at both ends of the link.
    """
    carried: dict[str, frozenset[int]] = {}
    for port in fabric.ports:
        with fabric.attempt():
            here = paused(port)
            for device in {member.device for member in port.members}:
                carried[device] = carried.get(device, frozenset()) | here
    for link in fabric.links:
        with fabric.attempt():
            a, b = link.ends
            if a.device.is_host or b.device.is_host or not _is_judged(a) or not _is_judged(b):
                continue
            both = carried.get(a.place.device, frozenset()) & carried.get(
                b.place.device, frozenset()
            )
            gap = both - paused(a) - paused(b)
            if gap:
                yield Fault((a, b), PFC, both, paused(a) | paused(b))


def _is_judged(port: PortView) -> bool:
    return port.is_rdma and not port.has_policy


@rule(
    "pfc-rx-only-or-tx-only",
    severity=Severity.ERROR,
    scope=Scope.PORT,
    source="sonic-net/SONiC doc/asymmetric_pfc; NVIDIA Cumulus Linux 5.15, Quality of Service",
)
def pfc_rx_only_or_tx_only(port: PortView) -> Iterator[Fault]:
    """A port honours pauses that it never sends, or sends pauses that it does not honour.

    Why: one direction of the link stays lossy.
    Bad: PFC rx {3}, tx {}.
    Good: rx {3}, tx {3}; or asymmetric PFC, which honours all eight and sends the lossless ones.
    Fix: set both directions.
    """
    if port.pfc_rx not in (port.pfc_tx, ALL_PRIORITIES):
        yield Fault(port, ("pfc_tx", "pfc_rx"), port.pfc_rx, port.pfc_tx, note="as pfc_rx")


@rule(
    "pfc-asym-on-fabric-link",
    severity=Severity.WARNING,
    scope=Scope.LINK,
    source="sonic-net/SONiC doc/asymmetric_pfc: meant for ports that face servers",
    is_proof=False,
)
def pfc_asym_on_fabric_link(link: LinkView) -> Iterator[Fault]:
    """A port between switches runs asymmetric PFC.

    Why: it honours pauses on all priorities, so that a switch that pauses a lossy one stops it.
    Bad: spine-facing port with rx on all priorities and tx on 3.
    Good: rx and tx on 3.
    Fix: switch asymmetric PFC off on ports between switches.
    """
    a, b = link.ends
    if a.device.is_host or b.device.is_host:
        return
    for port in (a, b):
        if port.pfc_rx == ALL_PRIORITIES != port.pfc_tx and port.pfc_tx:
            yield Fault(port, ("pfc_rx", "pfc_tx"), port.pfc_tx, port.pfc_rx)


@rule(
    "pfc-global-pause-both",
    severity=Severity.ERROR,
    scope=Scope.PORT,
    source="torvalds/linux drivers/net/ethernet/mellanox/mlx5/core/en/port_buffer.c; "
    "IEEE 802.1Q clause 36: PFC and 802.3x pause exclude each other",
)
def pfc_global_pause_both(port: PortView) -> Iterator[Fault]:
    """Global pause and PFC are both on at a port.

    Why: they exclude each other; global pause stops congestion notifications and control too.
    Bad: PFC {3} and global pause rx on.
    Good: PFC {3}, global pause off both ways.
    Fix: ethtool -A DEV rx off tx off, or flowcontrol off on the switch port.
    """
    pfc = port.pfc_rx | port.pfc_tx
    if not pfc:
        return
    for fact in ("global_pause_rx", "global_pause_tx"):
        if getattr(port, fact):
            yield Fault(port, (fact, *PFC), expected=False, found=True)


@rule(
    "pfc-all-priorities-lossless",
    severity=Severity.ERROR,
    scope=Scope.PORT,
    source="RDMA over Commodity Ethernet at Scale, SIGCOMM 2016: two lossless classes fit",
    is_proof=False,
)
def pfc_all_priorities_lossless(port: PortView) -> Iterator[Fault]:
    """All eight priorities pause.

    Why: nothing is left for control traffic and congestion notifications, and eight times the
        headroom does not fit.
    Bad: PFC on 0 to 7.
    Good: PFC on 3.
    Fix: pause one priority, at most two.
    """
    if paused(port) == ALL_PRIORITIES:
        yield Fault(port, PFC, "at most 7 priorities", paused(port))


@rule(
    "pfc-outside-rdma",
    severity=Severity.ERROR,
    scope=Scope.PORT,
    source="RDMA over Commodity Ethernet at Scale, SIGCOMM 2016: PFC must stop at the border",
    supersedes=("pfc-prio-peer-mismatch",),
)
def pfc_outside_rdma(port: PortView) -> Iterator[Fault]:
    """A port where the intent ends RDMA pauses a priority.

    Why: a device outside the domain can pause the fabric, and pauses leave it.
    Bad: policy none on the uplink, PFC {3} on it.
    Good: PFC off on the uplink.
    Fix: disable PFC on the port.
    """
    if not port.ends_rdma:
        raise NotGivenError("end of the RDMA domain")
    found = port.pfc_rx | port.pfc_tx
    if found:
        yield Fault(port, PFC, frozenset(), found)
