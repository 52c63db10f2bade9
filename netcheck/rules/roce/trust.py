"""Trust and DSCP maps: a packet stays in its class on every hop."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from netcheck.model.fact import NotGivenError, is_readable
from netcheck.model.finding import Severity
from netcheck.model.frozenmap import FrozenMap
from netcheck.model.qos import Trust
from netcheck.model.records import ClassView, PolicyView
from netcheck.model.view import FabricView, LinkView, PortView
from netcheck.rules.rule import Fault, Scope, rule

MARKS = {
    Trust.DSCP: frozenset({"dscp"}),
    Trust.PCP: frozenset({"pcp"}),
    Trust.BOTH: frozenset({"dscp", "pcp"}),
    Trust.PORT: frozenset(),
    Trust.NONE: frozenset(),
}


def intended_trust(policy: PolicyView) -> Trust:
    """Trust as said; DSCP where classes are told apart by DSCP alone.

    Raises:
        NotGivenError: The intent says neither.
    """
    if is_readable(policy, "trust"):
        return policy.trust
    by_dscp = any(True for _ in policy.classes_saying("dscp"))
    by_pcp = any(True for _ in policy.classes_saying("pcp"))
    if by_dscp and not by_pcp:
        return Trust.DSCP
    raise NotGivenError("intended trust")


def believes_dscp(port: PortView) -> bool:
    """The port looks at DSCP, or it is not known what it looks at."""
    return not is_readable(port, "trust") or "dscp" in MARKS[port.trust]


@rule(
    "nic-trust-pcp-with-dscp-intent",
    severity=Severity.ERROR,
    scope=Scope.PORT,
    source="NVIDIA mlnx_qos documentation, --trust",
    supersedes=("trust-mode-mismatch-link", "nic-dscp2prio-mismatch"),
)
def nic_trust_pcp_with_dscp_intent(port: PortView) -> Iterator[Fault]:
    """A NIC does not trust the mark that the intent names.

    Why: it puts packets into priorities by a mark they do not carry, so that the lossless class
        is neither paused nor scheduled as such.
    Bad: intended trust dscp, NIC trust pcp.
    Good: NIC trust dscp.
    Fix: mlnx_qos -i DEV --trust dscp.
    """
    if not port.device.is_host:
        return
    yield from _trust_faults(port)


@rule(
    "port-trust-not-intended",
    severity=Severity.ERROR,
    scope=Scope.PORT,
    source="NVIDIA Cumulus Linux 5.15, RDMA over Converged Ethernet: trust of the ports",
    supersedes=("trust-mode-mismatch-link",),
    aliases=("trust-untrusted-host-port",),
)
def port_trust_not_intended(port: PortView) -> Iterator[Fault]:
    """A switch port does not trust the mark that the intent names.

    Why: all RDMA traffic that enters here falls into the default class, or into a wrong one.
    Bad: intended trust dscp, port trusts nothing.
    Good: port trusts dscp, or both marks.
    Fix: set the trust of the port.
    """
    if port.device.is_host:
        return
    yield from _trust_faults(port)


def _trust_faults(port: PortView) -> Iterator[Fault]:
    intended = intended_trust(port.policy)
    if port.trust is not intended and not MARKS[intended] & MARKS[port.trust]:
        # a port that does not trust DSCP shows no DSCP map
        yield Fault(port, ("trust", "dscp_to_priority"), intended, port.trust)


@rule(
    "trust-mode-mismatch-link",
    severity=Severity.ERROR,
    scope=Scope.LINK,
    source="NVIDIA Cumulus Linux 5.15, RDMA over Converged Ethernet: trust on both ends",
)
def trust_mode_mismatch_link(link: LinkView) -> Iterator[Fault]:
    """The two ends of a link believe different marks.

    Why: a packet is in one class before the link and in another after it.
    Bad: switch port trusts DSCP, NIC trusts PCP.
    Good: both trust DSCP.
    Fix: trust DSCP at both ends.
    """
    a, b = link.ends
    if not (a.is_rdma and b.is_rdma) or MARKS[a.trust] & MARKS[b.trust]:
        return
    for here, there in link.directions():
        if "dscp" not in MARKS[here.trust]:
            yield Fault(here, ("trust",), there.trust, here.trust, note="as the peer trusts")


def wrong_entries(port: PortView, each: ClassView) -> dict[int, int | None]:
    """DSCPs of a class that do not lead to its switch priority, with where they lead."""
    found = {dscp: port.dscp_to_priority.get(dscp) for dscp in sorted(each.dscp)}
    return {dscp: value for dscp, value in found.items() if value != each.priority}


def map_fault(port: PortView, each: ClassView, wrong: dict[int, int | None]) -> Fault:
    """The fault of a map that leads DSCPs of a class elsewhere."""
    return Fault(
        port,
        ("dscp_to_priority",),
        dict.fromkeys(wrong, each.priority),
        {dscp: "nothing" if value is None else value for dscp, value in wrong.items()},
        note=f"class {each.name}",
        key=str(next(iter(wrong))),
    )


def _map_faults(port: PortView) -> Iterator[Fault]:
    """Lossless classes whose DSCPs the port leads elsewhere."""
    for each in port.policy.classes_saying("dscp", "priority"):
        if not each.is_lossless or not believes_dscp(port):
            continue
        wrong = wrong_entries(port, each)
        if wrong:
            yield map_fault(port, each, wrong)


@rule(
    "dscp-not-mapped",
    severity=Severity.ERROR,
    scope=Scope.PORT,
    source="sonic-net/sonic-buildimage files/build_templates/qos_config.j2: "
    "the default map leads DSCP 26 to a lossy class",
    supersedes=("dscp-tc-map-mismatch-path", "dscp-lossless-at-one-end-only"),
)
def dscp_not_mapped(port: PortView) -> Iterator[Fault]:
    """A switch port leads a DSCP of a lossless class to another switch priority.

    Why: RDMA packets travel in a class that drops, or pause one that should not be paused.
    Bad: class rdma has DSCP 26 and priority 3, the map says 26->1.
    Good: the map says 26->3.
    Fix: add the entry to the DSCP map and bind the map to the port.
    """
    if port.device.is_host:
        return
    yield from _map_faults(port)


@rule(
    "nic-dscp2prio-mismatch",
    severity=Severity.ERROR,
    scope=Scope.PORT,
    source="NVIDIA mlnx_qos documentation, --dscp2prio; iproute2 dcb-app(8)",
    supersedes=("dscp-tc-map-mismatch-path", "dscp-lossless-at-one-end-only"),
)
def nic_dscp2prio_mismatch(port: PortView) -> Iterator[Fault]:
    """A NIC leads a DSCP of a lossless class to another priority.

    Why: it counts the packets to the wrong receive buffer and pauses the wrong priority.
    Bad: class rdma has DSCP 26 and priority 3, the NIC says 26->0.
    Good: the NIC says 26->3.
    Fix: mlnx_qos -i DEV --dscp2prio set,26,3, or dcb app add dev DEV dscp-prio 26:3.
    """
    if not port.device.is_host:
        return
    yield from _map_faults(port)


@rule(
    "dscp-lossless-at-one-end-only",
    severity=Severity.ERROR,
    scope=Scope.LINK,
    source="derived: PFC protects a packet only where its DSCP leads to a paused priority; "
    "bytedance/byteps#179 shows all RDMA traffic in priority 0",
)
def dscp_lossless_at_one_end_only(link: LinkView) -> Iterator[Fault]:
    """No DSCP leads to a paused priority at both ends of a link.

    Why: whatever DSCP RDMA uses, it is dropped instead of paused at one of the two ends.
    Bad: both ends pause priority 3, the NIC says 26->3, the switch leads no DSCP to 3.
    Good: both ends lead at least one DSCP to a priority that they pause.
    Fix: map the DSCP of RDMA to the lossless priority at both ends.
    """
    if not all(_is_lossless_by_dscp(end) for end in link.ends):
        return
    a, b = (_lossless_dscps(end) for end in link.ends)
    if a & b:
        return
    here, there = link.ends
    poor, rich = (here, there) if len(a) <= len(b) else (there, here)
    wanted = sorted(a | b)
    yield Fault(
        poor,
        ("dscp_to_priority",),
        f"one of DSCP {', '.join(map(str, wanted))} lossless" if wanted else "a lossless DSCP",
        f"DSCP {', '.join(map(str, sorted(_lossless_dscps(poor)))) or 'none'} lossless",
        note=f"at {rich.place}: {len(_lossless_dscps(rich))} lossless",
    )


def _is_lossless_by_dscp(port: PortView) -> bool:
    return port.is_rdma and believes_dscp(port) and bool(port.pfc_rx | port.pfc_tx)


def _lossless_dscps(port: PortView) -> frozenset[int]:
    paused = port.pfc_rx | port.pfc_tx
    return frozenset(dscp for dscp, value in port.dscp_to_priority.items() if value in paused)


@rule(
    "dscp-tc-map-mismatch-path",
    severity=Severity.ERROR,
    scope=Scope.FABRIC,
    source="derived: switches of one fabric forward each other's packets, so a DSCP that is "
    "lossless on one and not on another changes its class in mid-path",
    supersedes=("dscp-lossless-at-one-end-only", "rdma-mark-lossy"),
)
def dscp_tc_map_mismatch_path(fabric: FabricView) -> Iterator[Fault]:
    """Switches lead a DSCP of a lossless class to different switch priorities.

    Why: the class changes in mid-path; a lossless packet becomes lossy, or pauses another class.
    Bad: three leaves say 26->3, one says 26->0.
    Good: all say 26->3.
    Fix: bind the same map on all switches.
    """
    ports = []
    for port in fabric.ports:
        with fabric.attempt():
            if _is_on_path(port):
                ports.append((port, port.dscp_to_priority))
    votes = _votes(ports)
    for port, mapped in ports:
        usual = {
            dscp: vote
            for dscp, vote in votes.items()
            if mapped.get(dscp) != vote and _is_in_scope(port, dscp)
        }
        if usual:
            found = {dscp: mapped.get(dscp, "nothing") for dscp in usual}
            key = str(min(usual))
            yield Fault(port, ("dscp_to_priority",), usual, found, "as most switches", key=key)


def _is_on_path(port: PortView) -> bool:
    if port.device.is_host or not port.is_rdma or not believes_dscp(port):
        return False
    return bool(port.pfc_rx | port.pfc_tx)


def _is_in_scope(port: PortView, dscp: int) -> bool:
    """The intent has a lossless class with that DSCP here, or does not say."""
    if not port.has_policy:
        return True
    said = [each.dscp for each in port.policy.classes_saying("dscp") if each.is_lossless]
    return not said or any(dscp in each for each in said)


def _votes(ports: list[tuple[PortView, FrozenMap[int, int]]]) -> dict[int, int]:
    """For each DSCP that is lossless somewhere: where most switches lead it."""
    lossless: set[int] = set()
    for port, mapped in ports:
        priorities = port.lossless_priorities
        led = {dscp for dscp, priority in mapped.items() if priority in priorities}
        lossless.update(dscp for dscp in led - lossless if _is_in_scope(port, dscp))
    votes: dict[int, int] = {}
    for dscp in sorted(lossless):
        counted = Counter[int]()
        for port, mapped in ports:
            if dscp in mapped and _is_in_scope(port, dscp):
                counted[mapped[dscp]] += len({member.device for member in port.members})
        votes[dscp] = max(sorted(counted), key=lambda value: _weight(counted, value, ports))
    return votes


def _weight(
    counted: Counter[int], value: int, ports: list[tuple[PortView, FrozenMap[int, int]]]
) -> tuple[int, bool]:
    """Votes for a priority; between equals, one that is lossless."""
    return counted[value], any(value in port.lossless_priorities for port, _ in ports)
