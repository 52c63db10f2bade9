"""What NVUE cannot say of buffer accounts and pools."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from netcheck.model.known import ABSENT, UNKNOWN, is_known, known_or
from netcheck.model.qos import Buffer, BufferPool, DeviceQos, Dynamic, PoolKind, PortQos
from netcheck.platforms.cumulus.parsed.defaults import LOSSLESS_ALPHA
from netcheck.platforms.cumulus.parsed.device_qos import POOLS
from netcheck.platforms.cumulus.parsed.port_qos import LOSSLESS_POOL
from netcheck.platforms.cumulus.rendered.refuse import refuse
from netcheck.platforms.platform import Refusal

_ALL: Final = 100
_NOTHING: frozenset[int] = frozenset()


def is_explicit(account: Buffer) -> bool:
    """Tell whether an account states its own numbers."""
    return any(map(is_known, (account.size_bytes, account.headroom_bytes, account.xon_bytes)))


def account_refusals(place: str, qos: PortQos, switch: DeviceQos) -> Iterator[Refusal]:
    """Refuse accounts that a PFC profile cannot hold."""
    if is_known(qos.egress_buffer) and qos.egress_buffer:
        yield refuse("buffer-egress", place, f"queues {sorted(qos.egress_buffer)}")
    paused = known_or(qos.pfc_rx, _NOTHING) | known_or(qos.pfc_tx, _NOTHING)
    if qos.ingress_buffer is ABSENT and paused:
        yield refuse("buffer-one-per-port", place, "PFC without an account")
    if not is_known(qos.ingress_buffer):
        return
    accounts = qos.ingress_buffer
    lossless = {number for number, one in accounts.items() if one.is_lossless is not False}
    if lossless != set(accounts):
        yield refuse("buffer-lossy", place, f"groups {sorted(set(accounts) - lossless)}")
    if frozenset(lossless) != paused or len(set(accounts.values())) > 1 or not accounts:
        yield refuse(
            "buffer-one-per-port", place, f"groups {sorted(lossless)}, PFC {sorted(paused)}"
        )
    for account in sorted(set(accounts.values()), key=repr):
        if not _is_expressible(account):
            yield refuse("buffer-computed-or-whole", place, account)
        wanted = switch.is_headroom_computed
        if is_known(wanted) and wanted is is_explicit(account):
            yield refuse("headroom-computed", place, f"{wanted} with {account}")


def _is_expressible(account: Buffer) -> bool:
    is_shared = account.pool in {UNKNOWN, LOSSLESS_POOL}
    has_alpha = account.threshold in {UNKNOWN, Dynamic(LOSSLESS_ALPHA)}
    is_silent = account.xon_offset_bytes in {UNKNOWN, ABSENT} and not is_known(account.profile)
    if not (is_shared and has_alpha and is_silent and account.is_lossless is not False):
        return False
    size, headroom, xon = account.size_bytes, account.headroom_bytes, account.xon_bytes
    if not is_explicit(account):
        return account.is_computed is not False and not is_known(account.xoff_bytes)
    if not (is_known(size) and is_known(headroom) and is_known(xon)):
        return False
    xoff = size - headroom
    is_whole = 0 <= xon <= xoff <= size and account.xoff_bytes in {UNKNOWN, xoff}
    return is_whole and account.is_computed is not True


def pool_refusals(place: str, qos: DeviceQos) -> Iterator[Refusal]:
    """Refuse pools that are no traffic pools, and shared headroom."""
    numbers = (
        qos.oversubscription,
        qos.lossless_mtu_bytes,
        qos.small_packet_percent,
        qos.lossless_alpha_exponent,
    )
    if any(is_known(one) and one != 0 for one in numbers) or is_known(qos.headroom_table):
        yield refuse("shared-headroom", place, ", ".join(map(str, numbers)))
    if qos.pools is ABSENT:
        yield refuse("pools", place, "no pools")
    if not is_known(qos.pools):
        return
    for name, pool in sorted(qos.pools.items()):
        if name not in POOLS or not _is_traffic_pool(pool):
            yield refuse("pools", f"{place} {name}", pool)
    shares = [one.size_percent for one in qos.pools.values() if is_known(one.size_percent)]
    if sum(shares) > _ALL or not qos.pools:
        yield refuse("pools", place, f"{sum(shares)} percent")


def _is_traffic_pool(pool: BufferPool) -> bool:
    is_dynamic = pool.is_dynamic is not False and pool.kind in {PoolKind.INGRESS, UNKNOWN}
    has_share = is_known(pool.size_percent) and 0 <= pool.size_percent <= _ALL
    others = (pool.size_bytes, pool.shared_headroom_bytes)
    return is_dynamic and has_share and not any(is_known(one) for one in others)
