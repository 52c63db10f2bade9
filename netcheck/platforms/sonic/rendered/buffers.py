"""Buffer accounts, pools and the dynamic model: model to variables of ``buffers.j2``.

Lossless profiles of the traditional model carry the name that buffermgrd gives
them, ``pg_lossless_<speed>_<cable>_profile``: it reuses an existing profile of
that name and binds it to the range of PFC priorities, so that both agree.
Source: sonic-net/sonic-swss cfgmgr/buffermgr.cpp, doSpeedUpdateTask.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import replace
from enum import Enum
from functools import lru_cache, partial
from typing import Final

from netcheck.model.device import Port
from netcheck.model.frozen import frozen
from netcheck.model.known import UNKNOWN, Known, is_known
from netcheck.model.qos import Buffer, BufferPool, Dynamic, Static
from netcheck.platforms.sonic.rendered.facts import uses_of
from netcheck.platforms.sonic.rendered.names import range_word, ranges, shared_names
from netcheck.platforms.switch import Switch, any_said

COMPUTED: Final = "NULL"
LOSSLESS_POOL: Final = "ingress_lossless_pool"  # fixed in buffermgrd
_MBPS: Final = 1_000_000
# Nothing but the name of an egress profile tells whether its queue is lossless.
_WORDS: Final[Mapping[Known[bool], str]] = {True: "_lossless", False: "_lossy"}


class Side(Enum):
    """Which accounts: of priority groups or of queues."""

    INGRESS = "pg"
    EGRESS = "q"

    def of(self, port: Port) -> Mapping[int, Buffer]:
        """Give the accounts of a port by number; none where nothing is said."""
        said = self.said(port)
        return said if is_known(said) else {}

    def said(self, port: Port) -> Known[Mapping[int, Buffer]]:
        """Give the fact as it stands."""
        return port.qos.ingress_buffer if self is Side.INGRESS else port.qos.egress_buffer


@frozen
class ProfileRow:
    """One row of BUFFER_PROFILE; None is a field that is not written."""

    name: str
    pool: str
    size: int
    xon: int | None = None
    xon_offset: int | None = None
    xoff: int | None = None
    dynamic_th: int | None = None
    static_th: int | None = None


@frozen
class PoolRow:
    """One row of BUFFER_POOL."""

    name: str
    kind: str | None
    mode: str | None
    size: int | None
    percentage: int | None
    xoff: int | None


def alpha_exponent(alpha: float) -> int | None:
    """Give n of ``alpha == 2**n``; None where alpha is no power of two.

    Example:
        >>> alpha_exponent(0.125), alpha_exponent(3.0)
        (-3, None)
    """
    if alpha <= 0 or not math.isfinite(alpha):
        return None
    mantissa, exponent = math.frexp(alpha)
    return exponent - 1 if mantissa == 0.5 else None  # noqa: PLR2004 -- frexp of a power of two


def lossless_name(port: Port) -> str | None:
    """Give buffermgrd's name for the lossless profile of a port.

    Example:
        >>> lossless_name(Port("Ethernet0", speed_bps=400_000_000_000, cable_m=40))
        'pg_lossless_400000_40m_profile'
    """
    if not is_known(port.speed_bps) or not is_known(port.cable_m):
        return None
    return f"pg_lossless_{port.speed_bps // _MBPS}_{port.cable_m}m_profile"


@lru_cache(maxsize=1024)
def numbers(account: Buffer) -> Buffer:
    """Give an account without its name: what has to be equal for a profile to be shared."""
    return replace(account, profile=UNKNOWN, is_computed=UNKNOWN)


def is_reference(account: Buffer) -> bool:
    """Tell whether an account only names a profile that the device already has."""
    return is_known(account.profile) and account.size_bytes is UNKNOWN


def has_headroom(account: Buffer) -> bool:
    """Tell whether an account is one that buffermgrd names in the traditional model."""
    return account.is_lossless is not False and is_known(account.headroom_bytes)


# of each kind of port: number -> profile name, or NULL
Bound = list[dict[int, str]]


def bound_profiles(switch: Switch, side: Side) -> Bound:
    """Give the profile of every account that is said, in the order of ``switch.kinds``."""
    names = _policy_names(switch, side)
    is_traditional = switch.qos.is_headroom_computed is not True
    return [
        {
            number: _fixed_name(port, account, is_traditional=is_traditional)
            or names[number, numbers(account)]
            for number, account in side.of(port).items()
        }
        for port in switch.kinds
    ]


def _fixed_name(port: Port, account: Buffer, *, is_traditional: bool) -> str | None:
    """Give the name that an account has whatever the policy is called."""
    if account.is_computed is True:
        return COMPUTED
    if is_known(account.profile):
        return account.profile
    return lossless_name(port) if is_traditional and has_headroom(account) else None


def _policy_names(switch: Switch, side: Side) -> dict[tuple[int, Buffer], str]:
    """Give ``(number, account) -> profile name`` for accounts that SONiC does not name."""
    is_traditional = switch.qos.is_headroom_computed is not True
    kinds = {
        (number, account.is_lossless)
        for port in switch.kinds
        for number, account in side.of(port).items()
        if _fixed_name(port, account, is_traditional=is_traditional) is None
    }
    names = {}
    for number, is_lossless in sorted(kinds, key=str):
        suffix = f"{_WORDS.get(is_lossless, '')}_{side.value}{number}"
        uses = uses_of(switch, partial(_alike, side, number, is_lossless))
        for content, name in shared_names(uses, suffix=suffix).items():
            names[number, content] = name
    return names


def _alike(side: Side, number: int, is_lossless: Known[bool], port: Port) -> Iterator[Buffer]:
    account = side.of(port).get(number)
    if account is None or is_reference(account):
        return
    if account.is_lossless is is_lossless:
        yield numbers(account)


def profile_rows(switch: Switch, bound: Mapping[Side, Bound]) -> list[ProfileRow] | None:
    """Give the rows of BUFFER_PROFILE; None when no account is said.

    Two accounts of one name with different numbers are refused before.
    """
    if not any(any_said(switch, side.said) for side in Side):
        return None
    accounts = {
        names[number]: account
        for side in Side
        for port, names in zip(switch.kinds, bound[side], strict=True)
        for number, account in side.of(port).items()
        if not is_reference(account)
    }
    return [_profile_row(name, accounts[name]) for name in sorted(accounts) if name != COMPUTED]


@lru_cache(maxsize=1024)
def _profile_row(name: str, account: Buffer) -> ProfileRow:
    if not is_known(account.pool) or not is_known(account.size_bytes):
        raise TypeError(f"{name}: incomplete account got past the refusals")
    threshold = account.threshold
    return ProfileRow(
        name=name,
        pool=account.pool,
        size=account.size_bytes,
        xon=_said(account.xon_bytes),
        xon_offset=_said(account.xon_offset_bytes),
        xoff=_said(account.headroom_bytes),
        dynamic_th=alpha_exponent(threshold.alpha) if isinstance(threshold, Dynamic) else None,
        static_th=threshold.limit_bytes if isinstance(threshold, Static) else None,
    )


def _said(value: Known[int]) -> int | None:
    return value if is_known(value) else None


def account_rows(bound: Mapping[int, str]) -> tuple[tuple[str, str], ...]:
    """Give (numbers, profile) of a port of BUFFER_PG or BUFFER_QUEUE.

    Neighbouring numbers with one profile share a row, as buffermgrd writes them.

    Example:
        >>> account_rows({3: "NULL", 4: "NULL", 0: "lossy"})
        (('0', 'lossy'), ('3-4', 'NULL'))
    """
    runs = [
        (run, profile)
        for profile in set(bound.values())
        for run in ranges(number for number in bound if bound[number] == profile)
    ]
    return tuple((range_word(run), profile) for run, profile in sorted(runs))


def pool_rows(switch: Switch) -> list[PoolRow] | None:
    """Give the rows of BUFFER_POOL; None when no pool is said."""
    pools = switch.qos.pools
    if pools is UNKNOWN:
        return None
    return (
        [_pool_row(name, pool) for name, pool in sorted(pools.items())] if is_known(pools) else []
    )


def _pool_row(name: str, pool: BufferPool) -> PoolRow:
    mode = None
    if is_known(pool.is_dynamic):
        mode = "dynamic" if pool.is_dynamic else "static"
    return PoolRow(
        name=name,
        kind=pool.kind.value if is_known(pool.kind) else None,
        mode=mode,
        size=_said(pool.size_bytes),
        percentage=_said(pool.size_percent),
        xoff=_said(pool.shared_headroom_bytes),
    )
