"""Partitions as the statements of ``partitions.conf``.

Members go from wide to narrow, and each GUID once: of two entries for one
port OpenSM takes the last (measured on 3.3.23).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from netcheck.model.known import Known, is_known
from netcheck.model.subnets import Partition
from netcheck.platforms.ib_codes import mtu_code, rate_code
from netcheck.platforms.sm_subject import LOW_15, Subject, member_guids


@dataclass(frozen=True, slots=True)
class Statement:
    """One statement: the part before the colon, and ``member=membership`` after it."""

    head: str
    members: tuple[str, ...]


def statements(subject: Subject) -> list[Statement]:
    """Give the statements, in declared order."""
    return [
        Statement(", ".join(_head(subject, one)), tuple(_members(subject, one)))
        for one in subject.subnet.partitions.values()
    ]


def _head(subject: Subject, one: Partition) -> Iterator[str]:
    place = f"partition {one.name}"
    if not one.pkey & LOW_15:
        subject.refuse("pkey", place, f"the low 15 bits of {one.pkey:#x} are no key")
    yield f"{one.name}=0x{one.pkey & LOW_15:04x}"
    if one.is_first is True:
        yield "indx0"
    if one.is_ipoib is True:
        yield "ipoib"
    yield from _group(subject, one, place)
    if is_known(one.default_membership):
        yield f"defmember={one.default_membership}"


def _group(subject: Subject, one: Partition, place: str) -> Iterator[str]:
    if is_known(one.mtu):
        code = mtu_code(one.mtu)
        if code is None:
            subject.refuse("ib-mtu", place, f"{one.mtu} bytes is no InfiniBand MTU")
        yield f"mtu={code}"
    if is_known(one.rate):
        code = rate_code(one.rate)
        if code is None:
            subject.refuse("ib-rate", place, f"{one.rate} is no InfiniBand rate")
        yield f"rate={code}"
    flags: tuple[tuple[str, Known[int], str], ...] = (
        ("sl", one.sl, "d"),
        ("scope", one.scope, "#x"),
        ("Q_Key", one.q_key, "#x"),
        ("TClass", one.traffic_class, "#x"),
        ("FlowLabel", one.flow_label, "#x"),
    )
    said = [f"{word}={value:{form}}" for word, value, form in flags if is_known(value)]
    has_group = is_known(one.mtu) or is_known(one.rate) or bool(said)
    if has_group and one.is_ipoib is not True:
        subject.refuse("group-without-ipoib", place, "MTU, rate and SL are those of IPoIB")
    yield from said


def _members(subject: Subject, one: Partition) -> Iterator[str]:
    return (f"{name}={membership}" for name, membership in member_guids(subject, one))
