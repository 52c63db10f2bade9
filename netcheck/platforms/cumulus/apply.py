"""How a change gets onto a switch: unset what goes, patch what comes, apply as one revision.

NVUE collects changes in a pending revision, checks it as a whole and applies it in
one go; every revision that was applied can be applied again.
Source: CumulusNetworks/docs nvue-reference Config-Commands.md.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final

import yaml

from netcheck.model.device import Device
from netcheck.model.document import Document, DocumentKind
from netcheck.model.errors import InputError
from netcheck.model.known import is_known
from netcheck.platforms.cumulus.applied.impact import disturbance
from netcheck.platforms.cumulus.applied.merge import Edits, Path, as_tree, edits, in_words
from netcheck.platforms.cumulus.parsed.settings import Settings
from netcheck.platforms.cumulus.parsed.texts import read_yaml
from netcheck.platforms.cumulus.quirks import Words, words_of
from netcheck.platforms.cumulus.render import FILE, yaml_text
from netcheck.platforms.platform import Change, Command, Removal, Run, Step, Upload

CONFIG: Final = "nvue.yaml"
REVISIONS: Final = "revisions.txt"
PENDING: Final = "pending.yaml"
PATCH: Final = "/var/tmp/netcheck-patch.yaml"  # noqa: S108 -- a path on the switch, written by root
APPLY_S: Final = 300.0
PERSIST: Final = (Run("nv config save"),)
_REVISION: Final = re.compile(r"^(?P<id>\w+)\s+(?P<state>applied\w*)\b", re.MULTILINE)
_OBJECT_WORDS: Final = {"qos": 3, "interface": 4}


def holdings(device: Device) -> tuple[Command, ...]:  # noqa: ARG001 -- the same for every switch
    """Give the commands whose outputs ``plan`` has to see."""
    return (
        Command("nv config show", CONFIG, DocumentKind.CONFIG),
        Command("nv config revision", REVISIONS, DocumentKind.STATE, may_fail=True),
        Command("nv config diff", PENDING, DocumentKind.STATE, may_fail=True),
    )


def plan(device: Device, rendered: Mapping[str, str], held: Mapping[str, str]) -> Change:
    """Give the change from what the switch holds to what is rendered.

    Raises:
        InputError: The held configuration is missing or damaged, or somebody's
            changes are pending, which would be applied together with ours.
    """
    now, words = _held(device, held)
    if re.search(r"^- (?:set|unset):\s*\n", held.get(PENDING, ""), re.MULTILINE):
        raise InputError(
            f"{device.name} nv config diff: expected nothing pending, found changes;"
            " apply them, or drop them with nv config detach"
        )
    switch = next(iter(device.qos.values()), None)
    are_pools_said = switch is not None and is_known(switch.pools)
    wanted = in_words(_wanted(device, rendered), words)
    found = edits(now, wanted, are_pools_said=are_pools_said)
    return Change() if found.is_empty else _change(found, held.get(REVISIONS, ""))


def _held(device: Device, held: Mapping[str, str]) -> tuple[Settings, Words]:
    """What the switch holds, and the words of the release that it runs."""
    if CONFIG not in held:
        raise InputError(f"{device.name} {CONFIG}: is not there")
    told = read_yaml(Document(CONFIG, held[CONFIG], command="nv config show"))
    if told.defects:
        raise InputError(f"{device.name} nv config show: {told.defects[0].message}")
    version = told.header.at("version")
    release = device.os_version if version is None else version.text()
    return Settings(told.root, is_whole=True), words_of(release)


def _wanted(
    device: Device, rendered: Mapping[str, str]
) -> Mapping[str, Any]:  # Any: nested objects
    if FILE not in rendered:
        raise InputError(f"{device.name} rendered {FILE}: is not there")
    data: Any = yaml.load(rendered[FILE], Loader=yaml.BaseLoader)  # noqa: S506 -- BaseLoader makes texts only; the file is our own
    wanted: Mapping[str, Any] = data[0]["set"]
    return wanted


def _change(found: Edits, revisions: str) -> Change:
    effect = disturbance([*found.sets, *found.unsets])
    return Change(
        objects=_changed_objects(found),
        removals=tuple(Removal(" ".join(path)) for path in found.unsets),
        steps=(*_steps(found), Run("nv config diff"), Run("nv config apply -y", APPLY_S)),
        undo=_undo(revisions),
        persist=PERSIST,
        impact=effect.impact,
        reason=effect.reason,
        source=effect.source,
    )


def _steps(found: Edits) -> list[Step]:
    steps: list[Step] = [Run(f"nv unset {' '.join(path)}") for path in found.unsets]
    if found.sets:
        steps.append(Upload(PATCH, yaml_text(as_tree(found.sets))))
        steps.append(Run(f"nv config patch {PATCH}"))
    return steps


def _undo(revisions: str) -> tuple[Step, ...]:
    """Apply again what is applied now; what was saved last where no revisions are shown."""
    applied = [match["id"] for match in _REVISION.finditer(revisions)]
    revision = applied[-1] if applied else "startup"
    return (
        Run("nv config detach"),
        Run(f"nv config apply {revision} -y", APPLY_S),
        *PERSIST,
    )


def _changed_objects(found: Edits) -> tuple[tuple[str, str, str], ...]:
    old: dict[str, list[str]] = {}
    new: dict[str, list[str]] = {}
    for path, (before, after) in found.sets.items():
        name, leaf = _split(path)
        old.setdefault(name, []).extend([f"{leaf} {before}".strip()] if before else [])
        new.setdefault(name, []).append(f"{leaf} {after}".strip())
    for path, before in found.unsets.items():
        name, leaf = _split(path)
        old.setdefault(name, []).append(f"{leaf} {before}".strip())
        new.setdefault(name, [])
    return tuple((name, "\n".join(old[name]), "\n".join(new[name])) for name in old)


def _split(path: Path) -> tuple[str, str]:
    words = _OBJECT_WORDS[path[0]]
    return " ".join(path[:words]), " ".join(path[words:])
