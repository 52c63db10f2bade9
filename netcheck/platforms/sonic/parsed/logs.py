"""Lines in which the switch says what it did not take, and that a pause storm came.

Source: sonic-net/sonic-swss cfgmgr/buffermgr.cpp, cfgmgr/buffermgrdyn.cpp,
orchagent/bufferorch.cpp, orchagent/qosorch.cpp, orchagent/pfcactionhandler.cpp;
sonic-net/sonic-utilities generic_config_updater/gu_common.py (refused patches).
"""

from __future__ import annotations

import re
from collections import Counter
from typing import Final, NamedTuple

from netcheck.model.counters import CounterClass, CounterKey, Meaning
from netcheck.model.device import Defect, DefectKind
from netcheck.platforms.sonic.parsed.counter_names import Sense
from netcheck.platforms.sonic.parsed.counters import Counts
from netcheck.platforms.sonic.parsed.tables import Source

_DAEMON: Final = re.compile(r"\b(?:buffermgrd|orchagent)\b")
_TROUBLE: Final = re.compile(r"\b(?:ERR|ERROR|WARN|WARNING|CRIT)\b")
_BUFFER_WORDS: Final = re.compile(
    r"buffer|profile|\bpg\b|priority group|headroom|pool|qos|pfc|wred|ecn|scheduler|queue map"
    r"|dscp|dot1p|\btc\b|cable length",
    re.IGNORECASE,
)
_PORT: Final = re.compile(r"\b[Pp]ort[: ] ?(?P<port>[A-Za-z][\w/-]*\d)")
_KEY: Final = re.compile(r"\b(?P<port>Ethernet[\w/-]*\d)[:|](?P<index>\d+)(?:-(?P<last>\d+))?")


class _Told(NamedTuple):
    """A log line that is known: its pattern, and what is missing in our words."""

    pattern: re.Pattern[str]
    place: str
    expected: str


_TOLD: Final = (
    _Told(
        re.compile(r"Cable length is not set|[Uu]nable to get cable length|cable length.*missing"),
        "CABLE_LENGTH",
        "a cable length for the port",
    ),
    _Told(
        re.compile(
            r"No PG profile configured for speed (?P<speed>\d+) and cable length (?P<cable>\w+)"
        ),
        "pg_profile_lookup.ini",
        "a row for this speed and cable length",
    ),
    _Told(
        re.compile(r"[Aa]ccumulative headroom size exceeds(?: the)? limit"),
        "BUFFER_PG",
        "headroom within the limit of the port",
    ),
    _Told(
        re.compile(r"Modification of (?P<table>\w+) table is illegal"),
        "patch",
        "a change that the switch takes as a patch",
    ),
    _Told(
        re.compile(r"libyang\[\d\]: .*\(path: |Data Loading Failed|Failed to apply patch due to"),
        "patch",
        "a configuration that the switch's models take",
    ),
)
_STORM: Final = re.compile(
    r"PFC Watchdog (?P<event>detected PFC storm|storm restored) on port (?P<port>[\w/-]+),"
    r" queue index (?P<queue>\d+)"
)
_EVENTS: Final = {
    "detected PFC storm": Sense(Meaning.WATCHDOG_STORM, CounterClass.MUST_BE_ZERO, "events"),
    "storm restored": Sense(Meaning.WATCHDOG_RESTORED, CounterClass.INFORMATION, "events"),
}


def count_storms(source: Source, counts: Counts) -> None:
    """Count the storms that a log tells of, by port and queue."""
    events = Counter(
        (match["event"], match["port"], int(match["queue"]))
        for match in _STORM.finditer(source.document.text)
    )
    for (event, port, queue), number in events.items():
        sense = _EVENTS[event]
        key = CounterKey(port, sense.meaning, queue, f"log: {event}")
        counts.add(key, sense, number, source.evidence())


def read_log(source: Source) -> list[Defect]:
    """Give what the switch refused, one defect for each different line."""
    found: dict[str, Defect] = {}
    for number, line in enumerate(source.document.text.split("\n"), 1):
        defect = _defect(line.strip(), source, number)
        if defect is not None:
            found.setdefault(_without_time(line), defect)
    return list(found.values())


def _without_time(line: str) -> str:
    start = _DAEMON.search(line)
    return line[start.start() :] if start else line


def _defect(line: str, source: Source, number: int) -> Defect | None:
    for told in _TOLD:
        if told.pattern.search(line):
            return _made(line, source, number, place=told.place, expected=told.expected)
    if _DAEMON.search(line) is None:
        return None
    if _TROUBLE.search(line) and _BUFFER_WORDS.search(_without_time(line)):
        return _made(line, source, number, place="log", expected="")
    return None


def _made(line: str, source: Source, number: int, *, place: str, expected: str) -> Defect:
    said = re.sub(r"^.*?:- (?:\w+: )?", "", _without_time(line))
    ports, indices = _ports(line)
    what = f"{place} missing for {', '.join(ports)}" if place == "CABLE_LENGTH" else place
    message = said if place == "log" else f"{what}: {said}"
    return Defect(
        DefectKind.REJECTED_BY_DEVICE,
        place,
        message,
        ports,
        indices,
        expected=expected,
        found=said,
        evidence=source.at_line(number),
    )


def _ports(line: str) -> tuple[tuple[str, ...], tuple[int, ...]]:
    key = _KEY.search(line)
    if key is not None:
        first = int(key["index"])
        return (key["port"],), tuple(range(first, int(key["last"] or first) + 1))
    port = _PORT.search(line)
    return ((port["port"],) if port else ()), ()
