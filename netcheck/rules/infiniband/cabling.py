"""Cables of an InfiniBand subnet against the intent."""

from __future__ import annotations

from collections.abc import Iterator

from netcheck.lossless.planned import Planned, planned_at
from netcheck.lossless.seen import Cable
from netcheck.model.document import Evidence
from netcheck.model.fabric import Link, PortRef
from netcheck.model.fact import NotGivenError
from netcheck.model.finding import Place, Severity
from netcheck.model.infiniband import IbEnd
from netcheck.model.known import UNKNOWN, is_known
from netcheck.model.view import FabricView
from netcheck.rules.infiniband.subnets import seen_subnets
from netcheck.rules.rule import Fault, Scope, rule

NOTHING = "nothing"


@rule(
    "ib-topology-vs-intent",
    severity=Severity.ERROR,
    scope=Scope.FABRIC,
    source="linux-rdma/rdma-core infiniband-diags ibnetdiscover(8); derived: paths follow cables",
    is_proof=False,
)
def ib_topology_vs_intent(fabric: FabricView) -> Iterator[Fault]:
    """A cable of the subnet is not where the intent has it.

    Why: the subnet manager routes whatever it finds and says nothing; rails mix, trees lose their
        balance, and a job's neighbours are not where its scheduler thinks they are.
    Bad: intended gpu04 mlx5_0 - leaf01 4, seen gpu04 mlx5_0 - leaf02 1.
    Good: every intended link is seen between the same two ports.
    Fix: move the cable, or correct the intent.
    """
    plan = fabric.plan
    for seen in seen_subnets(fabric):
        planned = planned_at(seen, plan)
        if not planned.links:
            raise NotGivenError("InfiniBand links in the intent")
        yield from _absent(fabric, planned)
        for link in planned.links:
            yield from _misplaced(fabric, planned, link)
        if planned.is_stated():
            yield from _unstated(fabric, planned)


def _absent(fabric: FabricView, planned: Planned) -> Iterator[Fault]:
    """Devices of the intent that a whole discovery did not find."""
    if not planned.seen.subnet.is_whole:
        return
    found = {place.device for place, end in planned.end_of.items() if end is not None}
    named = dict.fromkeys(place.device for link in planned.links for place in (link.a, link.b))
    for name in named:
        if name not in found:
            yield Fault(fabric, ("node",), f"{name} in the subnet", NOTHING, places=(Place(name),))


def _misplaced(fabric: FabricView, planned: Planned, link: Link) -> Iterator[Fault]:
    ends = {place: planned.end_of[place] for place in (link.a, link.b)}
    if None in ends.values() and not planned.seen.subnet.is_whole:
        return
    shown = {}
    for place, end in ends.items():
        wanted = ends[link.other(place)]
        if end is not None and (told := _told(planned, end, wanted)):
            shown[place] = told
    if not shown:
        return
    evidence = next((found for place in shown if (found := _read(planned, ends[place]))), None)
    yield Fault(
        fabric,
        ("peer",),
        f"{_named(planned, link.a)} - {_named(planned, link.b)}",
        "; ".join(f"{told} at {_named(planned, place)}" for place, told in shown.items()),
        places=tuple(planned.place(end) for place in shown if (end := ends[place]) is not None),
        evidence=evidence,
    )


def _told(planned: Planned, end: IbEnd, wanted: IbEnd | None) -> str:
    """What is at an end instead of what is wanted there; empty where it is right or not known."""
    peer = planned.seen.port(end).peer
    if peer is UNKNOWN and not planned.seen.subnet.is_whole:
        return ""
    if not is_known(peer):
        return NOTHING
    return "" if peer == wanted else str(planned.place(peer))


def _named(planned: Planned, place: PortRef) -> str:
    end = planned.end_of[place]
    return str(place) if end is None else str(planned.place(end))


def _read(planned: Planned, end: IbEnd | None) -> Evidence | None:
    if end is None:
        return None
    found = planned.seen.port(end).evidence
    return found if found.file else None


def _unstated(fabric: FabricView, planned: Planned) -> Iterator[Fault]:
    """Links that are seen and that the intent, which states all of them, does not have."""
    for cable in planned.seen.cables:
        nodes = [planned.seen.subnet.nodes[end.node] for end in cable]
        is_inner = any(
            not node.is_host and node.key not in planned.seen.number_of for node in nodes
        )
        if is_inner or any(end in planned.place_of for end in cable):
            continue
        yield Fault(
            fabric,
            ("peer",),
            "no link",
            _both(planned, cable),
            places=planned.seen.places(cable),
            evidence=planned.seen.evidence(cable),
        )


def _both(planned: Planned, cable: Cable) -> str:
    return " - ".join(str(planned.place(end)) for end in cable)
