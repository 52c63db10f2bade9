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
from netcheck.model.fabric import Delivery, Fabric, PortRef, TrafficClass
from netcheck.model.finding import (
    Basis,
    ClassVerdict,
    Finding,
    Place,
    RunVerdict,
    Severity,
    Verdict,
)
from netcheck.model.known import is_known
from netcheck.perf.agreement import disagreements
from netcheck.perf.bandwidth import bandwidth_findings, performance_of
from netcheck.perf.clues import answers_at, total
from netcheck.perf.collective_run import collective_findings, collective_notes
from netcheck.perf.congestion import beside_notes, congestion_findings
from netcheck.perf.coverage import coverage
from netcheck.perf.found import perf_finding
from netcheck.perf.heat import heat_maps
from netcheck.perf.hosts import host_findings
from netcheck.perf.infiniband.sights import Waiting
from netcheck.perf.latency import LatencyFigures, latency_figures, latency_findings
from netcheck.perf.localise import SHOWN, Suspect, suspects
from netcheck.perf.losses import (
    loss_sights,
    mark_sights,
    pause_sights,
    pausing_ports,
    traffic_sights,
)
from netcheck.perf.observe import (
    Footprint,
    RoundResult,
    is_incast,
    lossless_pfc_priorities,
    tested_classes,
)
from netcheck.perf.proof import (
    UNIT,
    beside_findings,
    located,
    loss_finding,
    missing_finding,
    not_crossed,
    outcome,
    place_of,
    run_findings,
    run_verdict,
    unique,
    unrun_findings,
)
from netcheck.perf.sampled import SampledRound, sampled_rounds
from netcheck.report.comparison import Column
from netcheck.report.heatmap import HeatMap

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
    waiting: tuple[Waiting, ...] = ()
    notes: tuple[str, ...] = ()
    comparison: tuple[Column, ...] = ()


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
            *run_findings(own),
            *_pause_elsewhere(own, fabric),
            *_whole_pauses(own, fabric),
            *_class_findings(own, fabric, item),
            *not_crossed(own, coverage(own, fabric, item), f"class {item.name}"),
        ]
        side = list(congestion_findings(own, fabric, item))
        answers = list(host_findings(own, fabric, item))
        rest = [*unrun_findings(own, fabric.name), *beside_findings(own)]
        findings += [*found, *side, *answers, *rest]
        below = any(bandwidth_findings(own, fabric))
        if locates and (found or side or below):
            here = suspects(own, fabric, item, side, is_slow=below)
            pointed += here
            findings += located(here, found)
        found += side
        classes.append(_class_verdict(own, fabric, item, found, basis))
    is_slow = slow or any(finding.rule in SLOW for finding in findings)
    performance = performance_of(results, fabric, is_slow=bool(is_slow))
    worst = run_verdict(classes, basis)
    return PerfVerdict(
        replace(worst, performance=performance),
        tuple(classes),
        tuple(unique([*findings, *slow, *late, *collective_findings(results)])),
        tuple(pointed),
        tuple(latency_figures(results)),
        tuple(sampled_rounds(results, fabric)),
        tuple(heat_maps(results, fabric)),
        tuple(collective_notes(results)),
        notes=(
            *_headroom_notes(results, fabric),
            *_mark_notes(results, fabric),
            *beside_notes(results),
        ),
    )


def _headroom_notes(results: Sequence[RoundResult], fabric: Fabric) -> Iterator[str]:
    """At how many ports the headroom of each lossless class was exercised."""
    for item in tested_classes(fabric):
        own = (result for result in results if result.traffic_class == item.name)
        ports = pausing_ports(own, fabric, item)
        calm = [str(ref) for ref, is_pausing in sorted(ports.items()) if not is_pausing]
        if item.delivery is Delivery.LOSSLESS and len(calm) < len(ports):
            more = f" and {len(calm) - SHOWN} more" if len(calm) > SHOWN else ""
            rest = f", not at {', '.join(calm[:SHOWN])}{more}" if calm else ""
            yield (
                f"class {item.name}: pause frames were sent by {len(ports) - len(calm)} of"
                f" {len(ports)} switch ports that incasts may come in by: headroom was exercised"
                f" there{rest}"
            )


