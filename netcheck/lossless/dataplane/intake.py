"""A host that takes packets more slowly than its wire brings them."""

from __future__ import annotations

from collections import deque
from typing import Generic, Protocol, TypeVar

from netcheck.lossless.dataplane.buffers import IngressAccount


class Filled(Protocol):
    """What fills: a priority group with its account."""

    account: IngressAccount | None


G = TypeVar("G", bound=Filled)


class Intake(Generic[G]):
    """Packets that wait in a port's priority groups until the host takes them, in order."""

    __slots__ = ("bytes_per_s", "credit", "waiting")

    def __init__(self, receive_bps: int) -> None:
        self.bytes_per_s = receive_bps / 8
        self.credit = 0.0
        self.waiting: deque[tuple[G, int]] = deque()

    def take(self, group: G, packets: int, size: int) -> int:
        """Put packets of ``size`` bytes into a group; give how many found room."""
        account = group.account
        taken = packets if account is None else account.admit_all(size, packets)
        self.waiting.extend([(group, size)] * taken)
        return taken

    def drain(self, seconds: float) -> set[G]:
        """Let the host take what it can in that time; give the groups that got room."""
        self.credit += self.bytes_per_s * seconds
        if not self.waiting:
            self.credit = min(self.credit, 0.0)  # idle time is not saved up, a debt is paid
            return set()
        freed: set[G] = set()
        while self.waiting and self.credit > 0:
            group, size = self.waiting.popleft()
            self.credit -= size
            if group.account is not None:
                group.account.release(size)
                freed.add(group)
        return freed
