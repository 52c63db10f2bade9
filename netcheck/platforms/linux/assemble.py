"""Puts the facts that readers found together into a Device."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from functools import partial
from typing import Any, NamedTuple, cast

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
from netcheck.model.document import Document, Evidence
from netcheck.model.frozenmap import FrozenMap, LazyMap
from netcheck.model.known import ABSENT, UNKNOWN, Known
from netcheck.model.qos import PortQos
from netcheck.platforms.linux.counters import counted, counter_slot
from netcheck.platforms.linux.facts import Fact, Item, Owner, Reading, Spot, Unread, Variable
from netcheck.platforms.linux.quirks import PRIORITIES

# Names for what no text names: better a place with a plain word than no place.
UNNAMED_PORT = "netdev"
UNNAMED_RDMA = "rdma"

_QOS_FIELDS = frozenset(entry.name for entry in fields(PortQos))
_PORT_FIELDS = frozenset(entry.name for entry in fields(Port)) - {"name", "qos"}
_RDMA_FIELDS = frozenset(entry.name for entry in fields(RdmaDevice)) - {"name", "ports", "pkeys"}
_BOOT_ID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")
_GID_LISTING = re.compile(r"grep -rsH \. /sys/class/infiniband/\S+/gids ")
_MLX5_FORMS = frozenset({"mlnx_qos", "mlxconfig", "mlxreg"})

# Values have the type of the field they are for; the readers are typed by the tests.
Values = dict[str, Any]


class Said(NamedTuple):
    """What one text says: its form, where it is from, and all that its reader found."""

    form: str
    document: Document
    items: Sequence[Item]


class _Held(NamedTuple):
    """The word that stands on a fact."""

    value: object
    document: Document
    line: int

    @property
    def evidence(self) -> Evidence:
        """Where it stands."""
        return Spot(self.document, self.line).evidence


@dataclass
class _Found:
    """All facts of one reading, by owner; the first word on a fact stands."""

    facts: dict[tuple[Owner, str], dict[str, _Held]] = field(
        default_factory=lambda: defaultdict(dict)
    )
    netdevs: dict[str, list[str]] = field(default_factory=lambda: defaultdict(list))
    gids: dict[str, dict[int, Gid]] = field(default_factory=lambda: defaultdict(dict))
    readings: list[tuple[Document, list[Reading]]] = field(default_factory=list)
    variables: dict[str, Variable] = field(default_factory=dict)
    has_environment: bool = False
    has_settings: set[str] = field(default_factory=set)
    defects: list[Defect] = field(default_factory=list)
    unread: list[Evidence] = field(default_factory=list)
    spots: dict[str, _Held | Spot] = field(default_factory=dict)


def assemble(said: Sequence[Said], *, name: str) -> Device:
    """Give the device that texts describe, also those that say nothing.

    A file of settings that is empty is known to set nothing.
    """
    found = _Found()
    forms = frozenset(one.form for one in said)
    found.has_environment = bool(forms & {"environment", "job"})
    for one in said:
        _sort(found, one)
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
    places = {place: spot.evidence for place, spot in found.spots.items()}
    for (owner, name), held in found.facts.items():
        for fact, one in held.items():
            if owner is Owner.PORT or (owner is Owner.RDMA and fact in _RDMA_FIELDS):
                places.setdefault(f"{owner} {name} {fact}", one.evidence)
    for document, readings in found.readings:
        for reading in readings:
            place = f"port {_counted_port(found, reading.port)} {reading.name}"
            places.setdefault(place, Spot(document, reading.line, reading.name).evidence)
    return places


def _sort(found: _Found, said: Said) -> None:
    """Put what one text says where it belongs; counters, which are most of it, in one piece."""
    readings = []
    for item in said.items:
        if item.__class__ is Reading:
            readings.append(item)
        elif item.__class__ is Fact:
            _sort_fact(found, said, item)
        else:
            _sort_other(found, item)
    if readings:
        found.readings.append((said.document, readings))


def _sort_other(found: _Found, item: Item) -> None:
    if isinstance(item, Variable):
        found.has_environment = True
        held = found.variables.get(item.name)
        if held is None or (item.is_job and not held.is_job):
            found.variables[item.name] = item
    elif isinstance(item, Unread):
        found.unread.append(item.spot.evidence)
    elif isinstance(item, Defect):
        found.defects.append(item)


_UNNAMED = {Owner.PORT: UNNAMED_PORT, Owner.RDMA: UNNAMED_RDMA, Owner.DEVICE: ""}


def _sort_fact(found: _Found, said: Said, fact: Fact) -> None:
    owner, name, about, value, line = fact
    name = name or _UNNAMED[owner]
    held = _Held(value, said.document, line)
    if about == "port" and owner is Owner.RDMA:
        if value not in found.netdevs[name]:
            found.netdevs[name].append(str(value))
    elif about[:3] == "gid" and about[3:4] in ("", " "):
        _sort_gid(found, name, about, held)
    else:
        if about == "link_state" and said.form == "ethtool":
            found.has_settings.add(name)
        # The kernel's MTU counts from the IP header.
        _hold(found, (owner, name), "ip_mtu" if about == "mtu" else about, held)


def _hold(found: _Found, owner: tuple[Owner, str], about: str, new: _Held) -> None:
    facts = found.facts[owner]
    held = facts.get(about)
    if held is None:
        facts[about] = new
    elif held.value != new.value and UNKNOWN not in (held.value, new.value):
        found.defects.append(_contradiction(owner, about, held, new))
        facts[about] = held._replace(value=UNKNOWN)
    elif held.value is UNKNOWN and not _is_contradicted(found, owner, about):
        facts[about] = new


def _contradiction(owner: tuple[Owner, str], about: str, held: _Held, new: _Held) -> Defect:
    kind, name = owner
    return Defect(
        kind=DefectKind.MALFORMED_VALUE,
        place=f"{kind} {name} {about}",
        message=f"two outputs disagree: {held.document.name} and {new.document.name}",
        ports=(name,) if kind is Owner.PORT else (),
        expected=str(held.value),
        found=str(new.value),
        evidence=new.evidence,
    )


def _is_contradicted(found: _Found, owner: tuple[Owner, str], about: str) -> bool:
    place = f"{owner[0]} {owner[1]} {about}"
    return any(defect.place == place for defect in found.defects)


def _sort_gid(found: _Found, rdma: str, about: str, said: _Held) -> None:
    table, value = found.gids[rdma], said.value
    found.spots.setdefault(f"rdma {rdma} gids", said)
    if isinstance(value, Gid):
        held = table.get(value.index)
        table[value.index] = _merged(held, value) if held else value
        return
    _, number, part = about.split()
    index = int(number)
    # An all-zero slot is empty; its type and netdev do not answer.
    if part == "address" and value in (ABSENT, UNKNOWN):
        value = ""
    table[index] = _with_part(table.get(index, Gid(index, "")), part, value)
    found.spots.setdefault(f"rdma {rdma} gids {index}", said)


def _with_part(gid: Gid, part: str, value: Any) -> Gid:
    """Give the entry with one part set; as ``replace``, which takes much longer."""
    return Gid(
        gid.index,
        value if part == "address" else gid.address,
        value if part == "kind" else gid.kind,
        value if part == "netdev" else gid.netdev,
    )


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


def _value(found: _Found, owner: Owner, name: str, about: str) -> Any:
    held = found.facts.get((owner, name), _NOTHING).get(about)
    return UNKNOWN if held is None else held.value


def _device_value(found: _Found, about: str) -> Any:
    held = found.facts.get((Owner.DEVICE, ""), _NOTHING).get(about)
    if held is None:
        return UNKNOWN
    found.spots.setdefault(f"device {about}", held)
    return held.value


_NOTHING: dict[str, _Held] = {}


def _port(found: _Found, name: str) -> Port:
    held = found.facts.get((Owner.PORT, name), _NOTHING)
    values: Values = {about: one.value for about, one in held.items()}
    qos = {key: value for key, value in values.items() if key in _QOS_FIELDS}
    port = {key: value for key, value in values.items() if key in _PORT_FIELDS}
    # The kernel's state follows the link's; it only counts where nobody asked the adapter.
    if "oper_state" in values and name not in found.has_settings:
        port.setdefault("link_state", values["oper_state"])
    return Port(name, qos=PortQos(**qos), **port)


def _rdma(found: _Found, name: str) -> RdmaDevice:
    held = found.facts.get((Owner.RDMA, name), _NOTHING)
    values: Values = {about: one.value for about, one in held.items() if about in _RDMA_FIELDS}
    ports = tuple(found.netdevs.get(name, ()))
    table = found.gids.get(name)
    gids = _gids(table, found.spots[f"rdma {name} gids"]) if table else UNKNOWN
    return RdmaDevice(
        name,
        ports=ports,
        driver=next((one for one in ("mlx5", "rxe") if name.startswith(one)), UNKNOWN),
        gids=gids,
        congestion_control=_congestion_control(found, name, ports),
        pkeys=_pkeys(held),
        **values,
    )


def _pkeys(held: Mapping[str, _Held]) -> Known[tuple[int, ...]]:
    """Give a port's partition keys by index; UNKNOWN where a part of the table is missing."""
    said = {int(about[5:]): one.value for about, one in held.items() if about[:5] == "pkey "}
    keys = [key for _, key in sorted(said.items()) if isinstance(key, int)]
    is_whole = bool(keys) and len(keys) == len(said) == max(said) + 1
    return tuple(keys) if is_whole else UNKNOWN


