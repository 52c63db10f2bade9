"""``make mutate``: a correct fabric, one knob changed at a time, harm by traffic, lint beside it.

``python -m tests.mutation.run [PLATFORM ...]``; ``hosts`` are the adapters, and the names of
``samples/samples.yaml`` are configurations that nobody rendered. What lint misses is
listed in ``.mutation/PLATFORM.txt``; the exit code is 1 where it misses more than allowed.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import yaml

from benchmarks.results import machine, put
from tests.mutation import managers
from tests.mutation.bench import Bench, Tried
from tests.mutation.fabric import kinds
from tests.mutation.mutants import Mutant, host_mutants, switch_mutants
from tests.mutation.samples import bench_of, sample_mutants, samples
from tests.mutation.world import RefusedError, World

EXEMPT = Path(__file__).with_name("exempt.yaml")
FOLDER = Path(".mutation")
HOSTS = "hosts"
WANTED_PERCENT = 99
EXEMPTED_PERCENT = 5
FIGURES = ("mutants", "equal", "refused", "harmful", "found", "alone")


@dataclass
class Row:
    """Figures of one knob on one platform."""

    mutants: int = 0
    equal: int = 0
    refused: int = 0
    harmful: int = 0
    found: int = 0
    alone: int = 0
    missed: list[str] = field(default_factory=list)


@dataclass
class Outcome:
    """Figures of one platform, by knob."""

    platform: str
    rows: dict[str, Row] = field(default_factory=dict)
    noise: int = 0
    seconds: float = 0.0

    def row(self, knob: str) -> Row:
        """Figures of a knob."""
        return self.rows.setdefault(knob, Row())

    @property
    def total(self) -> Row:
        """Figures of all knobs."""
        found = Row()
        for row in self.rows.values():
            for name in FIGURES:
                setattr(found, name, getattr(found, name) + getattr(row, name))
        return found


def measure(bench: Tried, mutants: Iterator[Mutant], name: str) -> Outcome:
    """Try every mutant."""
    outcome = Outcome(name)
    begin = time.process_time()
    outcome.noise = bench.noise()
    for mutant in mutants:
        _try(bench, mutant, outcome.row(mutant.knob))
    outcome.seconds = time.process_time() - begin
    return outcome


def _try(bench: Tried, mutant: Mutant, row: Row) -> None:
    row.mutants += 1
    if mutant.texts is None:
        row.refused += 1
        return
    if not bench.is_new(mutant.texts):
        row.equal += 1
        return
    if bench.is_hasty and bench.is_found(mutant.texts, with_intent=True):
        return
    try:
        done = bench.harms(mutant.texts)
    except RefusedError:
        row.refused += 1
        return
    if not done:
        return
    row.harmful += 1
    is_seen = bench.is_found(mutant.texts, with_intent=True)
    is_seen_alone = bench.is_found(mutant.texts, with_intent=False)
    row.found += is_seen or is_seen_alone
    row.alone += is_seen_alone
    if not is_seen and not is_seen_alone:
        row.missed.append(f"{mutant.knob}: {mutant.how}: {', '.join(done)}")


def exempted() -> dict[str, dict[str, str]]:
    """Leaves that are not counted. Shape: ``platform -> knob -> reason``."""
    return yaml.safe_load(EXEMPT.read_text("utf-8")) or {}


def of_platform(
    name: str, folder: Path, stride: int = 1, start: int = 0, *, is_hasty: bool = False
) -> Outcome:
    """Mutate one platform, the hosts, or a manager, or a text that nobody rendered."""
    table, given_texts = kinds(), samples()
    if name == managers.NAME:
        subnet = managers.manager_bench(folder)
        subnet.is_hasty = is_hasty
        return measure(subnet, managers.manager_mutants(subnet, stride, start), name)
    if name in given_texts:
        sample = bench_of(given_texts[name], folder)
        sample.is_hasty = is_hasty
        return measure(sample, sample_mutants(sample.world, stride, start), name)
    bench = Bench.of(table["sonic" if name == HOSTS else name], folder)
    bench.is_hasty = is_hasty
    given: Callable[[World, int, int], Iterator[Mutant]] = (
        host_mutants if name == HOSTS else switch_mutants
    )
    return measure(bench, given(bench.world, stride, start), name)


def lines_of(outcome: Outcome, stride: int = 1) -> Iterator[str]:
    """The section of ``RESULTS.md`` of one platform."""
    share = "Every mutant" if stride == 1 else f"Every {stride}th mutant"
    thinned = "" if stride == 1 else f" --stride {stride}"
    yield f"{share}: `python -m tests.mutation.run {outcome.platform}{thinned} --put`. {machine()}."
    yield ""
    heads = ("knob", *FIGURES[:-1], "found without intent", "missed")
    yield f"| {' | '.join(heads)} |"
    yield f"|{'---|' * len(heads)}"
    yield from (_line(knob, row) for knob, row in sorted(outcome.rows.items()))
    yield _line("**all**", outcome.total)
    yield ""
    quiet = f"{outcome.noise} findings on the unmutated fabric"
    found = f"{share_found(outcome):.1f} % of the harmful mutants found"
    yield f"{found}, {quiet}, {outcome.seconds:.0f} s of processor time."
    left_out = exempted().get(outcome.platform, {})
    if left_out:
        yield ""
        yield f"Exempted, {share_exempted(outcome):.1f} % of the knobs:"
        yield from (f"`{knob}`: {reason}." for knob, reason in sorted(left_out.items()))


def _line(knob: str, row: Row) -> str:
    cells = (row.mutants, row.equal, row.refused, row.harmful, row.found, row.alone)
    figures = " | ".join(str(one) for one in (*cells, row.harmful - row.found))
    return f"| {knob} | {figures} |"


def share_found(outcome: Outcome) -> float:
    """Percent of harmful mutants that lint found, without exempted leaves."""
    skipped = exempted().get(outcome.platform, {})
    rows = [row for knob, row in outcome.rows.items() if knob not in skipped]
    harmful = sum(row.harmful for row in rows)
    return 100 * sum(row.found for row in rows) / harmful if harmful else 100.0


def everything() -> list[str]:
    """What can be mutated here; OpenSM where it is installed, public texts where they are."""
    return [*kinds(), HOSTS, *samples(), *([managers.NAME] if managers.is_here() else [])]


def share_exempted(outcome: Outcome) -> float:
    """Percent of the knobs that are not counted."""
    left_out = outcome.rows.keys() & exempted().get(outcome.platform, {}).keys()
    return 100 * len(left_out) / max(len(outcome.rows), 1)


def is_good(outcome: Outcome) -> bool:
    """Enough is found, little is exempted, and nothing is found where all is well."""
    is_enough = share_found(outcome) >= WANTED_PERCENT
    return is_enough and share_exempted(outcome) <= EXEMPTED_PERCENT and not outcome.noise


def main() -> int:
    """Mutate platforms; give the exit code."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("platforms", nargs="*", default=everything())
    parser.add_argument("--stride", type=int, default=1, help="take every n-th mutant")
    parser.add_argument("--start", type=int, default=0, help="beginning with this one")
    parser.add_argument("--misses", action="store_true", help="run only what lint does not find")
    parser.add_argument("--put", action="store_true", help="write benchmarks/RESULTS.md")
    options = parser.parse_args()
    FOLDER.mkdir(exist_ok=True)
    outcomes = []
    for name in options.platforms:
        with tempfile.TemporaryDirectory() as folder:
            outcome = of_platform(
                name, Path(folder), options.stride, options.start, is_hasty=options.misses
            )
        outcomes.append(outcome)
        missed = [line for row in outcome.rows.values() for line in row.missed]
        (FOLDER / f"{name}.txt").write_text("".join(f"{line}\n" for line in missed), "utf-8")
        sys.stdout.write(f"{name}: {share_found(outcome):.1f} % found, {len(missed)} missed\n")
        sys.stdout.flush()
        lines = list(lines_of(outcome, options.stride))
        if options.put:
            put(f"Mutation of {name} (`make mutate`)", lines)
        else:
            sys.stdout.write("\n".join([*lines, ""]))
    return 0 if all(map(is_good, outcomes)) else 1


if __name__ == "__main__":
    sys.exit(main())
