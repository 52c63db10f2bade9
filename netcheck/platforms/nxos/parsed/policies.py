"""What policy-maps mean: classification, scheduling, marking, no-drop classes, pauses."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final

from netcheck.model.device import Defect, DefectKind
from netcheck.model.digits import number_of
from netcheck.model.frozenmap import FrozenMap
from netcheck.model.known import ABSENT, UNKNOWN, Known
from netcheck.model.qos import (
    Buffer,
    CongestionAction,
    Ecn,
    Scheduler,
    SchedulerKind,
    Static,
    Trust,
)
from netcheck.platforms.nxos.parsed.config import (
    NETWORK,
    QOS,
    QUEUING,
    ClassMap,
    Config,
    PolicyClass,
    PolicyMap,
)
from netcheck.platforms.nxos.parsed.sections import Line
from netcheck.platforms.nxos.parsed.words import BYTES_OF, DSCP_NAMES, numbers
from netcheck.platforms.nxos.quirks import is_predefined_policy, predefined_group

DEFAULT_CLASS: Final = "class-default"
_ECN: Final = re.compile(
    r"random-detect(?: minimum-threshold (?P<kmin>\d+) (?P<kmin_unit>packets|bytes|kbytes|mbytes)"
    r" maximum-threshold (?P<kmax>\d+) (?P<kmax_unit>packets|bytes|kbytes|mbytes))?"
    r"(?: drop-probability (?P<pmax>\d+))?(?: weight \d+)?"
    r"(?: threshold (?:burst|mesh)-optimized)?(?: cap-average)?(?P<ecn> ecn)?(?: non-ecn)?"
)
_PAUSE: Final = re.compile(r"pause buffer-size (\d+) pause-threshold (\d+) resume-threshold (\d+)")
_NO_DROP: Final = re.compile(r"pause(?: no-drop)?(?: pfc-cos (?P<cos>[\d,-]+))?(?: receive)?")
_SHAPE: Final = re.compile(r"shape(?: min \d+ \S+)? max (\d+) (bps|kbps|mbps|gbps)")
_BPS: Final = {"bps": 1, "kbps": 10**3, "mbps": 10**6, "gbps": 10**9}


@dataclass(frozen=True, slots=True)
class Classification:
    """What an input policy of type qos does with marks."""

    trust: Known[Trust] = UNKNOWN
    dscp: Known[FrozenMap[int, int]] = UNKNOWN
    pcp: Known[FrozenMap[int, int]] = UNKNOWN
    remark_dscp: Known[FrozenMap[int, int]] = UNKNOWN
    remark_pcp: Known[FrozenMap[int, int]] = UNKNOWN


@dataclass(frozen=True, slots=True)
class Queuing:
    """What an output policy of type queuing does with queues."""

    scheduler: Known[FrozenMap[int, Scheduler]] = UNKNOWN
    ecn: Known[FrozenMap[int, Ecn]] = UNKNOWN


@dataclass(slots=True)
class Network:
    """What the policy of type network-qos says of each qos-group.

    Attributes:
        pauses: ``qos-group -> PFC priorities`` of the no-drop classes; UNKNOWN
            where it is not known which priority pauses.
        is_known: The policy was read; without it nothing is known of any group.
        is_partial: Nobody wrote it, or a class of it is not defined: which
            accounts there are remains open.
    """

    pauses: dict[int, Known[frozenset[int]]] = field(default_factory=dict)
    mtu: dict[int, int] = field(default_factory=dict)
    is_known: bool = False
    is_partial: bool = False
    line: Line | None = None


DEFAULT_OUTPUT: Final = Queuing(
    FrozenMap(
        {
            0: Scheduler(SchedulerKind.WEIGHTED, 100),
            **{queue: Scheduler(SchedulerKind.WEIGHTED, 0) for queue in range(1, 7)},
            7: Scheduler(SchedulerKind.STRICT),
        }
    ),
    ABSENT,
)
UNCLASSIFIED: Final = Classification(
    Trust.NONE, FrozenMap(dict.fromkeys(range(64), 0)), ABSENT, ABSENT, ABSENT
)


def group_of(kind: str, name: str, config: Config) -> int | None:
    """Qos-group of a class of type queuing or network-qos; None where it is not defined."""
    found = predefined_group(name)
    if found is not None:
        return found
    defined = config.class_maps.get((kind, name))
    if defined is not None and len(defined.groups) == 1:
        return min(defined.groups)
    return None


def find_policy(kind: str, name: str, config: Config) -> PolicyMap | None:
    """Give the policy-map of that type and name, where it is defined."""
    return config.policy_maps.get((kind, name))


def number_in(line: Line) -> int:
    """Last number of a line."""
    return number_of(re.findall(r"\d+", line.words)[-1])


def classification(policy: PolicyMap, config: Config) -> Classification:
    """What a policy of type qos leads each mark to; classes that come first win."""
    reader = _Marks()
    for each in policy.classes.values():
        group = number_in(each.actions["group"]) if "group" in each.actions else 0
        if each.name == DEFAULT_CLASS:
            reader.default = group
            reader.remark(group, each)
            break
        reader.take(each, group, config.class_maps.get((QOS, each.name)))
    return reader.result()


@dataclass(slots=True)
class _Marks:
    dscp: dict[int, int] = field(default_factory=dict)
    pcp: dict[int, int] = field(default_factory=dict)
    remarks: dict[str, dict[int, int]] = field(default_factory=lambda: {"dscp": {}, "cos": {}})
    default: int = 0
    is_unclear: bool = False

    def take(self, each: PolicyClass, group: int, found: ClassMap | None) -> None:
        self.remark(group, each)
        if found is None or found.other or (found.is_all and found.lines > 1):
            self.is_unclear = True
            return
        for dscp in found.dscp:
            self.dscp.setdefault(dscp, group)
        for pcp in found.cos:
            self.pcp.setdefault(pcp, group)

    def remark(self, group: int, each: PolicyClass) -> None:
        for word, there in self.remarks.items():
            line = each.actions.get(word)
            if line is not None:
                said = numbers(line.words.split()[-1], 63, DSCP_NAMES)
                there.update(dict.fromkeys([group], min(said)) if said else {})

    def result(self) -> Classification:
        remark_dscp, remark_pcp = (
            FrozenMap(found) if found else ABSENT for found in self.remarks.values()
        )
        if self.is_unclear:
            return Classification(remark_dscp=remark_dscp, remark_pcp=remark_pcp)
        trust = _TRUST[bool(self.dscp), bool(self.pcp)]
        whole = {dscp: self.dscp.get(dscp, self.default) for dscp in range(64)}
        pcps = {pcp: self.pcp.get(pcp, self.default) for pcp in range(8)}
        return Classification(
            trust,
            ABSENT if trust is Trust.PCP else FrozenMap(whole),
            FrozenMap(pcps) if self.pcp else ABSENT,
            remark_dscp,
            remark_pcp,
        )


_TRUST: Final = {
    (True, True): Trust.BOTH,
    (True, False): Trust.DSCP,
    (False, True): Trust.PCP,
    (False, False): Trust.NONE,
}


def queuing(policy: PolicyMap, config: Config) -> Queuing:
    """What an output policy of type queuing gives each queue."""
    schedulers: dict[int, Scheduler] = {}
    markings: dict[int, Ecn] = {}
    for each in policy.classes.values():
        queue = group_of(QUEUING, each.name, config)
        if queue is None:
            return Queuing()
        scheduler = _scheduler(each)
        if scheduler is not None:
            schedulers[queue] = scheduler
        line = each.actions.get("ecn")
        if line is not None:
            markings[queue] = _marking(line)
    return Queuing(
        FrozenMap(dict(sorted(schedulers.items()))),
        FrozenMap(dict(sorted(markings.items()))) if markings else ABSENT,
    )


def _scheduler(each: PolicyClass) -> Scheduler | None:
    shape = each.actions.get("shape")
    match = _SHAPE.fullmatch(shape.words) if shape else None
    shaper: Known[int] = UNKNOWN
    if match:
        shaper = int(match[1]) * _BPS[match[2]]
    if "priority" in each.actions:
        return Scheduler(SchedulerKind.STRICT, shaper_bps=shaper)
    if "bandwidth" in each.actions:
        return Scheduler(SchedulerKind.WEIGHTED, number_in(each.actions["bandwidth"]), shaper)
    return None


def _marking(line: Line) -> Ecn:
    match = _ECN.fullmatch(line.words)
    if match is None:
        return Ecn()
    action = CongestionAction.MARK if match["ecn"] else CongestionAction.DROP
    return Ecn(
        _bytes(match["kmin"], match["kmin_unit"]),
        _bytes(match["kmax"], match["kmax_unit"]),
        int(match["pmax"]) if match["pmax"] else UNKNOWN,
        action,
        is_active=True,
    )


def _bytes(number: str | None, unit: str | None) -> Known[int]:
    """Bytes of a threshold; UNKNOWN in packets, whose size nobody states."""
    factor = BYTES_OF.get(unit or "")
    return number_of(number) * factor if number is not None and factor else UNKNOWN


def pauses(policy: PolicyMap, config: Config) -> dict[int, Buffer] | None:
    """Give ``priority group -> account`` of an input policy; None where a class is not known."""
    found: dict[int, Buffer] = {}
    for each in policy.classes.values():
        group = group_of(QUEUING, each.name, config)
        if group is None:
            return None
        line = each.actions.get("pause")
        match = _PAUSE.fullmatch(line.words) if line else None
        if match is not None:
            found[group] = account(*map(int, match.groups()))
    return found


def account(size: int, pause: int, resume: int) -> Buffer:
    """Account of a no-drop class: pauses at ``pause`` bytes, has room up to ``size``.

    Example:
        >>> account(101920, 46800, 34320).headroom_bytes
        55120
    """
    return Buffer(
        size_bytes=size,
        headroom_bytes=max(size - pause, 0),
        xoff_bytes=pause,
        xon_bytes=resume,
        threshold=Static(pause),
        is_lossless=True,
        is_computed=False,
    )


def network(policy: PolicyMap, config: Config) -> Network:
    """What a policy of type network-qos says: who pauses, and how large packets may be."""
    found = Network(is_known=True, line=policy.line)
    for each in policy.classes.values():
        group = group_of(NETWORK, each.name, config)
        if group is None:
            found.is_partial = True
            continue
        line = each.actions.get("mtu")
        if line is not None:
            found.mtu[group] = number_in(line)
        line = each.actions.get("pause")
        match = _NO_DROP.fullmatch(line.words) if line else None
        if match is not None:
            found.pauses[group] = _pfc_priorities(match["cos"], group, config)
    return found


def _pfc_priorities(said: str | None, group: int, config: Config) -> Known[frozenset[int]]:
    """PFC priorities of a no-drop class: as said, else the CoS that lead to its qos-group."""
    if said is not None:
        found = numbers(said, 7)
        return found or UNKNOWN
    marks = {
        pcp
        for (kind, _), policy in config.policy_maps.items()
        if kind == QOS
        for each in policy.classes.values()
        if "group" in each.actions and number_in(each.actions["group"]) == group
        for pcp in getattr(config.class_maps.get((QOS, each.name)), "cos", ())
    }
    return frozenset(marks) if marks else UNKNOWN


def dangling(config: Config) -> Iterator[Defect]:
    """Yield the names that are used and that a whole configuration does not define."""
    if not config.is_whole:
        return
    for (kind, _), policy in config.policy_maps.items():
        for each in policy.classes.values():
            if kind == QOS:
                is_there = each.name == DEFAULT_CLASS or (kind, each.name) in config.class_maps
            else:
                is_there = (
                    predefined_group(each.name) is not None
                    or (kind, each.name) in config.class_maps
                )
            if not is_there:
                yield _dangle(each.line, f"policy-map {policy.name}", f"class-map {each.name}")


def dangling_binding(line: Line, kind: str, name: str, place: str) -> Defect:
    """A policy that is bound and not defined."""
    return _dangle(line, place, f"policy-map type {kind} {name}")


def is_defined(kind: str, name: str, config: Config) -> bool:
    """A policy-map is written, or the system has it."""
    return (kind, name) in config.policy_maps or is_predefined_policy(name)


def _dangle(line: Line, place: str, missing: str) -> Defect:
    return Defect(
        DefectKind.DANGLING_REFERENCE,
        place,
        f"{place}: {missing} is not defined",
        expected=f"{missing}, defined",
        found=line.words,
        evidence=line.evidence,
    )
