"""From what a switch holds to what is rendered: the lines to type, in an order that it takes.

Maps that are in use are changed in place, class by class: what goes is taken
out first in all classes, so that shares never add up to more than they may.
Maps that nothing uses any more go last, when no port or system binds them.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from netcheck.platforms.nxos.applied.held import DEFAULTS, GLOBAL_DEFAULTS, Held
from netcheck.platforms.nxos.rendered.names import PREFIX

Key = tuple[str, str, str]
_KINDS = {"class": 0, "policy": 1}


@dataclass(slots=True)
class Edits:
    """Lines in the order in which they are typed, and what they change.

    Attributes:
        objects: ``(object, old text, new text)``.
        subjects: Kinds of objects that change, for the impact.
    """

    lines: list[str] = field(default_factory=list)
    objects: list[tuple[str, str, str]] = field(default_factory=list)
    removals: list[str] = field(default_factory=list)
    subjects: set[str] = field(default_factory=set)


def edits(now: Held, wanted: Held) -> Edits:
    """Give the lines that lead from one to the other; nothing where they agree."""
    found = Edits()
    for key in sorted(wanted.maps, key=lambda key: (_KINDS[key[0]], key)):
        _edit_map(key, now, wanted, found)
    _edit_globals(now, wanted, found)
    _edit_system(now, wanted, found)
    for name, subjects in wanted.ports.items():
        _edit_port(name, subjects, now, found)
    _remove_maps(now, wanted, found)
    return found


def _note(found: Edits, name: str, old: str, new: str, subject: str) -> None:
    found.objects.append((name, old, new))
    found.subjects.add(subject)


def _text(header: str, classes: dict[str, list[str]]) -> str:
    lines = [header]
    for name, actions in classes.items():
        lines += [f"  {name}"] if name else []
        lines += [f"    {action}" if name else f"  {action}" for action in actions]
    return "\n".join(lines)


def _edit_map(key: Key, now: Held, wanted: Held, found: Edits) -> None:
    header, classes = wanted.maps[key]
    old_header, old = now.maps.get(key, ("", {}))
    if _alike(old, classes) and old_header:
        return
    kind = f"{key[0]}-map {key[1]}"
    _note(
        found,
        f"{key[0]}-map type {key[1]} {key[2]}",
        _text(old_header, old) if old_header else "",
        _text(header, classes),
        kind,
    )
    found.lines.append(header)
    found.lines += _removals(old, classes)
    found.lines += _additions(old, classes)
    found.lines.append("exit")


def _alike(old: dict[str, list[str]], new: dict[str, list[str]]) -> bool:
    """Same classes with the same lines; their order does not matter, for they never overlap."""
    return {name: sorted(lines) for name, lines in old.items()} == {
        name: sorted(lines) for name, lines in new.items()
    }


def _removals(old: dict[str, list[str]], new: dict[str, list[str]]) -> Iterator[str]:
    for name, lines in old.items():
        if name and name not in new:
            yield f"no {name}"
            continue
        gone = [line for line in lines if line not in new.get(name, [])]
        if gone and name:
            yield name
            yield from (f"no {line}" for line in gone)
            yield "exit"
        elif gone and new.get(""):
            # the new match first: a class without any would take nothing for a moment
            yield from (line for line in new[""] if line not in lines)
            yield from (f"no {line}" for line in gone)


def _additions(old: dict[str, list[str]], new: dict[str, list[str]]) -> Iterator[str]:
    for name, lines in new.items():
        added = [line for line in lines if line not in old.get(name, [])]
        if not name:
            is_done = any(line not in lines for line in old.get("", []))
            yield from () if is_done else added
        elif added or name not in old:
            yield name
            yield from added
            yield "exit"


def _edit_globals(now: Held, wanted: Held, found: Edits) -> None:
    for subject, line in wanted.globals.items():
        old = now.globals.get(subject, GLOBAL_DEFAULTS.get(subject, ""))
        if old != line:
            _note(found, subject, old, line, subject)
            found.lines.append(line)


def _edit_system(now: Held, wanted: Held, found: Edits) -> None:
    changed = {
        subject: line for subject, line in wanted.system.items() if now.system.get(subject) != line
    }
    if not changed:
        return
    found.lines.append("system qos")
    for subject, line in changed.items():
        _note(found, f"system qos {subject}", now.system.get(subject, ""), line, subject)
        found.lines.append(line)
    found.lines.append("exit")


def _edit_port(name: str, subjects: dict[str, str], now: Held, found: Edits) -> None:
    held = now.ports.get(name, {})
    lines: list[str] = []
    for subject, old in held.items():
        # our own policy that the intent no longer has
        if subject not in subjects and old.split()[-1].startswith(PREFIX):
            lines.append(f"no {old}")
            _note(found, f"interface {name} {subject}", old, "", subject)
    for subject, line in subjects.items():
        old = held.get(subject, DEFAULTS.get(subject, ""))
        if old == line:
            continue
        is_policy = subject.startswith("service-policy") and old
        lines += [f"no {old}"] if is_policy else []
        lines.append(line)
        _note(found, f"interface {name} {subject}", old, line, subject)
    if lines:
        found.lines += [f"interface {name}", *lines, "exit"]


def _remove_maps(now: Held, wanted: Held, found: Edits) -> None:
    """Take out our own maps that nothing renders or binds any more, policies first."""
    stale = [
        key
        for key in now.maps
        if key[2].startswith(PREFIX) and key not in wanted.maps and not _is_bound(key, now, wanted)
    ]
    kept = {key[2] for key in now.maps if key not in stale and key[0] == "policy"}
    for key in sorted(stale, key=lambda key: (-_KINDS[key[0]], key)):
        if key[0] == "class" and any(key[2].startswith(f"{name}-") for name in kept):
            continue
        header, classes = now.maps[key]
        name = f"{key[0]}-map type {key[1]} {key[2]}"
        _note(found, name, _text(header, classes), "", f"{key[0]}-map {key[1]}")
        found.removals.append(name)
        found.lines.append(f"no {header}" if key[0] == "class" else f"no {name}")


def _is_bound(key: Key, now: Held, wanted: Held) -> bool:
    """Whether a port that is not of the intent still uses a policy."""
    bound = {
        line.split()[-1]
        for name, subjects in now.ports.items()
        if name not in wanted.ports
        for line in subjects.values()
    }
    return key[0] == "policy" and key[2] in bound
