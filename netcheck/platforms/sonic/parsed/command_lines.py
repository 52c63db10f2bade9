"""Configuration command lines: ``config ...``, ``ecnconfig ...``, ``pfcwd ...``.

A list of commands says only what it sets: all else stays unknown, and where a
table of CONFIG_DB says the same thing, the table wins.
"""

from __future__ import annotations

import re
import shlex
from collections import defaultdict
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Final

from netcheck.model.device import Defect, DefectKind
from netcheck.platforms.sonic.parsed.json_tables import may_touch_qos
from netcheck.platforms.sonic.parsed.keys import read_ports
from netcheck.platforms.sonic.parsed.tables import Cell, Database, Row, Source, Table, Tables

_PROMPT: Final = re.compile(r"^(?:[\w@:~.-]*[$#] +)?(?:sudo +)?")
_ECN_FLAGS: Final = {
    f"-{colour[0]}{short}": f"{colour}_{long}"
    for colour in ("green", "yellow", "red")
    for short, long in (
        ("min", "min_threshold"),
        ("max", "max_threshold"),
        ("drop", "drop_probability"),
    )
}
_PROFILE_FLAGS: Final = {"pool", "xon", "xoff", "size", "dynamic_th"}
_PORT_FIELDS: Final = {"mtu": "mtu", "speed": "speed", "fec": "fec", "autoneg": "autoneg"}
_PLAIN: Final = re.compile(r"config (?:save|reload|load|load_minigraph|checkpoint|apply-patch)\b")


@dataclass(slots=True)
class _Lines:
    """What the lines set so far: table, key, field -> text and line."""

    source: Source
    tables: Tables
    line: int = 0
    cells: dict[tuple[str, str], dict[str, Cell]] = field(default_factory=lambda: defaultdict(dict))
    pfc: dict[str, set[int]] = field(default_factory=lambda: defaultdict(set))

    def put(self, table: str, key: str, fields: Mapping[str, str]) -> None:
        at = self.source.offset(self.line)
        made = {name: Cell(text, self.source, at) for name, text in fields.items()}
        self.cells[table, key].update(made)


def read_command_lines(source: Source, tables: Tables) -> None:
    """Put what the command lines set into the tables."""
    lines = _Lines(source, tables)
    for number, text in enumerate(source.document.text.split("\n"), 1):
        lines.line = number
        plain = _PROMPT.sub("", text.strip(), count=1)
        if plain and not plain.startswith("#") and not _read_line(plain, lines):
            _tell(plain, lines)
    found: dict[str, dict[str, Row]] = defaultdict(dict)
    for (table, key), cells in lines.cells.items():
        at = next(iter(cells.values())).place if cells else -1
        found[table][key] = Row(key, cells, source, at, is_whole=False)
    for table, rows in found.items():
        tables.add(Database.CONFIG, Table(table, rows, is_whole=False), tell=False)


def _read_line(text: str, lines: _Lines) -> bool:
    """Take one line; False when it is none that is read."""
    try:
        words = shlex.split(text)
    except ValueError:
        return False
    for start, reader in _READERS:
        if tuple(words[: len(start)]) == start:
            try:
                return reader(words[len(start) :], lines)
            except (IndexError, ValueError):
                return False
    return False


def _tell(text: str, lines: _Lines) -> None:
    evidence = lines.source.at_line(lines.line)
    if not may_touch_qos(text) or _PLAIN.match(text):
        lines.tables.unread.append(evidence)
        return
    message = f"{lines.source.document.name} line {lines.line} is not read: {text}"
    defect = Defect(DefectKind.UNKNOWN_LINE, text, message, found=text, evidence=evidence)
    lines.tables.defects.append(defect)


def _flags(words: list[str]) -> dict[str, str]:
    """Options with their values, dashes kept off."""
    found = {}
    at = 0
    while at < len(words):
        if not words[at].startswith("-"):
            raise ValueError(words[at])
        found[words[at].lstrip("-")] = words[at + 1]
        at += 2
    return found


def _ecn(words: list[str], lines: _Lines) -> bool:
    flags = _flags(words)
    name = flags.pop("profile", None) or flags.pop("p", None)
    if name is None or not all(f"-{flag}" in _ECN_FLAGS for flag in flags):
        return False
    lines.put("WRED_PROFILE", name, {_ECN_FLAGS[f"-{flag}"]: t for flag, t in flags.items()})
    return True


