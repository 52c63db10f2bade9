"""Asking an InfiniBand subnet through one host: calls of infiniband-diags, read-only."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from netcheck.collect.session import Session
from netcheck.model.document import Document
from netcheck.model.errors import InputError
from netcheck.platforms.infiniband.commands import is_read_only


def ask_subnet(
    session: Session, lines: Sequence[str], timeout: float
) -> Iterator[tuple[Document, int]]:
    """Run calls by sudo, one after the other; give each output and its exit status.

    Raises:
        InputError: A call is not on the read-only list; none is sent then.
        TransportError: The session broke.
    """
    refused = [line for line in lines if not is_read_only(line)]
    if refused:
        raise InputError(f"{refused[0]}: is not on the read-only list")
    outputs = session.run_each([f"sudo {line}" for line in lines], timeout)
    for line, output in zip(lines, outputs, strict=True):
        text = output.text.replace("\r\n", "\n")
        yield Document(line, text, line), output.status
