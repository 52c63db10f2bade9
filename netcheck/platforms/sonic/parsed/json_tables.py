"""JSON texts of SONiC into tables: nested CONFIG_DB, flat keys, redis dumps, SET lists."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import lru_cache, partial
from typing import Final, NamedTuple

from netcheck.model.device import Defect, DefectKind
from netcheck.platforms.sonic.parsed.json_text import JsonText, JsonValue, Member
from netcheck.platforms.sonic.parsed.plain_json import Places, Plain, only_texts
from netcheck.platforms.sonic.parsed.schema import SCHEMAS, KeyForm
from netcheck.platforms.sonic.parsed.tables import (
    Cell,
    Database,
    PlainCells,
    Row,
    Source,
    Table,
    Tables,
)

# Tables of STATE_DB that end in _TABLE like some of CONFIG_DB do.
STATE_TABLES: Final = frozenset(
    {
        "PORT_TABLE",
        "BUFFER_POOL_TABLE",
        "BUFFER_PROFILE_TABLE",
        "BUFFER_MAX_PARAM_TABLE",
        "SWITCH_CAPABILITY",
        "QUEUE_COUNTER_CAPABILITIES",
        "PORT_COUNTER_CAPABILITIES",
        "LLDP_ENTRY_TABLE",
        "WARM_RESTART_TABLE",
        "TRANSCEIVER_INFO",
    }
)
_COUNTER_TABLE: Final = re.compile(r"COUNTERS\w*|(?:USER|PERSISTENT|PERIODIC)_WATERMARKS|RATES")
_DUMP: Final = re.compile(
    r"sonic-db-dump -n '?(?P<database>\w+_DB)'?(?: -k ['\"]?(?P<keys>[^'\" ]+)['\"]?)?"
)
_APPL_BUFFERS: Final = ("BUFFER_POOL", "BUFFER_PROFILE", "BUFFER_PG", "BUFFER_QUEUE")
# What sonic-db-dump puts around each key: redis-dump-load's form.
_WRAPPING: Final = frozenset({"expireat", "ttl", "type", "value"})
# Renamed by sonic-net/sonic-utilities scripts/db_migrator.py, migrate_pfc_wd_table.
_OLD_NAMES: Final = {"PFC_WD_TABLE": "PFC_WD"}
_NAMESPACE: Final = re.compile(r"localhost|asic\d+")
_IDENTITY: Final = frozenset({"hwsku", "platform", "mac", "hostname", "type"})
_FLAT: Final = re.compile(r"(?P<table>[A-Z][A-Z0-9_]*)(?P<separator>[|:])(?P<key>.+)", re.DOTALL)
_START: Final = re.compile(r"[^:|]+[:|](?=.)", re.DOTALL)
_TABLE_NAME: Final = re.compile(r"[A-Z][A-Za-z0-9_]*")
_FEW: Final = 20  # fields; rows with more are counters of ports, which are not alike
# What ``show ... --json`` prints of a queue (see show_json).
_FIGURE: Final = re.compile(r"(?:UC|MC|ALL|VOQ)\d+")


class Place(NamedTuple):
    """Which row of which table a redis key names."""

    database: Database
    table: str
    key: str


def load_json(source: Source, text: JsonText, tables: Tables) -> None:
    """Put what a JSON text says into the tables; a text that breaks says nothing."""
    if text.fault is not None:
        _tell_broken(source, text, tables)
        return
    for key, offset in text.duplicates:
        tables.defects.append(_duplicate(source, key, offset))
    root = text.root.value if text.root is not None else {}
    for part in _parts(root):
        loader = _Loader(source, tables)
        if isinstance(part, dict):
            loader.load(part)
        elif isinstance(part, list):
            loader.load_list(part)
        else:
            tables.unread.append(source.evidence(0))
        loader.finish()


def load_plain(source: Source, root: Plain, tables: Tables) -> bool:
    """Put a plain text into the tables; False, and nothing is put there, where it holds others."""
    loader = _PlainLoader(source, tables)
    if not (root and all(map(loader.add, root, root.values()))):
        return False
    source.locate = partial(Places, source.document.text, root)
    loader.finish()
    return True


def _parts(root: JsonValue) -> list[JsonValue]:
    """A chassis shows one configuration for each of its ASICs, side by side."""
    if isinstance(root, dict) and root and all(map(_NAMESPACE.fullmatch, root)):
        return [member.value for member in root.values()]
    return [root]


def _tell_broken(source: Source, text: JsonText, tables: Tables) -> None:
    fault = text.fault
    if fault is None:
        return
    if hinted_database(source.document.command) in {None, Database.CONFIG}:
        tables.is_damaged = True
    tables.defects.append(
        Defect(
            DefectKind.MALFORMED_VALUE,
            source.document.name,
            f"{source.document.name} is no whole JSON text: {fault.reason}; "
            "what it would say is unknown",
            expected="a whole JSON text",
            found=fault.reason,
            evidence=source.evidence(fault.offset),
        )
    )


def _duplicate(source: Source, key: str, offset: int) -> Defect:
    return Defect(
        DefectKind.DUPLICATE_KEY,
        key,
        f"{key} stands twice in one object; the last one is read",
        evidence=source.evidence(offset),
    )


def hinted_database(command: str) -> Database | None:
    """Give the database that a command names, if it names one that is read."""
    match = re.search(r"\b(CONFIG|APPL|STATE|COUNTERS)_DB\b", command)
    if match:
        return Database(match[0])
    if "sonic-cfggen" in command or "runningconfiguration" in command:
        return Database.CONFIG
    return None


class _Loader:
    def __init__(self, source: Source, tables: Tables) -> None:
        self.source = source
        self.tables = tables
        self.hint = hinted_database(source.document.command)
        self.found: dict[tuple[Database, str], dict[str, Row]] = {}
        self.partial: set[tuple[Database, str]] = set()

    def load(self, root: Mapping[str, Member], *, is_whole: bool = True) -> None:
        for name, member in root.items():
            fields = _fields_of_dump(member)
            if fields is None:
                self._tell_unread(name, member)
            elif _is_nested(name, fields):
                self._add_nested(name, fields)
            else:
                self._add_flat(name, fields, member, is_whole=is_whole)

    def load_list(self, items: list[Member]) -> None:
        """Lists for swssconfig: each entry sets one key, and others may exist."""
        for item in items:
            if isinstance(item.value, dict):
                entry = {key: m for key, m in item.value.items() if isinstance(m.value, dict)}
                self.load(
                    {key: m for key, m in entry.items() if key != "control_fields"},
                    is_whole=False,
                )
            else:
                self.tables.unread.append(self.source.evidence(item.offset))

    def _add_nested(self, name: str, fields: Mapping[str, Member]) -> None:
        rows = self.found.setdefault((Database.CONFIG, _OLD_NAMES.get(name, name)), {})
        for key, member in fields.items():
            if isinstance(member.value, dict):
                rows[key] = self._row(key, member.value, member.offset)
            else:
                self._tell_unread(f"{name}|{key}", member)

    def _add_flat(
        self, name: str, fields: Mapping[str, Member], member: Member, *, is_whole: bool
    ) -> None:
        place = place_of(name, self.hint)
        if place is None:
            self._tell_unread(name, member)
            return
        at = (place.database, place.table)
        self.found.setdefault(at, {})[place.key] = self._row(place.key, fields, member.offset)
        if not is_whole:
            self.partial.add(at)

    def _row(self, key: str, fields: Mapping[str, Member], offset: int) -> Row:
        cells = {name: Cell(_text_of(m), self.source, m.offset) for name, m in fields.items()}
        cells.pop("NULL", None)  # placeholder that redis needs for a row without fields
        return Row(key, cells, self.source, offset)

    def _tell_unread(self, name: str, member: Member) -> None:
        evidence = self.source.evidence(member.offset)
        if may_touch_qos(name):
            self.tables.defects.append(
                Defect(
                    DefectKind.UNKNOWN_LINE,
                    name,
                    f"{name} is in no form that is read",
                    evidence=evidence,
                )
            )
        self.tables.unread.append(evidence)

    def finish(self) -> None:
        dump = _DUMP.search(self.source.document.command)
        for name in _tables_asked_for(dump):
            self.found.setdefault((Database.APPL, name), {})
        is_part = dump is not None and not _asks_for_whole_tables(dump["keys"])
        for at, rows in self.found.items():
            database, name = at
            whole = at not in self.partial and not is_part
            is_applied = database in {Database.APPL, Database.STATE}
            table = Table(name, rows, is_whole=whole, is_applied=is_applied)
            # each ASIC of a chassis has metadata of its own
            self.tables.add(database, table, tell=name != "DEVICE_METADATA")
        if self._is_whole_configuration():
            self.tables.is_whole = True

    def _is_whole_configuration(self) -> bool:
        """A switch's own configuration names its hardware; a part to be merged does not."""
        metadata = self.found.get((Database.CONFIG, "DEVICE_METADATA"), {}).get("localhost")
        ports = self.found.get((Database.CONFIG, "PORT"))
        return bool(ports) and metadata is not None and not _IDENTITY.isdisjoint(metadata.texts)


