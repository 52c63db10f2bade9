"""Reads the text that ``mlnx_qos -i PORT`` prints.

Source: Mellanox/mlnx-tools python/mlnx_qos (print order and optional lines).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from netcheck.model.digits import is_whole
from netcheck.model.frozenmap import FrozenMap
from netcheck.model.known import ABSENT, UNKNOWN, Known
from netcheck.model.qos import Buffer, DcbxMode, Scheduler, SchedulerKind, Trust
from netcheck.platforms.linux.facts import Fact, Item, Page, Unread
from netcheck.platforms.linux.quirks import DSCPS, PRIORITIES, identity_map
from netcheck.platforms.linux.sysfs import read_report_line

DCBX = {"os controlled": DcbxMode.HOST, "firmware controlled": DcbxMode.FIRMWARE}
TRUST = {"dscp": Trust.DSCP, "pcp": Trust.PCP, "none": Trust.NONE}

_QUEUE = re.compile(
    r"tc: (?P<queue>[0-7]) ratelimit: "
    r"(?:(?P<free>unlimited)|(?P<rate>\d{1,7}(?:\.\d{1,9})?) Gbps), "
    r"tsa: (?:ets, bw: (?P<weight>\d{1,3})%|(?P<kind>strict|vendor))"
)
_QUEUE_PRIORITY = re.compile(r"priority:\s+([0-7])")
_DSCPS = re.compile(r"prio:([0-7]) dscp:((?:\d{2},)+)")
_BUFFERS = re.compile(r"((?:\d{1,20},){8})(?:(?:max_buffer|total)_size=\d+)?")
_HARMLESS = re.compile(
    r"default priority:|PFC configuration:|dscp2prio mapping:|"
    r"(Buffers commands are|Priority trust state is) not supported.*|"
    # A comment, as transcripts hold them.
    r"#.*"
)


@dataclass
class _Table:
    """What has been seen of the parts that span several lines."""

    columns: list[int] | None = None
    dscps: dict[int, int] = field(default_factory=dict)
    dscp_line: int = 0
    is_dscp_damaged: bool = False
    trust: Trust | None = None
    schedulers: dict[int, Scheduler] = field(default_factory=dict)
    queues: dict[int, int] = field(default_factory=dict)
    queue: int | None = None
    queue_line: int = 0
    is_queue_damaged: bool = False


def read_mlnx_qos(page: Page) -> Iterator[Item]:
    """Give everything that the text says about its port."""
    table = _Table()
    for number, line in page.numbered():
        text = " ".join(line.split())
        if text:
            yield from _read_line(page, table, number, text)
    yield from _finish_dscps(page, table)
    yield from _finish_queues(page, table)


def _read_line(page: Page, table: _Table, number: int, text: str) -> Iterator[Item]:
    for prefix, reader in _READERS.items():
        if text.startswith(prefix):
            yield from reader(page, table, number, text.removeprefix(prefix).strip())
            return
    if "lldpad service is running" in text:
        yield page.of_device("lldp_agent", value=True, line=number)
    elif not _HARMLESS.fullmatch(text):
        yield from _read_other(page, table, number, text)


def _read_other(page: Page, table: _Table, number: int, text: str) -> Iterator[Item]:
    reported = read_report_line(page, number, text)
    if reported is None:
        # It may have been a queue: the priorities below it are nobody's.
        table.queue = None
        yield Unread(page.at(number))
        yield page.unknown(number, f"line not understood: {text[:60]}", found=text)
    yield from reported or ()


def _read_dcbx(page: Page, _: _Table, number: int, text: str) -> Iterator[Item]:
    yield from _word(page, number, "dcbx_mode", DCBX.get(text.lower()), text)


def _read_trust(page: Page, table: _Table, number: int, text: str) -> Iterator[Item]:
    table.trust = TRUST.get(text)
    yield from _word(page, number, "trust", table.trust, text)
    if table.trust is not None:
        # The adapter takes the PCP for the priority; there is no map to change.
        yield page.of_port("pcp_to_priority", identity_map(PRIORITIES), number)


def _word(
    page: Page, number: int, name: str, value: Trust | DcbxMode | None, text: str
) -> Iterator[Item]:
    if value is None:
        yield page.defect(number, f"{name}: not a known word: {text!r}", found=text)
    yield page.of_port(name, UNKNOWN if value is None else value, number)


def _read_dscps(page: Page, table: _Table, number: int, text: str) -> Iterator[Item]:
    table.dscp_line = table.dscp_line or number
    match = _DSCPS.fullmatch(f"prio:{text}")
    listed = [int(dscp) for dscp in match[2].split(",") if dscp] if match else []
    repeated = sorted(table.dscps.keys() & set(listed))
    if match is None or repeated or any(dscp >= DSCPS for dscp in listed):
        table.is_dscp_damaged = True
        yield page.defect(number, "dscp2prio mapping: line is damaged", found=text)
        return
    table.dscps.update(dict.fromkeys(listed, int(match[1])))


def _read_buffers(page: Page, _: _Table, number: int, text: str) -> Iterator[Item]:
    match = _BUFFERS.fullmatch(text)
    if match is None:
        yield page.defect(number, "receive buffer size: expected 8 numbers", found=text)
        yield page.of_port("ingress_buffer", UNKNOWN, number)
        return
    sizes = [int(size) for size in match[1].split(",") if size]
    buffers = {group: Buffer(size_bytes=size) for group, size in enumerate(sizes)}
    yield page.of_port("ingress_buffer", FrozenMap(buffers), number)


def _read_cable(page: Page, _: _Table, number: int, text: str) -> Iterator[Item]:
    if not is_whole(text):
        yield page.defect(number, "cable len: expected metres", found=text)
    yield page.of_port("cable_m", int(text) if is_whole(text) else UNKNOWN, number)


def _read_columns(page: Page, table: _Table, number: int, text: str) -> Iterator[Item]:
    if text.startswith(":"):  # "priority: 3" belongs to a queue; the web strips the indentation
        yield from _read_queue_priority(page, table, number, text.removeprefix(":").strip())
        return
    columns = [int(word) for word in text.split() if is_whole(word)]
    if sorted(columns) == list(range(PRIORITIES)):
        table.columns = columns
    else:
        yield page.defect(number, "PFC configuration: expected priorities 0 to 7", found=text)


def _read_enabled(page: Page, table: _Table, number: int, text: str) -> Iterator[Item]:
    row = _row(table, text, allowed="01")
    if row is None:
        yield page.defect(number, "PFC enabled: expected 8 of 0 and 1", found=text)
    pfc = frozenset(priority for priority, bit in (row or {}).items() if bit)
    yield from pfc_facts(page, UNKNOWN if row is None else pfc, number)


def pfc_facts(page: Page, pfc: Known[frozenset[int]], number: int) -> list[Fact]:
    """Give both directions of PFC: the adapter has one setting for the two."""
    return [page.of_port(name, pfc, number) for name in ("pfc_rx", "pfc_tx")]


def _read_pfc_buffer(page: Page, table: _Table, number: int, text: str) -> Iterator[Item]:
    row = _row(table, text, allowed="01234567")
    if row is None:
        yield page.defect(number, "PFC buffer: expected 8 of 0 to 7", found=text)
    groups = UNKNOWN if row is None else FrozenMap(row)
    yield page.of_port("priority_to_priority_group", groups, number)


def _row(table: _Table, text: str, *, allowed: str) -> dict[int, int] | None:
    words = text.split()
    is_whole = len(words) == PRIORITIES and all(word in tuple(allowed) for word in words)
    if table.columns is None or not is_whole:
        return None
    return dict(sorted(zip(table.columns, map(int, words), strict=True)))


def _read_queue(page: Page, table: _Table, number: int, text: str) -> Iterator[Item]:
    table.queue_line = table.queue_line or number
    match = _QUEUE.fullmatch(f"tc: {text}")
    table.queue = int(match["queue"]) if match else None
    if match is None or table.queue is None or table.queue in table.schedulers:
        table.is_queue_damaged = True
        yield page.defect(number, "queue: line is damaged or repeated", found=text)
        return
    table.schedulers[table.queue] = _scheduler(match)


def _scheduler(match: re.Match[str]) -> Scheduler:
    shaper: Known[int] = ABSENT if match["free"] else round(float(match["rate"]) * 1e9)
    if match["kind"]:
        return Scheduler(SchedulerKind(match["kind"]), shaper_bps=shaper)
    return Scheduler(SchedulerKind.WEIGHTED, int(match["weight"]), shaper)


def _read_queue_priority(page: Page, table: _Table, number: int, text: str) -> Iterator[Item]:
    match = _QUEUE_PRIORITY.fullmatch(f"priority: {text}")
    if match is None or table.queue is None or int(match[1]) in table.queues:
        table.is_queue_damaged = True
        yield page.defect(number, "queue priority: line is damaged or repeated", found=text)
        return
    table.queues[int(match[1])] = table.queue


def _finish_dscps(page: Page, table: _Table) -> Iterator[Item]:
    if table.is_dscp_damaged:
        yield page.of_port("dscp_to_priority", UNKNOWN, table.dscp_line)
    elif table.dscps:
        found = FrozenMap(dict(sorted(table.dscps.items())))
        yield page.of_port("dscp_to_priority", found, table.dscp_line)
    elif table.trust is Trust.PCP:
        yield page.of_port("dscp_to_priority", ABSENT, 0)


def _finish_queues(page: Page, table: _Table) -> Iterator[Item]:
    if not table.queue_line:
        return
    is_whole = sorted(table.queues) == list(range(PRIORITIES)) and not table.is_queue_damaged
    if not is_whole and not table.is_queue_damaged:
        yield page.defect(
            table.queue_line, f"queues: {len(table.queues)} of {PRIORITIES} priorities are listed"
        )
    queues = FrozenMap(dict(sorted(table.queues.items())))
    schedulers = FrozenMap(dict(sorted(table.schedulers.items())))
    line = table.queue_line
    yield page.of_port("priority_to_queue", queues if is_whole else UNKNOWN, line)
    yield page.of_port("scheduler", schedulers if is_whole else UNKNOWN, line)


_READERS = {
    "DCBX mode:": _read_dcbx,
    "Priority trust state:": _read_trust,
    "prio:": _read_dscps,
    "Receive buffer size (bytes):": _read_buffers,
    "Cable len:": _read_cable,
    "priority": _read_columns,
    "enabled": _read_enabled,
    "buffer": _read_pfc_buffer,
    "tc:": _read_queue,
}
