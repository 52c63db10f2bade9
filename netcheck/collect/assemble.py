"""Documents of devices, with or without an intent, as one observed Fabric."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace

from netcheck.collect.cluster import DeviceDocuments
from netcheck.collect.comments import suppressions_in
from netcheck.collect.links import links_from_neighbours, with_certain_roles
from netcheck.collect.merge import Difference, find_evidence, merge
from netcheck.collect.shown import Unshown, unshown
from netcheck.compare.compare import show
from netcheck.compare.health import moved_between
from netcheck.model.counters import Counter, CounterKey
from netcheck.model.device import Device
from netcheck.model.document import Document, DocumentKind, Evidence
from netcheck.model.fabric import Fabric, Origin, Suppression
from netcheck.model.finding import Finding, Place, Severity, Stage, Verdict
from netcheck.model.frozenmap import FrozenMap
from netcheck.model.known import UNKNOWN, Known, is_known
from netcheck.platforms import platform as platforms
from netcheck.platforms.declared import declared
from netcheck.platforms.knobs import knobs

RULE = "config-not-applied"
MISSING = "evidence-missing"
CONFIGURED = (DocumentKind.CONFIG, DocumentKind.TABLE, DocumentKind.JOB)
LIVE = (DocumentKind.STATE, DocumentKind.COUNTERS, DocumentKind.LOG)

Counters = FrozenMap[CounterKey, Counter]
Parse = Callable[[DeviceDocuments, str, list[Document]], Device]


@dataclass(frozen=True, slots=True)
class Assembly:
    """An observed fabric and what was seen on the way to it.

    Attributes:
        moved: What moved, or cannot be told to have stood still, between two readings.
        findings: Where configurations and live state differ.
        suppressions: Those that stand as comments in configurations.
    """

    fabric: Fabric
    moved: tuple[Finding, ...] = ()
    findings: tuple[Finding, ...] = ()
    suppressions: tuple[Suppression, ...] = ()


@dataclass(frozen=True, slots=True)
class Reading:
    """What one device's documents came to.

    Attributes:
        before: Counters of the first of two readings; None where there is one.
        differences: Where its configuration and its live state differ.
        suppressions: Those that stand as comments in its configuration.
        unshown: What its outputs should show and do not.
        moved: What moved between its two readings.
    """

    device: Device
    before: Known[Counters] | None = None
    differences: tuple[Difference, ...] = ()
    suppressions: tuple[Suppression, ...] = ()
    unshown: tuple[Unshown, ...] = ()
    moved: tuple[Finding, ...] = ()


def assemble(
    given: Iterable[DeviceDocuments],
    intended: Fabric | None = None,
    *,
    stage: Stage = Stage.LINT,
    origin: Origin = Origin.CONFIG,
) -> Assembly:
    """Read every device's documents and put the devices together.

    Devices take the names, roles and links of the intent where it has them;
    links are else what neighbours tell, and roles only what is certain.
    """
    return put_together((read(each, intended) for each in given), intended, stage, origin)


def read(
    given: DeviceDocuments, intended: Fabric | None = None, *, parse: Parse | None = None
) -> Reading:
    """Read one device's documents; it takes its name from the intent.

    Args:
        parse: In the place of the platform's parser.
    """
    seconds = given.seconds_between
    given = given.loaded()
    name = intended_name(given.name, intended)
    planned = intended.devices.get(name) if intended else None
    comments = suppressions_in((item.document for item in given.items), name)
    work = _Work(given, name, planned, parse or parse_documents)
    device, differences = work.first()
    before: Known[Counters] | None = None
    if given.readings > 1:
        # Of the second reading only what moves is taken: the first one is whole.
        again = given.of(LIVE, 1)
        if declared(given.platform).get("counters") == "by-address":
            again = [*given.of((DocumentKind.STATE,)), *again]  # whose addresses they are
        before, second = device.counters, work.parse(again)
        device = replace(device, counters=second.counters)
        if _has_rebooted(device, second):
            before = UNKNOWN
    device = replace(device, hidden=knobs(given.platform).hidden)
    return Reading(
        device,
        before,
        tuple(differences),
        tuple(comments),
        tuple(work.unshown),
        () if before is None else tuple(_moved(device, name, before, seconds)),
    )


def _moved(device: Device, name: str, before: Known[Counters], seconds: float) -> Iterator[Finding]:
    """What moved between two readings; of a subnet also how fast, where the time is known."""
    yield from moved_between(name, before, device.counters)
    if is_known(device.seen_subnet) and seconds:
        from netcheck.compare.link_quality import rates_between  # noqa: PLC0415 -- InfiniBand alone

        yield from rates_between(device.seen_subnet, before, device.counters, seconds)


def places(given: DeviceDocuments, name: str) -> Mapping[str, Evidence]:
    """Give where one device's facts were read, as ``read`` would."""
    return _Work(given.loaded(), name, None, parse_documents).first()[0].evidence


def _has_rebooted(first: Device, second: Device) -> bool:
    pairs = ((first.boot_id, second.boot_id), (first.host.boot_id, second.host.boot_id))
    return any(is_known(old) and is_known(new) and old != new for old, new in pairs)


