"""Whether two RDMA devices reach each other at all: rping.

It says that addresses resolve, a connection is made and data goes both ways, and
nothing about bandwidth or loss.

Source: linux-rdma/rdma-core librdmacm/examples/rping.c.
"""

from __future__ import annotations

import re
import time
from contextlib import suppress
from typing import Final, Protocol

from netcheck.collect.session import Session
from netcheck.model.errors import TransportError
from netcheck.model.frozen import frozen

PINGS: Final = 3
PORT: Final = 18400
NOT_INSTALLED: Final = r"(?:rping|timeout)\b.*(?:not found|No such file)"
CLIENT_S, SERVER_S, END_S = 5, 60, 15.0
TRIES, PAUSE_S = 5, 0.2
_PING: Final = re.compile(r"^(?:server )?ping data: rdma-ping-(\d+): ", re.MULTILINE)
_NOBODY: Final = "nobody listens at the other side"
_MEANINGS: Final = (
    (NOT_INSTALLED, "rping is not installed"),
    (r"RDMA_CM_EVENT_ADDR_ERROR", "rdma_cm cannot resolve the address"),
    (r"RDMA_CM_EVENT_ROUTE_ERROR", "rdma_cm finds no way to the address"),
    (r"RDMA_CM_EVENT_REJECTED", _NOBODY),
    (r"RDMA_CM_EVENT_UNREACHABLE", "no answer from the other side"),
    (r"RDMA_CM_EVENT_CONNECT_ERROR", "the connection was refused or lost"),
    (r"rdma_bind_addr|Cannot assign requested address", "the address is not on this host"),
    (r"cq completion (?:failed|in)", "a packet was not acknowledged"),
    (r"No RDMA devices|No such device", "no RDMA device on this host"),
)


@frozen
class RpingResult:
    """What one side printed.

    Attributes:
        pings: Messages that made the round trip.
        error: What went wrong, in our words; empty where nothing did.
    """

    pings: int = 0
    error: str = ""

    @property
    def is_reached(self) -> bool:
        """Every message came back."""
        return self.pings >= PINGS and not self.error


def server_line(address: str, port: int) -> str:
    """Command line of the side that waits, at its own address."""
    return f"rping -s -a {address} -p {port} -C {PINGS} -v"


def client_line(address: str, port: int) -> str:
    """Command line of the side that connects to that address."""
    return f"rping -c -a {address} -p {port} -C {PINGS} -v"


def parse_rping(text: str) -> RpingResult:
    r"""Give what one side printed. Never raises on content.

    Example:
        >>> parse_rping("ping data: rdma-ping-0: ABC\nping data: rdma-ping-1: BCD\n").pings
        2
    """
    error = next((meaning for pattern, meaning in _MEANINGS if re.search(pattern, text)), "")
    return RpingResult(len(set(_PING.findall(text))), error)


class Sessions(Protocol):
    """Lends sessions; see ``perf.bench``."""

    def borrow(self, device: str) -> Session:
        """Give a session on a device."""

    def give_back(self, session: Session) -> None:
        """Take it back."""


def reach(sessions: Sessions, client: str, server: str, address: str) -> str:
    """Say whether one host reaches an address of another by RDMA; empty where rping cannot tell.

    Both programs end by themselves, also when nobody listens to them any more.
    """
    with suppress(TransportError):
        waiting = sessions.borrow(server)
        waiting.start(f"timeout {SERVER_S} {server_line(address, PORT)}")
        found = _pinged(sessions, client, address)
        printed = waiting.interrupt().text
        sessions.give_back(waiting)
        if not re.search(NOT_INSTALLED, printed + found):
            result = parse_rping(found)
            reason = result.error or "no answer"
            return "rping reaches it" if result.is_reached else f"rping fails too: {reason}"
    return ""


def _pinged(sessions: Sessions, client: str, address: str) -> str:
    """What the client printed; it tries again while the server is not up yet."""
    session = sessions.borrow(client)
    text = ""
    for _ in range(TRIES):
        text = session.run(f"timeout {CLIENT_S} {client_line(address, PORT)}", END_S).text
        if parse_rping(text).error != _NOBODY:
            break
        time.sleep(PAUSE_S)
    sessions.give_back(session)
    return text
