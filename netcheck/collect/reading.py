"""Reading many devices' documents: in this process, in others of this machine, or on a cluster."""

from __future__ import annotations

import gc
import multiprocessing
import os
import threading
from collections.abc import Iterator, Sequence
from concurrent.futures import Executor, ProcessPoolExecutor
from typing import Final, NamedTuple

from netcheck.collect.assemble import Reading, intended_name, read
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
        yield from map(unpacked, executor.map(_work, list(_tasks(given, intended))))
    elif len(given) < many or not _can_fork():
        yield from (read(each, intended) for each in given)
    else:
        yield from _forked(given, intended)


def _can_fork() -> bool:
    """More than one core, and no other thread whose locks a forked process would inherit."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else 1
    is_offered = "fork" in multiprocessing.get_all_start_methods()
    return cores > 1 and is_offered and threading.active_count() == 1


def _forked(given: Sequence[DeviceDocuments], intended: Fabric | None) -> Iterator[Reading]:
    gc.freeze()  # what is here already is shared with the processes, not copied by their collector
    try:
        context = multiprocessing.get_context("fork")
        with ProcessPoolExecutor(len(os.sched_getaffinity(0)), context, gc.disable) as pool:
            tasks = _tasks(given, intended)
            yield from map(unpacked, pool.map(_work, tasks, chunksize=_CHUNK))
    finally:
        gc.unfreeze()


def _tasks(given: Sequence[DeviceDocuments], intended: Fabric | None) -> Iterator[_Task]:
    for each in given:
        name = intended_name(each.name, intended)
        yield _Task(each, name, intended.devices.get(name) if intended else None)


def _work(task: _Task) -> bytes:
    known = {task.name: task.planned} if task.planned else {}
    alone = Fabric("one device", devices=FrozenMap(known))
    return packed(read(task.given, alone if known else None))
