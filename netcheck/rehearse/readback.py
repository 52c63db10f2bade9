"""The same reading and the same verdicts for a rehearsed subnet and for a live one."""

from __future__ import annotations

from collections.abc import Iterable

from netcheck.compare.lanes import intended_lanes
from netcheck.compare.partitions import Memberships
from netcheck.compare.path_records import ENGINES_WITH_OWN_SL, PathQuestion
from netcheck.compare.subnet import LIFETIMES, group_address, ipoib_partitions, master_guid
from netcheck.model.document import Document
from netcheck.model.finding import Finding
from netcheck.model.infiniband import NodeKind
from netcheck.model.known import Known, is_known
from netcheck.model.subnets import Subnet
from netcheck.rehearse.judging import Judge
from netcheck.rehearse.reading import Ask, Reading, Tables, read_nodes, read_paths, read_rest
from netcheck.rehearse.sampling import Sample, choose, questions


def read_subnet(
    ask: Ask,
    judge: Judge,
    engine: Known[str],
    *,
    hosts: int | None,
    paths: int,
    extra: Iterable[Document] = (),
    asker: frozenset[int] = frozenset(),
) -> tuple[Reading, Sample]:
    """Read the whole, then the tables and paths of a sample.

    Args:
        engine: Routing engine in use.
        hosts: At most so many adapter ports; all if None.
        extra: Texts that are read along, such as the manager's log.
        asker: Port GUIDs of the host that asks, where it may be another than the master's.
    """
    reading = read_nodes(ask)
    memberships = judge.memberships(reading.seen)
    has_layers = engine in ENGINES_WITH_OWN_SL
    sample = choose(reading.seen, memberships, hosts=hosts, every_lane=has_layers)
    tables = tables_of(judge.subnet, sample, has_layers=has_layers)
    reading = read_rest(ask, reading, tables, extra)
    asked = questions(reading.seen, sample.hosts, memberships, judge.services(), paths=paths)
    if asker and master_guid(reading.seen) not in asker:
        asked = tuple(one for one in asked if _is_told(memberships, one, asker))
    return read_paths(ask, reading, asked), sample


def _is_told(memberships: Memberships, question: PathQuestion, asker: frozenset[int]) -> bool:
    """The subnet administrator tells others than the master of paths in their own partitions."""
    keys = (memberships.of(guid, NodeKind.ADAPTER).keys for guid in asker)
    return question.is_allowed and any(question.pkey in own for own in keys)


def tables_of(subnet: Subnet, sample: Sample, *, has_layers: bool) -> Tables:
    """Give the tables that an intent says something of, of the ports of a sample."""
    lanes = intended_lanes(subnet)
    ports = (*sample.hosts, *sample.switch_ports)
    has_lifetimes = any(key in subnet.options for key in LIFETIMES.values())
    return Tables(
        keys=(*sample.hosts, *sample.leaf_ports) if subnet.partitions else (),
        lanes=ports if lanes.sl_to_vl or has_layers else (),
        weights=ports if lanes.has_weights else (),
        ports=ports if is_known(lanes.data_vls) or has_lifetimes else sample.hosts,
        groups=tuple(map(group_address, ipoib_partitions(subnet))),
    )


def judged(judge: Judge, reading: Reading, sample: Sample, engine: Known[str]) -> list[Finding]:
    """Give everything that is found of a reading."""
    return [
        *judge.whole(reading, engine),
        *judge.tables(reading, sample),
        *judge.paths(reading, engine),
        *judge.rules(reading),
    ]


def read_notes(reading: Reading, sample: Sample, engine: Known[str]) -> list[str]:
    """Give lines that state the sample, the engine, and calls that failed."""
    switches = sum(is_known(node.routes) for node in reading.seen.nodes.values())
    ports = (
        f"tables of {len(sample.hosts)} of {sample.of} host ports"
        f" and {len(sample.switch_ports)} of {sample.of_switch_ports} switch ports"
    )
    paths = f"{len(reading.paths)} path records"
    notes = [
        f"read back: routes of {switches} switches; {ports}; {paths}",
        f"routing engine: {engine if is_known(engine) else 'not said in the log'}",
    ]
    if reading.failed:
        first = reading.failed[0]
        notes.append(
            f"{len(reading.failed)} calls failed, such as {first.command}: {first.text[:200]}"
        )
    return notes
