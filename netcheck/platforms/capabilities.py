"""What a platform can do, as data: the typed reading of ``capabilities.yaml``.

Shape of the file::

    title: Community SONiC
    netmiko: linux                  # Netmiko device type
    versions: ["202205", "202411"]  # releases the syntax was checked against
    session:                        # only where the login is no POSIX shell
      kind: cli                     # a command line with modes and a prompt
      setup: [terminal length 0]    # typed after the login
      refused: ["^% "]              # regexes: output lines that mean "refused"
      prompt: '[#>] ?'              # regex: what follows the device's name in its prompt
      answers: {"sure: ?$": "yes"}  # regex of a question -> what is answered
    variants:                       # or drivers: of one platform
      community: {status: supported, note: config_db.json}
    owned:                          # what netcheck owns on the device
      DSCP_TO_TC_MAP: {}            # the whole table, file or section
      PORT: {fields: [mtu]}         # only these fields
      BUFFER_PROFILE: {keys: ["pg_lossless_*_profile"]}   # only these objects
    limits:                         # what cannot be expressed, by name
      scheduler-weight: {minimum: 1, maximum: 100, reason: ..., source: ...}
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from fnmatch import fnmatchcase
from functools import cache
from typing import Any

import yaml

from netcheck.lossless.packaged import load_yaml
from netcheck.model.errors import InputError
from netcheck.model.frozen import frozen
from netcheck.model.frozenmap import FrozenMap
from netcheck.platforms.declared import declared
from netcheck.platforms.platform import Refusal

Scalar = int | float | str
SESSION_KINDS = ("shell", "cli")


@frozen
class Limit:
    """One thing that a platform cannot express.

    Attributes:
        reason: Why, in one line, with the unit.
        source: Public document, schema or source file that says so.
        minimum, maximum: Bounds, both included, where it is a range.
        allowed: Values, where it is a choice.
    """

    name: str
    reason: str
    source: str
    minimum: float | None = None
    maximum: float | None = None
    allowed: tuple[Scalar, ...] = ()

    def permits(self, value: Scalar) -> bool:
        """Tell whether a value is inside the bounds and among the choices."""
        if self.allowed and value not in self.allowed:
            return False
        if isinstance(value, str):
            return True
        low = self.minimum is None or value >= self.minimum
        return low and (self.maximum is None or value <= self.maximum)

    def refusal(self, place: str, found: object) -> Refusal:
        """Say that this limit is hit at ``place`` by what was found there."""
        return Refusal(self.name, place, f"{self.reason}; found {found}")


@frozen
class Variant:
    """A variant or driver: ``status`` is supported, read or planned."""

    name: str
    status: str
    note: str = ""
    versions: tuple[str, ...] = ()


@frozen
class Owned:
    """One table, section or file that netcheck owns, wholly or in part.

    Attributes:
        keys: Globs of the objects that are owned; empty is all of them.
        fields: Fields that are owned in those objects; empty is all of them.
    """

    name: str
    keys: tuple[str, ...] = ()
    fields: tuple[str, ...] = ()

    def holds(self, key: str, field: str | None = None) -> bool:
        """Tell whether an object (and, if given, a field of it) is owned."""
        is_key = not self.keys or any(fnmatchcase(key, pattern) for pattern in self.keys)
        return is_key and (field is None or not self.fields or field in self.fields)


@frozen
class SessionFacts:
    """How a login speaks: ``shell`` (POSIX, with exit statuses) or ``cli`` (modes, no statuses).

    Attributes:
        setup: Lines typed after the login, such as those that end paging.
        refused: Regexes; an output line that one of them matches means status 1.
        prompt: Regex of what follows the device's name in its prompt; empty for ``(mode)#``.
        answers: ``(regex, answer)``: questions that a line which is typed on purpose meets.
    """

    kind: str = "shell"
    setup: tuple[str, ...] = ()
    refused: tuple[str, ...] = ()
    prompt: str = ""
    answers: tuple[tuple[str, str], ...] = ()


SHELL = SessionFacts()


@frozen
class Capabilities:
    """Everything that ``capabilities.yaml`` of one platform states."""

    platform: str
    title: str
    netmiko: str
    versions: tuple[str, ...]
    variants: FrozenMap[str, Variant]
    drivers: FrozenMap[str, Variant]
    owned: FrozenMap[str, Owned]
    limits: FrozenMap[str, Limit]
    session: SessionFacts = SHELL

    def limit(self, name: str) -> Limit:
        """Give the limit of that name.

        Raises:
            InputError: ``capabilities.yaml`` states no such limit.
        """
        if name not in self.limits:
            raise InputError(f"platform {self.platform}: limit {name} is not declared")
        return self.limits[name]


@cache
def capabilities(platform: str) -> Capabilities:
    """Give what the platform of that name declares.

    Raises:
        InputError: There is no such file, or it does not have the shape above.
    """
    return _stated(platform, lambda: declared(platform))


def read_capabilities(platform: str, text: str) -> Capabilities:
    """Give the typed form of the text of one ``capabilities.yaml``.

    Raises:
        InputError: The text is not YAML of the shape above; the message names the entry.
    """
    return _stated(platform, lambda: load_yaml(text))


def _stated(platform: str, read: Callable[[], object]) -> Capabilities:
    place = f"platform {platform} capabilities.yaml"
    try:
        top = _mapping(read(), "top level")
        return Capabilities(
            platform=platform,
            title=str(top["title"]),
            netmiko=str(top["netmiko"]),
            versions=_texts(top.get("versions", [])),
            variants=_variants(top, "variants"),
            drivers=_variants(top, "drivers"),
            owned=FrozenMap({name: _owned(name, entry) for name, entry in _part(top, "owned")}),
            limits=FrozenMap({name: _limit(name, entry) for name, entry in _part(top, "limits")}),
            session=_session(_mapping(top.get("session", {}), "session")),
        )
    except KeyError as error:
        raise InputError(f"{place}: lacks {error.args[0]}") from error
    except (yaml.YAMLError, TypeError, re.error) as error:
        raise InputError(f"{place}: {error}") from error


# The values of a YAML file can be anything until the functions below have looked at them.
def _mapping(entry: Any, name: str) -> Mapping[str, Any]:
    if not isinstance(entry, Mapping):
        raise TypeError(f"{name}: expected a mapping, found {type(entry).__name__}")
    return entry


def _part(top: Mapping[str, Any], name: str) -> list[tuple[str, Mapping[str, Any]]]:
    part = _mapping(top.get(name, {}), name)
    return [(str(key), _mapping(entry, f"{name}.{key}")) for key, entry in part.items()]


def _texts(entry: Any) -> tuple[str, ...]:
    if not isinstance(entry, list):
        raise TypeError(f"expected a list, found {entry!r}")
    return tuple(str(item) for item in entry)


def _variants(top: Mapping[str, Any], name: str) -> FrozenMap[str, Variant]:
    return FrozenMap(
        {
            key: Variant(
                name=key,
                status=str(entry["status"]),
                note=str(entry.get("note", "")),
                versions=_texts(entry.get("versions", [])),
            )
            for key, entry in _part(top, name)
        }
    )


def _owned(name: str, entry: Mapping[str, Any]) -> Owned:
    return Owned(name, keys=_texts(entry.get("keys", [])), fields=_texts(entry.get("fields", [])))


def _session(entry: Mapping[str, Any]) -> SessionFacts:
    kind = str(entry.get("kind", "shell"))
    if kind not in SESSION_KINDS:
        raise TypeError(f"session.kind: expected one of {', '.join(SESSION_KINDS)}, found {kind}")
    refused = _texts(entry.get("refused", []))
    prompt = str(entry.get("prompt", ""))
    said = _mapping(entry.get("answers", {}), "session.answers")
    answers = tuple((str(question), str(answer)) for question, answer in said.items())
    for pattern in (*refused, prompt, *(question for question, _ in answers)):
        re.compile(pattern)
    return SessionFacts(kind, _texts(entry.get("setup", [])), refused, prompt, answers)


def _limit(name: str, entry: Mapping[str, Any]) -> Limit:
    return Limit(
        name=name,
        reason=str(entry["reason"]),
        source=str(entry["source"]),
        minimum=entry.get("minimum"),
        maximum=entry.get("maximum"),
        allowed=tuple(entry.get("allowed", [])),
    )
