"""Bad cases of error rules on devices that hold them, and the referees that show the harm.

The table is ``bad_cases.yaml``; its head says what a row holds. No referee here
knows a rule: the data plane runs what the devices' own readers make of a text.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from fnmatch import fnmatch
from pathlib import Path
from typing import Any

import yaml

from tests.mutation.world import Holdings, Texts

TABLE = Path(__file__).with_name("bad_cases.yaml")
CONFIG = "config_db.json"
Row = dict[str, Any]  # Any: what the YAML file holds


def rows() -> dict[str, Row]:
    """Give the table. Shape: ``rule -> row``."""
    loaded: dict[str, Row] = yaml.safe_load(TABLE.read_text("utf-8"))
    return loaded


def changed(texts: Holdings, change: Mapping[str, Any]) -> Holdings:
    """Texts of the devices that a row changes.

    Raises:
        ValueError: A device, an object or a line of the change is not there.
    """
    found: dict[str, Texts] = {}
    for pattern, edits in change.items():
        named = [name for name in texts if fnmatch(name, pattern)]
        if not named:
            raise ValueError(f"no device {pattern}")
        for name in named:
            found[name] = _edited(found.get(name, texts[name]), edits)
    return found


def _edited(held: Texts, edits: Mapping[str, Any]) -> Texts:
    if CONFIG not in held or any('"' in path for path in edits):
        return _replaced(held, edits)
    tables = json.loads(held[CONFIG])
    put(tables, edits)
    return {**held, CONFIG: json.dumps(tables, indent=2) + "\n"}


def put(tables: dict[str, Any], edits: Mapping[str, Any]) -> None:
    """Put values where paths lead.

    Raises:
        ValueError: A path leads nowhere.
    """
    for path, value in edits.items():
        if not list(_set(tables, path.split("/"), value)):
            raise ValueError(f"nothing at {path}")


def _set(tables: dict[str, Any], path: list[str], value: Any) -> Iterator[str]:
    """Put a value (or take it away: None) wherever a path leads; ``*`` in it stands for any."""
    first, rest = path[0], path[1:]
    if not rest and "*" not in first:
        tables[first] = value
        if value is None:
            del tables[first]
        yield first
        return
    for key in [key for key in tables if fnmatch(key, first)]:
        if rest:
            yield from _set(tables[key], rest, value)
        else:
            yield from _set(tables, [key], value)


def _replaced(held: Texts, edits: Mapping[str, str]) -> Texts:
    """Texts with some lines (or parts of them) replaced by others, wherever they stand."""
    found = dict(held)
    for old, new in edits.items():
        files = [name for name, text in found.items() if old in text]
        if not files:
            raise ValueError(f"nowhere: {old}")
        for name in files:
            found[name] = found[name].replace(old, new)
    return found
