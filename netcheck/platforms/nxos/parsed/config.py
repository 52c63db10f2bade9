"""What a running-config says about QoS: its class-maps, policy-maps, bindings and interfaces.

Policy-maps stay as they are written; ``parsed.policies`` says what they mean.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final

from netcheck.model.device import Defect, DefectKind
from netcheck.model.document import Document, Evidence
from netcheck.platforms.nxos.parsed.sections import Line, read_lines
from netcheck.platforms.nxos.parsed.words import (
    DSCP_NAMES,
    PRECEDENCE_NAMES,
    numbers,
    port_names,
)

QOS: Final = "qos"
QUEUING: Final = "queuing"
NETWORK: Final = "network-qos"
CONTROL: Final = "control-plane"
_MAP: Final = re.compile(
    r"(?P<map>class|policy)-map(?: type (?P<type>qos|queuing|network-qos|control-plane))?"
    r"(?: match-(?P<match>any|all))? (?P<name>\S+)"
)
_CLASS: Final = re.compile(r"class(?: type (?:qos|queuing|network-qos))? (?P<name>\S+)")
_BINDING: Final = re.compile(
    r"service-policy(?: type (?P<type>qos|queuing|network-qos))?(?: (?P<way>input|output))?"
    r" (?P<name>\S+)(?: no-stats)?"
)
_HOST: Final = re.compile(r"(?:hostname|switchname) (\S+)")
_VERSION: Final = re.compile(r"version (\d\S*)(?: .*)?")
_WATCHDOG: Final = re.compile(
    r"priority-flow-control (?:watch-dog-interval (?P<switch>on|off)"
    r"|watch-dog interval (?P<interval>\d+)"
    r"|watch-dog shutdown-multiplier (?P<shutdown>\d+)"
    r"|watch-dog internal-interface-multiplier (?P<internal>\d+)"
    r"|auto-restore multiplier (?P<auto>\d+)"
    r"|fixed-restore multiplier (?P<fixed>\d+))"
)
# Words of lines that may change how packets are treated, outside the modes that are read whole.
_TOUCHES: Final = re.compile(
    r"\b(?:qos|dcbx\w*|pfc|priority-flow-control|random-detect|flowcontrol|queuing|no-drop"
    r"|buffer|congestion\S*|wred|ecn|pause)\b"
)
# Lines about QoS that change no fact of the model.
_HARMLESS: Final = re.compile(
    r"(?:no )?(?:feature (?:lldp|dcbx?)"
    r"|lldp (?:tlv-select|tlv-set|dcbx version|timer|holdtime|reinit) \S.*"
    r"|lldp (?:transmit|receive)|system qos|statistics"
    r"|qos (?:statistics|qos-policies statistics)|(?:hardware|platform) qos \S.*"
    r"|hardware (?:profile|access-list) \S.*|logging \S.*|vlan qos-policy \S+"
    r"|priority-flow-control override-interface mode (?:off|on))"
)


@dataclass(slots=True)
class ClassMap:
    """One class-map of type qos or with a ``match qos-group``.

    Attributes:
        dscp, cos: What it matches.
        groups: Qos-groups of a queuing or network-qos class.
        is_all: All of its lines have to match.
        other: It matches something that no mark tells (an access list).
    """

    name: str
    line: Line
    is_all: bool = False
    dscp: set[int] = field(default_factory=set)
    cos: set[int] = field(default_factory=set)
    groups: set[int] = field(default_factory=set)
    other: bool = False
    lines: int = 0


@dataclass(slots=True)
class PolicyClass:
    """One class of a policy-map with the lines it holds."""

    name: str
    line: Line
    actions: dict[str, Line] = field(default_factory=dict)


@dataclass(slots=True)
class PolicyMap:
    """One policy-map; classes in the order in which packets meet them."""

    name: str
    line: Line
    classes: dict[str, PolicyClass] = field(default_factory=dict)


@dataclass(slots=True)
class Interface:
    """One port: the last of its lines on each subject, and its policies by type and way."""

    name: str
    line: Line
    facts: dict[str, Line] = field(default_factory=dict)
    bindings: dict[str, Line] = field(default_factory=dict)


Maps = dict[tuple[str, str], PolicyMap]


@dataclass(slots=True)
class Config:
    """Everything that the configuration texts of one device say about QoS."""

    hostname: str = ""
    version: str = ""
    model: str = ""
    is_whole: bool = False
    is_given: bool = False
    has_system_qos: bool = False
    header: Line | None = None
    class_maps: dict[tuple[str, str], ClassMap] = field(default_factory=dict)
    policy_maps: Maps = field(default_factory=dict)
    system: dict[str, Line] = field(default_factory=dict)
    interfaces: dict[str, Interface] = field(default_factory=dict)
    watchdog: dict[str, Line] = field(default_factory=dict)
    defects: list[Defect] = field(default_factory=list)
    unread: list[Evidence] = field(default_factory=list)


def read_config(document: Document, config: Config) -> None:
    """Add what one configuration text says; lines that come later win."""
    config.is_given = True
    model = re.search(r"^!+ *Model: *(\S+)", document.text, re.MULTILINE | re.IGNORECASE)
    config.model = model[1] if model else config.model
    for line in read_lines(document):
        _read_top(line, config)
    _tell_missing_hostname(config)


def _tell_missing_hostname(config: Config) -> None:
    """Only a text that names its host (or prints the version) is a whole configuration."""
    config.is_whole = bool(config.hostname)


def _read_top(line: Line, config: Config) -> None:
    if line.words.split(" ", 1)[0] in _NOT_ABOUT_QOS:
        return
    for pattern, reader in _TOP:
        match = pattern.fullmatch(line.words)
        if match is not None:
            reader(line, match, config)
            return
    if not _HARMLESS.fullmatch(line.words) and _touches_qos(line):
        _tell_unknown(line, config)


# First words of lines that never concern RDMA traffic, whatever they go on with.
_NOT_ABOUT_QOS: Final = frozenset(
    (
        "vlan",
        "username",
        "snmp-server",
        "logging",
        "ntp",
        "router",
        "route-map",
        "vrf",
        "aaa",
        "tacacs-server",
        "spanning-tree",
        "rmon",
        "errdisable",
        "clock",
        "boot",
    )
)


def _touches_qos(line: Line) -> bool:
    """A line of the top level whose first words are about QoS (names in it do not count)."""
    head = " ".join(line.words.removeprefix("no ").split(" ")[:2])
    return _TOUCHES.search(head) is not None


def _tell_unknown(line: Line, config: Config, place: str = "") -> None:
    config.defects.append(
        Defect(
            DefectKind.UNKNOWN_LINE,
            place or line.words,
            f"{line.document.name} line {line.evidence.line} is not understood: {line.words}",
            found=line.words,
            evidence=line.evidence,
        )
    )


def _tell_malformed(line: Line, config: Config, place: str, expected: str) -> None:
    config.defects.append(
        Defect(
            DefectKind.MALFORMED_VALUE,
            place,
            f"{place}: expected {expected}, found {line.words}",
            expected=expected,
            found=line.words,
            evidence=line.evidence,
        )
    )


def _read_hostname(line: Line, match: re.Match[str], config: Config) -> None:
    config.hostname = match[1]
    config.header = line


def _read_version(line: Line, match: re.Match[str], config: Config) -> None:  # noqa: ARG001 -- all readers look alike
    config.version = match[1]


def _read_map(line: Line, match: re.Match[str], config: Config) -> None:
    kind = match["type"] or QOS
    if kind == CONTROL:
        return
    if match["map"] == "class":
        is_all = match["match"] == "all" or (match["match"] is None and kind == QOS)
        there = config.class_maps.setdefault(
            (kind, match["name"]), ClassMap(match["name"], line, is_all)
        )
        for below in line.children:
            _read_match(below, there, config)
        return
    policy = config.policy_maps.setdefault((kind, match["name"]), PolicyMap(match["name"], line))
    for below in line.children:
        _read_class(below, kind, policy, config)


_MATCHES: Final[tuple[tuple[str, str, int, dict[str, int]], ...]] = (
    ("dscp", "dscp", 63, DSCP_NAMES),
    ("ip dscp", "dscp", 63, DSCP_NAMES),
    ("precedence", "dscp", 7, PRECEDENCE_NAMES),
    ("cos", "cos", 7, {}),
    ("qos-group", "groups", 7, {}),
)


def _read_match(line: Line, there: ClassMap, config: Config) -> None:
    words = line.words
    if words.startswith("description ") or words in {"exit", "match any"}:
        there.other |= words == "match any"
        return
    if words.startswith("no match "):
        return
    there.lines += 1
    for word, field_name, top, names in _MATCHES:
        if words.startswith(f"match {word} "):
            found = numbers(words.removeprefix(f"match {word} "), top, names)
            if found is None:
                _tell_malformed(line, config, f"class-map {there.name}", f"match {word} 0-{top}")
                there.other = True
                return
            if word == "precedence":
                found = frozenset(8 * each + low for each in found for low in range(8))
            getattr(there, field_name).update(found)
            return
    there.other = True
    if not words.startswith("match "):
        _tell_unknown(line, config, f"class-map {there.name}")


def _read_class(line: Line, kind: str, policy: PolicyMap, config: Config) -> None:
    match = _CLASS.fullmatch(line.words)
    if match is None:
        if not line.words.startswith("description ") and line.words != "exit":
            _tell_unknown(line, config, f"policy-map {policy.name}")
        return
    name = match["name"]
    there = policy.classes.setdefault(name, PolicyClass(name, line))
    for below in line.children:
        subject = _subject(below.words, kind)
        if subject is None:
            _tell_unknown(below, config, f"policy-map {policy.name} class {name}")
        elif subject:
            there.actions[subject] = below


# Subject of each line that a class of a policy-map may hold; empty where it changes no fact.
_RANDOM: Final = r"random-detect(?: .*)?"
_PAUSES: Final = r"pause buffer-size \d+ pause-threshold \d+ resume-threshold \d+"
_CONGESTION: Final = r"(?:no )?congestion-control .*|queue-limit .*|description .*|exit"
_ACTION_ROWS: Final[Mapping[str, Mapping[str, str]]] = {
    QOS: {
        r"set qos-group \d+": "group",
        r"set (?:ip )?dscp (?:tunnel )?\S+": "dscp",
        r"set cos \d": "cos",
        r"set precedence \S+|police .*|description .*|exit|no .*": "",
    },
    QUEUING: {
        r"bandwidth(?: percent)? \d+(?: percent)?": "bandwidth",
        r"bandwidth remaining percent \d+": "bandwidth",
        r"priority(?: level \d+)?": "priority",
        _RANDOM: "ecn",
        _PAUSES: "pause",
        r"shape(?: min| max)? .*": "shape",
        rf"{_CONGESTION}|afd .*|no .*": "",
    },
    NETWORK: {
        r"mtu \d+": "mtu",
        r"pause(?: no-drop)?(?: pfc-cos [\d,-]+)?(?: receive)?": "pause",
        r"no pause(?: .*)?": "pause",
        r"set cos \d": "cos",
        rf"{_CONGESTION}|(?:no )?multicast-optimize|no mtu.*": "",
    },
}
_ACTIONS: Final = {
    kind: tuple((re.compile(pattern), subject) for pattern, subject in rows.items())
    for kind, rows in _ACTION_ROWS.items()
}


def _subject(words: str, kind: str) -> str | None:
    for pattern, subject in _ACTIONS[kind]:
        if pattern.fullmatch(words):
            return subject
    return None


def _read_system(line: Line, match: re.Match[str], config: Config) -> None:  # noqa: ARG001 -- all readers look alike
    config.has_system_qos = True
    for below in line.children:
        _read_binding(below, config.system, config, "system qos")


def _read_binding(line: Line, bindings: dict[str, Line], config: Config, place: str) -> None:
    match = _BINDING.fullmatch(line.words)
    if match is None:
        if line.words != "exit" and not line.words.startswith("no "):
            _tell_unknown(line, config, place)
        return
    bindings[binding_key(match)] = line


def binding_key(match: re.Match[str]) -> str:
    """What a service-policy line binds: type and way, such as ``qos input``."""
    kind = match["type"] or QOS
    return kind if kind == NETWORK else f"{kind} {match['way'] or 'input'}"


def bound_name(line: Line) -> str:
    """Name of the policy-map that a service-policy line binds."""
    match = _BINDING.fullmatch(line.words)
    return match["name"] if match else ""


_PORT_WATCHDOG: Final = (
    r"priority-flow-control watch-dog-interval (?:on|off)(?: disable-action)?"
    r"(?: interface-multiplier \d+)?"
)
# Subject of each line of an interface that is read; the rest is not about RDMA traffic.
_PORT_LINES: Final = tuple(
    (re.compile(pattern), subject)
    for pattern, subject in (
        (r"mtu \d+", "mtu"),
        (r"no mtu(?: \d+)?", "mtu"),
        (r"priority-flow-control mode (?:on(?: send-tlv)?|off|auto)", "pfc"),
        (r"no priority-flow-control mode(?: .*)?", "pfc"),
        (_PORT_WATCHDOG, "watchdog"),
        (r"no priority-flow-control watch-dog-interval(?: .*)?", "watchdog"),
        (r"flowcontrol receive (?:on|off)", "pause rx"),
        (r"flowcontrol send (?:on|off)", "pause tx"),
        (r"no flowcontrol receive(?: .*)?", "pause rx"),
        (r"no flowcontrol send(?: .*)?", "pause tx"),
        (r"(?:no )?shutdown", "admin"),
        (r"(?:no )?speed \S+", "speed"),
        (r"fec \S+", "fec"),
        (r"channel-group \d+(?: .*)?", "aggregate"),
        (r"ip address \S+(?: .*)?", "address"),
        (r"(?:no )?negotiate auto.*", "autoneg"),
    )
)
_PORT_WORDS: Final = frozenset(
    (
        "no",
        "mtu",
        "priority-flow-control",
        "flowcontrol",
        "shutdown",
        "speed",
        "fec",
        "channel-group",
        "ip",
        "negotiate",
        "service-policy",
        "queuing",
        "qos",
        "untrusted",
        "trust",
        "random-detect",
        "link-level-flow-control",
    )
)
_PORT_TOUCHES: Final = re.compile(
    r"(?:no )?(?:priority-flow-control|service-policy|flowcontrol|queuing|qos|untrusted|trust"
    r"|random-detect|link-level-flow-control)\b.*"
)
_PORT_HARMLESS: Final = re.compile(
    r"(?:no )?(?:lldp \S.*|link-level-flow-control watch-dog-\S+ off)"
)


def _read_interface(line: Line, match: re.Match[str], config: Config) -> None:
    names = port_names(match[1])
    if names is None:
        return
    for name in names:
        there = config.interfaces.setdefault(name, Interface(name, line))
        for below in line.children:
            _read_port_line(below, there, config)
    return


def _read_port_line(line: Line, there: Interface, config: Config) -> None:
    words = line.words
    if words.split(" ", 1)[0] not in _PORT_WORDS:
        return
    if words.startswith("service-policy"):
        _read_binding(line, there.bindings, config, there.name)
        return
    for pattern, subject in _PORT_LINES:
        if pattern.fullmatch(words):
            there.facts[subject] = line
            return
    if _PORT_TOUCHES.fullmatch(words) and not _PORT_HARMLESS.fullmatch(words):
        _tell_unknown(line, config, there.name)


def _read_watchdog(line: Line, match: re.Match[str], config: Config) -> None:
    for name, value in match.groupdict().items():
        if value is not None:
            config.watchdog[name] = line


def _read_nothing(line: Line, match: re.Match[str], config: Config) -> None:
    """A mode that holds nothing about RDMA traffic."""


_TOP: Final[tuple[tuple[re.Pattern[str], Callable[[Line, re.Match[str], Config], None]], ...]] = (
    (_HOST, _read_hostname),
    (_VERSION, _read_version),
    (_MAP, _read_map),
    (re.compile(r"system qos"), _read_system),
    (re.compile(r"interface (.+)", re.IGNORECASE), _read_interface),
    (_WATCHDOG, _read_watchdog),
    (
        re.compile(r"(?:control-plane|ip access-list .*|ipv6 access-list .*|mac access-list .*)"),
        _read_nothing,
    ),
)


def watchdog_number(config: Config, name: str) -> int | None:
    """Number of a watchdog line of the whole switch; None where there is no such line."""
    line = config.watchdog.get(name)
    match = _WATCHDOG.fullmatch(line.words) if line else None
    return int(match[name]) if match else None


def physical(config: Config) -> Iterator[tuple[Interface, Interface | None]]:
    """Yield each port with the port-channel it is in; a port-channel without members is a port."""
    used = set()
    for port in config.interfaces.values():
        line = port.facts.get("aggregate")
        if line is not None:
            name = f"port-channel{line.words.split()[1]}"
            used.add(name)
            yield port, config.interfaces.get(name)
    for port in config.interfaces.values():
        if "aggregate" not in port.facts and port.name not in used:
            yield port, None
