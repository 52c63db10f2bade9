"""Texts of ``nv show``: fields in columns, tables below them, laid out by ``data/tables.yaml``."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache
from importlib import resources
from typing import Any

import yaml

from netcheck.lab.devices.cumulus.tree import at
from netcheck.lab.devices.cumulus.views import View
from netcheck.lab.devices.cumulus.words import human

Rows = Sequence[tuple[str, ...]]


@cache
def _data() -> dict[str, Any]:  # Any: the shape of the data file
    data = resources.files("netcheck.lab.devices.cumulus").joinpath("data/tables.yaml")
    found: dict[str, Any] = yaml.safe_load(data.read_text("utf-8"))
    return found


def render(path: Sequence[str], view: View) -> str:
    """Give an object as the text of its command."""
    sections = _sections(path)
    used = {section["at"][0] for section in sections if section["at"]}
    is_table = any(not section["at"] for section in sections)
    fields = [] if is_table else list(_fields({k: v for k, v in view.items() if k not in used}))
    parts = []
    if fields or (path[0] != "interface" and not is_table):
        rows = [(name, value, value if _is_applied(path, name) else "") for name, value in fields]
        parts.append(_table(("", "operational", "applied"), rows))
    parts += [_section(section, view) for section in sections]
    return "\n\n".join(parts) + "\n"


def _is_applied(path: Sequence[str], name: str) -> bool:
    """The field is configured; what follows from it is operational alone."""
    if path[0] == "interface":
        return name == "state"
    return tuple(path) != ("qos", "roce") or not name.startswith(" ")


def _sections(path: Sequence[str]) -> list[dict[str, Any]]:
    for layout in _data()["layouts"]:
        words = layout["path"].split()
        pairs = zip(words, path, strict=False)
        if len(words) == len(path) and all(word in ("*", given) for word, given in pairs):
            found: list[dict[str, Any]] = layout["sections"]
            return found
    return []


def _fields(view: View, depth: int = 0) -> Iterator[tuple[str, str]]:
    indent = "  " * depth
    for name, value in view.items():
        if not isinstance(value, dict):
            yield f"{indent}{name}", _shown(name, value)
        elif value and not any(isinstance(below, dict) for below in value.values()):
            yield f"{indent}{name}", ""
            yield from _fields(value, depth + 1)
        elif all(below == {} for below in value.values()):
            yield from ((f"{indent}[{name}]", str(key)) for key in value)
        else:
            yield f"{indent}{name}", ""
            yield from _fields(value, depth + 1)


def _shown(leaf: str, value: object) -> str:
    return human(value) if leaf in _data()["bytes"] and isinstance(value, int) else str(value)


def _section(section: dict[str, Any], view: View) -> str:
    found = at(view, section["at"])
    rows: View = found if isinstance(found, dict) else {}
    title = section.get("title", "")
    if "transposed" in section:
        body = _transposed(section["transposed"], rows)
    elif rows:
        heads = (section["key"], *section["columns"])
        leaves = section["columns"].values()
        body = _table(
            heads,
            [
                (key, *(_shown(leaf, row.get(leaf, "")) for leaf in leaves))
                for key, row in rows.items()
            ],
        )
    else:
        body = "No Data"
    if not title:
        return body
    lines = body.split("\n") if body != "No Data" else []
    inner = "\n".join(f"    {line}" for line in lines) if lines else body
    return f"{title}\n{'=' * (len(title) + 3)}\n{inner}"


def _transposed(ways: Sequence[str], rows: View) -> str:
    names = sorted({name for way in ways for name in rows.get(way, {})})
    table = [(name, *(str(rows.get(way, {}).get(name, "n/a")) for way in ways)) for name in names]
    return _table(("Counter", "Receive", "Transmit"), table)


def _table(heads: tuple[str, ...], rows: Rows) -> str:
    widths = [max(len(row[i]) for row in (heads, *rows)) for i in range(len(heads))]
    rule = tuple("-" * (width or 2) for width in widths)
    widths = [len(mark) for mark in rule]
    return "\n".join(
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True))
        for row in (heads, rule, *rows)
    )
