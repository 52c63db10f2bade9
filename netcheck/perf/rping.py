"""Whether two RDMA devices reach each other at all: rping.

It says that addresses resolve, a connection is made and data goes both ways, and
nothing about bandwidth or loss.

Source: linux-rdma/rdma-core librdmacm/examples/rping.c.
"""

from __future__ import annotations

import re
from typing import Final

from netcheck.model.frozen import frozen

PINGS: Final = 3
_PING: Final = re.compile(r"^(?:server )?ping data: rdma-ping-(\d+): ", re.MULTILINE)
_MEANINGS: Final = (
    (r"command not found|No such file", "rping is not installed"),
    (r"RDMA_CM_EVENT_ADDR_ERROR", "rdma_cm cannot resolve the address"),
    (r"RDMA_CM_EVENT_ROUTE_ERROR", "rdma_cm finds no way to the address"),
    (r"RDMA_CM_EVENT_REJECTED", "nobody listens at the other side"),
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
