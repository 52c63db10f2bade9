"""Doing the same on many devices: the one place where work is spread."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Executor, Future, ThreadPoolExecutor, as_completed
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from typing import Final, TypeVar

T = TypeVar("T")
R = TypeVar("R")

WORKERS: Final = 32

Progress = Callable[[str, str], None]
"""Called with a device (or another place) and what just happened there."""


def silent(place: str, what: str) -> None:
    """Take note of nothing; the progress callback of callers that show none."""


@dataclass(frozen=True, slots=True)
class Pace:
    """How hard devices are worked.

    Attributes:
        workers: Sessions at a time; one device never has more than one.
        deadline_s: Longest time for all that one device is asked.
        jitter_s: Each device starts up to this much later, so that a fabric's
            login servers are not asked by all at once.
    """

    workers: int = WORKERS
    deadline_s: float = 300.0
    jitter_s: float = 0.0


PACE: Final = Pace()


def fan_out(
    work: Callable[[T], R], items: Iterable[T], *, executor: Executor | None, pace: Pace
) -> Iterator[R]:
    """Give the results as they come.

    ``work`` must not raise for what is wrong with one device. With an executor
    of several machines, ``work``, items and results travel by pickle.
    """
    todo = list(items)
    with _threads(executor, min(pace.workers, len(todo))) as pool:
        futures: list[Future[R]] = [
            pool.submit(_after_jitter, work, item, pace.jitter_s) for item in todo
        ]
        try:
            for future in as_completed(futures):
                yield future.result()
        finally:
            for future in futures:
                future.cancel()


def _threads(executor: Executor | None, workers: int) -> AbstractContextManager[Executor]:
    return nullcontext(executor) if executor else ThreadPoolExecutor(max(1, workers), "device")


def _after_jitter(work: Callable[[T], R], item: T, jitter_s: float) -> R:
    if jitter_s > 0:
        time.sleep(random.uniform(0, jitter_s))  # noqa: S311 -- spreads load, guards nothing
    return work(item)
