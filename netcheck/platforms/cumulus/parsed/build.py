"""The device, out of everything that its texts say."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields, replace
from functools import cached_property, lru_cache, partial
from typing import Final, TypeVar

from netcheck.model.device import AdminState, Defect, DefectKind, Device, LinkLayer, Port
from netcheck.model.document import Evidence
from netcheck.model.frozenmap import FrozenMap, LazyMap
from netcheck.model.known import ABSENT, UNKNOWN, Known, first_known
from netcheck.model.qos import DeviceQos, PortQos
from netcheck.platforms.cumulus.parsed import defaults
from netcheck.platforms.cumulus.parsed.counters import Counts
from netcheck.platforms.cumulus.parsed.device_qos import read_device
from netcheck.platforms.cumulus.parsed.ids import port_order
from netcheck.platforms.cumulus.parsed.interfaces import SWITCH_PORT, Links
from netcheck.platforms.cumulus.parsed.port_qos import Facts, PortFacts, read_port
from netcheck.platforms.cumulus.parsed.settings import (
    ALL_PORTS,
    Objects,
    Settings,
    merged,
    plain_number,
)
from netcheck.platforms.cumulus.parsed.state import Observed
from netcheck.platforms.cumulus.parsed.tree import NOWHERE, Node
from netcheck.platforms.cumulus.parsed.units import speed_bps

_RELEASE: Final = re.compile(r"\d+\.\d+(?:\.\d+)*")
_PARTS: Final = ("qos", "lldp")  # of an interface: what says how it treats traffic
T = TypeVar("T")
_PORT_FACTS: Final = frozenset(one.name for one in fields(PortQos))


@dataclass(slots=True)
class Reading:
    """Everything read so far of one device."""

    settings: list[Settings] = field(default_factory=list)
    headers: Node = field(default_factory=Node)
    observed: Observed = field(default_factory=Observed)
    links: Links = field(default_factory=Links)
    counts: Counts = field(default_factory=Counts)
    defects: list[Defect] = field(default_factory=list)
    unread: list[Evidence] = field(default_factory=list)
    boot_id: Known[str] = UNKNOWN


def build_device(reading: Reading, name: str) -> Device:
    """Give the device."""
    listed = Settings(reading.observed.root, complete=frozenset())
    settings = merged(
        [*reading.settings, listed] if reading.observed.sections else reading.settings
    )
    builder = _Builder(reading, settings)
    ports = builder.ports()
    return Device(
        name,
        platform="cumulus",
        model=_text(reading.headers.at("model"), reading.links.model),
        os_version=_release(reading),
        boot_id=reading.boot_id,
        qos=FrozenMap({"": builder.device_qos()}),
        ports=FrozenMap(ports),
        counters=FrozenMap(reading.counts.counters) if reading.counts.is_given else UNKNOWN,
        evidence=LazyMap(partial(_evidence, builder.places, reading.counts.evidence)),
        defects=(*reading.defects, *reading.observed.defects, *builder.defects),
        unread=tuple(reading.unread),
        is_whole=settings.is_whole,
    )


def _evidence(places: list[_Place], counters: Mapping[str, Evidence]) -> dict[str, Evidence]:
    found: dict[str, Evidence] = {}
    for port, where, facts in places:
        found |= {f"port {port} {fact}": evidence for fact, evidence in facts.items()}
        found[f"port {port}"] = where
    return {**found, **counters}


def _signature(node: Node) -> object:
    return node.leaf, tuple((name, _signature(part)) for name, part in node.parts.items())


def _text(node: Node | None, other: str) -> Known[str]:
    text = node.text() if node is not None else ""
    return text or other or UNKNOWN


def _release(reading: Reading) -> Known[str]:
    node = reading.headers.at("version")
    match = _RELEASE.search(node.text()) if node is not None else None
    return match[0] if match else reading.links.os_version or UNKNOWN


# A port, where it stands, and where its facts stand.
_Place = tuple[str, Evidence, Mapping[str, Evidence]]
_NOTHING: Final = Objects(())


@dataclass(frozen=True, slots=True)
class _Said:
    """What a configuration says of a port; ports that are set alike share it."""

    facts: PortFacts
    places: Mapping[str, Evidence]
    speed_bps: Known[int]
    l2_mtu: Known[int]
    admin_state: Known[AdminState]


@dataclass
class _Builder:
    reading: Reading
    settings: Settings
    places: list[_Place] = field(default_factory=list)
    defects: list[Defect] = field(default_factory=list)
    alike: dict[tuple[str, ...], _Said] = field(default_factory=dict)
    known: dict[object, PortFacts] = field(default_factory=dict)

    def ports(self) -> dict[str, Port]:
        """Ports by name; the profile of all ports stands for them where no port is named."""
        observed = self.reading.observed
        named = {
            *(name for name in self.settings.ports if SWITCH_PORT.fullmatch(name)),
            *self.reading.links.ports,
            *(name for name in observed.facts if name != ALL_PORTS),
        }
        if not named and (self.settings.root.at("qos") or observed.facts):
            return {ALL_PORTS: self._port(ALL_PORTS)}
        return {name: self._port(name) for name in sorted(named, key=port_order)}

    def _port(self, name: str) -> Port:
        objects = self.settings.ports.get(name, _NOTHING)
        said, links = self._said(objects), self.reading.links
        for feature, profile in said.facts.dangling:
            self.defects.append(_dangling(name, feature, profile, objects))
        observed, places = self._observed(name)
        cable = first_known(said.facts.cable_m, observed.pop("cable_m", UNKNOWN))
        where = objects.evidence if objects.is_there else links.evidence.get(name, NOWHERE)
        self.places.append((name, where, {**places, **said.places}))
        linked = links.ports.get(name, {})
        facts: Facts = {
            **linked,
            # where the speed is left to the port, as it runs
            "speed_bps": first_known(said.speed_bps, linked.get("operational_speed_bps", UNKNOWN)),
            "l2_mtu": first_known(linked.get("l2_mtu", UNKNOWN), said.l2_mtu),
            "admin_state": first_known(linked.get("admin_state", UNKNOWN), said.admin_state),
        }
        return Port(
            name,
            cable_m=cable,
            link_layer=LinkLayer.ETHERNET,
            parent=_parent(name),
            aggregate=self.bonds.get(name, ABSENT if self.settings.is_whole else UNKNOWN),
            qos=_filled(said.facts.qos, observed),
            **facts,
        )

    @cached_property
    def bonds(self) -> dict[str, str]:
        """Bond of each port that is a member of one."""
        known: dict[tuple[str, ...], tuple[str, ...]] = {}
        return {
            member: bond
            for bond, objects in self.settings.ports.items()
            for member in _shared(objects, known, _members)
        }

    def _said(self, objects: Objects) -> _Said:
        return _shared(objects, self.alike, self._read)

    def _read(self, objects: Objects) -> _Said:
        """Read what is said of a port; those whose QoS is the same share its facts."""
        signature = tuple(_signature(node) for part in _PARTS for node in objects.at(part).nodes)
        key = (objects.is_there, signature)
        if key not in self.known:
            self.known[key] = read_port(self.settings, objects)
        facts = self.known[key]
        return _Said(
            facts,
            {fact: evidence for fact, evidence in facts.evidence.items() if evidence != NOWHERE},
            speed_bps(objects.text("link", "speed")),
            self._mtu(objects),
            _ADMIN.get(objects.text("link", "state"), UNKNOWN),
        )

    def _mtu(self, objects: Objects) -> Known[int]:
        mtu = objects.text("link", "mtu")
        if mtu:
            return plain_number(mtu)
        return defaults.MTU if self.settings.is_whole and objects.is_there else UNKNOWN

    def _observed(self, name: str) -> tuple[Facts, dict[str, Evidence]]:
        """Facts of live outputs, and where they stand."""
        observed = self.reading.observed
        facts: Facts = {}
        places = {}
        for port in (ALL_PORTS, name):
            facts |= observed.facts.get(port, {})
            for fact in observed.facts.get(port, {}):
                places[fact] = observed.evidence[port, fact]
        return facts, places

    def device_qos(self) -> DeviceQos:
        """What holds for the whole switch."""
        qos = read_device(self.settings)
        pools = self.reading.observed.pools
        if qos.pools is UNKNOWN and pools:
            qos = replace(qos, pools=FrozenMap(pools))
        return qos


_ADMIN: Final = {"up": AdminState.UP, "down": AdminState.DOWN}


def _shared(objects: Objects, known: dict[tuple[str, ...], T], make: Callable[[Objects], T]) -> T:
    """Make something of an interface once for all whose lines are the same."""
    lines = objects.lines
    if lines is None:
        return make(objects)
    if lines not in known:
        known[lines] = make(objects)
    return known[lines]


def _members(objects: Objects) -> tuple[str, ...]:
    """Ports that an interface holds as a bond."""
    nodes = objects.at("bond", "member").nodes
    return tuple(member for node in nodes for member, _ in node.listed())


@lru_cache(maxsize=4096)
def _parent(name: str) -> Known[str]:
    """Port that a port was broken out of: ``swp3`` of ``swp3s0``."""
    stem, split, _ = name.removeprefix("swp").partition("s")
    if not name.startswith("swp"):
        return UNKNOWN
    return f"swp{stem}" if split else ABSENT


def _filled(qos: PortQos, facts: Facts) -> PortQos:
    """Fill in what live outputs say; a configuration that says it goes before."""
    missing = {
        fact: value
        for fact, value in facts.items()
        if fact in _PORT_FACTS and getattr(qos, fact) in (UNKNOWN, ABSENT)
    }
    return replace(qos, **missing) if missing else qos


def _dangling(port: str, feature: str, profile: str, said: Objects) -> Defect:
    where = said.at("qos", feature, "profile")
    return Defect(
        DefectKind.DANGLING_REFERENCE,
        f"interface {port} qos {feature} profile",
        f"interface {port} qos {feature} profile names {profile}, which is not there",
        (port,),
        expected=f"a profile qos {feature} {profile}",
        found="nothing",
        evidence=where.evidence,
    )
