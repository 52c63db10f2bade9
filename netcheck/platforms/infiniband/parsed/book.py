"""What the outputs of one subnet say, gathered until all of them are read.

Outputs name a node by its GUID, by the GUID of one of its ports or by a LID;
which node that is shows only when all are read.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Final

from netcheck.model.counters import Counter, CounterKey
from netcheck.model.device import Defect, DefectKind
from netcheck.model.document import Document, Evidence
from netcheck.model.infiniband import (
    IbDuplicate,
    IbEvent,
    IbGroup,
    IbManager,
    IbPath,
    NodeKind,
    SchedulerSwitch,
    guid_key,
)

MAX_DEFECTS: Final = 100
MAX_UNREAD: Final = 100
SWITCH_PORT: Final = 0

Facts = dict[str, Any]  # Any: fields of IbPort and IbNode


@dataclass(frozen=True, slots=True)
class Ref:
    """A node as an output names it: by ``guid``, by ``lid``, or by its description."""

    guid: int = 0
    lid: int = 0
    description: str = ""


@dataclass(slots=True)
class Draft:
    """A node on its way: its facts, and those of its ports by number."""

    facts: Facts = field(default_factory=dict)
    ports: dict[int, Facts] = field(default_factory=dict)

    def put(self, name: str, value: object) -> None:
        """Set a fact that no earlier output told."""
        self.facts.setdefault(name, value)

    def port(self, number: int) -> Facts:
        """Facts of a port."""
        found = self.ports.get(number)
        if found is None:
            found = self.ports[number] = {}
        return found


@dataclass(frozen=True, slots=True)
class Said:
    """One fact of a port (or of a node: ``port`` is None) whose node is named by ``ref``."""

    ref: Ref
    port: int | None
    name: str
    value: object
    evidence: Evidence


@dataclass(frozen=True, slots=True)
class Count:
    """One counter of a port; ``port`` is None where all ports were counted together."""

    ref: Ref
    port: int | None
    name: str
    value: int
    evidence: Evidence


@dataclass(slots=True)
class Book:
    """Everything that was read."""

    nodes: dict[str, Draft] = field(default_factory=dict)
    by_port_guid: dict[int, tuple[str, int]] = field(default_factory=dict)
    by_lid: dict[int, tuple[str, int]] = field(default_factory=dict)
    said: list[Said] = field(default_factory=list)
    counts: list[Count] = field(default_factory=list)
    paths: list[IbPath] = field(default_factory=list)
    groups: list[IbGroup] | None = None
    managers: list[IbManager] | None = None
    lists_managers: bool = False
    duplicates: list[IbDuplicate] = field(default_factory=list)
    events: list[IbEvent] = field(default_factory=list)
    engine: str = ""
    is_up: bool | None = None
    is_whole: bool = False
    counts_all: bool = False
    hidden_errors: set[str] = field(default_factory=set)
    scheduler: list[SchedulerSwitch] | None = None
    defects: list[Defect] = field(default_factory=list)
    unread: list[Evidence] = field(default_factory=list)
    counters: dict[CounterKey, Counter] = field(default_factory=dict)

    def node(self, guid: int, kind: NodeKind | None = None) -> Draft:
        """Give the node of a GUID; one is made where there is none yet."""
        key = guid_key(guid)
        draft = self.nodes.get(key)
        if draft is None:
            draft = self.nodes[key] = Draft()
            draft.facts["guid"] = guid
        if kind is not None:
            draft.facts.setdefault("kind", kind)
        return draft

    def has_lid(self, lid: int, key: str, port: int) -> None:
        """Note whose LID it is; 0 is none."""
        if lid:
            self.by_lid.setdefault(lid, (key, port))

    def found_group(self, group: IbGroup) -> None:
        """Note a multicast group: from now on groups are known."""
        self.groups = self.groups or []
        self.groups.append(group)

    def found_manager(self, manager: IbManager) -> None:
        """Note a subnet manager: from now on managers are known."""
        self.managers = self.managers or []
        self.managers.append(manager)

    def complain(self, evidence: Evidence, message: str, found: str = "") -> None:
        """Add a defect; after the first hundred the rest is left out, which is said."""
        if len(self.defects) == MAX_DEFECTS:
            message, found = "more lines are damaged; the rest is left out", ""
        if len(self.defects) <= MAX_DEFECTS:
            self.defects.append(
                Defect(
                    DefectKind.MALFORMED_VALUE,
                    f"{evidence.file}:{evidence.line}",
                    message,
                    expected=message,
                    found=found[:100] or "damaged",
                    evidence=evidence,
                )
            )

    def pass_over(self, evidence: Evidence) -> None:
        """Keep a line that was recognised and not used."""
        if len(self.unread) < MAX_UNREAD:
            self.unread.append(evidence)


@dataclass(frozen=True, slots=True)
class Page:
    """One output, without the line that names its command."""

    document: Document

    @property
    def text(self) -> str:
        """The output itself."""
        return self.document.text

    @property
    def command(self) -> str:
        """Command that printed it; may be empty."""
        return self.document.command

    def at(self, number: int, counter: str = "") -> Evidence:
        """Place of a line, counted from 0."""
        document = self.document
        return Evidence(document.name, document.first_line + number, 0, document.command, counter)

    def numbered(self) -> Iterator[tuple[int, str]]:
        """Lines with their numbers, counted from 0."""
        return enumerate(self.text.splitlines())
