"""Devices and findings by globs of device names (``--limit``)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from fnmatch import fnmatchcase
from typing import Final

from netcheck.model.errors import InputError
from netcheck.model.fabric import Fabric
from netcheck.model.finding import Finding

SHOWN: Final = 8


def matches(name: str, limit: Iterable[str]) -> bool:
    """Whether a device's name is among the globs; no globs take all.

    Example:
        >>> matches("leaf01", ["leaf*"]), matches("leaf01", ["gpu*"]), matches("leaf01", [])
        (True, False, True)
    """
    globs = tuple(limit)
    return not globs or any(fnmatchcase(name, glob) for glob in globs)


def matching(names: Iterable[str], limit: Iterable[str]) -> list[str]:
    """Give the names that are among the globs, in their order; no globs take all.

    Raises:
        InputError: A glob takes none: what was meant would be left out without a word.
    """
    globs, every = tuple(limit), list(names)
    idle = [glob for glob in globs if not any(fnmatchcase(name, glob) for name in every)]
    if idle:
        there = ", ".join(every[:SHOWN]) + ", ..." * (len(every) > SHOWN)
        raise InputError(f"--limit {', '.join(idle)}: no such device; there are: {there or 'none'}")
    return [name for name in every if matches(name, globs)]


def chosen(fabric: Fabric, limit: Iterable[str] = ()) -> list[str]:
    """Names of the devices of the globs that netcheck logs in to, in order of the fabric.

    Raises:
        InputError: As ``matching``.
    """
    from netcheck.model.cables import is_reached  # noqa: PLC0415 -- an intent is judged without it

    return [name for name in matching(fabric.devices, limit) if is_reached(fabric.devices[name])]


def limited(findings: Iterable[Finding], limit: Iterable[str]) -> list[Finding]:
    """Findings that touch a device of the globs; places on other devices go."""
    globs = tuple(limit)
    if not globs:
        return list(findings)
    kept: list[Finding] = []
    for finding in findings:
        where = tuple(place for place in finding.where if matches(place.device, globs))
        if where or not finding.where:
            kept.append(replace(finding, where=where))
    return kept
