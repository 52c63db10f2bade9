"""JSON of ``show queue counters --json``, ``show queue wredcounters --json`` and watermarks."""

from __future__ import annotations

import re
from typing import Final

from netcheck.model.counters import CounterClass, CounterKey, Meaning
from netcheck.model.digits import number_of
from netcheck.platforms.sonic.parsed.counter_names import Sense
from netcheck.platforms.sonic.parsed.counters import Counts, counted
from netcheck.platforms.sonic.parsed.json_text import Member
from netcheck.platforms.sonic.parsed.tables import Source

_QUEUE: Final = re.compile(r"(UC|MC|ALL|VOQ)(\d+)")
_LEVEL: Final = re.compile(r"(PG|UC|MC|ALL)(\d+)")
QUEUE_FIELDS: Final[dict[str, Sense]] = {
    "totalpacket": Sense(Meaning.QUEUE_PACKETS, CounterClass.INFORMATION),
    "totalbytes": Sense(Meaning.QUEUE_BYTES, CounterClass.INFORMATION, "bytes"),
    "droppacket": Sense(Meaning.QUEUE_DROP, CounterClass.MUST_BE_ZERO),
    "dropbytes": Sense(Meaning.OTHER, CounterClass.INFORMATION, "bytes"),
    "wreddroppacket": Sense(Meaning.WRED_DROP, CounterClass.MUST_BE_ZERO),
    "wreddropbytes": Sense(Meaning.OTHER, CounterClass.INFORMATION, "bytes"),
    "ecnmarkedpacket": Sense(Meaning.ECN_MARKED, CounterClass.CONGESTION),
    "ecnmarkedbytes": Sense(Meaning.OTHER, CounterClass.INFORMATION, "bytes"),
    "trimpacket": Sense(Meaning.OTHER, CounterClass.CONGESTION),
    "trimsentpacket": Sense(Meaning.OTHER, CounterClass.INFORMATION),
    "trimdroppacket": Sense(Meaning.OTHER, CounterClass.MUST_BE_ZERO),
    "creditWDPkts": Sense(Meaning.OTHER, CounterClass.MUST_BE_ZERO),
}


def is_show_json(root: Member | None) -> bool:
    """Tell whether a JSON text is one of these outputs."""
    if root is None:
        return False
    if isinstance(root.value, dict):
        return bool(root.value) and all(_is_port(member) for member in root.value.values())
    return isinstance(root.value, list) and any(_is_levels(item) for item in root.value)


def show_objects(root: Member | None) -> frozenset[str]:
    """Give what such an output is about: each port with each kind of figure."""
    if root is None:
        return frozenset()
    if isinstance(root.value, dict):
        return frozenset(f"{port} {name}" for port, m in root.value.items() for name in _figures(m))
    levels = root.value if isinstance(root.value, list) else []
    items = [item.value for item in levels if isinstance(item.value, dict)]
    return frozenset(f"levels {column}" for item in items for column in item)


def _figures(member: Member) -> set[str]:
    queues = member.value.values() if isinstance(member.value, dict) else ()
    return {name for queue in queues if isinstance(queue.value, dict) for name in queue.value}


def _is_port(member: Member) -> bool:
    if not isinstance(member.value, dict):
        return False
    names = [name for name in member.value if name not in {"time", "cached_time"}]
    return bool(names) and all(_QUEUE.fullmatch(name) for name in names)


def _is_levels(item: Member) -> bool:
    return isinstance(item.value, dict) and "Port" in item.value


def read_show_json(root: Member, source: Source, counts: Counts) -> None:
    """Add the counters of such an output."""
    if isinstance(root.value, dict):
        for port, member in root.value.items():
            _read_port(port.rsplit("|", 1)[-1], member, source, counts)
    elif isinstance(root.value, list):
        for item in root.value:
            _read_levels(item, source, counts)


def _read_port(port: str, member: Member, source: Source, counts: Counts) -> None:
    queues = member.value if isinstance(member.value, dict) else {}
    for name, queue in queues.items():
        match = _QUEUE.fullmatch(name)
        if match is None or not isinstance(queue.value, dict):
            continue
        for field_name, cell in queue.value.items():
            sense = QUEUE_FIELDS.get(field_name)
            if sense is not None and isinstance(cell.value, str):
                label = f"{match[1]} {field_name}"
                key = CounterKey(port, sense.meaning, number_of(match[2]), label)
                counts.add(key, sense, counted(cell.value), source.evidence(cell.offset))


def _read_levels(item: Member, source: Source, counts: Counts) -> None:
    row = item.value if isinstance(item.value, dict) else {}
    port = row.get("Port")
    for name, cell in row.items():
        match = _LEVEL.fullmatch(name)
        if match is None or port is None or not isinstance(cell.value, str):
            continue
        is_group = match[1] == "PG"
        # the output does not say whether it shows shared buffer or headroom; the command does
        meaning = _level_meaning(source.document.command, is_group=is_group)
        sense = Sense(meaning, CounterClass.GAUGE, "bytes")
        key = CounterKey(
            str(port.value), meaning, number_of(match[2]), f"{match[1]} {_label(source)}"
        )
        counts.add(key, sense, counted(cell.value), source.evidence(cell.offset))


def _level_meaning(command: str, *, is_group: bool) -> Meaning:
    if not is_group:
        return Meaning.QUEUE_WATERMARK
    if "headroom" in command:
        return Meaning.HEADROOM_WATERMARK
    return Meaning.SHARED_WATERMARK if "shared" in command else Meaning.OTHER


def _label(source: Source) -> str:
    return "persistent watermark" if "persistent" in source.document.command else "watermark"
