"""Reading many devices' documents: in this process, in others of this machine, or on a cluster."""

from __future__ import annotations

import gc
import multiprocessing
import os
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Executor, ProcessPoolExecutor
from functools import partial
from typing import Final, NamedTuple

from netcheck.collect.assemble import Reading, intended_name, places, read
from netcheck.collect.cluster import DeviceDocuments
from netcheck.collect.parcel import packed, unpacked
from netcheck.model.device import Device
from netcheck.model.fabric import Fabric
from netcheck.model.frozenmap import FrozenMap

MANY: Final = 64  # devices for which starting processes pays
_CHUNK: Final = 8


class _Task(NamedTuple):
    """One device's documents and what is intended of it."""

    given: DeviceDocuments
    name: str
    planned: Device | None


def read_all(
    given: Sequence[DeviceDocuments],
    intended: Fabric | None = None,
    *,
    executor: Executor | None = None,
    many: int = MANY,
) -> Iterator[Reading]:
    """Read every device's documents, in order.

    Args:
        given: The documents; those of a snapshot are read from disk by whoever parses them.
        intended: The intent, if there is one.
        executor: Where to work; processes or machines that see the snapshot's folder.
        many: From so many devices on, processes of this machine share the work.
    """
    if executor is not None:
        yield from _unpacked(list(_tasks(given, intended)), executor.map)
    elif len(given) < many:
        yield from (read(each, intended) for each in given)
    elif not _can_fork():
        yield from _unpacked(list(_tasks(given, intended)), map)
    else:
        yield from _forked(list(_tasks(given, intended)))


def _can_fork() -> bool:
    """More than one core, and no other thread whose locks a forked process would inherit."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else 1
    is_offered = "fork" in multiprocessing.get_all_start_methods()
    return cores > 1 and is_offered and threading.active_count() == 1


def _forked(tasks: list[_Task]) -> Iterator[Reading]:
    gc.freeze()  # what is here already is shared with the processes, not copied by their collector
    try:
        context = multiprocessing.get_context("fork")
        with ProcessPoolExecutor(len(os.sched_getaffinity(0)), context, gc.disable) as pool:
            yield from _unpacked(tasks, partial(pool.map, chunksize=_CHUNK))
    finally:
        gc.unfreeze()


def _tasks(given: Sequence[DeviceDocuments], intended: Fabric | None) -> Iterator[_Task]:
    for each in given:
        name = intended_name(each.name, intended)
        yield _Task(each, name, intended.devices.get(name) if intended else None)


def _unpacked(
    tasks: list[_Task],
    worked: Callable[[Callable[[_Task], bytes], list[_Task]], Iterable[bytes]],
) -> Iterator[Reading]:
    """What was read, without its texts: where a fact stands is looked up when asked."""
    for task, data in zip(tasks, worked(_work, tasks), strict=True):
        yield unpacked(data, partial(places, task.given, task.name))


def _work(task: _Task) -> bytes:
    known = {task.name: task.planned} if task.planned else {}
    alone = Fabric("one device", devices=FrozenMap(known))
    return packed(read(task.given, alone if known else None))
