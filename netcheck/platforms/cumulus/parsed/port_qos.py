"""How a port treats traffic: its profiles, else those of all ports, else RoCE's, else defaults."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from math import inf
from typing import Any, Final

from netcheck.model.document import Evidence
from netcheck.model.frozenmap import FrozenMap
from netcheck.model.known import ABSENT, UNKNOWN, Known, Missing, is_known
from netcheck.model.qos import (
    Buffer,
    CongestionAction,
    DcbxMode,
    Dynamic,
    Ecn,
    PfcMode,
    PortQos,
    Scheduler,
    SchedulerKind,
    Trust,
    Watchdog,
    WatchdogAction,
)
from netcheck.platforms.cumulus import quirks
from netcheck.platforms.cumulus.parsed import defaults
from netcheck.platforms.cumulus.parsed.defaults import OneClick, one_click
from netcheck.platforms.cumulus.parsed.settings import ALL_PORTS, Objects, Settings
from netcheck.platforms.cumulus.parsed.units import threshold_of

LOSSLESS_POOL: Final = "ingress_lossless_pool"
TLVS: Final = ("dcbx-pfc-tlv", "dcbx-ets-config-tlv", "dcbx-ets-recomm-tlv")
_TRUST: Final = {
    "l2": Trust.PCP,
    "pcp": Trust.PCP,
    "l3": Trust.DSCP,
    "dscp": Trust.DSCP,
    "both": Trust.BOTH,
    "port": Trust.PORT,
}
# feature -> facts that come from it
FEATURES: Final = {
    "mapping": ("trust", "dscp_to_priority", "pcp_to_priority"),
    "egress-scheduler": ("scheduler",),
    "congestion-control": ("ecn",),
    "pfc": (
        "pfc_rx",
        "pfc_tx",
        "pfc_mode",
        "ingress_buffer",
        "egress_buffer",
        "priority_to_priority_group",
    ),
    "link-pause": ("global_pause_rx", "global_pause_tx"),
    "remark": ("remark_dscp", "remark_pcp"),
    "pfc-watchdog": ("watchdog",),
}
Facts = dict[str, Any]  # Any: a fact of PortQos, or cable_m
Reader = Callable[[Objects | None, OneClick | None, str], Facts]


@dataclass(slots=True)
class PortFacts:
    """What was found of one port.

    Attributes:
        dangling: ``(feature, profile)`` that the port names and nothing describes.
    """

    qos: PortQos = field(default_factory=PortQos)
    cable_m: Known[int] = UNKNOWN
    evidence: dict[str, Evidence] = field(default_factory=dict)
    dangling: list[tuple[str, str]] = field(default_factory=list)


def read_port(settings: Settings, port: Objects) -> PortFacts:
    """Give what a configuration says of a port; an empty ``port`` stands for all ports."""
    found = PortFacts()
    facts: Facts = {}
    for feature, read in _READERS.items():
        said, evidence = _feature(settings, port, feature, read, found)
        facts |= said
        for fact in FEATURES[feature]:
            found.evidence[fact] = evidence
    facts |= _queues(settings)
    facts |= _pause(settings, port)
    facts |= _dcbx(settings, port)
    facts["watchdog"] = _watchdog(settings, port, facts)
    facts |= _egress(settings, facts)
    facts |= _paused_queues(facts)
    found.cable_m = facts.pop("cable_m", UNKNOWN)
    found.qos = PortQos(**facts)
    return found


def _feature(
    settings: Settings,
    port: Objects,
    feature: str,
    read: Reader,
    found: PortFacts,
) -> tuple[Facts, Evidence]:
    name = settings.binding(feature, port)
    if name:
        return _bound(settings, port, (feature, name), read, found)
    shared = settings.profile(feature, ALL_PORTS)
    if feature in settings.unsettled:
        return {}, settings.section(feature).evidence
    if shared.is_there:
        has_defaults = settings.is_complete(feature)
        return read(shared, None, ALL_PORTS if has_defaults else ""), shared.evidence
    if settings.roce_mode:
        one = one_click(settings.roce_mode)
        evidence = settings.section("roce").evidence
        return (_with_cable(read(None, one, ""), settings) if one else {}), evidence
    if settings.is_default(feature, port):
        return read(None, None, ""), settings.section(feature).evidence
    return {}, Evidence()


def _bound(
    settings: Settings,
    port: Objects,
    profile: tuple[str, str],
    read: Reader,
    found: PortFacts,
) -> tuple[Facts, Evidence]:
    """Facts of the profile that a port names."""
    feature, name = profile
    objects = settings.profile(feature, name)
    if objects.is_there:
        return read(objects, None, name), objects.evidence
    if settings.is_complete(feature):
        found.dangling.append((feature, name))
    return {}, port.at("qos", feature, "profile").evidence


def _with_cable(facts: Facts, settings: Settings) -> Facts:
    if facts.get("pfc_tx"):
        said = settings.section("roce").number("cable-length")
        facts["cable_m"] = said if is_known(said) else defaults.ROCE_CABLE_M
    return facts


def _mapping(profile: Objects | None, one: OneClick | None, name: str) -> Facts:
    if one is not None:
        return {
            "trust": Trust.BOTH,
            "dscp_to_priority": one.dscp,
            "pcp_to_priority": defaults.IDENTITY,
        }
    if profile is None:
        profile = Objects(())
        name = ALL_PORTS
    word = profile.text("trust") or ("l2" if name == ALL_PORTS else "")
    trust = _TRUST.get(word, UNKNOWN)
    return {
        "trust": trust,
        "dscp_to_priority": _marks(profile, "dscp", defaults.DSCP_MAP, trust),
        "pcp_to_priority": _marks(profile, "pcp", defaults.IDENTITY, trust),
    }


def _marks(
    profile: Objects, field_name: str, base: FrozenMap[int, int], trust: Known[Trust]
) -> Known[FrozenMap[int, int]]:
    """Map of a mark: the default with what the profile changes; ABSENT where it is not believed."""
    listed = profile.listed(field_name)
    is_trusted = trust in {Trust.BOTH, Trust(field_name)}
    if not listed and not is_trusted:
        return UNKNOWN if trust is UNKNOWN else ABSENT
    numbers = {mark: one.number("switch-priority") for mark, one in listed.items()}
    if any(isinstance(number, Missing) for number in numbers.values()):
        return UNKNOWN
    return FrozenMap(dict(base) | numbers)  # type: ignore[arg-type] # no Missing is left


def _scheduler(profile: Objects | None, one: OneClick | None, name: str) -> Facts:  # noqa: ARG001 -- one signature for all features
    if one is not None:
        return {"scheduler": one.scheduler}
    if profile is None:
        return {"scheduler": defaults.SCHEDULER}
    rows = profile.listed("traffic-class")
    return {"scheduler": FrozenMap({queue: _service(row) for queue, row in rows.items()})}


def _service(row: Objects) -> Scheduler:
    if row.text("mode") == "strict":
        return Scheduler(SchedulerKind.STRICT)
    return Scheduler(SchedulerKind.WEIGHTED, row.number("bw-percent"))


def _ecn(profile: Objects | None, one: OneClick | None, name: str) -> Facts:  # noqa: ARG001 -- one signature for all features
    if one is not None:
        return {"ecn": one.ecn}
    if profile is None:
        return {"ecn": defaults.ECN_MAP}
    rows = profile.listed("traffic-class")
    marks = {queue: read_marking(row) for queue, row in rows.items()}
    return {"ecn": FrozenMap({queue: marks[queue] for queue in marks if _acts(rows[queue])})}


def _acts(row: Objects) -> bool:
    """Tell whether a queue's row says more than that nothing happens there."""
    is_off = row.switch("ecn") is False and row.switch("red") is not True
    return not is_off or bool(row.text("min-threshold") or row.text("max-threshold"))


