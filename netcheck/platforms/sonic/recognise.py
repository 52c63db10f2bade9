"""Whether a text is SONiC's, and what it says about a device."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Final

from netcheck.model.document import Document, DocumentKind, Recognition
from netcheck.model.known import is_known
from netcheck.platforms.sonic.parsed.forms import Form, form_of
from netcheck.platforms.sonic.parsed.grids import read_show
from netcheck.platforms.sonic.parsed.json_tables import hinted_database, load_json, load_plain
from netcheck.platforms.sonic.parsed.json_text import read_json
from netcheck.platforms.sonic.parsed.plain_json import read_plain
from netcheck.platforms.sonic.parsed.redis_text import read_redis
from netcheck.platforms.sonic.parsed.schema import SCHEMAS
from netcheck.platforms.sonic.parsed.show_json import is_show_json, show_objects
from netcheck.platforms.sonic.parsed.tables import Database, Source, Tables

_PLATFORM: Final = "sonic"
_KINDS: Final = {
    Form.LOOKUP: DocumentKind.TABLE,
    Form.COMMANDS: DocumentKind.CONFIG,
    Form.LOG: DocumentKind.LOG,
    Form.NEIGHBOURS: DocumentKind.STATE,
    Form.VERSION: DocumentKind.STATE,
}
# Boot ids and the text of lldpctl are the same on any Linux; only SONiC's `show` is its own.
_ON_EVERY_LINUX: Final = frozenset({Form.BOOT_ID, Form.NEIGHBOURS})
_KIND_OF_DATABASE: Final = {
    Database.CONFIG: DocumentKind.CONFIG,
    Database.APPL: DocumentKind.STATE,
    Database.STATE: DocumentKind.STATE,
    Database.COUNTERS: DocumentKind.COUNTERS,
}
_OTHER_TABLES: Final = frozenset(
    {
        "VERSIONS",
        "LLDP_ENTRY",
        "BUFFER_MAX_PARAM",
        "LOOPBACK_INTERFACE",
        "MGMT_INTERFACE",
        "DEVICE_NEIGHBOR",
        "FEATURE",
    }
)
_KNOWN_TABLES: Final = frozenset(SCHEMAS) | _OTHER_TABLES
_BROKEN: Final = re.compile(
    '"('
    + "|".join(sorted(_KNOWN_TABLES - {"PORT", "QUEUE", "SCHEDULER", "LLDP"}))
    + r')(?:_TABLE)?["|:]'
)
_COUNTERS_TEXT: Final = re.compile(
    r"Port (?:Rx|Tx) +PFC0|TxQ +Counter|TxQ +Wred|PG dropped|occupancy|headroom per|STORM DETECTED"
    r"|RX Pause Transitions|IFACE +STATE"
)


def recognise(document: Document) -> Recognition | None:
    """Say what a text is, or None when it is not SONiC's."""
    form = form_of(document)
    if form is None or (form in _ON_EVERY_LINUX and "show" not in document.command):
        return None
    special = _SPECIAL.get(form)
    if special is not None:
        return special(document)
    return Recognition(_PLATFORM, form.value, _KINDS[form], objects=frozenset({form.value}))


def _recognise_redis(document: Document) -> Recognition:
    tables = Tables()
    read_redis(Source(document), tables)
    rows = [(of, table) for (of, _), table in tables.tables.items()]
    databases = [d for d in Database if any(of is d for of, _ in rows)]
    kind = _KIND_OF_DATABASE[databases[0]] if databases else DocumentKind.STATE
    objects = frozenset(f"{table.name}|{key}" for _, table in rows for key in table.rows)
    return Recognition(_PLATFORM, Form.REDIS.value, kind, objects=objects)


def _recognise_show(document: Document) -> Recognition:
    is_counters = _COUNTERS_TEXT.search(document.text) is not None
    kind = DocumentKind.COUNTERS if is_counters else DocumentKind.STATE
    text = read_show(document.text)
    objects = {f"{_title(grid.title)} {' '.join(grid.columns[:6])}" for grid in text.grids}
    objects |= {f"{block.kind} {block.name}" for block in text.blocks}
    return Recognition(_PLATFORM, Form.SHOW.value, kind, objects=frozenset(objects))


def _title(title: str) -> str:
    return "" if title.startswith("For namespace") else title


def _recognise_json(document: Document) -> Recognition | None:
    tables = Tables()
    plain = read_plain(document.text)
    if plain is not None and load_plain(Source(document), plain, tables):
        return _recognise_tables(document, tables, is_list=False)
    text = read_json(document.text)
    load_json(Source(document), text, tables)
    if text.fault is not None:
        return _recognise_broken(document)
    if is_show_json(text.root):
        return Recognition(
            _PLATFORM, "show_json", DocumentKind.COUNTERS, objects=show_objects(text.root)
        )
    # a list of keys to set is what a program is given to apply, not what it applied
    is_list = text.root is not None and isinstance(text.root.value, list)
    return _recognise_tables(document, tables, is_list=is_list)


def _recognise_tables(document: Document, tables: Tables, *, is_list: bool) -> Recognition | None:
    found = {(database, name) for database, name in tables.tables}
    named = {name for _, name in found}
    hint = hinted_database(document.command)
    if hint is None and not (
        named & _KNOWN_TABLES or any(d is Database.COUNTERS for d, _ in found)
    ):
        return None
    databases = [d for d in Database if any(of is d for of, _ in found)]
    database = databases[0] if databases else hint or Database.CONFIG
    return Recognition(
        _PLATFORM,
        database.value.lower(),
        DocumentKind.CONFIG if is_list else _KIND_OF_DATABASE[database],
        device=_hostname(tables),
        is_whole=tables.is_whole,
        objects=frozenset(named),
    )


def _recognise_broken(document: Document) -> Recognition | None:
    """A text that breaks is still SONiC's when it names tables that only SONiC has."""
    names = frozenset(match[1] for match in _BROKEN.finditer(document.text))
    hint = hinted_database(document.command)
    if not names and hint is None:
        return None
    database = hint or Database.CONFIG
    kind = _KIND_OF_DATABASE[database]
    return Recognition(_PLATFORM, database.value.lower(), kind, objects=names)


def _hostname(tables: Tables) -> str:
    cell = tables.cell("DEVICE_METADATA", "localhost", "hostname")
    return cell.text if is_known(cell) else ""


_SPECIAL: Final[Mapping[Form, Callable[[Document], Recognition | None]]] = {
    Form.JSON: _recognise_json,
    Form.SHOW: _recognise_show,
    Form.REDIS: _recognise_redis,
}