def _pfc_priority(words: list[str], lines: _Lines) -> bool:
    port, priority, state = words
    enabled = lines.pfc[port]
    if state == "on":
        enabled.add(int(priority))
    elif state == "off":
        enabled.discard(int(priority))
    else:
        return False
    text = ",".join(map(str, sorted(enabled)))
    lines.put("PORT_QOS_MAP", port, {"pfc_enable": text})
    return True


def _pfc_asymmetric(words: list[str], lines: _Lines) -> bool:
    port, state = words
    lines.put("PORT", port, {"pfc_asym": state})
    return True


def _cable_length(words: list[str], lines: _Lines) -> bool:
    port, length = words
    lines.put("CABLE_LENGTH", "AZURE", {port: length})
    return True


def _port_field(name: str) -> Callable[[list[str], _Lines], bool]:
    def read(words: list[str], lines: _Lines) -> bool:
        port, text = words[0], words[1]
        state = {"enabled": "on", "disabled": "off"}.get(text, text)
        lines.put("PORT", port, {name: state if name == "autoneg" else text})
        return True

    return read


def _admin(state: str) -> Callable[[list[str], _Lines], bool]:
    def read(words: list[str], lines: _Lines) -> bool:
        for port in read_ports(words[0]):
            lines.put("PORT", port, {"admin_status": state})
        return True

    return read


def _priority_group(words: list[str], lines: _Lines) -> bool:
    verb, port, groups, *profile = words
    if verb not in {"add", "set"}:
        return False
    lines.put("BUFFER_PG", f"{port}|{groups}", {"profile": profile[0] if profile else "NULL"})
    return True


def _buffer_queue(words: list[str], lines: _Lines) -> bool:
    verb, port, queues, profile = words
    if verb not in {"add", "set"}:
        return False
    lines.put("BUFFER_QUEUE", f"{port}|{queues}", {"profile": profile})
    return True


def _buffer_profile(words: list[str], lines: _Lines) -> bool:
    verb, name, *rest = words
    flags = _flags(rest)
    if verb not in {"add", "set"} or not flags.keys() <= _PROFILE_FLAGS:
        return False
    lines.put("BUFFER_PROFILE", name, flags)
    return True


def _shared_headroom(words: list[str], lines: _Lines) -> bool:
    what, text = words
    if what == "over-subscribe-ratio":
        lines.put("DEFAULT_LOSSLESS_BUFFER_PARAMETER", "AZURE", {"over_subscribe_ratio": text})
    elif what == "size":
        lines.put("BUFFER_POOL", "ingress_lossless_pool", {"xoff": text})
    else:
        return False
    return True


def _watchdog_start(words: list[str], lines: _Lines) -> bool:
    fields: dict[str, str] = {}
    plain: list[str] = []
    rest = iter(words)
    for word in rest:
        if word in {"--action", "-a"}:
            fields["action"] = next(rest, "")
        elif word in {"--restoration-time", "-r"}:
            fields["restoration_time"] = next(rest, "")
        elif word.startswith("-"):
            return False
        else:
            plain.append(word)
    *ports, fields["detection_time"] = plain
    if not ports or "all" in ports:
        return False
    for port in ports:
        lines.put("PFC_WD", port, fields)
    return True


def _watchdog_interval(words: list[str], lines: _Lines) -> bool:
    (interval,) = words
    lines.put("PFC_WD", "GLOBAL", {"POLL_INTERVAL": interval})
    return True


_READERS: Final = (
    (("ecnconfig",), _ecn),
    (("config", "ecn"), _ecn),
    (("config", "interface", "pfc", "priority"), _pfc_priority),
    (("pfc", "config", "priority"), lambda w, lines: _pfc_priority([w[1], w[2], w[0]], lines)),
    (("config", "interface", "pfc", "asymmetric"), _pfc_asymmetric),
    (("config", "interface", "cable-length"), _cable_length),
    (("config", "interface", "cable_length"), _cable_length),
    *((("config", "interface", word), _port_field(name)) for word, name in _PORT_FIELDS.items()),
    (("config", "interface", "startup"), _admin("up")),
    (("config", "interface", "shutdown"), _admin("down")),
    (("config", "interface", "buffer", "priority-group", "lossless"), _priority_group),
    (("config", "interface", "buffer", "queue"), _buffer_queue),
    (("config", "buffer", "profile"), _buffer_profile),
    (("config", "buffer", "shared-headroom-pool"), _shared_headroom),
    (("config", "pfcwd", "start"), _watchdog_start),
    (("pfcwd", "start"), _watchdog_start),
    (("config", "pfcwd", "interval"), _watchdog_interval),
    (("pfcwd", "interval"), _watchdog_interval),
)