def read_marking(row: Objects) -> Ecn:
    """Give the marking of one queue of a profile, with the defaults of what it does not say."""
    marks, drops = row.switch("ecn"), row.switch("red")
    is_marking = marks is not False
    return Ecn(
        _or_default(row, "min-threshold", defaults.KMIN),
        _or_default(row, "max-threshold", defaults.KMAX),
        _or_default(row, "probability", defaults.PMAX),
        CongestionAction.MARK if is_marking else CongestionAction.DROP,
        is_active=is_marking or drops is True,
    )


def _or_default(row: Objects, leaf: str, default: int) -> Known[int]:
    return row.number(leaf) if row.text(leaf) else default


def _pfc(profile: Objects | None, one: OneClick | None, name: str) -> Facts:  # noqa: ARG001 -- one signature for all features
    if profile is None:
        listed = frozenset() if one is None else one.pfc
        account = _computed() if listed else None
        return _pfc_facts(listed, listed, account)
    listed = frozenset(profile.listed("switch-priority"))
    rx = frozenset() if profile.switch("rx") is False else listed
    tx = frozenset() if profile.switch("tx") is False else listed
    facts = _pfc_facts(rx, tx, _account(profile) if listed else None)
    if listed:
        facts["cable_m"] = _or_default(profile, "cable-length", defaults.PFC_CABLE_M)
    return facts


