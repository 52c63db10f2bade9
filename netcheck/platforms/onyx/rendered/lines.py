"""A subnet as commands of the subnet manager that is embedded in MLNX-OS, in the order typed."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from netcheck.model.known import Known, is_known
from netcheck.model.subnets import Partition, Subnet
from netcheck.platforms.capabilities import capabilities
from netcheck.platforms.ib_codes import rate_code
from netcheck.platforms.onyx.words import (
    DEFAULT,
    DEFAULT_PKEY,
    MTU_BYTES,
    ON,
    SM,
    Line,
    port_guid,
    typed,
)
from netcheck.platforms.placeholders import placeholder
from netcheck.platforms.sm_subject import (
    LOW_15,
    WORDS,
    Subject,
    guid_text,
    member_guids,
    priority_of,
    secrets_of,
    uses_both,
)

_NUMBERS: Final = {
    "subnet_prefix": ("subnet-prefix", "#018x"),
    "lmc": ("lmc", "d"),
    "poll_ms": ("sminfo-poll-timeout", "d"),
    "poll_retries": ("polling-retry", "d"),
    "m_key_lease_s": ("m-key-lease", "d"),
}
# What the intent can say and no command sets.
_WITHOUT: Final = {
    "adaptive_routing": "adaptive routing",
    "compute_nodes": "a list of compute nodes",
    "io_nodes": "a list of I/O nodes",
    "m_key_protection": "a protection level",
    "sl_to_vl": "SL2VL",
    "vl_high": "VL arbitration",
    "vl_low": "VL arbitration",
    "high_limit": "VL arbitration",
}
_GROUP: Final = {
    "q_key": "a Q_Key",
    "traffic_class": "a traffic class",
    "flow_label": "a flow label",
    "scope": "a scope",
}
_NAME: Final = re.compile(r"[A-Za-z0-9_.-]+")
_MTU_WORDS: Final = {size: word for word, size in MTU_BYTES.items()}
_MEMBERS: Final = frozenset({"ALL", "SELF"})


def commands_of(subject: Subject) -> list[str]:
    """Give the commands, in the order in which they are typed."""
    _refuse(subject)
    return [typed(key, value) for key, value in (*_manager(subject), *_partitions(subject))]


def _refuse(subject: Subject) -> None:
    subnet = subject.subnet
    for fact, what in _WITHOUT.items():
        if is_known(getattr(subnet, fact)):
            subject.refuse("onyx-only", fact, f"the embedded subnet manager takes no {what}")
    if subnet.qos_levels:
        subject.refuse("onyx-only", "qos", "the embedded subnet manager takes no policy from here")
    for key in subnet.options:
        subject.refuse("onyx-only", f"options.{key}", "there is no opensm.conf to write it into")


def _manager(subject: Subject) -> Iterator[Line]:
    subnet = subject.subnet
    yield SM, ON
    priority = priority_of(subject)
    if is_known(priority):
        yield ("sm", "sm-priority"), str(priority)
    for fact, (word, form) in _NUMBERS.items():
        value: Known[int] = getattr(subnet, fact)
        if is_known(value):
            yield ("sm", word), f"{value:{form}}"
    for key, reference in secrets_of(subnet):
        yield ("sm", key.replace("_", "-")), placeholder(reference)
    if is_known(subnet.data_vls):
        yield ("sm", "max-op-vls"), str(subnet.data_vls)
    yield from _routing(subject, subnet)
    if uses_both(subject):
        yield ("sm", "allow-both-pkeys"), ""


def _routing(subject: Subject, subnet: Subnet) -> Iterator[Line]:
    if is_known(subnet.routing):
        limit = capabilities("onyx").limit("routing-engine")
        for engine in subnet.routing:
            if not limit.permits(engine):
                known = ", ".join(map(str, limit.allowed))
                subject.refuse(limit.name, "routing", f"{engine} is none of {known}")
        yield ("sm", "routing-engines"), " ".join(subnet.routing)
    if is_known(subnet.roots):
        for guid in subject.nodes(subnet.roots, "roots"):
            yield ("sm", "root-guid", guid_text(guid)), ""


def _partitions(subject: Subject) -> Iterator[Line]:
    for one in subject.subnet.partitions.values():
        key = one.pkey & LOW_15
        name = DEFAULT if key == DEFAULT_PKEY else one.name
        _refuse_partition(subject, one, key)
        yield ("partition", name, "pkey"), f"0x{key:04x}"
        for word, value in _group(subject, one):
            yield ("partition", name, word), value
        for member, membership in member_guids(subject, one):
            word = member if member in _MEMBERS else _guid(member)
            if word:
                yield ("partition", name, "member", word), membership


def _guid(member: str) -> str:
    return port_guid(int(member, 16)) if member.startswith("0x") else ""


def _refuse_partition(subject: Subject, one: Partition, key: int) -> None:
    place = f"partition {one.name}"
    if not key:
        subject.refuse("pkey", place, f"the low 15 bits of {one.pkey:#x} are no key")
    if not _NAME.fullmatch(one.name):
        subject.refuse("partition-name", place, "its name cannot be typed as one word")
    if one.name.lower() == "members":
        subject.refuse("partition-name", place, "its name reads as the heading of its members")
    if one.name == DEFAULT and key != DEFAULT_PKEY:
        subject.refuse("default-partition", place, f"it has key 0x7fff, not 0x{key:04x}")
    for name in one.members:
        if name in WORDS and name not in {"all", "sm"}:
            subject.refuse("onyx-only", place, f"{name} is no member that can be typed")
    for fact, what in _GROUP.items():
        if is_known(getattr(one, fact)):
            subject.refuse("onyx-only", place, f"the embedded subnet manager takes no {what}")


def _group(subject: Subject, one: Partition) -> Iterator[tuple[str, str]]:
    place = f"partition {one.name}"
    if is_known(one.default_membership):
        yield "defmember", one.default_membership
    if one.is_first is True:
        yield "indx0", ""
    if one.is_ipoib is True:
        yield "ipoib", ""
    if is_known(one.mtu):
        if one.mtu not in _MTU_WORDS:
            subject.refuse("ib-mtu", place, f"{one.mtu} bytes is no InfiniBand MTU")
        yield "mtu", _MTU_WORDS.get(one.mtu, "")
    if is_known(one.rate):
        if rate_code(one.rate) is None:
            subject.refuse("ib-rate", place, f"{one.rate} is no InfiniBand rate")
        yield "rate", one.rate.removesuffix("G")
    if is_known(one.sl):
        if one.sl:
            subject.refuse(
                "service-level", place, f"SL {one.sl} needs QoS, which no command turns on"
            )
        yield "sl", str(one.sl)