class _PlainLoader(_Loader):
    """Takes tables and hashes of texts; equal rows share their texts."""

    def __init__(self, source: Source, tables: Tables) -> None:
        super().__init__(source, tables)
        self.shared: dict[tuple[tuple[str, str], ...], dict[str, str]] = {}

    def add(self, name: str, members: object) -> bool:
        """Add a table or a hash; False where it is neither."""
        if not isinstance(members, dict):
            return False
        if _is_redis_key(name):
            return self._add_hash(name, members)
        return self._add_table(name, members)

    def _add_hash(self, name: str, members: Plain) -> bool:
        path: tuple[str, ...] = (name,)
        inner = members.get("value")
        if isinstance(inner, dict) and members.keys() <= _WRAPPING:
            if list(map(type, members.values())).count(dict) > 1:
                return False
            members, path = inner, (name, "value")
        if not only_texts(members):
            return False
        at = _flat_place(name, self.hint)
        if at is None:
            return False
        database, table, key = at
        rows = self.found.setdefault((database, table), {})
        rows[key] = self._plain_row(key, members, (name,), path)
        return True

    def _add_table(self, name: str, members: Plain) -> bool:
        if not _may_be_table(name, members):
            return False
        rows = self.found.setdefault((Database.CONFIG, _OLD_NAMES.get(name, name)), {})
        for key, fields in members.items():
            if not isinstance(fields, dict):
                return False
            texts = fields if only_texts(fields) else _joined(fields)
            if texts is None:
                return False
            path = (name, key)
            rows[key] = self._plain_row(key, texts, path, path)
        return True

    def _plain_row(
        self, key: str, texts: dict[str, str], place: tuple[str, ...], path: tuple[str, ...]
    ) -> Row:
        if "NULL" in texts:  # as in _row
            texts = {name: text for name, text in texts.items() if name != "NULL"}
        if len(texts) <= _FEW:
            texts = self.shared.setdefault(tuple(texts.items()), texts)
        return Row(key, PlainCells(texts, self.source, path), self.source, place)


