"""What samples during a test say of a class: in how many of them it was paused and marked."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

from netcheck.model.counters import Meaning
from netcheck.model.fabric import Fabric, TrafficClass
from netcheck.model.known import is_known
from netcheck.perf.observe import RoundResult, class_at, pfc_priority, tested_classes


@dataclass(frozen=True, slots=True)
class SampledRound:
    """Pauses and marks of a class in one round, by sample.

    Shape:
        ``pauses``, ``marks``: frames and packets since the sample before, all
        switches that were read together; None where no counter tells.
        ``at_s``: seconds since the clients were started.
    """

    traffic_class: str
    round: str
    at_s: tuple[float, ...]
    pauses: tuple[int | None, ...]
    marks: tuple[int | None, ...]

    def __str__(self) -> str:
        samples = "1 sample" if len(self.at_s) == 1 else f"{len(self.at_s)} samples"
        return (
            f"class {self.traffic_class}, {self.round}: {samples} during the test,"
            f" {_told('pauses', 'frames', self.pauses)}, {_told('marks', 'packets', self.marks)}"
        )


def _told(what: str, unit: str, row: Sequence[int | None]) -> str:
    known = [one for one in row if one is not None]
    if not known:
        return f"{what} not shown"
    of = f" of {len(known)} that show them" if len(known) < len(row) else ""
    return f"{what} in {sum(one > 0 for one in known)}{of} (up to {max(known)} {unit})"


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
                _by_sample(result, Meaning.PFC_TX, {pfc_priority(item)}),
                _by_sample(result, Meaning.ECN_MARKED, _queues(result, fabric, item)),
            )


def _by_sample(
    result: RoundResult, meaning: Meaning, numbers: Collection[int]
) -> tuple[int | None, ...]:
    found = (one.grew(meaning, numbers) for one in result.samples)
    return tuple(by if is_known(by) else None for by in found)


def _queues(result: RoundResult, fabric: Fabric, item: TrafficClass) -> set[int]:
    """The class's queues at the receivers' leaves."""
    return {class_at(fabric, receiver.leaf, item).queue for _, receiver in result.round.flows}
