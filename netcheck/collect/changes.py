"""What changed between two observations of a fabric, by meaning."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from netcheck.compare.compare import compare
from netcheck.model.fabric import Fabric
from netcheck.model.finding import Finding, Place, Severity, Stage, Verdict

RULE = "changed"


def changes(before: Fabric, after: Fabric) -> list[Finding]:
    """Every fact that both observations know and that differs; counters are left out."""
    common = set(before.devices) & set(after.devices)
    found = [_came_or_went(name, "gone") for name in before.devices if name not in common]
    found += (_came_or_went(name, "new") for name in after.devices if name not in common)
    old, new = _only(before, common), _only(after, common)
    forward = list(_differences(old, new))
    known = {_subject(finding) for finding in forward}
    found += (_change(f, f.expected, f.found) for f in forward)
    backward = (f for f in _differences(new, old) if _subject(f) not in known)
    found += (_change(f, f.found, f.expected) for f in backward)
    return found


def _only(fabric: Fabric, names: Iterable[str]) -> Fabric:
    wanted = frozenset(names)
    devices = {name: device for name, device in fabric.devices.items() if name in wanted}
    return replace(fabric, devices=type(fabric.devices)(devices))


def _differences(one: Fabric, other: Fabric) -> Iterator[Finding]:
    return (each for each in compare(one, other) if each.verdict is Verdict.FAIL)


def _subject(finding: Finding) -> tuple[object, str]:
    return finding.where, finding.message.partition(" expected ")[0]


def _change(finding: Finding, old: str, new: str) -> Finding:
    subject = finding.message.partition(" expected ")[0]
    return Finding(
        RULE,
        Severity.INFO,
        Verdict.FAIL,
        finding.where,
        f"{subject}: was {old}, is {new}",
        expected=old,
        found=new,
        evidence=finding.evidence,
        stage=Stage.VERIFY,
        facts=finding.facts,
    )


def _came_or_went(name: str, word: str) -> Finding:
    return Finding(
        RULE,
        Severity.INFO,
        Verdict.FAIL,
        (Place(name),),
        f"device is {word}",
        stage=Stage.VERIFY,
    )