def _is_redis_key(key: str) -> bool:
    return ":" in key or "|" in key or _COUNTER_TABLE.fullmatch(key) is not None


def _may_be_table(name: str, members: Plain) -> bool:
    """Tell a table from the wrapping of a hash, and from the figures of a port."""
    first = next(iter(members), "")
    if _TABLE_NAME.fullmatch(name) is None or "value" in members or _FIGURE.fullmatch(first):
        return False
    return name in SCHEMAS or isinstance(members.get(first), dict)


def _joined(fields: Plain) -> dict[str, str] | None:
    """Fields as texts, lists as SONiC joins them; None where there are others."""
    texts = {}
    for name, value in fields.items():
        if isinstance(value, str):
            texts[name] = value
        elif isinstance(value, list) and all(isinstance(item, str) for item in value):
            texts[name] = ",".join(value)
        else:
            return None
    return texts


def _fields_of_dump(member: Member) -> Mapping[str, Member] | None:
    """Fields of a hash, out of the wrapping that sonic-db-dump gives each key."""
    if not isinstance(member.value, dict):
        return None
    inner = member.value.get("value")
    if (
        inner is not None
        and member.value.keys() <= _WRAPPING
        and isinstance(inner.value, (dict, list))
    ):
        return inner.value if isinstance(inner.value, dict) else None
    return member.value


