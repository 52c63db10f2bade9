"""Secrets in texts of a configuration: a placeholder stands for each until it is on its device.

What is rendered, planned, compared, stored and shown holds ``secret:env:NAME``.
The value is put in when a file goes to its device, and taken out again from what
is read back. Which keys of a platform are secret is data (``secrets`` of its
``capabilities.yaml``); their values are numbers of 64 bits.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import cache
from typing import Final
from urllib.parse import quote, unquote

from netcheck.model.errors import InputError
from netcheck.model.hidden import HIDDEN
from netcheck.platforms.declared import declared

ANOTHER: Final = "secret:another"
_PLACED: Final = re.compile(r"\bsecret:((?:env|file|vault|command):\S+)")
_REFERENCE: Final = re.compile(r"(?:env|file|vault|command):.+")
_LARGEST: Final = 0xFFFFFFFFFFFFFFFF


def placeholder(reference: str) -> str:
    """Give what stands in a text in the place of a secret; no blank is in it.

    Example:
        >>> placeholder("env:M_KEY"), placeholder("command:pass show m_key")
        ('secret:env:M_KEY', 'secret:command:pass%20show%20m_key')
    """
    return f"secret:{quote(reference, safe=':/._-')}"


def is_reference(text: str) -> bool:
    """Whether a text names where a secret is found, and is none itself."""
    return _REFERENCE.fullmatch(text) is not None


def is_placeholder(text: str) -> bool:
    """Whether a value is no value: a placeholder, or a secret that was taken out."""
    return text in {HIDDEN, ANOTHER} or _PLACED.fullmatch(text) is not None


def references(text: str) -> tuple[str, ...]:
    """Give the references whose placeholders stand in a text, each once, in their order."""
    return tuple(dict.fromkeys(map(unquote, _PLACED.findall(text))))


def filled(text: str, secret: Callable[[str], str]) -> str:
    """Give a text with the secrets in place of their placeholders.

    Args:
        secret: Gives what is behind a reference.

    Raises:
        InputError: What is behind one is no number of 64 bits; the message does not hold it.
    """
    return _PLACED.sub(lambda found: _written(unquote(found[1]), secret), text)


def without_secrets(text: str, filled_line: str, line: str) -> str:
    """Give a text without the values that were filled into a line, as a device may repeat them.

    Example:
        >>> without_secrets("% 0x12 is bad", "ib sm m-key 0x12", "ib sm m-key secret:env:K")
        '% *** is bad'
    """
    for value in set(filled_line.split()) - set(line.split()):
        text = text.replace(value, HIDDEN)
    return text


def _written(reference: str, secret: Callable[[str], str]) -> str:
    value = _number(secret(reference))
    if value is None:
        raise InputError(
            f"secret {reference}: expected a number of 64 bits such as 0x0123456789abcdef,"
            " found something else"
        )
    return f"{value:#018x}"


def secret_keys(platform: str) -> tuple[str, ...]:
    """Give the keys of a platform's configuration whose values are secret."""
    return tuple(declared(platform).get("secrets", ()))


def hidden(
    text: str, platform: str, *, rendered: str = "", secret: Callable[[str], str] | None = None
) -> str:
    """Give a text of a device without its secrets.

    A value that is the one which ``rendered`` puts there becomes that placeholder, any other
    ``secret:another``; without ``secret`` to compare with it becomes ``***``.
    """
    keys = secret_keys(platform)
    if not keys:
        return text
    wanted = _placed_by_key(rendered, keys)

    def taken_out(line: re.Match[str]) -> str:
        if is_placeholder(line[3]):
            return line[0]
        reference = wanted.get(line[2])
        if secret is None:
            return line[1] + HIDDEN
        if reference is None:
            return line[1] + ANOTHER
        held = _number(line[3])
        is_same = held is not None and held == _number(secret(reference))
        return line[1] + (placeholder(reference) if is_same else ANOTHER)

    return _lines(keys).sub(taken_out, text)


def _placed_by_key(text: str, keys: tuple[str, ...]) -> Mapping[str, str]:
    return {
        found[2]: references(found[3])[0]
        for found in _lines(keys).finditer(text)
        if references(found[3])
    }


@cache
def _lines(keys: tuple[str, ...]) -> re.Pattern[str]:
    """Lines with a secret: what stands before it, its key, itself."""
    return re.compile(rf"^([ \t]*(?:[\w-]+[ \t]+)*?({'|'.join(keys)})[ \t]+)(\S+)", re.MULTILINE)


def _number(text: str) -> int | None:
    try:
        value = int(text.strip(), 0)
    except ValueError:
        return None
    return value if 0 <= value <= _LARGEST else None
