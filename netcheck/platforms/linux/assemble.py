"""Puts the facts that readers found together into a Device."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import partial
from typing import Any, cast

from netcheck.model.counters import Counter, CounterKey
from netcheck.model.device import (
    CongestionControl,
    Defect,
    DefectKind,
    Device,
    Gid,
    HostFacts,
    Port,
    RdmaDevice,
    Role,
)
from netcheck.model.document import Evidence
from netcheck.model.frozenmap import FrozenMap, LazyMap
from netcheck.model.known import ABSENT, UNKNOWN, Known
from netcheck.model.qos import PortQos
from netcheck.platforms.linux.counters import counter
from netcheck.platforms.linux.facts import Fact, Item, Owner, Reading, Spot, Unread, Variable
from netcheck.platforms.linux.quirks import PRIORITIES

# Names for what no text names: better a place with a plain word than no place.
UNNAMED_PORT = "netdev"
UNNAMED_RDMA = "rdma"

_QOS_FIELDS = frozenset(entry.name for entry in fields(PortQos))
_PORT_FIELDS = frozenset(entry.name for entry in fields(Port)) - {"name", "qos"}
_RDMA_FIELDS = frozenset(entry.name for entry in fields(RdmaDevice)) - {"name", "ports"}
_BOOT_ID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")
_GID_LISTING = re.compile(r"grep -rsH \. /sys/class/infiniband/\S+/gids ")
_MLX5_FORMS = frozenset({"mlnx_qos", "mlxconfig", "mlxreg"})

# Values have the type of the field they are for; the readers are typed by the tests.
Values = dict[str, Any]


@dataclass
class _Found:
    """All facts of one reading, by owner; the first word on a fact stands."""

    facts: dict[tuple[Owner, str], dict[str, Fact]] = field(
        default_factory=lambda: defaultdict(dict)
    )
    netdevs: dict[str, list[str]] = field(default_factory=lambda: defaultdict(list))
    gids: dict[str, dict[int, Gid]] = field(default_factory=lambda: defaultdict(dict))
    readings: list[Reading] = field(default_factory=list)
    variables: dict[str, Variable] = field(default_factory=dict)
    has_environment: bool = False
    has_settings: set[str] = field(default_factory=set)
    defects: list[Defect] = field(default_factory=list)
    unread: list[Evidence] = field(default_factory=list)
    spots: dict[str, Spot] = field(default_factory=dict)


def assemble(items: Sequence[tuple[str, Item]], *, name: str, forms: frozenset[str]) -> Device:
    """Give the device that facts describe; each comes with the form of text it was read from.

    Args:
        forms: Forms of all texts, also of those that say nothing: a file of
            settings that is empty is known to set nothing.
    """
    found = _Found()
    found.has_environment = bool(forms & {"environment", "job"})
    for form, item in items:
        _sort(found, form, item)
    ports, rdma = _names(found)
    is_mlx5 = bool(forms & _MLX5_FORMS) or any(name.startswith("mlx5") for name in rdma)
    return Device(
        name=name,
        role=Role.HOST,
        platform="linux",
        variant="mlx5" if is_mlx5 else UNKNOWN,
        boot_id=_boot_id(found),
        ports=FrozenMap({port: _port(found, port) for port in ports}),
        rdma=FrozenMap({device: _rdma(found, device) for device in rdma}),
        host=_host(found),
        counters=_counters(found) if found.readings else UNKNOWN,
        evidence=LazyMap(partial(_evidence, found)),
        defects=tuple(found.defects),
        unread=tuple(found.unread),
    )


def _evidence(found: _Found) -> dict[str, Evidence]:
    spots = dict(found.spots)
    for reading in found.readings:
        port = _counted_port(found, reading.port)
        spots.setdefault(f"port {port} {reading.name}", reading.spot)
    return {place: spot.evidence for place, spot in spots.items()}


def _sort(found: _Found, form: str, item: Item) -> None:
    if isinstance(item, Fact):
        _sort_fact(found, form, item)
    elif isinstance(item, Reading):
        found.readings.append(item)
    elif isinstance(item, Variable):
        found.has_environment = True
        held = found.variables.get(item.name)
        if held is None or (item.is_job and not held.is_job):
            found.variables[item.name] = item
    elif isinstance(item, Unread):
        found.unread.append(item.spot.evidence)
    else:
        found.defects.append(item)


def _sort_fact(found: _Found, form: str, fact: Fact) -> None:
    owner_name = fact.name or {Owner.PORT: UNNAMED_PORT, Owner.RDMA: UNNAMED_RDMA}.get(
        fact.owner, ""
    )
    if fact.field == "port" and fact.owner is Owner.RDMA:
        if fact.value not in found.netdevs[owner_name]:
            found.netdevs[owner_name].append(str(fact.value))
        return
    if fact.field == "gid" or fact.field.startswith("gid "):
        _sort_gid(found, owner_name, fact)
        return
    if form == "ethtool" and fact.field == "link_state":
        found.has_settings.add(owner_name)
    # The kernel's MTU counts from the IP header.
    name = "ip_mtu" if fact.field == "mtu" else fact.field
    if owner_name != fact.name or name != fact.field:
        fact = Fact(fact.owner, owner_name, name, fact.value, fact.spot)
    _hold(found, (fact.owner, owner_name), fact)


def _hold(found: _Found, owner: tuple[Owner, str], fact: Fact) -> None:
    held = found.facts[owner].get(fact.field)
    if held is None:
        found.facts[owner][fact.field] = fact
    elif held.value != fact.value and UNKNOWN not in (held.value, fact.value):
        found.defects.append(_contradiction(held, fact))
        found.facts[owner][fact.field] = held._replace(value=UNKNOWN)
    elif held.value is UNKNOWN and not _is_contradicted(found, held):
        found.facts[owner][fact.field] = fact


def _contradiction(held: Fact, fact: Fact) -> Defect:
    return Defect(
        kind=DefectKind.MALFORMED_VALUE,
        place=f"{fact.owner} {fact.name} {fact.field}",
        message=f"two outputs disagree: {held.spot.document.name} and {fact.spot.document.name}",
        ports=(fact.name,) if fact.owner is Owner.PORT else (),
        expected=str(held.value),
        found=str(fact.value),
        evidence=fact.spot.evidence,
    )


def _is_contradicted(found: _Found, held: Fact) -> bool:
    place = f"{held.owner} {held.name} {held.field}"
    return any(defect.place == place for defect in found.defects)


def _sort_gid(found: _Found, rdma: str, fact: Fact) -> None:
    table = found.gids[rdma]
    found.spots.setdefault(f"rdma {rdma} gids", fact.spot)
    if isinstance(fact.value, Gid):
        held = table.get(fact.value.index)
        table[fact.value.index] = _merged(held, fact.value) if held else fact.value
        return
    _, number, part = fact.field.split()
    index = int(number)
    held = table.get(index, Gid(index, ""))
    # An all-zero slot is empty; its type and netdev do not answer.
    value = "" if part == "address" and fact.value in (ABSENT, UNKNOWN) else fact.value
    table[index] = replace(held, **cast("Values", {part: value}))
    found.spots.setdefault(f"rdma {rdma} gids {index}", fact.spot)


def _merged(first: Gid, second: Gid) -> Gid:
    return Gid(
        first.index,
        first.address or second.address,
        first.kind if first.kind is not UNKNOWN else second.kind,
        first.netdev if first.netdev is not UNKNOWN else second.netdev,
    )


def _names(found: _Found) -> tuple[list[str], list[str]]:
    """Give all ports and all RDMA devices, once the netdev of each device is known."""
    for device, table in found.gids.items():
        for gid in table.values():
            if isinstance(gid.netdev, str) and gid.netdev not in found.netdevs[device]:
                found.netdevs[device].append(gid.netdev)
    ports = {name for owner, name in found.facts if owner is Owner.PORT}
    ports |= {netdev for netdevs in found.netdevs.values() for netdev in netdevs}
    rdma = {name for owner, name in found.facts if owner is Owner.RDMA}
    rdma |= found.netdevs.keys() | found.gids.keys()
    # DCQCN is set by netdev; where no text says whose it is, the netdev stands for the device.
    for port in sorted(ports):
        has_settings = any(_is_congestion_fact(name) for name in found.facts[Owner.PORT, port])
        if has_settings and not any(port in netdevs for netdevs in found.netdevs.values()):
            found.netdevs[port].append(port)
            rdma.add(port)
    return sorted(ports), sorted(rdma)


def _is_congestion_fact(name: str) -> bool:
    return name in {"cnp_dscp", "cnp_pcp"} or name[:3] in {"np ", "rp "}


def _value(found: _Found, owner: Owner, name: str, field_name: str) -> Any:
    fact = found.facts.get((owner, name), {}).get(field_name)
    if fact is None:
        return UNKNOWN
    found.spots.setdefault(f"{owner} {name} {field_name}", fact.spot)
    return fact.value


def _device_value(found: _Found, name: str) -> Any:
    fact = found.facts.get((Owner.DEVICE, ""), {}).get(name)
    if fact is None:
        return UNKNOWN
    found.spots.setdefault(f"device {name}", fact.spot)
    return fact.value


def _port(found: _Found, name: str) -> Port:
    held = found.facts.get((Owner.PORT, name), {})
    values = {field_name: _value(found, Owner.PORT, name, field_name) for field_name in held}
    qos = {key: value for key, value in values.items() if key in _QOS_FIELDS}
    port = {key: value for key, value in values.items() if key in _PORT_FIELDS}
    # The kernel's state follows the link's; it only counts where nobody asked the adapter.
    if "oper_state" in values and name not in found.has_settings:
        port.setdefault("link_state", values["oper_state"])
    return Port(name, qos=PortQos(**qos), **port)


def _rdma(found: _Found, name: str) -> RdmaDevice:
    held = found.facts.get((Owner.RDMA, name), {})
    values = {
        field_name: _value(found, Owner.RDMA, name, field_name)
        for field_name in held
        if field_name in _RDMA_FIELDS
    }
    ports = tuple(found.netdevs.get(name, ()))
    table = found.gids.get(name)
    gids = _gids(table, found.spots[f"rdma {name} gids"]) if table else UNKNOWN
    return RdmaDevice(
        name,
        ports=ports,
        driver="mlx5" if name.startswith("mlx5") else UNKNOWN,
        gids=gids,
        congestion_control=_congestion_control(found, name, ports),
        **values,
    )


def _gids(table: dict[int, Gid], source: Spot) -> Known[tuple[Gid, ...]]:
    """Give the used entries; UNKNOWN where a whole listing of /sys has parts of one only."""
    used = [gid for _, gid in sorted(table.items()) if gid != Gid(gid.index, "")]
    parts = {(bool(gid.address), gid.kind is UNKNOWN, gid.netdev is UNKNOWN) for gid in used}
    if _GID_LISTING.match(source.document.command) and len(parts) > 1:
        return UNKNOWN
    return tuple(gid for gid in used if gid.address)


def _congestion_control(found: _Found, name: str, ports: Iterable[str]) -> CongestionControl:
    for port in ports:
        if any(_is_congestion_fact(fact) for fact in found.facts.get((Owner.PORT, port), {})):
            notification = _priorities(found, name, port, "np", "notification_point")
            reaction = _priorities(found, name, port, "rp", "reaction_point")
            is_said = UNKNOWN not in (notification, reaction)
            return CongestionControl(
                algorithm="dcqcn" if is_said else UNKNOWN,
                notification_point=notification,
                reaction_point=reaction,
                cnp_dscp=_mark(found, name, port, "cnp_dscp"),
                cnp_pcp=_mark(found, name, port, "cnp_pcp"),
            )
    return CongestionControl()


def _mark(found: _Found, name: str, port: str, fact: str) -> Known[int]:
    value: Known[int] = _value(found, Owner.PORT, port, fact)
    if value is not UNKNOWN:
        found.spots.setdefault(f"rdma {name} {fact}", found.spots[f"port {port} {fact}"])
    return value


def _priorities(
    found: _Found, name: str, port: str, short: str, fact: str
) -> Known[frozenset[int]]:
    """Give the priorities it is on for; UNKNOWN unless all of them are said."""
    values = {n: _value(found, Owner.PORT, port, f"{short} {n}") for n in range(PRIORITIES)}
    said = [n for n, value in values.items() if value is not UNKNOWN]
    for n in said:
        evidence = found.spots[f"port {port} {short} {n}"]
        found.spots.setdefault(f"rdma {name} {fact}", evidence)
        found.spots.setdefault(f"rdma {name} {fact} {n}", evidence)
    if len(said) < PRIORITIES:
        return UNKNOWN
    return frozenset(n for n, is_on in values.items() if is_on)


def _host(found: _Found) -> HostFacts:
    environment: Known[FrozenMap[str, str]] = UNKNOWN
    if found.has_environment:
        variables = sorted(found.variables.items())
        environment = FrozenMap({name: variable.value for name, variable in variables})
        for name, variable in variables:
            found.spots.setdefault("device environment", variable.spot)
            found.spots.setdefault(f"device environment {name}", variable.spot)
    return HostFacts(
        environment=environment,
        pcie_bps=_pcie(found),
        governor=_device_value(found, "governor"),
        persistent_unit=_persistent(found),
        lldp_agent=_device_value(found, "lldp_agent"),
        boot_id=_boot_id(found),
    )


def _boot_id(found: _Found) -> Known[str]:
    value: Known[str] = _device_value(found, "boot_id")
    return value if isinstance(value, str) and _BOOT_ID.fullmatch(value) else UNKNOWN


def _persistent(found: _Found) -> Known[bool]:
    """Give whether every port that was asked about has its unit at boot."""
    names = [name for name in found.facts[Owner.DEVICE, ""] if name.startswith("persistent")]
    values = [_device_value(found, name) for name in names]
    for name in names:
        found.spots.setdefault("device persistent_unit", found.spots[f"device {name}"])
    if False in values:
        return False
    return UNKNOWN if not values or UNKNOWN in values else True


def _pcie(found: _Found) -> Known[FrozenMap[str, int]]:
    speeds = {}
    for owner, name in sorted(found.facts):
        if owner is Owner.PORT:
            rate = _value(found, owner, name, "pcie_speed")
            width = _value(found, owner, name, "pcie_width")
            if rate is not UNKNOWN and width is not UNKNOWN:
                speeds[name] = rate * width
                found.spots.setdefault(
                    f"device pcie_bps {name}", found.spots[f"port {name} pcie_speed"]
                )
    return FrozenMap(speeds) if speeds else UNKNOWN


def _counters(found: _Found) -> FrozenMap[CounterKey, Counter]:
    read: dict[CounterKey, Counter] = {}
    ports = {name: _counted_port(found, name) for name in {each.port for each in found.readings}}
    for reading in found.readings:
        key, value = counter(reading, ports[reading.port])
        read[key] = value
    return FrozenMap(read)


def _counted_port(found: _Found, name: str) -> str:
    netdevs = found.netdevs.get(name)
    return netdevs[0] if netdevs else name or UNNAMED_PORT
