"""What must hold in every configuration; a line that breaks it is refused."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from netcheck.lab.devices.nxos.grammar import Rule
from netcheck.lab.devices.nxos.objects import (
    CLASS_DEFAULT,
    DEFAULT_MTU,
    Configuration,
    Policy,
    predefined,
    read_configuration,
)
from netcheck.lab.devices.nxos.patterns import LineError
from netcheck.lab.devices.nxos.tree import Block

MOST_NO_DROP = 3
WHOLE = 100
QUEUING, NETWORK, QOS = "queuing", "network-qos", "qos"


def check(was: Configuration, root: Block) -> Configuration:
    """Read a new configuration.

    Raises:
        LineError: The switch does not take it; ``was`` tells what is being removed.
    """
    found = read_configuration(root)
    for error in (*_uses(was, found), *(e for each in CHECKS for e in each(found))):
        raise error
    return found


def guard_predefined(rule: Rule, line: str) -> None:
    """Refuse to enter or to remove an object that the system defines.

    Raises:
        LineError: It is one.
    """
    key = rule.key(line)
    for held in predefined():
        if held.startswith(key[0]) and rule.identity is not None and rule.key(held) == key:
            name = "predefined-class" if key[0] == "class-map" else "predefined-policy"
            raise LineError(name, name=key[-1])
    if key[:2] == ("class-map", QUEUING):
        raise LineError("queuing-class-not-made", name=key[-1])


def users(configuration: Configuration, kind: str, name: str) -> Iterator[str]:
    """Places where a policy is attached."""
    for (system_kind, _), policy in configuration.system.items():
        if (system_kind, policy) == (kind, name):
            yield "system qos"
    for interface in configuration.interfaces.values():
        for direction in ("input", "output"):
            if name and interface.policy(kind, direction) == name:
                yield interface.name


def _uses(was: Configuration, found: Configuration) -> Iterator[LineError]:
    """References to what is not there: refused as a deletion, or as a reference."""
    for (kind, _), name in found.system.items():
        yield from _attached(was, found, kind, name, "system qos")
    for interface in found.interfaces.values():
        for kind, direction in ((QOS, "input"), (QUEUING, "input"), (QUEUING, "output")):
            name = interface.policy(kind, direction)
            if name:
                yield from _attached(was, found, kind, name, interface.name)
    for policy in found.policies.values():
        for each in policy.classes:
            if each.name == CLASS_DEFAULT or (policy.kind, each.name) in found.class_maps:
                continue
            if (policy.kind, each.name) in was.class_maps:
                yield LineError("class-in-use", name=each.name, user=policy.name)
            elif policy.kind != "control-plane":
                yield LineError("class-undefined")


def _attached(
    was: Configuration, found: Configuration, kind: str, name: str, user: str
) -> Iterator[LineError]:
    if (kind, name) in found.policies:
        return
    if (kind, name) in was.policies:
        yield LineError("policy-in-use", name=name, user=user)
    else:
        yield LineError("policy-undefined", name=name, kind=kind)


def _of(found: Configuration, kind: str) -> Iterator[Policy]:
    yield from (policy for policy in found.policies.values() if policy.kind == kind)


def _check_bandwidth(found: Configuration) -> Iterator[LineError]:
    sums = (
        ("bandwidth percent", "bandwidth-over-100"),
        ("bandwidth remaining percent", "remaining-over-100"),
    )
    for policy in _of(found, QUEUING):
        for words, name in sums:
            is_over = sum(each.number(words) or 0 for each in policy.classes) > WHOLE
            if is_over and any(users(found, QUEUING, policy.name)):
                yield LineError(name, name=policy.name)


def _check_queues(found: Configuration) -> Iterator[LineError]:
    for policy in _of(found, QUEUING):
        for each in policy.classes:
            if each.is_strict and each.words("bandwidth"):
                yield LineError("priority-with-bandwidth", name=each.name)
            wred = each.wred
            if wred is not None and wred.low_bytes > wred.high_bytes:
                yield LineError("threshold-order", name=each.name)


def _check_pause(found: Configuration) -> Iterator[LineError]:
    for policy in _of(found, QUEUING):
        shared = any(each.is_strict or each.words("bandwidth") for each in policy.classes)
        for each in policy.classes:
            pause = each.pause
            if pause is None:
                continue
            if shared:
                yield LineError("pause-with-bandwidth", name=policy.name)
            if not pause.resume_bytes <= pause.pause_bytes < pause.buffer_bytes:
                yield LineError("pause-threshold-order", name=each.name)


def _check_direction(found: Configuration) -> Iterator[LineError]:
    paused = {p.name for p in _of(found, QUEUING) if any(each.pause for each in p.classes)}
    attached = {i.policy(QUEUING, "output") for i in found.interfaces.values()}
    for name in sorted(paused & (attached | {found.system.get((QUEUING, "output"), "")})):
        yield LineError("pause-buffer-output", name=name)


def _check_no_drop(found: Configuration) -> Iterator[LineError]:
    for policy in _of(found, NETWORK):
        held = [each.pfc for each in policy.classes if each.pfc is not None]
        if len(held) > MOST_NO_DROP:
            yield LineError("no-drop-limit", name=policy.name, limit=MOST_NO_DROP)
        seen: set[int] = set()
        for coses in held:
            for cos in sorted(coses & seen):
                yield LineError("pfc-cos-twice", name=policy.name, cos=cos)
            seen |= coses


def _check_matches(found: Configuration) -> Iterator[LineError]:
    for each in found.class_maps.values():
        kinds = {row[0] for row in each.matches}
        if not each.is_any and "access-group" in kinds and kinds - {"access-group", "packet"}:
            yield LineError("acl-with-others", name=each.name)


def _check_mtu(found: Configuration) -> Iterator[LineError]:
    allowed = (DEFAULT_MTU, found.jumbo_mtu)
    for each in found.interfaces.values():
        if each.name.startswith("Ethernet") and not each.is_routed and each.mtu not in allowed:
            yield LineError("mtu-layer2", name=each.name)


def _check_lldp(found: Configuration) -> Iterator[LineError]:
    if found.tlvs and "lldp" not in found.features:
        yield LineError("lldp-off", 0)


CHECKS: tuple[Callable[[Configuration], Iterator[LineError]], ...] = (
    _check_bandwidth,
    _check_queues,
    _check_pause,
    _check_direction,
    _check_no_drop,
    _check_matches,
    _check_mtu,
    _check_lldp,
)
