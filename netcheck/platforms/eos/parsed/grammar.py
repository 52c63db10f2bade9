"""Lines that say how a port or a QoS profile treats traffic.

A form has a key, which may hold numbers of the line (``pfc 3``), the line as
it is written to set something, and the beginning that `no` and `default` take.

Source: aristanetworks/avd eos_cli_config_gen (qos_profiles, ethernet_interfaces
schemas); Arista EOS User Manual, Quality of Service.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Final, NamedTuple

from netcheck.model.digits import number_of
from netcheck.model.known import UNKNOWN, Known

Captures = Mapping[str, str | None]
Scalar = bool | int | str


class Word(Enum):
    """How a line takes a setting back."""

    NO = "no"
    DEFAULT = "default"


class Ramp(NamedTuple):
    """Thresholds of a queue: marking or dropping starts, is at its maximum, that maximum.

    The weight averages the queue's length; 0 takes it as it is.
    """

    kmin_bytes: Known[int]
    kmax_bytes: Known[int]
    pmax_percent: Known[int]
    weight: int = 0


class Timer(NamedTuple):
    """Watchdog times of a port in ms; the interval is UNKNOWN where the switch picks it."""

    detection_ms: int
    restoration_ms: int
    poll_ms: Known[int]


Value = Scalar | Ramp | Timer


@dataclass(frozen=True, slots=True)
class Form:
    """One kind of line."""

    key: str
    set_line: re.Pattern[str]
    unset_line: re.Pattern[str]
    convert: Callable[[Captures], Value]

    @property
    def words(self) -> tuple[str, ...]:
        """First words of its lines."""
        start = self.set_line.pattern.partition(" ")[0].partition("(?P")[0]
        return ("ip", "ipv6") if start.startswith("ip(") else (start,)


class Forms:
    """Forms of one kind of section, found by the first word of a line."""

    def __init__(self, *rows: Form) -> None:
        self.rows = rows
        self.by_word: dict[str, tuple[Form, ...]] = {}
        for form in rows:
            for word in form.words:
                self.by_word[word] = (*self.by_word.get(word, ()), form)


class Read(NamedTuple):
    """What a line says: the value of a key, or that the key is taken back."""

    key: str
    value: Value | Word


_SECONDS: Final = r"\d{1,2}(?:\.\d{1,3})?"
_BYTES: Final[Mapping[str, int]] = {"bytes": 1, "kbytes": 1000, "mbytes": 1_000_000}
_UNIT: Final = r"(?:segments|bytes|kbytes|mbytes|milliseconds|microseconds)"
_SPEED: Final = re.compile(
    r"(?:auto |forced )?(?P<number>\d+)(?P<unit>g?)(?:-(?P<lanes>\d))?(?:full|half)?"
)


def milliseconds(text: str) -> int:
    """Give seconds with up to three decimals in ms.

    Example:
        >>> milliseconds("0.20"), milliseconds("10.001")
        (200, 10001)
    """
    whole, _, rest = text.partition(".")
    return int(whole) * 1000 + int(f"{rest:0<3}"[:3])


def threshold_bytes(number: str, unit: str) -> Known[int]:
    """Give a threshold in bytes; UNKNOWN for segments and times, which depend on the ASIC.

    One mbyte is 1,000,000 bytes: the ranges of the three units end at the same size.

    Source: aristanetworks/avd qos_profiles schema, ranges of the thresholds.
    """
    factor = _BYTES.get(unit)
    return UNKNOWN if factor is None else number_of(number) * factor


def _word(captures: Captures) -> str:
    return captures["value"] or ""


def _number(captures: Captures) -> int:
    return int(captures["value"] or 0)


def _set(captures: Captures) -> bool:  # noqa: ARG001 -- as the other converters
    return True


def _ramp(captures: Captures) -> Ramp:
    pmax = captures.get("pmax")
    return Ramp(
        threshold_bytes(captures["low"] or "", captures["low_unit"] or ""),
        threshold_bytes(captures["high"] or "", captures["high_unit"] or ""),
        int(pmax) if pmax else UNKNOWN,
        int(captures.get("weight") or 0),
    )


def _timer(captures: Captures) -> Timer:
    poll = captures["poll"] or "auto"
    return Timer(
        milliseconds(captures["timeout"] or "0"),
        milliseconds(captures["recovery"] or "0"),
        UNKNOWN if poll == "auto" else milliseconds(poll),
    )


def speed_bps(text: str) -> Known[int]:
    """Give the speed of `speed` in bit/s; UNKNOWN for plain `auto`.

    Example:
        >>> speed_bps("200g-4"), speed_bps("forced 100gfull"), speed_bps("auto")
        (200000000000, 100000000000, UNKNOWN)
    """
    match = _SPEED.fullmatch(text)
    if match is None:
        return UNKNOWN
    return number_of(match["number"]) * (1_000_000_000 if match["unit"] else 1_000_000)


def lanes_of(text: str) -> Known[int]:
    """Give the lanes that `speed` names (``200g-4``); UNKNOWN where it names none."""
    match = _SPEED.fullmatch(text)
    return int(match["lanes"]) if match and match["lanes"] else UNKNOWN


def _form(
    key: str, set_line: str, unset_line: str, convert: Callable[[Captures], Value] = _word
) -> Form:
    return Form(key, re.compile(set_line), re.compile(unset_line), convert)


_ECN: Final = (
    rf"random-detect ecn minimum-threshold (?P<low>\d+) (?P<low_unit>{_UNIT})"
    rf" maximum-threshold (?P<high>\d+) (?P<high_unit>{_UNIT})"
    r"(?: max-mark-probability (?P<pmax>100|[1-9]\d?))?(?: weight (?P<weight>1[0-5]|\d))?"
)
_DROP: Final = (
    rf"random-detect drop(?: drop-precedence [0-2])? minimum-threshold (?P<low>\d+)"
    rf" (?P<low_unit>{_UNIT}) maximum-threshold (?P<high>\d+) (?P<high_unit>{_UNIT})"
    r" drop-probability (?P<pmax>100|[1-9]\d?)(?: weight (?P<weight>1[0-5]|\d))?"
)
_TIMER: Final = (
    rf"priority-flow-control pause watchdog port timer timeout (?P<timeout>{_SECONDS})"
    rf" polling-interval (?P<poll>auto|{_SECONDS}) recovery-time (?P<recovery>{_SECONDS})"
    r"(?: forced)?"
)
# Of a QoS profile and of an interface.
TREATMENT: Final = Forms(
    _form("trust", r"qos trust (?P<value>dscp|cos)", r"qos trust(?: \w+)?"),
    _form("cos", r"qos cos (?P<value>[0-7])", r"qos cos(?: \d)?", _number),
    _form("dscp", r"qos dscp (?P<value>6[0-3]|[0-5]?\d)", r"qos dscp(?: \d+)?", _number),
    _form(
        "classifier",
        r"service-policy type (?:qos|quality-of-service) input (?P<value>\S+)",
        r"service-policy type (?:qos|quality-of-service) input(?: \S+)?",
    ),
    _form("pfc", r"priority-flow-control (?P<value>on)", r"priority-flow-control(?: on)?"),
    _form(
        "pfc",
        r"priority-flow-control mode (?P<value>on|auto)",
        r"priority-flow-control mode(?: \w+)?",
    ),
    _form(
        "pfc {priority}",
        r"priority-flow-control priority (?P<priority>[0-7]) (?P<value>no-drop|drop)",
        r"priority-flow-control priority (?P<priority>[0-7])(?: (?:no-)?drop)?",
    ),
    _form(
        "watchdog",
        r"priority-flow-control pause watchdog(?P<value>)",
        r"priority-flow-control pause watchdog",
        _set,
    ),
    _form(
        "watchdog action",
        r"priority-flow-control pause watchdog port action (?P<value>drop|notify-only)",
        r"priority-flow-control pause watchdog port action(?: \S+)?",
    ),
    _form(
        "watchdog timer",
        _TIMER,
        r"priority-flow-control pause watchdog port timer(?: .*)?",
        _timer,
    ),
    _form("shape", r"shape rate (?P<value>\d+(?: \w+)?)", r"shape rate(?: .*)?"),
)
# Below `uc-tx-queue N` and `tx-queue N`.
QUEUE: Final = Forms(
    _form("priority", r"priority (?P<value>strict)", r"priority(?: strict)?"),
    _form(
        "bandwidth",
        r"bandwidth percent (?P<value>100|[1-9]?\d)",
        r"bandwidth percent(?: \d+)?",
        _number,
    ),
    _form(
        "guaranteed",
        r"bandwidth guaranteed (?P<value>percent (?:100|[1-9]\d?)|[1-9]\d*(?: \w+)?)",
        r"bandwidth guaranteed(?: .*)?",
    ),
    _form("shape", r"shape rate (?P<value>\d+(?: \w+)?)", r"shape rate(?: .*)?"),
    _form("count", r"random-detect ecn count(?P<value>)", r"random-detect ecn count", _set),
    _form("ecn", _ECN, r"random-detect ecn(?: minimum-threshold .*)?", _ramp),
    _form("drop", _DROP, r"random-detect drop(?: .*)?", _ramp),
)
# Of an interface: what a profile says as well, and its own.
INTERFACE: Final = Forms(
    *TREATMENT.rows,
    _form("profile", r"service-profile (?P<value>\S+)", r"service-profile(?: \S+)?"),
    _form("mtu", r"mtu (?P<value>\d{2,5})", r"mtu(?: \d+)?", _number),
    _form("l2 mtu", r"l2 mtu (?P<value>\d{2,5})", r"l2 mtu(?: \d+)?", _number),
    _form("dcbx", r"dcbx mode (?P<value>ieee|cee)", r"dcbx mode(?: \w+)?"),
    _form("pause tx", r"flowcontrol send (?P<value>on|off|desired)", r"flowcontrol send(?: \w+)?"),
    _form(
        "pause rx",
        r"flowcontrol receive (?P<value>on|off|desired)",
        r"flowcontrol receive(?: \w+)?",
    ),
    _form("speed", r"speed (?P<value>\S+(?: \S+)?)", r"speed(?: .*)?"),
    _form(
        "fec",
        r"error-correction encoding (?P<value>reed-solomon|fire-code)",
        r"error-correction encoding(?: .*)?",
    ),
    _form("shutdown", r"shutdown(?P<value>)", r"shutdown", _set),
    _form("switchport", r"switchport(?P<value>)", r"switchport", _set),
    _form(
        "switched",
        r"switchport (?:mode|trunk|access) (?P<value>.+)",
        r"switchport (?:mode|trunk|access) .+",
    ),
    _form("address", r"ip(?:v6)? address (?P<value>\S+).*", r"ip(?:v6)? address(?: .*)?"),
    _form("channel", r"channel-group (?P<value>\d+)(?: .*)?", r"channel-group(?: .*)?", _number),
    _form("alias", r"description (?P<value>.+)", r"description(?: .*)?"),
)
QUEUE_HEAD: Final = re.compile(r"(?P<kind>uc-tx-queue|mc-tx-queue|tx-queue) (?P<queue>\d+)")
# Lines that may change how traffic is treated, whatever follows.
_TOUCHES: Final = re.compile(
    r"(?:no |default )?(?:qos|priority-flow-control|dcbx|flowcontrol|service-profile|shape"
    r"|bandwidth|priority|random-detect|(?:[um]c-)?tx-queue|l2 mtu|mtu|buffer|ecn|pfc"
    r"|service-policy type (?:qos|quality-of-service))\b.*"
)
# What they say decides nothing about RDMA traffic between ports.
_ASIDE: Final = re.compile(
    r"(?:no |default )?(?:dcbx (?:application|ets).*|qos (?:rewrite|map) .*"
    r"|priority-flow-control (?:log|history).*|latency maximum .*|mtu ignore)"
)


def read_line(text: str, forms: Forms) -> Read | None:
    """Give what a line says; None when none of the forms fits.

    Example:
        >>> read_line("no qos trust", TREATMENT)
        Read(key='trust', value=<Word.NO: 'no'>)
    """
    first, _, rest = text.partition(" ")
    if first in {"no", "default"}:
        for form in forms.by_word.get(rest.partition(" ")[0], ()):
            match = form.unset_line.fullmatch(rest)
            if match:
                return Read(form.key.format_map(match.groupdict()), Word(first))
        return None
    for form in forms.by_word.get(first, ()):
        match = form.set_line.fullmatch(text)
        if match:
            return Read(form.key.format_map(match.groupdict()), form.convert(match.groupdict()))
    return None


def touches_qos(text: str) -> bool:
    """Tell whether a line that no form fits may change how traffic is treated."""
    return _TOUCHES.fullmatch(text) is not None and _ASIDE.fullmatch(text) is None


def is_malformed(text: str, forms: Forms) -> bool:
    """Tell whether a line begins as one of the forms does and goes on as none does."""
    first, _, rest = text.partition(" ")
    body = rest if first in {"no", "default"} else text
    words = body.split(" ")
    return any(
        form.unset_line.fullmatch(" ".join(words[:end]))
        for form in forms.rows
        for end in range(len(words) - 1, 0, -1)
    )
