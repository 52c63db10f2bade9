"""Outputs of ``show`` into tables and counters."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Final

from netcheck.model.counters import CounterClass, CounterKey, Meaning
from netcheck.model.device import Defect, DefectKind
from netcheck.model.digits import is_whole
from netcheck.platforms.sonic.parsed.counter_names import Sense
from netcheck.platforms.sonic.parsed.counters import Counts, counted
from netcheck.platforms.sonic.parsed.grids import Block, Grid, GridRow, ShowText, read_show
from netcheck.platforms.sonic.parsed.tables import Cell, Database, Row, Source, Table, Tables

_NOISE: Final = re.compile(
    r"For namespace|Last cached time|Capability codes|Total entries|Changed polling interval"
    r"|Reported statistics|occupancy|dropped packets|headroom per|maximum|^\S+[$#>] ?|cleared"
)
_INTERVAL: Final = re.compile(r"^Changed polling interval to (\d+)ms$")
_NUMBERED: Final = re.compile(r"(?:PFC|PG|UC|MC|ALL|VOQ)(\d+)")
_CONGESTION: Final = CounterClass.CONGESTION
_ZERO: Final = CounterClass.MUST_BE_ZERO
_INFORMATION: Final = CounterClass.INFORMATION
_GAUGE: Final = CounterClass.GAUGE

_QUEUE_COLUMNS: Final = {
    "Counter/pkts": Sense(Meaning.QUEUE_PACKETS, _INFORMATION),
    "Counter/bytes": Sense(Meaning.QUEUE_BYTES, _INFORMATION, "bytes"),
    "Drop/pkts": Sense(Meaning.QUEUE_DROP, _ZERO),
    "Drop/bytes": Sense(Meaning.OTHER, _INFORMATION, "bytes"),
    "WredDrp/pkts": Sense(Meaning.WRED_DROP, _ZERO),
    "WredDrp/bytes": Sense(Meaning.OTHER, _INFORMATION, "bytes"),
    "EcnMarked/pkts": Sense(Meaning.ECN_MARKED, _CONGESTION),
    "EcnMarked/bytes": Sense(Meaning.OTHER, _INFORMATION, "bytes"),
}
_PORT_COLUMNS: Final = {
    "RX_OK": Sense(Meaning.PORT_RX_PACKETS, _INFORMATION),
    "TX_OK": Sense(Meaning.PORT_TX_PACKETS, _INFORMATION),
    "RX_ERR": Sense(Meaning.PHYSICAL_ERROR, _ZERO),
    "TX_ERR": Sense(Meaning.PHYSICAL_ERROR, _ZERO),
    "RX_DRP": Sense(Meaning.PORT_INGRESS_DROP, _ZERO),
    "TX_DRP": Sense(Meaning.PORT_EGRESS_DROP, _ZERO),
    "RX_OVR": Sense(Meaning.OTHER, _ZERO),
    "TX_OVR": Sense(Meaning.OTHER, _ZERO),
}
_HISTORY_COLUMNS: Final = {
    "RX Pause Transitions": Sense(Meaning.OTHER, _CONGESTION, "events"),
    "Total RX Pause Time US": Sense(Meaning.PFC_RX_DURATION, _CONGESTION, "us"),
    "Recent RX Pause Time US": Sense(Meaning.OTHER, _GAUGE, "us"),
}
_WATCHDOG_COLUMNS: Final = {
    "STORM DETECTED/RESTORED": (
        Sense(Meaning.WATCHDOG_STORM, _ZERO, "events"),
        Sense(Meaning.WATCHDOG_RESTORED, _INFORMATION, "events"),
    ),
    "TX OK/DROP": (Sense(Meaning.OTHER, _INFORMATION), Sense(Meaning.WATCHDOG_DROP, _ZERO)),
    "RX OK/DROP": (Sense(Meaning.OTHER, _INFORMATION), Sense(Meaning.WATCHDOG_DROP, _ZERO)),
}
# title of a grid of priority groups or pools -> what it shows
_LEVELS: Final = (
    ("dropped packets", Sense(Meaning.PRIORITY_GROUP_DROP, _ZERO)),
    ("headroom", Sense(Meaning.HEADROOM_WATERMARK, _GAUGE, "bytes")),
    ("Headroom", Sense(Meaning.HEADROOM_WATERMARK, _GAUGE, "bytes")),
    ("hared pool", Sense(Meaning.SHARED_WATERMARK, _GAUGE, "bytes")),
)
_QUEUE_LEVEL: Final = Sense(Meaning.QUEUE_WATERMARK, _GAUGE, "bytes")
_SPEED: Final = re.compile(r"(\d+(?:\.\d+)?)([GM])")
_MBPS: Final = {"G": 1000, "M": 1}


class _Shown:
    def __init__(self, source: Source, tables: Tables, counts: Counts) -> None:
        self.source = source
        self.tables = tables
        self.counts = counts

    def count(self, row: GridRow, key: CounterKey, sense: Sense, text: str) -> None:
        self.counts.add(key, sense, counted(text), self.source.at_line(row.line, counter=key.name))

    def put(
        self, database: Database, table: str, key: str, row: GridRow, fields: Mapping[str, str]
    ) -> None:
        """Add some fields of one row; others may exist."""
        offset = self.source.offset(row.line)
        cells = {name: Cell(text, self.source, offset) for name, text in fields.items()}
        made = Row(key, cells, self.source, offset, is_whole=False)
        self.tables.add(database, Table(table, {key: made}, is_whole=False))


def read_shows(source: Source, tables: Tables, counts: Counts) -> None:
    """Put what a text of ``show`` says into tables and counters."""
    text = read_show(source.document.text)
    shown = _Shown(source, tables, counts)
    for grid in text.grids:
        reader = _reader_of(grid)
        if reader is None:
            _tell_unknown(shown, " ".join(grid.columns), grid.rows[0].line - 2 if grid.rows else 1)
            continue
        for row in grid.rows:
            reader(shown, grid, row)
    _read_blocks(shown, text)
    _read_strays(shown, text)
    if not text.grids and not text.blocks:
        _tell_unknown(shown, source.document.name, 1)


def _reader_of(grid: Grid) -> Callable[[_Shown, Grid, GridRow], None] | None:
    columns = grid.columns
    for start, reader in _READERS:
        if columns[: len(start)] == start:
            return reader
    if columns[0] in {"Port", "Port Rx", "Port Tx"} and _NUMBERED.fullmatch(columns[-1]):
        return _read_numbered
    return None


def _read_numbered(shown: _Shown, grid: Grid, row: GridRow) -> None:
    """One port a row, one priority, priority group or queue a column."""
    port = row.cells[grid.columns[0]]
    for column in grid.columns[1:]:
        match = _NUMBERED.fullmatch(column)
        sense = _numbered_sense(grid, column)
        if match is None or sense is None:
            continue
        label = f"{grid.title or grid.columns[0]} {column}"
        key = CounterKey(port, sense.meaning, int(match[1]), label)
        shown.count(row, key, sense, row.cells[column])


def _numbered_sense(grid: Grid, column: str) -> Sense | None:
    if column.startswith("PFC"):
        meaning = Meaning.PFC_RX if grid.columns[0] == "Port Rx" else Meaning.PFC_TX
        return Sense(meaning, _CONGESTION)
    if column.startswith("PG"):
        return next((sense for word, sense in _LEVELS if word in grid.title), None)
    return _QUEUE_LEVEL


def _read_history(shown: _Shown, grid: Grid, row: GridRow) -> None:
    match = _NUMBERED.fullmatch(row.cells["Priority"])
    if match is not None:
        _count_columns(shown, grid, row, _HISTORY_COLUMNS, int(match[1]))


def _read_queues(shown: _Shown, grid: Grid, row: GridRow) -> None:
    match = _NUMBERED.fullmatch(row.cells["TxQ"])
    if match is not None:
        kind = row.cells["TxQ"][: match.start(1)]
        _count_columns(shown, grid, row, _QUEUE_COLUMNS, int(match[1]), prefix=f"{kind} ")


def _read_ports(shown: _Shown, grid: Grid, row: GridRow) -> None:
    _count_columns(shown, grid, row, _PORT_COLUMNS, -1)


def _count_columns(
    shown: _Shown,
    grid: Grid,
    row: GridRow,
    senses: Mapping[str, Sense],
    number: int,
    *,
    prefix: str = "",
) -> None:
    port = row.cells[grid.columns[0]].rsplit("|", 1)[-1]
    for column, sense in senses.items():
        if column in row.cells:
            key = CounterKey(port, sense.meaning, number, f"{prefix}{column}")
            shown.count(row, key, sense, row.cells[column])


def _read_watchdog_counts(shown: _Shown, grid: Grid, row: GridRow) -> None:
    port, _, queue = row.cells[grid.columns[0]].rpartition(":")
    for column, senses in _WATCHDOG_COLUMNS.items():
        parts = row.cells.get(column, "").split("/")
        about, _, words = column.partition(" ")
        for sense, word, part in zip(senses, words.split("/"), parts, strict=False):
            label = f"{about} {word}"
            key = CounterKey(port, sense.meaning, int(queue) if is_whole(queue) else -1, label)
            shown.count(row, key, sense, part)


def _read_pool(shown: _Shown, grid: Grid, row: GridRow) -> None:
    sense = next((sense for word, sense in _LEVELS if word in grid.title), None)
    if sense is not None:
        key = CounterKey("", sense.meaning, -1, f"{row.cells['Pool']} {grid.title}")
        shown.count(row, key, sense, row.cells["Bytes"])


def _read_watchdog_config(shown: _Shown, grid: Grid, row: GridRow) -> None:  # noqa: ARG001 -- all readers look alike
    fields = {
        "action": row.cells["ACTION"],
        "detection_time": row.cells["DETECTION TIME"],
        "restoration_time": row.cells["RESTORATION TIME"],
    }
    shown.put(Database.CONFIG, "PFC_WD", row.cells["PORT"], row, _said(fields))


def _read_pfc_priority(shown: _Shown, grid: Grid, row: GridRow) -> None:  # noqa: ARG001 -- as above
    fields = {"pfc_enable": row.cells["Lossless priorities"]}
    shown.put(Database.CONFIG, "PORT_QOS_MAP", row.cells["Interface"], row, _said(fields))


def _read_pfc_asymmetric(shown: _Shown, grid: Grid, row: GridRow) -> None:  # noqa: ARG001 -- as above
    fields = {"pfc_asym": row.cells["Asymmetric"]}
    shown.put(Database.CONFIG, "PORT", row.cells["Interface"], row, _said(fields))


def _read_status(shown: _Shown, grid: Grid, row: GridRow) -> None:  # noqa: ARG001 -- as above
    cells = row.cells
    speed = _SPEED.fullmatch(cells.get("Speed", ""))
    fields = {
        "lanes": cells.get("Lanes", ""),
        "speed": str(int(float(speed[1]) * _MBPS[speed[2]])) if speed else "",
        "mtu": cells.get("MTU", ""),
        "fec": cells.get("FEC", ""),
        "alias": cells.get("Alias", ""),
        "oper_status": cells.get("Oper", ""),
        "admin_status": cells.get("Admin", ""),
    }
    if not cells["Interface"].startswith("PortChannel"):
        shown.put(Database.APPL, "PORT", cells["Interface"], row, _said(fields))


def _read_lldp(shown: _Shown, grid: Grid, row: GridRow) -> None:  # noqa: ARG001 -- as above
    fields = {
        "lldp_rem_sys_name": row.cells["RemoteDevice"],
        "lldp_rem_port_id": row.cells["RemotePortID"],
        "lldp_rem_port_desc": row.cells.get("RemotePortDescr", ""),
    }
    if row.cells["LocalPort"] != "eth0":
        shown.put(Database.APPL, "LLDP_ENTRY", row.cells["LocalPort"], row, _said(fields))


def _said(fields: Mapping[str, str]) -> dict[str, str]:
    return {name: text for name, text in fields.items() if text not in {"", "N/A"}}


_READERS: Final = (
    (("Port", "Priority"), _read_history),
    (("Port", "TxQ"), _read_queues),
    (("IFACE", "STATE"), _read_ports),
    (("Iface",), _read_ports),
    (("QUEUE", "STATUS"), _read_watchdog_counts),
    (("Pool", "Bytes"), _read_pool),
    (("PORT", "ACTION", "DETECTION TIME", "RESTORATION TIME"), _read_watchdog_config),
    (("Interface", "Lossless priorities"), _read_pfc_priority),
    (("Interface", "Asymmetric"), _read_pfc_asymmetric),
    (("Interface", "Lanes", "Speed"), _read_status),
    (("LocalPort", "RemoteDevice", "RemotePortID"), _read_lldp),
)


def _read_blocks(shown: _Shown, text: ShowText) -> None:
    is_applied = "information" in shown.source.document.command
    database = Database.APPL if is_applied else Database.CONFIG
    found: dict[str, dict[str, Row]] = {}
    for block in text.blocks:
        for table, fields in _tables_of(block):
            cells = {
                name: Cell(value, shown.source, shown.source.offset(line))
                for name, (value, line) in fields.items()
            }
            at = shown.source.offset(block.line)
            row = Row(block.name, cells, shown.source, at, is_whole=block.is_whole)
            found.setdefault(table, {})[block.name] = row
    for table, rows in found.items():
        whole = not text.is_damaged
        shown.tables.add(database, Table(table, rows, is_whole=whole, is_applied=is_applied))


def _tables_of(block: Block) -> Iterator[tuple[str, dict[str, tuple[str, int]]]]:
    if block.kind == "Pool":
        yield "BUFFER_POOL", block.fields
    elif block.kind == "Profile":
        is_wred = any(name == "ecn" or name.endswith("_threshold") for name in block.fields)
        yield ("WRED_PROFILE" if is_wred else "BUFFER_PROFILE"), block.fields
    else:
        pattern = {"mtu", "small_packet_percentage"}
        shown = {name: cell for name, cell in block.fields.items() if name in pattern}
        rest = {name: cell for name, cell in block.fields.items() if name not in pattern}
        if shown:
            yield "LOSSLESS_TRAFFIC_PATTERN", shown
        if rest:
            yield "DEFAULT_LOSSLESS_BUFFER_PARAMETER", rest


def _read_strays(shown: _Shown, text: ShowText) -> None:
    for stray in text.strays:
        interval = _INTERVAL.match(stray.text)
        if interval is not None:
            row = GridRow({}, stray.line)
            shown.put(Database.CONFIG, "PFC_WD", "GLOBAL", row, {"POLL_INTERVAL": interval[1]})
        elif stray.is_row:
            shown.tables.defects.append(
                Defect(
                    DefectKind.MALFORMED_VALUE,
                    shown.source.document.name,
                    f"{shown.source.document.name} line {stray.line} is cut or damaged; "
                    "what it would say is unknown",
                    found=stray.text,
                    evidence=shown.source.at_line(stray.line),
                )
            )
        elif not _NOISE.search(stray.text):
            shown.tables.unread.append(shown.source.at_line(stray.line))
    for block in text.blocks:
        if not block.is_whole:
            _tell_unknown(shown, f"{block.kind}: {block.name}", block.line)


def _tell_unknown(shown: _Shown, found: str, line: int) -> None:
    shown.tables.defects.append(
        Defect(
            DefectKind.UNKNOWN_LINE,
            shown.source.document.name,
            f"{shown.source.document.name} line {line} is no output that is read whole: {found}",
            found=found,
            evidence=shown.source.at_line(line),
        )
    )
