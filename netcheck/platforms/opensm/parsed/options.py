"""``opensm.conf``: what each line comes to.

OpenSM splits a line at its first blank, cuts it at ``#``, and takes the last of
two lines with one key. Measured on 3.3.23, one line a run; most of what is wrong
shows on standard output only, some of it nowhere.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final

from netcheck.model.document import Document, Evidence
from netcheck.model.finding import Severity
from netcheck.model.known import Known
from netcheck.model.subnet_manager import SmMistake, SmOption
from netcheck.platforms.opensm.dialects import (
    NO_FALLBACK,
    UNSET,
    UPSTREAM,
    Key,
    build_name,
    engine_builds,
    family_builds,
    keys,
    nearest,
)
from netcheck.platforms.opensm.parsed.tables import Table, read_arbitration, read_sl2vl
from netcheck.platforms.placeholders import is_placeholder, secret_keys
from netcheck.platforms.sm_reading import Reading, at_line, c_number, secret_option

_FALSE: Final = frozenset({"false", "no", "off", "0"})
_LARGEST: Final = {
    "uint8": 0xFF,
    "uint16": 0xFFFF,
    "uint32": 0xFFFFFFFF,
    "uint64": 0xFFFFFFFFFFFFFFFF,
}
# Values outside these keep the default; measured one by one on 3.3.23.
_CHOICES: Final[dict[str, frozenset[str]]] = {
    "part_enforce": frozenset({"both", "in", "out", "off"}),
    "console": frozenset({"off", "local", "loopback", "socket"}),
    "force_link_speed": frozenset(map(str, (*range(8), 15))),
    "force_link_speed_ext": frozenset(map(str, (*range(8), 30, 31))),
    "force_link_width": frozenset(map(str, (*range(32), 255))),
    "fdr10": frozenset({"0", "1", "2"}),
}
_INSTEAD: Final = {"m_key_protection_level": "2"}
_LONGEST_LINE: Final = 1023
MOST_GUESSES: Final = 100


def read_options(document: Document, reading: Reading, build: Known[str]) -> None:
    """Read one ``opensm.conf``."""
    reader = _Reader(document, reading, build_name(build))
    reading.options = reader.options if reading.options is None else reading.options
    for number, line in enumerate(document.text.splitlines(), 1):
        reader.line(number, line)
    reading.options.update(reader.options)


class _Reader:
    """One file on its way to its options."""

    def __init__(self, document: Document, reading: Reading, build: str | None) -> None:
        self.document = document
        self.reading = reading
        self.build = build
        self.options: dict[str, SmOption] = {}
        self.unknown = 0

    def line(self, number: int, line: str) -> None:
        """Take one line."""
        words = line[:_LONGEST_LINE].partition("#")[0].split(None, 1)
        if not words:
            return
        key, written = words[0], words[1].strip().strip('"') if len(words) > 1 else ""
        at = at_line(self.document, number, line.index(key) + 1)
        known = keys().get(key)
        if known is None:
            self._unknown(key, at)
            return
        if self.build and self.build not in known.builds:
            self._of_other_build(key, known.builds, at)
            return
        if self.build is None and UPSTREAM not in known.builds:
            self._of_other_build(key, known.builds, at)
        self._take(known, written, at)

    def _unknown(self, key: str, at: Evidence) -> None:
        builds = family_builds(key)
        if builds:
            if self.build not in builds:
                self._of_other_build(key, builds, at)
            return
        name, has_equals, _ = key.partition("=")
        self.unknown += 1
        is_list = self.unknown > MOST_GUESSES  # a file of something else
        near = name if has_equals and name in keys() else "" if is_list else nearest(name)
        meant = f"{near}, a blank and the value" if has_equals and near == name else near
        default = f"{near} keeps its value ({_default(near)})" if near else "it has no effect"
        self.reading.misread(
            SmMistake.KEY_UNKNOWN,
            key,
            expected=meant or "an option that OpenSM has",
            written=key,
            effect=f"the line is skipped; {default}",
            at=at,
        )

    def _of_other_build(self, key: str, builds: tuple[str, ...], at: Evidence) -> None:
        self.reading.misread(
            SmMistake.KEY_OF_OTHER_BUILD,
            key,
            expected=f"an option of {self.build or 'every build'}",
            written=f"{key}, an option of {', '.join(builds)}",
            effect=f"{self.build or 'another build'} skips the line",
            at=at,
            severity=Severity.WARNING,
        )

    def _take(self, key: Key, written: str, at: Evidence) -> None:
        if not written:
            return  # a key alone leaves the option as it is
        if key.name in secret_keys("opensm"):
            self._secret(key, written, at)
            return
        earlier = self.options.get(key.name)
        if earlier is not None and earlier.written != written:
            self.reading.misread(
                SmMistake.KEY_DUPLICATE,
                key.name,
                expected="one line",
                written=f"{earlier.written} in line {earlier.evidence.line}, then {written}",
                effect=f"the last one holds: {written}",
                at=at,
                severity=Severity.WARNING,
            )
        value = self._value(key, written, at)
        self.options[key.name] = SmOption(value, written, at)

    def _secret(self, key: Key, written: str, at: Evidence) -> None:
        """A value that nothing of ours may show; whether two are the same is told by a token."""
        option = secret_option(written, at)
        earlier = self.options.get(key.name)
        if earlier is not None and (earlier.value, earlier.token) != (option.value, option.token):
            self.reading.misread(
                SmMistake.KEY_DUPLICATE,
                key.name,
                expected="one line",
                written=f"one value in line {earlier.evidence.line}, then another",
                effect="the last one holds",
                at=at,
                severity=Severity.WARNING,
            )
        if not is_placeholder(written) and c_number(written) is None:
            self.reading.misread(
                SmMistake.VALUE_REFUSED,
                key.name,
                expected=f"a number of 0 to {_LARGEST['uint64']}",
                written="something else",
                effect=f"{key.default} is used",
                at=at,
            )
        self.options[key.name] = option

    def _value(self, key: Key, written: str, at: Evidence) -> str:
        if key.kind == "boolean":
            return self._boolean(key, written, at)
        if key.kind == "text":
            return self._text(key, written, at)
        return self._number(key, written, at)

    def _boolean(self, key: Key, written: str, at: Evidence) -> str:
        if written not in {"TRUE", "FALSE"} and written.lower() not in _FALSE:
            self.reading.misread(
                SmMistake.SWITCH_NOT_TRUE,
                key.name,
                expected="TRUE or FALSE",
                written=written,
                effect="FALSE: only the exact word TRUE is true",
                at=at,
            )
        return "TRUE" if written == "TRUE" else "FALSE"

    def _text(self, key: Key, written: str, at: Evidence) -> str:
        if written == UNSET:
            return ""
        if key.name.endswith("_sl2vl"):
            return self._table(key, read_sl2vl(written), at)
        if "_vlarb_" in key.name:
            return self._table(key, read_arbitration(written), at)
        if key.name == "routing_engine":
            self._engines(written, at)
        choices = _CHOICES.get(key.name)
        if choices and written not in choices:
            return self._refused(key, ", ".join(sorted(choices)), written, at)
        return written

    def _table(self, key: Key, table: Table, at: Evidence) -> str:
        for expected, written, effect in table.faults:
            self.reading.misread(
                SmMistake.TABLE_MALFORMED,
                key.name,
                expected=expected,
                written=written,
                effect=effect,
                at=at,
            )
        return table.value

    def _number(self, key: Key, written: str, at: Evidence) -> str:
        if key.kind == "int32":
            negative = written.startswith("-")
            number = c_number(written.removeprefix("-"))
            number = -number if negative and number is not None else number
        else:
            number = c_number(written)
        largest = _LARGEST.get(key.kind, 0x7FFFFFFF)
        if number is None or number > largest:
            return self._refused(key, f"a number of 0 to {largest}", written, at)
        if key.bounds and not key.bounds[0] <= number <= key.bounds[1]:
            return self._refused(key, f"{key.bounds[0]} to {key.bounds[1]}", written, at)
        choices = _CHOICES.get(key.name)
        if choices and str(number) not in choices:
            allowed = ", ".join(sorted(choices, key=int))
            return self._refused(key, f"one of {allowed}", written, at)
        for expected, effect in _unchecked(key, number):
            self.reading.misread(
                SmMistake.VALUE_UNCHECKED,
                key.name,
                expected=expected,
                written=written,
                effect=effect,
                at=at,
            )
        return str(number)

    def _refused(self, key: Key, expected: str, written: str, at: Evidence) -> str:
        instead = _INSTEAD.get(key.name, key.default) if c_number(written) else key.default
        self.reading.misread(
            SmMistake.VALUE_REFUSED,
            key.name,
            expected=expected,
            written=written,
            effect=f"{instead} is used",
            at=at,
        )
        return "" if instead == UNSET else str(c_number(instead) or instead)

    def _engines(self, written: str, at: Evidence) -> None:
        engines = engines_of(written)
        for engine in engines:
            builds = engine_builds().get(engine, ())
            if engine == NO_FALLBACK or (self.build or UPSTREAM) in builds:
                continue
            others = [each for each in engines if each not in {engine, NO_FALLBACK}]
            self.reading.misread(
                SmMistake.ENGINE_UNKNOWN,
                "routing_engine",
                expected=f"an engine of {self.build or UPSTREAM}",
                written=f"{engine}, an engine of {', '.join(builds)}" if builds else engine,
                effect=_fallback(others, has_fallback=NO_FALLBACK not in engines),
                at=at,
                severity=Severity.WARNING if self.build is None and builds else Severity.ERROR,
            )


def engines_of(text: str) -> list[str]:
    """Give the engines of a list, which commas and blanks divide.

    Example:
        >>> engines_of("ftree, updn")
        ['ftree', 'updn']
    """
    return text.replace(",", " ").split()


def _fallback(others: list[str], *, has_fallback: bool) -> str:
    if others:
        return f"it is skipped; {others[0]} is tried instead"
    if has_fallback:
        return "minhop routes the fabric, and makes credit loops where it is no tree"
    return "no engine is left, and the subnet never comes up"


def _default(name: str) -> str:
    return keys()[name].default if name in keys() else "its default"


def _unchecked(key: Key, number: int) -> Iterator[tuple[str, str]]:
    """Yield what is expected, and what a number outside comes to that nobody checks."""
    if key.name == "subnet_prefix" and number == 0:
        yield "a prefix above 0", "prefix 0 is used"
    if key.fits and not key.fits[0] <= number <= key.fits[1]:
        yield f"{key.fits[0]} to {key.fits[1]}", _EFFECTS.get(key.name, _cut)(number)


def _cut(number: int) -> str:
    return f"it is written as it is, and devices take its lowest bits ({number & 0x1F})"


def _op_vls(number: int) -> str:
    return "no change is asked of the ports" if number == 0 else "it acts as no limit at all"


_EFFECTS: Final[dict[str, Callable[[int], str]]] = {"max_op_vls": _op_vls}
