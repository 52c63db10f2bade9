"""How a measurement is made."""

from __future__ import annotations

import math
from dataclasses import dataclass

from netcheck.perf.perftest import Memory
from netcheck.perf.schedule import Depth

DURATION_S, LAB_DURATION_S = 5, 1  # a wait of 32 bits is full after 1.4 s at 200 Gb/s
SETTLE_S = 11.0


@dataclass(frozen=True, slots=True)
class PerfOptions:
    """How to measure.

    Attributes:
        duration_s: Length of each bandwidth test.
        settle_s: Wait between the end of a test and the second reading: devices
            count at intervals (SONiC reads queue counters every 10 s).
        queue_pairs: QPs of each flow; more spread over more paths.
        limit: Hosts that take part; all where empty.
        depth: Which schedule.
        more_rounds: Most rounds of each class that are added while data has not
            crossed every cable between switches; none in a quick schedule.
        budget_s: No further round begins when this time would be passed, as far
            as the rounds so far tell. Classes share it; each has at least one round.
        is_pinned: Programs run on the NUMA node of their NIC (numactl on every host).
        memory: Where buffers lie; a GPU's is the one with the NIC's place in its host.
        rdma_cm: Connections are made by rdma_cm.
        sample_s: During an incast, pauses and marks of the switches at its ends are read
            at this interval; 0 reads before and after alone.
        collective: Command line of a program of nccl-tests or rccl-tests, with its launcher,
            that the first host runs after the first class's rounds; none where empty.
        probe_after_s: When latency is tested in an incast, after its clients were started.
    """

    duration_s: int = DURATION_S
    settle_s: float = SETTLE_S
    queue_pairs: int = 4
    limit: frozenset[str] | None = None
    depth: Depth = Depth.STANDARD
    more_rounds: int = 8
    budget_s: float = math.inf
    is_pinned: bool = False
    memory: Memory = Memory.HOST
    rdma_cm: bool = False
    sample_s: float = 1.0
    probe_after_s: float = 0.5
    collective: str = ""
