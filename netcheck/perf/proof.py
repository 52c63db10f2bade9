"""What findings of a measurement come to, whatever was measured: a class, or a service."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from netcheck.model.counters import Meaning
from netcheck.model.document import Evidence
from netcheck.model.finding import (
    Basis,
    ClassVerdict,
    Finding,
    NotProven,
    Place,
    RunResult,
    RunVerdict,
    Severity,
)
from netcheck.model.known import is_known
from netcheck.perf.coverage import Coverage
from netcheck.perf.found import perf_finding
from netcheck.perf.localise import Suspect
from netcheck.perf.losses import Sight
from netcheck.perf.observe import RoundResult

UNIT = {
    Meaning.PRIORITY_GROUP_DROP: "priority group",
    Meaning.QUEUE_DROP: "queue",
    Meaning.QUEUE_PACKETS: "queue",
    Meaning.WATCHDOG_DROP: "queue",
    Meaning.ECN_MARKED: "queue",
}
NAMED = 8  # rounds left out that are named; a long schedule has hundreds
LOSSES = frozenset({"loss-counted", "loss-outside-queue", "packets-damaged", "rdma-test-failed"})
NOT_PROVEN = (
    ("device-unreachable", NotProven.UNREACHABLE),
    ("rdma-test-failed", NotProven.UNREACHABLE),
    ("counter-reset", NotProven.COUNTER_RESET),
    ("loss-outside-queue", NotProven.COUNTER_MISSING),
    ("packets-damaged", NotProven.COUNTER_MISSING),
    ("counter-missing", NotProven.COUNTER_MISSING),
    ("counters-disagree", NotProven.COUNTER_MISSING),
    ("partition-key-unread", NotProven.COUNTER_MISSING),
    ("partition-key-missing", NotProven.NOT_EXERCISED),
    ("traffic-outside-class", NotProven.NOT_EXERCISED),
    ("pause-on-other-priority", NotProven.NOT_EXERCISED),
)


def run_verdict(classes: Sequence[ClassVerdict], basis: Basis) -> RunVerdict:
    """The verdict of the worst class that decides, with the names of all that are as bad."""
    deciding = [item for item in classes if item.is_lossless] or classes
    if not deciding:
        return RunVerdict(
            RunResult.NOT_PROVEN, basis, None, NotProven.NOT_EXERCISED, "no class to prove"
        )
    worst = max((item.verdict for item in deciding), key=_rank)
    if worst.run is RunResult.LOSSLESS:
        return worst
    names = ", ".join(item.name for item in deciding if item.verdict.run is worst.run)
    word = "class" if "," not in names else "classes"
    return replace(worst, detail=f"{word} {names}: {worst.detail}".removesuffix(": "))


def _rank(verdict: RunVerdict) -> int:
    order = (RunResult.LOSSLESS, RunResult.NOT_PROVEN, RunResult.NOT_LOSSLESS)
    return order.index(verdict.run)


def unique(findings: Iterable[Finding]) -> list[Finding]:
    """Drop a finding that says the same of the same place in another round."""
    seen: dict[tuple[str, tuple[Place, ...], str], Finding] = {}
    for finding in findings:
        seen.setdefault((finding.rule, finding.where, finding.expected), finding)
    return list(seen.values())


def outcome(
    findings: Sequence[Finding], *, lacking: str = ""
) -> tuple[RunResult, NotProven | None, str]:
    """What findings of a class come to.

    Args:
        lacking: What congestion should have shown and did not; empty where it did.
    """
    rules = {finding.rule for finding in findings}
    if "loss-counted" in rules:
        detail = "loss was counted"
        is_damage = "packets-damaged" in rules
        return RunResult.NOT_LOSSLESS, None, detail + ", of damaged packets" * is_damage
    for rule, reason in NOT_PROVEN:
        if rule in rules:
            return RunResult.NOT_PROVEN, reason, rule
    if lacking:
        return RunResult.NOT_PROVEN, NotProven.NOT_EXERCISED, lacking
    return RunResult.LOSSLESS, None, ""


def run_findings(results: Sequence[RoundResult]) -> Iterator[Finding]:
    """Tests that failed, devices that did not answer, counters that began anew."""
    for result in results:
        for device in result.unreachable:
            why = result.reasons.get(device, "no answer")
            yield perf_finding("device-unreachable", Place(device), why)
        for flow in (*result.flows, *result.victims):
            if flow.result.error or not _has_figure(flow.result):
                error = flow.result.error or "the test printed no result"
                yield perf_finding(
                    "rdma-test-failed",
                    Place(flow.sender.host, flow.sender.port),
                    f"{result.tool} from {flow.sender.ref} to {flow.receiver.ref}: {error}",
                    expected="a result",
                    found=error,
                )
        for device, deltas in result.deltas.items():
            if deltas.was_reset:
                yield perf_finding(
                    "counter-reset", Place(device), "the device rebooted during the test"
                )
        for device in sorted({name for one in result.samples for name in one.went_back}):
            yield perf_finding(
                "counter-reset", Place(device), "a counter went backwards during the test"
            )


def unrun_findings(results: Sequence[RoundResult], fabric: str) -> Iterator[Finding]:
    """Rounds of the schedule that were left out, and parts of them."""
    left_out = [name for result in results for name in result.left_out]
    if left_out:
        wanted = f"every round of {results[0].traffic_class}"
        rest = len(left_out) - NAMED
        named = "; ".join(left_out[:NAMED]) + f"; and {rest} more" * (rest > 0)
        yield perf_finding(
            "round-not-run",
            Place(fabric),
            f"{wanted} expected, found {len(left_out)} left out: {named}",
            expected=wanted,
            found=f"{len(left_out)} left out",
        )


def open_findings(
    verdict: RunVerdict, findings: Sequence[Finding], fabric: str
) -> Iterator[Finding]:
    """What keeps a run from proof, where no error says so: reports of findings alone show it."""
    is_said = any(finding.severity is Severity.ERROR for finding in findings)
    if verdict.run is RunResult.NOT_PROVEN and not is_said:
        yield perf_finding(
            "run-not-proven",
            Place(fabric),
            f"a test that proves or refutes is expected, found {verdict.detail}",
            expected="a test that proves or refutes",
            found=verdict.detail,
        )


def beside_findings(results: Sequence[RoundResult]) -> Iterator[Finding]:
    """Tests of traffic that may be dropped which did not run to their end."""
    for result in results:
        for flow in result.background:
            if flow.result.error:
                yield perf_finding(
                    "droppable-not-run",
                    Place(flow.sender.host, flow.sender.port),
                    f"{result.tool} to {flow.receiver.ref} of traffic that may be dropped,"
                    f" {result.round.name}: {flow.result.error}",
                    expected="a result",
                    found=flow.result.error,
                )


def _has_figure(result: object) -> bool:
    bandwidth = getattr(result, "bandwidth_bps", None)
    latency = getattr(result, "latency_us", None)
    return is_known(bandwidth) or is_known(latency)


def loss_finding(sight: Sight, name: str, *, is_promised: bool = True) -> Finding:
    """A loss of the class; a warning where the class is not promised to have none."""
    found = perf_finding(
        "loss-counted" if sight.is_owned else "loss-outside-queue",
        place_of(sight),
        f"{word_of(sight)} expected 0, found {sight.by} while class {name} was tested",
        expected="0",
        found=str(sight.by),
        evidence=(Evidence(counter=sight.meaning.value),),
    )
    if is_promised:
        return found
    return replace(
        found,
        severity=Severity.WARNING,
        why="A packet of a class that is marked and never paused was dropped: its marks came too"
        " late, or its pool did not hold what came before they told.",
        fix="Lower the ECN thresholds of the class, or give its pool more room.",
    )


def missing_finding(sight: Sight) -> Finding:
    """A counter that proves nothing, for two readings do not tell how far it moved."""
    return perf_finding(
        "counter-missing",
        place_of(sight),
        f"counter of {word_of(sight)} was not shown in both readings",
        expected=f"{word_of(sight)} before and after",
        found="no reading",
    )


def word_of(sight: Sight) -> str:
    """What a counter counts, in words."""
    return sight.meaning.value.replace("_", " ")


def place_of(sight: Sight) -> Place:
    """Where a counter is."""
    unit = UNIT.get(sight.meaning, "priority")
    return Place(sight.device, sight.port, f"{unit} {sight.index}" if sight.index >= 0 else "")


def located(found: Sequence[Suspect], findings: Sequence[Finding]) -> Iterator[Finding]:
    """Suspects as findings, the first one first."""
    is_loss = any(finding.rule in LOSSES for finding in findings)
    for number, suspect in enumerate(found, 1):
        first = suspect.where
        located = perf_finding(
            "loss-located" if is_loss else "fault-located",
            Place(first.device, first.port),
            f"suspect {number} of {len(found)}: {suspect.evidence}; look at {suspect.look_at}",
            expected=f"suspect {number}",
            found=suspect.evidence,
        )
        yield replace(
            located, where=tuple(Place(place.device, place.port) for place in suspect.places)
        )


def not_crossed(results: Sequence[RoundResult], seen: Coverage, what: str) -> Iterator[Finding]:
    """Cables between switches on which no round was seen to send data, or that do not tell."""
    if any(result.unreachable for result in results):
        return
    for refs, found in ((seen.missed, "none"), (seen.unseen, "no count")):
        for ref in sorted(refs):
            yield perf_finding(
                "cable-not-crossed",
                Place(ref.device, ref.port),
                f"data of {what} on this cable expected, found {found} in {len(results)} rounds",
                expected="data",
                found=found,
            )
