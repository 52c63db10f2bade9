"""Input policies of type queuing: where no-drop classes pause, and their headroom."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from netcheck.model.device import Port
from netcheck.model.frozenmap import FrozenMap
from netcheck.model.known import ABSENT, UNKNOWN, is_known
from netcheck.model.qos import Buffer, Static
from netcheck.platforms.nxos.rendered.facts import explicit_accounts, pause_threshold
from netcheck.platforms.nxos.rendered.refuse import outside, refuse
from netcheck.platforms.platform import Refusal


def input_lines(accounts: FrozenMap[int, Buffer]) -> list[tuple[str, list[str]]]:
    """Give ``(class, lines)`` of an input policy."""
    return [(f"c-in-q{group or '-default'}", [_pause(one)]) for group, one in accounts.items()]


def _pause(one: Buffer) -> str:
    return (
        f"pause buffer-size {one.size_bytes} pause-threshold {pause_threshold(one)}"
        f" resume-threshold {one.xon_bytes}"
    )


def account_refusals(
    port: Port, no_drop: Mapping[int, frozenset[int]], place: str
) -> Iterator[Refusal]:
    """Yield what an input policy cannot hold."""
    accounts = port.qos.ingress_buffer
    if accounts is ABSENT or (is_known(accounts) and not accounts):
        yield refuse("account-absent", place, "no account")
    if not is_known(accounts):
        return
    for group, one in accounts.items():
        at = f"{place} priority group {group}"
        if group not in no_drop:
            yield refuse("account-lossless", at, "a class that drops")
        if one.is_computed is True:
            yield from _computed_refusals(one, at)
        else:
            yield from _explicit_refusals(one, at)
    if explicit_accounts(port.qos) and any(one.is_computed is True for one in accounts.values()):
        yield refuse("account-mixed", place, "both kinds")
    missing = sorted(set(no_drop) - set(accounts))
    if missing and is_known(port.qos.pfc_tx) and port.qos.pfc_tx:
        yield refuse("account-mixed", place, f"nothing for {missing}")


def _computed_refusals(one: Buffer, place: str) -> Iterator[Refusal]:
    if one != Buffer(is_lossless=True, is_computed=True):
        yield refuse("account-computed", place, one)


def _explicit_refusals(one: Buffer, place: str) -> Iterator[Refusal]:
    if one.is_lossless not in {True, UNKNOWN}:
        yield refuse("account-lossless", place, "a lossy account")
    if is_known(one.pool) or is_known(one.profile) or one.xon_offset_bytes is not UNKNOWN:
        yield refuse("account-pool", place, one.pool)
    if not (one.threshold is UNKNOWN or isinstance(one.threshold, Static)):
        yield refuse("account-threshold", place, one.threshold)
    numbers = (one.size_bytes, one.headroom_bytes, one.xon_bytes, pause_threshold(one))
    if not all(map(is_known, numbers)):
        yield refuse("account-incomplete", place, one)
        return
    yield from outside("account-bytes", place, numbers)
    size, headroom, xon, pause = (each if is_known(each) else 0 for each in numbers)
    if size - headroom != pause or xon > pause:
        yield refuse("account-sum", place, f"{size} - {headroom}, pause {pause}, resume {xon}")
    static = one.threshold.limit_bytes if isinstance(one.threshold, Static) else pause
    if static != pause:
        yield refuse("account-sum", place, f"threshold {static}, pause {pause}")