@dataclass
class _Work:
    """One device's documents on their way to a device."""

    given: DeviceDocuments
    name: str
    planned: Device | None
    parser: Parse
    unshown: list[Unshown] = field(default_factory=list)

    def first(self) -> tuple[Device, list[Difference]]:
        """The first reading: configuration and live state together."""
        configured, live = self.given.of(CONFIGURED), self.given.of(LIVE)
        is_pair = bool(self.given.of((DocumentKind.CONFIG,))) and bool(
            self.given.of((DocumentKind.STATE,))
        )
        if not is_pair:
            return self.parse([*configured, *live]), []
        return merge(self.parse(configured), self.parse(live))

    def parse(self, documents: list[Document]) -> Device:
        """What documents say that go to the parser together."""
        device = self.parser(self.given, self.name, documents)
        if self.planned is not None:
            self.unshown += unshown(self.given.platform, documents, device, self.planned)
        return device


def put_together(
    readings: Iterable[Reading], intended: Fabric | None, stage: Stage, origin: Origin
) -> Assembly:
    """Make one fabric of devices that were read one by one."""
    devices: dict[str, Device] = {}
    moved: list[Finding] = []
    findings: list[Finding] = []
    suppressions: list[Suppression] = []
    for each in readings:
        name = each.device.name
        devices[name] = _with_intended_place(each.device, intended)
        findings += (_finding(each.device, one, stage) for one in each.differences)
        if stage is Stage.VERIFY:
            findings += (_missing(each.device, one) for one in each.unshown)
        suppressions += each.suppressions
        moved += each.moved
    links = intended.links if intended and intended.links else links_from_neighbours(devices)
    fabric = Fabric(
        name=intended.name if intended else "observed",
        origin=origin,
        devices=with_certain_roles(devices, links),
        links=links,
        aggregates=intended.aggregates if intended else (),
        policies=intended.policies if intended else FrozenMap(),
        policy=intended.policy if intended else UNKNOWN,
    )
    return Assembly(fabric, tuple(moved), tuple(findings), tuple(suppressions))


def parse_documents(given: DeviceDocuments, name: str, documents: list[Document]) -> Device:
    """Parse documents of one device and one reading by its platform."""
    if not documents:
        return Device(name, platform=given.platform)
    device = platforms.load(given.platform).parsing.parse(documents, name=name)
    return device if is_known(device.platform) else replace(device, platform=given.platform)


def intended_name(name: str, intended: Fabric | None) -> str:
    """Give the intent's spelling of a device's name: case and domain do not matter."""
    if intended is None or name in intended.devices:
        return name
    short = name.partition(".")[0].lower()
    near = [each for each in intended.devices if each.partition(".")[0].lower() == short]
    return near[0] if len(near) == 1 else name


def _with_intended_place(device: Device, intended: Fabric | None) -> Device:
    """Add what no device knows of itself: its role and place in the fabric."""
    planned = intended.devices.get(device.name) if intended else None
    if planned is None:
        return device
    facts = ("role", "tier", "pod", "plane", "rail", "model", "asic")
    missing = {fact: getattr(planned, fact) for fact in facts if getattr(device, fact) is UNKNOWN}
    return replace(device, **missing) if missing else device


def _finding(device: Device, difference: Difference, stage: Stage) -> Finding:
    word, name = difference.owner
    place = Place(device.name, name if word == "port" else _port_of(device, name))
    evidence = find_evidence(device, difference)
    expected, found = show(difference.configured), show(difference.live)
    return Finding(
        rule=RULE,
        severity=Severity.ERROR,
        verdict=Verdict.FAIL,
        where=(place,),
        message=f"{difference.fact} configured {expected}, in effect {found}",
        expected=expected,
        found=found,
        evidence=() if evidence == Evidence() else (evidence,),
        why="Packets meet what is in effect; the configuration says something else.",
        fix="Apply or reload the configuration, or save the running state into it.",
        reference="derived: both texts are of one device and one time",
        stage=stage,
        facts=frozenset({difference.fact.split()[0]}),
    )


def _missing(device: Device, gap: Unshown) -> Finding:
    port = _port_of(device, gap.port) if gap.port in device.rdma else gap.port
    return Finding(
        rule=MISSING,
        severity=Severity.ERROR,
        verdict=Verdict.UNVERIFIED,
        where=(Place(device.name, port),),
        message=f"{gap.fact}: not shown by {gap.file}",
        expected=f"{gap.fact} in {gap.file}",
        found="no evidence",
        evidence=(Evidence(gap.file),),
        why="The output is cut or empty; what it did not say may be anything.",
        fix="Collect again, and look at what the command prints on the device.",
        reference="derived: the command always shows it",
        stage=Stage.VERIFY,
        facts=frozenset({gap.fact}),
    )


def _port_of(device: Device, rdma: str) -> str:
    known = device.rdma.get(rdma)
    return known.ports[0] if known is not None and known.ports else rdma
