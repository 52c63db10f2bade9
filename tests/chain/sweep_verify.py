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

from netcheck import api
from netcheck.collect import assemble as assembling
from netcheck.collect.assemble import CONFIGURED, LIVE, Reading, put_together
from netcheck.collect.cluster import DeviceDocuments, Item
from netcheck.collect.comments import suppressions_in
from netcheck.collect.grouping import gather
from netcheck.collect.merge import merge
from netcheck.compare.compare import PORT_FACTS, RDMA_FACTS, compare
from netcheck.compare.verify import verify
from netcheck.model.counters import CounterClass, CounterKey
from netcheck.model.device import CongestionControl, Device, HostFacts, Port, RdmaDevice
from netcheck.model.document import Document, DocumentKind, Evidence
from netcheck.model.fabric import Fabric, Origin
from netcheck.model.fact import View
from netcheck.model.finding import ExitCode, Finding, Severity, Stage, Verdict
from netcheck.model.frozenmap import FrozenMap
from netcheck.model.known import UNKNOWN, is_known
from netcheck.model.qos import Buffer, DeviceQos, Ecn, PortQos, Scheduler, Watchdog
from netcheck.platforms.platform import load
from netcheck.report.report import Report, exit_code
from netcheck.rules.engine import members_of

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

RECORDS = (Device, HostFacts, Port, PortQos, RdmaDevice, CongestionControl, DeviceQos)
PARTS = (Buffer, Ecn, Scheduler, Watchdog)
FIELD_NAMES = frozenset(each.name for kind in (*RECORDS, *PARTS) for each in fields(kind))
FactPath = tuple[object, ...]


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
    parsed: dict[tuple[Document, ...], Device] = field(default_factory=dict)

    @classmethod
    def of(cls, fabric: Fabric, snapshot: Path) -> Sweep:
        """Read a snapshot."""
        given = {each.name: each for each in gather([snapshot]).devices}
        found = cls(fabric, given)
        found.whole = {name: found.read(each) for name, each in given.items()}
        for name, each in given.items():
            assert found.whole[name] == assembling.read(each, fabric), name
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
        configured, live = given.of(CONFIGURED), given.of(LIVE)
        device, differences = merge(self.parse(given, configured), self.parse_live(given, live))
        before = None
        if given.readings > 1:
            before = device.counters
            second = self.parse(given, given.of(LIVE, 1))
            device = replace(device, counters=second.counters)
        comments = suppressions_in((item.document for item in given.items), given.name)
        return Reading(device, before, tuple(differences), tuple(comments))

    def parse(self, given: DeviceDocuments, documents: list[Document]) -> Device:
        """Parse what goes to the parser in one call."""
        key = tuple(documents)
        if key not in self.parsed:
            self.parsed[key] = load(given.platform).parsing.parse(documents, name=given.name)
        return self.parsed[key]

    def parse_live(self, given: DeviceDocuments, live: list[Document]) -> Device:
        """Parse live outputs."""
        return self.parse(given, live)

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
            before=found.before,
            extra=found.findings,
            suppressions=found.suppressions,
            today=api.today(),
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


def changed_facts(one: object, other: object, path: FactPath = ()) -> Iterator[FactPath]:
    """Paths of the facts in which two records differ."""
    if one == other:
        return
    if is_dataclass(one) and type(one) is type(other):
        for each in fields(one):
            yield from changed_facts(
                getattr(one, each.name), getattr(other, each.name), (*path, each.name)
            )
    elif isinstance(one, FrozenMap) and isinstance(other, FrozenMap):
        for key in dict.fromkeys((*one, *other)):
            yield from changed_facts(one.get(key), other.get(key), (*path, key))
    else:
        yield (*path, f"{one!r:.60} -> {other!r:.60}")


def is_counters(spot: Spot) -> bool:
    """An output of counters alone."""
    return spot.item.kind is DocumentKind.COUNTERS


@dataclass(frozen=True, slots=True)
class Fact:
    """A fact at a place; ``port`` is empty for what holds for the whole device."""

    device: str
    port: str
    name: str


def facts_read(sweep: Sweep) -> frozenset[Fact]:
    """Every fact that a rule read, that the intent states, or that must not move."""
    found: set[Fact] = set()
    take = View.take

    def noted(view: View, fact: str, via: str = "") -> object:
        value = take(view, fact, via)
        if not view.is_intended:
            found.update(Fact(p.device, p.port, fact) for p in members_of(view.owner))
        return value

    name, reading = next(iter(sweep.whole.items()))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(View, "take", noted)
        sweep.findings(name, reading)
    for device in sweep.fabric.devices.values():
        found.update(_stated(device))
    for reading in sweep.whole.values():
        found.update(_must_not_move(reading))
    return frozenset(found)


def _stated(device: Device) -> Iterator[Fact]:
    for port in device.ports.values():
        facts = [name for name in PORT_FACTS if getattr(port, name) is not UNKNOWN]
        yield from (Fact(device.name, port.name, name) for name in (*facts, *_known(port.qos)))
    for rdma in device.rdma.values():
        facts = [name for name in RDMA_FACTS if getattr(rdma, name) is not UNKNOWN]
        names = (*facts, *_known(rdma.congestion_control))
        yield from (Fact(device.name, rdma.ports[0], name) for name in names)
    if device.host.environment is not UNKNOWN:
        yield Fact(device.name, "", "environment")


def _must_not_move(reading: Reading) -> Iterator[Fact]:
    if reading.before is None or not is_known(reading.device.counters):
        return
    for key, counter in reading.device.counters.items():
        if counter.kind is CounterClass.MUST_BE_ZERO:
            yield Fact(reading.device.name, key.port, f"counter {key.name}")


def _known(record: DataclassInstance) -> Iterator[str]:
    return (each.name for each in fields(record) if getattr(record, each.name) is not UNKNOWN)


def lost_facts(sweep: Sweep, device: str, reading: Reading) -> Iterator[tuple[Fact, str]]:
    """Facts that a damaged reading gives otherwise than the whole one, and how."""
    whole = sweep.whole[device]
    for *path, change in changed_facts(without_lines(whole), without_lines(reading)):
        yield _fact(device, whole.device, path), f"{' '.join(map(str, path))}: {change}"


def _fact(device: str, whole: Device, path: Sequence[object]) -> Fact:
    key = next((each for each in path if isinstance(each, CounterKey)), None)
    if key is not None:
        return Fact(device, key.port, f"counter {key.name}")
    port = str(path[2]) if path[1] in ("ports", "rdma") else ""
    if path[1] == "rdma":
        port = whole.rdma[port].ports[0]
    names = [each for each in path[3 if port else 1 :] if each in FIELD_NAMES]
    return Fact(device, port, str(names[-1]) if names else "")
