"""How a change gets onto a switch: typed line by line, undone by the commands that take it back.

MLNX-OS takes each command at once and has no candidate configuration; it survives a
reboot after ``configuration write``. Source: NVIDIA MLNX-OS user manual 3.11,
Configuration Management and SM Commands; Teradata/stacki stack/switch/m7800.py.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from netcheck.model.device import Device
from netcheck.model.document import DocumentKind
from netcheck.model.errors import InputError
from netcheck.platforms.onyx.applied.edits import (
    Settings,
    after,
    lines_between,
    read_settings,
    subject_of,
    with_shown,
)
from netcheck.platforms.onyx.parsed.forms import COMMANDS, FILES, Form, is_whole
from netcheck.platforms.onyx.render import FILE
from netcheck.platforms.onyx.words import Key, typed
from netcheck.platforms.platform import Change, Command, Impact, Removal, Run

LINE_S: Final = 60.0
ENTER, LEAVE = Run("configure terminal"), Run("exit")
PERSIST: Final = (ENTER, Run("configuration write", LINE_S), LEAVE)
SOURCE: Final = "NVIDIA MLNX-OS user manual 3.11, SM Commands and Partitions"


def holdings(device: Device) -> tuple[Command, ...]:  # noqa: ARG001 -- the same for every switch
    """Give the commands whose outputs ``plan`` has to see."""
    return tuple(
        Command(COMMANDS[form], FILES[form], DocumentKind.CONFIG)
        for form in (Form.CONFIG, Form.MANAGER, Form.PARTITIONS)
    )


def plan(device: Device, rendered: Mapping[str, str], held: Mapping[str, str]) -> Change:
    """Give the change from what the switch holds to what is rendered.

    Raises:
        InputError: A held text is missing or damaged, or the configuration is none of a
            whole switch, or it holds a key that could not be brought back.
    """
    if FILE not in rendered:
        return Change()  # it manages no subnet
    now = _now(device, held)
    then = after(now, read_settings(rendered[FILE]), device.name)
    lines = lines_between(now, then)
    if not lines:
        return Change()
    impact, reason = _disturbance(now, then)
    return Change(
        objects=tuple(_objects(now, then)),
        removals=tuple(Removal(name) for name in _removed(now, then)),
        steps=_typed(lines),
        undo=(*_typed(lines_between(then, now)), *PERSIST),
        persist=PERSIST,
        impact=impact,
        reason=reason,
        source=SOURCE,
    )


def _now(device: Device, held: Mapping[str, str]) -> Settings:
    config = _held(device, held.get(FILE))
    manager = _manager(device, held.get(FILES[Form.MANAGER]))
    try:
        return with_shown(read_settings(config), manager, held.get(FILES[Form.PARTITIONS], ""))
    except InputError as error:
        raise InputError(f"{device.name} {error}") from error


def _held(device: Device, text: str | None) -> str:
    if text is None:
        raise InputError(f"{device.name} {FILE}: is not there")
    if not is_whole(text):
        raise InputError(
            f"{device.name} {FILE}: expected a running configuration with its heading or hostname,"
            " found none"
        )
    return text


def _manager(device: Device, text: str | None) -> str:
    """Whether the manager runs, which decides whether the way back turns it off."""
    said = (text or "").strip()
    if said not in {"enable", "disable"}:
        found = "nothing" if not said else repr(said.splitlines()[0][:60])
        raise InputError(
            f"{device.name} {FILES[Form.MANAGER]}: expected enable or disable, found {found};"
            " whether the subnet manager runs is unknown"
        )
    return said


def _typed(lines: Iterable[str]) -> tuple[Run, ...]:
    return (ENTER, *(Run(line, LINE_S) for line in lines), LEAVE)


def _objects(now: Settings, then: Settings) -> Iterator[tuple[str, str, str]]:
    for key in dict.fromkeys((*now, *then)):
        old, new = _line(now, key), _line(then, key)
        if old != new:
            yield subject_of(key), old, new


def _line(settings: Settings, key: Key) -> str:
    return typed(key, settings[key]) if key in settings else ""


def _removed(now: Settings, then: Settings) -> list[str]:
    """What goes away; of a partition that goes as a whole, its name alone."""
    left = {key[1] for key in then if key[0] == "partition"}
    gone = (key for key in now if key not in then)
    names = (
        subject_of(key[:2] if key[0] == "partition" and key[1] not in left else key) for key in gone
    )
    return list(dict.fromkeys(names))


def _disturbance(now: Settings, then: Settings) -> tuple[Impact, str]:
    changed = [key for key in dict.fromkeys((*now, *then)) if now.get(key) != then.get(key)]
    options = [key[1] if len(key) > 1 else "sm" for key in changed if key[0] == "sm"]
    lost = list(dict.fromkeys(key[1] for key in changed if key in now and _is_membership(key)))
    reasons = []
    if lost:
        named = ", ".join(lost)
        reasons.append(f"{named}: ports lose a key or membership, and what runs on them with it")
    if set(options) - {"allow-both-pkeys"}:
        named = ", ".join(dict.fromkeys(options))
        reasons.insert(0, f"{named}: the subnet manager starts or sweeps anew with it")
        return Impact.DEVICE, "; ".join(reasons)
    if lost:
        return Impact.PORT, reasons[0]
    return (
        Impact.NONE,
        "the manager sets the ports' keys; they may get other indexes in the ports' tables",
    )


def _is_membership(key: Key) -> bool:
    """A change or removal of it takes something from ports that have it."""
    return key[0] == "partition" and key[2] in {"pkey", "member", "defmember", "ipoib"}
