"""What tests do with the real lab: lines on its devices, rounds between its hosts."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass, replace
from pathlib import Path

from netcheck.collect.session import Session
from netcheck.collect.target import target_of
from netcheck.lab.state import LabState
from netcheck.model.counters import CounterKey, Meaning
from netcheck.model.device import Device
from netcheck.model.fabric import Delivery, Fabric, TrafficClass
from netcheck.model.finding import Basis
from netcheck.model.frozenmap import FrozenMap
from netcheck.model.known import is_known
from netcheck.perf import measure
from netcheck.perf.bench import Bench
from netcheck.perf.observe import RoundResult, tested_classes
from netcheck.perf.options import PerfOptions
from netcheck.perf.perftest import DEFAULT_PORT, Tool
from netcheck.perf.schedule import Pattern, Round, endpoints
from netcheck.perf.verdict import PerfVerdict, judge_perf

BANDS = 8
WIDE = "10gbit burst 256k"
FIRST_S, LONGEST_S, MOST_ROUNDS = 4, 40, 12
INTENT = Path(__file__).parents[2] / "examples" / "lab-real.yaml"


def sent(result: RoundResult) -> int:
    """RDMA packets that the first host sent."""
    by = result.deltas["gpu01"].find("rail0", Meaning.RDMA_TX_PACKETS)
    assert is_known(by)
    return by


@dataclass
class Real:
    """The lab, and what tests do with it: lines on its devices, rounds between its hosts."""

    state: LabState
    fabric: Fabric
    bench: Bench
    hosts: dict[str, Device | None]
    rounds: int = 0

    @property
    def item(self) -> TrafficClass:
        """The class that is tested."""
        return tested_classes(self.fabric)[0]

    def run(self, device: str, *lines: str) -> str:
        """Run lines on a device; gives the last one's output. Each has to succeed."""
        text = ""
        with self.bench.lent(device) as session:
            for line in lines:
                output = session.run(line)
                assert output.is_ok, f"{device}: {line}: {output.text}"
                text = output.text
        return text

    def session(self, device: str) -> Session:
        """A session of the test's own."""
        return Session(target_of(self.fabric, self.fabric.devices[device]))

    def cable(self, netem: str = "", rate: str = WIDE) -> None:
        """Set what happens to packets on their way to the second host."""
        self.run(
            "leaf01",
            f"sudo tc qdisc change dev swp2 root handle 10: netem limit 20000 loss {netem or '0%'}",
            f"sudo tc qdisc change dev swp2 parent 10:1 handle 1: tbf rate {rate} limit 4m",
        )

    def round(self, tool: Tool = Tool.WRITE_BW, **options: object) -> RoundResult:
        """Run one flow from the first host to the second, as ``netcheck perf`` does."""
        first, second = endpoints(self.fabric)
        usual: dict[str, object] = {"settle_s": 1.0, "queue_pairs": 2}
        chosen = PerfOptions(**usual | options)  # type: ignore[arg-type]  # by name
        port = DEFAULT_PORT + 512 * (self.rounds % 16)
        self.rounds += 1
        runner = measure._Runner(self.bench, self.hosts, self.item, tool, chosen, port)
        return runner.run(Round("one way", Pattern.PAIRS, ((first, second),)))

    def send(self, packets: int) -> list[RoundResult]:
        """Run rounds until the first host has sent so many RDMA packets.

        Each lasts as long as the one before tells that the rest takes, since an emulated
        processor beside others may be ten times slower than one alone.
        """
        results = [self.round(duration_s=FIRST_S)]
        pace = sent(results[0]) / FIRST_S
        while (left := packets - sum(map(sent, results))) > 0 and len(results) < MOST_ROUNDS:
            wanted = math.ceil(left / max(pace, 1) * 1.2)
            length = min(max(wanted, FIRST_S), LONGEST_S)
            results.append(self.round(duration_s=length))
            pace = sent(results[-1]) / length
        return results

    def judge(self, *results: RoundResult, delivery: Delivery = Delivery.ECN) -> PerfVerdict:
        """Give the verdict on rounds; for a class that is marked, unless another is said."""
        policies = {
            name: replace(
                policy,
                classes=FrozenMap(
                    {
                        key: replace(one, delivery=delivery) if key == "rdma" else one
                        for key, one in policy.classes.items()
                    }
                ),
            )
            for name, policy in self.fabric.policies.items()
        }
        fabric = replace(self.fabric, policies=FrozenMap(policies))
        return judge_perf(list(results), fabric, Basis.MEASURED)

    def forwarded(self, *queues: int) -> list[int]:
        """Bytes that queues of the switch's second port have sent, at one moment."""
        read = self.bench.read(["leaf01"])["leaf01"]
        assert read is not None
        assert is_known(read.counters)
        by_queue = {
            key.number: counter.value
            for key, counter in read.counters.items()
            if key.port == "swp2" and key.meaning is Meaning.QUEUE_BYTES
        }
        values = [by_queue[queue] for queue in queues]
        return [value for value in values if is_known(value)]

    def waiting(self, *queues: int) -> list[int]:
        """Bytes that wait in queues of the switch's second port."""
        rows = json.loads(self.run("leaf01", "tc -s -j qdisc show dev swp2"))
        by_parent = {row.get("parent"): row["backlog"] for row in rows}
        return [by_parent[f"2:{BANDS - queue}"] for queue in queues]

    def counted(self, device: str, meaning: Meaning, number: int = -1, name: str = "") -> int:
        """Read one counter of a device's second port (the switch) or only port (a host)."""
        read = self.bench.read([device])[device]
        assert read is not None
        port = "swp2" if device == "leaf01" else "rail0"
        found: dict[CounterKey, int] = {
            key: counter.value  # type: ignore[misc]  # an int, or the test fails
            for key, counter in read.counters.items()  # type: ignore[union-attr]  # as above
            if key.port == port and key.meaning is meaning and key.number == number
            if not name or key.name == name
        }
        (value,) = found.values()
        return value
