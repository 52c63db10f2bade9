"""What holds for the whole switch, worked out of what is said of its ports."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache

from netcheck.model.device import Port
from netcheck.model.frozenmap import FrozenMap
from netcheck.model.known import UNKNOWN, Known, is_known
from netcheck.model.qos import Buffer, PortQos, Static, Trust, Watchdog
from netcheck.platforms.nxos.quirks import QUEUES
from netcheck.platforms.switch import Switch

NoDrop = FrozenMap[int, frozenset[int]]
IDENTITY = FrozenMap({number: number for number in QUEUES})
MARKS = {Trust.DSCP: range(64), Trust.PCP: QUEUES}


@dataclass(frozen=True, slots=True)
class Classes:
    """How a port classifies: ``mark -> qos-group`` for all marks of one kind.

    Attributes:
        trust: DSCP or PCP.
        default: Qos-group of ``class-default``.
    """

    trust: Trust
    groups: FrozenMap[int, int]
    default: int
    remark_dscp: FrozenMap[int, int]
    remark_pcp: FrozenMap[int, int]


@lru_cache(maxsize=1024)
def classes_of(qos: PortQos) -> Classes | None:
    """Give the classification of a port; None where no map is said."""
    for trust, found in ((Trust.DSCP, qos.dscp_to_priority), (Trust.PCP, qos.pcp_to_priority)):
        if is_known(found):
            counted = Counter(found.values())
            default = min(counted, key=lambda group: (-counted[group], group), default=0)
            claimed = {mark: group for mark, group in found.items() if group != default}
            return Classes(
                trust,
                # a map that leads all marks to one group still has to name its marks
                FrozenMap(claimed or found),
                default,
                qos.remark_dscp if is_known(qos.remark_dscp) else FrozenMap(),
                qos.remark_pcp if is_known(qos.remark_pcp) else FrozenMap(),
            )
    return None


def distinct_ports(switch: Switch) -> list[Port]:
    """Give the first port of each kind that is judged on its own, in order."""
    kinds: dict[tuple[object, ...], Port] = {}
    for port in switch.kinds:
        kinds.setdefault((port.qos, port.cable_m, port.l2_mtu), port)
    return list(kinds.values())


def no_drop(ports: Iterable[Port]) -> NoDrop:
    """Give ``qos-group -> PFC priorities`` of the classes that some port pauses."""
    found: dict[int, set[int]] = {}
    for port in ports:
        if is_known(port.qos.pfc_tx):
            for priority in port.qos.pfc_tx:
                found.setdefault(group_of(port.qos, priority), set()).add(priority)
    return FrozenMap({group: frozenset(found[group]) for group in sorted(found)})


def group_of(qos: PortQos, pfc_priority: int) -> int:
    """Qos-group that a PFC priority pauses: as said, else the one of its number."""
    mapped = qos.pfc_priority_to_queue
    return mapped.get(pfc_priority, pfc_priority) if is_known(mapped) else pfc_priority


def has_network_policy(switch: Switch) -> bool:
    """Something is said that the policy of type network-qos holds."""
    facts = (
        "pfc_tx",
        "priority_to_priority_group",
        "pfc_priority_to_queue",
        "pfc_priority_to_priority_group",
        "mtu_by_priority",
    )
    return any(getattr(port.qos, fact) is not UNKNOWN for port in switch.kinds for fact in facts)


def class_mtus(switch: Switch) -> FrozenMap[int, int]:
    """Give ``qos-group -> MTU``: as said, else the largest MTU of any port for every class."""
    for port in switch.kinds:
        if is_known(port.qos.mtu_by_priority):
            return port.qos.mtu_by_priority
    mtus = [port.l2_mtu for port in switch.kinds if is_known(port.l2_mtu)]
    least = 1500
    return FrozenMap(dict.fromkeys(QUEUES, max(least, *mtus))) if mtus else FrozenMap()


def owned_groups(paused: NoDrop, qos: PortQos) -> frozenset[int]:
    """No-drop qos-groups of a port: all where it pauses, else those that its marks lead to."""
    if not is_known(qos.pfc_tx) or qos.pfc_tx:
        return frozenset(paused)
    maps = (qos.dscp_to_priority, qos.pcp_to_priority)
    used = {group for each in maps if is_known(each) for group in each.values()}
    return frozenset(paused) & used


def expected_groups(paused: NoDrop, qos: PortQos) -> FrozenMap[int, int]:
    """Priority groups that a port has: no-drop classes their own, all others share one."""
    owned = owned_groups(paused, qos)
    shared = next((each for each in QUEUES if each not in owned), 0)
    return FrozenMap({each: each if each in owned else shared for each in QUEUES})


def expected_pfc_map(paused: NoDrop, qos: PortQos) -> FrozenMap[int, int]:
    """Qos-group of each PFC priority, as the policy of type network-qos makes it."""
    owned = owned_groups(paused, qos)
    return IDENTITY.with_items({each: group for group in owned for each in paused[group]})


@lru_cache(maxsize=1024)
def explicit_accounts(qos: PortQos) -> FrozenMap[int, Buffer]:
    """Accounts that state their numbers, by qos-group."""
    accounts = qos.ingress_buffer if is_known(qos.ingress_buffer) else FrozenMap[int, Buffer]()
    return FrozenMap(
        {
            group: accounts[group]
            for group in sorted(accounts)
            if accounts[group].is_computed is not True
        }
    )


def pause_threshold(account: Buffer) -> Known[int]:
    """Fill at which an account pauses: as stated, else what lies below its headroom."""
    if is_known(account.xoff_bytes):
        return account.xoff_bytes
    if isinstance(account.threshold, Static):
        return account.threshold.limit_bytes
    if is_known(account.size_bytes) and is_known(account.headroom_bytes):
        return account.size_bytes - account.headroom_bytes
    return UNKNOWN


def watchdogs(ports: Iterable[Port]) -> Iterator[tuple[Port, Watchdog]]:
    """Yield each port that has a watchdog, with it."""
    for port in ports:
        if is_known(port.qos.watchdog):
            yield port, port.qos.watchdog
