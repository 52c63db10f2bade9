"""Configurations that nobody rendered: public ones and our own, each line and number changed.

Such a text is in the place of the spine. It need not be right: harm is what
traffic meets beyond what it met before the change, and lint finds a mutant
where it says more than it said of the text as it was.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from netcheck import api
from netcheck.model.finding import Finding
from tests.mutation.bench import Bench
from tests.mutation.edits import edits
from tests.mutation.fabric import Intent, Kind, intent_of, kinds
from tests.mutation.judging import Linter
from tests.mutation.mutants import Mutant
from tests.mutation.traffic import Look
from tests.mutation.world import Holdings, World

FOLDER = Path(__file__).with_name("samples")
SHARED = Path(__file__).parents[3] / "shared"
SPINE = "spine01"
Row = dict[str, Any]  # Any: what the YAML file holds


def samples() -> dict[str, Row]:
    """Rows of the table whose file is there."""
    rows: dict[str, Row] = yaml.safe_load((FOLDER / "samples.yaml").read_text("utf-8"))
    return {name: row for name, row in rows.items() if _path(row).is_file()}


def _path(row: Row) -> Path:
    own = FOLDER / row["file"]
    return own if own.is_file() else SHARED / str(row["file"])


@dataclass
class SampleBench(Bench):
    """A bench whose texts are judged by what lint says beyond what it said before."""

    known: frozenset[object] = frozenset()

    def noise(self) -> int:
        """None: what lint says of the text as it was is not counted."""
        return 0

    def is_found(self, texts: Holdings, *, with_intent: bool) -> bool:
        """Lint says something that it did not say of the unchanged text."""
        held = {**self.world.texts, **texts}
        found = self.linter.found(held, with_intent=with_intent)
        return bool(set(_told(found)) - self.known)


def _told(found: list[Finding]) -> Iterator[object]:
    for one in found:
        for place in one.where or (None,):
            yield one.rule, str(place), one.found


def bench_of(row: Row, folder: Path) -> SampleBench:
    """The fabric with the text in it, looked at as it is."""
    kind = kinds()[row["platform"]]
    world = World.of(kind, folder, _intent(kind, row))
    (file,) = world.texts[SPINE]
    head = f"{row['head']}\n" if "head" in row else ""
    world.texts[SPINE] = {file: head + _path(row).read_text("utf-8")}
    held, refused = world.taken(SPINE, world.texts[SPINE])
    world.refused[SPINE], world.building.devices[SPINE] = refused, held
    linter = Linter(api.load_intent(folder / f"{kind.name}.yaml"), folder / "lint")
    bench = SampleBench(world, linter)
    bench.before = Look.at(world.held({}), bench.memory)
    bench.known = frozenset(
        told
        for with_intent in (True, False)
        for told in _told(linter.found(world.texts, with_intent=with_intent))
    )
    return bench


def _intent(kind: Kind, row: Row) -> Intent:
    found = intent_of(kind)
    speed = row.get("speed", "400G")
    port = {"speed": speed} | ({"lanes": kind.lanes} if kind.lanes else {})
    found["devices"][SPINE]["ports"] = dict.fromkeys(row["ports"], port)
    for place, name in enumerate(row["ports"]):
        leaf = found["devices"][f"leaf0{place + 1}"]["ports"]
        leaf[kind.ports[-1]] = port
        link = next(
            one for one in found["links"] if one["a"] == f"leaf0{place + 1}:{kind.ports[-1]}"
        )
        link["b"] = f"{SPINE}:{name}"
    return found


def sample_mutants(world: World, stride: int = 1, start: int = 0) -> Iterator[Mutant]:
    """Edits of the text; every n-th."""
    ((file, text),) = world.texts[SPINE].items()
    for number, edit in enumerate(edits(text)):
        if number % stride == start % stride:
            line = text.splitlines()[edit.line - 1].strip()
            how = f"{line!r} {edit.how}"
            yield Mutant(f"text {file}", how, {SPINE: {file: edit.text}})
