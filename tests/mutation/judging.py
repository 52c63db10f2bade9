"""What lint says of the texts of all devices, with the intent and without its policies."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from itertools import count
from pathlib import Path

from netcheck.collect.assemble import Reading, put_together, read
from netcheck.collect.grouping import gather
from netcheck.compare.compare import compare
from netcheck.model.fabric import Fabric, Origin
from netcheck.model.finding import Finding, Severity, Stage, Verdict
from netcheck.model.frozenmap import FrozenMap
from netcheck.model.known import UNKNOWN
from netcheck.observed import today
from netcheck.rules.engine import judge
from netcheck.rules.settle import settle
from tests.mutation.world import Holdings, Texts

COUNTED = (Severity.ERROR, Severity.WARNING)


@dataclass
class Linter:
    """Lint of one fabric; readings of equal texts are kept.

    ``intended`` is the intent as loaded, ``topology`` the same without policies:
    who is cabled to whom, and nothing of what is meant.
    """

    intended: Fabric
    folder: Path
    readings: dict[tuple[str, str], Reading] = field(default_factory=dict)
    numbers: count[int] = field(default_factory=count)

    @property
    def topology(self) -> Fabric:
        """The intent without what it means to be."""
        bare = {
            name: replace(device, ports=FrozenMap(), rdma=FrozenMap())
            for name, device in self.intended.devices.items()
        }
        return replace(
            self.intended,
            policies=FrozenMap(),
            policy=UNKNOWN,
            devices=FrozenMap(bare),
        )

    def found(self, texts: Holdings, *, with_intent: bool) -> list[Finding]:
        """Failures of lint, errors and warnings."""
        intended = self.intended if with_intent else self.topology
        readings = [self.reading(name, held) for name, held in texts.items()]
        seen = put_together(readings, intended, Stage.LINT, Origin.CONFIG)
        raw = judge(seen.fabric, intended=intended, stage=Stage.LINT)
        raw += [*seen.findings, *compare(intended, seen.fabric, stage=Stage.LINT)]
        failed = [one for one in raw if one.verdict is Verdict.FAIL]
        settled = settle(failed, intended, suppressions=seen.suppressions, today=today())
        return [one for one in settled if one.verdict is Verdict.FAIL and one.severity in COUNTED]

    def reading(self, name: str, texts: Texts) -> Reading:
        """What a device's texts say."""
        key = (name, repr(sorted(texts.items())))
        if key not in self.readings:
            self.readings[key] = self._read(name, texts)
        return self.readings[key]

    def _read(self, name: str, texts: Texts) -> Reading:
        folder = self.folder / str(next(self.numbers)) / name
        folder.mkdir(parents=True)
        for file, text in texts.items():
            (folder / file).write_text(text, "utf-8")
        given = gather([folder.parent]).devices
        mine = next((one for one in given if one.name == name), given[0])
        return read(replace(mine, name=name), self.intended)