def _pfc_facts(rx: frozenset[int], tx: frozenset[int], account: Buffer | None) -> Facts:
    lossless = sorted(rx | tx)
    accounts = {number: account for number in lossless if account is not None}
    return _groups(lossless) | {
        "pfc_rx": rx,
        "pfc_tx": tx,
        "pfc_mode": PfcMode.ON if lossless else PfcMode.OFF,
        "ingress_buffer": FrozenMap(accounts) if accounts else ABSENT,
    }


def _groups(lossless: list[int]) -> Facts:
    """Groups of a port with PFC: its lossless priorities have their own, the others share group 0.

    Where priority 0 is lossless itself, no document says which group the others share, and
    what groups a port without PFC has matters to nothing.
    """
    facts: Facts = {"pfc_priority_to_priority_group": defaults.IDENTITY}
    if lossless and 0 not in lossless:
        groups = {number: number if number in lossless else 0 for number in defaults.PRIORITIES}
        facts["priority_to_priority_group"] = FrozenMap(groups)
    return facts


def _computed() -> Buffer:
    return Buffer(
        threshold=Dynamic(defaults.LOSSLESS_ALPHA),
        pool=LOSSLESS_POOL,
        is_lossless=True,
        is_computed=True,
    )


def _account(profile: Objects) -> Buffer:
    size, xoff = profile.number("port-buffer"), profile.number("xoff-threshold")
    delta = profile.number("xon-threshold")
    if all(isinstance(one, Missing) for one in (size, xoff, delta)):
        return _computed()
    is_sized = is_known(size) and is_known(xoff)
    return replace(
        _computed(),
        size_bytes=size,
        xoff_bytes=xoff,
        headroom_bytes=size - xoff if is_sized else UNKNOWN,  # type: ignore[operator] # both are known
        xon_bytes=quirks.xon_level(xoff, delta) if is_known(xoff) and is_known(delta) else UNKNOWN,
        is_computed=False,
    )


def _queues(settings: Settings) -> Facts:
    feature = "egress-queue-mapping"
    shared = settings.profile(feature, ALL_PORTS)
    base: FrozenMap[int, int] | None = None
    one = one_click(settings.roce_mode) if settings.roce_mode else None
    if one is not None:
        base = one.queues
    elif shared.is_there or settings.is_complete(feature):
        base = defaults.IDENTITY
    if base is None:
        return {}
    rows = shared.listed("switch-priority")
    numbers = {priority: row.number("traffic-class") for priority, row in rows.items()}
    if any(isinstance(number, Missing) for number in numbers.values()):
        return {}
    queues = FrozenMap(dict(base) | numbers)
    return {"priority_to_queue": queues}


def _paused_queues(facts: Facts) -> Facts:
    """Queues that PFC pauses: those of the priorities it is on for; else of the same number."""
    queues, rx = facts.get("priority_to_queue", UNKNOWN), facts.get("pfc_rx", UNKNOWN)
    if not is_known(queues) or not is_known(rx):
        return {}
    paused = rx | facts["pfc_tx"]
    found = {one: queues.get(one, one) if one in paused else one for one in defaults.PRIORITIES}
    return {"pfc_priority_to_queue": FrozenMap(found)}


