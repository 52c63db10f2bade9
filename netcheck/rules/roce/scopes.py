"""Where policies meet: a lossless class ends at a border that was meant, and nowhere else."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from functools import cached_property
from operator import itemgetter
from typing import Final, NamedTuple

from netcheck.model.device import Port, Role
from netcheck.model.fabric import Aggregate, Delivery, Fabric, Link, PortRef
from netcheck.model.fact import NotGivenError, is_absent
from netcheck.model.finding import Place, Severity
from netcheck.model.known import ABSENT, UNKNOWN, Known, is_known
from netcheck.model.paths import tier_of
from netcheck.model.view import FabricView, PortView, RdmaView
from netcheck.rules.index import facts_of_ports
from netcheck.rules.rule import Fault, Scope, rule

SIGCOMM: Final = "RDMA over Commodity Ethernet at Scale, SIGCOMM 2016"
PFC: Final = ("pfc_rx", "pfc_tx")


class Lossless(NamedTuple):
    """A lossless class as a link sees it: its PFC priority, and its DSCPs where they are said."""

    pfc_priority: int
    dscp: Known[frozenset[int]]


def policy_name(plan: Fabric, end: PortRef) -> Known[str]:
    """Name of the policy that the intent has for a port; ABSENT ends RDMA there."""
    device = plan.devices.get(end.device)
    port = device.ports.get(end.port) if device else None
    return default_policy(plan) if port is None or port.policy is UNKNOWN else port.policy


def default_policy(plan: Fabric) -> Known[str]:
    """Name of the policy of what no nearer statement covers; ABSENT ends RDMA there."""
    if plan.policy is UNKNOWN and len(plan.policies) == 1:
        return next(iter(plan.policies))
    return plan.policy


def lossless_by_policy(plan: Fabric) -> dict[str, dict[Lossless, str]]:
    """Give ``policy -> lossless class -> its name``, as far as priorities are said."""
    found: dict[str, dict[Lossless, str]] = {}
    for name, policy in plan.policies.items():
        classes = found.setdefault(name, {})
        for each in policy.classes.values():
            number = each.pfc_priority if is_known(each.pfc_priority) else each.priority
            if each.delivery is Delivery.LOSSLESS and is_known(number):
                classes[Lossless(number, each.dscp)] = each.name
    return found


@rule(
    "lossless-at-one-end-only",
    severity=Severity.ERROR,
    scope=Scope.FABRIC,
    source=f"{SIGCOMM}: PFC must stop at the border; derived: a pause needs both ends of a link",
    supersedes=("pfc-prio-peer-mismatch", "pfc-host-missing", "dscp-lossless-at-one-end-only"),
    is_proof=False,
)
def lossless_at_one_end_only(fabric: FabricView) -> Iterator[Fault]:
    """The policies at the two ends of a link do not agree on which priorities are lossless.

    Why: one end sends pauses that the other was never meant to obey; PFC leaks out of the
        domain there, or the class drops although its policy says lossless.
    Bad: policy backend (priority 3 lossless) at the leaf, none or frontend at the other end.
    Good: one policy at both ends, or policies with the same lossless priorities.
    Fix: name the same policy at both ends, or end it at both.
    """
    second_scope(fabric.plan)
    for link in fabric.links:
        if not link.has_ends or not all(end.has_policy or end.ends_rdma for end in link.ends):
            continue
        for here, there in link.directions():
            missing = _paused_by_policy(there) - _paused_by_policy(here)
            if missing:
                yield _one_ended(here, there, missing)


def _one_ended(here: PortView, there: PortView, missing: frozenset[int]) -> Fault:
    names = [each.name for each in there.policy.lossless() if each.pfc_priority in missing]
    return Fault(
        here,
        ("policy", *PFC),
        f"priority {', '.join(map(str, sorted(missing)))} lossless ({', '.join(names)})",
        f"policy {here.policy.name}" if here.has_policy else "policy none",
        note=f"policy {there.policy.name} at the other end",
    )


def _paused_by_policy(port: PortView) -> frozenset[int]:
    if not port.has_policy:
        return frozenset()
    return frozenset(each.pfc_priority for each in port.policy.lossless())


@rule(
    "lossless-class-split",
    severity=Severity.ERROR,
    scope=Scope.FABRIC,
    source="derived: a path is as lossless as its worst hop, so hosts of a class need hops of it",
    is_proof=False,
)
def lossless_class_split(fabric: FabricView) -> Iterator[Fault]:
    """Hosts of one lossless class reach each other only over links where it is not lossless.

    Why: their traffic crosses a scope in which nothing holds it back; it drops there.
    Bad: storage is lossless at hosts of leaf01 and leaf03, and at no spine.
    Good: the policy between the switches has the class too.
    Fix: give the links between them a policy with the class; or give classes that never meet
        other names and marks.
    """
    for each, name, world in _scopes(fabric):
        groups = world.groups(each)
        for reachable in groups.values():
            if len(reachable) < 2:  # noqa: PLR2004 -- one group is the whole scope
                continue
            largest = max(reachable, key=lambda group: (len(group), group))
            for group in sorted(reachable):
                if group is not largest:
                    yield Fault(
                        fabric,
                        ("policy",),
                        f"class {name} lossless on the way to {_some(largest)}",
                        f"no such way from {_some(group)}",
                        places=tuple(Place(leaf) for leaf in group),
                    )


def _some(names: tuple[str, ...]) -> str:
    shown = 3
    rest = f" and {len(names) - shown} more" if len(names) > shown else ""
    return ", ".join(names[:shown]) + rest


@rule(
    "lossless-uplink-left-out",
    severity=Severity.ERROR,
    scope=Scope.FABRIC,
    source="derived: equal-cost routing spreads a class over all uplinks, whatever their policy",
    is_proof=False,
)
def lossless_uplink_left_out(fabric: FabricView) -> Iterator[Fault]:
    """One of several equal uplinks has a policy without a lossless class of the others.

    Why: routing sends a share of the class over it, and that share drops.
    Bad: three uplinks of leaf01 have policy core, the fourth has frontend.
    Good: all uplinks to switches that lead to hosts of the class have it.
    Fix: name the same policy on the uplink.
    """
    for each, name, world in _scopes(fabric):
        for link in world.left_out(each):
            places = tuple(Place(end.device, end.port) for end in (link.a, link.b))
            shown = policy_name(fabric.plan, link.a)
            yield Fault(
                fabric,
                ("policy",),
                f"class {name} lossless, as on the other uplinks",
                f"policy {shown}" if is_known(shown) else "policy none",
                places=places,
            )


class _Stand(NamedTuple):
    """What matters of a device for its links: whether it is a host, and how to find its ports."""

    is_host: bool
    find: Callable[[str], Port | None]


class _Scope:
    """Links between switches, and which of them have a lossless class at both ends.

    Attributes:
        inner: Links between switches with their numbers, by the classes that both ends have.
        outer: Switches of host links, by the classes of the host's end.
    """

    def __init__(self, plan: Fabric, classes: dict[str, dict[Lossless, str]]) -> None:
        self.plan = plan
        self._classes = {name: frozenset(found) for name, found in classes.items()}
        self._default = default_policy(plan)
        self._common: dict[tuple[Known[str], Known[str]], frozenset[Lossless]] = {}
        self.inner: dict[frozenset[Lossless], list[tuple[int, Link]]] = defaultdict(list)
        self.outer: dict[frozenset[Lossless], set[str]] = defaultdict(set)
        stands = {
            name: _Stand(device.role is Role.HOST, device.ports.finder)
            for name, device in plan.devices.items()
        }
        for number, link in enumerate(plan.links):
            (a, a_port), (b, b_port) = link.a, link.b
            near, far = stands.get(a), stands.get(b)
            if near is None or far is None:
                continue
            if not near.is_host and not far.is_host:
                names = (self._policy(near, a_port), self._policy(far, b_port))
                self.inner[self._of_both(names)].append((number, link))
            elif not far.is_host:
                self.outer[self._of(self._policy(near, a_port))].add(b)
            elif not near.is_host:
                self.outer[self._of(self._policy(far, b_port))].add(a)

    def _policy(self, stand: _Stand, name: str) -> Known[str]:
        port = stand.find(name)
        return self._default if port is None or port.policy is UNKNOWN else port.policy

    def _of(self, policy: Known[str]) -> frozenset[Lossless]:
        """Classes that a policy has."""
        return self._classes.get(policy, frozenset()) if is_known(policy) else frozenset()

    def _of_both(self, policies: tuple[Known[str], Known[str]]) -> frozenset[Lossless]:
        found = self._common.get(policies)
        if found is None:
            found = self._common[policies] = self._of(policies[0]) & self._of(policies[1])
        return found

    def leaves(self, each: Lossless) -> list[str]:
        """Switches with hosts of the class."""
        return sorted(set().union(*(one for classes, one in self.outer.items() if each in classes)))

    @cached_property
    def cabled(self) -> dict[str, str]:
        """Give ``switch -> one name for all that cables join``."""
        return _joined(link for links in self.inner.values() for _, link in links)

    def groups(self, each: Lossless) -> dict[str, list[tuple[str, ...]]]:
        """Give ``island of cables -> groups of leaves that the class joins``."""
        leaves = self.leaves(each)
        if len(leaves) < 2:  # noqa: PLR2004 -- a way has two ends
            return {}
        within = _joined(self.carried(each))
        found: dict[str, dict[str, list[str]]] = {}
        for leaf in leaves:
            island = found.setdefault(self.cabled.get(leaf, leaf), {})
            island.setdefault(within.get(leaf, leaf), []).append(leaf)
        return {name: [tuple(one) for one in each.values()] for name, each in found.items()}

    def carried(self, each: Lossless) -> Iterator[Link]:
        """Links between switches that have the class at both ends."""
        return (
            link for classes, links in self.inner.items() if each in classes for _, link in links
        )

    def left_out(self, each: Lossless) -> Iterator[Link]:
        """Uplinks without the class, of switches with hosts of it, to switches that carry it."""
        carriers = {end.device for link in self.carried(each) for end in (link.a, link.b)}
        leaves = carriers.intersection(self.leaves(each))
        found = [
            numbered
            for classes, links in self.inner.items()
            if leaves and each not in classes
            for numbered in links
            if self._is_up(numbered[1], leaves, carriers)
        ]
        return (link for _, link in sorted(found, key=itemgetter(0)))

    def _is_up(self, link: Link, leaves: set[str], carriers: set[str]) -> bool:
        """The lower end is one of the leaves, and the higher one of the carriers."""
        a, b = link.a.device, link.b.device
        if not ((a in leaves and b in carriers) or (b in leaves and a in carriers)):
            return False
        rise = tier_of(self.plan, b) - tier_of(self.plan, a)
        low, high = (a, b) if rise > 0 else (b, a)
        return rise != 0 and low in leaves and high in carriers


def _scopes(fabric: FabricView) -> Iterator[tuple[Lossless, str, _Scope]]:
    """Each lossless class that not every port has, with its name and the links of the fabric."""
    scoped = second_scope(fabric.plan)
    by_policy = lossless_by_policy(fabric.plan)
    world: _Scope | None = fabric.parts.get("scopes")
    if world is None:
        world = fabric.parts["scopes"] = _Scope(fabric.plan, by_policy)
    names = {each: name for classes in by_policy.values() for each, name in classes.items()}
    for each in scoped:
        yield each, names[each], world


def second_scope(plan: Fabric) -> list[Lossless]:
    """Give the lossless classes that not every port has.

    Raises:
        NotGivenError: All policies have the same ones, so there is nothing to cross.
    """
    by_policy = lossless_by_policy(plan)
    everywhere = set.intersection(*map(set, by_policy.values())) if by_policy else set()
    is_partial = _ends_somewhere(plan)
    every = dict.fromkeys(each for classes in by_policy.values() for each in classes)
    scoped = [each for each in every if is_partial or each not in everywhere]
    if not scoped:
        raise NotGivenError("a second scope")
    return scoped


def _ends_somewhere(plan: Fabric) -> bool:
    return plan.policy is ABSENT or ABSENT in facts_of_ports(plan, "policy")


def _joined(links: Iterable[Link]) -> dict[str, str]:
    """Give ``device -> one name for all that the links join``."""
    beside: dict[str, set[str]] = defaultdict(set)
    for a, b in {(link.a.device, link.b.device): None for link in links}:
        beside[a].add(b)
        beside[b].add(a)
    found: dict[str, str] = {}
    for start in beside:
        ahead = set() if start in found else {start}
        while ahead:
            found.update(dict.fromkeys(ahead, start))
            ahead = set().union(*map(beside.__getitem__, ahead)) - found.keys()
    return found


@rule(
    "lag-policy-differs",
    severity=Severity.ERROR,
    scope=Scope.FABRIC,
    source="IEEE 802.1AX: a flow may take any member; derived: so all members need one policy",
    supersedes=("pfc-lag-member-mismatch",),
    is_proof=False,
)
def lag_policy_differs(fabric: FabricView) -> Iterator[Fault]:
    """Members of one aggregate, or of an MLAG, have different policies.

    Why: the hash decides which policy a flow gets, and with it whether it drops.
    Bad: Ethernet0 of PortChannel1 has policy backend, Ethernet8 has frontend.
    Good: one policy on all members, at both MLAG peers.
    Fix: name the same policy for every member.
    """
    plan = fabric.plan
    if not plan.aggregates:
        raise NotGivenError("aggregates")
    for name, members in _bundles(plan):
        held = {end: policy_name(plan, end) for end in members}
        usual = max(held.values(), key=lambda one: (list(held.values()).count(one), str(one)))
        for end, one in held.items():
            if one != usual:
                yield Fault(
                    fabric,
                    ("policy", *PFC),
                    _policy_word(usual),
                    _policy_word(one),
                    note=f"as other members of {name}",
                    places=(Place(end.device, end.port),),
                )


def _policy_word(name: Known[str]) -> str:
    return f"policy {name}" if is_known(name) else "policy none"


def _bundles(plan: Fabric) -> Iterator[tuple[str, list[PortRef]]]:
    """Each aggregate with its members; those of MLAG peers together, once."""
    by_place = {(one.device, one.name): one for one in plan.aggregates}
    seen: set[tuple[str, str]] = set()
    for one in plan.aggregates:
        if (one.device, one.name) in seen:
            continue
        peer = _other_half(by_place, one)
        halves = [one] if peer is None else [one, peer]
        seen.update((half.device, half.name) for half in halves)
        yield one.name, [PortRef(half.device, port) for half in halves for port in half.members]


def _other_half(by_place: dict[tuple[str, str], Aggregate], one: Aggregate) -> Aggregate | None:
    return by_place.get((one.mlag_peer, one.name)) if is_known(one.mlag_peer) else None


@rule(
    "mlag-peer-one-sided",
    severity=Severity.ERROR,
    scope=Scope.FABRIC,
    source="derived: an MLAG is one aggregate on two switches; both must know of it",
    is_proof=False,
)
def mlag_peer_one_sided(fabric: FabricView) -> Iterator[Fault]:
    """An aggregate names an MLAG peer that has no such aggregate, or names another peer.

    Why: the host bundles both cables while only one switch does; half of its traffic is lost
        or loops.
    Bad: leaf01 PortChannel1 has mlag_peer leaf02, leaf02 has no PortChannel1.
    Good: both have PortChannel1, each naming the other.
    Fix: declare the aggregate at both peers under one name.
    """
    by_place = {(one.device, one.name): one for one in fabric.plan.aggregates}
    shared = [one for one in by_place.values() if is_known(one.mlag_peer)]
    if not shared:
        raise NotGivenError("MLAG")
    for one in shared:
        peer = _other_half(by_place, one)
        if peer is not None and peer.mlag_peer == one.device:
            continue
        found = "no such aggregate" if peer is None else f"mlag_peer {_named(peer)}"
        yield Fault(
            fabric,
            ("aggregate",),
            f"the aggregate with mlag_peer {one.device}",
            found,
            places=(Place(str(one.mlag_peer), one.name),),
        )


def _named(one: Aggregate) -> str:
    return one.mlag_peer if is_known(one.mlag_peer) else "not said"


@rule(
    "roce-traffic-class-forced",
    severity=Severity.ERROR,
    scope=Scope.RDMA,
    source="NVIDIA: /sys/class/infiniband/DEV/tc/1/traffic_class overrides what jobs ask for",
    supersedes=("roce-traffic-class-unset",),
    is_proof=False,
)
def roce_traffic_class_forced(rdma: RdmaView) -> Iterator[Fault]:
    """A NIC with two classes of RDMA traffic forces one mark on all of it.

    Why: the second class travels in the first; it is paused with it and never counted apart.
    Bad: classes rdma and storage, traffic class 106 forced.
    Good: nothing forced; each job asks for its class.
    Fix: take the forced value back, and set the traffic class in each job.
    """
    names = [each.name for each in rdma.policy.classes if each.is_lossless and not each.is_cnp]
    if len(names) < 2:  # noqa: PLR2004 -- one class may be forced
        raise NotGivenError("a second class of RDMA traffic")
    if not is_absent(rdma, "traffic_class") and rdma.traffic_class:
        found = f"ToS {rdma.traffic_class} forced"
        yield Fault(rdma, ("traffic_class",), f"none forced, for {', '.join(names)}", found)
