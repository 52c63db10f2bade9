"""InfiniBand links: width, speed, state and MTU."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from netcheck.lossless.planned import Planned, planned_at
from netcheck.lossless.seen import Cable, Seen
from netcheck.model.finding import Place, Severity
from netcheck.model.infiniband import LANE_BPS, IbPort, PortState
from netcheck.model.known import is_known
from netcheck.model.view import FabricView
from netcheck.rules.infiniband.subnets import has_plan, seen_subnets
from netcheck.rules.rule import Fault, Scope, rule

LARGEST_MTU = 4096
USUAL_WIDTH = 4  # wider links need cables that are no longer made
MANY = 3  # links of one kind, from which one that is unlike the others stands out

Rate = tuple[int, str]


@rule(
    "ib-link-width-speed",
    severity=Severity.ERROR,
    scope=Scope.FABRIC,
    source="linux-rdma/rdma-core infiniband-diags iblinkinfo(8): active width and speed",
    supersedes=("ib-link-unlike-peers",),
    is_proof=False,
)
def ib_link_width_speed(fabric: FabricView) -> Iterator[Fault]:
    """A link runs at less than intended, or than both of its ends can do.

    Why: one lane of four carries a quarter; every job over this link waits for it.
    Bad: 1X HDR, intended 4X HDR.
    Good: 4X HDR.
    Fix: reseat or replace the cable; look at the enabled widths and speeds of both ports.
    """
    for seen in seen_subnets(fabric):
        planned = planned_at(seen, fabric.plan) if has_plan(fabric) else None
        for cable in seen.cables:
            yield from _slow(fabric, seen, cable, planned)


def _slow(fabric: FabricView, seen: Seen, cable: Cable, planned: Planned | None) -> Iterator[Fault]:
    running = seen.runs(cable)
    if not is_known(running.width) or not is_known(running.speed):
        return
    wanted, source = _wanted(seen, cable, planned)
    if wanted is None:
        return
    found = (running.width, running.speed)
    if _bps(found) < _bps(wanted):
        yield Fault(
            fabric,
            ("rate",),
            _shown(wanted),
            _shown(found),
            source,
            places=seen.places(cable),
            evidence=seen.evidence(cable),
        )


def _wanted(seen: Seen, cable: Cable, planned: Planned | None) -> tuple[Rate | None, str]:
    intended = planned.rate(cable) if planned is not None else None
    if intended is not None:
        return intended, "intended"
    running, possible = seen.runs(cable), _possible(seen, cable)
    if running.width == 1 and possible == (1, running.speed):
        return (USUAL_WIDTH, str(running.speed)), "one lane is left where others failed"
    return possible, "both ends can do it"


def _possible(seen: Seen, cable: Cable) -> Rate | None:
    """What both ends say that they could do, as far as both say it."""
    a, b = seen.port(cable.a), seen.port(cable.b)
    running = seen.runs(cable)
    width, speed = running.width, running.speed
    if not is_known(width) or not is_known(speed):
        return None
    if is_known(a.widths) and is_known(b.widths):
        width = max([width, *(one for one in a.widths & b.widths if one <= USUAL_WIDTH)])
    if is_known(a.speeds) and is_known(b.speeds):
        both = [one for one in a.speeds & b.speeds if one in LANE_BPS]
        speed = max([speed, *both], key=lambda one: LANE_BPS.get(one, 0))
    for end in (a, b):
        if is_known(end.could_be):
            width, speed = _hinted(end.could_be, width, speed)
    return width, speed


def _hinted(text: str, width: int, speed: str) -> Rate:
    """What ``iblinkinfo`` says that a link could be: ``4X``, ``HDR`` or both."""
    for word in text.split():
        if word in LANE_BPS:
            speed = max(speed, word, key=lambda one: LANE_BPS.get(one, 0))
        elif word[:-1].isdigit() and int(word[:-1]) <= USUAL_WIDTH:
            width = max(width, int(word[:-1]))
    return width, speed


def _bps(rate: Rate) -> int:
    return rate[0] * LANE_BPS.get(rate[1], 0)


def _shown(rate: Rate) -> str:
    return f"{rate[0]}X {rate[1]}"


@rule(
    "ib-link-unlike-peers",
    severity=Severity.WARNING,
    scope=Scope.FABRIC,
    source="derived: links between devices of one kind are built of one kind of cable",
    is_proof=False,
)
def ib_link_unlike_peers(fabric: FabricView) -> Iterator[Fault]:
    """A link runs slower than most others of its kind.

    Why: traffic spreads evenly, so that the slowest link sets the pace.
    Bad: one link of a leaf at 4X EDR, its others at 4X HDR.
    Good: all at 4X HDR.
    Fix: reseat or replace the cable; state the speed in the intent where it is meant.
    """
    for seen in seen_subnets(fabric):
        yield from _unlike(fabric, seen)


def _unlike(fabric: FabricView, seen: Seen) -> Iterator[Fault]:
    kinds: dict[bool, list[tuple[Cable, Rate]]] = {True: [], False: []}
    for cable in seen.cables:
        nodes = [seen.subnet.nodes[end.node] for end in cable]
        running = seen.runs(cable)
        is_real = all(node.is_host or node.key in seen.number_of for node in nodes)
        if is_real and is_known(running.width) and is_known(running.speed):
            kinds[any(node.is_host for node in nodes)].append(
                (cable, (running.width, running.speed))
            )
    for links in kinds.values():
        if len(links) < MANY:
            continue
        usual, votes = Counter(rate for _, rate in links).most_common(1)[0]
        if votes * 2 <= len(links):
            continue
        for cable, rate in links:
            if _bps(rate) < _bps(usual):
                yield Fault(
                    fabric,
                    ("rate",),
                    _shown(usual),
                    _shown(rate),
                    f"as {votes} other links of this kind",
                    places=seen.places(cable),
                    evidence=seen.evidence(cable),
                )


@rule(
    "ib-port-not-active",
    severity=Severity.ERROR,
    scope=Scope.FABRIC,
    source="InfiniBand Architecture Specification volume 1, 7.2.7: Initialize and Armed",
    is_proof=False,
)
def ib_port_not_active(fabric: FabricView) -> Iterator[Fault]:
    """A port whose link is up was not activated by the subnet manager.

    Why: it carries management packets only; hosts behind it are not reachable.
    Bad: state Initialize, physical state LinkUp.
    Good: state Active.
    Fix: look whether a subnet manager runs, whether it knows the port's M_Key, and at its log.
    """
    for seen in seen_subnets(fabric):
        for node in seen.subnet.nodes.values():
            for number, port in node.ports.items():
                if port.state in {PortState.INIT, PortState.ARMED}:
                    yield _inactive(fabric, node.place(number), port)


def _inactive(fabric: FabricView, place: Place, port: IbPort) -> Fault:
    evidence = port.evidence if port.evidence.file else None
    state = str(port.state)
    return Fault(fabric, ("state",), "active", state, places=(place,), evidence=evidence)


@rule(
    "ib-mtu-active",
    severity=Severity.WARNING,
    scope=Scope.FABRIC,
    source="linux-rdma/opensm opensm/osm_link_mgr.c: NeighborMTU is the smaller of both ends",
    is_proof=False,
)
def ib_mtu_active(fabric: FabricView) -> Iterator[Fault]:
    """A link uses a smaller MTU than both of its ends can.

    Why: every packet carries its headers; with 2048 bytes instead of 4096 a link gives several
        percent less.
    Bad: NeighborMTU 2048, both ends capable of 4096.
    Good: NeighborMTU 4096.
    Fix: look at what limits the MTU in the subnet manager's options, and set the multicast
        group's MTU to code 5.
    """
    for seen in seen_subnets(fabric):
        for cable in seen.cables:
            a, b = seen.port(cable.a), seen.port(cable.b)
            if not (is_known(a.mtu_cap) and is_known(b.mtu_cap)):
                continue
            possible = min(a.mtu_cap, b.mtu_cap, LARGEST_MTU)
            used = [end.mtu for end in (a, b) if is_known(end.mtu)]
            if used and min(used) < possible:
                yield Fault(
                    fabric,
                    ("mtu",),
                    f"{possible} bytes",
                    f"{min(used)} bytes",
                    places=seen.places(cable),
                    evidence=seen.evidence(cable),
                )
