"""Lines that a switch takes in configuration mode, and what it refuses of them.

Sources: NVIDIA MLNX-OS user manual 3.11, SM Commands and Partitions; and as ``data/refusals.yaml``
says of each refusal. Options that the manual names beside these are not taken.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from netcheck.lab.devices.cli.config import Section
from netcheck.lab.devices.cli.console import Check, Console, Grammar, RefusedError, Rule
from netcheck.lab.devices.cli.grammar import Match, Pattern
from netcheck.lab.devices.onyx.refusals import says

DEFAULT = "Default"
DEFAULT_PKEY = 0x7FFF
BOTH = "ib sm allow-both-pkeys"
ENGINES = ("minhop", "updn", "ftree", "lash", "dor")
LANES = (1, 2, 4, 8, 15)
MTUS = ("256", "512", "1K", "2K", "4K")
MOST_64 = 2**64 - 1
_COLONS = re.compile(r"([0-9a-fA-F]{2}:){7}[0-9a-fA-F]{2}")
_PLAIN = re.compile(r"0x[0-9a-fA-F]{1,16}")
_NUMBER = re.compile(r"0x[0-9a-fA-F]+|\d+")
_FORCE = "force"


def _any(word: str) -> str | None:
    return word


def _number(word: str) -> str | None:
    return word if _NUMBER.fullmatch(word) else None


def _member(word: str) -> str | None:
    """Any word; what is no member is refused by its name."""
    return word.upper() if word.lower() in ("all", "self") else word.lower()


KINDS = {"NAME": _any, "NUMBER": _number, "MEMBER": _member, "WORD": _any}


def number(word: str) -> int:
    """Give a number, decimal or hexadecimal."""
    return int(word, 16 if word.startswith("0x") else 10)


def _between(name: str, low: int, high: int) -> Check:
    def check(console: Console, match: Match) -> str:
        del console
        return "" if low <= number(match.values[-1]) <= high else says(name, match.values[-1])

    return check


def _lanes(console: Console, match: Match) -> str:
    del console
    return "" if number(match.values[-1]) in LANES else says("lanes", match.values[-1])


def _engines(console: Console, match: Match) -> str:
    del console
    wrong = [word for word in match.values if word not in ENGINES]
    return says("engine", wrong[0]) if wrong else ""


def _root(console: Console, match: Match) -> str:
    del console
    return "" if _PLAIN.fullmatch(match.values[-1]) else says("root-guid", match.values[-1])


def _pkey(console: Console, match: Match) -> str:
    name, word = match.values[0], match.values[1]
    value = number(word)
    if not 0 < value <= DEFAULT_PKEY:
        return says("pkey-range", word)
    if name == DEFAULT:
        return "" if value == DEFAULT_PKEY else says("default-pkey")
    if value == DEFAULT_PKEY:
        return says("pkey-of-default")
    holder = next((who for who, key in pkeys(console.root).items() if key == value), name)
    return "" if holder == name else says("pkey-taken", f"0x{value:04x}", holder)


def _exists(console: Console, match: Match) -> str:
    name = match.values[0]
    return "" if name in pkeys(console.root) else says("no-partition", name)


def _of_partition(check: Callable[[Match], str]) -> Check:
    """A check of a line about a partition that has to be there."""

    def checked(console: Console, match: Match) -> str:
        return _exists(console, match) or check(match)

    return checked


def _mtu(match: Match) -> str:
    return "" if match.values[1] in MTUS else says("mtu", match.values[1])


def _sl(match: Match) -> str:
    return "" if number(match.values[1]) <= 15 else says("sl", match.values[1])  # noqa: PLR2004 -- SLs are 0 to 15


def _is_both(console: Console, match: Match) -> str:
    is_allowed = "both" not in match.words or bool(console.root.line(BOTH))
    return _exists(console, match) or ("" if is_allowed else says("member-both"))


def _is_member(console: Console, match: Match) -> str:
    member = match.values[1]
    is_one = member in ("ALL", "SELF") or _COLONS.fullmatch(member)
    missing = _exists(console, match)
    return missing or (_is_both(console, match) if is_one else says("member-hexadecimal"))


def _keep(section: Section, match: Match) -> None:
    """Hold a line without the word that only keeps the switch from asking."""
    words = match.words[:-1] if match.words[-1] == _FORCE else match.words
    section.set(match.key.removesuffix(f" {_FORCE}"), " ".join(words), rank=_rank(words))


def _rank(words: tuple[str, ...]) -> int:
    """Keys before what needs them."""
    return 1 if "pkey" in words else 2


def _drop_partition(section: Section, match: Match) -> None:
    name = match.values[0]
    if name not in pkeys(section):
        raise RefusedError(says("no-partition-gone", name))
    start = f"ib partition {name} "
    for key in [key for key in section.entries if key.startswith(start)]:
        section.drop(key)
    if name == DEFAULT:  # the manager makes it anew, whatever was said
        set_default(section)


def _drop_member(section: Section, match: Match) -> None:
    name, member = match.values[:2]
    if not section.drop(f"ib partition {name} member {member}"):
        raise RefusedError(says("member-gone", name, member))


def _drop_pkey(section: Section, match: Match) -> None:
    _drop_partition(section, match)


def set_default(section: Section) -> None:
    """Hold the partition that every subnet manager has.

    Source: outputs captured in Teradata/stacki; a public report of an SX6036.
    """
    start = f"ib partition {DEFAULT}"
    for rest, rank in (("pkey 0x7fff", 1), ("ipoib", 2), ("member ALL type full", 2)):
        key = f"{start} {' '.join(rest.split()[: 2 if rest.startswith('member') else 1])}"
        section.set(key, f"{start} {rest}", rank=rank)


def pkeys(section: Section) -> dict[str, int]:
    """Give ``name -> key`` of every partition."""
    found = {}
    for line in section.lines("ib partition"):
        words = line.split()
        if words[3:4] == ["pkey"]:
            found[words[2]] = number(words[4])
    return found


def _rule(pattern: str, check: Check | None = None) -> Rule:
    return Rule(Pattern(pattern), check=check)


def _partition(rest: str, check: Check = _exists) -> Rule:
    return Rule(Pattern(f"ib partition NAME {rest} [force]"), keeps=_keep, check=check)


_64 = _between("sixty-four-bits", 0, MOST_64)
_MANAGER = (
    _rule(BOTH),
    _rule("ib sm sm-priority = NUMBER", _between("priority", 0, 15)),
    _rule("ib sm lmc = NUMBER", _between("lmc", 0, 7)),
    _rule("ib sm subnet-prefix = NUMBER", _64),
    _rule("ib sm m-key = NUMBER", _64),
    _rule("ib sm sm-key = NUMBER", _64),
    _rule("ib sm sa-key = NUMBER", _64),
    _rule("ib sm m-key-lease = NUMBER"),
    _rule("ib sm sminfo-poll-timeout = NUMBER"),
    _rule("ib sm polling-retry = NUMBER"),
    _rule("ib sm max-op-vls = NUMBER", _lanes),
    _rule("ib sm routing-engines = WORD...", _engines),
    _rule("ib sm root-guid WORD", _root),
    _rule("hostname = NAME"),
)
_PARTITIONS = (
    Rule(
        Pattern("ib partition NAME pkey = NUMBER [force]"),
        keeps=_keep,
        drops=_drop_pkey,
        check=_pkey,
    ),
    Rule(
        Pattern("ib partition NAME member MEMBER = [type (full|limited|both)] [force]"),
        keeps=_keep,
        drops=_drop_member,
        check=_is_member,
    ),
    _partition("defmember = (full|limited|both)", _is_both),
    _partition("ipoib"),
    _partition("indx0"),
    _partition("mtu = WORD", _of_partition(_mtu)),
    _partition("rate = WORD"),
    _partition("sl = NUMBER", _of_partition(_sl)),
)


def grammar(enable: Check) -> Grammar:
    """Give the lines of configuration mode; ``enable`` tells whether the manager may be started."""
    whole = Rule(
        Pattern("ib partition NAME"), drops=_drop_partition, check=lambda _, __: says("incomplete")
    )
    return {"config": (Rule(Pattern("ib sm"), check=enable), *_MANAGER, *_PARTITIONS, whole)}
