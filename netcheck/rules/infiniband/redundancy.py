"""Subnet managers as they were found running."""

from __future__ import annotations

from collections.abc import Iterator

from netcheck.lossless.seen import Seen
from netcheck.model.fact import NotGivenError
from netcheck.model.finding import Place, Severity
from netcheck.model.infiniband import IbManager, SmState
from netcheck.model.known import is_known
from netcheck.model.view import FabricView
from netcheck.rules.infiniband.subnets import seen_subnets
from netcheck.rules.rule import Fault, Scope, rule

ALIVE = frozenset({SmState.MASTER, SmState.STANDBY})


def _managers(seen: Seen) -> tuple[IbManager, ...]:
    """Managers that a list of all of them shows.

    Raises:
        NotGivenError: There is no such list.
    """
    if not seen.subnet.lists_managers:
        raise NotGivenError("list of subnet managers (saquery SMIR)")
    return seen.subnet.managers if is_known(seen.subnet.managers) else ()


def _place(seen: Seen, manager: IbManager) -> Place:
    """Where a manager runs; the place of the reading where nobody knows."""
    found = seen.by_lid.get(manager.lid) if is_known(manager.lid) else None
    if found is not None:
        return found[0].place(found[1])
    if is_known(manager.guid):
        for node in seen.subnet.nodes.values():
            if manager.guid in {node.guid, *(port.guid for port in node.ports.values())}:
                return node.place()
    return Place(seen.device)


def _readable(fabric: FabricView) -> Iterator[tuple[Seen, tuple[IbManager, ...]]]:
    for seen in seen_subnets(fabric):
        with fabric.attempt():
            yield seen, _managers(seen)


@rule(
    "ib-sm-alone",
    severity=Severity.ERROR,
    scope=Scope.FABRIC,
    source="linux-rdma/opensm man/opensm.8.in: several managers elect a master; others stand by",
    is_proof=False,
)
def ib_sm_alone(fabric: FabricView) -> Iterator[Fault]:
    """A subnet runs with one subnet manager, or with none.

    Why: when it ends, links that go down are not routed around and new hosts get no address.
    Bad: a master and no standby.
    Good: a master and at least one standby.
    Fix: start a second manager on another host, with the same files and a lower priority.
    """
    for seen, managers in _readable(fabric):
        alive = [one for one in managers if one.state in ALIVE or not is_known(one.state)]
        if len(alive) < 2:  # noqa: PLR2004 -- a master and a standby
            shown = "none" if not alive else "1"
            yield Fault(
                fabric,
                ("managers",),
                "2 subnet managers",
                shown,
                places=tuple(_place(seen, one) for one in alive) or (Place(seen.device),),
                evidence=alive[0].evidence if alive else None,
            )


@rule(
    "ib-sm-tie",
    severity=Severity.WARNING,
    scope=Scope.FABRIC,
    source="InfiniBand Architecture Specification volume 1, 14.4.1: the lower GUID wins a tie",
    is_proof=False,
)
def ib_sm_tie(fabric: FabricView) -> Iterator[Fault]:
    """Two running subnet managers have the same priority.

    Why: the GUID decides who is master, which nobody chose; a replaced adapter changes it.
    Bad: master and standby with priority 5.
    Good: master 15, standby 14.
    Fix: give the preferred manager the higher sm_priority.
    """
    for seen, managers in _readable(fabric):
        by_priority: dict[int, list[IbManager]] = {}
        for one in managers:
            if is_known(one.priority) and one.state in ALIVE:
                by_priority.setdefault(one.priority, []).append(one)
        for priority, ones in by_priority.items():
            if len(ones) > 1:
                yield Fault(
                    fabric,
                    ("managers",),
                    "different priorities",
                    f"priority {priority} at {len(ones)}",
                    places=tuple(_place(seen, one) for one in ones),
                    evidence=ones[0].evidence,
                )


@rule(
    "ib-sm-two-masters",
    severity=Severity.ERROR,
    scope=Scope.FABRIC,
    source="InfiniBand Architecture Specification volume 1, 14.4: one master in a subnet",
    is_proof=False,
)
def ib_sm_two_masters(fabric: FabricView) -> Iterator[Fault]:
    """Two subnet managers are master at once.

    Why: each sets its own addresses, routes and partitions over those of the other.
    Bad: SMIR shows state 3 twice.
    Good: one master, the others standby.
    Fix: stop one of them; look at their sm_key and m_key, which have to be the same.
    """
    for seen, managers in _readable(fabric):
        masters = [one for one in managers if one.state is SmState.MASTER]
        if len(masters) > 1:
            yield Fault(
                fabric,
                ("managers",),
                "one master",
                len(masters),
                places=tuple(_place(seen, one) for one in masters),
                evidence=masters[0].evidence,
            )
