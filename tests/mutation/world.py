"""A fabric in the lab without processes: devices that take texts, and what they then hold.

A switch's text is its whole configuration; a host's texts are the files that
are rendered for it, of which the scripts are run. Each text goes to a device
fresh out of its box, in the device's own way.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from itertools import count
from pathlib import Path

from netcheck.lab.building import Building
from netcheck.lab.devices.cli.console import Console as EosConsole
from netcheck.lab.devices.device import SimulatedDevice
from netcheck.lab.devices.shell import Shell, ShellExit, Streams
from netcheck.lab.routes import Routes
from netcheck.lab.topology import topology_of
from netcheck.lossless.dataplane.network import Network
from netcheck.model.device import Device
from netcheck.model.fabric import Fabric
from netcheck.platforms.platform import Run, Step, Upload, load
from tests.mutation.fabric import HOSTS, Intent, Kind, fabric_of

Texts = Mapping[str, str]
Holdings = Mapping[str, Texts]  # device -> file -> text
REFUSED = re.compile(r"^\s*(%|\^|ERROR)", re.MULTILINE)


class RefusedError(Exception):
    """A device did not take what it was given."""


@dataclass
class Held:
    """Everything that stands behind the devices' ports."""

    network: Network
    routes: Routes
    devices: Mapping[str, SimulatedDevice]


@dataclass
class World:
    """One fabric; ``texts`` is what every device holds when all is well."""

    kind: Kind
    fabric: Fabric
    building: Building
    folder: Path
    texts: dict[str, Texts] = field(default_factory=dict)
    refused: dict[str, frozenset[str]] = field(default_factory=dict)
    numbers: Iterable[int] = field(default_factory=count)

    @classmethod
    def of(cls, kind: Kind, folder: Path, intent: Intent | None = None) -> World:
        """Build and configure it, as another intent says where one is given."""
        fabric = fabric_of(kind, folder, intent)
        topology = topology_of(fabric)
        names = {name: f"127.79.0.{place + 1}" for place, name in enumerate(fabric.devices)}
        world = cls(kind, fabric, Building(topology, folder / "lab", names), folder)
        for name, device in fabric.devices.items():
            world.texts[name] = world.configured(device, fabric)
        for name in fabric.devices:
            fresh, said = world.taken(name, world.texts[name])
            world.refused[name] = said
            world.building.devices[name] = fresh
        return world

    def configured(self, device: Device, fabric: Fabric) -> Texts:
        """What a device holds after it was configured as a fabric says."""
        rendered = load(str(device.platform)).rendering.render(device, fabric)
        if device.name in HOSTS:
            return dict(rendered)
        fresh = self.fresh(device.name)
        applying = load(str(device.platform)).applying
        held = {each.file: shown(fresh, each.line) for each in applying.holdings(device)}
        change = applying.plan(device, rendered, held)
        perform(fresh, [*change.save, *change.steps])
        first = applying.holdings(device)[0]
        return {first.file: without_time(shown(fresh, first.line))}

    def fresh(self, name: str) -> SimulatedDevice:
        """A device out of its box, in the place of one of the building."""
        built = next(one for one in self.building.topology.devices if one.name == name)
        module = import_module(f"netcheck.lab.devices.{built.platform}.build")
        folder = self.folder / "fresh" / str(next(iter(self.numbers))) / name
        made: SimulatedDevice = module.build(built, folder, self.building)
        return made

    def taken(self, name: str, texts: Texts) -> tuple[SimulatedDevice, frozenset[str]]:
        """A fresh device that was given texts, and the lines that it refused."""
        device = self.fresh(name)
        if name in HOSTS:
            scripts = [text for file, text in texts.items() if file.endswith(".sh")]
            return device, frozenset(_scripts(device, scripts))
        (text,) = texts.values()
        if self.kind.load:
            device.files.write(self.kind.path, text, user="root")
            return device, frozenset(_lines(device, self.kind.load))
        lines = [line for line in text.splitlines() if line.strip() not in ("end", "!")]
        return device, frozenset(_lines(device, [*self.kind.before, *lines]))

    def held(self, changed: Holdings) -> Held:
        """What stands behind all ports where some devices hold other texts.

        Raises:
            RefusedError: One of them does not take its text.
        """
        before = dict(self.building.devices)
        try:
            for name, texts in changed.items():
                device, refused = self.taken(name, texts)
                if refused - self.refused[name]:
                    raise RefusedError("; ".join(sorted(refused - self.refused[name])))
                self.building.devices[name] = device
            bench = self.building.bench
            return Held(bench.network(), bench.routes(), dict(self.building.devices))
        finally:
            self.building.devices.update(before)

    def rendered(self, fabric: Fabric, names: Iterable[str]) -> dict[str, Texts]:
        """Texts of some devices, configured as another fabric says."""
        return {name: self.configured(fabric.devices[name], fabric) for name in names}


def without_time(text: str) -> str:
    """A shown configuration without the lines that differ from second to second."""
    lines = [line for line in text.splitlines() if not line.startswith(("!Time", "!Command"))]
    return "\n".join(lines) + "\n"


def shown(device: SimulatedDevice, line: str) -> str:
    """What one command prints in a new session."""
    return "".join(text for text, _ in _typed(device, [line]))


def perform(device: SimulatedDevice, steps: Sequence[Step]) -> None:
    """Take the steps of a plan.

    Raises:
        RefusedError: One of them failed.
    """
    for step in steps:
        if isinstance(step, Upload):
            device.files.write(step.path, step.text, user="root")
    answers = _typed(device, [step.line for step in steps if isinstance(step, Run)])
    for text, status in answers:
        if status or REFUSED.search(text):
            raise RefusedError(text.strip())


def _lines(device: SimulatedDevice, lines: Sequence[str]) -> list[str]:
    answers = zip(lines, _typed(device, lines), strict=True)
    return [
        f"{line.strip()}: {text.strip()}"
        for line, (text, status) in answers
        if status or REFUSED.search(text)
    ]


def _scripts(device: SimulatedDevice, texts: Sequence[str]) -> list[str]:
    answers = zip(texts, (_typed(device, [text])[0] for text in texts), strict=True)
    return [text.strip() or "failed" for _, (text, status) in answers if status]


def _typed(device: SimulatedDevice, lines: Sequence[str]) -> list[tuple[str, int]]:
    return asyncio.run(_session(device, lines))


async def _session(device: SimulatedDevice, lines: Sequence[str]) -> list[tuple[str, int]]:
    shell = device.new_shell()
    if isinstance(shell, Shell):
        shell.user = "root"
    if isinstance(shell, EosConsole):
        shell.is_privileged = True
    answers = []
    for line in lines:
        held: list[str] = []
        try:
            status = await shell.run(line, Streams(held.append, held.append))
        except ShellExit as end:
            status = end.status
        answers.append(("".join(held), status))
    return answers
