"""All rules, found by walking the folder; adding one edits nothing here."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Iterator
from functools import cache

import netcheck.rules
from netcheck.model.errors import InputError
from netcheck.rules.rule import Rule


def _rules_in_folders() -> Iterator[Rule]:
    for found in pkgutil.walk_packages(netcheck.rules.__path__, "netcheck.rules."):
        is_family = found.name.count(".") > netcheck.rules.__name__.count(".") + 1
        if is_family and not found.ispkg:
            module = importlib.import_module(found.name)
            yield from (each for each in vars(module).values() if isinstance(each, Rule))


@cache
def catalogue() -> tuple[Rule, ...]:
    """Give every rule, by slug."""
    return tuple(sorted(_rules_in_folders(), key=lambda each: each.slug))


@cache
def _by_name() -> dict[str, Rule]:
    named = {alias: each for each in catalogue() for alias in each.aliases}
    return named | {each.slug: each for each in catalogue()}


def find_rule(name: str) -> Rule:
    """Give the rule of that slug or earlier slug.

    Raises:
        InputError: There is none; the message names the nearest.
    """
    if name not in _by_name():
        from difflib import get_close_matches  # noqa: PLC0415 -- for a mistyped name only

        near = get_close_matches(name, _by_name(), n=1)
        hint = f"; did you mean {near[0]}" if near else ""
        raise InputError(f"rule {name}: unknown{hint}")
    return _by_name()[name]


def is_rule(name: str) -> bool:
    """Tell whether there is a rule of that slug or earlier slug."""
    return name in _by_name()
