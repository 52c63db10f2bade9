"""Headroom tables that a device looks its profiles up in, judged before any port uses a row.

Findings here are warnings: whether a port uses the row is the business of the rules on ports.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from netcheck.lossless import tables
from netcheck.model.fact import NotGivenError
from netcheck.model.finding import Severity
from netcheck.model.known import is_known
from netcheck.model.qos import HeadroomRow
from netcheck.model.view import DeviceView
from netcheck.rules.roce.headroom import wants_nothing_lossless
from netcheck.rules.rule import Fault, Scope, rule

SHIPPED = "pg_profile_lookup.ini of sonic-net/sonic-buildimage @086b03bd"
LUA = "sonic-net/sonic-swss cfgmgr/buffer_headroom_mellanox.lua"
FACTS = ("headroom_table",)


def rows_of(device: DeviceView) -> tables.Rows:
    """Rows of the device's table, where something lossless can use them.

    Raises:
        UnknownFactError: No table was given.
        NotGivenError: The table is empty, or nothing is meant to be lossless.
    """
    rows = device.whole_qos.headroom_table
    if not rows or wants_nothing_lossless(device):
        raise NotGivenError("headroom table")
    return rows


def name_of(row: HeadroomRow) -> str:
    """Speed and length of a row, as ``100G 300 m``."""
    return f"{row.speed_bps / 1e9:g}G {row.cable_m} m"


def named(rows: Iterable[HeadroomRow]) -> str:
    """All rows in a few words."""
    found = list(map(name_of, rows))
    return f"{len(found)} {'row' if len(found) == 1 else 'rows'}: {', '.join(found)}"


@rule(
    "hdrm-table-below-wire",
    severity=Severity.WARNING,
    scope=Scope.DEVICE,
    source=f"derived: bytes in flight on both trips of the cable arrive whatever the peer does; "
    f"rows of 2000 m in {SHIPPED}",
    is_proof=False,
)
def hdrm_table_below_wire(device: DeviceView) -> Iterator[Fault]:
    """Rows of a headroom table are smaller than what the cable alone holds.

    Why: a port that uses such a row drops packets after every pause at full rate.
    Bad: 100G, 2000 m, headroom 234496 bytes.
    Good: at least 250000 bytes there, and what frames and the peer's response add.
    Fix: compute the rows anew with `netcheck headroom`, or use shorter cables.
    """
    short = list(tables.below_wire(rows_of(device)))
    if short:
        row, least = short[0]
        note = named(row for row, _ in short)
        yield Fault(device, FACTS, f">= {least}", row.headroom_bytes, note)


@rule(
    "hdrm-mtu-used-too-small",
    severity=Severity.WARNING,
    scope=Scope.DEVICE,
    source=f"{LUA}; rows of 250 m and 1000 m of SN5600-C256S1 and SN5610N in {SHIPPED}",
    is_proof=False,
)
def hdrm_mtu_used_too_small(device: DeviceView) -> Iterator[Fault]:
    """Rows of a headroom table were computed for smaller frames than the other rows.

    Why: a full-size frame that leaves when the pause is due is not counted; packets drop.
    Bad: all rows as computed for an L2 MTU of 9216, those of 1000 m for 1024.
    Good: one MTU, that of the ports, in all rows.
    Fix: compute the rows anew with the largest frame of the ports.
    """
    found = (each for each in tables.short_rows(rows_of(device)) if is_known(each.l2_mtu))
    short = list(found)
    if short:
        first = short[0]
        note = f"as for L2 MTU {first.l2_mtu}; {named(each.row for each in short)}"
        yield Fault(device, FACTS, f">= {first.needed_bytes}", first.row.headroom_bytes, note)


@rule(
    "hdrm-table-row-below-law",
    severity=Severity.WARNING,
    scope=Scope.DEVICE,
    source=f"{LUA}; rows of 2000 m of SN2700-D48C8 and SN4700-C128 in {SHIPPED}",
    is_proof=False,
)
def hdrm_table_row_below_law(device: DeviceView) -> Iterator[Fault]:
    """Rows of a headroom table are below the computation that the other rows equal.

    Why: the other rows say what their maker holds for needed; these have less, so packets drop.
    Bad: rows to 300 m equal the computation, rows of 2000 m are one half of it.
    Good: all rows equal the computation, or are above it.
    Fix: compute the rows anew with `netcheck headroom`.
    """
    rows = rows_of(device)
    short = [each for each in tables.short_rows(rows) if not is_known(each.l2_mtu)]
    law = tables.law_of(rows)
    if short and is_known(law):
        first = short[0]
        note = f"{law.parameters}; {named(each.row for each in short)}"
        yield Fault(device, FACTS, f">= {first.needed_bytes}", first.row.headroom_bytes, note)


@rule(
    "hdrm-table-grows-too-little",
    severity=Severity.WARNING,
    scope=Scope.DEVICE,
    source="derived: a cable of more metres holds at least 10 ns of line rate for each of them",
    is_proof=False,
)
def hdrm_table_grows_too_little(device: DeviceView) -> Iterator[Fault]:
    """A longer cable adds less headroom than it holds.

    Why: if the row of the shorter cable is right, that of the longer one is too small; packets
        drop. (Where the table equals a published computation, that is what rows are held to.)
    Bad: 800G: 5 m 150000 bytes, 40 m 160000 bytes; 35 m hold 35000.
    Good: 800G: 5 m 150000 bytes, 40 m 185000 bytes.
    Fix: compute the rows anew.
    """
    rows = rows_of(device)
    if is_known(tables.law_of(rows)):
        raise NotGivenError("table without a published computation")
    beneath = {row for row, _ in tables.below_wire(rows)}
    found = [each for each in tables.flat_steps(rows) if each[0].longer not in beneath]
    if found:
        step, least = found[0]
        note = named(each.longer for each, _ in found)
        yield Fault(device, FACTS, f">= {least}", step.longer.headroom_bytes, note)


@rule(
    "hdrm-nonmonotonic-speed",
    severity=Severity.WARNING,
    scope=Scope.DEVICE,
    source=f"derived: a faster port sends more before it stops; NH-5010 in {SHIPPED}",
    is_proof=False,
)
def hdrm_nonmonotonic_speed(device: DeviceView) -> Iterator[Fault]:
    """A headroom table gives less for a faster port with the same cable.

    Why: one of the two rows is wrong; if it is the faster one, packets drop.
    Bad: 30 m: 400G 514553 bytes, 800G 244000 bytes.
    Good: headroom that grows with speed, or stays.
    Fix: compute the rows anew.
    """
    for slower, faster in tables.slower_is_larger(rows_of(device)):
        yield Fault(
            device,
            FACTS,
            f">= {slower.headroom_bytes}",
            faster.headroom_bytes,
            note=f"{name_of(faster)} against {name_of(slower)}",
        )


@rule(
    "hdrm-copied-placeholder-table",
    severity=Severity.WARNING,
    scope=Scope.DEVICE,
    source=f"as9516 newport, SN4700-O8C48 and 7060X6-64PE-B in {SHIPPED}",
    is_proof=False,
)
def hdrm_copied_placeholder_table(device: DeviceView) -> Iterator[Fault]:
    """Rows of two speeds are the same.

    Why: the faster ports have the headroom of slower ones, and drop packets. (Only a note where
        the rows are enough for the faster speed: then the slower ports waste buffer.)
    Bad: 100G and 400G: 5 m 18432 bytes, 300 m 165888 bytes.
    Good: rows of their own for each speed.
    Fix: compute the rows of the faster speed anew.
    """
    for copy in tables.copies(rows_of(device)):
        short = copy.short()
        row = (short or copy.faster)[0]
        yield Fault(
            device,
            FACTS,
            f"other rows than at {copy.slower[0].speed_bps / 1e9:g}G",
            row.headroom_bytes,
            note=f"the same at {named(copy.faster)}",
            severity=None if short else Severity.INFO,
        )


@rule(
    "hdrm-flat-table",
    severity=Severity.INFO,
    scope=Scope.DEVICE,
    source=f"7060X6 O128S2, 7050CX3 and NH-4010 in {SHIPPED}",
    is_proof=False,
)
def hdrm_flat_table(device: DeviceView) -> Iterator[Fault]:
    """Headroom is the same for all cable lengths.

    Why: it may be a safe worst case or a placeholder; the table does not show which.
    Bad: 400G: 5 m and 150 m 612140 bytes.
    Good: headroom that grows with length.
    Fix: compare the longest cable with `netcheck headroom`.
    """
    rows = rows_of(device)
    speeds = sorted(tables.constant_speeds(rows))
    if speeds:
        found = next(row for row in rows if row.speed_bps == speeds[0])
        note = f"at {', '.join(f'{speed / 1e9:g}G' for speed in speeds)}"
        yield Fault(device, FACTS, "growth with length", f"{found.headroom_bytes} at any", note)


@rule(
    "hdrm-table-size-unlike-others",
    severity=Severity.WARNING,
    scope=Scope.DEVICE,
    source=f"SN5600-C256S1, 10G 250 m in {SHIPPED}: size 43008, all others XON",
    is_proof=False,
)
def hdrm_table_size_unlike_others(device: DeviceView) -> Iterator[Fault]:
    """A row of a headroom table reserves in another way than nearly all others.

    Why: with shared headroom it takes the headroom twice; without, the others have none.
    Bad: size 43008 in one row, size equal to XON in the others.
    Good: size equal to XON in all rows, or headroom and XON in all rows.
    Fix: correct the size of the row.
    """
    for row, expected in tables.odd_sizes(rows_of(device)):
        yield Fault(device, FACTS, expected, row.size_bytes, note=f"size of {name_of(row)}")
