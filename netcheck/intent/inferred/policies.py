"""Policies that many ports follow, from those of each port: joined where they agree, and named."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from types import MappingProxyType
from typing import Any, TypeVar

from netcheck.intent.complaint import IntentError
from netcheck.intent.defaults import complete_policy
from netcheck.intent.notes import Notes
from netcheck.intent.switches import DEFAULT_POLL_MS
from netcheck.model.fabric import EcnIntent, Policy, TrafficClass
from netcheck.model.frozenmap import FrozenMap
from netcheck.model.known import UNKNOWN, is_known, known_or

# Said of a class only where completing it would not give the same.
_PLAIN = ("delivery", "queue", "pfc_priority", "priority_group", "scheduling", "carries", "ecn")
NAME = "roce"
Said = TypeVar("Said", Policy, TrafficClass)


def agreed(first: Policy, second: Policy) -> Policy | None:
    """Give what both policies say; None where they contradict each other.

    What one does not say, the other may: two systems show different parts of one policy.
    """
    if set(first.classes) != set(second.classes):
        return None
    classes = {name: _agreed(one, second.classes[name]) for name, one in first.classes.items()}
    bare = _agreed(*(replace(one, classes=FrozenMap()) for one in (first, second)))
    known = {name: one for name, one in classes.items() if one is not None}
    if bare is None or len(known) < len(classes):
        return None
    return replace(bare, classes=FrozenMap(known))


def _agreed(first: Said, second: Said) -> Said | None:
    said: dict[str, Any] = {}  # Any: facts of every type
    for field in fields(first):
        here, there = getattr(first, field.name), getattr(second, field.name)
        if here is UNKNOWN:
            said[field.name] = there
        elif there is not UNKNOWN and here != there:
            return None
    return replace(first, **said)


@dataclass(frozen=True)
class Joined:
    """Policies by name.

    Attributes:
        names: Shape: ``nameless policy -> name of the one that it became part of``.
    """

    policies: Mapping[str, Policy]
    names: Mapping[Policy, str]


def join(
    used: Iterable[Policy],
    *,
    name: str = NAME,
    is_auto: Mapping[Policy, bool] = MappingProxyType({}),
) -> Joined:
    """Join what agrees; the policy with most ports is named first.

    Thresholds of marking that all ports of a policy compute alike are left to be
    computed, so that ports of other speeds can follow it as well.

    Args:
        used: The nameless policy of each port, in order of the fabric.
        is_auto: Shape: ``nameless policy -> all its thresholds are those that are computed``.
    """
    counts = Counter(used)
    exact = _groups([(policy, [policy]) for policy, _ in counts.most_common()])
    groups = _groups(
        [
            (_left_to_compute(whole) if all(map(is_auto.get, members)) else whole, members)
            for whole, members in exact
        ]
    )
    groups.sort(key=lambda group: -sum(counts[one] for one in group[1]))
    policies: dict[str, Policy] = {}
    names: dict[Policy, str] = {}
    for number, (whole, members) in enumerate(groups, 1):
        own = name if number == 1 else f"{name}-{number}"
        policies[own] = shortened(replace(whole, name=own))
        names |= dict.fromkeys(members, own)
    return Joined(policies, names)


def _groups(given: Iterable[tuple[Policy, list[Policy]]]) -> list[tuple[Policy, list[Policy]]]:
    """Policies with what they are made of, each joined to the first that it agrees with."""
    groups: list[tuple[Policy, list[Policy]]] = []
    for policy, parts in given:
        for place, (whole, members) in enumerate(groups):
            both = agreed(whole, policy)
            if both is not None:
                groups[place] = (both, [*members, *parts])
                break
        else:
            groups.append((policy, parts))
    return groups


def _left_to_compute(policy: Policy) -> Policy:
    auto = EcnIntent(is_enabled=True)
    classes = {
        name: replace(one, ecn=auto) if is_known(one.ecn) and one.ecn.is_enabled is True else one
        for name, one in policy.classes.items()
    }
    return replace(policy, classes=FrozenMap(classes))


def shortened(policy: Policy) -> Policy:
    """Give the policy without what completing it gives anyway, as people write it."""
    detection = policy.watchdog.detection_ms if is_known(policy.watchdog) else UNKNOWN
    if policy.watchdog_poll_ms == min(DEFAULT_POLL_MS, known_or(detection, 0)):
        policy = replace(policy, watchdog_poll_ms=UNKNOWN)
    try:
        whole = complete_policy(policy, Notes())
    except IntentError:  # more classes than priorities: left as it is, which its loader tells
        return policy
    for name in policy.classes:
        for fact in _PLAIN:
            one = policy.classes[name]
            silent: dict[str, Any] = {fact: UNKNOWN}  # Any: as above
            without = _with(policy, replace(one, **silent))
            if getattr(one, fact) is not UNKNOWN and complete_policy(without, Notes()) == whole:
                policy = without
    return policy


def _with(policy: Policy, one: TrafficClass) -> Policy:
    return replace(policy, classes=policy.classes.with_items({one.name: one}))


def most_common(values: Sequence[Hashable]) -> Any:  # Any: the type of the values
    """Give the value that is known most often; UNKNOWN where none is."""
    known = Counter(one for one in values if is_known(one))
    return known.most_common(1)[0][0] if known else UNKNOWN
