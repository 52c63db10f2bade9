"""Compares what a script sets with what the adapters hold, and brings held settings back."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from netcheck.model.device import CongestionControl, Device, Port, RdmaDevice
from netcheck.model.document import Document
from netcheck.model.errors import InputError
from netcheck.model.frozenmap import FrozenMap
from netcheck.model.known import ABSENT, UNKNOWN, Missing
from netcheck.model.qos import PortQos, Scheduler
from netcheck.platforms.linux.commands import LIVE, held_files
from netcheck.platforms.linux.parse import parse
from netcheck.platforms.linux.render import script_of
from netcheck.platforms.platform import Impact

_EN_DCBNL = "torvalds/linux v6.12 drivers/net/ethernet/mellanox/mlx5/core/en_dcbnl.c"
_EN_MAIN = "torvalds/linux v6.12 drivers/net/ethernet/mellanox/mlx5/core/en_main.c"
_ECN = "NVIDIA MLNX_OFED documentation, Explicit Congestion Notification"


@dataclass(frozen=True, slots=True)
class Effect:
    """What changing one fact disturbs, why, and who says so."""

    impact: Impact
    reason: str
    source: str


_LINK = Effect(Impact.PORT, "the driver takes the link down and up when PFC changes", _EN_DCBNL)
_REOPEN = Effect(Impact.PORT, "the driver reopens its channels when the MTU changes", _EN_MAIN)
_PAUSE = Effect(Impact.PORT, "the port's flow control is set anew", "ethtool(8)")
_QUEUE = Effect(Impact.QUEUE, "packets move between queues while the map changes", _EN_DCBNL)
_BUFFER = Effect(Impact.QUEUE, "receive buffers are resized while traffic runs", _EN_DCBNL)
_RATE = Effect(Impact.QUEUE, "flows react to congestion in another way from now on", _ECN)
_MARK = Effect(Impact.NONE, "connections made from now on are marked", "rdma_cm configfs")

_PORT_FACTS = {"ip_mtu": _REOPEN, "cable_m": _BUFFER}
_QOS_FACTS = {
    "global_pause_rx": _PAUSE,
    "global_pause_tx": _PAUSE,
    "dcbx_mode": _QUEUE,
    "trust": _QUEUE,
    "pfc_rx": _LINK,
    "priority_to_queue": _QUEUE,
    "dscp_to_priority": _QUEUE,
    "scheduler": _QUEUE,
    "ingress_buffer": _BUFFER,
    "priority_to_priority_group": _BUFFER,
}
_RDMA_FACTS = {"rdma_cm_roce_v2": _MARK, "rdma_cm_tos": _MARK, "traffic_class": _MARK}
_CONGESTION_FACTS = {
    "notification_point": _RATE,
    "reaction_point": _RATE,
    "cnp_dscp": _RATE,
    "cnp_pcp": _RATE,
}


@dataclass(frozen=True, slots=True)
class Drift:
    """One fact that a port holds otherwise than its script sets it."""

    port: str
    object: str
    held: str
    wanted: str
    effect: Effect


def held_device(device: Device, held: Mapping[str, str]) -> Device:
    """Give what the adapters hold, from the outputs of ``holdings``.

    Raises:
        InputError: One of the outputs is damaged.
    """
    documents = [
        Document(file, held[file], command)
        for file, command in _live_commands(device)
        if file in held
    ]
    found = parse(documents, name=device.name)
    for defect in found.defects:
        at = f"{defect.evidence.file} line {defect.evidence.line}"
        raise InputError(f"{device.name} {at}: {defect.message}; found {defect.found!r}")
    rdma = {name: _held_rdma(found, one) for name, one in device.rdma.items()}
    return replace(found, rdma=FrozenMap(rdma))


def _held_rdma(found: Device, one: RdmaDevice) -> RdmaDevice:
    held = found.rdma.get(one.name, RdmaDevice(one.name))
    # A ToS byte that is not forced reads as nothing or as 0, by version of the driver.
    forced = ABSENT if held.traffic_class == 0 else held.traffic_class
    return replace(
        held,
        ports=one.ports,
        traffic_class=forced,
        congestion_control=_control_of(found, one.ports),
    )


def _control_of(found: Device, ports: tuple[str, ...]) -> CongestionControl:
    """DCQCN is read by port, and here no output says whose the port is."""
    of_ports = [found.rdma[port].congestion_control for port in ports if port in found.rdma]
    return of_ports[0] if of_ports else CongestionControl()


def _live_commands(device: Device) -> Iterator[tuple[str, str]]:
    ports = {port for rdma in device.rdma.values() for port in rdma.ports}
    for command in held_files(device):
        if command.file not in LIVE:
            continue
        is_of_port = "{port}" in command.line
        for name in sorted(ports) if is_of_port else sorted(device.rdma):
            holder = "{port}" if is_of_port else "{rdma}"
            yield command.file.replace(holder, name), command.line.replace(holder, name)


def drifts(wanted: Device, held: Device) -> Iterator[Drift]:
    """Give every fact that a script sets and an adapter holds otherwise.

    What an adapter does not show is left to verification: it is no drift.
    """
    for name, port in wanted.ports.items():
        there = held.ports.get(name, Port(name))
        yield from _differences(name, f"port {name}", port, there, _PORT_FACTS)
        yield from _differences(name, f"port {name}", port.qos, there.qos, _QOS_FACTS)
    for name, rdma in wanted.rdma.items():
        seen = held.rdma.get(name, RdmaDevice(name))
        port_name = rdma.ports[0] if rdma.ports else ""
        control = rdma.congestion_control
        yield from _differences(port_name, f"rdma {name}", rdma, seen, _RDMA_FACTS)
        yield from _differences(
            port_name, f"rdma {name}", control, seen.congestion_control, _CONGESTION_FACTS
        )


# Any: fields of the model's records, by name.
def _differences(
    port: str, place: str, wanted: Any, held: Any, facts: Mapping[str, Effect]
) -> Iterator[Drift]:
    for fact, effect in facts.items():
        want, have = getattr(wanted, fact), getattr(held, fact)
        if want is UNKNOWN or have is UNKNOWN or _is_held(want, have):
            continue
        yield Drift(port, f"{place} {fact}", _text(have, want), _text(want, have), effect)


def _is_held(want: Any, have: Any) -> bool:
    """Tell whether all that is wanted is held; what is not said of a queue may be anything."""
    if isinstance(want, FrozenMap) and isinstance(have, FrozenMap):
        return all(key in have and _is_held(one, have[key]) for key, one in want.items())
    if isinstance(want, Scheduler) and isinstance(have, Scheduler):
        pairs = (
            (want.weight_percent, have.weight_percent),
            (want.shaper_bps, have.shaper_bps),
        )
        return want.kind is have.kind and all(a is UNKNOWN or a == b for a, b in pairs)
    return bool(want == have)


def _text(value: Any, other: Any) -> str:
    if isinstance(value, FrozenMap):
        keys = [
            key
            for key in sorted(value)
            if not isinstance(other, FrozenMap)
            or key not in other
            or not (_is_held(value[key], other[key]) or _is_held(other[key], value[key]))
        ]
        return ", ".join(f"{key}: {_text(value[key], None)}" for key in keys) or "none"
    if isinstance(value, frozenset):
        return "{" + ", ".join(str(one) for one in sorted(value)) + "}"
    if isinstance(value, Scheduler):
        known = (str(value.kind), value.weight_percent, value.shaper_bps)
        return " ".join(str(one) for one in known if not isinstance(one, Missing))
    return "none" if value is ABSENT else str(value)


def restore_script(wanted: Device, held: Device, port: str) -> str:
    """Give a script that brings back, of what the port's script sets, what was held before."""
    devices = {name: one for name, one in wanted.rdma.items() if port in one.ports}
    before = {
        name: _kept(held.rdma.get(name, RdmaDevice(name)), one) for name, one in devices.items()
    }
    there = held.ports.get(port, Port(port))
    want = wanted.ports[port]
    qos = _only(PortQos(), there.qos, want.qos, [*_QOS_FACTS, "pfc_tx"])
    old = _only(Port(port, qos=qos), there, want, _PORT_FACTS)
    return script_of(replace(wanted, rdma=FrozenMap(before)), old)


def _kept(held: RdmaDevice, wanted: RdmaDevice) -> RdmaDevice:
    control = _only(
        CongestionControl(),
        held.congestion_control,
        wanted.congestion_control,
        _CONGESTION_FACTS,
    )
    empty = RdmaDevice(
        held.name, driver=wanted.driver, ports=wanted.ports, congestion_control=control
    )
    kept: RdmaDevice = _only(empty, held, wanted, _RDMA_FACTS)
    if kept.traffic_class is ABSENT:
        return replace(kept, traffic_class=0)
    return kept


# Any: records of the model, as above.
def _only(empty: Any, held: Any, wanted: Any, facts: Any) -> Any:
    """Give the held values of the facts that are wanted, in an otherwise empty record."""
    values = {fact: getattr(held, fact) for fact in facts if getattr(wanted, fact) is not UNKNOWN}
    return replace(empty, **values)
