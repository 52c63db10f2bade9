"""The child's side of ``collect.secrets``: one question over the parent's socket."""

from __future__ import annotations

import socket
from typing import Final

from netcheck.model.errors import InputError

_TIMEOUT_S: Final = 60.0
_LONGEST: Final = 65536


def ask(rest: str, place: str) -> str:
    """Ask for ``SOCKET#REFERENCE``.

    Raises:
        InputError: Nobody serves there, or the parent does not have it.
    """
    address, _, reference = rest.partition("#")
    try:
        with socket.socket(socket.AF_UNIX) as connection:
            connection.settimeout(_TIMEOUT_S)
            connection.connect(address)
            connection.sendall(reference.encode() + b"\n")
            connection.shutdown(socket.SHUT_WR)
            answer = b"".join(iter(lambda: connection.recv(_LONGEST), b"")).decode()
    except OSError:
        raise InputError(f"{place}: the run that serves its login has ended") from None
    if not answer.startswith("+"):
        raise InputError(f"{place}: {answer[1:]}")
    return answer[1:]
