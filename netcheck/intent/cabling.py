"""Links: ranges at both ends in lockstep, and cabling plans as CSV."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterator
from operator import itemgetter
from pathlib import Path
from sys import intern

from netcheck.intent.complaint import suggest
from netcheck.intent.fields import Fields, Layer
from netcheck.intent.nodes import Node, decode
from netcheck.intent.ranges import RangeError, lockstep, parse_pattern
from netcheck.intent.units import LENGTH_M, TIME_NS, Quantity, parse_quantity
from netcheck.model.document import Evidence
from netcheck.model.errors import InputError
from netcheck.model.fabric import Link, PortRef
from netcheck.model.known import UNKNOWN, Known

REQUIRED = ("a_device", "a_port", "b_device", "b_port")
# a range, a colon that could belong to either part of an end, and blanks
UNTIDY = ("[", ":", " ", "\t")
OPTIONAL = ("cable", "extra_delay", "media")
# a unit in a column's name lets its numbers go without
UNITS_IN_NAMES = {"cable_m": ("cable", "m"), "length_m": ("cable", "m"), "length": ("cable", "")}


def build_links(links: Fields) -> list[Link]:
    """Give the links that a ``links`` section declares.

    Raises:
        InputError: A cabling plan cannot be read.
    """
    found: list[Link] = []
    for layer in links.layers:
        node = layer.node
        entries = node.items or [node]
        for number, entry in enumerate(entries):
            path = f"links[{number}]" if node.items else "links"
            fields = Fields([Layer(entry, key_at=entry.at)], links.complaints, path)
            found += _plan(fields) if "csv" in entry.mapping else _entry(fields)
    return found


def _entry(fields: Fields) -> Iterator[Link]:
    a, b = fields.find("a"), fields.find("b")
    if not (a and b and isinstance(a[0].value, str) and isinstance(b[0].value, str)):
        return
    if ":" not in a[0].value or ":" not in b[0].value:
        return
    try:
        fields.complaints.count_names(a[0].at, parse_pattern(a[0].value).count)
        pairs = lockstep(a[0].value, b[0].value)
    except RangeError as error:
        fields.complain("", str(error))
        return
    node = fields.layers[0].node
    for left, right, axes in pairs:
        one = Fields([Layer(node, axes, key_at=fields.at)], fields.complaints, fields.path)
        yield Link(
            _end(left),
            _end(right),
            one.exact("cable", LENGTH_M),
            one.exact("extra_delay", TIME_NS),
            one.verbatim("media"),
            a[0].at,
        )


def _end(text: str) -> PortRef:
    device, _, port = text.partition(":")
    return PortRef(device.strip(), port.strip())


def _plan(fields: Fields) -> Iterator[Link]:
    """Links of a CSV file with a header; names of columns as in ``columns`` or ours."""
    name = str(fields.verbatim("csv"))
    at = fields.place("csv")
    path = Path(at.file).parent / name
    try:
        text = decode(path.read_bytes(), str(path))
    except OSError as error:
        fields.complain("csv", f"{path}: {error.strerror or error}")
        return
    reader = csv.reader(io.StringIO(text, newline=""), strict=True)
    try:
        rows = [(reader.line_num, row) for row in reader if "".join(row).strip()]
    except csv.Error as error:
        raise InputError(f"{path}:{reader.line_num}: not CSV: {error}") from error
    if not rows:
        fields.complain("csv", f"{path}: empty, expected a header and links")
        return
    columns = _columns(fields, rows[0][1], Evidence(str(path), rows[0][0]))
    if columns is not None:
        is_tidy = not any(sign in text for sign in UNTIDY)
        plan = _Plan(fields, str(path), columns, is_tidy=is_tidy)
        for line, row in rows[1:]:
            plain = plan.plain_link(line, row)
            if plain is None:
                yield from plan.link(line, row)
            else:
                yield plain


def _columns(fields: Fields, header: list[str], at: Evidence) -> dict[str, tuple[int, str]] | None:
    """Our column -> its number and the unit that its name carries."""
    titles = {title.strip().lower(): number for number, title in enumerate(header)}
    renamed = fields.child("columns")
    found: dict[str, tuple[int, str]] = {}
    for title, (column, unit) in UNITS_IN_NAMES.items():
        if title in titles:
            found[column] = (titles[title], unit)
    for column in (*REQUIRED, *OPTIONAL):
        stated = renamed.verbatim(column)
        title = stated.lower() if isinstance(stated, str) else column
        if title in titles:
            found[column] = (titles[title], "")
        elif column in REQUIRED or isinstance(stated, str):
            message = f"no column {title}{suggest(title, titles)}"
            fields.complaints.add(at, message)
    return found if all(column in found for column in REQUIRED) else None


def _nothing(_row: list[str]) -> None:
    """What a row says of a link, where no column does."""


_Said = tuple[Known[float], Known[float], Known[str]]


class _Plan:
    """Rows of a cabling plan; a tidy one has nothing in any name that needs a closer look."""

    def __init__(
        self, fields: Fields, path: str, columns: dict[str, tuple[int, str]], *, is_tidy: bool
    ) -> None:
        self.is_tidy = is_tidy
        self.fields = fields
        self.path = path
        self.columns = columns
        self._ends_of = itemgetter(*(columns[column][0] for column in REQUIRED))
        optional = [columns[column][0] for column in OPTIONAL if column in columns]
        self._facts_of: Callable[[list[str]], object] = (
            itemgetter(*optional) if optional else _nothing
        )
        self._said: dict[object, _Said] = {}

    def plain_link(self, line: int, row: list[str]) -> Link | None:
        """Give the link of a row without ranges or anything wrong; None for any other row."""
        try:
            ends, key = self._ends_of(row), self._facts_of(row)
        except IndexError:
            return None
        if not self.is_tidy:
            text = "".join(ends)
            if "[" in text or ":" in text:
                return None
            ends = tuple([cell.strip() for cell in ends])
        # interned: these names are looked up again and again
        a, a_port, b, b_port = map(intern, ends)
        if not (a and a_port and b and b_port):
            return None
        said = self._said.get(key)
        if said is None:
            said = self._optional_cells(row)
            if said is None:
                return None
            self._said[key] = said
        at = Evidence(self.path, line)
        self.fields.complaints.count_names(at, 1)
        return Link(PortRef(a, a_port), PortRef(b, b_port), *said, at)

    def _optional_cells(self, row: list[str]) -> _Said | None:
        """Length, delay and media of a row; None where one is wrong, which is told elsewhere."""
        texts = [self._cell(row, column) or self._default(column) for column in OPTIONAL[:2]]
        try:
            length, delay = [
                float(parse_quantity(text, quantity)) if text else UNKNOWN
                for text, quantity in zip(texts, (LENGTH_M, TIME_NS), strict=True)
            ]
        except ValueError:
            return None
        return length, delay, self._cell(row, "media") or UNKNOWN

    def _cell(self, row: list[str], column: str) -> str:
        number, unit = self.columns.get(column, (len(row), ""))
        cell = row[number].strip() if number < len(row) else ""
        return f"{cell}{unit}" if cell else ""

    def link(self, line: int, row: list[str]) -> Iterator[Link]:
        at = Evidence(self.path, line)
        ends = [self._cell(row, column) for column in REQUIRED]
        for column, cell in zip(REQUIRED, ends, strict=True):
            if not cell:
                self.fields.complaints.add(at, f"{column}: empty")
        if not all(ends):
            return
        a, b = f"{ends[0]}:{ends[1]}", f"{ends[2]}:{ends[3]}"
        try:
            self.fields.complaints.count_names(at, parse_pattern(a).count if "[" in a else 1)
            pairs = lockstep(a, b) if "[" in a + b else [(a, b, ())]
        except RangeError as error:
            self.fields.complaints.add(at, str(error))
            return
        for left, right, _ in pairs:
            yield Link(
                _end(left),
                _end(right),
                self._quantity(at, row, "cable", LENGTH_M),
                self._quantity(at, row, "extra_delay", TIME_NS),
                self._cell(row, "media") or UNKNOWN,
                at,
            )

    def _quantity(
        self, at: Evidence, row: list[str], column: str, quantity: Quantity
    ) -> Known[float]:
        cell = self._cell(row, column) or self._default(column)
        if not cell:
            return UNKNOWN
        try:
            return float(parse_quantity(cell, quantity))
        except ValueError as error:
            self.fields.complaints.add(at, f"{column}: {error}")
            return UNKNOWN

    def _default(self, column: str) -> str:
        stated: Known[str] | Node = self.fields.verbatim(column)
        return stated if isinstance(stated, str) else ""
