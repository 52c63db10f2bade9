"""The switch's own reading of its configuration: classes, policies, interfaces, watchdog."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from importlib import resources
from itertools import pairwise

from netcheck.lab.devices.nxos.grammar import CELL_BYTES, UNITS
from netcheck.lab.devices.nxos.patterns import numbers_of
from netcheck.lab.devices.nxos.tree import Block, read_tree

CLASS_DEFAULT = "class-default"
DEFAULT_MTU = 1500
JUMBO_MTU = 9216
PREFIX = "default-"


@dataclass(frozen=True, slots=True)
class ClassMap:
    """A class map: which traffic it takes.

    Attributes:
        matches: Lines without ``match``, as words.
    """

    kind: str
    name: str
    is_any: bool
    matches: tuple[tuple[str, ...], ...]

    def numbers(self, *words: str) -> set[int]:
        """Numbers that match lines beginning with ``words`` name."""
        return {
            value
            for row in self.matches
            if row[: len(words)] == words and row[-1][0].isdigit()
            for value in numbers_of(row[-1])
        }


@dataclass(frozen=True, slots=True)
class Wred:
    """``random-detect`` of a queue; thresholds in bytes."""

    low_bytes: int
    high_bytes: int
    percent: int
    weight: int
    is_ecn: bool


@dataclass(frozen=True, slots=True)
class Pause:
    """Buffer of a no-drop class: all of it, the fill that sends XOFF, the fill that sends XON."""

    buffer_bytes: int
    pause_bytes: int
    resume_bytes: int


@dataclass(frozen=True, slots=True)
class PolicyClass:
    """One class in a policy map, with what is done to it."""

    name: str
    actions: Block

    def words(self, begin: str) -> tuple[str, ...]:
        """Words of the action that begins so, without that beginning; empty when there is none."""
        for line, _ in self.actions.starting(begin):
            return tuple(line.split()[len(begin.split()) :]) or ("",)
        return ()

    def number(self, begin: str) -> int | None:
        """Number that ends the action that begins so."""
        found = self.words(begin)
        return int(found[0]) if found and found[0].isdigit() else None

    @property
    def is_strict(self) -> bool:
        """The queue goes first."""
        return bool(self.words("priority"))

    @property
    def wred(self) -> Wred | None:
        """Random detection with thresholds."""
        words = self.words("random-detect minimum-threshold")
        if not words:
            return None
        rest = dict(pairwise(words))
        return Wred(
            _bytes(words[0], words[1]),
            _bytes(words[3], words[4]),
            int(rest.get("drop-probability", 100)),
            int(rest.get("weight", 0)),
            words[-1] == "ecn",
        )

    @property
    def pause(self) -> Pause | None:
        """Pause buffer of an input class."""
        words = self.words("pause buffer-size")
        return Pause(int(words[0]), int(words[2]), int(words[4])) if words else None

    @property
    def pfc(self) -> frozenset[int] | None:
        """PFC priorities of a no-drop class; None where the class may drop."""
        words = self.words("pause")
        if "pfc-cos" not in words:
            return None
        return frozenset(numbers_of(words[words.index("pfc-cos") + 1]))


@dataclass(frozen=True, slots=True)
class Policy:
    """A policy map with its classes in order."""

    kind: str
    name: str
    classes: tuple[PolicyClass, ...]


@dataclass(frozen=True, slots=True)
class Interface:
    """An interface as it is configured."""

    name: str
    lines: Block

    def words(self, begin: str, default: str = "") -> tuple[str, ...]:
        """Words after the line that begins so, or those of a default."""
        for line, _ in self.lines.starting(begin):
            return tuple(line.split()[len(begin.split()) :])
        return tuple(default.split())

    @property
    def mtu(self) -> int:
        """MTU in bytes, without the frame's header."""
        return int(self.words("mtu", str(DEFAULT_MTU))[0])

    @property
    def pfc_mode(self) -> str:
        """``auto``, ``on`` or ``off``."""
        return self.words("priority-flow-control mode", "auto")[0]

    @property
    def is_watched(self) -> bool:
        """The watchdog is on here."""
        return self.words("priority-flow-control watch-dog-interval", "off")[0] == "on"

    @property
    def is_routed(self) -> bool:
        """Layer 3."""
        return "no switchport" in self.lines

    @property
    def is_up(self) -> bool:
        """Not shut down."""
        return "shutdown" not in self.lines

    def policy(self, kind: str, direction: str) -> str:
        """Name of an attached policy; empty when there is none."""
        words = self.words(f"service-policy type {kind} {direction}")
        return words[0] if words else ""


@dataclass(frozen=True, slots=True)
class WatchdogTimes:
    """The switch-wide watchdog; times in ms."""

    is_on: bool = False
    interval_ms: int = 100
    shutdown: int = 1
    auto_restore: int = 10
    fixed_restore: int = 0
    internal: int = 2

    @property
    def detection_ms(self) -> int:
        """Time from a stuck queue to its shutdown."""
        return self.interval_ms * self.shutdown

    @property
    def restoration_ms(self) -> int:
        """Time from then until it is looked at again."""
        return self.interval_ms * (self.fixed_restore or self.auto_restore)


