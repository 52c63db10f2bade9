"""Routes of an InfiniBand subnet: credit loops, and hosts without a way to each other."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from netcheck.lossless.channels import Channel, Network, find_loops, unreachable
from netcheck.lossless.seen import Seen
from netcheck.model.fact import NotGivenError
from netcheck.model.finding import Place, Severity
from netcheck.model.infiniband import IbEnd
from netcheck.model.known import UnknownFactError, is_known
from netcheck.model.view import FabricView
from netcheck.rules.infiniband.subnets import seen_subnets
from netcheck.rules.rule import Fault, Scope, rule

# Engines that break loops by the service level of each path.
LAYERED = frozenset({"dfsssp", "lash", "torus-2QoS", "nue"})
SHOWN = 8
NOWHERE = IbEnd("", 0)


@rule(
    "ib-credit-loop",
    severity=Severity.ERROR,
    scope=Scope.FABRIC,
    source="W. Dally, C. Seitz, IEEE Transactions on Computers C-36 (1987); ibdmchk(1)",
)
def ib_credit_loop(fabric: FabricView) -> Iterator[Fault]:
    """Routes close a ring of buffers that wait for each other.

    Why: under load the ring fills up and stands still; nothing moves over it until packets are
        thrown away, and InfiniBand throws none away by itself.
    Bad: four switches in a ring, routed by minhop: sw1 4 -> sw4 4 -> sw3 4 -> sw2 4.
    Good: a routing engine without loops: updn or ftree on a tree, dfsssp or lash elsewhere.
    Fix: name the engine with no_fallback, and give it roots or lanes as it needs.
    """
    for seen in seen_subnets(fabric):
        with fabric.attempt():
            yield from _loops(fabric, seen)


def _loops(fabric: FabricView, seen: Seen) -> Iterator[Fault]:
    network = _network(seen)
    is_layered = seen.subnet.engine in LAYERED
    pairs = _pairs(seen) if is_layered else None
    loops = find_loops(network, _levels(seen), pairs)
    for loop in loops[:SHOWN]:
        yield _fault(fabric, seen, loop, _assumed(seen, network), is_lanes=bool(network.lanes))
    if not loops and pairs is not None and (missing := _not_asked(seen)):
        raise UnknownFactError("sl", f"{missing} paths")


def _network(seen: Seen) -> Network:
    """Give switches and routes by number.

    Raises:
        NotGivenError: There are no cables, or nobody has a LID.
        UnknownFactError: A switch's routes are not known.
    """
    if not seen.cables or not seen.switches:
        raise NotGivenError("cables of the subnet")
    network = seen.network
    if not network.destinations:
        raise NotGivenError("LIDs of hosts")
    return network


def _levels(seen: Seen) -> Sequence[int]:
    """Service levels of the paths that were asked for; what nobody asked for has level 0."""
    told = {path.sl for path in seen.subnet.paths if is_known(path.sl)}
    return sorted(told | {0})


def _pairs(seen: Seen) -> set[tuple[int, int, int]]:
    """Source, LID and service level of the paths that were asked for.

    A pair has several levels where they depend on its path bits or its partition.

    Raises:
        UnknownFactError: No path was.
    """
    number_of = {end: number for number, end in enumerate(seen.source_ends)}
    ends = _end_of_lids(seen)
    found = set()
    for path in seen.subnet.paths:
        number = number_of.get(ends.get(path.source, NOWHERE))
        if number is not None and is_known(path.sl):
            found.add((number, path.destination, path.sl))
    if not found:
        raise UnknownFactError("sl", "paths")
    return found


def _not_asked(seen: Seen) -> int:
    """Number of paths between two hosts of which nobody has told the service level."""
    ends = _end_of_lids(seen)
    hosts = set(seen.destinations)
    told = {
        (path.source, path.destination)
        for path in seen.subnet.paths
        if is_known(path.sl) and {path.source, path.destination} <= hosts
    }
    known = Counter(ends[here] for here, there in told if ends[here] != ends[there])
    lids = Counter(ends[lid] for lid in hosts)
    return sum(
        max(lids[end], 1) * (len(hosts) - lids[end]) - known[end] for end in seen.source_ends
    )


def _end_of_lids(seen: Seen) -> dict[int, IbEnd]:
    return {lid: IbEnd(node.key, number) for lid, (node, number) in seen.by_lid.items()}


def _assumed(seen: Seen, network: Network) -> str:
    """What a loop rests on where outputs leave it open."""
    if not network.lanes:
        return "all service levels taken for one lane"
    if is_known(seen.subnet.engine):
        return ""
    if not seen.subnet.paths:
        return "if paths have service level 0: give the manager's log or path records"
    is_one = len(_levels(seen)) == 1
    return "" if is_one else "if any path may have each of their service levels: give the log"


def _fault(
    fabric: FabricView,
    seen: Seen,
    loop: Sequence[Channel],
    assumed: str,
    *,
    is_lanes: bool,
) -> Fault:
    places = tuple(_place(seen, one, is_lanes=is_lanes) for one in loop)
    first = seen.switches[loop[0].switch]
    return Fault(
        fabric,
        ("routes",),
        "no ring of buffers",
        " -> ".join(str(place) for place in places),
        assumed,
        places=places,
        evidence=first.evidence if first.evidence.file else None,
    )


def _place(seen: Seen, one: Channel, *, is_lanes: bool) -> Place:
    place = seen.switches[one.switch].place(one.port)
    return Place(place.device, place.port, f"VL {one.lane}") if is_lanes else place


@rule(
    "ib-route-missing",
    severity=Severity.ERROR,
    scope=Scope.FABRIC,
    source="InfiniBand Architecture Specification volume 1, 18.2.4.3: packets without a route drop",
)
def ib_route_missing(fabric: FabricView) -> Iterator[Fault]:
    """A switch on the way has no route to a host, or routes end elsewhere or go in circles.

    Why: packets to that host are discarded on the way; connections time out.
    Bad: leaf02 has no port for LID 22 of node0016.
    Good: every host is reached from every leaf.
    Fix: look at the subnet manager's log; let it sweep again.
    """
    for seen in seen_subnets(fabric):
        with fabric.attempt():
            yield from _lost(fabric, seen)


def _lost(fabric: FabricView, seen: Seen) -> Iterator[Fault]:
    lost: dict[int, dict[str, None]] = {}
    for lid, switch in unreachable(_network(seen)):
        lost.setdefault(lid, {})[str(seen.switches[switch].place())] = None
    for lid, switches in lost.items():
        node, port = seen.by_lid[lid]
        names = list(switches)
        more = f" and {len(names) - SHOWN} more" if len(names) > SHOWN else ""
        yield Fault(
            fabric,
            ("routes",),
            f"a route to LID {lid} at every switch on the way",
            f"none at {', '.join(names[:SHOWN])}{more}",
            places=(node.place(port),),
        )
