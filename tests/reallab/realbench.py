"""What tests do with the real lab: lines on its devices, rounds between its hosts."""

from __future__ import annotations

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
from netcheck.perf import measure
from netcheck.perf.bench import Bench
from netcheck.perf.measure import PerfOptions
from netcheck.perf.observe import RoundResult, tested_classes
from netcheck.perf.perftest import DEFAULT_PORT, Tool
from netcheck.perf.schedule import Pattern, Round, endpoints
from netcheck.perf.verdict import PerfVerdict, judge_perf

INTENT = Path(__file__).parents[2] / "examples" / "lab-real.yaml"


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

    def cable(self, netem: str = "", rate: str = "10gbit burst 256k") -> None:
        """Set what happens to packets on their way to the second host."""
        self.run(
            "leaf01",
            f"sudo tc qdisc change dev swp2 root handle 10: netem limit 20000 loss {netem or '0%'}",
            f"sudo tc qdisc change dev swp2 parent 10:1 handle 1: tbf rate {rate} limit 4m",
        )

    def round(self, tool: Tool = Tool.WRITE_BW, **options: object) -> RoundResult:
        """Run one flow from the first host to the second, as ``netcheck perf`` does."""
        first, second = endpoints(self.fabric)
        chosen = PerfOptions(settle_s=1.0, queue_pairs=2, **options)  # type: ignore[arg-type]  # by name
        port = DEFAULT_PORT + 512 * (self.rounds % 16)
        self.rounds += 1
        runner = measure._Runner(self.bench, self.hosts, self.item, tool, chosen, port)
        return runner.run(Round("one way", Pattern.PAIRS, ((first, second),)))

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
