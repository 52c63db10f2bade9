"""Fabrics out of the case files: a few words a port, in the model's own field names."""

from __future__ import annotations

import types
from collections.abc import Mapping
from dataclasses import fields, is_dataclass, replace
from enum import Enum
from typing import Any, Literal, Union, get_args, get_origin

from netcheck.model.counters import Counter, CounterClass, CounterKey, Meaning
from netcheck.model.device import CongestionControl, Device, HostFacts, Port, RdmaDevice, Role
from netcheck.model.fabric import (
    Aggregate,
    Expectations,
    Fabric,
    Link,
    NextHops,
    Origin,
    Policy,
    PortRef,
    Suppression,
)
from netcheck.model.frozenmap import FrozenMap
from netcheck.model.hints import field_types
from netcheck.model.known import ABSENT, UNKNOWN, first_known
from netcheck.model.qos import DeviceQos, Dynamic, PortQos, Static
from netcheck.model.subnets import Subnet
from tests.rules import subnet_world

ROLES = {"leaf": Role.LEAF, "spine": Role.SPINE, "gpu": Role.HOST, "border": Role.BORDER}
MISSING = {"ABSENT": ABSENT, "UNKNOWN": UNKNOWN}
World = Mapping[str, Any]  # Any: what the YAML file holds


def build(kind: Any, value: Any) -> Any:  # Any: any type of the model, any value of the file
    """Give a value of the model's type."""
    if isinstance(value, str) and value in MISSING:
        return MISSING[value]
    origin, inner = get_origin(kind), get_args(kind)
    if origin in (Union, types.UnionType):
        return _one_of(inner, value)
    if origin in (frozenset, tuple):
        return origin(build(inner[0], one) for one in value)
    if origin is FrozenMap:
        return FrozenMap({build(inner[0], key): build(inner[1], one) for key, one in value.items()})
    return _plain(kind, value)


def _plain(kind: Any, value: Any) -> Any:  # Any: see build
    if isinstance(kind, type) and issubclass(kind, Enum):
        return kind(value)
    if is_dataclass(kind):
        assert isinstance(kind, type)
        hints = field_types(kind)
        return kind(**{key: build(hints[key], one) for key, one in value.items()})
    return float(value) if kind is float else value


def _one_of(kinds: tuple[Any, ...], value: Any) -> Any:  # Any: see build
    kinds = tuple(one for one in kinds if get_origin(one) is not Literal)
    if set(kinds) == {Dynamic, Static}:
        return build(Dynamic if "alpha" in value else Static, value)
    return build(kinds[0], value)


def _flat(parts: Mapping[str, type], facts: World) -> dict[str, dict[str, Any]]:
    """Sort flat facts into the records that hold them."""
    known = {name: {field.name for field in fields(kind)} for name, kind in parts.items()}
    sorted_: dict[str, dict[str, Any]] = {name: {} for name in parts}
    for fact, value in facts.items():
        home = next((name for name, held in known.items() if fact in held), None)
        assert home is not None, f"unknown fact {fact}"
        sorted_[home][fact] = value
    return sorted_


def port(name: str, facts: World) -> Port:
    """Give a port; ``pfc`` sets both directions."""
    facts = dict(facts)
    if "pfc" in facts:
        facts["pfc_rx"] = facts["pfc_tx"] = facts.pop("pfc")
    parts = _flat({"port": Port, "qos": PortQos}, facts)
    built: Port = build(Port, {"name": name, **parts["port"]})
    return replace(built, qos=build(PortQos, parts["qos"]))


def rdma(name: str, facts: World) -> RdmaDevice:
    """Give an RDMA device."""
    parts = _flat({"rdma": RdmaDevice, "cc": CongestionControl}, facts)
    built: RdmaDevice = build(RdmaDevice, {"name": name, **parts["rdma"]})
    return replace(built, congestion_control=build(CongestionControl, parts["cc"]))


