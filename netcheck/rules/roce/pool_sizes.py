"""Pools are there and have a size, where the device does not compute one."""

from __future__ import annotations

from collections.abc import Iterator

from netcheck.model.fact import NotGivenError, is_absent, is_readable
from netcheck.model.finding import Severity
from netcheck.model.known import ABSENT, is_known
from netcheck.model.view import DeviceView
from netcheck.rules.roce.budgets import accounts_of
from netcheck.rules.rule import Fault, Scope, rule


@rule(
    "buf-pool-size-missing",
    severity=Severity.ERROR,
    scope=Scope.DEVICE,
    source="derived: sonic-net/sonic-swss cfgmgr/buffermgrdyn.cpp computes the sizes of pools in "
    "the dynamic model alone; cfgmgr/buffermgr.cpp hands on what CONFIG_DB says",
    is_proof=False,
)
def buf_pool_size_missing(device: DeviceView) -> Iterator[Fault]:
    """A buffer pool has no size, and the device does not compute it.

    Why: the accounts of the pool have nothing to share: a lossless class is paused all the time,
        a lossy one drops.
    Bad: traditional buffer model, BUFFER_POOL ingress_lossless_pool without size.
    Good: a size in bytes or percent, or the dynamic buffer model.
    Fix: set the size of the pool.
    """
    whole = device.whole_qos
    if is_readable(whole, "is_headroom_computed") and whole.is_headroom_computed:
        return
    for pool in whole.pools.values():
        if (
            is_absent(pool, "size_bytes")
            and getattr(pool.subject, "size_percent", ABSENT) is ABSENT
        ):
            yield Fault(pool, ("pools",), "a size", "none")


@rule(
    "buf-lossless-pool-missing",
    severity=Severity.ERROR,
    scope=Scope.DEVICE,
    source="NVIDIA Cumulus Linux 5.15, Quality of Service: traffic-pool default-lossless "
    "memory-percent; a pool without a share has none of the buffer",
    is_proof=False,
)
def buf_lossless_pool_missing(device: DeviceView) -> Iterator[Fault]:
    """Lossless accounts draw on a pool that the device gives nothing to.

    Why: they have nothing to share; the class is paused from its first packets on, and ECN never
        comes to act.
    Bad: PFC on the ports, traffic-pool default-lossless without memory-percent.
    Good: traffic-pool default-lossless with memory-percent 50.
    Fix: give the lossless pool its share of the buffer.
    """
    named = {one.pool for one in accounts_of(device) if is_known(one.pool)}
    if not named:
        raise NotGivenError("pools of lossless accounts")
    found = frozenset(device.whole_qos.pools)
    for name in sorted(named - found):
        yield Fault(device, ("pools",), name, found, note="pools of the device")
