"""A running-config, or a part of one, into what it says by name."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Final

from netcheck.model.device import Defect, DefectKind
from netcheck.model.digits import number_of
from netcheck.model.document import Evidence
from netcheck.platforms.eos.parsed.grammar import (
    INTERFACE,
    QUEUE,
    QUEUE_HEAD,
    TREATMENT,
    Forms,
    Value,
    Word,
    is_malformed,
    milliseconds,
    read_line,
    touches_qos,
)
from netcheck.platforms.eos.parsed.tree import Block, Source, read_tree

_HEADER: Final = re.compile(
    r"^! device: (?P<name>\S+) \((?P<model>[^,()]+), EOS-(?P<version>[^)\s]+)\)", re.MULTILINE
)
_INTERFACE: Final = re.compile(r"interface (?P<name>\S+)")
_PROFILE: Final = re.compile(r"qos profile (?P<name>\S+)")
_NUMBERS: Final = r"(?P<keys>\d+(?: \d+)*)"
_MAP: Final = re.compile(
    rf"qos map (?P<of>cos|dscp) {_NUMBERS} to traffic-class (?P<value>[0-7])"
    r"(?: drop-precedence [0-2])?"
)
_OUT_MAP: Final = re.compile(
    rf"qos map traffic-class {_NUMBERS} to (?P<of>cos|dscp|(?:uc-)?tx-queue) (?P<value>\d+)"
)
_REWRITE: Final = re.compile(r"(?P<no>no |default )?qos rewrite (?P<of>cos|dscp)")
_WATCHDOG: Final = re.compile(
    r"priority-flow-control pause watchdog default (?P<of>timeout|recovery-time|polling-interval)"
    r" (?P<value>auto|\d{1,2}(?:\.\d{1,3})?)"
)
_ACTION: Final = re.compile(
    r"priority-flow-control pause watchdog (?P<of>override action|action) (?P<value>\S+)"
)
_ALL_OFF: Final = re.compile(r"(?P<no>no |default )?priority-flow-control all off")
_UNSET: Final = re.compile(
    r"(?:no|default) (?:priority-flow-control pause watchdog(?: \S+)*"
    r"|qos map .+|qos random-detect .+)"
)
# Global lines about QoS that decide nothing about RDMA traffic between ports.
_ASIDE: Final = re.compile(
    r"(?:no |default )?(?:qos map (?:exp|traffic-class \d+(?: \d+)* to (?:exp|mc-tx-queue)) .*"
    r"|qos tx-queue \d+ name \S+|qos traffic-class \d+ name \S+|qos policer \S+.*"
    r"|qos random-detect ecn allow non-ect.*|qos rewrite .*|priority-flow-control log.*"
    r"|hardware counter feature (?:ecn|qos|queue|pfc)\b.*)"
)
_TOUCHES: Final = re.compile(
    r"(?:no |default )?(?:qos|priority-flow-control|dcbx|random-detect"
    r"|platform \S+ (?:mmu|buffer|qos|pfc|headroom)"
    r"|hardware counter feature (?:ecn|qos|queue|pfc))\b.*"
)
_POLICY_MAP: Final = re.compile(r"policy-map type (?:quality-of-service|qos) (?P<name>\S+)")
_CLASS_MAP: Final = re.compile(r"class-map type qos match-any (?P<name>\S+)")
# Sections that other platforms have as well, and that only EOS names like this.
_DSCP_SPAN: Final = re.compile(r"(?P<low>\d+)(?:-(?P<high>\d+))?")


@dataclass(frozen=True, slots=True)
class Said:
    """What a line says and where it stands."""

    value: Value | Word
    at: Evidence


Settings = dict[str, Said]


@dataclass(slots=True)
class Section:
    """An interface or a QoS profile: its settings, those of its queues, where it begins."""

    at: Evidence
    settings: Settings = field(default_factory=dict)
    queues: dict[int, Settings] = field(default_factory=dict)


@dataclass(slots=True)
class Table:
    """One map for the whole switch, as far as lines state it."""

    entries: dict[int, int] = field(default_factory=dict)
    at: Evidence = field(default_factory=Evidence)
    lines: dict[int, Evidence] = field(default_factory=dict)


@dataclass(slots=True)
class Config:
    """What configuration texts of one switch say.

    Attributes:
        is_whole: The texts hold the whole configuration.
        has_maps: Lines of global maps were given; those are printed together.
        has_watchdog: Lines about the watchdog of all ports were given.
        rewrites: ``dscp`` or ``cos`` -> whether frames are rewritten on the way out.
        watchdog: ``timeout``, ``recovery-time``, ``polling-interval`` in ms.
        policy_maps, class_maps: Names that are defined; class maps with the DSCPs they match.
    """

    name: str = ""
    model: str = ""
    version: str = ""
    is_whole: bool = False
    is_given: bool = False
    has_maps: bool = False
    has_watchdog: bool = False
    is_all_off: bool = False
    at: Evidence = field(default_factory=Evidence)
    interfaces: dict[str, Section] = field(default_factory=dict)
    profiles: dict[str, Section] = field(default_factory=dict)
    tables: dict[str, Table] = field(default_factory=dict)
    rewrites: dict[str, bool] = field(default_factory=dict)
    watchdog: dict[str, Said] = field(default_factory=dict)
    actions: dict[str, Said] = field(default_factory=dict)
    policy_maps: dict[str, dict[str, int]] = field(default_factory=dict)
    class_maps: dict[str, frozenset[int] | None] = field(default_factory=dict)
    defects: list[Defect] = field(default_factory=list)

    def table(self, name: str) -> Table:
        """Give the map of that name, empty where no line was read."""
        return self.tables.setdefault(name, Table())


def read_config(source: Source, config: Config) -> None:
    """Add what one text says."""
    config.is_given = True
    header = _HEADER.search(source.document.text)
    if header:
        config.model, config.version = header["model"], header["version"]
        config.name = config.name or header["name"]
        config.is_whole = True
    for block in read_tree(source.document.text):
        _read_block(block, source, config)


def _read_block(block: Block, source: Source, config: Config) -> None:
    for pattern, reader in _SECTIONS:
        match = pattern.fullmatch(block.text)
        if match:
            reader(match["name"], block, source, config)
            return
    if block.text.startswith("hostname "):
        config.name, config.is_whole = block.text.split(" ")[1], True
        config.at = source.at(block.line)
        return
    at = source.at(block.line)
    if any(reader(block.text, at, config) for reader in _GLOBALS):
        return
    if _TOUCHES.fullmatch(block.text) and not _ASIDE.fullmatch(block.text):
        config.defects.append(_unknown("global", block.text, at))


def _read_interface(name: str, block: Block, source: Source, config: Config) -> None:
    section = config.interfaces.setdefault(name, Section(source.at(block.line)))
    _read_section(block, section, (name, INTERFACE), source, config)


def _read_profile(name: str, block: Block, source: Source, config: Config) -> None:
    section = config.profiles.setdefault(name, Section(source.at(block.line)))
    _read_section(block, section, (f"qos profile {name}", TREATMENT), source, config)


def _read_section(
    block: Block,
    section: Section,
    kind: tuple[str, Forms],
    source: Source,
    config: Config,
) -> None:
    place, forms = kind
    for child in block.children:
        head = QUEUE_HEAD.fullmatch(child.text)
        if head is None:
            _read_setting(child, section.settings, (place, forms), source, config)
            continue
        # multicast queues carry no RDMA
        is_unicast = head["kind"] != "mc-tx-queue"
        queue = section.queues.setdefault(number_of(head["queue"]), {}) if is_unicast else {}
        for line in child.children:
            _read_setting(line, queue, (f"{place} {child.text}", QUEUE), source, config)


def _read_setting(
    line: Block,
    settings: Settings,
    kind: tuple[str, Forms],
    source: Source,
    config: Config,
) -> None:
    place, forms = kind
    found = read_line(line.text, forms)
    at = source.at(line.line)
    if found is not None:
        settings[found.key] = Said(found.value, at)
    elif touches_qos(line.text):
        make = _malformed if is_malformed(line.text, forms) else _unknown
        config.defects.append(make(place, line.text, at))


def _unknown(place: str, text: str, at: Evidence) -> Defect:
    return Defect(
        DefectKind.UNKNOWN_LINE,
        place,
        f"{place}: line is not known: {text}",
        ports=_ports(place),
        found=text,
        evidence=at,
    )


def _malformed(place: str, text: str, at: Evidence) -> Defect:
    return Defect(
        DefectKind.MALFORMED_VALUE,
        place,
        f"{place}: EOS takes no such value: {text}",
        ports=_ports(place),
        found=text,
        evidence=at,
    )


def _ports(place: str) -> tuple[str, ...]:
    name = place.split(" ", maxsplit=1)[0]
    return (name,) if name.startswith("Ethernet") else ()


def _read_map(text: str, at: Evidence, config: Config) -> bool:
    match = _MAP.fullmatch(text) or _OUT_MAP.fullmatch(text)
    if match is None:
        return False
    if _ASIDE.fullmatch(text):
        return True
    of = match["of"].removeprefix("uc-")
    name = of if match.re is _MAP else f"to {of}"
    table = config.table(name)
    keys = [number_of(key) for key in match["keys"].split(" ")]
    highest = 63 if name == "dscp" else 7
    value, most = number_of(match["value"]), 63 if name == "to dscp" else 7
    if max(keys) > highest or value > most:
        config.defects.append(_malformed("global", text, at))
        return True
    config.has_maps = True
    table.at = at if not table.entries else table.at
    for key in keys:
        table.entries[key] = value
        table.lines[key] = at
    return True


def _read_rewrite(text: str, at: Evidence, config: Config) -> bool:  # noqa: ARG001 -- as the other readers
    match = _REWRITE.fullmatch(text)
    if match is None:
        return False
    config.has_maps = True
    config.rewrites[match["of"]] = not match["no"]
    return True


def _read_watchdog(text: str, at: Evidence, config: Config) -> bool:
    match = _WATCHDOG.fullmatch(text)
    if match is None:
        return False
    config.has_watchdog = True
    value = match["value"]
    if value != "auto":
        config.watchdog[match["of"]] = Said(milliseconds(value), at)
    elif match["of"] != "polling-interval":
        config.defects.append(_malformed("global", text, at))
    return True


def _read_action(text: str, at: Evidence, config: Config) -> bool:
    match = _ACTION.fullmatch(text)
    if match is None:
        return False
    config.has_watchdog = True
    if match["value"] != "drop":
        config.defects.append(
            Defect(
                DefectKind.MALFORMED_VALUE,
                "priority-flow-control pause watchdog action",
                f"priority-flow-control pause watchdog {match['of']} expected drop,"
                f" found {match['value']}",
                expected="drop",
                found=match["value"],
                evidence=at,
            )
        )
        return True
    config.actions[match["of"]] = Said("drop", at)
    return True


def _read_all_off(text: str, at: Evidence, config: Config) -> bool:  # noqa: ARG001 -- as the other readers
    match = _ALL_OFF.fullmatch(text)
    if match is None:
        return False
    config.is_all_off = not match["no"]
    return True


def _read_unset(text: str, at: Evidence, config: Config) -> bool:  # noqa: ARG001 -- as the other readers
    """`no` and `default` forms of global lines: what they take back is not there."""
    if _UNSET.fullmatch(text) is None:
        return False
    config.has_watchdog |= "watchdog" in text
    config.has_maps |= "qos map" in text
    return True


def _read_policy_map(name: str, block: Block, source: Source, config: Config) -> None:  # noqa: ARG001 -- as the other readers
    classes = config.policy_maps.setdefault(name, {})
    for child in block.children:
        words = child.text.split(" ")
        for line in child.children if words[0] == "class" else []:
            found = re.fullmatch(r"set traffic-class ([0-7])", line.text)
            if found:
                classes[words[-1]] = int(found[1])


def _read_class_map(name: str, block: Block, source: Source, config: Config) -> None:  # noqa: ARG001 -- as the other readers
    """DSCPs that a class map matches; None where it matches by anything else."""
    marks: set[int] = set()
    for child in block.children:
        found = re.fullmatch(r"match(?: ip)? dscp ([\d ,-]+)", child.text)
        if found is None:
            config.class_maps[name] = None
            return
        marks.update(_spans(found[1]))
    config.class_maps[name] = frozenset(marks)


def _spans(text: str) -> Iterator[int]:
    for match in _DSCP_SPAN.finditer(text):
        high = min(number_of(match["high"] or match["low"]), 63)
        yield from range(number_of(match["low"]), high + 1)


_SECTIONS: Final[
    tuple[tuple[re.Pattern[str], Callable[[str, Block, Source, Config], None]], ...]
] = (
    (_INTERFACE, _read_interface),
    (_PROFILE, _read_profile),
    (_POLICY_MAP, _read_policy_map),
    (_CLASS_MAP, _read_class_map),
)
_GLOBALS: Final[tuple[Callable[[str, Evidence, Config], bool], ...]] = (
    _read_map,
    _read_rewrite,
    _read_watchdog,
    _read_action,
    _read_all_off,
    _read_unset,
)
