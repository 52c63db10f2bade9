"""Buffer pools, buffer profiles, and the accounts of priority groups and queues."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from netcheck.model.device import Defect, DefectKind, Port
from netcheck.model.frozenmap import FrozenMap
from netcheck.model.known import ABSENT, UNKNOWN, Known, Missing, is_known
from netcheck.model.qos import (
    Buffer,
    BufferPool,
    Dynamic,
    HeadroomRow,
    PoolKind,
    Static,
    Threshold,
)
from netcheck.platforms.sonic import quirks
from netcheck.platforms.sonic.parsed.check import bare_name
from netcheck.platforms.sonic.parsed.tables import Row, Tables
from netcheck.platforms.sonic.parsed.values import (
    Book,
    RowsOfPorts,
    accepted,
    number,
    only_row,
    reference,
    shared_text,
    text,
)

_LOSSLESS_POOL = "ingress_lossless_pool"  # fixed in buffermgrd
_GROUPS = 8
_MBPS = 1_000_000


def read_pools(tables: Tables, book: Book) -> Known[FrozenMap[str, BufferPool]]:
    """Give the buffer pools by name."""
    table = tables.find("BUFFER_POOL")
    if isinstance(table, Missing):
        return table
    pools = {}
    for name, row in table.rows.items():
        book.note(f"device pools {name}", row)
        pools[name] = _pool(row)
    if table.is_whole or pools:
        return FrozenMap(pools)
    return UNKNOWN


def _pool(row: Row) -> BufferPool:
    kind = text(row, "BUFFER_POOL", "type")
    mode = text(row, "BUFFER_POOL", "mode")
    known_kind = is_known(kind) and kind != "both"
    return BufferPool(
        kind=PoolKind(str(kind)) if known_kind else UNKNOWN,
        is_dynamic=mode == "dynamic" if is_known(mode) else UNKNOWN,
        size_bytes=number(row, "BUFFER_POOL", "size"),
        size_percent=number(row, "BUFFER_POOL", "percentage"),
        shared_headroom_bytes=number(row, "BUFFER_POOL", "xoff"),
    )


@dataclass(slots=True)
class Profiles:
    """Buffer profiles by name and side; equal names give the same object.

    Attributes:
        zero: Names of profiles that take away all buffer.
    """

    tables: Tables
    egress_names: frozenset[str] = frozenset()
    _made: dict[tuple[str, bool], Buffer] = field(default_factory=dict)

    def find(self, name: str, *, is_egress: bool) -> Buffer:
        """Give a profile; only its name is known where its row is not there."""
        at = (name, is_egress)
        if at not in self._made:
            row = self.tables.row("BUFFER_PROFILE", name)
            known = not isinstance(row, Missing)
            self._made[at] = _profile(name, row, is_egress) if known else Buffer(profile=name)
            if known and self._is_applied() and self._made[at].is_computed is False:
                # what was applied does not tell who worked the numbers out
                self._made[at] = replace(self._made[at], is_computed=UNKNOWN)
        return self._made[at]

    def _is_applied(self) -> bool:
        table = self.tables.find("BUFFER_PROFILE")
        return not isinstance(table, Missing) and table.is_applied

    def read_all(self, book: Book) -> Known[FrozenMap[str, Buffer]]:
        """Give all profiles, bound or not."""
        table = self.tables.find("BUFFER_PROFILE")
        if isinstance(table, Missing):
            return table
        profiles = {}
        for name, row in table.rows.items():
            book.note(f"device buffer_profiles {name}", row)
            profiles[name] = self.find(name, is_egress=self._is_egress(name, row))
        return FrozenMap(profiles) if table.is_whole or profiles else UNKNOWN

    def _is_egress(self, name: str, row: Row) -> bool:
        pool = reference(row, "BUFFER_PROFILE", "pool")
        kind = text(self.tables.row("BUFFER_POOL", str(pool)), "BUFFER_POOL", "type")
        if kind in {"ingress", "egress"}:
            return kind == "egress"
        return name in self.egress_names or "egress" in f"{name} {pool}"

    def is_zero(self, name: str) -> bool:
        """Tell whether a profile takes away all buffer."""
        row = self.tables.row("BUFFER_PROFILE", name)
        size = number(row, "BUFFER_PROFILE", "size")
        dynamic = number(row, "BUFFER_PROFILE", "dynamic_th")
        static = number(row, "BUFFER_PROFILE", "static_th")
        if not is_known(size):
            return False
        return quirks.is_zero_profile(
            size=size,
            dynamic_th=dynamic if is_known(dynamic) else None,
            static_th=static if is_known(static) else None,
        )


def _profile(name: str, row: Known[Row], is_egress: bool) -> Buffer:  # noqa: FBT001 -- one private caller
    pool = reference(row, "BUFFER_PROFILE", "pool")
    headroom_type = text(row, "BUFFER_PROFILE", "headroom_type")
    is_computed = headroom_type == "dynamic"
    headroom = number(row, "BUFFER_PROFILE", "xoff")

    def size(field_name: str) -> Known[int]:
        found = number(row, "BUFFER_PROFILE", field_name)
        return UNKNOWN if is_computed and found is ABSENT else found

    return Buffer(
        size_bytes=UNKNOWN if (value := size("size")) is ABSENT else value,
        headroom_bytes=size("xoff"),
        xoff_bytes=ABSENT,
        xon_bytes=size("xon"),
        xon_offset_bytes=size("xon_offset"),
        threshold=_threshold(row),
        pool=UNKNOWN if pool is ABSENT else pool,
        profile=name,
        is_lossless=_is_lossless(name, pool, headroom, is_egress=is_egress, computed=is_computed),
        is_computed=is_computed if headroom_type is not UNKNOWN else UNKNOWN,
    )


def _is_lossless(
    name: str, pool: Known[str], headroom: Known[int], *, is_egress: bool, computed: bool
) -> Known[bool]:
    if is_egress:
        found = quirks.egress_profile_is_lossless(name, str(pool))
        return UNKNOWN if found is None else found
    if computed or is_known(headroom):
        return True
    return False if headroom is ABSENT else UNKNOWN


def _threshold(row: Known[Row]) -> Known[Threshold]:
    dynamic = number(row, "BUFFER_PROFILE", "dynamic_th")
    static = number(row, "BUFFER_PROFILE", "static_th")
    if is_known(dynamic):
        return Dynamic(2.0**dynamic)
    if is_known(static) and dynamic is ABSENT:
        return Static(static)
    # A profile has one of the two; without either, what limits it is not told.
    return UNKNOWN


@dataclass(slots=True)
class Accounts:
    """Buffer accounts of all ports, written down or derived as the device derives them.

    Attributes:
        headroom: Rows of the lookup table; UNKNOWN where it was not given.
        defects: What the derivation runs into.
    """

    tables: Tables
    headroom: Known[tuple[HeadroomRow, ...]]
    book: Book
    defects: list[Defect] = field(default_factory=list)
    groups: RowsOfPorts = field(init=False)
    queues: RowsOfPorts = field(init=False)
    profiles: Profiles = field(init=False)
    _derived: dict[tuple[int, int], Buffer | None] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.groups = RowsOfPorts(self.tables, "BUFFER_PG")
        self.queues = RowsOfPorts(self.tables, "BUFFER_QUEUE")
        names = frozenset(
            bare_name(row.texts["profile"])
            for row in self.tables.rows("BUFFER_QUEUE")
            if "profile" in row.texts
        )
        self.profiles = Profiles(self.tables, names)

    def egress(self, port: str) -> Known[FrozenMap[int, Buffer]]:
        """Give the accounts of a port's queues."""
        rows = self.queues.indices(port)
        return rows if isinstance(rows, Missing) else FrozenMap(self._written(rows, "BUFFER_QUEUE"))

    def note(self, port: str) -> None:
        """Keep where the accounts of a port were read."""
        for found, fact in ((self.groups, "ingress_buffer"), (self.queues, "egress_buffer")):
            rows = found.indices(port)
            if isinstance(rows, Missing) or not rows:
                continue
            place = f"port {port} {fact}"
            self.book.note(place, rows[min(rows)][0])
            for index, of_index in rows.items():
                self.book.note(f"{place} {index}", of_index[0])

    def ingress(self, port: Port, pfc: Known[frozenset[int]]) -> Known[FrozenMap[int, Buffer]]:
        """Give the accounts of a port's priority groups.

        In the traditional model the device adds lossless groups itself, for the
        priorities that PFC is on for; where it cannot be told with what
        numbers, the account is there and its facts are UNKNOWN.

        Source: sonic-net/sonic-swss cfgmgr/buffermgr.cpp, doSpeedUpdateTask.
        """
        rows = self.groups.indices(port.name)
        if rows is UNKNOWN:
            return UNKNOWN
        written: Mapping[int, list[Row]] = {} if isinstance(rows, Missing) else rows
        accounts = self._written(written, "BUFFER_PG")
        if self._derives():
            accounts.update(self._added(port, pfc, accounts))
        if not accounts and isinstance(rows, Missing):
            return ABSENT
        return FrozenMap(dict(sorted(accounts.items())))

    def _derives(self) -> bool:
        table = self.groups.table
        is_applied = not isinstance(table, Missing) and table.is_applied
        return not is_applied and self._model() != "dynamic"

    def _model(self) -> Known[str]:
        row = self.tables.row("DEVICE_METADATA", "localhost")
        return text(row, "DEVICE_METADATA", "buffer_model")

    def _written(self, rows: Mapping[int, list[Row]], table: str) -> dict[int, Buffer]:
        accounts = {}
        for index, of_index in sorted(rows.items()):
            name = accepted(table, "profile", shared_text(of_index, "profile"))
            accounts[index] = self._account(name, is_egress=table == "BUFFER_QUEUE")
        return accounts

    def _account(self, name: Known[str], *, is_egress: bool) -> Buffer:
        if isinstance(name, Missing):
            return Buffer()
        if name == "NULL":
            return self._computed()
        return self.profiles.find(bare_name(name), is_egress=is_egress)

    def _computed(self) -> Buffer:
        row = only_row(self.tables, "DEFAULT_LOSSLESS_BUFFER_PARAMETER")
        alpha = number(row, "DEFAULT_LOSSLESS_BUFFER_PARAMETER", "default_dynamic_th")
        return Buffer(
            threshold=Dynamic(2.0**alpha) if is_known(alpha) else UNKNOWN,
            pool=_LOSSLESS_POOL,
            is_lossless=True,
            is_computed=True,
        )

    def _added(
        self, port: Port, pfc: Known[frozenset[int]], accounts: Mapping[int, Buffer]
    ) -> dict[int, Buffer]:
        if port.cable_m in {ABSENT, 0}:
            return {}
        if pfc is UNKNOWN:
            return {group: Buffer() for group in range(_GROUPS) if group not in accounts}
        lossless = frozenset() if isinstance(pfc, Missing) else pfc
        missing = sorted(lossless - accounts.keys())
        if not missing:
            return {}
        if not (is_known(port.speed_bps) and is_known(port.cable_m)):
            return {group: Buffer() for group in missing}
        account = self._looked_up(port.speed_bps, port.cable_m)
        if account is None:
            self._tell_no_row(port, missing)
            return {}
        return dict.fromkeys(missing, account)

    def _looked_up(self, speed_bps: int, cable_m: int) -> Buffer | None:
        at = (speed_bps, cable_m)
        if at not in self._derived:
            self._derived[at] = self._derive(speed_bps, cable_m)
        return self._derived[at]

    def _derive(self, speed_bps: int, cable_m: int) -> Buffer | None:
        """The profile that the device writes, or keeps when one of that name is there."""
        name = f"pg_lossless_{speed_bps // _MBPS}_{cable_m}m_profile"
        if not isinstance(self.tables.row("BUFFER_PROFILE", name), Missing):
            return self.profiles.find(name, is_egress=False)
        if not is_known(self.headroom):
            return Buffer()
        for row in self.headroom:
            if (row.speed_bps, row.cable_m) == (speed_bps, cable_m):
                return self._from_lookup(name, row)
        return None

    def _from_lookup(self, name: str, row: HeadroomRow) -> Buffer:
        mode = text(self.tables.row("BUFFER_POOL", _LOSSLESS_POOL), "BUFFER_POOL", "mode")
        threshold: Known[Threshold] = UNKNOWN
        if mode == "dynamic":
            threshold = Dynamic(2.0**row.alpha_exponent)
        elif mode == "static":
            threshold = Static(row.alpha_exponent)
        return Buffer(
            size_bytes=row.size_bytes,
            headroom_bytes=row.headroom_bytes,
            xoff_bytes=ABSENT,
            xon_bytes=row.xon_bytes,
            xon_offset_bytes=row.xon_offset_bytes or ABSENT,  # written only where there is one
            threshold=threshold,
            pool=_LOSSLESS_POOL,
            profile=name,
            is_lossless=True,
            is_computed=False,
        )

    def _tell_no_row(self, port: Port, groups: list[int]) -> None:
        place = f"pg_profile_lookup.ini {int(str(port.speed_bps)) // _MBPS} {port.cable_m}m"
        self.defects.append(
            Defect(
                DefectKind.DANGLING_REFERENCE,
                place,
                f"{place}: no such row, so the device makes no lossless priority group",
                (port.name,),
                tuple(groups),
                expected="a row for this speed and cable",
                evidence=self.book.seen(f"port {port.name} cable_m", f"port {port.name}"),
            )
        )
