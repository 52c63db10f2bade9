"""Splitting a command's arguments into options and operands."""

from __future__ import annotations

from collections.abc import Sequence


class UnknownOptionError(ValueError):
    """An option that the command does not have; ``option`` as typed."""

    def __init__(self, option: str, reason: str = "unrecognized option") -> None:
        self.option = option
        super().__init__(f"{reason} '{option}'")


def split_options(
    arguments: Sequence[str], *, flags: str = "", valued: str = "", long: Sequence[str] = ()
) -> tuple[dict[str, str], list[str]]:
    """Split arguments; long options in ``long`` take a value where they end in ``=``.

    Raises:
        UnknownOptionError: An option is in none of the three, or lacks its value.
    """
    options: dict[str, str] = {}
    operands: list[str] = []
    rest = list(arguments)
    while rest:
        word = rest.pop(0)
        if word == "--":
            return options, operands + rest
        if word.startswith("--"):
            _take_long(word, rest, options, long)
        elif word.startswith("-") and len(word) > 1:
            _take_short(word, rest, options, flags, valued)
        else:
            operands.append(word)
    return options, operands


def _take_long(word: str, rest: list[str], options: dict[str, str], long: Sequence[str]) -> None:
    name, equals, value = word[2:].partition("=")
    if f"{name}=" in long:
        if not equals:
            if not rest:
                raise UnknownOptionError(word, "option requires an argument")
            value = rest.pop(0)
        options[name] = value
    elif name in long and not equals:
        options[name] = ""
    else:
        raise UnknownOptionError(word)


def _take_short(
    word: str, rest: list[str], options: dict[str, str], flags: str, valued: str
) -> None:
    for place, letter in enumerate(word[1:], 1):
        if letter in valued:
            value = word[place + 1 :]
            if not value:
                if not rest:
                    raise UnknownOptionError(letter, "option requires an argument --")
                value = rest.pop(0)
            options[letter] = value
            return
        if letter not in flags:
            raise UnknownOptionError(letter, "invalid option --")
        options[letter] = ""
