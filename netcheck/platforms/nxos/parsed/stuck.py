"""``show queuing pfc-queue detail``: the watchdog and what it did."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from netcheck.model.counters import CounterKey
from netcheck.model.document import Document, Evidence
from netcheck.model.known import ABSENT, UNKNOWN, Known, is_known
from netcheck.model.qos import Watchdog, WatchdogAction
from netcheck.platforms.nxos.parsed.live import Live, at_line, counted, first_text
from netcheck.platforms.nxos.parsed.senses import STUCK, sense_of
from netcheck.platforms.nxos.parsed.words import numbers, port_name
from netcheck.platforms.nxos.quirks import rows

Json = Mapping[str, Any]  # Any: JSON of a device
_PORT: Final = re.compile(r"(\S+) Interface PFC watchdog: \[(Enabled|Disabled)\]")
_ACTION: Final = re.compile(r"Disable-action +: (Yes|No)")
_GROUP: Final = re.compile(
    r"\| QOS GROUP ([0-7]) \[(\w[\w -]*)\] PFC \[(YES|NO)\] PFC-COS \[([\d,]*)\].*"
)
_COUNTER: Final = re.compile(r"\| *([A-Z][A-Za-z +]+?)\| *(\d+)\|")
_TIMER: Final = re.compile(
    r"PFC watch-dog (poll interval|shutdown multiplier|auto-restore multiplier"
    r"|fixed-restore multiplier) *: (\d+)(?: ms)?"
)
_HEAD: Final = re.compile(r"\| *\| *Stats *\|")
_NOISE: Final = re.compile(
    r"[-+=|]+|slot +\d+|=+|.*[#>] *sh\w* .*|Global .*|PFC watch-?dog .*"
    r"|\|? *Port +PFC Watchdog .*"
)
_NAMES: Final[Mapping[str, str]] = {
    "q-shutdown": "Shutdown",
    "q-restored": "Restored",
    "q-pkt-drained": "Total pkts drained",
    "q-pkt-dropped": "Total pkts dropped",
    "q-pkt-drained-n-dropped": "Total pkts drained + dropped",
    "q-aggr-pkt-dropped": "Aggregate pkts dropped",
    "q-ing-pkt-dropped": "Total Ingress pkts dropped",
    "q-ing-aggr-pkt-dropped": "Aggregate Ingress pkts dropped",
}


@dataclass(slots=True)
class _Watched:
    """What the text says of one port."""

    is_on: bool
    where: Evidence
    alerts: bool | None = None
    priorities: set[int] = field(default_factory=set)


@dataclass(slots=True)
class _Reader:
    """Goes through the text; ``group`` counts only between its own header and the next."""

    document: Document
    live: Live
    port: str = ""
    group: int = -1
    pending: int = -1
    found: dict[str, _Watched] = field(default_factory=dict)

    def line(self, text: str, number: int) -> None:
        for pattern, step in _STEPS:
            match = pattern.fullmatch(text)
            if match is not None:
                step(self, match, number)
                return
        self.live.tell_damaged(self.document, number, text)

    def head(self, match: re.Match[str], number: int) -> None:
        self.port, self.group, self.pending = port_name(match[1]) or "", -1, -1
        if self.port:
            where = at_line(self.document, number)
            self.found[self.port] = _Watched(match[2] == "Enabled", where)

    def action(self, match: re.Match[str], number: int) -> None:  # noqa: ARG002 -- all steps look alike
        there = self.found.get(self.port)
        if there is None or there.alerts is not None:
            self.port = ""  # of a port whose own line is lost
        else:
            there.alerts = match[1] == "Yes"

    def queue(self, match: re.Match[str], number: int) -> None:  # noqa: ARG002 -- as above
        self.group = self.pending = int(match[1])
        if self.port:
            self.found[self.port].priorities |= numbers(match[4], 7) or set()

    def columns(self, match: re.Match[str], number: int) -> None:  # noqa: ARG002 -- as above
        self.group, self.pending = self.pending, -1

    def counter(self, match: re.Match[str], number: int) -> None:
        if self.port and self.group >= 0:
            key = (self.port, self.group, match[1].strip())
            _count(self.live, key, match[2], self.document, number)

    def noise(self, match: re.Match[str], number: int) -> None:
        """A line that says nothing of a port."""


_STEPS: Final[tuple[tuple[re.Pattern[str], Callable[[_Reader, re.Match[str], int], None]], ...]] = (
    (_PORT, _Reader.head),
    (_ACTION, _Reader.action),
    (_GROUP, _Reader.queue),
    (_HEAD, _Reader.columns),
    (_COUNTER, _Reader.counter),
    (_TIMER, _Reader.noise),
    (_NOISE, _Reader.noise),
)


def read_pfc_queue(document: Document, live: Live) -> None:
    """Read the text; a line that does not fit is damaged and says nothing."""
    live.is_counted = True
    reader = _Reader(document, live)
    for number, line in enumerate(document.text.split("\n"), 1):
        if line.strip():
            reader.line(line.strip(), number)
    for name, facts in reader.found.items():
        watchdog = _watchdog(facts.is_on, facts.alerts, frozenset(facts.priorities), {})
        live.say(name, "watchdog", watchdog, facts.where)


def _count(
    live: Live, key: tuple[str, int, str], value: object, document: Document, line: int
) -> None:
    port, group, name = key
    sense = sense_of(name, STUCK)
    named = CounterKey(port, sense.meaning, group, name)
    live.count(named, sense, counted(value), at_line(document, line))


def _watchdog(
    is_on: object, alerts: object, priorities: frozenset[int], times: Mapping[str, Known[int]]
) -> Known[Watchdog]:
    if is_on is False:
        return ABSENT
    if is_on is not True:
        return UNKNOWN
    interval = times.get("interval", UNKNOWN)
    action: Known[WatchdogAction] = UNKNOWN
    if isinstance(alerts, bool):
        action = WatchdogAction.ALERT if alerts else WatchdogAction.DROP
    return Watchdog(
        _product(interval, times.get("shutdown", UNKNOWN)),
        _product(interval, times.get("restore", UNKNOWN)),
        action,
        priorities or UNKNOWN,
    )


def _product(a: Known[int], b: Known[int]) -> Known[int]:
    return a * b if is_known(a) and is_known(b) else UNKNOWN


def read_pfc_queue_json(document: Document, data: Json, live: Live) -> None:
    """Read the watchdog of the switch and of its ports, and the counters of its queues."""
    live.is_counted = True
    where = at_line(document, 0)
    fixed, auto = counted(data.get("glb-fixed-restore")), counted(data.get("glb-auto-restore"))
    times = {
        "interval": counted(data.get("glb-wd-timer")),
        "shutdown": counted(data.get("glb-wd-timer-thresh")),
        "restore": auto + fixed if is_known(auto) and is_known(fixed) else UNKNOWN,
    }
    if is_known(times["interval"]):
        live.say_device("watchdog_poll_ms", times["interval"], where)
    is_global = {"enabled": True, "disabled": False}.get(first_text(data, "glb-wd-status").lower())
    for row in rows(data, "queuing_interface"):
        port = port_name(first_text(row, "if_name_str").split(" ")[0])
        if port is not None:
            _read_port(document, port, row, is_global, times, live)


def _read_port(
    document: Document,
    port: str,
    row: Json,
    is_global: bool | None,  # noqa: FBT001 -- what the whole switch says, None where it says nothing
    times: Mapping[str, Known[int]],
    live: Live,
) -> None:
    status = first_text(row, "wd-status").strip("[]").lower()
    is_on = {"enabled": True, "disabled": False}.get(status)
    if is_global is False:
        is_on = False
    priorities: set[int] = set()
    for group in rows(row, "qosgrp_stats"):
        number = re.match(r"([0-7])(?!\d)", first_text(group, "eq-qosgrp"))
        priorities |= numbers(first_text(group, "pfc-cos"), 7) or set()
        for entry in rows(group, "qosgrp_stats_entry"):
            for key, value in entry.items():
                if key in _NAMES and number is not None:
                    named = (port, int(number[1]), _NAMES[key])
                    _count(live, named, value, document, 0)
    alerts = {"yes": True, "no": False}.get(first_text(row, "disable-action").lower())
    multiplier = counted(row.get("intf-multi"))
    own = {**times, "shutdown": multiplier} if is_known(multiplier) and multiplier else times
    watchdog = _watchdog(is_on, alerts, frozenset(priorities), own)
    if watchdog is not UNKNOWN:
        live.say(port, "watchdog", watchdog, at_line(document, 0))
