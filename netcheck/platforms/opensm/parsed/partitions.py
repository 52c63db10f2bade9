"""``partitions.conf``: what each statement comes to.

Measured on OpenSM 3.3.23, and read in osm_prtn_config.c (linux-rdma/opensm): one
statement that cannot be read discards the whole file, and every port becomes
full member of the default partition. Keywords are compared by the length of what
is written, so that any beginning of one is taken for it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from typing import Final

from netcheck.model.document import Document, Evidence
from netcheck.model.finding import Severity
from netcheck.model.known import UNKNOWN, Known, is_known
from netcheck.model.subnet_manager import SmMember, SmMistake, SmPartition
from netcheck.platforms.ib_codes import mtu_bytes, rate_bps
from netcheck.platforms.sm_reading import Reading, at_line, c_number, c_prefix_number

OPEN: Final = (
    "the whole file is dropped: every port is full member of the default partition,"
    " and all other partitions are gone"
)
LONGEST_LINE: Final = 4094  # what OpenSM reads at once
DOCUMENTED: Final = "limi"  # as OpenSM's own examples write it
MEMBERSHIPS: Final = ("full", "both", "limited")
WORDS: Final = ("NONE", "ALL", "ALL_CAS", "ALL_SWITCHES", "ALL_ROUTERS", "SELF")
FLAGS: Final = (
    "ipoib",
    "indx0",
    "defmember",
    "mtu",
    "rate",
    "scope",
    "Q_Key",
    "TClass",
    "sl",
    "FlowLabel",
)
_NUMBERS: Final[dict[str, Callable[[SmPartition, int], SmPartition]]] = {
    "mtu": lambda one, number: replace(one, mtu_code=number),
    "rate": lambda one, number: replace(one, rate_code=number),
    "sl": lambda one, number: replace(one, sl=number),
    "scope": lambda one, number: replace(one, scope=number),
    "Q_Key": lambda one, number: replace(one, q_key=number),
    "TClass": lambda one, number: replace(one, traffic_class=number),
    "FlowLabel": lambda one, number: replace(one, flow_label=number),
}
_MOST: Final = {"sl": 15, "scope": 15}
_MTU_CODES: Final = range(1, 6)
_RATE_CODES: Final = range(2, 25)
LOW_15: Final = 0x7FFF
_WHOLE: Final = 0xFFFF


class _RefusedError(Exception):
    """OpenSM cannot read on; ``args`` are what was expected and what was written."""


@dataclass(slots=True)
class _Open:
    """A statement that goes on until its semicolon."""

    partition: SmPartition
    default: str = "limited"
    members: list[SmMember] = field(default_factory=list)
    in_group: bool = False


def read_partitions(document: Document, reading: Reading) -> None:
    """Read one ``partitions.conf``; a text that OpenSM drops leaves the partitions UNKNOWN."""
    reader = _Reader(document, reading)
    try:
        for number, line in enumerate(document.text.splitlines(), 1):
            reader.line(number, line.partition("#")[0])
        reader.end()
    except _RefusedError as error:
        expected, written = error.args
        reader.misread(
            SmMistake.PARTITIONS_REFUSED, "partitions", expected=expected, written=written
        )
        return
    reading.partitions = tuple(reader.found)


class _Reader:
    """One file on its way to its partitions."""

    def __init__(self, document: Document, reading: Reading) -> None:
        self.document = document
        self.reading = reading
        self.found: list[SmPartition] = []
        self.open: _Open | None = None
        self.at = at_line(document, 1)
        self.membership_bits: dict[str, tuple[str, Evidence]] = {}

    def line(self, number: int, line: str) -> None:
        """Take one line, which may hold several statements or a part of one."""
        if len(line) > LONGEST_LINE:
            self.at = at_line(self.document, number)
            self.misread(
                SmMistake.MEMBER_MISREAD,
                f"line {self.at.line}",
                expected=f"at most {LONGEST_LINE} characters",
                written=f"{len(line)} characters",
                effect="it is cut inside a member, which is left out; where the rest cannot be"
                f" read, {OPEN}",
            )
        parts = line.split(";")
        for place, part in enumerate(parts):
            is_ended = place < len(parts) - 1
            if part.strip() or (is_ended and place == 0):
                column = len(";".join(parts[:place])) + bool(place) + 1
                column += len(part) - len(part.lstrip())
                self.at = at_line(self.document, number, column)
                self._part(part)
            if is_ended:
                self._close()

    def end(self) -> None:
        """Take the end of the file; a last statement may lack its semicolon."""
        self._close()
        if not self.found:
            raise _RefusedError("at least one statement", "none")

    def misread(
        self,
        kind: SmMistake,
        key: str,
        *,
        expected: str,
        written: str,
        effect: str = OPEN,
        severity: Severity = Severity.ERROR,
    ) -> None:
        """Note something at the place that is being read."""
        self.reading.misread(
            kind,
            key,
            expected=expected,
            written=written,
            effect=effect,
            at=self.at,
            severity=severity,
        )

    def _close(self) -> None:
        if self.open is not None:
            found = replace(self.open.partition, members=tuple(self.open.members))
            self.found.append(found)
            self._tell_membership_bit(found)
            self.open = None

    def _tell_membership_bit(self, one: SmPartition) -> None:
        """The highest bit of a key reads as "full"; OpenSM takes membership from members alone."""
        written, at = self.membership_bits.pop(one.name, ("", self.at))
        if not written:
            return
        are_full = all(member.membership == "full" for member in one.members)
        self.reading.misread(
            SmMistake.PKEY_CHANGED,
            one.name,
            expected="a key of 0x0001 to 0x7fff",
            written=written,
            effect="the highest bit is ignored; membership is what each member says",
            at=at,
            severity=Severity.INFO if are_full else Severity.WARNING,
        )

    def _part(self, part: str) -> None:
        if self.open is None:
            if not part.strip():
                raise _RefusedError("Name=0xPKEY, flags : members ;", ";")
            head, colon, part = part.partition(":")
            if not colon:
                raise _RefusedError("a colon between the name and the members", head.strip())
            self.open = self._head(head)
        self._members(self.open, part)

    def _head(self, head: str) -> _Open:
        first, *flags = head.split(",")
        name, has_key, written = (each.strip() for each in first.partition("="))
        partition = SmPartition(name, self._pkey(name, written), evidence=self.at)
        if not has_key:
            self._made_up(name, "no key")
        opened = _Open(partition)
        for flag in flags:
            word, _, value = (each.strip() for each in flag.partition("="))
            if not word:
                raise _RefusedError("a flag between commas", head.strip())
            self._flag(opened, word, value)
        self._check_group(opened.partition)
        opened.partition = _with_quantities(opened.partition)
        return opened

    def _pkey(self, name: str, written: str) -> Known[int]:
        if not written:
            return UNKNOWN
        number = c_number(written)
        if number is None:
            raise _RefusedError("a key such as 0x0a01", written)
        low = number & LOW_15
        if not low:
            self._made_up(name, written)
            return UNKNOWN
        if number > _WHOLE:
            self.misread(
                SmMistake.PKEY_CHANGED,
                name,
                expected="a key of 16 bits",
                written=written,
                effect=f"the key is 0x{low:04x}",
            )
        elif number > LOW_15:
            self.membership_bits[name] = (written, self.at)
        return low

    def _made_up(self, name: str, written: str) -> None:
        self.misread(
            SmMistake.PKEY_CHANGED,
            name,
            expected="a key of 0x0001 to 0x7fff",
            written=written,
            effect="OpenSM makes one up from 0x0001 on; it changes with the order of the file",
        )

    def _flag(self, opened: _Open, word: str, value: str) -> None:
        flag = next((each for each in FLAGS if each.startswith(word)), None)
        name = opened.partition.name
        if flag is None:
            what = "no IPoIB group is made" if word.lower().startswith("ip") else "it has no effect"
            self.misread(
                SmMistake.FLAG_IGNORED,
                name,
                expected=f"one of {', '.join(FLAGS)}",
                written=word,
                effect=f"the flag is skipped; {what}",
            )
            return
        if flag != word:
            self._beginning(name, flag, word)
        if flag == "ipoib":
            opened.partition = replace(opened.partition, is_ipoib=True)
        elif flag == "indx0":
            opened.partition = replace(opened.partition, is_first=True)
        elif flag == "defmember":
            self._default(opened, value)
        else:
            self._number(opened, flag, value)

    def _beginning(self, name: str, whole: str, written: str) -> None:
        self.misread(
            SmMistake.MEMBER_MISREAD,
            name,
            expected=whole,
            written=written or "nothing",
            effect=f"it is taken for {whole}: any beginning of a keyword is",
        )

    def _default(self, opened: _Open, value: str) -> None:
        whole = next((each for each in MEMBERSHIPS if each.startswith(value)), None)
        if whole is None or not value:
            self.misread(
                SmMistake.FLAG_IGNORED,
                opened.partition.name,
                expected="defmember=full, limited or both",
                written=f"defmember={value}",
                effect="the flag is skipped; members that say nothing are limited",
            )
            return
        if whole != value:
            self._beginning(opened.partition.name, whole, value)
        opened.default = whole
        opened.partition = replace(opened.partition, default_membership=whole)

    def _number(self, opened: _Open, flag: str, value: str) -> None:
        number = c_number(value)
        most = _MOST.get(flag)
        name = opened.partition.name
        is_zero = number == 0 and flag in {"mtu", "rate"}
        if number is None or is_zero or (most is not None and number > most):
            self.misread(
                SmMistake.GROUP_NOT_MADE if is_zero else SmMistake.FLAG_IGNORED,
                name,
                expected=f"{flag}=NUMBER" if most is None else f"{flag} of 0 to {most}",
                written=f"{flag}={value}",
                effect="the flag is skipped, and the IPoIB group may not be made",
            )
            number = c_prefix_number(value) if number is None and c_prefix_number(value) else None
        if number is not None:
            opened.partition = _NUMBERS[flag](opened.partition, number)

    def _check_group(self, one: SmPartition) -> None:
        if is_known(one.mtu_code) and one.mtu_code not in _MTU_CODES:
            self.misread(
                SmMistake.GROUP_NOT_MADE,
                one.name,
                expected="an MTU code: 1 to 5 for 256 to 4096 bytes",
                written=f"mtu={one.mtu_code}",
                effect="the IPoIB broadcast group is not made, and no IPoIB interface comes up",
            )
        if is_known(one.rate_code) and one.rate_code not in _RATE_CODES:
            self.misread(
                SmMistake.GROUP_NOT_MADE,
                one.name,
                expected="a rate code, such as 7 for 40, 16 for 100 or 17 for 200 Gb/s",
                written=f"rate={one.rate_code}",
                effect="the group gets another rate or cannot be joined",
            )

    def _members(self, opened: _Open, text: str) -> None:
        for part in text.split(","):
            for word, value, has_value in _entries(part):
                if word.startswith("mgid") or (opened.in_group and word in FLAGS):
                    opened.in_group = True
                    continue
                self._member(opened, word, value, has_value=has_value)

    def _member(self, opened: _Open, word: str, value: str, *, has_value: bool) -> None:
        if not word and not has_value:
            return
        membership = self._membership(opened, value) if has_value else opened.default
        keyword = next((each for each in WORDS if each.startswith(word)), None)
        if keyword is not None:
            if keyword != word:
                self._beginning(opened.partition.name, keyword, word)
            if keyword != "NONE":
                opened.members.append(SmMember(keyword, membership, self.at))
            return
        number = c_number(word)
        if not number:
            raise _RefusedError("a port GUID such as 0x0002c90300100001, ALL or SELF", word)
        opened.members.append(SmMember(f"0x{number:016x}", membership, self.at))

    def _membership(self, opened: _Open, value: str) -> str:
        whole = next((each for each in MEMBERSHIPS if each.startswith(value)), None)
        if whole is None:
            self.misread(
                SmMistake.MEMBER_MISREAD,
                opened.partition.name,
                expected="full, limited or both",
                written=value,
                effect="the member is limited",
            )
            return "limited"
        if whole != value and not value.startswith(DOCUMENTED):
            self._beginning(opened.partition.name, whole, value)
        return whole


def _with_quantities(one: SmPartition) -> SmPartition:
    mtu = mtu_bytes(one.mtu_code) if is_known(one.mtu_code) else None
    rate = rate_bps(one.rate_code) if is_known(one.rate_code) else None
    return replace(
        one,
        mtu_bytes=UNKNOWN if mtu is None else mtu,
        rate_bps=UNKNOWN if rate is None else rate,
    )


def _entries(part: str) -> Iterator[tuple[str, str, bool]]:
    """Yield ``word, value, whether there is a value``; groups stand side by side by blanks."""
    if "mgid" in part:
        for each in part.split():
            word, equals, value = each.partition("=")
            yield word.strip(), value.strip(), bool(equals)
        return
    word, equals, value = part.partition("=")
    yield word.strip(), value.strip(), bool(equals)
