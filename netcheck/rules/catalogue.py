"""All rules, found by walking the folder; adding one edits nothing here.

A family is a folder. One with a module ``concerns.py`` says there, by the
function ``concerns(fabric)``, which fabrics its rules have anything to say about;
for the others it is neither loaded nor counted.
"""

from __future__ import annotations

import importlib.util
import pkgutil
from collections.abc import Iterable
from functools import cache

import netcheck.rules
from netcheck.model.errors import InputError
from netcheck.model.fabric import Fabric
from netcheck.rules.rule import Rule


@cache
def _families() -> tuple[str, ...]:
    found = pkgutil.iter_modules(netcheck.rules.__path__, "netcheck.rules.")
    return tuple(each.name for each in found if each.ispkg)


_loaded: list[str] = []  # a name is looked for in these first; the others cost their import


@cache
def _rules_of(family: str) -> tuple[Rule, ...]:
    _loaded.append(family)
    folder = importlib.import_module(family).__path__
    names = [each.name for each in pkgutil.walk_packages(folder, f"{family}.") if not each.ispkg]
    modules = map(importlib.import_module, names)
    return tuple(
        each for module in modules for each in vars(module).values() if isinstance(each, Rule)
    )


def _concerns(family: str, fabrics: tuple[Fabric, ...]) -> bool:
    if importlib.util.find_spec(f"{family}.concerns") is None:
        return True
    concerns = importlib.import_module(f"{family}.concerns").concerns
    return any(concerns(fabric) for fabric in fabrics)


@cache
def catalogue() -> tuple[Rule, ...]:
    """Give every rule, by slug."""
    return _sorted(each for family in _families() for each in _rules_of(family))


def rules_for(*fabrics: Fabric) -> tuple[Rule, ...]:
    """Give the rules that have anything to say about one of the fabrics, by slug."""
    concerned = [family for family in _families() if _concerns(family, fabrics)]
    return _sorted(each for family in concerned for each in _rules_of(family))


def _sorted(rules: Iterable[Rule]) -> tuple[Rule, ...]:
    return tuple(sorted(rules, key=lambda each: each.slug))


@cache
def _by_name(family: str) -> dict[str, Rule]:
    rules = _rules_of(family)
    return {alias: each for each in rules for alias in each.aliases} | {
        each.slug: each for each in rules
    }


def _found(name: str) -> Rule | None:
    families = dict.fromkeys((*_loaded, *_families()))
    return next((rules[name] for one in families if name in (rules := _by_name(one))), None)


def find_rule(name: str) -> Rule:
    """Give the rule of that slug or earlier slug.

    Raises:
        InputError: There is none; the message names the nearest.
    """
    found = _found(name)
    if found is None:
        from difflib import get_close_matches  # noqa: PLC0415 -- for a mistyped name only

        names = [one for family in _families() for one in _by_name(family)]
        near = get_close_matches(name, names, n=1)
        hint = f"; did you mean {near[0]}" if near else ""
        raise InputError(f"rule {name}: unknown{hint}")
    return found


def is_rule(name: str) -> bool:
    """Tell whether there is a rule of that slug or earlier slug."""
    return _found(name) is not None
