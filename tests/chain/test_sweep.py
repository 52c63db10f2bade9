"""No lost or cut line of an output turns a bad fabric into a good one, or is passed over.

Each fault is put into the lab once; then every output is damaged line by line
and judged again in process. ``make test`` takes every 23rd damage (of counters
every 211th), ``NETCHECK_SWEEP=all`` (``make sweep``) all of them, and
``NETCHECK_SWEEP=5`` every fifth (of counters every 45th).
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import pytest

from netcheck.model.finding import ExitCode, RunResult
from tests.chain.damage import Damage, damages
from tests.chain.lab_world import ROOT, SMALL, World, world
from tests.chain.sweep_perf import Recording, record
from tests.chain.sweep_verify import Sweep, facts_read, lost_facts

pytestmark = pytest.mark.slow

ASKED = os.environ.get("NETCHECK_SWEEP", "")
# Primes, so that every kind of damage and of line comes up; counters are long and slow to read.
STRIDE, COUNTERS_STRIDE = (1, 1) if ASKED == "all" else (23, 211)
if ASKED.isdigit():
    STRIDE, COUNTERS_STRIDE = int(ASKED), 9 * int(ASKED)
LONG = 1000
SHOWN = 40
ONE_SPINE = ROOT / "tests" / "chain" / "one-spine.yaml"
VISIBLE = (
    "pfc-off-one-port",
    "dscp-map-one-leaf",
    "nic-trust-pcp",
    "ecn-off",
    "headroom-halved",
    "mtu-1500-spine-port",
    "ets-weight-1",
    "watchdog-off",
    "cables-swapped",
    "nic-cnp-dscp-wrong",
)
# Those that drop packets or keep the proof from being made in at least one incast.
LOSSY = frozenset(
    {
        "pfc-off-one-port",
        "dscp-map-one-leaf",
        "nic-trust-pcp",
        "headroom-halved",
        "mtu-1500-spine-port",
    }
)
SILENT = ("profile-rejected", "map-not-programmed", "counter-stuck")


@dataclass(frozen=True)
class Swept:
    """A lab's outputs, as verify and as a measurement read them."""

    name: str
    verify: Sweep
    perf: Recording


def swept(name: str, found: World) -> Swept:
    """Read everything while the lab is up."""
    return Swept(name, Sweep.of(found.fabric, found.snapshot), record(found.fabric))


def grouped(names: Iterable[str]) -> list[object]:
    """One lab a worker: what is asked of one fault stays together."""
    return [pytest.param(name, marks=pytest.mark.xdist_group(f"sweep-{name}")) for name in names]


@pytest.fixture(scope="module", params=grouped((*VISIBLE, *SILENT)))
def faulty(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Swept:
    name: str = request.param
    intent = ONE_SPINE if "spine" in name else SMALL
    with world(tmp_path_factory.mktemp(name), name, intent=intent) as found:
        assert found.faults, "the lab says which fault it put in"
        return swept(name, found)


@pytest.fixture(scope="module")
def good(tmp_path_factory: pytest.TempPathFactory) -> Swept:
    with world(tmp_path_factory.mktemp("good")) as found:
        return swept("good", found)


def chosen(text: str, start: int) -> Iterator[Damage]:
    """Every n-th damage of a text, counted on from ``start``."""
    stride = COUNTERS_STRIDE if text.count("\n") > LONG else STRIDE
    for number, damage in enumerate(damages(text), start):
        if number % stride == 0:
            yield damage


def is_shorter_number(text: str, damage: Damage) -> bool:
    """A cut left another whole number, which no reader can tell from a true one.

    On a faulty fabric such a cut is tried like every other.
    """
    if not damage.line or damage.how == "deleted":
        return False
    kept = damage.text.splitlines()[damage.line - 1].split()
    was = text.splitlines()[damage.line - 1].split()
    return len(kept) == len(was) and kept[-1].isdigit() and was[-1].isdigit()


def told(name: str, damage: Damage, text: str, became: object) -> str:
    """One line of a failed assertion: file, line, what happened to it, what it turned into."""
    line = text.splitlines()[damage.line - 1].strip() if damage.line else "the whole text"
    return f"{name}:{damage.line} {damage.how}: {became}; was {line!r:.90}"


def shown(broken: list[str]) -> str:
    """What an assertion shows when it fails."""
    return "\n".join((f"{len(broken)} damages", *broken[:SHOWN]))


def test_no_damage_lets_a_faulty_snapshot_pass(faulty: Swept) -> None:
    if faulty.name in SILENT:
        return  # verify cannot see these, with or without damage
    sweep = faulty.verify
    assert sweep.whole_code() is ExitCode.FINDINGS
    broken = []
    for number, spot in enumerate(sweep.spots()):
        if sweep.is_found_beside(spot.device):
            continue  # the error stands on another device, which this output says nothing of
        text = spot.item.document.text
        for damage in chosen(text, number):
            reading = sweep.damaged(spot, damage.text)
            if sweep.code(spot.device, reading) is ExitCode.CLEAN:
                broken.append(told(spot.name, damage, text, "pass"))
    assert not broken, shown(broken)


def test_no_damage_makes_a_lossy_measurement_lossless(faulty: Swept) -> None:
    recording = faulty.perf
    if recording.whole is RunResult.LOSSLESS:
        assert faulty.name not in (*LOSSY, *SILENT)
        return
    broken = [
        told(f"{reading.device}/{reading.turn}/{reading.document.name}", damage, text, "lossless")
        for number, reading in enumerate(recording.readings())
        for text in (reading.document.text,)
        for damage in chosen(text, number)
        if recording.judge(reading, damage.text) is RunResult.LOSSLESS
    ]
    assert not broken, shown(broken)


@pytest.mark.xdist_group("sweep-good")
def test_a_line_that_a_check_read_is_missed_on_the_good_fabric(good: Swept) -> None:
    sweep = good.verify
    assert sweep.whole_code() is ExitCode.CLEAN
    read = facts_read(sweep)
    broken = []
    for number, spot in enumerate(sweep.spots()):
        text = spot.item.document.text
        for damage in chosen(text, number):
            reading = sweep.damaged(spot, damage.text)
            if sweep.code(spot.device, reading) is ExitCode.CLEAN:
                lost = lost_facts(sweep, spot.device, reading)
                became = [how for fact, how in lost if fact in read]
                broken += [told(spot.name, damage, text, how) for how in became]
    assert not broken, shown(broken)


@pytest.mark.xdist_group("sweep-good")
def test_a_counter_that_the_proof_needs_is_missed_on_the_good_fabric(good: Swept) -> None:
    recording = good.perf
    assert recording.whole is RunResult.LOSSLESS
    needed = recording.needed()
    broken = [
        told(f"{reading.device}/{reading.turn}/{reading.document.name}", damage, text, "lossless")
        for number, reading in enumerate(recording.readings())
        for text in (reading.document.text,)
        for damage in chosen(text, number)
        if not is_shorter_number(text, damage)
        and recording.changed(reading, damage.text) & needed
        and recording.judge(reading, damage.text) is RunResult.LOSSLESS
    ]
    assert not broken, shown(broken)
