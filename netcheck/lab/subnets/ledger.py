"""Counters of ports: read from the simulator, grown by a run of traffic, put back into it."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping

from netcheck.lab.opensm.diags import Command, Diags
from netcheck.lab.opensm.simulator import Simulator
from netcheck.lossless.credits.fabric import End

LINE = re.compile(r"^(\w+):\.*(\d+)$", re.MULTILINE)
# The simulator stops counters at their width.
# Source: linux-rdma/ibsim ibsim/sim_cmd.c (PerformanceSet).
PLAIN = frozenset(
    {
        "SymbolErrorCounter",
        "LinkErrorRecoveryCounter",
        "LinkDownedCounter",
        "PortRcvErrors",
        "PortRcvRemotePhysicalErrors",
        "PortRcvSwitchRelayErrors",
        "PortXmitDiscards",
        "PortXmitConstraintErrors",
        "PortRcvConstraintErrors",
        "LocalLinkIntegrityErrors",
        "ExcessiveBufferOverrunErrors",
        "VL15Dropped",
        "PortXmitWait",
    }
)
DETAILS = frozenset({"PortSwHOQLifetimeLimitDiscards", "PortInactiveDiscards"})
WIDE = frozenset({"PortXmitData", "PortRcvData", "PortXmitPkts", "PortRcvPkts"})
UNICAST = {"PortXmitPkts": "PortUnicastXmitPkts", "PortRcvPkts": "PortUnicastRcvPkts"}
LANE = re.compile(r"PortVLXmitWait(\d+)")


class Ledger:
    """What the ports of a subnet have counted, as far as traffic has touched them.

    Attributes:
        counts: Shape: ``port -> counter -> value``; data and packets in 64 bits.
    """

    def __init__(self) -> None:
        self.counts: dict[End, Counter[str]] = {}

    def read(self, diags: Diags, lids: Mapping[End, int], ends: Iterable[End]) -> None:
        """Read ports anew: somebody may have reset them, and managers talk as well."""
        asked = [end for end in ends if lids.get(end)]
        calls: list[Command] = []
        for end in asked:
            where = (str(lids[end]), str(end[1]))
            calls += [("perfquery", *where), ("perfquery", "-x", *where)]
        answers = diags.run_all(calls)
        for end, plain, wide in zip(asked, answers[::2], answers[1::2], strict=True):
            own = self.counts.setdefault(end, Counter())
            for answer in (plain, wide):  # the wide ones come last, and count
                if not answer.status:
                    own.update({name: int(v) - own[name] for name, v in LINE.findall(answer.text)})

    def add(self, simulator: Simulator, grown: Mapping[End, Mapping[str, int]]) -> None:
        """Add what a run counted, here and in the simulator.

        Raises:
            InputError: The simulator has no such port or counter.
        """
        lines = []
        for end, counts in grown.items():
            own = self.counts.setdefault(end, Counter())
            for name, value in counts.items():
                own[name] += value
                lines += [(*end, field, own[name]) for field in _fields(name)]
                if name in UNICAST:
                    own[UNICAST[name]] += value
                    lines.append(
                        (*end, f"PortCountersExtended.{UNICAST[name]}", own[UNICAST[name]])
                    )
        simulator.count_all(lines)


def _fields(name: str) -> list[str]:
    """The simulator's names of a counter."""
    if name in WIDE:
        return [f"PortCounters.{name}", f"PortCountersExtended.{name}"]
    if found := LANE.fullmatch(name):
        return [f"PortVLXmitWaitCounters.PortVLXmitWaitCounters{found[1]}"]
    if name in DETAILS:
        return [f"PortXmitDiscardDetails.{name}"]
    return [f"PortCounters.{name}"] if name in PLAIN else []
