"""Secrets for child processes: asked for over a socket, in no file, argument or environment.

The parent serves what its own references name; the child holds references of
the form ``served:SOCKET#REFERENCE``. The socket lives in a folder that only
the user can enter, and ends with the parent.
"""

from __future__ import annotations

import socketserver
import tempfile
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Final

from netcheck.collect.target import AGENT, Target, fetch_secret
from netcheck.model.errors import InputError

_LONGEST: Final = 65536


def served(target: Target, address: Path) -> Target:
    """Give the target with references that ask the server at ``address``."""
    return replace(
        target,
        password=_wrapped(target.password, address),
        key=target.key if target.key.startswith("file:") else _wrapped(target.key, address),
    )


def secret_behind(place: str, address: Path | None = None) -> Callable[[str], str]:
    """Give what fetches the secret behind a reference, from the server where there is one.

    Args:
        place: What messages begin with.
    """

    def fetch(reference: str) -> str:
        asked = reference if address is None else _wrapped(reference, address)
        return fetch_secret(asked, place).reveal()

    return fetch


def _wrapped(reference: str, address: Path) -> str:
    return reference if reference in ("", AGENT) else f"served:{address}#{reference}"


@contextmanager
def secret_server(references: Iterable[str]) -> Iterator[Path]:
    """Serve the secrets behind these references, and no others, while the block runs.

    Gives the socket's address. Secrets are fetched when asked for, once each.
    """
    allowed = frozenset(references) - {"", AGENT}
    with tempfile.TemporaryDirectory(prefix="netcheck-") as folder:
        address = Path(folder) / "secrets"
        with _Server(address, allowed) as server:
            thread = threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True)
            thread.start()
            try:
                yield address
            finally:
                server.shutdown()
                thread.join()


class _Server(socketserver.ThreadingUnixStreamServer):
    daemon_threads = True

    def __init__(self, address: Path, allowed: frozenset[str]) -> None:
        super().__init__(str(address), _Handler)
        self._allowed = allowed
        self._held: dict[str, str] = {}
        self._lock = threading.Lock()

    def answer(self, reference: str) -> str:
        """Give ``+SECRET`` or ``-REASON``."""
        if reference not in self._allowed:
            return "-not served by this run"
        try:
            with self._lock:
                if reference not in self._held:
                    self._held[reference] = fetch_secret(reference, "login").reveal()
                return "+" + self._held[reference]
        except InputError as error:
            return f"-{error}"


class _Handler(socketserver.StreamRequestHandler):
    def handle(self) -> None:
        """Answer one question: the reference on a line, then the secret to the end."""
        reference = self.rfile.readline(_LONGEST).decode("utf-8", "replace").rstrip("\n")
        server = self.server
        if isinstance(server, _Server):
            self.wfile.write(server.answer(reference).encode())
