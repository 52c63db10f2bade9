"""Seen InfiniBand subnets out of the case files: cables in a few words, facts by the model's names.

``cables`` are lines such as ``gpu1 mlx5_0 - leaf1 1 4xHDR``; LIDs count nodes in order of
their names. ``routes`` name the node that a port leads to: ``leaf1: {gpu1: 1}``.
``log`` has lines of level error.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from netcheck.model.counters import Counter, CounterKey
from netcheck.model.document import Evidence
from netcheck.model.frozenmap import FrozenMap
from netcheck.model.infiniband import (
    IbDuplicate,
    IbEnd,
    IbEvent,
    IbManager,
    IbNode,
    IbPath,
    IbPort,
    IbSubnet,
    NodeKind,
    PortState,
    SchedulerSwitch,
)
from netcheck.model.known import UNKNOWN
from netcheck.platforms.infiniband.counters import counter

World = Mapping[str, Any]  # Any: what the YAML file holds
Build = Callable[[Any, Any], Any]  # Any: any type of the model, any value of the file
NO_ROUTE = 255


def subnet(said: World, build: Build) -> IbSubnet:
    """Give the subnet that a case describes."""
    ports: dict[str, dict[int, dict[str, Any]]] = {}
    for line in said.get("cables", ()):
        _cable(ports, line)
    for place, facts in said.get("ports", {}).items():
        name, number = _end(place)
        ports.setdefault(name, {}).setdefault(number, {}).update(_built(IbPort, facts, build))
    for place, keys in said.get("keys", {}).items():
        name, number = _end(place)
        ports.setdefault(name, {}).setdefault(number, {})["pkeys"] = tuple(keys)
    for name in said.get("nodes", {}):
        ports.setdefault(name, {})
    lids = {name: lid for lid, name in enumerate(sorted(ports), 1)}
    nodes = {name: _node(name, ports[name], lids, said, build) for name in sorted(ports)}
    managers = [build(IbManager, one) for one in said.get("managers", ())]
    return IbSubnet(
        nodes=FrozenMap(nodes),
        paths=tuple(build(IbPath, one) for one in said.get("paths", ())),
        managers=tuple(managers) if "managers" in said else UNKNOWN,
        lists_managers="managers" in said,
        duplicates=tuple(build(IbDuplicate, one) for one in said.get("duplicates", ())),
        events=tuple(IbEvent(line, is_error=True) for line in said.get("log", ())),
        engine=said.get("engine", UNKNOWN),
        is_whole=said.get("whole", True),
        scheduler=tuple(build(SchedulerSwitch, one) for one in said["scheduler"])
        if "scheduler" in said
        else UNKNOWN,
    )


def counters(said: World) -> FrozenMap[CounterKey, Counter]:
    """Give the counters that a case states, by port."""
    pairs = (
        counter(name, value, port)
        for port, values in said.items()
        for name, value in values.items()
    )
    return FrozenMap(dict(pairs))


def _end(place: str) -> tuple[str, int]:
    """Node and port: a node is ``leaf1`` or ``gpu1 mlx5_0``, whose port is 1."""
    name, _, rest = place.partition(" ")
    return (name, int(rest)) if rest.isdecimal() else (place, 1)


def _cable(ports: dict[str, dict[int, dict[str, Any]]], line: str) -> None:
    near, far = line.split(" - ")
    *rest, last = far.split()
    width, by, speed = last.partition("x") if "x" in last and last[0].isdecimal() else ("", "", "")
    there = " ".join(rest) if by else far
    ends = [_end(near), _end(there)]
    for (name, number), (other, port) in (ends, ends[::-1]):
        facts = ports.setdefault(name, {}).setdefault(number, {})
        facts |= {"peer": IbEnd(other, port), "state": PortState.ACTIVE}
        if by:
            facts |= {"width": int(width), "speed": speed}


def _built(kind: type, facts: World, build: Build) -> dict[str, Any]:
    """Facts of a record, each of its own type."""
    required = {"number": 0} if kind is IbPort else {"key": ""}
    made = build(kind, {**required, **facts})
    return {name: getattr(made, name) for name in facts}


def _node(
    name: str,
    ports: dict[int, dict[str, Any]],
    lids: dict[str, int],
    said: World,
    build: Build,
) -> IbNode:
    device, _, adapter = name.partition(" ")
    own = 1 if adapter else 0
    ports.setdefault(own, {}).setdefault("lid", lids[name])
    table = said.get("routes", {}).get(name)
    routes = bytearray([NO_ROUTE] * (len(lids) + 1))
    for other, port in (table or {}).items():
        wanted = next(one for one in lids if other in {one, one.partition(" ")[0]})
        routes[lids[wanted]] = port
    facts = _built(IbNode, said.get("nodes", {}).get(name, {}), build)
    return IbNode(
        **{
            "key": name,
            "kind": NodeKind.ADAPTER if adapter else NodeKind.SWITCH,
            "device": device,
            "adapter": adapter,
            "description": name,
            "routes": bytes(routes) if table is not None else UNKNOWN,
            "ports": FrozenMap({n: IbPort(n, **one) for n, one in sorted(ports.items())}),
            "evidence": Evidence(),
            **facts,
        }
    )
