"""Two independent computations at once, on two processors."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import TypeVar

A = TypeVar("A")
B = TypeVar("B")
MANY_DEVICES = 500  # of a fabric; from here on a second process is worth its start


def in_two(here: Callable[[], A], there: Callable[[], B]) -> tuple[A, B]:
    """Run two functions that share what they read; ``there`` in a copy of this process.

    The copy costs next to nothing, however much is in memory, but what ``there``
    gives has to be small. Where there is no second processor, or a copy would be
    unsafe (other threads run), or the copy fails, ``there`` runs here as well.
    """
    if not hasattr(os, "fork") or (os.cpu_count() or 1) < 2 or threading.active_count() > 1:  # noqa: PLR2004 -- processors
        return here(), there()
    import pickle  # noqa: PLC0415 -- small fabrics need none

    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        _answer(writer, there)
    os.close(writer)
    with os.fdopen(reader, "rb") as answer:
        first = here()
        answered = answer.read()
    _, status = os.waitpid(child, 0)
    # what went wrong there goes wrong here again, and is told as usual
    second: B = pickle.loads(answered) if status == 0 else there()  # noqa: S301 -- from our own copy
    return first, second


def by_turns(tasks: Sequence[Callable[[], A]]) -> list[A]:
    """Results of tasks, in their order; either process takes the next one when it is free.

    One takes them from the first on, the other from the last back, until they meet:
    tasks that share what they work out should stand together, long ones not in the middle.
    """
    turns, writer = os.pipe()
    os.write(writer, bytes(len(tasks)))
    os.close(writer)

    def take(order: Iterable[int]) -> dict[int, A]:
        return {number: tasks[number]() for number in order if os.read(turns, 1)}

    numbers = range(len(tasks))
    here, there = in_two(partial(take, numbers), partial(take, reversed(numbers)))
    os.close(turns)
    done = {**here, **there}
    # what a copy took that failed goes wrong here again, and is told as usual
    return [done[number] if number in done else task() for number, task in enumerate(tasks)]


def _answer(writer: int, there: Callable[[], object]) -> None:
    """Write the result and end, without anything that this process would do at its end."""
    import pickle  # noqa: PLC0415 -- as above

    status = 1
    try:
        with os.fdopen(writer, "wb") as out:
            pickle.dump(there(), out, pickle.HIGHEST_PROTOCOL)
        status = 0
    finally:
        os._exit(status)
