"""Commands of a running configuration, as the options and partitions that they set."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Final

from netcheck.model.device import Defect
from netcheck.model.document import Document, Evidence
from netcheck.model.known import UNKNOWN
from netcheck.model.subnet_manager import SmGuids, SmMember, SmOption, SmPartition
from netcheck.platforms.ib_codes import DATA_VLS, MTU, mtu_bytes, rate_bps, rate_code
from netcheck.platforms.onyx.parsed.outputs import as_listed, out_of_range
from netcheck.platforms.onyx.words import (
    DEFAULT,
    DEFAULT_PKEY,
    MTU_BYTES,
    ON,
    SM,
    Key,
    is_secret,
    number_in,
    settings,
)
from netcheck.platforms.sm_reading import at_line, secret_option

ENABLED: Final = "sm"
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
    "max-op-vls": "max_op_vls",
    "routing-engines": "routing_engine",
}


@dataclass(slots=True)
class Config:
    """What configurations say of a subnet manager."""

    options: dict[str, SmOption] = field(default_factory=dict)
    partitions: dict[str, SmPartition] = field(default_factory=dict)
    roots: list[tuple[int, Evidence]] = field(default_factory=list)
    unread: list[Evidence] = field(default_factory=list)
    defects: list[Defect] = field(default_factory=list)

    @property
    def root_guids(self) -> SmGuids | None:
        """The roots; None where none is said."""
        if not self.roots:
            return None
        return SmGuids(tuple(guid for guid, _ in self.roots), self.roots[0][1])


def read_config(document: Document, config: Config) -> None:
    """Read a configuration; lines about anything else than the subnet manager are passed over."""
    lines = document.text.splitlines()
    found, unread = settings(lines)
    config.unread += (at_line(document, number) for number in unread)
    config.defects += (
        out_of_range(*valued, at_line(document, number))
        for number in unread
        if (valued := number_in(lines[number - 1])) is not None
    )
    for key, (value, number) in found.items():
        at = at_line(document, number)
        read = _manager if key[:1] == SM else _partition
        if not read(config, key, value, at):
            config.unread.append(at)


def enabled_option(at: Evidence, *, is_on: bool) -> SmOption:
    """Give whether the manager is switched on, as an option."""
    return SmOption("TRUE" if is_on else "FALSE", "ib sm" if is_on else "no ib sm", at)


def _manager(config: Config, key: Key, value: str, at: Evidence) -> bool:
    if key == SM:
        config.options[ENABLED] = enabled_option(at, is_on=value == ON)
        return True
    word = key[1]
    if word == "root-guid":
        config.roots.append((int(key[2], 16), at))
    elif word == "allow-both-pkeys":
        config.options["allow_both_pkeys"] = SmOption("TRUE", word, at)
    elif is_secret(key):
        config.options[_OPTIONS[word]] = secret_option(value, at)
    else:
        plain = _plain(word, value)
        if plain is None:
            return False
        config.options[_OPTIONS[word]] = SmOption(plain, value, at)
    return True


def _plain(word: str, value: str) -> str | None:
    """The value as opensm.conf would have it."""
    if word == "max-op-vls":
        return str(DATA_VLS[int(value)]) if int(value) in DATA_VLS else None
    if word == "subnet-prefix":
        return str(int(value, 16))
    return ",".join(value.split()) if word == "routing-engines" else value


def _partition(config: Config, key: Key, value: str, at: Evidence) -> bool:
    name, word = key[1], key[2]
    one = config.partitions.get(name, _new_partition(name, at))
    if word == "member":
        membership = value or config.partitions.get(name, one).default_membership
        said = membership if isinstance(membership, str) else "limited"
        changed = replace(one, members=(*one.members, SmMember(as_listed(key[3]), said, at)))
    else:
        change = _ATTRIBUTES[word]
        made = change(one, value)
        if made is None:
            return False
        changed = made
    config.partitions[name] = changed
    return True


def _new_partition(name: str, at: Evidence) -> SmPartition:
    return SmPartition(name, DEFAULT_PKEY if name == DEFAULT else UNKNOWN, evidence=at)


def default_partition(at: Evidence) -> SmPartition:
    """Give the partition that a switch has where its configuration says nothing of it.

    Source: outputs captured in Teradata/stacki; a public report of an SX6036 on 3.6.8012.
    """
    everybody = SmMember("ALL", "full", at)
    return replace(_new_partition(DEFAULT, at), members=(everybody,), is_ipoib=True)


def _mtu(one: SmPartition, value: str) -> SmPartition | None:
    code = MTU[MTU_BYTES[value]]
    return replace(one, mtu_code=code, mtu_bytes=mtu_bytes(code) or UNKNOWN)


def _rate(one: SmPartition, value: str) -> SmPartition | None:
    code = rate_code(value)
    if code is None:
        return None
    return replace(one, rate_code=code, rate_bps=rate_bps(code) or UNKNOWN)


_ATTRIBUTES: Final[dict[str, Callable[[SmPartition, str], SmPartition | None]]] = {
    "pkey": lambda one, value: replace(one, pkey=int(value, 16)),
    "ipoib": lambda one, _: replace(one, is_ipoib=True),
    "indx0": lambda one, _: replace(one, is_first=True),
    "defmember": lambda one, value: replace(one, default_membership=value),
    "sl": lambda one, value: replace(one, sl=int(value)),
    "mtu": _mtu,
    "rate": _rate,
}
