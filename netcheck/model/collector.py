"""What Python does to free memory, out of the way of a command that builds a fabric and ends."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

KEPT: Final[list[object]] = []
"""What ``keep`` was given."""


def keep(fabric: object) -> None:
    """Hold a large fabric to the end of the process.

    Taking a million ports apart, one by one, would take a tenth of the time of a
    command; the console script ends the process without (``cli.main.console``).
    Nor does the collector look at it again, as it would as soon as it runs once more.
    For commands alone: what a library keeps would pile up.
    """
    KEPT.append(fabric)
    gc.freeze()


@contextmanager
def no_collection() -> Iterator[None]:
    """Let no garbage collection run inside: for commands that build a fabric once and end.

    The model has no cycles, so that nothing piles up; each full collection
    would walk all of it again, which takes more time than building it.
    """
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()
