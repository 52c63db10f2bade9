"""Counters of EOS outputs in the model's words.

Source: aristanetworks/anta tests/units/anta_tests/test_interfaces.py (shapes of
the JSON); facebook/DNE-TaaC dsf_pfc_health_check.py (PFC by priority) and
pfc_wd_health_check.py; amd/node-scraper switch collector (text of queues).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, Final, NamedTuple

from netcheck.model.counters import Counter, CounterClass, CounterKey, Meaning
from netcheck.model.digits import is_whole, number_of
from netcheck.model.document import Evidence
from netcheck.model.known import UNKNOWN, Known, is_known
from netcheck.platforms.eos.parsed.tree import Source

_ZERO: Final = CounterClass.MUST_BE_ZERO
_CONGESTION: Final = CounterClass.CONGESTION
_INFORMATION: Final = CounterClass.INFORMATION
_HIGHEST: Final = 2**64 - 1
Json = Mapping[str, Any]  # Any: what a device prints


class Sense(NamedTuple):
    """What a counter means, how its growth is judged, and its unit."""

    meaning: Meaning
    kind: CounterClass
    unit: str = "packets"


_PORT: Final[Mapping[str, Sense]] = {
    "inDiscards": Sense(Meaning.PORT_INGRESS_DROP, _ZERO),
    "outDiscards": Sense(Meaning.PORT_EGRESS_DROP, _ZERO),
    "inUcastPkts": Sense(Meaning.PORT_RX_PACKETS, _INFORMATION),
    "outUcastPkts": Sense(Meaning.PORT_TX_PACKETS, _INFORMATION),
    "inOctets": Sense(Meaning.OTHER, _INFORMATION, "bytes"),
    "outOctets": Sense(Meaning.OTHER, _INFORMATION, "bytes"),
}
_ERRORS: Final = ("fcsErrors", "alignmentErrors", "symbolErrors")
# Where in the chip; what arrives and finds no buffer is lost to all priority groups together,
# what leaves is held by the counters of the queues already.
_CHIP_DROPS: Final[Mapping[str, Sense]] = {
    "rxMmuDrop": Sense(Meaning.PRIORITY_GROUP_DROP, _ZERO),
    "wredDropPktCounter": Sense(Meaning.WRED_DROP, _ZERO),
    "txMmuDrop": Sense(Meaning.OTHER, _INFORMATION),
    "rxBufferPoolDiscard": Sense(Meaning.OTHER, _INFORMATION),
}
_PAUSES: Final[Mapping[str, Meaning]] = {
    "txPause": Meaning.GLOBAL_PAUSE_TX,
    "rxPause": Meaning.GLOBAL_PAUSE_RX,
}
_FRAMES: Final[Mapping[str, Meaning]] = {"rxFrames": Meaning.PFC_RX, "txFrames": Meaning.PFC_TX}
_QUEUE: Final[Mapping[str, Sense]] = {
    "droppedPackets": Sense(Meaning.QUEUE_DROP, _ZERO),
    "enqueuedPackets": Sense(Meaning.QUEUE_PACKETS, _INFORMATION),
    "enqueuedBytes": Sense(Meaning.QUEUE_BYTES, _INFORMATION, "bytes"),
}
_WATCHDOG: Final[Mapping[str, Sense]] = {
    "stuckCount": Sense(Meaning.WATCHDOG_STORM, _ZERO, "events"),
    "recoveryCount": Sense(Meaning.WATCHDOG_RESTORED, _INFORMATION, "events"),
}
_PRIORITIES: Final = frozenset("01234567")
_ROW: Final = re.compile(
    r"^ *(?P<port>Et\S+) +(?P<kind>UC|MC|TC)?(?P<queue>\d+) +(?P<packets>[\d,]+|-|N/A)"
    r" +(?P<bytes>[\d,]+|-|N/A) +(?P<drops>[\d,]+|-|N/A) +(?P<drop_bytes>[\d,]+|-|N/A) *$",
    re.MULTILINE,
)


@dataclass(slots=True)
class Counts:
    """Counters found so far, with their evidence."""

    counters: dict[CounterKey, Counter] = field(default_factory=dict)
    evidence: dict[str, Evidence] = field(default_factory=dict)
    ports: set[str] = field(default_factory=set)
    is_given: bool = False

    def add(self, key: CounterKey, sense: Sense, value: Known[int], at: Evidence) -> None:
        """Add a counter; one that is there already stays unless it has no value."""
        self.is_given = True
        made = _counter(value, sense.kind, sense.unit)
        there = self.counters.setdefault(key, made)
        if not is_known(there.value):
            self.counters[key] = made
        if key.port not in self.ports:
            self.ports.add(key.port)
            self.evidence[f"port {key.port} counters"] = at


@lru_cache(maxsize=4096)
def _counter(value: Known[int], kind: CounterClass, unit: str) -> Counter:
    """Equal readings, most of them zero, share one object."""
    return Counter(value, kind, unit)


def counted(value: object) -> Known[int]:
    """Give a reading; UNKNOWN for ``-`` and anything else that is no number.

    Example:
        >>> counted("12"), counted("-"), counted(None)
        (12, UNKNOWN, UNKNOWN)
    """
    if isinstance(value, bool) or not isinstance(value, (int, str)):
        return UNKNOWN
    return _number(value)


@lru_cache(maxsize=4096)
def _number(value: int | str) -> Known[int]:
    plain = str(value).replace(",", "")
    if not (plain.isascii() and plain.isdigit() and len(plain) <= len(str(_HIGHEST))):
        return UNKNOWN
    return number if (number := int(plain)) <= _HIGHEST else UNKNOWN


@lru_cache(maxsize=4096)
def full_name(short: str) -> str:
    """Give the whole name of a port that a table shortens.

    Example:
        >>> full_name("Et1/1")
        'Ethernet1/1'
    """
    return re.sub(r"^Et(?:hernet)?(?=\d)", "Ethernet", short)


def rows_of(data: object) -> Iterator[tuple[str, Json]]:
    """Yield the objects of a JSON object by name; what is no object is left out."""
    if isinstance(data, dict):  # what json makes of an object
        for name, row in data.items():
            if isinstance(row, dict):
                yield str(name), row


def read_port_counters(data: Json, source: Source, counts: Counts) -> None:
    """`show interfaces counters`, `... discards`: packets and drops of ports."""
    counts.is_given = True
    for port, row in rows_of(data.get("interfaces")):
        _add_named(port, row, source, counts)


def read_interface_counters(data: Json, source: Source, counts: Counts) -> None:
    """Counters inside `show interfaces`."""
    for port, row in rows_of(data.get("interfaces")):
        inner = row.get("interfaceCounters")
        if isinstance(inner, Mapping):
            _add_named(port, inner, source, counts)


def _add_named(port: str, row: Json, source: Source, counts: Counts) -> None:
    for name, sense in _PORT.items():
        if name in row:
            key = CounterKey(port, sense.meaning, -1, name)
            counts.add(key, sense, counted(row[name]), source.at(0, counter=name))


def read_error_counters(data: Json, source: Source, counts: Counts) -> None:
    """`show interfaces counters errors`: what the cable spoils."""
    counts.is_given = True
    sense = Sense(Meaning.PHYSICAL_ERROR, _ZERO)
    for port, row in rows_of(data.get("interfaceErrorCounters")):
        for name in _ERRORS:
            if name in row:
                key = CounterKey(port, sense.meaning, -1, name)
                counts.add(key, sense, counted(row[name]), source.at(0, counter=name))


def read_pfc_counters(data: Json, source: Source, counts: Counts) -> None:
    """`show priority-flow-control counters`: frames of all priorities together.

    They say nothing of one priority, so they stay information.
    """
    counts.is_given = True
    for port, row in rows_of(data.get("interfaceCounters")):
        for name in _FRAMES:
            if name in row:
                key = CounterKey(port, Meaning.OTHER, -1, f"PFC {name}")
                sense = Sense(Meaning.OTHER, _INFORMATION)
                counts.add(key, sense, counted(row[name]), source.at(0, counter=name))


def read_pfc_priorities(data: Json, source: Source, counts: Counts) -> None:
    """`show interfaces priority-flow-control counters detail`: frames by priority."""
    counts.is_given = True
    for port, row in rows_of(data.get("interfaces")):
        for priority, frames in rows_of(row.get("priorities")):
            for name, meaning in _FRAMES.items():
                if name in frames and priority in _PRIORITIES:
                    key = CounterKey(port, meaning, int(priority), name)
                    counts.add(
                        key,
                        Sense(meaning, _CONGESTION),
                        counted(frames[name]),
                        source.at(0, counter=f"priority {priority} {name}"),
                    )


def read_watchdog_counters(data: Json, source: Source, counts: Counts) -> None:
    """`show priority-flow-control counters watchdog`: queues that got stuck, since their first."""
    counts.is_given = True
    for port, row in rows_of(data.get("interfaces")):
        for queue, events in rows_of(row.get("txQueues")):
            if not queue.isdigit():
                continue
            for name, sense in _WATCHDOG.items():
                if name in events:
                    key = CounterKey(port, sense.meaning, int(queue), name)
                    at = source.at(0, counter=f"queue {queue} {name}")
                    counts.add(key, sense, counted(events[name]), at)


def read_ecn_counters(data: Json, source: Source, counts: Counts) -> None:
    """`show qos interfaces ecn counters queue`: strings; ``-`` is not counted, not zero."""
    counts.is_given = True
    sense = Sense(Meaning.ECN_MARKED, _CONGESTION)
    for port, row in rows_of(data.get("intfQueueCounters")):
        queues = row.get("queueCounters")
        for queue, marked in queues.items() if isinstance(queues, Mapping) else ():
            if is_whole(str(queue)):
                key = CounterKey(port, sense.meaning, int(queue), "ecn")
                counts.add(key, sense, counted(marked), source.at(0, counter=f"queue {queue} ecn"))


def read_queue_counters(data: Json, source: Source, counts: Counts) -> None:
    """`show interfaces counters queue detail`: what queues sent and dropped."""
    counts.is_given = True
    inner = data.get("egressQueueCounters")
    for port, row in rows_of(inner.get("interfaces") if isinstance(inner, Mapping) else None):
        for kind in ("ucastQueues", "mcastQueues"):
            queues = row.get(kind)
            classes = queues.get("trafficClasses") if isinstance(queues, Mapping) else None
            for name, one in rows_of(classes):
                if re.fullmatch(r"TC\d+", name):
                    _add_queue(
                        (port, number_of(name[2:]), kind == "ucastQueues"), one, source, counts
                    )


def _add_queue(owner: tuple[str, int, bool], row: Json, source: Source, counts: Counts) -> None:
    port, queue, is_unicast = owner
    colours = [each for _, each in rows_of(row.get("dropPrecedences"))]
    for name, sense in _QUEUE.items():
        shown = [counted(each[name]) for each in colours if name in each]
        if not shown:
            continue
        known = [each for each in shown if is_known(each)]
        is_sound = len(known) == len(shown) == len(colours)
        value = sum(known) if is_sound else UNKNOWN
        _add_queue_counter((port, queue, is_unicast), name, sense, value, source.at(0), counts)


def _add_queue_counter(
    owner: tuple[str, int, bool],
    name: str,
    sense: Sense,
    value: Known[int],
    at: Evidence,
    counts: Counts,
) -> None:
    """Add a counter of a queue; those of multicast queues carry no RDMA and stay aside."""
    port, queue, is_unicast = owner
    if is_unicast:
        counts.add(CounterKey(port, sense.meaning, queue, name), sense, value, at)
    else:
        aside = Sense(Meaning.OTHER, _INFORMATION, sense.unit)
        counts.add(CounterKey(port, Meaning.OTHER, queue, f"multicast {name}"), aside, value, at)


def read_queue_drops(data: Json, source: Source, counts: Counts) -> None:
    """`show interfaces counters queue drops`: switches with virtual output queues."""
    counts.is_given = True
    sense = _QUEUE["droppedPackets"]
    for port, row in rows_of(data.get("interfaces")):
        for name, one in rows_of(row.get("trafficClasses")):
            for side in ("ingressVoqCounters", "egressQueueCounters"):
                inner = one.get(side)
                total = inner.get("countersSum") if isinstance(inner, Mapping) else None
                if re.fullmatch(r"TC\d+", name) and isinstance(total, Mapping):
                    key = CounterKey(
                        port, sense.meaning, number_of(name[2:]), f"{side} droppedPackets"
                    )
                    value = counted(total.get("droppedPackets"))
                    counts.add(key, sense, value, source.at(0, counter=f"{name} {side}"))


def read_chip_counters(data: Json, source: Source, counts: Counts) -> None:
    """`show platform trident counters`: where in the chip packets were dropped."""
    counts.is_given = True
    for port, row in rows_of(data.get("ethernet")):
        inner = row.get("count")
        drops = inner.get("drop") if isinstance(inner, Mapping) else None
        if not isinstance(drops, Mapping):
            continue
        for name, sense in _CHIP_DROPS.items():
            if name in drops:
                key = CounterKey(port, sense.meaning, -1, name)
                counts.add(key, sense, counted(drops[name]), source.at(0, counter=name))


def read_pause_counters(data: Json, source: Source, counts: Counts) -> None:
    """`show interfaces flow-control`: global pause frames."""
    counts.is_given = True
    for port, row in rows_of(data.get("interfaceFlowControls")):
        for name, meaning in _PAUSES.items():
            if name in row:
                key = CounterKey(port, meaning, -1, name)
                at = source.at(0, counter=name)
                counts.add(key, Sense(meaning, _CONGESTION), counted(row[name]), at)


def read_queue_table(source: Source, counts: Counts) -> None:
    """The text of `show interfaces counters queue detail`: one row a queue."""
    counts.is_given = True
    for match in _ROW.finditer(source.document.text):
        owner = full_name(match["port"]), number_of(match["queue"]), match["kind"] != "MC"
        at = source.at(source.line_of(match.start("port")))
        for name, column in (
            ("enqueuedPackets", "packets"),
            ("enqueuedBytes", "bytes"),
            ("droppedPackets", "drops"),
        ):
            value = counted(match[column])
            _add_queue_counter(owner, name, _QUEUE[name], value, at, counts)


Reader = Callable[[Json, Source, Counts], None]
# What names a shape -> how it is read; the first that fits.
READERS: Final[tuple[tuple[str, Reader], ...]] = (
    ("interfaceErrorCounters", read_error_counters),
    ("interfaceCounters", read_pfc_counters),
    ("intfQueueCounters", read_ecn_counters),
    ("egressQueueCounters", read_queue_counters),
    ("ethernet", read_chip_counters),
    ("interfaceFlowControls", read_pause_counters),
)
# Shapes that share the name `interfaces`, by a field of the first row.
BY_FIELD: Final[tuple[tuple[str, Reader], ...]] = (
    ("priorities", read_pfc_priorities),
    ("txQueues", read_watchdog_counters),
    ("trafficClasses", read_queue_drops),
    ("outDiscards", read_port_counters),
    ("inDiscards", read_port_counters),
    ("inUcastPkts", read_port_counters),
)
