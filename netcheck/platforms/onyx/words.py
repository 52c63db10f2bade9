"""Commands of the embedded subnet manager: what each one sets, how it is typed and undone.

Sources: NVIDIA MLNX-OS user manual 3.10 to 3.12, SM Commands and Partitions;
Teradata/stacki stack/switch/m7800.py, which drives such switches: members are GUIDs
with colons, and ``force`` keeps the switch from asking whether it is meant.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from types import MappingProxyType
from typing import Final

from netcheck.model.hidden import HIDDEN
from netcheck.platforms.placeholders import is_placeholder, secret_keys
from netcheck.platforms.sm_reading import c_number
from netcheck.platforms.sm_subject import LOW_15

Key = tuple[str, ...]
Line = tuple[Key, str]
"""What is set, and to what: ``("partition", "a", "pkey")`` and ``0x0a01``."""

SM: Final[Key] = ("sm",)
ON, OFF = "on", "off"
DEFAULT: Final = "Default"
DEFAULT_PKEY: Final = 0x7FFF
MTU_BYTES: Final = MappingProxyType({"256": 256, "512": 512, "1K": 1024, "2K": 2048, "4K": 4096})
ENDS: Final = MappingProxyType({"all": "ALL", "self": "SELF"})
"""Members that are words, as the switch shows them."""
FLAGS: Final = frozenset({"ipoib", "indx0"})
MEMBERSHIPS: Final = frozenset({"full", "limited", "both"})
_MOST_16: Final = 0xFFFF
_MOST_64: Final = 0xFFFFFFFFFFFFFFFF
_LAST_LEVEL: Final = 15
_MASK: Final = re.compile(r"\*+")
_HOSTNAME: Final = re.compile(r"hostname \S+")
_NODE: Final = re.compile(r"ib smnode (?P<name>\S+) (?P<rest>enable|disable|sm-priority \S+)")
_PORT_GUID: Final = re.compile(r"(?:[0-9a-f]{2}:){7}[0-9a-f]{2}|0x[0-9a-f]{1,16}", re.IGNORECASE)


def partition_key(word: str) -> int | None:
    """Give the low 15 bits of a key, or None where it is none of 16 bits.

    Example:
        >>> [partition_key(word) for word in ("0x8a01", "0x10a01", "0x8000")]
        [2561, None, None]
    """
    number = c_number(word)
    return None if number is None or number > _MOST_16 else (number & LOW_15) or None


def _decimal(word: str) -> str | None:
    number = c_number(word)
    return None if number is None else str(number)


def _prefix(word: str) -> str | None:
    number = c_number(word)
    return None if number is None or number > _MOST_64 else f"{number:#018x}"


def _word(word: str) -> str | None:
    return word or None


def _secret(word: str) -> str | None:
    """A key of 64 bits in one form, or what stands in its place, such as a mask."""
    if _MASK.fullmatch(word):
        return HIDDEN
    return word if is_placeholder(word) else _prefix(word)


WITHOUT_VALUE: Final = ("root-guid", "allow-both-pkeys")
# Options with one value, and the one form that their values are compared in.
OPTIONS: Final[Mapping[str, Callable[[str], str | None]]] = MappingProxyType(
    {
        "sm-priority": _decimal,
        "subnet-prefix": _prefix,
        "lmc": _decimal,
        "sminfo-poll-timeout": _decimal,
        "polling-retry": _decimal,
        "m-key": _secret,
        "m-key-lease": _decimal,
        "sm-key": _secret,
        "sa-key": _secret,
        "max-op-vls": _decimal,
        "routing-engines": _word,
    }
)


def _pkey(word: str) -> str | None:
    number = partition_key(word)
    return None if number is None else f"0x{number:04x}"


def _level(word: str) -> str | None:
    number = c_number(word)
    return None if number is None or number > _LAST_LEVEL else str(number)


def _mtu(word: str) -> str | None:
    return word.upper() if word.upper() in MTU_BYTES else None


def _membership(word: str) -> str | None:
    return word if word in MEMBERSHIPS else None


ATTRIBUTES: Final[Mapping[str, Callable[[str], str | None]]] = MappingProxyType(
    {"pkey": _pkey, "defmember": _membership, "mtu": _mtu, "rate": _word, "sl": _level}
)


def port_guid(guid: int) -> str:
    """Give a GUID as members of partitions are typed.

    Example:
        >>> port_guid(0xe41d2d0300156e80)
        'e4:1d:2d:03:00:15:6e:80'
    """
    return guid.to_bytes(8, "big").hex(":")


def member_name(word: str) -> str | None:
    """Give a member in the switch's own form; None where it is none.

    Example:
        >>> [member_name(word) for word in ("all", "0xE41D2D0300156E80", "IB1/23")]
        ['ALL', 'e4:1d:2d:03:00:15:6e:80', None]
    """
    if word.lower() in ENDS:
        return ENDS[word.lower()]
    if not _PORT_GUID.fullmatch(word):
        return None
    return port_guid(int(word.replace(":", "").removeprefix("0x"), 16))


def is_ours(line: str) -> bool:
    """Tell whether a line is about the subnet manager."""
    words = line.split()
    start = words[1:3] if words[:1] == ["no"] else words[:2]
    return start[:1] == ["ib"] and start[1:] in (["sm"], ["partition"])


def read_line(line: str) -> Line | None:
    """Give what a line sets; None where it says nothing that is understood.

    Example:
        >>> read_line("ib partition a member 0xe41d2d0300156e80 type full force")
        (('partition', 'a', 'member', 'e4:1d:2d:03:00:15:6e:80'), 'full')
        >>> read_line("no ib sm")
        (('sm',), 'off')
    """
    words = line.split()
    if words == ["no", "ib", "sm"]:
        return SM, OFF
    if words[:2] == ["ib", "sm"]:
        return _option(words[2:])
    if words[:2] == ["ib", "partition"] and len(words) > 3:  # noqa: PLR2004 -- a name and a word
        rest = words[3:-1] if words[-1] == "force" else words[3:]
        return _partition(words[2], rest)
    return None


def is_damaged(line: str) -> bool:
    """Tell whether a line that is not understood sets something of ours, and nobody knows to what.

    Options of the manager that are none of ours are left alone as they are.

    Example:
        >>> [is_damaged(f"ib sm {rest}") for rest in ("lmc x", "lm", "sweep 3")]
        [True, True, False]
    """
    words = line.split()
    if words[:2] == ["ib", "partition"]:
        return True
    ours = (*OPTIONS, *WITHOUT_VALUE)
    return words[:2] == ["ib", "sm"] and any(word.startswith(words[2]) for word in ours)


def number_in(line: str) -> tuple[str, str] | None:
    """Give what a line sets to a number that it cannot have, and the number; secrets stay hidden.

    Example:
        >>> number_in("ib partition a sl 99 force"), number_in("ib sm lmc 1")
        (('ib partition a sl', '99'), None)
    """
    words = line.split()
    if words[-1:] == ["force"]:
        words.pop()
    if not words or not re.fullmatch(r"0x[0-9a-fA-F]+|\d+", words[-1], re.ASCII):
        return None
    if read_line(line) is not None or not is_damaged(line):
        return None
    is_hidden = is_secret(("sm", words[2]))
    return " ".join(words[:-1]), HIDDEN if is_hidden else words[-1]


def _option(words: list[str]) -> Line | None:
    if not words:
        return SM, ON
    word, value = words[0], " ".join(words[1:])
    if word == "allow-both-pkeys" and not value:
        return ("sm", word), ""
    if word == "root-guid":
        guid = _prefix(value)
        return None if guid is None or not int(guid, 16) else (("sm", word, guid), "")
    form = OPTIONS.get(word)
    read = form(value) if form is not None and value else None
    return None if read is None else (("sm", word), read)


def _partition(name: str, words: list[str]) -> Line | None:
    word, *values = words or [""]
    if word in FLAGS and not values:
        return ("partition", name, word), ""
    if word == "member" and values:
        return _member(name, values)
    form = ATTRIBUTES.get(word)
    read = form(values[0]) if form is not None and len(values) == 1 else None
    return None if read is None else (("partition", name, word), read)


def _member(name: str, words: list[str]) -> Line | None:
    """A member; without a type it has the partition's default."""
    member = member_name(words[0])
    membership = words[2] if words[1:2] == ["type"] and len(words) == 3 else ""  # noqa: PLR2004 -- word, type
    is_read = len(words) == 1 or membership in MEMBERSHIPS
    return (("partition", name, "member", member), membership) if member and is_read else None


