"""What verify makes of a snapshot of which one output is damaged.

Only the touched device is parsed again, and only the call to the parser that
the output goes to; equal devices are judged once.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, is_dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from netcheck.collect import assemble as assembling
from netcheck.collect.assemble import Reading, parse_documents, put_together
from netcheck.collect.cluster import DeviceDocuments, Item
from netcheck.collect.grouping import gather
from netcheck.compare.compare import PORT_FACTS, RDMA_FACTS, compare
from netcheck.compare.verify import verify
from netcheck.model.counters import CounterClass, CounterKey
from netcheck.model.device import Device, Gid, GidType, Port, RdmaDevice
from netcheck.model.document import Document, Evidence
from netcheck.model.fabric import Fabric, Origin
from netcheck.model.fact import View
from netcheck.model.finding import ExitCode, Finding, Severity, Stage, Verdict
from netcheck.model.frozenmap import FrozenMap
from netcheck.model.known import UNKNOWN, is_known
from netcheck.observed import today
from netcheck.report.report import Report, exit_code
from netcheck.rules.engine import members_of

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

# Fields of a record that are records of their own, or say nothing of the network.
HELD_APART = frozenset({"ports", "rdma", "host", "qos", "counters", "congestion_control"})


@dataclass(frozen=True)
class Spot:
    """One output of one device in a snapshot."""

    device: str
    item: Item

    @property
    def name(self) -> str:
        """The file within the snapshot, as a person knows it."""
        parts = Path(self.item.document.name).parts
        return "/".join(parts[parts.index(self.device) :])


@dataclass
class Sweep:
    """A snapshot, read once; damaged readings are put in the place of whole ones."""

    fabric: Fabric
    given: Mapping[str, DeviceDocuments]
    whole: dict[str, Reading] = field(default_factory=dict)
    judged: dict[tuple[str, Reading], ExitCode] = field(default_factory=dict)
    parsed: dict[tuple[object, ...], Device] = field(default_factory=dict)

    @classmethod
    def of(cls, fabric: Fabric, snapshot: Path) -> Sweep:
        """Read a snapshot."""
        given = {each.name: each.loaded() for each in gather([snapshot]).devices}
        found = cls(fabric, given)
        found.whole = {name: found.read(each) for name, each in given.items()}
        return found

    def spots(self) -> Iterator[Spot]:
        """Every output."""
        for name, each in self.given.items():
            yield from (Spot(name, item) for item in each.items)

    def damaged(self, spot: Spot, text: str) -> Reading:
        """Read the device again with another text in the place of one output."""
        given = self.given[spot.device]
        other = replace(spot.item, document=replace(spot.item.document, text=text))
        items = tuple(other if item is spot.item else item for item in given.items)
        return self.read(replace(given, items=items))

    def read(self, given: DeviceDocuments) -> Reading:
        """As ``assemble.read``, each call to the parser remembered."""
        return assembling.read(given, self.fabric, parse=self.parse)

    def parse(self, given: DeviceDocuments, name: str, documents: list[Document]) -> Device:
        """Parse what goes to the parser in one call."""
        key = (name, *documents)
        if key not in self.parsed:
            self.parsed[key] = parse_documents(given, name, documents)
        return self.parsed[key]

    def code(self, name: str, reading: Reading) -> ExitCode:
        """The exit code of verify with this reading of one device; lines do not matter to it."""
        key = (name, without_lines(reading))
        if key not in self.judged:
            self.judged[key] = self._judge(name, reading)
        return self.judged[key]

    def _judge(self, name: str, reading: Reading) -> ExitCode:
        if self._differs(name, reading):
            return ExitCode.FINDINGS
        return exit_code(Report("verify", tuple(self.findings(name, reading))))

    def _differs(self, name: str, reading: Reading) -> bool:
        """An error of comparing stands, or a worse one in its place: no rule has to be asked."""
        own = replace(self.fabric, devices=FrozenMap({name: self.fabric.devices[name]}))
        seen = Fabric("seen", origin=Origin.SNAPSHOT, devices=FrozenMap({name: reading.device}))
        return any(map(is_error, compare(own, seen)))

    def whole_code(self) -> ExitCode:
        """The exit code of verify without any damage."""
        name, reading = next(iter(self.whole.items()))
        return self.code(name, reading)

    def is_found_beside(self, name: str) -> bool:
        """Comparing finds an error on another device, whatever this one shows."""
        return any(self._differs(*other) for other in self.whole.items() if other[0] != name)

    def findings(self, name: str, reading: Reading) -> list[Finding]:
        """Everything that verify finds with this reading of one device."""
        readings = {**self.whole, name: reading}.values()
        found = put_together(readings, self.fabric, Stage.VERIFY, Origin.SNAPSHOT)
        return verify(
            self.fabric,
            found.fabric,
            moved=found.moved,
            extra=found.findings,
            suppressions=found.suppressions,
            today=today(),
        )


def is_error(finding: Finding) -> bool:
    """A failure that makes the exit code 1."""
    return finding.verdict is Verdict.FAIL and finding.severity is Severity.ERROR


def without_lines(reading: Reading) -> Reading:
    """The reading as rules see it: where its facts were read does not matter."""
    device = reading.device
    bare = tuple(replace(each, evidence=Evidence()) for each in device.defects)
    plain = replace(device, evidence=FrozenMap(), defects=bare, unread=())
    return replace(reading, device=plain)


@dataclass(frozen=True, slots=True)
class Fact:
    """A field of a kind of record at a place; ``port`` is empty for the device as a whole."""

    device: str
    port: str
    kind: str
    name: str


def facts_read(sweep: Sweep) -> frozenset[Fact]:
    """Every fact that a rule read, that the intent states, or that must not move."""
    found: set[Fact] = set()
    take = View.take

    def noted(view: View, fact: str, via: str = "") -> object:
        value = take(view, fact, via)
        if not view.is_intended:
            record = getattr(view.subject, via) if via else view.subject
            kind = type(record).__name__
            found.update(Fact(p.device, p.port, kind, fact) for p in members_of(view.owner))
        return value

    name, reading = next(iter(sweep.whole.items()))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(View, "take", noted)
        sweep.findings(name, reading)
    for device in sweep.fabric.devices.values():
        found.update(_stated(device))
    for reading in sweep.whole.values():
        found.update(_must_not_move(reading))
    for link in sweep.fabric.links:
        # Rules read it by the record, so that one end can stand for the other.
        found |= {Fact(end.device, end.port, "Port", "neighbour") for end in (link.a, link.b)}
    return frozenset(found)


def _stated(device: Device) -> Iterator[Fact]:
    for port in device.ports.values():
        yield from _known(device, port.name, port, PORT_FACTS)
        yield from _known(device, port.name, port.qos)
    for rdma in device.rdma.values():
        yield from _known(device, rdma.ports[0], rdma, RDMA_FACTS)
        yield from _known(device, rdma.ports[0], rdma.congestion_control)
    yield from _known(device, "", device.host, ("environment",))


def _must_not_move(reading: Reading) -> Iterator[Fact]:
    if reading.before is None or not is_known(reading.device.counters):
        return
    for key, counter in reading.device.counters.items():
        if counter.kind is CounterClass.MUST_BE_ZERO:
            yield Fact(reading.device.name, key.port, "Counter", key.name)


def _known(
    device: Device, port: str, record: DataclassInstance, facts: Sequence[str] = ()
) -> Iterator[Fact]:
    for name in facts or [each.name for each in fields(record)]:
        value = getattr(record, name)
        yield from _parts(device.name, port, type(record).__name__, name, value)


def _parts(device: str, port: str, kind: str, name: str, value: object) -> Iterator[Fact]:
    """One stated fact, or those of the records it is a map of."""
    if value is UNKNOWN:
        return
    yield Fact(device, port, kind, name)
    for each in value.values() if isinstance(value, FrozenMap) else ():
        if is_dataclass(each) and not isinstance(each, type):
            for part in fields(each):
                inner = getattr(each, part.name)
                yield from _parts(device, port, type(each).__name__, part.name, inner)


def lost_facts(sweep: Sweep, device: str, reading: Reading) -> Iterator[tuple[Fact, str]]:
    """Facts that a damaged reading gives otherwise than the whole one, and how."""
    whole = sweep.whole[device]
    one, other = without_lines(whole), without_lines(reading)
    counters = (
        *_changes("counters", one.before, other.before),
        *_changes("counters", one.device.counters, other.device.counters),
    )
    for key, change in counters:
        yield Fact(device, key.port, "Counter", key.name), change
    for port, record, lost in _records(one.device, other.device):
        for kind, name, change in _changed(record, lost):
            yield Fact(device, port, kind, name), f"{name} {change}"


def _changes(name: str, one: object, other: object) -> Iterator[tuple[CounterKey, str]]:
    if one == other:
        return
    old = one if isinstance(one, FrozenMap) else FrozenMap()
    new = other if isinstance(other, FrozenMap) else FrozenMap()
    for key in dict.fromkeys((*old, *new)):
        if old.get(key) != new.get(key):
            yield key, f"{name} {key.name}: {old.get(key)!r:.60} -> {new.get(key)!r:.60}"


def _records(one: Device, other: Device) -> Iterator[tuple[str, object, object]]:
    """Pairs of a device's records with the port they are at."""
    yield "", one, other
    yield "", one.host, other.host
    for name, qos in one.qos.items():
        yield "", qos, other.qos.get(name)
    for name, port in one.ports.items():
        yield name, port, other.ports.get(name, Port(name))
        yield name, port.qos, other.ports.get(name, Port(name)).qos
    for name, rdma in one.rdma.items():
        there = other.rdma.get(name, RdmaDevice(name))
        yield rdma.ports[0], rdma, there
        yield rdma.ports[0], rdma.congestion_control, there.congestion_control


