"""Pools and profiles fit together; queues that should carry traffic do."""

from __future__ import annotations

from collections.abc import Iterator

from netcheck.model.counters import Meaning, with_meaning
from netcheck.model.fact import NotGivenError, is_readable
from netcheck.model.finding import Place, Severity
from netcheck.model.known import is_known
from netcheck.model.qos import Dynamic
from netcheck.model.view import DeviceView
from netcheck.rules.rule import Fault, Scope, rule


@rule(
    "buf-profile-mode-mismatch",
    severity=Severity.WARNING,
    scope=Scope.DEVICE,
    source="sonic-net/sonic-buildimage pull request 10627: a static pool calls for static_th",
)
def buf_profile_mode_mismatch(device: DeviceView) -> Iterator[Fault]:
    """A buffer profile of a static pool has a dynamic threshold.

    Why: some ASICs refuse it, others take it for something else. (Several shipped
        configurations have it, so it is a warning. A fixed limit in a dynamic pool is usual.)
    Bad: a dynamic threshold in a profile of a static pool.
    Good: a static threshold in a profile of a static pool.
    Fix: give the profile the threshold of its pool's mode.
    """
    whole = device.whole_qos
    if not is_readable(whole, "buffer_profiles"):
        raise NotGivenError("buffer profiles")
    for name, profile in whole.buffer_profiles.items():
        with device.attempt():
            pool = whole.pools.get(profile.pool)
            if pool is None:
                continue
            if isinstance(profile.threshold, Dynamic) and not pool.is_dynamic:
                yield Fault(
                    profile,
                    ("buffer_profiles", "pools"),
                    "static threshold",
                    "dynamic threshold",
                    note=f"pool {profile.pool} of profile {name}",
                )


@rule(
    "buf-egress-pool-below-ingress",
    severity=Severity.WARNING,
    scope=Scope.DEVICE,
    source="sonic-net/sonic-buildimage pull request 21320: drops at egress before the headroom "
    "of the ingress pool is full",
    is_proof=False,
)
def buf_egress_pool_below_ingress(device: DeviceView) -> Iterator[Fault]:
    """The egress pool of lossless queues is smaller than the ingress pool.

    Why: the egress pool fills first and drops lossless packets that ingress still takes. (Several
        shipped configurations have it, so it is a warning.)
    Bad: ingress pool 32689152 bytes, egress pool 32340992 bytes.
    Good: an egress pool of at least the size of the ingress pool.
    Fix: raise the size of the egress pool, or lower that of the ingress pool.
    """
    pools = device.whole_qos.pools
    ingress, egress = (pools.get(f"{side}_lossless_pool") for side in ("ingress", "egress"))
    if ingress is None or egress is None:
        raise NotGivenError("pools of lossless traffic")
    if 0 < egress.size_bytes < ingress.size_bytes:
        yield Fault(egress, ("pools",), f">= {ingress.size_bytes}", egress.size_bytes, note="size")


@rule(
    "lossless-queue-idle",
    severity=Severity.WARNING,
    scope=Scope.DEVICE,
    source="sonic-net/sonic-buildimage issue 21891: all traffic in other queues",
    is_proof=False,
)
def lossless_queue_idle(device: DeviceView) -> Iterator[Fault]:
    """No packet ever left in a lossless class, though others carry traffic.

    Why: RDMA traffic is in another class, where it drops; or there was none yet.
    Bad: queue 3 counted 0 packets, queue 1 millions.
    Good: queue 3 counts packets.
    Fix: check the DSCP of the hosts and the maps of the switch.
    """
    lossless = {each.priority for each in device.policy.lossless()}
    if not lossless:
        raise NotGivenError("lossless priority")
    if device.is_host:
        yield from _idle_priorities(device, lossless)
        return
    for name, counted in _packets(device, Meaning.QUEUE_PACKETS).items():
        port = device.record.ports.get(name)
        mapped = port.qos.priority_to_queue if port else None
        for priority in sorted(lossless):
            known = mapped if mapped is not None and is_known(mapped) else {}
            queue = known.get(priority, priority)
            if counted.get(queue) == 0 and any(counted.values()):
                yield Fault(
                    device,
                    ("counters",),
                    "> 0 packets",
                    "0 packets",
                    places=(Place(device.record.name, name, f"queue {queue}"),),
                )


def _idle_priorities(device: DeviceView, lossless: set[int]) -> Iterator[Fault]:
    """Yield priorities of a NIC that never sent a packet, where every packet left in others."""
    for name, counted in _packets(device, Meaning.PRIORITY_TX_PACKETS).items():
        for priority in sorted(lossless):
            if counted.get(priority) == 0 and any(counted.values()):
                place = Place(device.record.name, name, f"priority {priority}")
                facts = (f"tx_prio{priority}_packets", "counters")
                yield Fault(device, facts, "> 0 packets", "0 packets", places=(place,))


def _packets(device: DeviceView, meaning: Meaning) -> dict[str, dict[int, int]]:
    """Packets by port and by queue or priority."""
    found: dict[str, dict[int, int]] = {}
    for key, counter in with_meaning(device.counters, meaning):
        if is_known(counter.value):
            queues = found.setdefault(key.port, {})
            queues[key.number] = queues.get(key.number, 0) + counter.value
    return found