def _gids(table: dict[int, Gid], source: _Held | Spot) -> Known[tuple[Gid, ...]]:
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
    held = found.facts[Owner.PORT, port].get(fact)
    if held is None or held.value is UNKNOWN:
        return UNKNOWN
    found.spots.setdefault(f"rdma {name} {fact}", held)
    return cast("Known[int]", held.value)


def _priorities(
    found: _Found, name: str, port: str, short: str, fact: str
) -> Known[frozenset[int]]:
    """Give the priorities it is on for; UNKNOWN unless all of them are said."""
    facts = found.facts[Owner.PORT, port]
    on = set()
    said = 0
    for n in range(PRIORITIES):
        held = facts.get(f"{short} {n}")
        if held is None or held.value is UNKNOWN:
            continue
        said += 1
        found.spots.setdefault(f"rdma {name} {fact}", held)
        found.spots.setdefault(f"rdma {name} {fact} {n}", held)
        if held.value:
            on.add(n)
    return frozenset(on) if said == PRIORITIES else UNKNOWN


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
                    f"device pcie_bps {name}", found.facts[owner, name]["pcie_speed"]
                )
    return FrozenMap(speeds) if speeds else UNKNOWN


def _counters(found: _Found) -> FrozenMap[CounterKey, Counter]:
    read: dict[CounterKey, Counter] = {}
    ports: dict[str, str] = {}
    for _, readings in found.readings:
        for port, name, value, _ in readings:
            owner = ports.get(port)
            if owner is None:
                owner = ports[port] = _counted_port(found, port)
            key, row = counter_slot(owner, name)
            read[key] = counted(value, row)
    return FrozenMap(read)


def _counted_port(found: _Found, name: str) -> str:
    netdevs = found.netdevs.get(name)
    return netdevs[0] if netdevs else name or UNNAMED_PORT
