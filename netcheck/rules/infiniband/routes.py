"""Routes of an InfiniBand subnet: credit loops, and hosts without a way to each other."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

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
    if not loops and pairs is not None and len(pairs) < _all_pairs(network):
        raise UnknownFactError("sl", f"{_all_pairs(network) - len(pairs)} paths")


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


def _pairs(seen: Seen) -> Mapping[tuple[int, int], int]:
    """Service level by source and LID, of the paths that were asked for.

    Raises:
        UnknownFactError: No path was.
    """
    number_of = {end: number for number, end in enumerate(seen.source_ends)}
    found = {}
    for path in seen.subnet.paths:
        here = seen.by_lid.get(path.source)
        number = number_of.get(IbEnd(here[0].key, here[1])) if here is not None else None
        if number is not None and is_known(path.sl):
            found[number, path.destination] = path.sl
    if not found:
        raise UnknownFactError("sl", "paths")
    return found


def _all_pairs(network: Network) -> int:
    return len(network.sources) * (len(network.destinations) - 1)


def _assumed(seen: Seen, network: Network) -> str:
    """What a loop rests on where outputs leave it open."""
    if not network.lanes:
        return "all service levels taken for one lane"
    is_open = not is_known(seen.subnet.engine) and not seen.subnet.paths
    return (
        "if paths have service level 0: give the manager's log or path records" if is_open else ""
    )


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
    """A switch on the way has no route to a host, or routes go in circles.

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
