"""The lines that bring a switch from what it holds to what is rendered."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final

from netcheck.model.document import Document
from netcheck.model.frozenmap import FrozenMap
from netcheck.platforms.eos import defaults
from netcheck.platforms.eos.applied.lines import plain, queues_of, unset_line
from netcheck.platforms.eos.parsed.config import Config, Section, read_config
from netcheck.platforms.eos.parsed.grammar import (
    INTERFACE,
    QUEUE,
    QUEUE_HEAD,
    TREATMENT,
    Forms,
    Value,
    Word,
    read_line,
)
from netcheck.platforms.eos.parsed.tree import Block, Source, read_tree

_MAPS: Final[Mapping[str, FrozenMap[int, int]]] = {
    "dscp": defaults.DSCP_TO_PRIORITY,
    "cos": defaults.PCP_TO_PRIORITY,
    "to tx-queue": defaults.PRIORITY_TO_QUEUE,
    "to dscp": defaults.REMARK_DSCP,
    "to cos": defaults.REMARK_PCP,
}
# Keys of an interface that are owned wherever a profile is rendered for it.
_TREATMENT_KEYS: Final = frozenset(
    {
        "trust",
        "cos",
        "dscp",
        "classifier",
        "pfc",
        "watchdog",
        "watchdog action",
        "watchdog timer",
        "shape",
    }
) | {f"pfc {priority}" for priority in defaults.PRIORITIES}
_POLL: Final = "priority-flow-control pause watchdog default polling-interval"


@dataclass(slots=True)
class Edits:
    """Lines to type, with the objects they change and what each object is about.

    Attributes:
        objects: ``name, old text, new text``.
        subjects: Keys that change, for the impact.
    """

    lines: list[str] = field(default_factory=list)
    objects: list[tuple[str, str, str]] = field(default_factory=list)
    removals: list[str] = field(default_factory=list)
    subjects: set[str] = field(default_factory=set)


@dataclass(frozen=True, slots=True)
class Texts:
    """A configuration as read and as lines: ``section -> key -> line``."""

    config: Config
    lines: Mapping[str, Mapping[str, str]]
    queue_word: str


def read_texts(text: str, name: str) -> Texts:
    """Read one configuration."""
    config = Config()
    document = Document(name, text)
    read_config(Source(document), config)
    lines: dict[str, dict[str, str]] = {}
    words: list[str] = []
    for block in read_tree(text):
        if block.text.startswith(("interface ", "qos profile ")):
            forms = INTERFACE if block.text.startswith("i") else TREATMENT
            lines.setdefault(block.text, {}).update(_keyed(block, forms, words))
    return Texts(config, lines, words[0] if words else "uc-tx-queue")


def _keyed(block: Block, forms: Forms, words: list[str]) -> Iterator[tuple[str, str]]:
    for child in block.children:
        head = QUEUE_HEAD.fullmatch(child.text)
        if head is None:
            yield from _key(child.text, forms, "")
        elif head["kind"] != "mc-tx-queue":
            words.append(head["kind"])
            for line in child.children:
                yield from _key(line.text, QUEUE, f"queue {head['queue']} ")


def _key(text: str, forms: Forms, prefix: str) -> Iterator[tuple[str, str]]:
    found = read_line(text, forms)
    if found is not None:
        yield f"{prefix}{found.key}", text


def find_edits(held: Texts, wanted: Texts) -> Edits:
    """Give what has to be typed, in the order in which it is typed."""
    edits = Edits()
    _edit_maps(held.config, wanted.config, edits)
    _edit_globals(held.config, wanted.config, edits)
    for name, section in wanted.config.profiles.items():
        place = f"qos profile {name}"
        now = held.config.profiles.get(name)
        _edit_section(place, (now, section), (held, wanted), edits, owns_all=True)
    for name, section in wanted.config.interfaces.items():
        place = f"interface {name}"
        has_profile = "profile" in section.settings
        now = held.config.interfaces.get(name)
        _edit_section(place, (now, section), (held, wanted), edits, owns_all=has_profile)
    _drop_profiles(held.config, wanted.config, edits)
    return edits


def _edit_maps(held: Config, wanted: Config, edits: Edits) -> None:
    for name, default in _MAPS.items():
        now = default.with_items(held.table(name).entries)
        by_value: dict[tuple[int, int], list[int]] = {}
        for key, value in sorted(wanted.table(name).entries.items()):
            if now[key] != value:
                by_value.setdefault((value, now[key]), []).append(key)
        typed: dict[int, list[int]] = {}
        for (value, old), keys in by_value.items():
            text = " ".join(map(str, keys))
            of = f"{name} {text}" if not name.startswith("to ") else f"traffic-class {text} {name}"
            edits.objects.append((f"qos map {of}", str(old), str(value)))
            edits.subjects.add("map")
            typed.setdefault(value, []).extend(keys)
        for value, keys in sorted(typed.items()):
            edits.lines += _map_lines(name, sorted(keys), value)
    for of, is_on in wanted.rewrites.items():
        if held.rewrites.get(of, False) != is_on:
            line = f"qos rewrite {of}" if is_on else f"no qos rewrite {of}"
            edits.lines.append(line)
            edits.objects.append(
                (f"qos rewrite {of}", "off" if is_on else "on", "on" if is_on else "off")
            )
            edits.subjects.add("map")


def _map_lines(name: str, keys: list[int], value: int) -> list[str]:
    if name.startswith("to "):
        return [f"qos map traffic-class {key} {name} {value}" for key in keys]
    text = " ".join(map(str, keys))
    return [f"qos map {name} {text} to traffic-class {value}"]


def _edit_globals(held: Config, wanted: Config, edits: Edits) -> None:
    poll = wanted.watchdog.get("polling-interval")
    now = held.watchdog.get("polling-interval")
    if poll is not None and (now is None or now.value != poll.value):
        new = f"{int(str(poll.value)) / 1000:.3f}"
        old = "" if now is None else f"{int(str(now.value)) / 1000:.3f}"
        edits.lines.append(f"{_POLL} {new}")
        edits.objects.append((_POLL, old, new))
        edits.subjects.add("watchdog")
    pauses = any("pfc" in section.settings for section in wanted.profiles.values())
    if held.is_all_off and pauses:
        edits.lines.append("no priority-flow-control all off")
        edits.removals.append("priority-flow-control all off")
        edits.objects.append(("priority-flow-control all off", "set", ""))
        edits.subjects.add("pfc")


def _edit_section(
    place: str,
    sections: tuple[Section | None, Section],
    texts: tuple[Texts, Texts],
    edits: Edits,
    *,
    owns_all: bool,
) -> None:
    now, new = sections
    held = plain(now.settings) if now else {}
    lines: list[str] = []
    is_new = now is None
    for key in _ordered(held, plain(new.settings)):
        is_owned = key in new.settings or (owns_all and key in _TREATMENT_KEYS)
        is_same = held.get(key) == plain(new.settings).get(key)
        if is_owned and not is_same:
            lines += _change(place, key, (held.get(key), texts), edits)
    if owns_all:
        lines += _edit_queues(place, sections, texts, edits)
    if lines or (is_new and place.startswith("qos profile ")):
        edits.lines += [place, *lines]
        if not lines:
            edits.objects.append((place, "", "created"))


def _ordered(held: Mapping[str, object], new: Mapping[str, object]) -> list[str]:
    """Keys to set in the order in which they are rendered, then those to take back."""
    return [*new, *(key for key in held if key not in new)]


def _change(
    place: str,
    key: str,
    old: tuple[Value | Word | None, tuple[Texts, Texts]],
    edits: Edits,
    prefix: str = "",
) -> list[str]:
    value, (held, wanted) = old
    name = f"{prefix}{key}"
    before = held.lines.get(place, {}).get(name, "") if value is not None else ""
    line = wanted.lines.get(place, {}).get(name, "")
    edits.subjects.add(key.split(" ", maxsplit=1)[0] if key.startswith("pfc") else key)
    edits.objects.append((f"{place} {name}", before, line))
    if line:
        return [line]
    edits.removals.append(f"{place} {before}")
    return [unset_line(key, value if value is not None else "")]


def _edit_queues(
    place: str,
    sections: tuple[Section | None, Section],
    texts: tuple[Texts, Texts],
    edits: Edits,
) -> list[str]:
    now, new = sections
    held = queues_of(now) if now else {}
    wanted = queues_of(new)
    lines: list[str] = []
    for queue in sorted(held.keys() | wanted.keys()):
        old, want = held.get(queue, {}), wanted.get(queue, {})
        inner: list[str] = []
        for key in _ordered(old, want):
            if old.get(key) != want.get(key):
                inner += _change(place, key, (old.get(key), texts), edits, f"queue {queue} ")
        if inner:
            word = texts[1].queue_word if want else texts[0].queue_word
            lines += [f"{word} {queue}", *inner, "exit"]
    return lines


def _drop_profiles(held: Config, wanted: Config, edits: Edits) -> None:
    """Take away profiles that the rendered ports used and that nothing uses any more."""

    def used(config: Config, names: frozenset[str]) -> set[str]:
        return {
            str(said.value)
            for name, section in config.interfaces.items()
            if name in names and (said := section.settings.get("profile")) is not None
        }

    ours = frozenset(wanted.interfaces)
    others = frozenset(held.interfaces) - ours
    stale = used(held, ours) - used(held, others) - set(wanted.profiles)
    for name in sorted(stale & set(held.profiles)):
        if not any(
            "profile" in wanted.interfaces[port].settings
            for port in ours
            if _uses(held, port, name)
        ):
            continue
        edits.lines.append(f"no qos profile {name}")
        edits.removals.append(f"qos profile {name}")
        edits.objects.append((f"qos profile {name}", "defined", ""))


def _uses(config: Config, port: str, profile: str) -> bool:
    said = config.interfaces[port].settings.get("profile") if port in config.interfaces else None
    return said is not None and said.value == profile