@dataclass(frozen=True, slots=True)
class Configuration:
    """Everything that the switch makes of its lines.

    Attributes:
        class_maps: ``(type, name) -> class map``, predefined ones among them.
        policies: ``(type, name) -> policy``, predefined ones among them.
        system: ``(type, direction) -> policy name`` of ``system qos``.
    """

    hostname: str
    features: frozenset[str]
    class_maps: dict[tuple[str, str], ClassMap]
    policies: dict[tuple[str, str], Policy]
    system: dict[tuple[str, str], str]
    interfaces: dict[str, Interface]
    watchdog: WatchdogTimes
    jumbo_mtu: int = JUMBO_MTU
    tlvs: frozenset[str] = field(default_factory=frozenset)

    def groups(self, kind: str, name: str) -> set[int]:
        """QoS groups of a class of a queuing or network-qos policy."""
        if name == CLASS_DEFAULT:
            return {0}
        found = self.class_maps.get((kind, name))
        return found.numbers("qos-group") | found.numbers("cos") if found else set()

    def policy_of(self, interface: Interface, kind: str, direction: str) -> Policy | None:
        """The policy in force at an interface: its own, or the system's."""
        name = interface.policy(kind, direction) or self.system.get((kind, direction), "")
        return self.policies.get((kind, name))

    @property
    def network(self) -> Policy | None:
        """The network-qos policy in force."""
        return self.policies.get(("network-qos", self.system.get(("network-qos", ""), "")))

    def by_group(self, policy: Policy | None) -> dict[int, PolicyClass]:
        """Give ``QoS group -> its class`` of a queuing or network-qos policy."""
        if policy is None:
            return {}
        return {
            group: found
            for found in policy.classes
            for group in self.groups(policy.kind, found.name)
        }


def _bytes(value: str, unit: str) -> int:
    return int(value) * UNITS.get(unit, CELL_BYTES)


@cache
def predefined() -> Block:
    """Lines of the classes and policies that are always there."""
    data = resources.files("netcheck.lab.devices.nxos").joinpath("data/predefined.cfg")
    return read_tree(data.read_text("utf-8"))


def read_configuration(root: Block) -> Configuration:
    """Read the running configuration's lines together with what is predefined."""
    return Configuration(
        hostname=_last(root, "hostname"),
        features=frozenset(line.split()[1] for line, _ in root.starting("feature")),
        class_maps=dict(_class_maps(predefined())) | dict(_class_maps(root)),
        policies=dict(_policies(predefined())) | dict(_policies(root)),
        system=_system(predefined()) | _system(root),
        interfaces={
            line.split()[1]: Interface(line.split()[1], lines)
            for line, lines in root.starting("interface")
        },
        watchdog=_watchdog(root),
        jumbo_mtu=int(_last(root, "system jumbomtu") or JUMBO_MTU),
        tlvs=frozenset(line.split()[2] for line, _ in root.starting("lldp tlv-select")),
    )


def _last(root: Block, begin: str) -> str:
    return next((line.split()[-1] for line, _ in root.starting(begin)), "")


def _class_maps(root: Block) -> Iterator[tuple[tuple[str, str], ClassMap]]:
    for line, lines in root.starting("class-map type"):
        _, _, kind, matching, name = line.split()
        matches = tuple(tuple(row.split()[1:]) for row, _ in lines.starting("match"))
        yield (kind, name), ClassMap(kind, name, matching == "match-any", matches)


def _policies(root: Block) -> Iterator[tuple[tuple[str, str], Policy]]:
    for line, lines in root.starting("policy-map type"):
        _, _, kind, name = line.split()
        classes = tuple(
            PolicyClass(row.split()[-1], actions) for row, actions in lines.starting("class")
        )
        yield (kind, name), Policy(kind, name, classes)


def _system(root: Block) -> dict[tuple[str, str], str]:
    found: dict[tuple[str, str], str] = {}
    for line, _ in root.get("system qos", Block()).starting("service-policy type"):
        words = line.removesuffix(" no-stats").split()[2:]
        direction = words[1] if words[0] != "network-qos" else ""
        found[words[0], direction] = words[-1]
    return found


def _watchdog(root: Block) -> WatchdogTimes:
    default = WatchdogTimes()
    begin = "priority-flow-control"

    def value(words: str, otherwise: int) -> int:
        return int(_last(root, f"{begin} {words}") or otherwise)

    return WatchdogTimes(
        _last(root, f"{begin} watch-dog-interval") == "on",
        value("watch-dog interval", default.interval_ms),
        value("watch-dog shutdown-multiplier", default.shutdown),
        value("auto-restore multiplier", default.auto_restore),
        value("fixed-restore multiplier", default.fixed_restore),
        value("watch-dog internal-interface-multiplier", default.internal),
    )