def _egress(settings: Settings, facts: Facts) -> Facts:
    """Accounts of the queues of lossless priorities: lossless, and free to take the whole pool.

    Source: CumulusNetworks/docs cumulus-linux-514 Quality of Service, Flow Control
        Buffers: flow_control.egress_buffer.dynamic_quota = ALPHA_INFINITY.
    """
    queues, groups = facts.get("priority_to_queue", UNKNOWN), facts.get("ingress_buffer", UNKNOWN)
    if not is_known(queues) or not is_known(groups):
        return {}
    own = settings.profile("advance-buffer-config", ALL_PORTS).text(
        "egress-lossless-buffer", "shared-alpha"
    )
    threshold = threshold_of(own) if own else Dynamic(inf)
    account = Buffer(threshold=threshold, is_lossless=True)
    return {"egress_buffer": FrozenMap({queues[one]: account for one in groups if one in queues})}


def _pause(settings: Settings, port: Objects) -> Facts:
    feature = "link-pause"
    name = settings.binding(feature, port)
    profile = settings.profile(feature, name or ALL_PORTS)
    if profile.is_there:
        return {
            "global_pause_rx": profile.switch("rx") is not False,
            "global_pause_tx": profile.switch("tx") is not False,
        }
    if name or not settings.is_default(feature, port):
        return {}
    return {"global_pause_rx": False, "global_pause_tx": False}


def _remark(profile: Objects | None, one: OneClick | None, name: str) -> Facts:  # noqa: ARG001 -- one signature for all features
    rewrite = profile.text("rewrite") if profile is not None else ""
    rows = profile.listed("switch-priority") if profile is not None else {}
    return {
        "remark_dscp": _remarks(rows, "dscp", is_on=rewrite in {"l3", "both"}),
        "remark_pcp": _remarks(rows, "pcp", is_on=rewrite in {"l2", "both"}),
    }


def _remarks(rows: dict[int, Objects], leaf: str, *, is_on: bool) -> Known[FrozenMap[int, int]]:
    marks = {number: row.number(leaf) for number, row in rows.items() if row.text(leaf)}
    if not is_on or not marks:
        return ABSENT
    known = {number: mark for number, mark in marks.items() if is_known(mark)}
    return FrozenMap(known) if len(known) == len(marks) else UNKNOWN


def _dcbx(settings: Settings, port: Objects) -> Facts:
    said = [port.switch("lldp", tlv) for tlv in TLVS]
    if settings.roce_mode or any(said):
        mode = DcbxMode.IEEE
    elif settings.is_whole or False in said:
        mode = DcbxMode.DISABLED
    else:
        return {}
    return {"dcbx_mode": mode, "dcbx_willing": False}


def watchdog_times(settings: Settings) -> tuple[Known[int], Known[int]]:
    """Give polling interval and detection time in ms."""
    section = settings.section("pfc-watchdog")
    poll, times = section.number("polling-interval"), section.number("robustness")
    if settings.is_complete("pfc-watchdog"):
        poll = poll if section.text("polling-interval") else defaults.POLL_MS
        times = times if section.text("robustness") else defaults.ROBUSTNESS
    return poll, poll * times if is_known(poll) and is_known(times) else UNKNOWN


def _watchdog(settings: Settings, port: Objects, facts: Facts) -> Known[Watchdog]:
    own = port.at("qos", "pfc-watchdog")
    if not own.is_there:
        return ABSENT if settings.is_default("pfc-watchdog", port) else UNKNOWN
    if own.switch("state") is False:
        return ABSENT
    poll, detection = watchdog_times(settings)
    return Watchdog(
        detection,
        quirks.restoration_ms(poll) if is_known(poll) else UNKNOWN,
        WatchdogAction.DROP,
        facts.get("pfc_rx", UNKNOWN),
    )


_READERS: Final[dict[str, Reader]] = {
    "mapping": _mapping,
    "egress-scheduler": _scheduler,
    "congestion-control": _ecn,
    "pfc": _pfc,
    "remark": _remark,
}
