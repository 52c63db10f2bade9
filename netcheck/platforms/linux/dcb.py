"""Reads ``dcb OBJECT show dev PORT``: JSON, numeric text and text with DSCP names.

Source: iproute2 dcb/*.c; DSCP names in lib/rt_names.c and etc/iproute2/rt_dsfield.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any

from netcheck.model.digits import is_whole
from netcheck.model.frozenmap import FrozenMap
from netcheck.model.jsontext import load_json
from netcheck.model.known import UNKNOWN
from netcheck.model.qos import Buffer, DcbxMode, Scheduler, SchedulerKind
from netcheck.platforms.linux.facts import Fact, Item, Page, Reading, Unread
from netcheck.platforms.linux.mlnx_qos import pfc_facts
from netcheck.platforms.linux.quirks import DSCPS, PRIORITIES

_SIZES = {"b": 1, "Kb": 1 << 10, "Mb": 1 << 20, "": 1}
_SIZE = re.compile(r"(\d{1,15}(?:\.\d{1,9})?)(b|Kb|Mb|)")
_KINDS = {
    "strict": SchedulerKind.STRICT,
    "ets": SchedulerKind.WEIGHTED,
    "vendor": SchedulerKind.VENDOR,
}
_DAMAGED = "value not understood"
# All tables are asked for, and not one of them.
_APP_SHOW = re.compile(r"dcb (-\S+ )*app show dev \S+")
# The driver or the tool does not know the object: nothing is said, and nothing is damaged.
_REFUSED = re.compile(r'Attribute read: .*|Object ".*" is unknown|(# )?rc=\d+')


def dscp_number(text: str) -> int:
    """Give the DSCP that a name or number stands for.

    Raises:
        ValueError: It is neither.

    Example:
        >>> dscp_number("AF31"), dscp_number("CS6"), dscp_number("26")
        (26, 48, 26)
    """
    if is_whole(text) and int(text) < DSCPS:
        return int(text)
    if re.fullmatch(r"CS[0-7]", text):
        return 8 * int(text[2])
    if re.fullmatch(r"AF[1-4][1-3]", text):
        return 8 * int(text[2]) + 2 * int(text[3])
    if text in {"EF", "VA"}:
        return {"EF": 46, "VA": 44}[text]
    raise ValueError(f"not a DSCP: {text!r}")


def read_dcb(page: Page) -> Iterator[Item]:
    """Give what one or several objects say, whichever form they were printed in."""
    text = page.document.text.strip()
    if not text.startswith("{"):
        yield from _read_text(page)
        return
    try:
        data = load_json(text)
    except ValueError as error:
        yield page.defect(1, f"dcb: not JSON: {error}")
        return
    if "dscp_prio" not in data and _APP_SHOW.fullmatch(page.document.command):
        # Tables without an entry are not printed. Measured with iproute2 6.1: {} without any.
        yield page.of_port("dscp_to_priority", FrozenMap(), 1)
    yield from _take(page, 1, {str(key): value for key, value in data.items()})


def _read_text(page: Page) -> Iterator[Item]:
    found: dict[str, Any] = {}  # Any: same shape as the JSON of the tool
    first = 1
    for number, line in page.numbered():
        words = line.split()
        if not words or words[0].startswith(("$", "#")):
            yield from _take(page, first, found)
            found, first = {}, number + 1
            continue
        if _REFUSED.fullmatch(line.strip()):
            yield Unread(page.at(number))
            continue
        try:
            found.update(_text_line(words))
        except ValueError as error:
            yield Unread(page.at(number))
            yield page.defect(number, f"dcb: {error}", found=line.strip())
    yield from _take(page, first, found)


def _text_line(words: list[str]) -> dict[str, Any]:  # Any: same shape as the JSON of the tool
    name = words[0].replace("-", "_")
    if name in _TEXT_MAPS:
        return {name: _TEXT_MAPS[name](words[1:])}
    if name in {"pfc_cap", "willing"}:
        pairs = dict(zip(words[::2], words[1::2], strict=False))
        willing = {"on": True, "off": False}.get(pairs.get("willing", ""))
        delay = pairs.get("delay", "")
        return {
            key: value
            for key, value in (("willing", willing), ("delay", int(delay) if delay else None))
            if value is not None
        }
    if set(words) <= _DCBX_FLAGS:
        return {word.replace("-", "_"): True for word in words}
    if name in _TEXT_IGNORED:
        return {}
    raise ValueError(f"line not understood: {' '.join(words)[:60]}")


def _indexed(words: list[str], read: Callable[[str], Any]) -> list[Any]:
    pairs = dict(word.split(":", 1) for word in words)
    if sorted(pairs) != [str(number) for number in range(PRIORITIES)]:
        raise ValueError(f"expected entries 0 to {PRIORITIES - 1}")
    return [read(pairs[str(number)]) for number in range(PRIORITIES)]


def _size(text: str) -> int:
    match = _SIZE.fullmatch(text)
    if match is None:
        raise ValueError(f"not a size: {text!r}")
    return round(float(match[1]) * _SIZES[match[2]])


def _flag(text: str) -> bool:
    if text not in {"on", "off"}:
        raise ValueError(f"expected on or off, found {text!r}")
    return text == "on"


def _text_dscps(words: list[str]) -> list[list[int]]:
    return [
        [dscp_number(dscp), int(priority)]
        for dscp, priority in (word.split(":", 1) for word in words)
    ]


_TEXT_MAPS: dict[str, Callable[[list[str]], Any]] = {
    "prio_pfc": lambda words: _indexed(words, _flag),
    "requests": lambda words: _indexed(words, int),
    "indications": lambda words: _indexed(words, int),
    "tc_bw": lambda words: _indexed(words, int),
    "tc_tsa": lambda words: _indexed(words, str),
    "prio_tc": lambda words: _indexed(words, int),
    "prio_buffer": lambda words: _indexed(words, int),
    "buffer_size": lambda words: _indexed(words, _size),
    "dscp_prio": _text_dscps,
}
_DCBX_FLAGS = {"host", "lld_managed", "lld-managed", "cee", "ieee", "static"}
_TEXT_IGNORED = frozenset(
    {
        "pg_bw",
        "reco_tc_bw",
        "reco_tc_tsa",
        "reco_prio_tc",
        "ethtype_prio",
        "default_prio",
        "dgram_port_prio",
        "stream_port_prio",
        "port_prio",
        "pcp_prio",
        "total_size",
        "tc_maxrate",
    }
)


def _take(page: Page, line: int, data: dict[str, Any]) -> Iterator[Item]:
    for name, reader in _OBJECTS.items():
        if name in data:
            try:
                yield from reader(page, line, data)
            except (ValueError, TypeError, KeyError) as error:
                yield page.defect(line, f"dcb {name}: {_DAMAGED}: {error}")
                yield from (page.of_port(fact, UNKNOWN, line) for fact in _FACTS[name])


def _eight(value: Any) -> list[Any]:  # Any: JSON of a tool
    if not isinstance(value, list) or len(value) != PRIORITIES:
        raise ValueError(f"expected {PRIORITIES} entries")
    return value


def _whole(value: Any) -> int:  # Any: JSON of a tool, or a word of its text
    """A whole number; 3.7, true and 1e999 are damage, not 3, 1 and an overflow."""
    if isinstance(value, bool | float):
        raise ValueError(f"expected a whole number, found {value}")  # noqa: TRY004 -- damage, as all else
    return int(value)


def _pfc(page: Page, line: int, data: dict[str, Any]) -> Iterator[Item]:
    bits = _eight(data["prio_pfc"])
    if not all(isinstance(bit, bool) for bit in bits):
        raise ValueError("expected true and false")
    yield from pfc_facts(page, frozenset(n for n, bit in enumerate(bits) if bit), line)
    for name, ours in (("requests", "dcb_pfc_requests"), ("indications", "dcb_pfc_indications")):
        for number, value in enumerate(data.get(name) or ()):
            counter = f"{ours}_{number}"
            yield Reading(page.port, counter, value, line)


def _ets(page: Page, line: int, data: dict[str, Any]) -> Iterator[Item]:
    schedulers = {
        queue: Scheduler(_KINDS[kind], _whole(weight))
        if _KINDS[kind] is SchedulerKind.WEIGHTED
        else Scheduler(_KINDS[kind])
        for queue, (kind, weight) in enumerate(
            zip(_eight(data["tc_tsa"]), _eight(data["tc_bw"]), strict=True)
        )
    }
    yield page.of_port("scheduler", FrozenMap(schedulers), line)


def _prio_tc(page: Page, line: int, data: dict[str, Any]) -> Iterator[Item]:
    queues = FrozenMap(dict(enumerate(map(_whole, _eight(data["prio_tc"])))))
    yield page.of_port("priority_to_queue", queues, line)


def _willing(page: Page, line: int, data: dict[str, Any]) -> Iterator[Item]:
    yield page.of_port("dcbx_willing", bool(data["willing"]), line)


def _dscp_prio(page: Page, line: int, data: dict[str, Any]) -> Iterator[Item]:
    found = {_whole(dscp): _whole(priority) for dscp, priority in data["dscp_prio"]}
    if len(found) != len(data["dscp_prio"]):
        raise ValueError("a DSCP has two priorities")
    yield page.of_port("dscp_to_priority", FrozenMap(dict(sorted(found.items()))), line)


def _prio_buffer(page: Page, line: int, data: dict[str, Any]) -> Iterator[Item]:
    groups = FrozenMap(dict(enumerate(map(_whole, _eight(data["prio_buffer"])))))
    yield page.of_port("priority_to_priority_group", groups, line)


def _buffer_size(page: Page, line: int, data: dict[str, Any]) -> Iterator[Item]:
    sizes = map(_whole, _eight(data["buffer_size"]))
    buffers = {group: Buffer(size_bytes=size) for group, size in enumerate(sizes)}
    yield page.of_port("ingress_buffer", FrozenMap(buffers), line)


def _host(page: Page, line: int, data: dict[str, Any]) -> Iterator[Fact]:
    if data["host"] is True:
        yield page.of_port("dcbx_mode", DcbxMode.HOST, line)


def _lld_managed(page: Page, line: int, data: dict[str, Any]) -> Iterator[Fact]:
    if data["lld_managed"] is True and not data.get("host"):
        yield page.of_port("dcbx_mode", DcbxMode.FIRMWARE, line)


_OBJECTS: dict[str, Callable[[Page, int, dict[str, Any]], Iterator[Item]]] = {
    "prio_pfc": _pfc,
    "tc_tsa": _ets,
    "prio_tc": _prio_tc,
    "willing": _willing,
    "dscp_prio": _dscp_prio,
    "prio_buffer": _prio_buffer,
    "buffer_size": _buffer_size,
    "host": _host,
    "lld_managed": _lld_managed,
}
_FACTS = {
    "prio_pfc": ("pfc_rx", "pfc_tx"),
    "tc_tsa": ("scheduler",),
    "prio_tc": ("priority_to_queue",),
    "willing": ("dcbx_willing",),
    "dscp_prio": ("dscp_to_priority",),
    "prio_buffer": ("priority_to_priority_group",),
    "buffer_size": ("ingress_buffer",),
    "host": ("dcbx_mode",),
    "lld_managed": ("dcbx_mode",),
}