def device(name: str, world: World) -> Device:
    """Give a device with everything that the world says of it."""
    ports, rdmas, own = {}, {}, {}
    for key, facts in world.items():
        words = key.split()
        if words[0] != name:
            continue
        if len(words) == 1:
            own = dict(facts)
        elif words[1] == "rdma":
            rdmas[words[2]] = rdma(words[2], facts)
        else:
            ports[words[1]] = port(words[1], facts)
    counters = own.pop("packets", None)
    counted = subnet_world.counters(own.pop("counted")) if "counted" in own else UNKNOWN
    seen = subnet_world.subnet(own.pop("seen"), build) if "seen" in own else UNKNOWN
    parts = _flat({"device": Device, "qos": DeviceQos, "host": HostFacts}, own)
    role = next((role for word, role in ROLES.items() if name.startswith(word)), UNKNOWN)
    built: Device = build(Device, {"name": name, **parts["device"]})
    return replace(
        built,
        role=built.role if built.role is not UNKNOWN else role,
        ports=FrozenMap(ports),
        rdma=FrozenMap(rdmas),
        qos=FrozenMap({"": build(DeviceQos, parts["qos"])}),
        host=build(HostFacts, parts["host"]),
        counters=_packets(counters)
        if counters is not None
        else first_known(counted, built.counters),
        seen_subnet=seen,
    )


def _packets(by_port: World) -> FrozenMap[CounterKey, Counter]:
    return FrozenMap(
        {
            CounterKey(name, Meaning.QUEUE_PACKETS, queue, f"UC{queue}"): Counter(
                value, CounterClass.INFORMATION
            )
            for name, queues in by_port.items()
            for queue, value in queues.items()
        }
    )


def link(text: str) -> Link:
    """Give a link from ``leaf1 Ethernet0 - gpu1 rail0 5m``; the length is optional."""
    a, b = (side.split() for side in text.split(" - "))
    length = float(b[2].removesuffix("m")) if len(b) > 2 else UNKNOWN
    return Link(PortRef(a[0], a[1]), PortRef(b[0], b[1]), length_m=length)


def fabric(world: World, origin: Origin) -> Fabric:
    """Give the devices and links of a world."""
    apart = {"links", "intent", "aggregates", "forwarding", "expect"}
    names = {key.split()[0]: None for key in world if key not in apart}
    devices = {name: device(name, world) for name in names}
    links = tuple(link(one) for one in world.get("links", ()))
    return Fabric(
        "case",
        origin=origin,
        devices=FrozenMap(devices),
        links=links,
        forwarding=_forwarding(world["forwarding"]) if "forwarding" in world else UNKNOWN,
    )


def _forwarding(world: World) -> tuple[NextHops, ...]:
    return tuple(
        NextHops(name, FrozenMap({host: tuple(ports) for host, ports in hops.items()}))
        for name, hops in world.items()
    )


def intent(world: World) -> Fabric | None:
    """Give the intended fabric: a policy, and devices where the case names them."""
    if "intent" not in world:
        return None
    said = dict(world["intent"])
    places = {key: said.pop(key) for key in list(said) if " " in key or key == "links"}
    for key in [key for key in said if key.rstrip("0123456789") in {*ROLES, "router"}]:
        places[key] = said.pop(key)
    others = said.pop("policies", {})
    bundles = tuple(_aggregate(one) for one in said.pop("aggregates", ()))
    expect = build(Expectations, said.pop("expect", {}))
    suppressions = tuple(build(Suppression, one) for one in said.pop("suppress", ()))
    subnets = {
        name: build(Subnet, {"name": name, **one}) for name, one in said.pop("subnets", {}).items()
    }
    classes = {name: {"name": name, **each} for name, each in said.pop("classes", {}).items()}
    policy = build(Policy, {"name": "backend", "classes": classes, **said})
    planned = fabric(places, Origin.INTENDED)
    policies = {"backend": policy, **{name: _policy(name, one) for name, one in others.items()}}
    return replace(
        planned,
        policies=FrozenMap(policies),
        policy="backend" if others else UNKNOWN,
        aggregates=bundles,
        suppressions=suppressions,
        subnets=FrozenMap(subnets),
        expect=expect,
    )


def _policy(name: str, said: World) -> Policy:
    classes = {one: {"name": one, **each} for one, each in said.get("classes", {}).items()}
    built: Policy = build(Policy, {"name": name, "classes": classes})
    return built


def _aggregate(text: str) -> Aggregate:
    """Give an aggregate from ``leaf1 po1 Ethernet0,Ethernet8 leaf2``; the peer is optional."""
    device_name, name, members, *peer = text.split()
    return Aggregate(name, device_name, tuple(members.split(",")), peer[0] if peer else UNKNOWN)
