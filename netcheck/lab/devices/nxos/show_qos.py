"""``show policy-map``, ``show class-map``: what is configured and what is attached."""

from __future__ import annotations

from collections.abc import Iterator

from netcheck.lab.devices.nxos.checks import NETWORK, QOS, QUEUING
from netcheck.lab.devices.nxos.console import Shown
from netcheck.lab.devices.nxos.objects import CLASS_DEFAULT, Policy, PolicyClass
from netcheck.lab.devices.nxos.patterns import LineError, Match, compact
from netcheck.lab.devices.nxos.show_interfaces import ports_of
from netcheck.lab.devices.nxos.state import NxosSwitch

KINDS = (QOS, QUEUING, NETWORK)


def policy_maps(switch: NxosSwitch, match: Match) -> Shown:
    """``show policy-map [type TYPE] [NAME]``."""
    kinds = [match.words[3]] if "type" in match.words else list(KINDS)
    used = 4 if "type" in match.words else 2
    names = match.words[used:]
    text = []
    for kind in kinds:
        found = [
            policy
            for (held, name), policy in switch.found.policies.items()
            if held == kind and (not names or name == names[0])
        ]
        if found:
            text.append(_headed(kind))
            text += [line for policy in found for line in _configured(switch, policy)]
    if names and not text:
        raise LineError("policy-undefined", name=names[0], kind=" or ".join(kinds))
    return Shown("".join(text))


def _headed(kind: str) -> str:
    line = "=" * (len(kind) + 22)
    return f"\n\n  Type {kind} policy-maps\n  {line}\n\n"


def _configured(switch: NxosSwitch, policy: Policy) -> Iterator[str]:
    yield f"  policy-map type {policy.kind} {policy.name}\n"
    for each in policy.classes:
        typed = f"type {policy.kind} " if policy.kind != QOS else ""
        yield f"    class {typed} {each.name}\n" if not typed else f"    class {typed}{each.name}\n"
        if policy.kind == NETWORK:
            groups = compact(switch.found.groups(NETWORK, each.name))
            yield f"      match qos-group {groups}\n\n"
        yield from (f"      {line}\n" for line in each.actions)


def class_maps(switch: NxosSwitch, match: Match) -> Shown:
    """``show class-map [type TYPE] [NAME]``."""
    kinds = [match.words[3]] if "type" in match.words else list(KINDS)
    names = match.words[4 if "type" in match.words else 2 :]
    text = []
    for kind in kinds:
        line = "=" * (len(kind) + 16)
        text.append(f"\n\n  Type {kind} class-maps\n  {line}\n\n")
        for (held, name), found in switch.found.class_maps.items():
            if held == kind and (not names or name == names[0]) and name != CLASS_DEFAULT:
                matching = "match-any" if found.is_any else "match-all"
                text.append(f"    class-map type {kind} {matching} {name}\n")
                text += [f"      match {' '.join(row)}\n" for row in found.matches]
                text.append("\n")
    return Shown("".join(text))


def system(switch: NxosSwitch, match: Match) -> Shown:
    """``show policy-map system [type TYPE]``."""
    kinds = [match.words[4]] if "type" in match.words else list(KINDS)
    text = []
    if NETWORK in kinds and switch.found.network is not None:
        text.append(_headed(NETWORK))
        text += _configured(switch, switch.found.network)
    for kind, direction in ((QOS, "input"), (QUEUING, "input"), (QUEUING, "output")):
        name = switch.found.system.get((kind, direction), "")
        policy = switch.found.policies.get((kind, name))
        if kind in kinds and policy is not None:
            text += _attached(switch, policy, direction, "")
    return Shown("".join(text) + "\n")


def interface(switch: NxosSwitch, match: Match) -> Shown:
    """``show policy-map interface [PORT] [input|output] [type TYPE]``."""
    kinds = [match.words[-1]] if "type" in match.words else [QOS, QUEUING]
    text = ["\n\nGlobal statistics status :   enabled\n"]
    for port in ports_of(switch, match):
        text.append(f"\n{port}\n")
        for kind, direction in ((QOS, "input"), (QUEUING, "input"), (QUEUING, "output")):
            policy = switch.found.policy_of(switch.found.interfaces[port], kind, direction)
            if kind in kinds and policy is not None:
                text += _attached(switch, policy, direction, port)
    return Shown("".join(text))


def _attached(switch: NxosSwitch, policy: Policy, direction: str, port: str) -> Iterator[str]:
    yield f"\n  Service-policy ({policy.kind}) {direction}:   {policy.name} \n"
    for each in policy.classes:
        class_map = switch.found.class_maps.get((policy.kind, each.name))
        matching = "match-any" if class_map is None or class_map.is_any else "match-all"
        yield f"\n    Class-map ({policy.kind}):   {each.name} ({matching})\n"
        if policy.kind == QOS and class_map is not None:
            yield from (f"      Match: {' '.join(row)}\n" for row in class_map.matches)
        yield from (f"      {line}\n" for line in each.actions)
        if policy.kind == QUEUING and direction == "output" and port:
            yield from _dropped(switch, policy, each, port)


def _dropped(switch: NxosSwitch, policy: Policy, each: PolicyClass, port: str) -> Iterator[str]:
    groups = switch.found.groups(policy.kind, each.name)
    counts = switch.tallies.counts
    drops = sum(counts[port, "queue_drops", group] for group in groups)
    yield f"      queue dropped pkts : {drops} \n      queue depth in bytes : 0 \n"