def typed(key: Key, value: str) -> str:
    """Give the command that sets something.

    Example:
        >>> typed(("partition", "a", "pkey"), "0x0a01")
        'ib partition a pkey 0x0a01 force'
        >>> typed(("sm",), "off")
        'no ib sm'
    """
    if key == SM:
        return "ib sm" if value == ON else "no ib sm"
    if key[2:3] == ("member",):
        value = f"type {value}" if value else ""
    end = "force" if key[0] == "partition" else ""
    return " ".join(word for word in ("ib", *key, value, end) if word)


def undone(key: Key) -> str:
    """Give the command that takes something back; of a partition's key, the whole partition.

    Example:
        >>> undone(("partition", "a", "pkey")), undone(("sm", "lmc"))
        ('no ib partition a', 'no ib sm lmc')
    """
    if is_pkey(key):
        key = key[:2]
    return " ".join(("no", "ib", *key))


def is_pkey(key: Key) -> bool:
    """Tell whether something is the key of a partition."""
    return key[0] == "partition" and key[2:] == ("pkey",)


def is_secret(key: Key) -> bool:
    """Tell whether the value of something is shown nowhere."""
    return len(key) == 2 and key[0] == "sm" and key[1] in secret_keys("onyx")  # noqa: PLR2004 -- sm and its option


def settings(lines: Iterable[str]) -> tuple[dict[Key, tuple[str, int]], list[int]]:
    """Give ``what is set -> (to what, number of the line)``, and lines that are not understood.

    Where managers of several switches are told of by name (``ib smnode NAME ...``), those
    of the switch itself say the same as ``ib sm ...``.
    """
    found: dict[Key, tuple[str, int]] = {}
    unread: list[int] = []
    texts = [line.partition("##")[0].strip() for line in lines]
    host = next((text.split()[1] for text in texts if _HOSTNAME.fullmatch(text)), "")
    for number, text in enumerate(texts, 1):
        line = _of_own_node(text, host)
        if not is_ours(line):
            continue
        read = read_line(line)
        if read is None:
            unread.append(number)
        else:
            found[read[0]] = read[1], number
    return found, unread


def _of_own_node(text: str, host: str) -> str:
    """A line about the switch's own node as the line about its manager that says the same."""
    node = _NODE.fullmatch(text)
    if node is None or node["name"] != host:
        return text
    return {"enable": "ib sm", "disable": "no ib sm"}.get(node["rest"], f"ib sm {node['rest']}")
