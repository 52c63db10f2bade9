"""Shared buffers at work: pools, ingress accounts with headroom, egress accounts."""

from __future__ import annotations

from netcheck.lossless.dataplane.network import Account


class Pool:
    """Bytes that several accounts share; ``peak`` is the highest use seen."""

    __slots__ = ("peak", "size", "used")

    def __init__(self, size: int) -> None:
        self.size = size
        self.used = 0
        self.peak = 0


class IngressAccount:
    """Fill of one priority group: its own bytes, then the pool's, then headroom.

    Bytes leave in the opposite order, so that headroom is free again first.
    """

    __slots__ = (
        "alpha",
        "headroom",
        "headroom_peak",
        "headroom_pool",
        "headroom_used",
        "is_lossless",
        "is_pausing",
        "own",
        "own_used",
        "pool",
        "shared",
        "shared_peak",
        "static",
        "xon",
        "xon_offset",
    )

    def __init__(
        self,
        account: Account,
        pool: Pool,
        *,
        least_xon_offset: int,
        headroom_pool: Pool | None = None,
    ) -> None:
        self.pool = pool
        self.headroom_pool = headroom_pool
        self.own = account.reserved_bytes
        self.headroom = account.headroom_bytes
        self.alpha = account.alpha
        self.static = account.static_bytes
        self.xon = account.xon_bytes
        self.xon_offset = max(account.xon_offset_bytes, least_xon_offset)
        self.is_lossless = account.headroom_bytes > 0
        self.is_pausing = False
        self.own_used = self.shared = self.headroom_used = 0
        self.shared_peak = self.headroom_peak = 0

    def limit(self) -> float:
        """Shared bytes this account may hold now."""
        free = self.pool.size - self.pool.used
        if self.alpha is not None:
            return self.alpha * free
        return self.static if self.static is not None else free

    def admit(self, size: int) -> bool:
        """Take ``size`` bytes if there is room for them, and say so."""
        if self.own_used + size <= self.own:
            self.own_used += size
            return True
        pool = self.pool
        if self.shared + size <= self.limit() and pool.used + size <= pool.size:
            self.shared += size
            pool.used += size
            self.shared_peak = max(self.shared_peak, self.shared)
            pool.peak = max(pool.peak, pool.used)
            return True
        if size <= self._headroom_left():
            self._use_headroom(size)
            return True
        return False

    def _headroom_left(self) -> int:
        left = self.headroom - self.headroom_used
        common = self.headroom_pool
        return left if common is None else min(left, common.size - common.used)

    def _use_headroom(self, size: int) -> None:
        self.headroom_used += size
        self.headroom_peak = max(self.headroom_peak, self.headroom_used)
        common = self.headroom_pool
        if common is not None:
            common.used += size
            common.peak = max(common.peak, common.used)

    def admit_all(self, size: int, packets: int) -> int:
        """Take as many of equal packets as there is room for, and say how many."""
        taken = 0
        while taken < packets and self.headroom_used == 0 and self.admit(size):
            taken += 1
        is_own_full = self.own_used + size > self.own
        if taken < packets and is_own_full and self.shared + size > self.limit():
            # nothing is freed meanwhile: what the threshold refuses goes to headroom
            room = max(0, min(packets - taken, self._headroom_left() // size))
            self._use_headroom(room * size)
            return taken + room
        while taken < packets and self.admit(size):
            taken += 1
        return taken

    def release(self, size: int) -> None:
        """Give ``size`` bytes back: headroom first, then the pool's, then the own."""
        taken = min(size, self.headroom_used)
        self.headroom_used -= taken
        if self.headroom_pool is not None:
            self.headroom_pool.used -= taken
        size -= taken
        taken = min(size, self.shared)
        self.shared -= taken
        self.pool.used -= taken
        self.own_used -= size - taken

    def wants_xoff(self) -> bool:
        """The threshold is reached and the peer has not been told."""
        return not self.is_pausing and (self.headroom_used > 0 or self.shared >= self.limit() > 0)

    def wants_xon(self) -> bool:
        """The fill is far enough below the threshold to let the peer go on."""
        if not self.is_pausing or self.headroom_used:
            return False
        resume = max(self.limit() - self.xon_offset, self.xon - self.own)
        return self.shared <= max(resume, 0)


class EgressAccount:
    """Fill of one egress queue against its pool."""

    __slots__ = ("alpha", "own", "pool", "static", "used")

    def __init__(self, account: Account, pool: Pool) -> None:
        self.pool = pool
        self.own = account.reserved_bytes
        self.alpha = account.alpha
        self.static = account.static_bytes
        self.used = 0

    def admit(self, size: int) -> bool:
        """Take ``size`` bytes if the queue's share of the pool allows it."""
        over = self.used + size - self.own
        if over > 0:
            pool = self.pool
            free = pool.size - pool.used
            limit = self.alpha * free if self.alpha is not None else self.static
            if pool.used + min(size, over) > pool.size or (limit is not None and over > limit):
                return False
            pool.used += min(size, over)
            pool.peak = max(pool.peak, pool.used)
        self.used += size
        return True

    def release(self, size: int) -> None:
        """Give ``size`` bytes back, the pool's first."""
        over = max(0, self.used - self.own)
        self.pool.used -= min(size, over)
        self.used -= size
