"""What a measurement of InfiniBand services proved.

A service is proven lossless when an incast really congested it (ports had packets and
waited for credits) and no port or adapter counted a packet as discarded, received with an
error, or sent again. See docs/decisions/0019.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from netcheck.lossless.link_quality import LARGEST_BER
from netcheck.model.counters import Meaning
from netcheck.model.document import Evidence
from netcheck.model.fabric import Fabric, PortRef
from netcheck.model.finding import (
    Basis,
    ClassVerdict,
    Finding,
    Place,
    RunResult,
    RunVerdict,
)
from netcheck.model.known import is_known
from netcheck.perf.bandwidth import bandwidth_findings
from netcheck.perf.clues import Clue, Rank, peers
from netcheck.perf.found import perf_finding
from netcheck.perf.infiniband.measure import Measured, Tested, Unproven
from netcheck.perf.infiniband.sights import (
    Waiting,
    crossed,
    damage_at,
    error_rate,
    footprint,
    lost_at,
    received,
    waiting_of,
    waits,
)
from netcheck.perf.latency import latency_findings
from netcheck.perf.localise import Suspect, by_rank
from netcheck.perf.losses import Sight
from netcheck.perf.observe import RoundResult, is_incast
from netcheck.perf.proof import (
    located,
    loss_finding,
    missing_finding,
    not_crossed,
    outcome,
    place_of,
    run_findings,
    unique,
    unrun_findings,
    word_of,
)

LOOK_FIRST = (
    "Look at the place first: who gives no credits there, lifetimes of packets, SL to VL map,"
    " cable and modules."
)
NOT_CROSSED = (
    "See whether forwarding tables use the port (ibroute with the LID of its switch), or measure"
    " with a longer --schedule."
)
LOOK_AT = {
    Meaning.PORT_EGRESS_DROP: "lifetimes of packets, SL to VL map, and who gives no credits here",
    Meaning.VL15_DROP: "how fast this node answers its subnet manager",
    Meaning.RECEIVE_ERROR: "cable and modules of both ends",
    Meaning.CONSTRAINT_ERROR: "P_Key tables of this port and of the host behind it",
}


@dataclass(frozen=True)
class Judged:
    """Verdicts of services, with what a report shows besides."""

    classes: tuple[ClassVerdict, ...] = ()
    findings: tuple[Finding, ...] = ()
    suspects: tuple[Suspect, ...] = ()
    waiting: tuple[Waiting, ...] = ()
    is_slow: bool = False
    notes: tuple[str, ...] = ()


def judge_services(measured: Measured, basis: Basis) -> Judged:
    """Judge every service that was measured."""
    classes: list[ClassVerdict] = []
    findings: list[Finding] = []
    pointed: list[Suspect] = []
    waiting: list[Waiting] = []
    is_slow = False
    for one in measured.tested:
        fabric = one.places.fabric
        found = list(_findings(one))
        below = list(_below_speed(one))
        slow = list(bandwidth_findings(one.results, fabric))
        is_slow = is_slow or bool(slow) or bool(below)
        classes.append(_verdict(one, found, basis))
        here = _suspects(one, below, is_slow=bool(slow)) if found or slow or below else []
        pointed += here
        waiting += _longest(one)
        late = latency_findings(one.results)
        unrun = unrun_findings(one.results, fabric.name)
        findings += unique([*found, *below, *slow, *late, *unrun, *located(here, found)])
    classes += (_open(one, basis) for one in measured.unproven)
    return Judged(
        tuple(classes),
        tuple(findings),
        tuple(pointed),
        tuple(waiting),
        is_slow,
        measured.notes,
    )


def _findings(one: Tested) -> Iterator[Finding]:
    """All that decides whether a service is lossless, and damage beside it."""
    yield from one.findings
    yield from run_findings(one.results)
    for result in one.results:
        if result.unreachable:
            continue
        for sight in lost_at(result, one.places.fabric, is_sprayed=one.is_sprayed):
            if sight.is_growing:
                yield replace(loss_finding(sight, one.service.name), fix=LOOK_FIRST)
                if sight.meaning is Meaning.RECEIVE_ERROR:
                    yield _damaged(sight)
            elif not is_known(sight.by):
                yield _missing(sight, result)
        yield from (_missing(s, result) for s in received(result, one.places.fabric) if _lacks(s))
        yield from _stuck(result, one.places.fabric)
        yield from _bit_errors(result, one)
    yield from _unseen_waits(one)
    seen = crossed(one.results, one.places.fabric)
    seen = replace(seen, missed=seen.missed - one.unrouted)
    for found in not_crossed(one.results, seen, f"service {one.service.name}"):
        yield replace(found, fix=NOT_CROSSED)


def _lacks(sight: Sight) -> bool:
    return not is_known(sight.by)


def _missing(sight: Sight, result: RoundResult) -> Finding:
    """A counter that was not shown; or that was, and still does not tell how far it moved."""
    found = missing_finding(sight)
    if not result.deltas[sight.device].each(sight.port, sight.meaning):
        return found
    what = f"how far the counter of {word_of(sight)} moved is not told"
    return replace(
        found,
        message=f"{what}: it stands at its largest value, or was cleared meanwhile",
        found="full or cleared",
        fix="Clear it (perfquery -R with LID and port), and test again while nobody else does;"
        " where it counts waits, with --duration 1, for they fill it within seconds.",
    )


def _damaged(sight: Sight) -> Finding:
    return perf_finding(
        "packets-damaged",
        place_of(sight),
        f"{sight.by} packets came in with errors, expected 0",
        expected="0",
        found=str(sight.by),
    )


def _bit_errors(result: RoundResult, one: Tested) -> Iterator[Finding]:
    for sight in damage_at(result, one.places.fabric):
        if not sight.is_growing:
            continue
        rate = error_rate(sight, one.places.at, one.seconds)
        is_training = sight.meaning is Meaning.LINK_RECOVERY
        of = "" if is_training or rate is None else f": bit error rate {rate:.1e}"
        what = "new trainings of the link" if is_training else "symbol errors"
        expected = "0" if is_training else f"a bit error rate of at most {LARGEST_BER:.0e}"
        if not is_training and rate is not None and rate <= LARGEST_BER:
            continue
        yield perf_finding(
            "cable-damages",
            place_of(sight),
            f"{what}: expected {expected}, found {sight.by}{of}",
            expected=expected,
            found=f"{sight.by}{of}",
            evidence=(Evidence(counter=sight.meaning.value),),
        )


def _stuck(result: RoundResult, fabric: Fabric) -> Iterator[Finding]:
    """Receivers whose counter of packets stands still while data came in."""
    came = {flow.receiver.ref for flow in result.flows if is_known(flow.result.bandwidth_bps)}
    for sight in received(result, fabric):
        if PortRef(sight.device, sight.port) in came and sight.by == 0:
            yield perf_finding(
                "counters-disagree",
                place_of(sight),
                "packets that came in: expected those of the test, found 0",
                expected="those of the test",
                found="0",
            )


def _unseen_waits(one: Tested) -> Iterator[Finding]:
    """Waits that an incast should have shown, where no port tells of any."""
    seen = [
        (sight, result)
        for result in one.results
        if is_incast(result) and not result.unreachable
        for sight in waits(result, one.places.fabric)
    ]
    if not any(sight.is_growing for sight, _ in seen):
        yield from (_missing(sight, result) for sight, result in seen if _lacks(sight))


def _below_speed(one: Tested) -> Iterator[Finding]:
    """Links that run slower than the ports at their ends are meant to."""
    fabric = one.places.fabric
    for link in fabric.links:
        for ref in (link.a, link.b):
            device, place = fabric.devices.get(ref.device), one.places.at.get(ref)
            port = device.ports.get(ref.port) if device else None
            rate = place.port.rate_bps if place else None
            speed = port.speed_bps if port else None
            if rate is None or speed is None or not (is_known(rate) and is_known(speed)):
                continue
            if rate < speed:
                yield perf_finding(
                    "link-below-speed",
                    Place(ref.device, ref.port),
                    f"link to {link.other(ref)} expected at {speed / 1e9:g} Gb/s, found at"
                    f" {rate / 1e9:g} Gb/s",
                    expected=f"{speed / 1e9:g} Gb/s",
                    found=f"{rate / 1e9:g} Gb/s",
                )


def _verdict(one: Tested, findings: Sequence[Finding], basis: Basis) -> ClassVerdict:
    fabric = one.places.fabric
    incasts = [result for result in one.results if is_incast(result)]
    waited = any(s.is_growing for result in incasts for s in waits(result, fabric))
    lacking = "" if waited else "no port waited for credits in an incast"
    run, reason, detail = outcome(findings, lacking=lacking if incasts else "no incast was run")
    packets = sum(
        sight.by
        for result in one.results
        for sight in received(result, fabric)
        if is_known(sight.by)
    )
    return ClassVerdict(
        one.service.name,
        RunVerdict(run, basis, None, reason, detail),
        packets,
        paused=False,
        marked=False,
        waited=waited,
    )


def _open(one: Unproven, basis: Basis) -> ClassVerdict:
    """The verdict on a service that was not measured."""
    verdict = RunVerdict(RunResult.NOT_PROVEN, basis, None, one.reason, one.detail)
    return ClassVerdict(one.name, verdict, 0, paused=False, marked=False, waited=False)


def _longest(one: Tested) -> Iterator[Waiting]:
    """The port of each incast that waited longest; none where one waited and does not tell."""
    for result in one.results:
        if not is_incast(result):
            continue
        told = list(waiting_of(result, one.places.fabric, one.places.at, one.seconds))
        places = {(each.device, each.port) for each in told}
        waited = [sight for sight in waits(result, one.places.fabric) if sight.is_growing]
        if waited and all((sight.device, sight.port) in places for sight in waited):
            yield max(told, key=lambda each: each.percent)


def _suspects(one: Tested, findings: Sequence[Finding], *, is_slow: bool) -> list[Suspect]:
    clues = [*_damaging(one), *_losing(one), *map(_clue, one.findings)]
    return by_rank(clues, one.results, one.places.fabric, findings, is_slow=is_slow)


def _clue(finding: Finding) -> Clue:
    """A key or a lane that is not as it must be explains all that fails for want of it."""
    first = finding.where[0]
    where = (PortRef(first.device, first.port),)
    return Clue(Rank.MARKS, where, len(finding.where), finding.message, finding.fix)


def _losing(one: Tested) -> Iterator[Clue]:
    """Ports that discarded packets, all rounds together."""
    found: dict[tuple[PortRef, Meaning], int] = {}
    for sight in _growing(one):
        if sight.meaning in LOOK_AT:
            key = (PortRef(sight.device, sight.port), sight.meaning)
            found[key] = found.get(key, 0) + (sight.by if is_known(sight.by) else 0)
    for (ref, meaning), lost in found.items():
        if meaning is not Meaning.RECEIVE_ERROR:
            what = f"{lost} packets: {meaning.value.replace('_', ' ')}"
            yield Clue(Rank.DROPS, (ref,), lost, what, LOOK_AT[meaning])


def _growing(one: Tested) -> Iterator[Sight]:
    for result in one.results:
        if not result.unreachable:
            sights = lost_at(result, one.places.fabric, is_sprayed=one.is_sprayed)
            yield from (sight for sight in sights if sight.is_growing)


def _damaging(one: Tested) -> Iterator[Clue]:
    """Cables that damage what they carry; what came damaged from further on does not count."""
    far = peers(one.places.fabric)
    found: dict[PortRef, int] = {}
    for result in one.results:
        for _, ingress in footprint(one.places.fabric, result.round).links:
            rows = [
                row
                for meaning in (Meaning.RECEIVE_ERROR, Meaning.PHYSICAL_ERROR)
                for row in result.deltas[ingress.device].each(ingress.port, meaning)
            ]
            own = [row.by for row in rows if "remote" not in row.key.name.lower()]
            found[ingress] = found.get(ingress, 0) + sum(by for by in own if is_known(by))
    for ref, errors in found.items():
        if errors:
            what = f"{errors} errors of symbols and packets came in here"
            where = (ref, far[ref]) if ref in far else (ref,)
            yield Clue(Rank.DAMAGE, where, errors, what, LOOK_AT[Meaning.RECEIVE_ERROR])
