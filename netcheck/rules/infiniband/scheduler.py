"""The map that a job scheduler was given, against the subnet as it is."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping

from netcheck.lossless.seen import Seen
from netcheck.model.fact import NotGivenError
from netcheck.model.finding import Place, Severity
from netcheck.model.infiniband import SchedulerSwitch
from netcheck.model.known import is_known
from netcheck.model.view import FabricView
from netcheck.rules.infiniband.subnets import seen_subnets
from netcheck.rules.rule import Fault, Scope, rule

NOWHERE = "not in the subnet"


@rule(
    "ib-scheduler-map-stale",
    severity=Severity.WARNING,
    scope=Scope.FABRIC,
    source="Slurm topology.conf(5): nodes of one leaf switch",
    is_proof=False,
)
def ib_scheduler_map_stale(fabric: FabricView) -> Iterator[Fault]:
    """The scheduler's map puts a host at another switch than it is at.

    Why: jobs that are meant to stay below one switch go through the spines, and share them.
    Bad: topology.conf has gpu07 at leaf01, its cable leads to leaf02.
    Good: hosts of one SwitchName are at the same switches.
    Fix: make the map again: netcheck ib topology.
    """
    for seen in seen_subnets(fabric):
        if not is_known(seen.subnet.scheduler):
            raise NotGivenError("map of the scheduler (topology.conf)")
        if not seen.hosts_at:
            raise NotGivenError("cables of hosts")
        leaves = _leaves(seen)
        for switch in seen.subnet.scheduler:
            yield from _misplaced(fabric, seen, switch, leaves)
        yield from _unlisted(fabric, seen, leaves)


def _leaves(seen: Seen) -> Mapping[str, tuple[str, ...]]:
    """Names of the switches that each host is at."""
    found: dict[str, set[str]] = {}
    for key, ends in seen.hosts_at.items():
        name = seen.subnet.nodes[key].place().device
        for end in ends:
            host = seen.subnet.nodes[end.node].device.partition(".")[0]
            found.setdefault(host, set()).add(name)
    return {host: tuple(sorted(names)) for host, names in found.items()}


def _misplaced(
    fabric: FabricView,
    seen: Seen,
    switch: SchedulerSwitch,
    leaves: Mapping[str, tuple[str, ...]],
) -> Iterator[Fault]:
    placed = {host: leaves[host] for host in switch.hosts if host in leaves}
    missing = [host for host in switch.hosts if host not in leaves]
    if missing and seen.subnet.is_whole:
        for host in missing:
            yield _fault(fabric, switch, host, f"at {switch.name}", NOWHERE)
    if not placed:
        return
    usual, _ = Counter(placed.values()).most_common(1)[0]
    for host, names in placed.items():
        if names != usual:
            wanted = f"at {', '.join(usual)}, as most of {switch.name}"
            yield _fault(fabric, switch, host, wanted, f"at {', '.join(names)}")


def _unlisted(
    fabric: FabricView, seen: Seen, leaves: Mapping[str, tuple[str, ...]]
) -> Iterator[Fault]:
    switches = seen.subnet.scheduler if is_known(seen.subnet.scheduler) else ()
    listed = {host for switch in switches for host in switch.hosts}
    for host in leaves:
        if host not in listed and switches:
            yield _fault(fabric, switches[0], host, "a place in the map", "none")


def _fault(
    fabric: FabricView, switch: SchedulerSwitch, host: str, expected: str, found: str
) -> Fault:
    evidence = switch.evidence if switch.evidence.file else None
    return Fault(fabric, ("scheduler",), expected, found, places=(Place(host),), evidence=evidence)
