"""Documents of devices, with or without an intent, as one observed Fabric."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from netcheck.collect.cluster import DeviceDocuments
from netcheck.collect.comments import suppressions_in
from netcheck.collect.links import links_from_neighbours, with_certain_roles
from netcheck.collect.merge import Difference, find_evidence, merge
from netcheck.compare.compare import show
from netcheck.model.counters import Counter, CounterKey
from netcheck.model.device import Device
from netcheck.model.document import Document, DocumentKind, Evidence
from netcheck.model.fabric import Fabric, Origin, Suppression
from netcheck.model.finding import Finding, Place, Severity, Stage, Verdict
from netcheck.model.frozenmap import FrozenMap
from netcheck.model.known import UNKNOWN, Known, is_known
from netcheck.platforms import platform as platforms

RULE = "config-not-applied"
CONFIGURED = (DocumentKind.CONFIG, DocumentKind.TABLE, DocumentKind.JOB)
LIVE = (DocumentKind.STATE, DocumentKind.COUNTERS, DocumentKind.LOG)

Counters = FrozenMap[CounterKey, Counter]


@dataclass(frozen=True, slots=True)
class Assembly:
    """An observed fabric and what was seen on the way to it.

    Attributes:
        before: ``device -> counters of the first reading``, where there are two.
        findings: Where configurations and live state differ.
        suppressions: Those that stand as comments in configurations.
    """

    fabric: Fabric
    before: FrozenMap[str, Known[Counters]] = FrozenMap()
    findings: tuple[Finding, ...] = ()
    suppressions: tuple[Suppression, ...] = ()


@dataclass(frozen=True, slots=True)
class Reading:
    """What one device's documents came to.

    Attributes:
        before: Counters of the first of two readings; None where there is one.
        differences: Where its configuration and its live state differ.
        suppressions: Those that stand as comments in its configuration.
    """

    device: Device
    before: Known[Counters] | None = None
    differences: tuple[Difference, ...] = ()
    suppressions: tuple[Suppression, ...] = ()


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


def read(given: DeviceDocuments, intended: Fabric | None = None) -> Reading:
    """Read one device's documents; it takes its name from the intent."""
    name = _intended_name(given.name, intended)
    device, before, differences = read_device(given, name)
    comments = suppressions_in((item.document for item in given.items), name)
    return Reading(device, before, tuple(differences), tuple(comments))


def put_together(
    readings: Iterable[Reading], intended: Fabric | None, stage: Stage, origin: Origin
) -> Assembly:
    """Make one fabric of devices that were read one by one."""
    devices: dict[str, Device] = {}
    before: dict[str, Known[Counters]] = {}
    findings: list[Finding] = []
    suppressions: list[Suppression] = []
    for each in readings:
        name = each.device.name
        devices[name] = _with_intended_place(each.device, intended)
        findings += (_finding(each.device, one, stage) for one in each.differences)
        suppressions += each.suppressions
        if each.before is not None:
            before[name] = each.before
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
    return Assembly(fabric, FrozenMap(before), tuple(findings), tuple(suppressions))


def read_device(
    given: DeviceDocuments, name: str
) -> tuple[Device, Known[Counters] | None, list[Difference]]:
    """One device as its documents show it.

    Returns:
        The device, the counters of the first of two readings (None where there
        is one), and the differences between configuration and live state.
    """
    first, differences = _read_once(given, name, 0)
    if given.readings == 1:
        return first, None, differences
    second = _parse(given, name, given.of(LIVE, 1))
    # Of the second reading only what moves is taken: the first one is whole.
    return replace(first, counters=second.counters), first.counters, differences


def _read_once(given: DeviceDocuments, name: str, reading: int) -> tuple[Device, list[Difference]]:
    configured, live = given.of(CONFIGURED, reading), given.of(LIVE, reading)
    is_pair = bool(given.of((DocumentKind.CONFIG,), reading)) and bool(
        given.of((DocumentKind.STATE,), reading)
    )
    if not is_pair:
        return _parse(given, name, [*configured, *live]), []
    return merge(_parse(given, name, configured), _parse(given, name, live))


def _parse(given: DeviceDocuments, name: str, documents: list[Document]) -> Device:
    if not documents:
        return Device(name, platform=given.platform)
    device = platforms.load(given.platform).parsing.parse(documents, name=name)
    return device if is_known(device.platform) else replace(device, platform=given.platform)


def _intended_name(name: str, intended: Fabric | None) -> str:
    """The intent's spelling of a device's name: case and domain do not matter."""
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


def _port_of(device: Device, rdma: str) -> str:
    known = device.rdma.get(rdma)
    return known.ports[0] if known is not None and known.ports else rdma
