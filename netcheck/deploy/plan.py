"""A plan: what would change on each device, and in which order."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from netcheck.collect.atomic import write_atomically
from netcheck.collect.target import Target, target_of
from netcheck.deploy.codec import decode, encode
from netcheck.deploy.order import BATCH_SIZE, batches
from netcheck.model.device import Device
from netcheck.model.errors import InputError
from netcheck.model.fabric import Fabric
from netcheck.model.frozenmap import FrozenMap
from netcheck.model.known import is_known
from netcheck.platforms.platform import Change, Step, load

PLAN_VERSION: Final = 1

Texts = Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Order:
    """What one device gets, and what it held when that was decided.

    Attributes:
        rendered: Files as rendered, ``name -> text``.
        held: Outputs of the platform's ``holdings``, ``file -> text``.
        change: How it gets from the one to the other.
        original: The change that was due before any run touched the device;
            differs from ``change`` where a run was cut off half way.
        undo: Steps that bring back what was saved.
        is_saved: What ``undo`` needs was saved on the device by a run that was
            cut off; saving again would keep the half-changed state.
    """

    device: Device
    target: Target
    rendered: FrozenMap[str, str]
    held: FrozenMap[str, str]
    change: Change
    original: Change
    undo: tuple[Step, ...] = ()
    is_saved: bool = False

    @property
    def name(self) -> str:
        """Name of the device."""
        return self.device.name

    @property
    def is_empty(self) -> bool:
        """There is nothing to do: nothing differs and no cut-off run left anything open."""
        return self.change.is_empty and not self.is_saved


@dataclass(frozen=True, slots=True)
class Plan:
    """What a run would do.

    Attributes:
        orders: ``device -> order``, also of devices on which nothing differs.
        unreachable: ``device -> reason`` of devices that could not be read, or
            whose held texts could not be worked with.
        batches: Devices that change, in the order in which they do.
    """

    fabric: str
    orders: FrozenMap[str, Order] = field(default_factory=FrozenMap)
    unreachable: FrozenMap[str, str] = field(default_factory=FrozenMap)
    batches: tuple[tuple[str, ...], ...] = ()
    version: int = PLAN_VERSION

    @property
    def is_empty(self) -> bool:
        """Nothing differs on any device that could be read."""
        return not self.batches


def plan(
    fabric: Fabric,
    rendered: Mapping[str, Texts],
    held: Mapping[str, Texts],
    *,
    unreachable: Texts = FrozenMap(),  # noqa: B008 -- immutable
    batch_size: int = BATCH_SIZE,
) -> Plan:
    """Give the plan that takes devices from what they hold to what is rendered.

    Shape: ``rendered`` and ``held`` are ``device -> file -> text``, the latter of
    the devices that could be read; ``unreachable`` is ``device -> reason`` of the rest.
    A device that holds what its platform cannot work with joins the rest.

    Raises:
        InputError: A device has no address or credentials.
    """
    names = [name for name in fabric.devices if name in rendered and name in held]
    targets = {name: target_of(fabric, fabric.devices[name]) for name in names}
    orders: dict[str, Order] = {}
    left_out = dict(unreachable)
    for name in names:
        try:
            orders[name] = make_order(
                fabric.devices[name], targets[name], rendered=rendered[name], held=held[name]
            )
        except InputError as error:
            left_out[name] = str(error)
    changing = [name for name, order in orders.items() if not order.is_empty]
    return Plan(
        fabric.name,
        FrozenMap(orders),
        FrozenMap(left_out),
        batches(fabric, changing, size=batch_size),
    )


def make_order(device: Device, target: Target, *, rendered: Texts, held: Texts) -> Order:
    """Give the order for one device.

    Raises:
        InputError: A held text cannot be read.
    """
    change = change_of(device, rendered, held)
    return Order(device, target, FrozenMap(rendered), FrozenMap(held), change, change, change.undo)


def change_of(device: Device, rendered: Texts, held: Texts) -> Change:
    """Give the platform's change for a device.

    Raises:
        InputError: The platform is not said, or a held text cannot be read.
    """
    if not is_known(device.platform):
        raise InputError(f"device {device.name}: platform is not said")
    return load(device.platform).applying.plan(device, rendered, held)


def save_plan(plan_: Plan, path: Path) -> None:
    """Write a plan for a later ``load_plan``; readable by the user alone.

    Raises:
        OSError: The file cannot be written.
    """
    write_atomically(path, json.dumps(encode(plan_), indent=1) + "\n", mode=0o600)


def load_plan(path: Path) -> Plan:
    """Read a plan.

    Raises:
        InputError: The file is no plan of this version.
    """
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise InputError(f"{path}: cannot be read ({error.strerror})") from error
    except ValueError as error:
        raise InputError(f"{path}: is no plan ({error})") from error
    found = decode(Plan, data, str(path))
    if not isinstance(found, Plan) or found.version != PLAN_VERSION:
        raise InputError(f"{path}: is no plan of version {PLAN_VERSION}")
    return found


def is_plan(path: Path) -> bool:
    """Tell whether a file looks like a saved plan (by its first bytes)."""
    try:
        with path.open("rb") as stream:
            return stream.read(64).replace(b" ", b"").startswith(b'{\n"class":"Plan"')
    except OSError:
        return False
