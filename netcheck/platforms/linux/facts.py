"""What one output says: facts, counters, defects and unread lines, each with its place."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import NamedTuple

from netcheck.model.device import Defect, DefectKind
from netcheck.model.document import Document, Evidence


class Owner(StrEnum):
    """Whose fact it is; the word is the first of an evidence key."""

    PORT = "port"
    RDMA = "rdma"
    DEVICE = "device"

    # looked up for every fact: that of the text is worked out once
    __hash__ = str.__hash__


class Spot(NamedTuple):
    """A line of a document; evidence is made of it for what somebody asks for."""

    document: Document
    line: int
    counter: str = ""

    @property
    def evidence(self) -> Evidence:
        """Where it stands."""
        document = self.document
        return Evidence(
            file=document.name,
            line=document.first_line + self.line - 1 if self.line else 0,
            command=document.command,
            counter=self.counter,
        )


class Fact(NamedTuple):
    """One field of one owner, in the model's words.

    Attributes:
        name: Port or RDMA device; empty where the output does not name it.
        value: What the field holds; UNKNOWN where the text is damaged.
        line: Line of the page that says it, from 1.
    """

    owner: Owner
    name: str
    field: str
    value: object
    line: int


class Reading(NamedTuple):
    """One counter, in the words of the tool that shows it; ``port`` may be an RDMA device."""

    port: str
    name: str
    value: int | None
    line: int


@dataclass(frozen=True, slots=True)
class Variable:
    """One variable of a job's environment; ``is_job`` beats what stands in a file."""

    name: str
    value: str
    is_job: bool
    spot: Spot


@dataclass(frozen=True, slots=True)
class Unread:
    """A line that no reader understood and that cannot touch QoS."""

    spot: Spot


Item = Fact | Reading | Variable | Unread | Defect


@dataclass(frozen=True, slots=True)
class Page:
    """One document and the port and RDMA device it is about (empty: not named)."""

    document: Document
    port: str = ""
    rdma: str = ""

    def numbered(self) -> Iterator[tuple[int, str]]:
        """Give ``(line number in the page, line)``, from 1, without line ends.

        Only line feeds end lines, as in editors: the numbers are evidence.
        """
        text = self.document.text
        lines = text.split("\n")
        if "\r" in text:
            lines = [line.removesuffix("\r") for line in lines]
        return iter(enumerate(lines, start=1))

    def at(self, line: int) -> Spot:
        """Where a line of the page stands."""
        return Spot(self.document, line)

    def of_port(self, name: str, value: object, line: int) -> Fact:
        """Give a fact of the port that the page is about."""
        return Fact(Owner.PORT, self.port, name, value, line)

    def of_rdma(self, name: str, value: object, line: int) -> Fact:
        """Give a fact of the RDMA device that the page is about."""
        return Fact(Owner.RDMA, self.rdma, name, value, line)

    def of_device(self, name: str, value: object, line: int) -> Fact:
        """Give a fact of the host."""
        return Fact(Owner.DEVICE, "", name, value, line)

    def unknown(self, line: int, message: str, *, found: str) -> Defect:
        """Say that a line that may carry QoS settings was not understood."""
        return replace(self.defect(line, message, found=found), kind=DefectKind.UNKNOWN_LINE)

    def defect(self, line: int, message: str, *, place: str = "", found: str = "") -> Defect:
        """Say what is wrong with a line that carries QoS settings or counters."""
        return Defect(
            kind=DefectKind.MALFORMED_VALUE,
            place=place or self.port or self.rdma or self.document.name,
            message=message,
            ports=(self.port,) if self.port else (),
            found=found,
            evidence=self.at(line).evidence,
        )