def _changed(one: object, other: object) -> Iterator[tuple[str, str, str]]:
    """Fields in which two records differ: kind of record, field, and how."""
    if one == other or type(one) is not type(other) or not is_dataclass(one):
        return
    for each in fields(one):
        if each.name not in HELD_APART:
            old, new = getattr(one, each.name), getattr(other, each.name)
            yield from _changed_field(type(one).__name__, each.name, old, new)


def _changed_field(
    kind: str, name: str, old: object, new: object
) -> Iterator[tuple[str, str, str]]:
    if old == new:
        return
    if _still_judged(name, old, new):
        return
    inner = []
    if isinstance(old, FrozenMap) and isinstance(new, FrozenMap):
        pairs = [(old.get(key), new.get(key)) for key in dict.fromkeys((*old, *new))]
        inner = [part for a, b in pairs for part in _changed(a, b)]
    yield from inner or [(kind, name, f"{old!r:.80} -> {new!r:.80}")]


def _still_judged(name: str, old: object, new: object) -> bool:
    """What is left of a list is all that a check asks of it.

    Rows of a lookup table are each judged by themselves, and no port of this
    device is without an account of its own, so that none of them looks one up.
    Of an address table, checks take the entries that carry RoCE v2 over IP, or,
    where no application names an index, no more than which entries there are.
    """
    if not isinstance(old, tuple) or not isinstance(new, tuple) or not new:
        return False
    if name == "headroom_table":
        return set(new) < set(old)
    return name == "gids" and (_routed(old) == _routed(new) or _named(old) == _named(new))


def _routed(gids: Sequence[Gid]) -> list[Gid]:
    """Entries that RoCE v2 traffic can use beyond its link."""
    return [
        gid for gid in gids if gid.kind is GidType.ROCE_V2 and not gid.address.startswith("fe80:")
    ]


def _named(gids: Sequence[Gid]) -> list[tuple[int, str]]:
    return [(gid.index, gid.address) for gid in gids]
