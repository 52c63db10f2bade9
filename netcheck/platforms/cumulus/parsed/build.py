"""The device, out of everything that its texts say."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from typing import Final

from netcheck.model.device import AdminState, Defect, DefectKind, Device, LinkLayer, Port
from netcheck.model.document import Evidence
from netcheck.model.frozenmap import FrozenMap
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
from netcheck.platforms.cumulus.parsed.tree import Node
from netcheck.platforms.cumulus.parsed.units import speed_bps

_RELEASE: Final = re.compile(r"\d+\.\d+(?:\.\d+)*")
_PARTS: Final = ("qos", "lldp")  # of an interface: what says how it treats traffic
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
        model=_said(reading.headers.at("model"), reading.links.model),
        os_version=_release(reading),
        boot_id=reading.boot_id,
        qos=FrozenMap({"": builder.device_qos()}),
        ports=FrozenMap(ports),
        counters=FrozenMap(reading.counts.counters) if reading.counts.is_given else UNKNOWN,
        evidence=FrozenMap({**builder.evidence, **reading.counts.evidence}),
        defects=(*reading.defects, *reading.observed.defects, *builder.defects),
        unread=tuple(reading.unread),
        is_whole=settings.is_whole,
    )


def _signature(node: Node) -> object:
    return node.leaf, tuple((name, _signature(part)) for name, part in node.parts.items())


def _said(node: Node | None, other: str) -> Known[str]:
    text = node.text() if node is not None else ""
    return text or other or UNKNOWN


def _release(reading: Reading) -> Known[str]:
    node = reading.headers.at("version")
    match = _RELEASE.search(node.text()) if node is not None else None
    return match[0] if match else reading.links.os_version or UNKNOWN


@dataclass
class _Builder:
    reading: Reading
    settings: Settings
    evidence: dict[str, Evidence] = field(default_factory=dict)
    defects: list[Defect] = field(default_factory=list)
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
        said = self.settings.ports.get(name, Objects(()))
        found = self._read(said)
        for feature, profile in found.dangling:
            self.defects.append(_dangling(name, feature, profile, said))
        facts = self._observed(name)
        cable = first_known(found.cable_m, facts.pop("cable_m", UNKNOWN))
        qos = _filled(found.qos, facts)
        for fact, evidence in found.evidence.items():
            if evidence != Evidence():
                self.evidence[f"port {name} {fact}"] = evidence
        if said.is_there:
            self.evidence[f"port {name}"] = said.evidence
        linked = self.reading.links.ports.get(name, Port(name))
        self.evidence.setdefault(f"port {name}", self.reading.links.evidence.get(name, Evidence()))
        return replace(
            linked,
            speed_bps=self._speed(said, linked),
            l2_mtu=first_known(linked.l2_mtu, self._mtu(said)),
            cable_m=cable,
            admin_state=first_known(linked.admin_state, self._admin(said)),
            link_layer=LinkLayer.ETHERNET,
            parent=_parent(name),
            aggregate=self.bonds.get(name, ABSENT if self.settings.is_whole else UNKNOWN),
            qos=qos,
        )

    @cached_property
    def bonds(self) -> dict[str, str]:
        """Bond of each port that is a member of one."""
        return {
            member: bond
            for bond, said in self.settings.ports.items()
            for node in said.at("bond", "member").nodes
            for member, _ in node.listed()
        }

    def _read(self, said: Objects) -> PortFacts:
        """Facts of a port; ports that say the same share them."""
        signature = tuple(_signature(node) for part in _PARTS for node in said.at(part).nodes)
        key = (said.is_there, signature)
        if key not in self.known:
            self.known[key] = read_port(self.settings, said)
        return self.known[key]

    def _observed(self, name: str) -> Facts:
        observed = self.reading.observed
        facts = {**observed.facts.get(ALL_PORTS, {}), **observed.facts.get(name, {})}
        for port in (ALL_PORTS, name):
            for fact in observed.facts.get(port, {}):
                self.evidence[f"port {name} {fact}"] = observed.evidence[port, fact]
        return facts

    def _speed(self, said: Objects, linked: Port) -> Known[int]:
        """Speed as configured; where it is left to the port, as it runs."""
        return first_known(speed_bps(said.text("link", "speed")), linked.operational_speed_bps)

    def _mtu(self, said: Objects) -> Known[int]:
        mtu = said.text("link", "mtu")
        if mtu:
            return plain_number(mtu)
        return defaults.MTU if self.settings.is_whole and said.is_there else UNKNOWN

    def _admin(self, said: Objects) -> Known[AdminState]:
        word = said.text("link", "state")
        return {"up": AdminState.UP, "down": AdminState.DOWN}.get(word, UNKNOWN)

    def device_qos(self) -> DeviceQos:
        """What holds for the whole switch."""
        qos = read_device(self.settings)
        pools = self.reading.observed.pools
        if qos.pools is UNKNOWN and pools:
            qos = replace(qos, pools=FrozenMap(pools))
        return qos


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
    return replace(qos, **missing)


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
