"""What samples during a test say of a class: in how many of them it was paused and marked."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from netcheck.model.counters import Meaning
from netcheck.model.fabric import Fabric, TrafficClass
from netcheck.perf.observe import RoundResult, class_at, pfc_priority, tested_classes
from netcheck.perf.sampling import Sample


@dataclass(frozen=True, slots=True)
class SampledRound:
    """Pauses and marks of a class in one round, by sample.

    Shape:
        ``pauses``, ``marks``: frames and packets since the sample before, all
        switches that were read together. ``at_s``: seconds since the clients began.
    """

    traffic_class: str
    round: str
    at_s: tuple[float, ...]
    pauses: tuple[int, ...]
    marks: tuple[int, ...]

    def __str__(self) -> str:
        count = len(self.at_s)
        paused, marked = (sum(one > 0 for one in row) for row in (self.pauses, self.marks))
        return (
            f"class {self.traffic_class}, {self.round}: {count} samples during the test, pauses"
            f" in {paused} (up to {max(self.pauses)} frames), marks in {marked}"
            f" (up to {max(self.marks)} packets)"
        )


def sampled_rounds(results: Sequence[RoundResult], fabric: Fabric) -> Iterator[SampledRound]:
    """One row for each round that was sampled."""
    classes = {item.name: item for item in tested_classes(fabric)}
    for result in results:
        item = classes.get(result.traffic_class)
        if item is not None and result.samples:
            yield SampledRound(
                item.name,
                result.round.name,
                tuple(one.at_s for one in result.samples),
                tuple(one.grew(Meaning.PFC_TX, pfc_priority(item)) for one in result.samples),
                tuple(_marks(one, result, fabric, item) for one in result.samples),
            )


def _marks(sample: Sample, result: RoundResult, fabric: Fabric, item: TrafficClass) -> int:
    """Marks of the class's queue at the receivers' leaves; of whole ports where that is counted."""
    queues = {class_at(fabric, receiver.leaf, item).queue for _, receiver in result.round.flows}
    return sum(sample.grew(Meaning.ECN_MARKED, number) for number in sorted({*queues, -1}))
