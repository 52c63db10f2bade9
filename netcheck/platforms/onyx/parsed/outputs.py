"""What a switch shows of its subnet manager beside its configuration.

Source: outputs captured from MLNX-OS 3.6 in Teradata/stacki, test-suites/unit, switch/m7800_*;
NVIDIA MLNX-OS user manual, show ib sm.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Final

from netcheck.model.device import Defect, DefectKind
from netcheck.model.document import Document, Evidence
from netcheck.model.known import UNKNOWN, Known, is_known
from netcheck.model.subnet_manager import SmMember, SmPartition
from netcheck.platforms.onyx.quirks import partition_head
from netcheck.platforms.onyx.words import MEMBERSHIPS, member_name, partition_key
from netcheck.platforms.sm_reading import at_line

_PKEY: Final = re.compile(r"\s+PKey\s*[:=]\s*(?P<value>\S+)\s*")
_IPOIB: Final = re.compile(r"\s+ipoib\s*[:=]\s*(?P<value>yes|no)\s*")
_MEMBER: Final = re.compile(r"\s+GUID='(?P<name>[^']+)'\s+member='(?P<type>\w+)'\s*")
_MEMBERS: Final = re.compile(r"\s+members:?\s*")
_RELEASE: Final = re.compile(r"^Product release:\s+(?P<value>\S+)\s*$", re.MULTILINE)


@dataclass(slots=True)
class Partitions:
    """What ``show ib partition`` says, and places that are not understood."""

    found: dict[str, SmPartition] = field(default_factory=dict)
    defects: list[Defect] = field(default_factory=list)
    unread: list[Evidence] = field(default_factory=list)


def read_partitions(document: Document) -> Partitions:
    """Read ``show ib partition``, as releases before and since 3.6.8010 print it.

    What stands below a line that is not understood belongs to nobody until the next name.
    """
    result = Partitions()
    name = ""
    lines = [*_lines(document)]
    following = (*(line for _, line in lines[1:]), "")
    for (at, line), after in zip(lines, following, strict=False):
        head = partition_head(line, after)
        if head:
            name = head
            result.found[name] = SmPartition(name, evidence=at)
            continue
        one = result.found.get(name)
        changed = None if one is None else _changed(one, line, at)
        if changed is not None:
            result.found[name] = changed
        elif not _MEMBERS.fullmatch(line):
            result.unread.append(at)
            if (key := _PKEY.fullmatch(line)) and partition_key(key["value"]) is None:
                result.defects.append(out_of_range(f"partition {name} PKey", key["value"], at))
            name = "" if _ends_partition(line) else name
    return result


def _lines(document: Document) -> Iterator[tuple[Evidence, str]]:
    """Lines with their places, without prompts and blank ones."""
    for number, line in enumerate(document.text.splitlines(), 1):
        if line.strip() and " # " not in f"{line} ":
            yield at_line(document, number), line


def out_of_range(place: str, value: str, at: Evidence) -> Defect:
    """Give the defect of a value that cannot be one."""
    message = f"{place}: {value} is no value that it can have"
    return Defect(DefectKind.MALFORMED_VALUE, place, message, evidence=at)


def _ends_partition(line: str) -> bool:
    """A second key, a line at the margin or one word far out: a name may have stood there."""
    is_word = len(line.split()) == 1 and not line.startswith("   ")
    return is_word or not line[0].isspace() or _PKEY.fullmatch(line) is not None


def _changed(one: SmPartition, line: str, at: Evidence) -> SmPartition | None:
    if found := _PKEY.fullmatch(line):
        number = partition_key(found["value"])
        return None if number is None or is_known(one.pkey) else replace(one, pkey=number)
    if found := _IPOIB.fullmatch(line):
        return replace(one, is_ipoib=found["value"] == "yes")
    if found := _MEMBER.fullmatch(line):
        name = member_name(found["name"])
        if name is not None and found["type"] in MEMBERSHIPS:
            member = SmMember(as_listed(name), found["type"], at)
            return replace(one, members=(*one.members, member))
    return None


def as_listed(member: str) -> str:
    """Give a member as partitions of the model name it.

    Example:
        >>> as_listed("ALL"), as_listed("e4:1d:2d:03:00:15:6e:80")
        ('ALL', '0xe41d2d0300156e80')
    """
    return f"0x{member.replace(':', '')}" if ":" in member else member


def read_release(text: str) -> Known[str]:
    """Give the release that ``show version`` names."""
    found = _RELEASE.search(text)
    return found["value"] if found else UNKNOWN
