"""Texts of devices, damaged in the ways in which texts get damaged, and what must hold then."""

from __future__ import annotations

import importlib
import random
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from netcheck.model.counters import Counter, CounterKey
from netcheck.model.device import Device
from netcheck.model.document import Document
from netcheck.model.known import is_known
from netcheck.platforms.platform import load, platform_names

ROOT: Final = Path(__file__).resolve().parents[2]
SHARED: Final = ROOT.parent / "shared" / "captures"
CAPTURES: Final = {"linux": ("nic", "rdma")}
NOT_OUTPUTS: Final = ("SOURCES", "json_shapes", "json_schema", "rest_")
LONGEST: Final = 60_000
LEAST: Final = 40
ODD: Final = (
    "",
    "-1",
    "0",
    "18446744073709551616",
    "9" * 400,
    "NaN",
    "1e309",
    "\x00",
    "\udcff",
    "é",
)

Counters = Mapping[CounterKey, Counter]


@dataclass(frozen=True, slots=True)
class Seed:
    """One undamaged text and where it is from."""

    platform: str
    name: str
    text: str


@dataclass(frozen=True, slots=True)
class Mutant:
    """A damaged text; ``only_loses`` when nothing was added or changed."""

    how: str
    text: str
    only_loses: bool


def seeds(platform: str) -> list[Seed]:
    """Give own samples and golden files of a platform, and captures where they are at hand."""
    own = [
        *_constants(f"tests.platforms.{platform}.{platform}_texts"),
        *_files(ROOT / "tests" / "platforms" / platform / "golden"),
    ]
    folders = CAPTURES.get(platform, (platform,))
    captured = [each for folder in folders for each in _files(SHARED / folder)]
    configs = [each for each in _files(SHARED / "configs") if each[0].startswith(f"{platform}_")]
    return [
        Seed(platform, name, text)
        for name, text in (*own, *captured, *configs)
        if LEAST <= len(text) <= LONGEST
    ]


def _constants(module: str) -> Iterator[tuple[str, str]]:
    for name, value in sorted(vars(importlib.import_module(module)).items()):
        if isinstance(value, str) and "\n" in value and not name.startswith("__"):
            yield name, value


def _files(folder: Path) -> Iterator[tuple[str, str]]:
    for path in sorted(folder.rglob("*")) if folder.is_dir() else ():
        if path.is_file() and not path.name.startswith(NOT_OUTPUTS) and path.suffix != ".md":
            yield path.name, path.read_text("utf-8", "surrogateescape")


def mutants(text: str, dice: random.Random) -> Iterator[Mutant]:
    """Damage a text in one way after the other, without end."""
    while True:
        how = dice.choice(list(WAYS))
        yield Mutant(how, WAYS[how](text, dice), only_loses=how in LOSING)


def _lines(text: str) -> list[str]:
    return text.splitlines(keepends=True)


def _delete_lines(text: str, dice: random.Random) -> str:
    lines = _lines(text)
    start = dice.randrange(len(lines))
    return "".join(lines[:start] + lines[start + dice.choice((2, 5, 20)) :])


def _delete_line(text: str, dice: random.Random) -> str:
    lines = _lines(text)
    del lines[dice.randrange(len(lines))]
    return "".join(lines)


def _truncate(text: str, dice: random.Random) -> str:
    return text[: dice.randrange(len(text))]


def _cut_line(text: str, dice: random.Random) -> str:
    lines = _lines(text)
    at = dice.randrange(len(lines))
    body = lines[at].rstrip("\r\n")
    kept = body[: dice.randrange(len(body) + 1)]
    return "".join((*lines[:at], kept, lines[at][len(body) :], *lines[at + 1 :]))


def _repeat_lines(text: str, dice: random.Random) -> str:
    lines = _lines(text)
    start = dice.randrange(len(lines))
    part = lines[start : start + dice.choice((1, 3, 10))]
    return "".join(lines[:start] + part * dice.choice((2, 3, 50)) + lines[start:])


def _move_line(text: str, dice: random.Random) -> str:
    lines = _lines(text)
    line = lines.pop(dice.randrange(len(lines)))
    lines.insert(dice.randrange(len(lines) + 1), line)
    return "".join(lines)


def _odd_word(text: str, dice: random.Random) -> str:
    words = text.split(" ")
    words[dice.randrange(len(words))] = dice.choice(ODD)
    return " ".join(words)


def _odd_number(text: str, dice: random.Random) -> str:
    places = [at for at, char in enumerate(text) if char.isdigit()] or [0]
    at = dice.choice(places)
    return text[:at] + dice.choice(ODD) + text[at + 1 :]


def _odd_character(text: str, dice: random.Random) -> str:
    at = dice.randrange(len(text))
    odd = dice.choice(("\x00", "\t", "{", "}", "[", '"', ":", ",", "|", "\r", "\ufeff", "\u2028"))
    return text[:at] + odd + text[at + dice.choice((0, 1)) :]


def _line_ends(text: str, dice: random.Random) -> str:
    return text.replace("\n", dice.choice(("\r\n", "\r", "\n\n", " ")))


def _nested(text: str, dice: random.Random) -> str:
    at = dice.randrange(len(text))
    return text[:at] + dice.choice(("[", "{", '{"a":', "  - ")) * 3000 + text[at:]


WAYS: Final[dict[str, Callable[[str, random.Random], str]]] = {
    "line deleted": _delete_line,
    "lines deleted": _delete_lines,
    "truncated": _truncate,
    "line cut": _cut_line,
    "lines repeated": _repeat_lines,
    "line moved": _move_line,
    "odd word": _odd_word,
    "odd number": _odd_number,
    "odd character": _odd_character,
    "other line ends": _line_ends,
    "nested deeply": _nested,
}
# Several lines can go in such a way that a good text of another meaning is left.
LOSING: Final = frozenset({"line deleted", "truncated", "line cut"})


def read(seed: Seed, text: str) -> Device:
    """Recognise and parse one text as its platform does."""
    document = Document(seed.name, text)
    platform = load(seed.platform)
    platform.recognising.recognise(document)
    return platform.parsing.parse([document], name="device")


def counters(device: Device) -> Counters:
    """Give the device's counters, none where they are not known."""
    return device.counters if is_known(device.counters) else {}


def emptied(whole: Counters, damaged: Counters) -> list[CounterKey]:
    """Give counters that the whole text shows above zero and the damaged one as zero."""
    return [
        key
        for key, counter in damaged.items()
        if counter.value == 0
        and key in whole
        and is_known(whole[key].value)
        and whole[key].value != 0
    ]


def all_seeds() -> dict[str, list[Seed]]:
    """Give the seeds of every platform."""
    return {name: seeds(name) for name in platform_names()}
