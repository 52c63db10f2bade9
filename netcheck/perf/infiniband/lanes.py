"""Why a service fails everywhere: its level leads to a lane that drops, or that never has a turn.

Ports are asked only where tests of a service failed; whether all lanes are as
intended is what ``netcheck verify`` reads.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from netcheck.model.fabric import PortRef
from netcheck.model.finding import Finding, Place
from netcheck.model.infiniband import IbPort
from netcheck.model.known import is_known
from netcheck.perf.found import perf_finding
from netcheck.perf.infiniband.places import Places
from netcheck.perf.infiniband.services import Service
from netcheck.perf.observe import Footprint, RoundResult

DROPS = 15
MOST_ASKED = 32  # ports: tables are the manager's, and alike
TABLES = ("sl2vl", "vlarb")


def ports_of_failures(results: Iterable[RoundResult], places: Places) -> list[PortRef]:
    """Ports that packets of failed tests had to leave by, adapters first."""
    found: dict[PortRef, bool] = {}
    for result in results:
        failed = tuple((f.sender, f.receiver) for f in result.flows if f.result.error)
        only = replace(result.round, flows=failed, victims=(), background=())
        for egress, _ in Footprint(places.fabric, only).links:
            if egress in places.at:
                found[egress] = places.at[egress].node.is_host
    return sorted(found, key=lambda ref: (not found[ref], ref))[:MOST_ASKED]


def calls_for(refs: Sequence[PortRef], places: Places) -> list[str]:
    """Queries of the tables of ports."""
    spots = [places.at[ref] for ref in refs]
    return [f"smpquery {table} {spot.lid} {spot.number}" for spot in spots for table in TABLES]


def lane_findings(
    service: Service, refs: Sequence[PortRef], ports: Mapping[PortRef, IbPort]
) -> Iterator[Finding]:
    """One finding for each way in which a service has no lane, with all ports that have it."""
    found: dict[str, list[PortRef]] = {}
    for ref in refs:
        said = _fault(service.sl, ports[ref]) if ref in ports else ""
        if said:
            found.setdefault(said, []).append(ref)
    for said, places in found.items():
        first = perf_finding(
            "service-without-lane",
            Place(places[0].device, places[0].port),
            f"service {service.name}: {said}",
            expected="a lane that carries data",
            found=said,
        )
        yield replace(first, where=tuple(Place(ref.device, ref.port) for ref in places))


def _fault(sl: int, port: IbPort) -> str:
    """What keeps packets of a level from leaving by a port; empty where nothing is seen."""
    tables = port.sl_to_vl.values() if is_known(port.sl_to_vl) else ()
    lanes = {table[sl] for table in tables if sl < len(table)}
    if DROPS in lanes:
        return f"SL {sl} leads to lane {DROPS}, which drops data"
    if not (is_known(port.vlarb_high) and is_known(port.vlarb_low)):
        return ""
    turns = {lane for lane, weight in (*port.vlarb_high, *port.vlarb_low) if weight}
    mute = sorted(lanes - turns) if turns else []  # a port of one lane has no turns to give
    return f"SL {sl} leads to lane {mute[0]}, which has no weight in either table" if mute else ""
