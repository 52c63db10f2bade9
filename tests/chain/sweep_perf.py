"""What a measurement proves when one of its counter outputs is damaged.

One incast is measured in the lab, and every output that was read before and
after it is kept; damaged ones are then judged without the lab.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import pytest

from netcheck.collect.collector import read_documents
from netcheck.collect.session import Session
from netcheck.model.counters import Counter, CounterKey, Meaning
from netcheck.model.device import Device
from netcheck.model.document import Document
from netcheck.model.fabric import Fabric
from netcheck.model.finding import Basis, RunResult
from netcheck.model.known import is_known
from netcheck.perf import bench, measure
from netcheck.perf.deltas import Moved, deltas
from netcheck.perf.losses import loss_sights, pause_sights, traffic_sights
from netcheck.perf.observe import RoundResult, tested_classes
from netcheck.perf.options import PerfOptions
from netcheck.perf.schedule import Depth, Endpoint, Pattern, Round, rounds
from netcheck.perf.verdict import judge_perf
from netcheck.platforms.platform import load

Sighted = tuple[str, str, Meaning, int]  # device, port, meaning, index
Key = tuple[str, bool, frozenset[Moved]]
BEFORE, AFTER = 0, 1


@dataclass(frozen=True)
class Reading:
    """One output of one device, read before (0) or after (1) the incast."""

    device: str
    turn: int
    place: int
    document: Document


@dataclass
class Recording:
    """One measured round with all outputs behind it."""

    fabric: Fabric
    result: RoundResult
    texts: dict[tuple[str, int], list[Document]]
    verdicts: dict[Key, RunResult] = field(default_factory=dict)
    devices: dict[tuple[Document, ...], Device] = field(default_factory=dict)

    def readings(self) -> Iterator[Reading]:
        """Every output."""
        for (device, turn), documents in self.texts.items():
            for place, document in enumerate(documents):
                yield Reading(device, turn, place, document)

    def device(
        self, name: str, turn: int, damaged: Reading | None = None, text: str = ""
    ) -> Device:
        """One device as its outputs show it, one of which may be damaged."""
        documents = list(self.texts[name, turn])
        if damaged is not None and (damaged.device, damaged.turn) == (name, turn):
            documents[damaged.place] = replace(damaged.document, text=text)
        key = tuple(documents)
        if key not in self.devices:
            platform = str(self.fabric.devices[name].platform)
            self.devices[key] = load(platform).parsing.parse(documents, name=name)
        return self.devices[key]

    def judge(self, damaged: Reading, text: str) -> RunResult:
        """What the round proves with one damaged output."""
        name = damaged.device
        before, after = (self.device(name, turn, damaged, text) for turn in (BEFORE, AFTER))
        moved = deltas(before, after)
        key = (name, moved.was_reset, frozenset(moved.index.values()))
        if key not in self.verdicts:
            result = replace(self.result, deltas={**self.result.deltas, name: moved})
            self.verdicts[key] = self._judge(result)
        return self.verdicts[key]

    @property
    def whole(self) -> RunResult:
        """What the round proves as it was measured."""
        return self._judge(self.result)

    def _judge(self, result: RoundResult) -> RunResult:
        found = judge_perf([result], self.fabric, Basis.SIMULATED, locates=False)
        return found.verdict.run

    def changed(self, damaged: Reading, text: str) -> frozenset[Sighted]:
        """Counters that the damaged output does not show as the whole one did."""
        name, turn = damaged.device, damaged.turn
        whole = _counters(self.device(name, turn))
        rest = _counters(self.device(name, turn, damaged, text))
        keys = (key for key, value in whole.items() if rest.get(key) != value)
        return frozenset((name, key.port, key.meaning, key.number) for key in keys)

    def needed(self) -> frozenset[Sighted]:
        """Counters that a condition of the verdict rests on."""
        return frozenset(
            (sight.device, sight.port, sight.meaning, sight.index)
            for item in tested_classes(self.fabric)
            for sights in (loss_sights, traffic_sights, pause_sights)
            for sight in sights(self.result, self.fabric, item)
        )


def _counters(device: Device) -> Mapping[CounterKey, Counter]:
    return device.counters if is_known(device.counters) else {}


def record(fabric: Fabric) -> Recording:
    """Measure every incast and keep what was read for one: the first that shows a loss, if any."""
    texts: dict[str, list[list[Document]]] = {}

    def kept(session: Session, device: Device, **more: Any) -> list[Document]:  # Any: as it is
        documents = read_documents(session, device, **more)
        if more.get("kinds") == bench.COUNTERS:
            texts.setdefault(device.name, []).append(documents)
        return documents

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(bench, "read_documents", kept)
        patch.setattr(measure, "rounds", _incasts)
        results = measure.measure(fabric, PerfOptions(duration_s=2, settle_s=0.0, more_rounds=0))
    found = [_recording(fabric, result, texts) for result in results]
    return next((one for one in found if one.whole is not RunResult.LOSSLESS), found[0])


def _recording(
    fabric: Fabric, result: RoundResult, texts: dict[str, list[list[Document]]]
) -> Recording:
    """Take the two readings of each device that took part in the round."""
    own = {(name, turn): texts[name].pop(0) for name in result.deltas for turn in (BEFORE, AFTER)}
    return Recording(fabric, result, own)


def _incasts(ends: Sequence[Endpoint], islands: Mapping[str, str], depth: Depth) -> list[Round]:
    return [one for one in rounds(ends, islands, depth) if one.pattern is Pattern.INCAST]
