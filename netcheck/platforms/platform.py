"""What a platform is: one folder, the same modules in each, found by walking.

A platform folder holds ``capabilities.yaml``, ``templates/``, ``render.py``,
``parse.py``, ``commands.py``, ``recognise.py``, ``apply.py``, ``quirks.py``,
``anchors.yaml`` and ``README.md``. Its modules offer the functions of the
protocols below; ``load`` binds them together, each module on first use.
"""

from __future__ import annotations

import importlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cache
from pathlib import Path
from typing import Protocol, cast

from netcheck.model.device import Device
from netcheck.model.document import Document, DocumentKind, Recognition
from netcheck.model.errors import InputError
from netcheck.model.fabric import Fabric
from netcheck.model.frozen import frozen
from netcheck.platforms.declared import declared

LARGE = 1_000_000  # characters, from which on it matters who is asked first


class Impact(StrEnum):
    """What applying a change disturbs, from nothing to the whole device."""

    NONE = "none"
    COUNTERS = "counters"
    QUEUE = "queue"
    PORT = "port"
    DEVICE = "device"


@frozen
class Command:
    """One read-only command and what it is for.

    Attributes:
        line: What is typed; ``{port}`` and ``{rdma}`` stand for each of the
            device's RoCE ports and devices, ``{hca}`` for each InfiniBand adapter.
        file: Name of the output in a snapshot, with the same placeholders.
        kind: CONFIG, STATE or COUNTERS; perf reads COUNTERS only.
        may_fail: A non-zero exit status means "not there", not "no answer".
    """

    line: str
    file: str
    kind: DocumentKind
    may_fail: bool = False


@frozen
class Upload:
    """Put a text on the device: written beside ``path`` and renamed over it, as root."""

    path: str
    text: str
    mode: int = 0o644


@frozen
class Run:
    """Run a command that must exit 0 (as root where the device has users)."""

    line: str
    timeout_s: float = 120.0


Step = Upload | Run


@frozen
class Removal:
    """An object inside the owned part that the new configuration does not have."""

    object: str


@frozen
class Change:
    """How one device gets from what it holds to what is rendered.

    Attributes:
        objects: Changed objects in the device's own words, with old and new text.
        removals: Objects that go away.
        save: Steps that keep what the device holds now, so that ``undo`` works.
        steps: Steps that make the change; none when nothing differs.
        undo: Steps that bring back what was kept.
        persist: Steps that make the change survive a reboot.
        impact, reason, source: What it disturbs, why, and which document says so.
    """

    objects: tuple[tuple[str, str, str], ...] = ()
    removals: tuple[Removal, ...] = ()
    save: tuple[Step, ...] = ()
    steps: tuple[Step, ...] = ()
    undo: tuple[Step, ...] = ()
    persist: tuple[Step, ...] = ()
    impact: Impact = Impact.NONE
    reason: str = ""
    source: str = ""

    @property
    def is_empty(self) -> bool:
        """Nothing differs."""
        return not self.steps


@frozen
class Refusal:
    """What a platform cannot express: the limit's name, the place, the reason."""

    limit: str
    place: str
    reason: str


class RenderModule(Protocol):
    """``render.py``."""

    def refusals(self, device: Device, fabric: Fabric) -> list[Refusal]:
        """Everything in the device's policy that the platform cannot express."""

    def render(self, device: Device, fabric: Fabric) -> Mapping[str, str]:
        """Give ``file name -> text``, byte-stable. Raises RefusalError on any refusal."""


class ParseModule(Protocol):
    """``parse.py``."""

    def parse(self, documents: Sequence[Document], *, name: str) -> Device:
        """Give what one device's documents (of one reading) say. Never raises on content."""


class CommandsModule(Protocol):
    """``commands.py``."""

    def commands(self, device: Device) -> tuple[Command, ...]:
        """Read-only commands, in order."""

    def is_read_only(self, line: str) -> bool:
        """Whether a command line is on the platform's allow-list."""


class RecogniseModule(Protocol):
    """``recognise.py``."""

    def recognise(self, document: Document) -> Recognition | None:
        """Say what a text is, or None when it is not this platform's."""


class ApplyModule(Protocol):
    """``apply.py``."""

    def holdings(self, device: Device) -> tuple[Command, ...]:
        """Read-only commands whose outputs ``plan`` has to see."""

    def plan(self, device: Device, rendered: Mapping[str, str], held: Mapping[str, str]) -> Change:
        """Give the change from what the device holds to what is rendered.

        ``held`` maps ``Command.file`` of each of ``holdings`` to its output; a
        file is missing where the command failed and may fail. Raises InputError
        when a held text is unreadable.
        """


@dataclass(frozen=True)
class Platform:
    """One platform; modules load on first use, so that lint does not pay for deploy."""

    name: str
    modules: dict[str, object] = field(default_factory=dict, compare=False)

    def _module(self, noun: str) -> object:
        if noun not in self.modules:
            self.modules[noun] = importlib.import_module(f"netcheck.platforms.{self.name}.{noun}")
        return self.modules[noun]

    @property
    def rendering(self) -> RenderModule:
        """``render.py`` of the platform."""
        return cast("RenderModule", self._module("render"))

    @property
    def parsing(self) -> ParseModule:
        """``parse.py`` of the platform."""
        return cast("ParseModule", self._module("parse"))

    @property
    def reading(self) -> CommandsModule:
        """``commands.py`` of the platform."""
        return cast("CommandsModule", self._module("commands"))

    @property
    def recognising(self) -> RecogniseModule:
        """``recognise.py`` of the platform."""
        return cast("RecogniseModule", self._module("recognise"))

    @property
    def applying(self) -> ApplyModule:
        """``apply.py`` of the platform."""
        return cast("ApplyModule", self._module("apply"))


@cache
def platform_names() -> tuple[str, ...]:
    """Names of all platforms, by walking the folder."""
    here = Path(__file__).parent
    return tuple(sorted(entry.parent.name for entry in here.glob("*/capabilities.yaml")))


@cache
def load(name: str) -> Platform:
    """Give the platform of that name.

    Raises:
        InputError: There is no such platform.
    """
    if name not in platform_names():
        known = ", ".join(platform_names())
        message = f"platform {name}: unknown; expected one of {known}"
        raise InputError(message)
    return Platform(name)


def recognise(document: Document, names: Iterable[str] | None = None) -> Recognition | None:
    """Ask each platform whether a text is its own; the first that says so wins.

    Of a large text those are asked first that look at its beginning only.
    """
    asked = names if names is not None else platform_names()
    if len(document.text) > LARGE:
        asked = sorted(asked, key=lambda name: declared(name).get("sniffs") is not True)
    for name in asked:
        found = load(name).recognising.recognise(document)
        if found is not None:
            return found
    return None
