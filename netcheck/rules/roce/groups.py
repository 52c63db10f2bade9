"""Priority groups and queues: a lossless class has its own, and every map agrees on which."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from netcheck.model.fact import NotGivenError, is_absent, is_readable
from netcheck.model.finding import Severity
from netcheck.model.qos import Dynamic, PoolKind
from netcheck.model.records import BufferView, DeviceQosView
from netcheck.model.view import LosslessClass, PortView
from netcheck.rules.rule import Fault, Scope, rule

QOS_TEMPLATE = "sonic-net/sonic-buildimage files/build_templates/qos_config.j2"
LEAST_ALPHA = 2.0**-8  # SONiC: dynamic_th -8
PORT_BUFFER = "torvalds/linux drivers/net/ethernet/mellanox/mlx5/core/en/port_buffer.c"


def only_switch(port: PortView) -> None:
    """Leave hosts out.

    Raises:
        NotGivenError: The port is a host's.
    """
    if port.device.is_host:
        raise NotGivenError("switch port")


def only_host(port: PortView) -> None:
    """Leave switches out.

    Raises:
        NotGivenError: The port is a switch's.
    """
    if not port.device.is_host:
        raise NotGivenError("host port")


def lossless_numbers(buffers: Mapping[int, BufferView]) -> frozenset[int]:
    """Priority groups or queues whose account is lossless."""
    return frozenset(number for number, each in buffers.items() if each.is_lossless)


@rule(
    "tc-pg-mismatch",
    severity=Severity.ERROR,
    scope=Scope.PORT,
    source=f"{QOS_TEMPLATE}: priority 3 to priority group 3, 4 to 4",
)
def tc_pg_mismatch(port: PortView) -> Iterator[Fault]:
    """A lossless class is counted to a priority group without a lossless buffer.

    Why: the group has no headroom; it drops instead of pausing.
    Bad: priority 3 to group 0, lossless buffer on group 3.
    Good: priority 3 to group 3, lossless buffer on group 3.
    Fix: correct the map from switch priority to priority group, or bind the lossless profile.
    """
    only_switch(port)
    yield from _unmapped(port, "priority_to_priority_group", "group", beside="priority_to_queue")
    for each in port.lossless:
        group = group_or_same(port, each)
        bound = port.ingress_buffer.get(group)
        is_mapped = is_readable(port, "priority_to_priority_group")
        with_room = lossless_numbers(port.ingress_buffer) if is_mapped else frozenset()
        if group in with_room:
            continue
        if with_room or _is_meant_lossy(bound, port, group):
            yield Fault(
                port,
                ("priority_to_priority_group", "ingress_buffer"),
                with_room or "a lossless buffer",
                group,
                note="priority group of the class",
                number=f"priority {each.priority}",
            )


def group_or_same(port: PortView, each: LosslessClass) -> int:
    """Priority group of a class; where no map was given, the one of its PFC priority.

    Source: opencomputeproject/SAI saiport.h: without a map, PFC priority n is group n.
    """
    if is_readable(port, "priority_to_priority_group"):
        return port.priority_group_of(each.priority)
    return each.pfc_priority


def _unmapped(port: PortView, fact: str, word: str, *, beside: str) -> Iterator[Fault]:
    """A port that pauses, and binds other maps but not this one: everything is in number 0.

    Source: opencomputeproject/SAI saiport.h, SAI_PORT_ATTR_QOS_TC_TO_QUEUE_MAP and
        SAI_PORT_ATTR_QOS_TC_TO_PRIORITY_GROUP_MAP.
    """
    if not (is_readable(port, beside) and getattr(port, beside) and is_readable(port, "pfc_tx")):
        return
    paused = [each.priority for each in port.lossless if each.pfc_priority in port.pfc_tx]
    if paused and is_readable(port, fact) and is_absent(port, fact):
        numbers = ", ".join(map(str, paused))
        yield Fault(
            port,
            (fact,),
            "a map",
            f"none, so all traffic is in {word} 0",
            number=f"priority {numbers}",
        )


def _is_meant_lossy(bound: BufferView | None, port: PortView, number: int) -> bool:
    """The account is a lossy one, and not what an unused port or a group shared by all has."""
    if bound is None or bound.is_lossless or takes_nothing(bound):
        return False
    if not is_readable(port, "priority_to_priority_group"):
        return is_readable(bound, "profile") and "lossy" in bound.profile
    return not _is_default_lossy(bound, port, number)


def takes_nothing(account: BufferView) -> bool:
    """The account has no room at all, as ports that are not in use are given."""
    if not (is_readable(account, "threshold") and is_readable(account, "size_bytes")):
        return False
    limit = account.threshold
    is_least = limit.alpha <= LEAST_ALPHA if isinstance(limit, Dynamic) else limit.limit_bytes == 0
    return account.size_bytes == 0 and is_least


def _is_default_lossy(bound: BufferView | None, port: PortView, group: int) -> bool:
    """The group is the lossy one that everything shares: sharing is another rule's finding."""
    priorities = [one for one, found in port.priority_to_priority_group.items() if found == group]
    return bound is not None and len(priorities) > 1


