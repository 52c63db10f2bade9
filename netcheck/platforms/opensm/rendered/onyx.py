"""A subnet as commands of the subnet manager that is embedded in MLNX-OS.

Source: NVIDIA MLNX-OS user manual 3.11, SM Commands and Partitions. Nothing here was
typed into a switch.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from netcheck.model.known import Known, is_known
from netcheck.model.subnets import Partition, Subnet
from netcheck.platforms.opensm.rendered.options import priority_of, secrets_of
from netcheck.platforms.opensm.rendered.partitions import LOW_15, WORDS, member_guids, uses_both
from netcheck.platforms.opensm.rendered.subject import Subject, guid_text
from netcheck.platforms.placeholders import placeholder

FILE: Final = "mlnx-os.txt"
MTU_WORDS: Final = {256: "256", 512: "512", 1024: "1K", 2048: "2K", 4096: "4K"}
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


def commands_of(subject: Subject) -> list[str]:
    """Give the commands, in the order in which they are typed."""
    _refuse(subject)
    return [*_manager(subject), *_partitions(subject)]


def _refuse(subject: Subject) -> None:
    subnet = subject.subnet
    for fact, what in _WITHOUT.items():
        if is_known(getattr(subnet, fact)):
            subject.refuse("onyx-only", fact, f"the embedded subnet manager takes no {what}")
    if subnet.qos_levels:
        subject.refuse("onyx-only", "qos", "the embedded subnet manager takes no policy from here")
    for key in subnet.options:
        subject.refuse("onyx-only", f"options.{key}", "there is no opensm.conf to write it into")


def _manager(subject: Subject) -> Iterator[str]:
    subnet = subject.subnet
    yield "ib sm"
    priority = priority_of(subject)
    if is_known(priority):
        yield f"ib sm sm-priority {priority}"
    for fact, (word, form) in _NUMBERS.items():
        value: Known[int] = getattr(subnet, fact)
        if is_known(value):
            yield f"ib sm {word} {value:{form}}"
    for key, reference in secrets_of(subnet):
        yield f"ib sm {key.replace('_', '-')} {placeholder(reference)}"
    if is_known(subnet.data_vls):
        yield f"ib sm max-op-vls {subnet.data_vls}"
    yield from _routing(subject, subnet)
    if uses_both(subject):
        yield "ib sm allow-both-pkeys"


def _routing(subject: Subject, subnet: Subnet) -> Iterator[str]:
    if is_known(subnet.routing):
        yield f"ib sm routing-engines {' '.join(subnet.routing)}"
    if is_known(subnet.roots):
        for guid in subject.nodes(subnet.roots, "roots"):
            yield f"ib sm root-guid {guid_text(guid)}"


def _partitions(subject: Subject) -> Iterator[str]:
    for one in subject.subnet.partitions.values():
        start = f"ib partition {one.name}"
        yield f"{start} pkey 0x{one.pkey & LOW_15:04x}"
        yield from (f"{start} {line}" for line in _group(subject, one))
        for name, membership in member_guids(subject, one):
            yield f"{start} member {_ONYX_WORDS.get(name, name)} type {membership}"
        for name in one.members:
            if name in WORDS and name not in {"all", "sm"}:
                place = f"partition {one.name}"
                subject.refuse("onyx-only", place, f"{name} is no member that can be typed")


_ONYX_WORDS: Final = {"ALL": "all", "SELF": "self"}


def _group(subject: Subject, one: Partition) -> Iterator[str]:
    if is_known(one.default_membership):
        yield f"defmember {one.default_membership}"
    if one.is_first is True:
        yield "indx0"
    if one.is_ipoib is True:
        yield "ipoib"
    if is_known(one.mtu):
        if one.mtu not in MTU_WORDS:
            place = f"partition {one.name}"
            subject.refuse("ib-mtu", place, f"{one.mtu} bytes is no InfiniBand MTU")
        yield f"mtu {MTU_WORDS.get(one.mtu, '')}"
    if is_known(one.rate):
        yield f"rate {one.rate.removesuffix('G')}"
    if is_known(one.sl):
        yield f"sl {one.sl}"
