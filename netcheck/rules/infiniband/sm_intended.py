"""Files of a subnet manager against what the intent makes of its subnet."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from netcheck.model.device import Device
from netcheck.model.fact import NotGivenError
from netcheck.model.finding import Severity
from netcheck.model.hidden import HIDDEN
from netcheck.model.known import UNKNOWN, is_known
from netcheck.model.subnet_manager import SmConfig, SmGuids, SmMatch, SmPartition
from netcheck.model.view import FabricView
from netcheck.rules.infiniband.managers import DEFAULT_PKEY, Manager, managers
from netcheck.rules.infiniband.sm_files import DEFAULTS
from netcheck.rules.rule import Fault, Scope, rule

DERIVED: Final = "derived: the intent says how the subnet is to be managed"
# Facts of a partition that the intent may leave to OpenSM.
GROUP: Final = {
    "mtu_code": "MTU code",
    "rate_code": "rate code",
    "sl": "SL",
    "q_key": "Q_Key",
    "scope": "scope",
}
GUID_FILES: Final = {
    "roots": "root_guid_file",
    "compute_nodes": "cn_guid_file",
    "io_nodes": "io_guid_file",
}


def pairs(fabric: FabricView) -> list[tuple[Manager, SmConfig]]:
    """Give each manager with what the intent makes of its files.

    Raises:
        NotGivenError: There is no manager, no intent, or no subnet in it.
    """
    found = managers(fabric)
    planned = {
        device.name: device.subnet_manager
        for device in fabric.plan.devices.values()
        if is_known(device.subnet_manager)
    }
    only = next(iter(planned.values())) if len(fabric.plan.subnets) == 1 and planned else None
    matched = [
        (manager, config)
        for manager in found
        if (config := _intended(manager.device, planned, only)) is not None
        and config is not manager.config
    ]
    if not matched:
        raise NotGivenError("intended subnet manager")
    return matched


def _intended(
    device: Device, planned: dict[str, SmConfig], only: SmConfig | None
) -> SmConfig | None:
    return planned.get(device.name, only)


@rule(
    "sm-option-not-intended",
    severity=Severity.ERROR,
    scope=Scope.FABRIC,
    source=DERIVED,
    is_proof=False,
)
def sm_option_not_intended(fabric: FabricView) -> Iterator[Fault]:
    """An option of opensm.conf is not what the intent makes of it.

    Why: the subnet is routed, served or protected in another way than is planned.
    Bad: routing_engine minhop, where the intent says updn.
    Good: every option that the intent says has its value.
    Fix: render the intent and apply it, or correct the intent.
    """
    for manager, intended in pairs(fabric):
        if not is_known(manager.config.options) or not is_known(intended.options):
            continue
        is_own = manager.device.name in fabric.plan.devices
        for key, option in intended.options.items():
            if key in {"guid", "sm_priority"} and not is_own:
                continue  # of another manager of the subnet
            found = manager.value(key, DEFAULTS.get(key, ""))
            if HIDDEN in {found, option.value}:
                continue  # a secret, read where nothing was there to compare it with
            if _plain(found) != _plain(option.value):
                yield manager.fault(
                    key,
                    expected=option.written,
                    found=manager.options[key].written if key in manager.options else "not said",
                    effect="as the intent says",
                    at=manager.at(key),
                )


def _plain(value: str) -> str:
    """A value without its folder and blanks: files may lie elsewhere."""
    return value.rpartition("/")[2].replace(" ", "")


@rule(
    "sm-partition-not-intended",
    severity=Severity.ERROR,
    scope=Scope.FABRIC,
    source=DERIVED,
    is_proof=False,
)
def sm_partition_not_intended(fabric: FabricView) -> Iterator[Fault]:
    """A partition is not what the intent makes of it: missing, added, or of other members.

    Why: ports talk that are to be kept apart, or do not that have to.
    Bad: gpu02 is left out of partition tenant-a.
    Good: the same partitions, members and memberships.
    Fix: render the intent and apply it, or correct the intent.
    """
    for manager, intended in pairs(fabric):
        if not is_known(manager.config.partitions) or not is_known(intended.partitions):
            continue
        found = _merged(manager.partitions)
        wanted = _merged(intended.partitions)
        for pkey, one in wanted.items():
            if pkey in found:
                yield from _differences(manager, one, found[pkey])
            else:
                at = manager.partitions[0].evidence
                said = f"partition {one.name}"
                expected = f"key 0x{pkey:04x}"
                yield manager.fault(said, expected=expected, found="none", effect="missing", at=at)
        for pkey, one in found.items():
            if pkey not in wanted and pkey != DEFAULT_PKEY:
                yield manager.fault(
                    f"partition {one.name}",
                    expected="no such partition",
                    found=f"key 0x{pkey:04x}",
                    effect="the intent has none",
                    at=one.evidence,
                )


def _merged(partitions: tuple[SmPartition, ...]) -> dict[int, SmPartition]:
    """Partitions by key; statements of one key are one partition, as OpenSM takes them."""
    found: dict[int, SmPartition] = {}
    for one in partitions:
        if is_known(one.pkey):
            first = found.get(one.pkey)
            found[one.pkey] = one if first is None else _joined(first, one)
    return found


def _joined(first: SmPartition, second: SmPartition) -> SmPartition:
    return SmPartition(
        first.name,
        first.pkey,
        (*first.members, *second.members),
        is_ipoib=first.is_ipoib or second.is_ipoib,
        is_first=first.is_first or second.is_first,
        evidence=first.evidence,
    )


def _differences(manager: Manager, wanted: SmPartition, found: SmPartition) -> Iterator[Fault]:
    key = f"partition {wanted.name}"
    members = {each.name: each.membership for each in found.members}
    for each in wanted.members:
        had = members.pop(each.name, "no member")
        if had != each.membership:
            expected, shown = f"{each.name}={each.membership}", f"{each.name}={had}"
            at = found.evidence
            yield manager.fault(key, expected=expected, found=shown, effect="member", at=at)
    for name, membership in members.items():
        yield manager.fault(
            key,
            expected=f"{name} is no member",
            found=f"{name}={membership}",
            effect="added",
            at=found.evidence,
        )
    if wanted.is_ipoib and not found.is_ipoib:
        at = found.evidence
        yield manager.fault(key, expected="ipoib", found="not said", effect="no group", at=at)
    for fact, word in GROUP.items():
        said, had = getattr(wanted, fact), getattr(found, fact)
        if is_known(said) and said != had:
            shown = "not said" if had is UNKNOWN else str(had)
            expected = f"{word} {said}"
            at = found.evidence
            yield manager.fault(key, expected=expected, found=shown, effect="group", at=at)


@rule(
    "sm-policy-not-intended",
    severity=Severity.ERROR,
    scope=Scope.FABRIC,
    source=DERIVED,
    is_proof=False,
)
def sm_policy_not_intended(fabric: FabricView) -> Iterator[Fault]:
    """A level of the QoS policy is not what the intent makes of it.

    Why: traffic gets another service level, and with it another lane and share.
    Bad: level bulk with sl 2, where the intent says sl 1.
    Good: the levels and rules of the intent.
    Fix: render the intent and apply it, or correct the intent.
    """
    for manager, intended in pairs(fabric):
        if not is_known(manager.config.policy) or not is_known(intended.policy):
            continue
        policy = manager.config.policy
        levels = {one.name: one.sl for one in policy.levels}
        for one in intended.policy.levels:
            had = levels.get(one.name)
            if had != one.sl:
                found = "none" if had is None else f"sl {had}"
                key = f"level {one.name}"
                expected = f"sl {one.sl}"
                at = policy.evidence
                yield manager.fault(key, expected=expected, found=found, effect="service", at=at)
        wanted = [(one.terms, one.level, one.sl) for one in _rules(intended)]
        had_rules = [(one.terms, one.level, one.sl) for one in _rules(manager.config)]
        if wanted != had_rules:
            yield manager.fault(
                "rules",
                expected=f"{len(wanted)} rules as the intent says",
                found=f"{len(had_rules)} rules, {_common(wanted, had_rules)} of them the same",
                effect="the first rule that fits wins",
                at=policy.evidence,
            )


def _rules(config: SmConfig) -> tuple[SmMatch, ...]:
    policy = config.policy
    return (*policy.ulps, *policy.rules) if is_known(policy) else ()


def _common(wanted: Sequence[object], found: Sequence[object]) -> int:
    return sum(one in found for one in wanted)


@rule(
    "sm-guids-not-intended",
    severity=Severity.ERROR,
    scope=Scope.FABRIC,
    source=DERIVED,
    is_proof=False,
)
def sm_guids_not_intended(fabric: FabricView) -> Iterator[Fault]:
    """A file of GUIDs lists other roots or nodes than the intent.

    Why: the fabric is ranked from other switches, and routes go other ways.
    Bad: one spine of four is not among the roots.
    Good: the roots of the intent.
    Fix: render the intent and apply it, or correct the intent.
    """
    for manager, intended in pairs(fabric):
        for fact, key in GUID_FILES.items():
            wanted, found = getattr(intended, fact), getattr(manager.config, fact)
            if is_known(wanted) and is_known(found) and set(wanted.guids) != set(found.guids):
                yield manager.fault(
                    key,
                    expected=_listed(wanted, found),
                    found=_listed(found, wanted),
                    effect="roots" if fact == "roots" else "nodes",
                    at=found.evidence,
                )


def _listed(mine: SmGuids, other: SmGuids) -> str:
    """GUIDs that only one of the two has."""
    alone = sorted(set(mine.guids) - set(other.guids))
    shown = ", ".join(f"0x{guid:016x}" for guid in alone[:4])
    more = f" and {len(alone) - 4} more" if len(alone) > 4 else ""  # noqa: PLR2004 -- those shown
    return f"{shown}{more}" if alone else "no others"