@rule(
    "lossless-tc-shares-pg-with-lossy",
    severity=Severity.ERROR,
    scope=Scope.PORT,
    source=f"{PORT_BUFFER}: a buffer is lossless if any of its priorities has PFC",
)
def lossless_tc_shares_pg_with_lossy(port: PortView) -> Iterator[Fault]:
    """A lossless and a lossy class share a priority group.

    Why: lossy traffic fills the headroom, and gets paused although it could drop.
    Bad: priorities 0 and 3 in group 0.
    Good: priority 3 alone in group 3.
    Fix: give the lossless class a priority group of its own.
    """
    only_switch(port)
    mapped = port.priority_to_priority_group
    for each in port.lossless:
        group = port.priority_group_of(each.priority)
        sharing = frozenset(
            priority
            for priority, one in mapped.items()
            if one == group and priority not in port.lossless_priorities
        )
        if sharing and each.priority in mapped:
            yield Fault(
                port,
                ("priority_to_priority_group",),
                "a group of its own",
                f"group {group} with {', '.join(map(str, sorted(sharing)))}",
                number=f"priority {each.priority}",
            )


@rule(
    "nic-prio2buffer-mismatch",
    severity=Severity.ERROR,
    scope=Scope.PORT,
    source=f"{PORT_BUFFER}; NVIDIA mlnx_qos documentation, --prio2buffer, --buffer_size",
    is_proof=False,
)
def nic_prio2buffer_mismatch(port: PortView) -> Iterator[Fault]:
    """A paused priority of a NIC has no receive buffer of its own, or one of no size.

    Why: lossy packets take the room that must hold what arrives after the pause.
    Bad: PFC {3}, priorities 0 and 3 in buffer 0.
    Good: priority 3 alone in buffer 1, with a size.
    Fix: mlnx_qos -i DEV --prio2buffer and --buffer_size.
    """
    only_host(port)
    mapped = port.priority_to_priority_group
    for priority in sorted(port.pfc_rx & port.pfc_tx & mapped.keys()):
        buffer = mapped[priority]
        sharing = [
            one for one, other in mapped.items() if other == buffer and one not in port.pfc_tx
        ]
        number = f"priority {priority}"
        facts = ("priority_to_priority_group", "ingress_buffer")
        if sharing:
            found = f"buffer {buffer} with {', '.join(map(str, sorted(sharing)))}"
            yield Fault(port, facts, "a buffer of its own", found, number=number)
        elif is_readable(port, "ingress_buffer") and buffer in port.ingress_buffer:
            with port.attempt():
                if port.ingress_buffer[buffer].size_bytes == 0:
                    yield Fault(port, facts, "> 0 bytes", "0 bytes", number=number)


@rule(
    "tc-queue-mismatch",
    severity=Severity.ERROR,
    scope=Scope.PORT,
    source=f"{QOS_TEMPLATE}: priority 3 to queue 3, whose egress buffer is lossless",
)
def tc_queue_mismatch(port: PortView) -> Iterator[Fault]:
    """A lossless class leaves through a queue whose egress buffer is lossy.

    Why: the queue drops before any pause is sent.
    Bad: priority 3 to queue 1, lossless egress buffer on queue 3.
    Good: priority 3 to queue 3, lossless egress buffer on queue 3.
    Fix: correct the map from switch priority to queue, or bind the lossless egress profile.
    """
    only_switch(port)
    yield from _unmapped(port, "priority_to_queue", "queue", beside="priority_to_priority_group")
    for each in port.lossless:
        is_mapped = is_readable(port, "priority_to_queue")
        queue = port.queue_of(each.priority) if is_mapped else each.pfc_priority
        lossless = lossless_numbers(port.egress_buffer)
        if queue in lossless:
            continue
        if lossless or _has_lossy_egress(port, queue):
            yield Fault(
                port,
                ("priority_to_queue", "egress_buffer"),
                lossless or "a lossless egress buffer",
                queue,
                note="queue of the class",
                number=f"priority {each.priority}",
            )