def _mark_notes(results: Sequence[RoundResult], fabric: Fabric) -> Iterator[str]:
    """Marks of a class that no test had: a map may still have them elsewhere."""
    names = {result.traffic_class for result in results}
    for item in tested_classes(fabric):
        marks = sorted(item.dscp) if is_known(item.dscp) else []
        if item.name in names and len(marks) > 1:
            rest = ", ".join(map(str, marks[1:]))
            yield f"class {item.name}: tested with DSCP {marks[0]} alone, not with {rest}"


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
    is_lossless = item.delivery is Delivery.LOSSLESS
    lacking = _lacking(results, packets, is_lossless=is_lossless, paused=paused, marked=marked)
    run, reason, detail = outcome(findings, lacking=lacking)
    verdict = RunVerdict(run, basis, None, reason, detail)
    return ClassVerdict(item.name, verdict, packets, paused, marked, is_lossless)


def _lacking(
    results: Sequence[RoundResult],
    packets: int,
    *,
    is_lossless: bool,
    paused: bool,
    marked: bool,
) -> str:
    """What a test of a class should have shown and did not; empty where it did.

    A class that is marked and never paused was congested where a packet of it was marked.
    """
    if not packets:
        return "no packet of the class was counted" if results else "no round was run"
    if not is_lossless:
        return "" if marked else "no packet was marked"
    if not any(map(is_incast, results)):
        return "no incast was run"
    return "" if paused else "no pause frame was seen"


def _class_findings(
    results: Sequence[RoundResult], fabric: Fabric, item: TrafficClass
) -> Iterator[Finding]:
    is_promised = item.delivery is Delivery.LOSSLESS
    for result in results:
        if result.unreachable:
            continue
        losses = list(loss_sights(result, fabric, item))
        yield from (
            loss_finding(sight, item.name, is_promised=is_promised)
            for sight in losses
            if sight.is_growing
        )
        needed = [*losses, *traffic_sights(result, fabric, item)]
        if is_incast(result) and is_promised:
            needed += pause_sights(result, fabric, item)
        yield from (missing_finding(sight) for sight in needed if not is_known(sight.by))
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


def _outside_class(result: RoundResult, fabric: Fabric, item: TrafficClass) -> Iterator[Finding]:
    """Condition (c): the packets were counted in the class, at both ends and at the leaf."""
    for sight in traffic_sights(result, fabric, item):
        is_queue = sight.meaning is Meaning.QUEUE_PACKETS
        answers = answers_at(fabric, PortRef(sight.device, sight.port), is_queue=is_queue)
        every = result.deltas[sight.device].each(sight.port, sight.meaning)
        rows = [row for row in every if row.key.number not in answers]
        of_all = sum(row.by for row in rows if is_known(row.by))
        if not is_known(sight.by) or of_all < NOISE_PACKETS or sight.by >= IN_CLASS_SHARE * of_all:
            continue
        most = max(rows, key=lambda row: row.by if is_known(row.by) else -1)
        word = UNIT.get(sight.meaning, "priority")
        outside = perf_finding(
            "traffic-outside-class",
            place_of(sight),
            f"class {item.name} expected in {word} {sight.index},"
            f" found in {word} {most.key.number} ({sight.by} of {of_all} packets in {sight.index})",
            expected=f"{word} {sight.index}",
            found=f"{word} {most.key.number}",
        )
        yield outside if result.collective is None else _by_collective(outside, result.tool)


def _by_collective(outside: Finding, program: str) -> Finding:
    """Packets of the user's own test, whose marks are the user's."""
    return replace(
        outside,
        message=f"{outside.message}; these were of the collective test {program}",
        fix="Give the collective test the class's mark (NCCL_IB_TC, four times the DSCP), and see"
        " that every rank has it in its environment.",
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


def _whole_pauses(results: Sequence[RoundResult], fabric: Fabric) -> Iterator[Finding]:
    """Frames that pause a whole port, and with it what is not declared lossless."""
    for result in results:
        for ref in sorted({ref for link in Footprint(fabric, result.round).links for ref in link}):
            port = fabric.devices[ref.device].ports.get(ref.port)
            if port is not None and True in {port.qos.global_pause_rx, port.qos.global_pause_tx}:
                continue
            frames = total(result, ref, Meaning.GLOBAL_PAUSE_RX, Meaning.GLOBAL_PAUSE_TX)
            if frames:
                yield perf_finding(
                    "pause-on-other-priority",
                    Place(ref.device, ref.port),
                    f"frames that pause the whole port expected 0, found {frames}",
                    expected="no pause of the whole port",
                    found=str(frames),
                )


def has_failed(findings: Iterable[Finding]) -> bool:
    """Any error among the findings."""
    return any(
        finding.verdict is Verdict.FAIL and finding.severity is Severity.ERROR
        for finding in findings
    )
