"""``show lldp neighbors``: the text of lldpctl, one block a port."""

from __future__ import annotations

import re
from typing import Final

from netcheck.platforms.sonic.parsed.tables import Cell, Database, Row, Source, Table, Tables

_PORT: Final = re.compile(r"^Interface: +(?P<port>[^,\s]+),")
_DASHES: Final = re.compile(r"^-{20,}$")
_FIELDS: Final = (
    ("lldp_rem_sys_name", re.compile(r"^ +SysName: +(?P<text>\S+)$")),
    ("lldp_rem_port_id", re.compile(r"^ +PortID: +(?:ifname|local|mac) (?P<text>\S+)$")),
    ("lldp_rem_port_desc", re.compile(r"^ +PortDescr: +(?P<text>\S.*)$")),
)


def read_neighbours(source: Source, tables: Tables) -> None:
    """Put what the text says into LLDP_ENTRY_TABLE; a block without its port says nothing.

    Source: lldpd/lldpd src/client/display.c; sonic-net/sonic-utilities show/main.py.
    """
    found: dict[str, tuple[int, dict[str, Cell]]] = {}
    port = ""
    cells: dict[str, Cell] = {}
    for number, line in enumerate(source.document.text.split("\n"), 1):
        start = _PORT.match(line)
        if start is not None or _DASHES.match(line.strip()):
            port = start["port"] if start is not None else ""
            cells = {}
        if start is not None and port != "eth0":
            found[port] = source.offset(number), cells
        _take(line.rstrip(), cells, source, number)
    if found:
        rows = {
            name: Row(name, own, source, at, is_whole=False) for name, (at, own) in found.items()
        }
        tables.add(Database.APPL, Table("LLDP_ENTRY", rows, is_whole=False))


def _take(line: str, cells: dict[str, Cell], source: Source, number: int) -> None:
    for name, pattern in _FIELDS:
        match = pattern.match(line)
        if match is not None:
            cells.setdefault(name, Cell(match["text"], source, source.offset(number)))
