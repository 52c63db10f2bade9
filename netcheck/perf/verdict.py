"""What a test proved: lossless, not lossless, or not proven, and why.

A class is proven lossless when, over a test that really congested it, (a) no
drop, retransmission or sequence error was counted at either NIC or any hop,
(b) PFC was seen on that class and on no class that is not lossless, and (c) the
traffic was in that class at both ends. A counter that is missing proves nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from netcheck.model.counters import Meaning
from netcheck.model.document import Evidence
from netcheck.model.fabric import Delivery, Fabric, PortRef, TrafficClass
from netcheck.model.finding import (
    Basis,
    ClassVerdict,
    Finding,
    NotProven,
    Performance,
    Place,
    RunResult,
    RunVerdict,
    Severity,
    Verdict,
)
from netcheck.model.known import is_known
from netcheck.perf.agreement import disagreements
from netcheck.perf.bandwidth import bandwidth_findings
from netcheck.perf.clues import answers_at
from netcheck.perf.collective_run import collective_findings, collective_notes
from netcheck.perf.congestion import congestion_findings
from netcheck.perf.coverage import coverage
from netcheck.perf.found import perf_finding
from netcheck.perf.heat import heat_maps
from netcheck.perf.hosts import host_findings
from netcheck.perf.latency import LatencyFigures, latency_figures, latency_findings
from netcheck.perf.localise import Suspect, suspects
from netcheck.perf.losses import Sight, loss_sights, mark_sights, pause_sights, traffic_sights
from netcheck.perf.observe import (
    RoundResult,
    is_incast,
    lossless_pfc_priorities,
    tested_classes,
)
from netcheck.perf.sampled import SampledRound, sampled_rounds
from netcheck.report.heatmap import HeatMap

UNIT = {
    Meaning.PRIORITY_GROUP_DROP: "priority group",
    Meaning.QUEUE_DROP: "queue",
    Meaning.QUEUE_PACKETS: "queue",
    Meaning.WATCHDOG_DROP: "queue",
    Meaning.ECN_MARKED: "queue",
}
LOSSES = frozenset({"loss-counted", "loss-outside-queue", "packets-damaged", "rdma-test-failed"})
SLOW = frozenset({"cable-below-speed"})
IN_CLASS_SHARE = 0.9
NOISE_PACKETS = 1000


@dataclass(frozen=True)
class PerfVerdict:
    """Verdict of a whole run with the findings behind it, and where to look first."""

    verdict: RunVerdict
    classes: tuple[ClassVerdict, ...]
    findings: tuple[Finding, ...]
    suspects: tuple[Suspect, ...] = ()
    latencies: tuple[LatencyFigures, ...] = ()
    samples: tuple[SampledRound, ...] = ()
    heat: tuple[HeatMap, ...] = ()
    collectives: tuple[str, ...] = ()


def judge_perf(
    results: Sequence[RoundResult], fabric: Fabric, basis: Basis, *, locates: bool = True
) -> PerfVerdict:
    """Judge every class over all rounds.

    The run is as bad as its worst lossless class; classes that are marked and
    never paused decide only where no class is lossless, for nothing promises
    that they do not drop. Without any class or any incast it is not proven.
    ``locates`` says whether suspects are looked for, which takes longer than the rest.
    """
    findings: list[Finding] = []
    pointed: list[Suspect] = []
    slow = list(bandwidth_findings(results, fabric))
    late = list(latency_findings(results))
    classes = []
    for item in tested_classes(fabric):
        own = [result for result in results if result.traffic_class == item.name]
        found = [
            *_test_findings(own),
            *_pause_elsewhere(own, fabric),
            *_class_findings(own, fabric, item),
            *_not_crossed(own, fabric, item),
        ]
        side = list(congestion_findings(own, fabric, item))
        answers = list(host_findings(own, fabric, item))
        findings += [*found, *side, *answers]
        if locates and (found or side or slow):
            here = suspects(own, fabric, item, side)
            pointed += here
            findings += _located(here, found)
        found += side
        classes.append(_class_verdict(own, fabric, item, found, basis))
    is_slow = slow or any(finding.rule in SLOW for finding in findings)
    performance = Performance.SLOW if is_slow else Performance.OK
    worst = run_verdict(classes, basis)
    return PerfVerdict(
        replace(worst, performance=performance),
        tuple(classes),
        tuple(_unique([*findings, *slow, *late, *collective_findings(results)])),
        tuple(pointed),
        tuple(latency_figures(results)),
        tuple(sampled_rounds(results, fabric)),
        tuple(heat_maps(results, fabric)),
        tuple(collective_notes(results)),
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


def _unique(findings: Iterable[Finding]) -> list[Finding]:
    """Drop a finding that says the same of the same place in another round."""
    seen: dict[tuple[str, tuple[Place, ...], str], Finding] = {}
    for finding in findings:
        seen.setdefault((finding.rule, finding.where, finding.expected), finding)
    return list(seen.values())


def _class_verdict(
    results: Sequence[RoundResult],
    fabric: Fabric,
    item: TrafficClass,
    findings: Sequence[Finding],
    basis: Basis,
) -> ClassVerdict:
    paused = any(
        s.is_growing for r in results if is_incast(r) for s in pause_sights(r, fabric, item)
    )
    marked = any(s.is_growing for r in results for s in mark_sights(r, fabric, item))
    packets = sum(
        sight.by
        for result in results
        for sight in traffic_sights(result, fabric, item)
        if sight.meaning is Meaning.PRIORITY_RX_PACKETS and is_known(sight.by)
    )
    run, reason, detail = _outcome(findings, item, is_paused=paused)
    verdict = RunVerdict(run, basis, None, reason, detail)
    is_lossless = item.delivery is Delivery.LOSSLESS
    return ClassVerdict(item.name, verdict, packets, paused, marked, is_lossless)


def _outcome(
    findings: Sequence[Finding], item: TrafficClass, *, is_paused: bool
) -> tuple[RunResult, NotProven | None, str]:
    rules = {finding.rule for finding in findings}
    if "loss-counted" in rules:
        detail = "loss was counted"
        is_damage = "packets-damaged" in rules
        return RunResult.NOT_LOSSLESS, None, detail + ", of damaged packets" * is_damage
    for rule, reason in (
        ("device-unreachable", NotProven.UNREACHABLE),
        ("rdma-test-failed", NotProven.UNREACHABLE),
        ("counter-reset", NotProven.COUNTER_RESET),
        ("loss-outside-queue", NotProven.COUNTER_MISSING),
        ("packets-damaged", NotProven.COUNTER_MISSING),
        ("counter-missing", NotProven.COUNTER_MISSING),
        ("counters-disagree", NotProven.COUNTER_MISSING),
        ("traffic-outside-class", NotProven.NOT_EXERCISED),
        ("pause-on-other-priority", NotProven.NOT_EXERCISED),
    ):
        if rule in rules:
            return RunResult.NOT_PROVEN, reason, rule
    if item.delivery is Delivery.LOSSLESS and not is_paused:
        return RunResult.NOT_PROVEN, NotProven.NOT_EXERCISED, "no pause frame was seen"
    return RunResult.LOSSLESS, None, ""


def _test_findings(results: Sequence[RoundResult]) -> Iterator[Finding]:
    for result in results:
        for device in result.unreachable:
            yield perf_finding("device-unreachable", Place(device), "no answer")
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


def _has_figure(result: object) -> bool:
    bandwidth = getattr(result, "bandwidth_bps", None)
    latency = getattr(result, "latency_us", None)
    return is_known(bandwidth) or is_known(latency)


def _class_findings(
    results: Sequence[RoundResult], fabric: Fabric, item: TrafficClass
) -> Iterator[Finding]:
    for result in results:
        if result.unreachable:
            continue
        losses = list(loss_sights(result, fabric, item))
        yield from (loss_finding(sight, item) for sight in losses if sight.is_growing)
        needed = [*losses, *traffic_sights(result, fabric, item)]
        if is_incast(result) and item.delivery is Delivery.LOSSLESS:
            needed += pause_sights(result, fabric, item)
        yield from (_missing(sight) for sight in needed if not is_known(sight.by))
        if not result.background:  # beside it, much is outside the class that should be
            yield from _outside_class(result, fabric, item)
        for other in disagreements(result, fabric, item):
            yield perf_finding(
                "counters-disagree",
                Place(other.where.device, other.where.port),
                f"{other.what} expected {other.expected}, found {other.found}",
                expected=str(other.expected),
                found=str(other.found),
            )


def _not_crossed(
    results: Sequence[RoundResult], fabric: Fabric, item: TrafficClass
) -> Iterator[Finding]:
    """Cables between switches that no round was seen to use."""
    if any(result.unreachable for result in results):
        return
    for ref in sorted(coverage(results, fabric, item).missed):
        yield perf_finding(
            "cable-not-crossed",
            Place(ref.device, ref.port),
            f"data of class {item.name} on this cable expected, found none in"
            f" {len(results)} rounds",
            expected="data",
            found="none",
        )


def loss_finding(sight: Sight, item: TrafficClass) -> Finding:
    """A loss of the class; a warning where the class is not promised to have none."""
    found = perf_finding(
        "loss-counted" if sight.is_owned else "loss-outside-queue",
        _place(sight),
        f"{_word(sight)} expected 0, found {sight.by} while class {item.name} was tested",
        expected="0",
        found=str(sight.by),
        evidence=(Evidence(counter=sight.meaning.value),),
    )
    if item.delivery is Delivery.LOSSLESS:
        return found
    return replace(
        found,
        severity=Severity.WARNING,
        why="A packet of a class that is marked and never paused was dropped: its marks came too"
        " late, or its pool did not hold what came before they told.",
        fix="Lower the ECN thresholds of the class, or give its pool more room.",
    )


def _missing(sight: Sight) -> Finding:
    return perf_finding(
        "counter-missing",
        _place(sight),
        f"counter of {_word(sight)} was not shown in both readings",
        expected=f"{_word(sight)} before and after",
        found="no reading",
    )


def _word(sight: Sight) -> str:
    return sight.meaning.value.replace("_", " ")


def _place(sight: Sight) -> Place:
    unit = UNIT.get(sight.meaning, "priority")
    return Place(sight.device, sight.port, f"{unit} {sight.index}" if sight.index >= 0 else "")


def _outside_class(result: RoundResult, fabric: Fabric, item: TrafficClass) -> Iterator[Finding]:
    """Condition (c): the packets were counted in the class, at both ends and at the leaf."""
    for sight in traffic_sights(result, fabric, item):
        is_queue = sight.meaning is Meaning.QUEUE_PACKETS
        answers = answers_at(fabric, PortRef(sight.device, sight.port), is_queue=is_queue)
        every = result.deltas[sight.device].each(sight.port, sight.meaning)
        rows = [row for row in every if row.key.number not in answers]
        total = sum(row.by for row in rows if is_known(row.by))
        if not is_known(sight.by) or total < NOISE_PACKETS or sight.by >= IN_CLASS_SHARE * total:
            continue
        most = max(rows, key=lambda row: row.by if is_known(row.by) else -1)
        word = UNIT.get(sight.meaning, "priority")
        yield perf_finding(
            "traffic-outside-class",
            _place(sight),
            f"class {item.name} expected in {word} {sight.index},"
            f" found in {word} {most.key.number} ({sight.by} of {total} packets in {sight.index})",
            expected=f"{word} {sight.index}",
            found=f"{word} {most.key.number}",
        )


def _located(found: Sequence[Suspect], findings: Sequence[Finding]) -> Iterator[Finding]:
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


def _pause_elsewhere(results: Sequence[RoundResult], fabric: Fabric) -> Iterator[Finding]:
    """Condition (b), second half: no pause on a priority that is not declared lossless."""
    for result in results:
        for device, deltas in result.deltas.items():
            for moved in deltas.grown(Meaning.PFC_RX, Meaning.PFC_TX):
                declared = lossless_pfc_priorities(fabric, PortRef(device, moved.key.port))
                if moved.key.number in declared:
                    continue
                wanted = ", ".join(map(str, sorted(declared))) or "none"
                yield perf_finding(
                    "pause-on-other-priority",
                    Place(device, moved.key.port, f"priority {moved.key.number}"),
                    f"pause frames of priority {moved.key.number} expected 0,"
                    f" found {moved.by}; only {wanted} may pause",
                    expected=wanted,
                    found=str(moved.key.number),
                )


def has_failed(findings: Iterable[Finding]) -> bool:
    """Any error among the findings."""
    return any(
        finding.verdict is Verdict.FAIL and finding.severity is Severity.ERROR
        for finding in findings
    )
