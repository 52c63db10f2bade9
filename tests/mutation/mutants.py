"""Mutants of a correct fabric: one knob changed, in the model or in a text, as texts of devices."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any

from netcheck.model.device import Device
from netcheck.model.errors import NetcheckError
from netcheck.model.fabric import Fabric
from netcheck.model.frozenmap import FrozenMap
from tests.mutation.edits import edits
from tests.mutation.fabric import HOSTS, SWITCHES
from tests.mutation.leaves import Change, changes
from tests.mutation.world import Holdings, RefusedError, World

LEAF, HOST = "leaf01", "gpu01"


@dataclass(frozen=True)
class Mutant:
    """A change that some devices got.

    Attributes:
        knob: Field of the model, or ``text FILE``.
        how: Where in the knob, what was done, and on which devices.
        texts: Texts of the devices that hold others now; None where it was refused.
    """

    knob: str
    how: str
    texts: Holdings | None = None


@dataclass(frozen=True)
class _Plan:
    """A change of the model that is to be rendered: the records to replace, by device."""

    knob: str
    how: str
    devices: dict[str, Device]


def switch_mutants(world: World, stride: int = 1, start: int = 0) -> Iterator[Mutant]:
    """Mutants of the switches; every n-th of each kind."""
    yield from _rendered(world, _every(_switch_plans(world), stride, start))
    yield from _every(_edited(world, (LEAF,)), stride, start)


def host_mutants(world: World, stride: int = 1, start: int = 0) -> Iterator[Mutant]:
    """Mutants of the hosts; every n-th of each kind."""
    yield from _rendered(world, _every(_host_plans(world), stride, start))
    yield from _every(_edited(world, (HOST,)), stride, start)
    yield from _every(_edited(world, HOSTS), stride, start)


def _every(given: Iterable[Any], stride: int, start: int) -> Iterator[Any]:  # Any: plan or mutant
    for number, one in enumerate(given):
        if number % stride == start % stride:
            yield one


def _switch_plans(world: World) -> Iterator[_Plan]:
    leaf = world.fabric.devices[LEAF]
    first, _, uplink = world.kind.ports
    for port in (first, uplink):
        for change in changes(leaf.ports[port]):
            yield _plan(f"port {port}", change, {LEAF: _with_ports(leaf, {port: change.record})})
    for names in ((LEAF,), SWITCHES):
        scope = "one switch" if len(names) == 1 else "all switches"
        for change in changes(leaf.ports[first]):
            devices = {
                name: _with_ports(
                    world.fabric.devices[name],
                    {
                        port: _like(held, leaf.ports[first], change)
                        for port, held in world.fabric.devices[name].ports.items()
                    },
                )
                for name in names
            }
            yield _plan(scope, change, devices)
        for asic, qos in leaf.qos.items():
            for change in changes(qos):
                devices = {
                    name: replace(
                        world.fabric.devices[name],
                        qos=FrozenMap({**world.fabric.devices[name].qos, asic: change.record}),
                    )
                    for name in names
                }
                yield _plan(scope, change, devices)


def _like(held: Any, before: Any, change: Change) -> Any:  # Any: records of the model
    """Another record with the same change: what the changed one has other than before."""
    own = {
        name: getattr(change.record, name)
        for name in held.__dataclass_fields__
        if getattr(change.record, name) != getattr(before, name)
    }
    if "qos" in own:
        own["qos"] = _like(held.qos, before.qos, replace(change, record=change.record.qos))
    return replace(held, **own)


def _host_plans(world: World) -> Iterator[_Plan]:
    for names in ((HOST,), HOSTS):
        scope = "one host" if len(names) == 1 else "all hosts"
        host = world.fabric.devices[HOST]
        for port in host.ports.values():
            for change in changes(port):
                devices = {
                    name: _with_ports(
                        world.fabric.devices[name],
                        {
                            port.name: _like(
                                world.fabric.devices[name].ports[port.name], port, change
                            )
                        },
                    )
                    for name in names
                }
                yield _plan(scope, change, devices)
        for rdma in host.rdma.values():
            for change in changes(rdma):
                devices = {
                    name: replace(
                        world.fabric.devices[name],
                        rdma=FrozenMap(
                            {
                                rdma.name: _like(
                                    world.fabric.devices[name].rdma[rdma.name], rdma, change
                                )
                            }
                        ),
                    )
                    for name in names
                }
                yield _plan(scope, change, devices)
        for change in changes(host.host):
            devices = {
                name: replace(world.fabric.devices[name], host=change.record) for name in names
            }
            yield _plan(scope, change, devices)


def _plan(scope: str, change: Change, devices: dict[str, Device]) -> _Plan:
    return _Plan(change.knob.removeprefix("qos."), f"{change} on {scope}", devices)


def _with_ports(device: Device, ports: dict[str, Any]) -> Device:  # Any: ports of the model
    return replace(device, ports=FrozenMap({**device.ports, **ports}))


def _rendered(world: World, plans: Iterable[_Plan]) -> Iterator[Mutant]:
    for plan in plans:
        fabric = _fabric(world.fabric, plan.devices)
        try:
            texts = {name: world.configured(fabric.devices[name], fabric) for name in plan.devices}
        except (NetcheckError, RefusedError, ValueError, KeyError, TypeError):
            yield Mutant(plan.knob, plan.how)
            continue
        yield Mutant(plan.knob, plan.how, _changed(world, texts))


def _fabric(fabric: Fabric, devices: dict[str, Device]) -> Fabric:
    return replace(fabric, devices=FrozenMap({**fabric.devices, **devices}))


def _edited(world: World, names: tuple[str, ...]) -> Iterator[Mutant]:
    """Edits of the first device's texts, done alike to the others where the line is the same."""
    scope = "one device" if len(names) == 1 else "all devices"
    for file, text in world.texts[names[0]].items():
        found = [list(edits(world.texts[name][file])) for name in names]
        for place, edit in enumerate(found[0]):
            texts = {}
            for name, own in zip(names, found, strict=True):
                same = own[place] if place < len(own) else None
                if same is not None and (same.line, same.how) == (edit.line, edit.how):
                    texts[name] = {**world.texts[name], file: same.text}
            line = text.splitlines()[edit.line - 1].strip()
            yield Mutant(f"text {file}", f"{line!r} {edit.how} on {scope}", _changed(world, texts))


def _changed(world: World, texts: Holdings) -> Holdings:
    return {name: held for name, held in texts.items() if held != world.texts[name]}
