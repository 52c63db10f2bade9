"""Python's garbage collector, out of the way while a large fabric is built."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager


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
