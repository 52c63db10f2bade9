"""From what a switch is told of its subnet manager to what it is to be told, and back."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from netcheck.model.document import Document
from netcheck.model.errors import InputError
from netcheck.model.hidden import HIDDEN
from netcheck.model.known import is_known
from netcheck.model.subnet_manager import SmPartition
from netcheck.platforms.onyx.applied.moves import moves
from netcheck.platforms.onyx.parsed.forms import FILES, Form
from netcheck.platforms.onyx.parsed.outputs import read_partitions
from netcheck.platforms.onyx.words import (
    DEFAULT,
    OFF,
    ON,
    SM,
    Key,
    is_damaged,
    is_pkey,
    is_secret,
    port_guid,
    settings,
    typed,
    undone,
)
from netcheck.platforms.placeholders import ANOTHER

Settings = Mapping[Key, str]
_SHOWN = frozenset({"pkey", "ipoib", "member"})


def read_settings(text: str) -> dict[Key, str]:
    """Give what a configuration tells the subnet manager.

    Raises:
        InputError: A line sets something of ours, and nobody can tell to what.
    """
    lines = text.splitlines()
    found, unread = settings(lines)
    for number in unread:
        if is_damaged(lines[number - 1]):
            words = " ".join(lines[number - 1].split()[:3])
            raise InputError(f"{FILES[Form.CONFIG]}:{number}: {words}: its value cannot be read")
    return {key: value for key, (value, _) in found.items()}


def with_shown(said: Settings, manager: str, partitions: str) -> dict[Key, str]:
    """Give what a switch holds: its configuration, and what two outputs show in effect.

    Of what the outputs show the configuration may be silent, as of the partition Default.

    Args:
        said: What the configuration says.
        manager: Output of ``show ib sm``, "enable" or "disable".
        partitions: Output of ``show ib partition``.

    Raises:
        InputError: The partitions cannot be read as a whole, or the configuration says
            something of them that is not shown.
    """
    shown = _shown(partitions)
    for key, value in said.items():
        is_shown = key[0] == "partition" and key[2] in _SHOWN
        if is_shown and (key not in shown or value not in {"", shown[key]}):
            raise InputError(
                f"{FILES[Form.PARTITIONS]}: {subject_of(key)}: expected"
                f" {value or 'it'} as in the configuration, found {shown.get(key, 'none')}"
            )
    found = {key: value for key, value in said.items() if key[0] != "partition"}
    found[SM] = ON if manager == "enable" else OFF
    for name in _names(shown):
        own = {key: value for key, value in shown.items() if key[:2] == ("partition", name)}
        only_said = {
            key: value
            for key, value in said.items()
            if key[:2] == ("partition", name) and key[2] not in _SHOWN
        }
        members = {key: own.pop(key) for key in [*own] if key[2] == "member"}
        found |= own | only_said | members
    return found


def _shown(text: str) -> dict[Key, str]:
    """What ``show ib partition`` shows, whole."""
    name = FILES[Form.PARTITIONS]
    read = read_partitions(Document(name, text))
    for at in read.unread:
        raise InputError(f"{name}:{at.line}: cannot be read; what partitions there are is unknown")
    if not read.found:
        raise InputError(f"{name}: expected partitions, found none; which there are is unknown")
    found: dict[Key, str] = {}
    for one in read.found.values():
        if not is_known(one.pkey):
            raise InputError(f"{name}: partition {one.name}: expected its PKey, found none")
        found |= dict(_shown_first(one))
        members = ((_typed_name(each.name), each.membership) for each in one.members)
        found |= {("partition", one.name, "member", who): kind for who, kind in members}
    return found


def _shown_first(one: SmPartition) -> Iterator[tuple[Key, str]]:
    if is_known(one.pkey):
        yield ("partition", one.name, "pkey"), f"0x{one.pkey:04x}"
    if one.is_ipoib:
        yield ("partition", one.name, "ipoib"), ""


def _typed_name(member: str) -> str:
    return port_guid(int(member, 16)) if member.startswith("0x") else member


def after(now: Settings, wanted: Settings, device: str) -> dict[Key, str]:
    """Give what the switch will hold: what is wanted, and what is none of ours.

    The default partition is the switch's own until the intent says something of it, and
    so are keys that the intent does not say.

    Raises:
        InputError: A key that nobody here knows would be overwritten, and not come back.
    """
    for key, value in wanted.items():
        if is_secret(key) and now.get(key, value) != value:
            whose = (
                "masks a key that may not be" if now[key] == HIDDEN else "holds a key that is not"
            )
            raise InputError(
                f"{device} {key[1]}: the switch {whose} the intent's and could not"
                f" be brought back; take it away there first: {undone(key)}"
            )
    ours = {key[1] for key in wanted if key[0] == "partition"}
    kept = {key: value for key, value in now.items() if _stays(key, ours)}
    return kept | dict(wanted)


def _stays(key: Key, ours: set[str]) -> bool:
    if key == SM or is_secret(key):
        return True
    return key[0] == "partition" and key[1] == DEFAULT and DEFAULT not in ours


def lines_between(now: Settings, then: Settings) -> list[str]:
    """Give the commands from one state to another.

    Partitions go first, since another may get their key, and keys move before new
    partitions take them; what is set comes before what is taken away, so that a port does
    not lose one membership before it has the next.
    """
    return [
        *_gone_partitions(now, then),
        *_moved_keys(now, then),
        *_set(now, then),
        *_taken(now, then),
    ]


def _names(settings_: Settings) -> dict[str, None]:
    """Names of partitions, in order."""
    return {key[1]: None for key in settings_ if key[0] == "partition"}


def _gone_partitions(now: Settings, then: Settings) -> Iterator[str]:
    left = _names(then)
    yield from (undone(("partition", name)) for name in _names(now) if name not in left)


def _moved_keys(now: Settings, then: Settings) -> Iterator[str]:
    for name, pkey in moves(_pkeys(now), _pkeys(then)):
        yield typed(("partition", name, "pkey"), pkey)


def _pkeys(settings_: Settings) -> dict[str, str]:
    """Name to key of every partition."""
    return {key[1]: value for key, value in settings_.items() if is_pkey(key)}


def _set(now: Settings, then: Settings) -> Iterator[str]:
    for key, value in then.items():
        is_moved = is_pkey(key) and key in now
        if now.get(key) != value and value not in {ANOTHER, HIDDEN} and not is_moved:
            yield typed(key, value)


def _taken(now: Settings, then: Settings) -> Iterator[str]:
    left = _names(then)
    for key in now:
        if key in then or (key[0] == "partition" and (key[1] not in left or is_pkey(key))):
            continue
        yield typed(SM, OFF) if key == SM else undone(key)


def subject_of(key: Key) -> str:
    """What a change is about, in the switch's words."""
    return " ".join(("ib", *key))
