"""Configuration mode: lines change the running configuration, one at a time."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from netcheck.lab.devices.nxos.checks import guard_predefined
from netcheck.lab.devices.nxos.grammar import BASE, KINDS, MODES, Rule
from netcheck.lab.devices.nxos.patterns import (
    LineError,
    Match,
    best,
    first_words,
    forms,
    furthest,
    match,
)
from netcheck.lab.devices.nxos.tree import Block

Path = tuple[str, ...]
IF_MODE = "config-if"
ANYTHING = frozenset(name for name, rules in MODES.items() if rules[0].pattern == "<rest>")
_RANGE = re.compile(r"(\d+(?:/\d+)*/)(\d+)(?:-(\d+))?")
_LOGICAL = re.compile(r"(?i)(vlan|loopback|port-channel|nve|mgmt)\s*(\d+)")
_LOGICAL_NAMES = {"vlan": "Vlan", "port-channel": "port-channel", "nve": "nve"}


@dataclass(frozen=True, slots=True)
class Mode:
    """A mode with the blocks it writes to (several after an interface range)."""

    name: str
    paths: tuple[Path, ...]


OUTERMOST = Mode(BASE, ((),))


@dataclass(frozen=True, slots=True)
class Entered:
    """What a line comes to: the configuration after it, and the modes then."""

    root: Block
    modes: tuple[Mode, ...]


def enter(line: str, root: Block, modes: Sequence[Mode]) -> Entered:
    """Take a line in the innermost mode that knows it.

    Raises:
        LineError: No mode knows it, or it is refused for its own sake.
    """
    words = tuple(line.split())
    errors: list[LineError] = []
    depths = list(range(len(modes), 0, -1))
    if modes[-1].name in ANYTHING:  # what the outside knows is not meant for such a block
        depths.reverse()
    for depth in depths:
        try:
            return _enter(words, root, tuple(modes[:depth]))
        except LineError as error:
            if not _is_syntax(error) or _knows(modes[depth - 1], words[0]):
                raise
            errors.append(error)
    raise furthest(iter(errors))


def _knows(mode: Mode, word: str) -> bool:
    """Lines of a mode begin with this word; what it does not take, no other mode takes."""
    return any(word in first_words(rule.pattern) for rule in MODES[mode.name])


def _is_syntax(error: LineError) -> bool:
    return error.name in ("invalid-command", "incomplete-command")


def _enter(words: tuple[str, ...], root: Block, modes: tuple[Mode, ...]) -> Entered:
    mode = modes[-1]
    if mode.name == BASE and "interface".startswith(words[0]) and len(words[0]) > 1:
        return _enter_interface(words, root, modes)
    if words[0] == "default" and len(words) > 1:
        words = ("no", *words[1:])
    if words[0] == "no" and len(words) > 1:
        return Entered(_without(words[1:], root, mode), modes)
    rule, found = _rule(words, mode)
    line = rule.line(found.words)
    if rule.identity is not None:
        guard_predefined(rule, line)
    changed = root.copy()
    keys = [_put(changed.at(path), rule, line) for path in mode.paths]
    if not rule.opens:
        return Entered(changed, modes)
    paths = tuple((*path, key) for path, key in zip(mode.paths, keys, strict=True))
    return Entered(changed, (*modes, Mode(rule.opens, paths)))


def _rule(words: tuple[str, ...], mode: Mode) -> tuple[Rule, Match]:
    """The rule that a line fits."""
    return best(words, ((rule.pattern, rule) for rule in MODES[mode.name]), KINDS)


def _put(block: Block, rule: Rule, line: str) -> str:
    """Hold a line in place of those with its key; give the line that stands there now."""
    key = rule.key(line)
    same = [held for held in block if rule.key(held) == key and not held.startswith("no ")]
    if rule.opens:
        if same:
            return same[0]
        block[line] = Block()
        return line
    for held in (*same, f"no {line}"):
        block.pop(held, None)
    if line not in (rule.default, "switchport"):
        block[line] = Block()
    return line


def _without(words: tuple[str, ...], root: Block, mode: Mode) -> Block:
    """The configuration without what ``words`` say."""
    rule, line = _negated(words, mode)
    if rule.identity is not None:
        guard_predefined(rule, line)
    changed = root.copy()
    for path in mode.paths:
        block = changed.at(path)
        gone = [held for held in block if _is_meant(rule, held, line)]
        for held in gone:
            del block[held]
        if not gone and mode.name == IF_MODE and not rule.slot and line != "shutdown":
            block[f"no {line}"] = Block()
    return changed


def _negated(words: tuple[str, ...], mode: Mode) -> tuple[Rule, str]:
    """The rule of a line after ``no``, whose value may be left out."""
    errors: list[LineError] = []
    for rule in MODES[mode.name]:
        for form in forms(rule.pattern):
            shortest = rule.slot or len(form)
            try:
                cut = " ".join(form[: max(shortest, min(len(words), len(form)))])
                return rule, rule.line(match(words, cut, KINDS).words) if cut else ""
            except LineError as error:
                errors.append(error)
            except ValueError:
                continue
    raise furthest(iter(errors))


def _is_meant(rule: Rule, held: str, line: str) -> bool:
    if rule.identity is not None:
        return rule.key(held) == rule.key(line)
    if not rule.slot:
        return held == line or held.startswith(line + " ")
    if rule.key(held) != rule.key(line):
        return False
    # a policy is named when it is taken off; other values may be anything
    return not line.startswith("service-policy") or held.split()[:6] == line.split()[:6]


def _enter_interface(words: tuple[str, ...], root: Block, modes: tuple[Mode, ...]) -> Entered:
    names = interface_names("".join(words[1:]), root)
    changed = root.copy()
    for name in names:
        changed.setdefault(f"interface {name}", Block())
    paths = tuple((f"interface {name}",) for name in names)
    return Entered(changed, (*modes[:1], Mode(IF_MODE, paths)))


def interface_names(text: str, root: Block) -> list[str]:
    """Full names of what ``eth1/1-4,ethernet1/7`` or ``vlan10`` says.

    Raises:
        LineError: There is no such port on the device.
    """
    if not text:
        raise LineError("incomplete-command", 1)
    logical = _LOGICAL.fullmatch(text)
    if logical:
        kind = logical[1].lower()
        return [f"{_LOGICAL_NAMES.get(kind, kind)}{logical[2]}"]
    found: list[str] = []
    for part in text.split(","):
        kind = re.match(r"[A-Za-z]*", part)
        letters = kind[0].lower() if kind else ""
        numbers = _RANGE.fullmatch(part[len(letters) :])
        if numbers is None or not "ethernet".startswith(letters) or (not letters and not found):
            raise LineError("no-such-interface", 1)
        last = int(numbers[3] or numbers[2])
        found += [f"Ethernet{numbers[1]}{port}" for port in range(int(numbers[2]), last + 1)]
    if not found or any(f"interface {name}" not in root for name in found):
        raise LineError("no-such-interface", 1)
    return found
