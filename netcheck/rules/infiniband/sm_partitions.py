"""Partitions as they are in effect: who cannot talk to whom, or to the subnet manager."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from netcheck.model.document import Evidence
from netcheck.model.finding import Severity
from netcheck.model.known import is_known
from netcheck.model.subnet_manager import SmMember, SmPartition
from netcheck.model.view import FabricView
from netcheck.rules.infiniband.managers import DEFAULT_PKEY, Manager, managers
from netcheck.rules.infiniband.sm_texts import PARTITION_SOURCE
from netcheck.rules.rule import Fault, Scope, rule

# keywords that take in the port of the subnet manager, which runs on an adapter
OF_MANAGER: Final = frozenset({"ALL", "ALL_CAS", "SELF"})


def by_key(manager: Manager) -> dict[int, list[SmPartition]]:
    """Give the partitions by their key; those whose key is made up are left out."""
    found: dict[int, list[SmPartition]] = {}
    for one in manager.partitions:
        if is_known(one.pkey):
            found.setdefault(one.pkey, []).append(one)
    return found


@rule(
    "sm-port-limited",
    severity=Severity.ERROR,
    scope=Scope.FABRIC,
    source=PARTITION_SOURCE,
    is_proof=False,
)
def sm_port_limited(fabric: FabricView) -> Iterator[Fault]:
    """The subnet manager's own port is a limited member of the default partition.

    Why: limited members do not reach one another, so no limited port gets an answer from
        the subnet administrator: no path records, no multicast, no IPoIB.
    Bad: Default=0x7fff : ALL=limited ;
    Good: Default=0x7fff : ALL=limited, SELF=full ;
    Fix: add SELF=full after all other members.
    """
    for manager in managers(fabric):
        own = _own_member(manager)
        if own is not None and own.membership == "limited":
            yield manager.fault(
                "partition 0x7fff",
                expected="SELF=full",
                found=f"{own.name}={own.membership}",
                effect="limited ports get no answer from the subnet manager",
                at=own.evidence,
            )


def _own_member(manager: Manager) -> SmMember | None:
    """The entry of the default partition that holds for the manager's port: the last one."""
    guid = manager.number("guid")
    own = OF_MANAGER | ({f"0x{guid:016x}"} if guid else set())
    members = [one for each in by_key(manager).get(DEFAULT_PKEY, ()) for one in each.members]
    return next((one for one in reversed(members) if one.name in own), None)


@rule(
    "sm-default-partition-missing",
    severity=Severity.WARNING,
    scope=Scope.FABRIC,
    source=PARTITION_SOURCE,
    is_proof=False,
)
def sm_default_partition_missing(fabric: FabricView) -> Iterator[Fault]:
    """No statement speaks of the default partition.

    Why: OpenSM makes it by itself, with all ports limited and its own full; hosts that used
        it to talk to one another do so no more.
    Bad: tenants only.
    Good: Default=0x7fff, ipoib : ALL=limited, SELF=full ;
    Fix: say what the default partition is to be.
    """
    for manager in managers(fabric):
        if manager.partitions and DEFAULT_PKEY not in by_key(manager):
            yield manager.fault(
                "partition 0x7fff",
                expected="a statement for 0x7fff",
                found="none",
                effect="all ports are limited members of it, the subnet manager's full",
                at=manager.partitions[0].evidence,
            )


@rule(
    "sm-pkey-shared",
    severity=Severity.WARNING,
    scope=Scope.FABRIC,
    source=PARTITION_SOURCE,
    is_proof=False,
)
def sm_pkey_shared(fabric: FabricView) -> Iterator[Fault]:
    """Two partitions of different names have one key.

    Why: they are one partition, under the first name; what the second says of a port of the
        first holds for both.
    Bad: a=0x0a01 and b=0x0a01.
    Good: a key for each partition.
    Fix: give the second its own key, or one name to both.
    """
    for manager in managers(fabric):
        for pkey, found in by_key(manager).items():
            others = [one for one in found[1:] if one.name != found[0].name]
            for one in others:
                yield manager.fault(
                    f"partition {one.name}",
                    expected="a key of its own",
                    found=f"0x{pkey:04x}, as partition {found[0].name}",
                    effect=f"both are one partition, {found[0].name}",
                    at=one.evidence,
                )


@rule(
    "sm-member-twice",
    severity=Severity.ERROR,
    scope=Scope.FABRIC,
    source=PARTITION_SOURCE,
    is_proof=False,
)
def sm_member_twice(fabric: FabricView) -> Iterator[Fault]:
    """One port has two memberships in one partition.

    Why: the last one holds, and nothing says so.
    Bad: 0x0002c90300100001=full, 0x0002c90300100001=limited.
    Good: each port once.
    Fix: take one of the two out.
    """
    for manager in managers(fabric):
        for found in by_key(manager).values():
            seen: dict[str, SmMember] = {}
            for member in (member for one in found for member in one.members):
                first = seen.setdefault(member.name, member)
                if first.membership != member.membership:
                    yield manager.fault(
                        f"partition {found[0].name}",
                        expected=f"{member.name} once",
                        found=f"{first.membership}, then {member.membership}",
                        effect=f"it is {member.membership}",
                        at=member.evidence,
                    )


@rule(
    "sm-both-not-allowed",
    severity=Severity.ERROR,
    scope=Scope.FABRIC,
    source=PARTITION_SOURCE,
    is_proof=False,
)
def sm_both_not_allowed(fabric: FabricView) -> Iterator[Fault]:
    """A port is to be full and limited member at once, which opensm.conf does not allow.

    Why: it becomes a full member only.
    Bad: GUID=both, without allow_both_pkeys TRUE.
    Good: GUID=both, and allow_both_pkeys TRUE.
    Fix: write allow_both_pkeys TRUE; it needs a restart.
    """
    for manager in managers(fabric):
        if manager.is_on("allow_both_pkeys"):
            continue
        is_open = not is_known(manager.config.options)
        for one in manager.partitions:
            place = _both(one)
            if place is not None:
                yield manager.fault(
                    f"partition {one.name}",
                    expected="allow_both_pkeys TRUE in opensm.conf",
                    found="opensm.conf was not given" if is_open else "FALSE",
                    effect="members that are both become full members only",
                    at=place,
                    severity=Severity.WARNING if is_open else None,
                )


def _both(one: SmPartition) -> Evidence | None:
    if one.default_membership == "both":
        return one.evidence
    return next((each.evidence for each in one.members if each.membership == "both"), None)