def _has_lossy_egress(port: PortView, queue: int) -> bool:
    """The queue has a lossy account although the device has an egress profile for lossless ones."""
    bound = port.egress_buffer.get(queue)
    if bound is None or bound.is_lossless or takes_nothing(bound):
        return False
    whole = port.device.whole_qos
    profiles = whole.buffer_profiles if is_readable(whole, "buffer_profiles") else {}
    return any(_is_lossless_egress(whole, profile) for profile in profiles.values())


def _is_lossless_egress(whole: DeviceQosView, profile: BufferView) -> bool:
    if not (is_readable(profile, "is_lossless") and is_readable(profile, "pool")):
        return False
    pool = whole.pools.get(profile.pool) if is_readable(whole, "pools") else None
    is_egress = pool is not None and is_readable(pool, "kind") and pool.kind is PoolKind.EGRESS
    return is_egress and profile.is_lossless


@rule(
    "pfc-queue-map-mismatch",
    severity=Severity.ERROR,
    scope=Scope.PORT,
    source=f"{QOS_TEMPLATE}: MAP_PFC_PRIORITY_TO_QUEUE",
)
def pfc_queue_map_mismatch(port: PortView) -> Iterator[Fault]:
    """A received pause stops another queue than the one the class leaves through.

    Why: the peer asks us to stop and we go on sending.
    Bad: class in queue 3, PFC priority 3 stops queue 4.
    Good: PFC priority 3 stops queue 3.
    Fix: correct the map from PFC priority to queue.
    """
    only_switch(port)
    for each in port.lossless:
        mapped = port.pfc_priority_to_queue
        queue = port.queue_of(each.priority)
        if mapped.get(each.pfc_priority, queue) != queue:
            yield Fault(
                port,
                ("pfc_priority_to_queue", "priority_to_queue"),
                queue,
                mapped[each.pfc_priority],
                number=f"priority {each.pfc_priority}",
                key=str(each.pfc_priority),
            )


@rule(
    "pfc-prio-pg-map-mismatch",
    severity=Severity.ERROR,
    scope=Scope.PORT,
    source=f"{QOS_TEMPLATE}: PFC_PRIORITY_TO_PRIORITY_GROUP_MAP",
    is_proof=False,
)
def pfc_prio_pg_map_mismatch(port: PortView) -> Iterator[Fault]:
    """A full priority group pauses another priority than the one that fills it.

    Why: the sender that overruns us is not held back, and an innocent one is.
    Bad: class in group 3, PFC priority 3 is tied to group 4.
    Good: PFC priority 3 is tied to group 3.
    Fix: correct the map from PFC priority to priority group.
    """
    only_switch(port)
    for each in port.lossless:
        mapped = port.pfc_priority_to_priority_group
        group = port.priority_group_of(each.priority)
        if mapped.get(each.pfc_priority, group) != group:
            yield Fault(
                port,
                ("pfc_priority_to_priority_group", "priority_to_priority_group"),
                group,
                mapped[each.pfc_priority],
                number=f"priority {each.pfc_priority}",
                key=str(each.pfc_priority),
            )


@rule(
    "egress-lossless-queue-drops",
    severity=Severity.ERROR,
    scope=Scope.PORT,
    source="sonic-net/sonic-buildimage device/*/buffers_defaults_t*.j2: egress_lossless_profile "
    "may take the whole pool; RDMA over Commodity Ethernet at Scale, SIGCOMM 2016",
    supersedes=("tc-queue-mismatch",),
)
def egress_lossless_queue_drops(port: PortView) -> Iterator[Fault]:
    """The egress account of a lossless queue drops before the ingress account pauses.

    Why: a packet that was accepted as lossless is dropped on its way out, and nobody is paused.
    Bad: lossless queue with egress alpha 1/8, ingress alpha 1.
    Good: an egress limit that lets the queue take the whole pool.
    Fix: bind the lossless egress profile to the queue; raise its threshold.
    """
    only_switch(port)
    for each in port.lossless:
        queue = port.queue_of(each.priority)
        account = port.egress_buffer.get(queue)
        ingress = port.ingress_buffer.get(port.priority_group_of(each.priority))
        if account is None or ingress is None:
            raise NotGivenError("buffer of the lossless class")
        egress_limit, ingress_limit = account.threshold, ingress.threshold
        if not isinstance(egress_limit, Dynamic) or not isinstance(ingress_limit, Dynamic):
            continue
        if egress_limit.alpha <= ingress_limit.alpha:
            yield Fault(
                port,
                ("egress_buffer",),
                f"alpha > {ingress_limit.alpha:g}",
                f"alpha {egress_limit.alpha:g}",
                note="ingress alpha must be reached first",
                number=f"queue {queue}",
            )
