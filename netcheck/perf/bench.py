"""The sessions a measurement needs, opened once and used for every round."""

from __future__ import annotations

import resource
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager, suppress
from functools import partial
from types import TracebackType
from typing import Self, TypeVar

from netcheck.collect.collector import read_documents
from netcheck.collect.session import Session
from netcheck.collect.target import target_of
from netcheck.model.device import Device
from netcheck.model.document import Document, DocumentKind
from netcheck.model.errors import TransportError
from netcheck.model.fabric import Fabric
from netcheck.model.known import is_known
from netcheck.platforms.platform import load

T = TypeVar("T")
WORKERS = 16
FILES_BESIDE = 256
COUNTERS = frozenset({DocumentKind.COUNTERS})
EVERYTHING = frozenset(DocumentKind)


class Bench:
    """Open sessions by device; use it in a ``with`` statement.

    ``borrow`` lends a session that nobody else uses, opening one where all are
    lent; a session that broke is not lent again.

    Attributes:
        reasons: ``device -> why it did not answer``, as it was last.
    """

    def __init__(self, fabric: Fabric) -> None:
        self.fabric = fabric
        self._free: dict[str, list[Session]] = {}
        self._stack = ExitStack()
        self._pool = ThreadPoolExecutor(max_workers=WORKERS)
        self._opened = 0
        self.reasons: dict[str, str] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """End every session; safe to repeat."""
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
        _allow_files(self._opened + len(missing))
        self._opened += len(missing)
        for session in self._pool.map(self._try_open, missing):
            if session is not None:
                self._stack.callback(_close_quietly, session)
                self.give_back(session)

    def _try_open(self, device: str) -> Session | None:
        try:
            return Session(target_of(self.fabric, self.fabric.devices[device]))
        except TransportError as error:
            self.reasons[device] = str(error)
            return None

    @contextmanager
    def lent(self, device: str) -> Iterator[Session]:
        """Lend a session for a block; it comes back only if nothing broke."""
        session = self.borrow(device)
        yield session
        self.give_back(session)

    def documents(
        self, devices: Iterable[str], kinds: frozenset[DocumentKind] = COUNTERS
    ) -> dict[str, list[Document] | None]:
        """Ask devices side by side; None for one that does not answer."""

        def ask(session: Session) -> list[Document]:
            device = self.fabric.devices[session.target.device]
            return read_documents(session, device, kinds=kinds)

        return self.each(devices, ask)

    def each(self, devices: Iterable[str], work: Callable[[Session], T]) -> dict[str, T | None]:
        """Do something on devices side by side; None for one that does not answer."""
        names = sorted(set(devices))
        self.open_for(names)
        return dict(zip(names, self._pool.map(partial(self._done, work), names), strict=True))

    def read(
        self, devices: Iterable[str], kinds: frozenset[DocumentKind] = COUNTERS
    ) -> dict[str, Device | None]:
        """Read devices side by side; None for one that does not answer."""
        asked = self.documents(devices, kinds)
        return {name: self._parsed(name, documents) for name, documents in asked.items()}

    def _done(self, work: Callable[[Session], T], device: str) -> T | None:
        try:
            with self.lent(device) as session:
                return work(session)
        except TransportError as error:
            self.reasons[device] = str(error)
            return None

    def _parsed(self, device: str, documents: list[Document] | None) -> Device | None:
        platform = self.fabric.devices[device].platform
        if documents is None or not is_known(platform):
            return None
        return load(platform).parsing.parse(documents, name=device)


def _allow_files(count: int) -> None:
    """Let this process hold a file open for each session, as far as its user may.

    A shell's usual limit is 1,024, fewer than the hosts of a large fabric.
    """
    least, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = count + FILES_BESIDE
    if least < wanted:
        resource.setrlimit(resource.RLIMIT_NOFILE, (min(wanted, most), most))


def _close_quietly(session: Session) -> None:
    with suppress(TransportError, OSError):
        session.close()
