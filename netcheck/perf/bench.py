"""The sessions a measurement needs, opened once and used for every round."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager, suppress
from types import TracebackType
from typing import Self

from netcheck.collect.collector import read_documents
from netcheck.collect.session import Session
from netcheck.collect.target import target_of
from netcheck.model.device import Device
from netcheck.model.document import DocumentKind
from netcheck.model.errors import TransportError
from netcheck.model.fabric import Fabric
from netcheck.model.known import is_known
from netcheck.platforms.platform import load

WORKERS = 16
COUNTERS = frozenset({DocumentKind.COUNTERS})
EVERYTHING = frozenset(DocumentKind)


class Bench:
    """Open sessions by device; use it in a ``with`` statement.

    ``borrow`` lends a session that nobody else uses, opening one where all are
    lent; a session that broke is not lent again.
    """

    def __init__(self, fabric: Fabric) -> None:
        self.fabric = fabric
        self._free: dict[str, list[Session]] = {}
        self._stack = ExitStack()
        self._pool = ThreadPoolExecutor(max_workers=WORKERS)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._pool.shutdown(cancel_futures=True)
        self._stack.close()

    def borrow(self, device: str) -> Session:
        """Give a session on a device.

        Raises:
            TransportError: It cannot be reached.
        """
        free = self._free.setdefault(device, [])
        if free:
            return free.pop()
        session = Session(target_of(self.fabric, self.fabric.devices[device]))
        self._stack.callback(_close_quietly, session)
        return session

    def give_back(self, session: Session) -> None:
        """Take a session back that is at its prompt."""
        self._free.setdefault(session.target.device, []).append(session)

    def open_for(self, devices: Iterable[str]) -> None:
        """Open as many sessions as will be borrowed, several at a time; failures show later."""
        needed: dict[str, int] = {}
        for device in devices:
            needed[device] = needed.get(device, 0) + 1
        missing = [
            device
            for device, count in needed.items()
            for _ in range(count - len(self._free.get(device, [])))
        ]
        for session in self._pool.map(self._try_open, missing):
            if session is not None:
                self._stack.callback(_close_quietly, session)
                self.give_back(session)

    def _try_open(self, device: str) -> Session | None:
        with suppress(TransportError):
            return Session(target_of(self.fabric, self.fabric.devices[device]))
        return None

    @contextmanager
    def lent(self, device: str) -> Iterator[Session]:
        """Lend a session for a block; it comes back only if nothing broke."""
        session = self.borrow(device)
        yield session
        self.give_back(session)

    def read(
        self, devices: Iterable[str], kinds: frozenset[DocumentKind] = COUNTERS
    ) -> dict[str, Device | None]:
        """Read devices side by side; None for one that does not answer."""
        names = sorted(set(devices))
        self.open_for(names)
        return dict(zip(names, self._pool.map(_reader(self, kinds), names), strict=True))

    def read_one(self, device: str, kinds: frozenset[DocumentKind]) -> Device | None:
        """Read one device's outputs of those kinds and parse them."""
        intended = self.fabric.devices[device]
        if not is_known(intended.platform):
            return None
        with suppress(TransportError), self.lent(device) as session:
            documents = read_documents(session, intended, kinds=kinds)
            return load(intended.platform).parsing.parse(documents, name=device)
        return None


def _reader(bench: Bench, kinds: frozenset[DocumentKind]) -> Callable[[str], Device | None]:
    return lambda device: bench.read_one(device, kinds)


def _close_quietly(session: Session) -> None:
    with suppress(TransportError, OSError):
        session.close()
