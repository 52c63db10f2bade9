"""Commands of the subnet manager embedded in MLNX-OS, as the options and partitions they set.

Source: NVIDIA MLNX-OS user manual 3.11, SM Commands and Partitions (see ``rendered/onyx.py``).
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Final

from netcheck.model.document import Document, Evidence
from netcheck.model.known import UNKNOWN
from netcheck.model.subnet_manager import SmGuids, SmMember, SmOption, SmPartition
from netcheck.platforms.opensm.codes import (
    DATA_VLS,
    MTU,
    mtu_bytes,
    rate_bps,
    rate_code,
)
from netcheck.platforms.opensm.parsed.guid_files import ROOTS
from netcheck.platforms.opensm.parsed.options import secret_option
from netcheck.platforms.opensm.parsed.partitions import LOW_15
from netcheck.platforms.opensm.parsed.reading import Reading, at_line, c_number
from netcheck.platforms.placeholders import secret_keys

# Command to option of opensm.conf.
_OPTIONS: Final = {
    "sm-priority": "sm_priority",
    "subnet-prefix": "subnet_prefix",
    "lmc": "lmc",
    "sminfo-poll-timeout": "sminfo_polling_timeout",
    "polling-retry": "polling_retry_number",
    "m-key": "m_key",
    "m-key-lease": "m_key_lease_period",
    "sm-key": "sm_key",
    "sa-key": "sa_key",
}
_MTUS: Final = {"256": 256, "512": 512, "1K": 1024, "2K": 2048, "4K": 4096}
_WORDS: Final = {"all": "ALL", "self": "SELF"}


@dataclass(slots=True)
class _Found:
    options: dict[str, SmOption] = field(default_factory=dict)
    partitions: dict[str, SmPartition] = field(default_factory=dict)
    roots: list[int] = field(default_factory=list)


def read_commands(document: Document, reading: Reading) -> None:
    """Read the commands of one switch; lines of anything else are kept as not read."""
    found = _Found()
    for number, line in enumerate(document.text.splitlines(), 1):
        words = line.partition("##")[0].split()
        at = at_line(document, number)
        if words[:2] == ["ib", "sm"]:
            is_read = _manager(found, words[2:], at)
        elif words[:2] == ["ib", "partition"] and len(words) > 3:  # noqa: PLR2004 -- name and word
            is_read = _partition(found, words[2], words[3:], at)
        else:
            is_read = not words
        if not is_read:
            reading.unread.append(at)
    reading.options = {**(reading.options or {}), **found.options}
    reading.partitions = tuple(found.partitions.values()) or UNKNOWN
    if found.roots:
        reading.guids[ROOTS] = SmGuids(tuple(found.roots), at_line(document, 1))


def _manager(found: _Found, words: list[str], at: Evidence) -> bool:
    word, *values = words or [""]
    value = " ".join(values)
    if word in secret_keys("opensm") and values:
        found.options[_OPTIONS[word]] = secret_option(value, at)
    elif word in _OPTIONS and c_number(value) is not None:
        found.options[_OPTIONS[word]] = SmOption(str(c_number(value)), value, at)
    elif word == "routing-engines" and values:
        found.options["routing_engine"] = SmOption(",".join(values), value, at)
    elif word == "max-op-vls" and c_number(value) in DATA_VLS:
        found.options["max_op_vls"] = SmOption(str(DATA_VLS[int(value)]), value, at)
    elif word == "allow-both-pkeys":
        found.options["allow_both_pkeys"] = SmOption("TRUE", word, at)
    elif word == "root-guid" and c_number(value):
        found.roots.append(c_number(value) or 0)
    else:
        return not word
    return True


def _partition(found: _Found, name: str, words: list[str], at: Evidence) -> bool:
    one = found.partitions.get(name, SmPartition(name, evidence=at))
    changed = _changed(one, words[0], words[1:], at)
    if changed is None:
        return False
    found.partitions[name] = changed
    return True


def _changed(one: SmPartition, word: str, values: list[str], at: Evidence) -> SmPartition | None:
    value = values[0] if values else ""
    number = c_number(value)
    if word in {"ipoib", "indx0"}:
        return replace(one, is_ipoib=True) if word == "ipoib" else replace(one, is_first=True)
    if word == "member" and len(values) == 3:  # noqa: PLR2004 -- member, type, membership
        name = _WORDS.get(value, f"0x{number or 0:016x}")
        return replace(one, members=(*one.members, SmMember(name, values[2], at)))
    if word == "defmember" and value:
        return replace(one, default_membership=value)
    if word == "pkey" and number is not None:
        return replace(one, pkey=number & LOW_15)
    if word == "sl" and number is not None:
        return replace(one, sl=number)
    return _with_quantity(one, word, value)


def _with_quantity(one: SmPartition, word: str, value: str) -> SmPartition | None:
    if word == "mtu" and value in _MTUS:
        code = MTU[_MTUS[value]]
        return replace(one, mtu_code=code, mtu_bytes=mtu_bytes(code) or UNKNOWN)
    if word == "rate" and rate_code(value) is not None:
        code = rate_code(value) or 0
        return replace(one, rate_code=code, rate_bps=rate_bps(code) or UNKNOWN)
    return None