def _is_nested(name: str, fields: Mapping[str, Member]) -> bool:
    if "|" in name or ":" in name:
        return False
    if _COUNTER_TABLE.fullmatch(name):
        return False
    return _TABLE_NAME.fullmatch(name) is not None and (
        name in SCHEMAS or any(isinstance(member.value, dict) for member in fields.values())
    )


def _flat_place(name: str, hint: Database | None) -> Place | None:
    """As ``place_of``; what the many keys of one table have in common is worked out once."""
    match = _START.match(name)
    of_table = _place_of_table(match[0], hint) if match is not None else None
    if match is None or of_table is None or of_table.key:
        return place_of(name, hint)
    return Place(of_table.database, of_table.table, name[match.end() :])


@lru_cache(maxsize=4096)
def _place_of_table(start: str, hint: Database | None) -> Place | None:
    """Where the keys with this start are; with a key where each of them needs a look."""
    found = place_of(f"{start}x:y|z", hint)
    if found is None:
        return None
    return Place(found.database, found.table, "" if found.key == "x:y|z" else "?")


def place_of(name: str, hint: Database | None) -> Place | None:
    """Give the row that a redis key names; ``hint`` is the database where it is known.

    Example:
        >>> place_of("BUFFER_PG_TABLE:Ethernet0:3-4", None)
        Place(database=<Database.APPL: 'APPL_DB'>, table='BUFFER_PG', key='Ethernet0|3-4')
    """
    if _COUNTER_TABLE.fullmatch(name):
        return Place(Database.COUNTERS, name, "")
    match = _FLAT.fullmatch(name)
    if match is None:
        return None
    table, key = match["table"], match["key"]
    database = hint or _database_by_form(table, match["separator"])
    if database is Database.CONFIG:
        table = _OLD_NAMES.get(table, table)
    if database in {Database.APPL, Database.STATE}:
        table = table.removesuffix("_TABLE")
    if database is Database.APPL and is_port_index(table):
        key = key.replace(":", "|")
    return Place(database, table, key)


def is_port_index(table: str) -> bool:
    """Tell whether the rows of a table are keyed by port and index."""
    schema = SCHEMAS.get(table)
    return schema is not None and schema.key is KeyForm.PORT_INDEX


def _database_by_form(table: str, separator: str) -> Database:
    if separator == ":":
        is_counter = _COUNTER_TABLE.fullmatch(table) is not None
        return Database.COUNTERS if is_counter else Database.APPL
    return Database.STATE if table in STATE_TABLES else Database.CONFIG


def _tables_asked_for(dump: re.Match[str] | None) -> Iterator[str]:
    """Tables of APPL_DB that a dump would show if they had any row."""
    if (
        dump is not None
        and dump["database"] == Database.APPL
        and dump["keys"] in {None, "BUFFER_*"}
    ):
        yield from _APPL_BUFFERS


def _asks_for_whole_tables(keys: str | None) -> bool:
    return keys is None or re.fullmatch(r"\*?[A-Z_]*(?:[|:])?\*", keys) is not None


def _text_of(member: Member) -> str:
    """The text of a field; lists as SONiC joins them."""
    if isinstance(member.value, str):
        return member.value
    if isinstance(member.value, list):
        return ",".join(m.value if isinstance(m.value, str) else "{}" for m in member.value)
    return "{}"


_QOS_WORDS: Final = re.compile(
    r"QOS|PFC|ECN|WRED|BUFFER|QUEUE|SCHEDUL|DSCP|DOT1P|PAUSE|LOSSLESS|HEADROOM|MTU|TC_TO|TRIM"
    r"|WATCHDOG|XOFF|XON|PRIORIT",
    re.IGNORECASE,
)


def may_touch_qos(name: str) -> bool:
    """Tell whether something of that name may change how RDMA traffic is treated.

    Example:
        >>> may_touch_qos("PFC_MODE"), may_touch_qos("SNMP_COMMUNITY")
        (True, False)
    """
    return _QOS_WORDS.search(name) is not None
