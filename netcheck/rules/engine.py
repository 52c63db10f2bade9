"""Runs rules over views and turns faults, gaps and passes into findings.

A fact without evidence makes its own place *unverified* (where evidence was
asked for) and leaves the other places judged; what was never given is *not
applicable*. Each rule leaves one PASS record with the number of places that it
could judge, so that a check whose fact vanished is seen to have vanished.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import chain
from operator import itemgetter

from netcheck.model.device import Device
from netcheck.model.document import Evidence
from netcheck.model.fabric import Fabric
from netcheck.model.fact import Gap, NotGivenError, UnknownAtError, View, without_frames
from netcheck.model.finding import Finding, Place, Stage, Verdict
from netcheck.model.halves import MANY_DEVICES, by_turns
from netcheck.model.known import AbsentFactError, UnknownFactError
from netcheck.model.view import DeviceView, LinkView, PortView, RdmaView
from netcheck.rules.catalogue import rules_for
from netcheck.rules.gather import Gathered
from netcheck.rules.rule import Fault, Profile, Rule, Scope, show

SHOWN_DEVICES = 64
SHOWN_EVIDENCE = 64
SCOPES = (
    Scope.FABRIC,
    Scope.INTENT,
    Scope.SUPPRESSION,
    Scope.RDMA,
    Scope.DEVICE,
    Scope.LINK,
    Scope.PORT,
)


@dataclass(slots=True)
class Outcome:
    """What one rule came to, over all its views."""

    faults: list[tuple[View, Fault]] = field(default_factory=list)
    gaps: list[tuple[View, Gap]] = field(default_factory=list)
    checked: list[View] = field(default_factory=list)
    reads: set[str] = field(default_factory=set)


def judge(
    observed: Fabric,
    *,
    intended: Fabric | None = None,
    stage: Stage = Stage.LINT,
    evidence_asked: bool = False,
    profile: str = "baseline",
    rules: Sequence[Rule] | None = None,
) -> list[Finding]:
    """Judge a fabric by all rules; raw findings, which ``settle`` puts in order.

    Args:
        observed: What was seen, or a completed intent to be linted.
        intended: What was declared; where it is silent, nothing is judged by it.
        stage: Part of the chain that the findings belong to.
        evidence_asked: A missing fact is ``unverified`` instead of ``not_applicable``.
        profile: ``strict`` adds the rules of that profile.
        rules: Instead of all rules that concern either fabric.
    """
    gathered = Gathered(observed, intended)
    given = [observed] if intended is None or intended is observed else [observed, intended]
    writer = Writer(gathered, stage, evidence_asked=evidence_asked)
    chosen = [
        rule
        for rule in (rules_for(*given) if rules is None else rules)
        if rule.profile is not Profile.STRICT or profile == Profile.STRICT
    ]

    def found_by(rule: Rule) -> list[Finding]:
        return list(writer.write(rule, _outcome(rule, gathered)))

    if len(observed.devices) < MANY_DEVICES:
        return list(chain.from_iterable(map(found_by, chosen)))
    gathered.group_devices()  # once, and not in each process
    # rules of one scope share what their views work out; those on the whole fabric take longest
    order = sorted(range(len(chosen)), key=lambda number: SCOPES.index(chosen[number].scope))
    found = by_turns([partial(found_by, chosen[number]) for number in order])
    pairs = sorted(zip(order, found, strict=True), key=itemgetter(0))
    return list(chain.from_iterable(findings for _, findings in pairs))


def judge_texts(observed: Fabric) -> list[Finding]:
    """Give what is wrong with the texts of devices in themselves; raw failures alone."""
    # rules are loaded when they run
    from netcheck.rules.infiniband import sm_texts  # noqa: PLC0415 -- as said
    from netcheck.rules.roce import texts  # noqa: PLC0415 -- as said

    modules = {texts.__name__, sm_texts.__name__}
    rules = [each for each in rules_for(observed) if each.check.__module__ in modules]
    return [each for each in judge(observed, rules=rules) if each.verdict is Verdict.FAIL]


def _outcome(rule: Rule, gathered: Gathered) -> Outcome:
    """Run a rule; devices that are alike are told apart only where one of them is at fault."""
    if rule.scope is not Scope.DEVICE:
        return run(rule, subjects(gathered, rule.scope))
    outcome = run(rule, gathered.alike)
    is_of_several = any(count_of(view) > 1 for view, _ in outcome.faults)
    return run(rule, gathered.devices) if is_of_several else outcome


def subjects(gathered: Gathered, scope: Scope) -> Iterable[View]:
    """Give the views that a rule of that scope is run over."""
    given: dict[Scope, Callable[[], Iterable[View]]] = {
        Scope.INTENT: gathered.intents,
        Scope.DEVICE: lambda: gathered.devices,
        Scope.PORT: lambda: gathered.ports,
        Scope.RDMA: lambda: gathered.rdma,
        Scope.LINK: lambda: gathered.links,
        Scope.FABRIC: lambda: (gathered.whole,),
    }
    return given[scope]() if scope in given else ()


def run(rule: Rule, views: Iterable[View]) -> Outcome:
    """Run one rule over its views; what cannot be read at one leaves the others judged."""
    outcome = Outcome()
    for view in views:
        _run_one(rule, view, outcome)
    return outcome


def _run_one(rule: Rule, view: View, outcome: Outcome) -> None:
    parts = (view, *view.ends) if isinstance(view, LinkView) and view.has_ends else (view,)
    for part in parts:
        part.reads.clear()
        part.gaps.clear()
    before = len(outcome.faults)
    try:
        for fault in rule.check(view):
            outcome.faults.append((view, fault))
    except (UnknownFactError, AbsentFactError, NotGivenError) as gap:
        view.gaps.append(without_frames(gap))
    is_whole = len(outcome.faults) == before
    for part in parts:
        outcome.reads.update(part.reads)
        if part.gaps:
            is_whole = False
            outcome.gaps.extend([(view, gap) for gap in part.gaps])
    if is_whole:
        outcome.checked.append(view)


class Writer:
    """Turns the outcome of rules into findings with places, evidence and page."""

    def __init__(self, gathered: Gathered, stage: Stage, *, evidence_asked: bool) -> None:
        self.devices = gathered.observed.devices
        self.policies = gathered.plan.fabric.policies if gathered.plan.fabric else {}
        self.stage = stage
        self.evidence_asked = evidence_asked and not gathered.is_intended

    def write(self, rule: Rule, outcome: Outcome) -> Iterator[Finding]:
        """Yield the findings of one rule: faults, then gaps, then the pass."""
        for view, fault in outcome.faults:
            yield from self._fail(rule, view, fault)
        yield from self._gaps(rule, outcome.gaps)
        if outcome.checked:
            yield self._pass(rule, outcome)

    def _fail(self, rule: Rule, view: View, fault: Fault) -> Iterator[Finding]:
        expected, found = show(fault.expected), show(fault.found)
        note = f" ({fault.note})" if fault.note else ""
        page = rule.page
        for where in _places(view, fault):
            yield Finding(
                rule=rule.slug,
                severity=fault.severity or rule.severity,
                verdict=Verdict.FAIL,
                where=where,
                message=f"{fault.facts[0]} expected {expected}, found {found}{note}",
                expected=expected,
                found=found,
                evidence=(fault.evidence,)
                if fault.evidence
                else self._evidence(where, fault.facts, fault.key),
                why=page.why,
                fix=page.fix,
                reference=rule.source,
                stage=self.stage,
                facts=frozenset(fault.facts),
            )

    def _gaps(self, rule: Rule, gaps: Iterable[tuple[View, Gap]]) -> Iterator[Finding]:
        missing: dict[str, list[tuple[Place, ...]]] = {}
        silent: dict[str, int] = {}
        for (view, gap), times in Counter(gaps).items():
            if isinstance(gap, UnknownFactError) and self._is_asked(rule, gap, view):
                missing.setdefault(gap.fact, []).append(members_of(_where(gap, view)))
            else:
                reason = _reason(gap)
                silent[reason] = silent.get(reason, 0) + times * count_of(view)
        for fact, groups in sorted(missing.items()):
            places = tuple(dict.fromkeys(chain.from_iterable(groups)))
            yield self._plain(
                rule, Verdict.UNVERIFIED, f"{fact}: no evidence", where=places, facts={fact}
            )
        for reason, count in sorted(silent.items()):
            yield self._plain(rule, Verdict.NOT_APPLICABLE, f"{reason} (places: {count})")

    def _is_asked(self, rule: Rule, gap: UnknownFactError, view: View) -> bool:
        """Evidence is asked for, and the device can give it."""
        if not self.evidence_asked:
            return False
        device = self.devices.get(_where(gap, view).place.device)
        is_hidden = device is not None and gap.fact in device.hidden
        return rule.is_proof and not is_hidden

    def _pass(self, rule: Rule, outcome: Outcome) -> Finding:
        devices: set[str] = set()
        for view in outcome.checked:
            devices |= _device_names(view)
            if len(devices) > SHOWN_DEVICES:
                break
        where = tuple(Place(name) for name in sorted(devices) if name)
        return self._plain(
            rule,
            Verdict.PASS,
            f"{sum(map(count_of, outcome.checked))} places checked",
            where=where if len(where) <= SHOWN_DEVICES else (),
            facts=outcome.reads,
        )

    def _plain(
        self,
        rule: Rule,
        verdict: Verdict,
        message: str,
        *,
        where: tuple[Place, ...] = (),
        facts: Iterable[str] = (),
    ) -> Finding:
        return Finding(
            rule=rule.slug,
            severity=rule.severity,
            verdict=verdict,
            where=where,
            message=message,
            reference=rule.source,
            stage=self.stage,
            facts=frozenset(facts),
        )

    def _evidence(
        self, where: Iterable[Place], facts: Iterable[str], key: str
    ) -> tuple[Evidence, ...]:
        found = (
            each
            for place in where
            for fact in facts
            for each in self._evidence_at(place, fact, key)
        )
        distinct = dict.fromkeys(each for each in found if each != Evidence())
        with_line = {each.file for each in distinct if each.line}
        exact = (each for each in distinct if each.line or each.file not in with_line)
        return tuple(exact)[:SHOWN_EVIDENCE]

    def _evidence_at(self, place: Place, fact: str, key: str) -> Iterator[Evidence]:
        device = self.devices.get(place.device)
        if device is None:
            policy = self.policies.get(place.device.removeprefix("policy "))
            if policy is not None:
                yield policy.evidence
            return
        yield device.find_evidence(*_path(device, place, fact, key))


def _path(device: Device, place: Place, fact: str, key: str) -> tuple[str, ...]:
    """Path of a fact in ``Device.evidence``."""
    words = place.queue.split() or [""]
    if not place.port:
        return tuple(part for part in (f"device {fact}", key or words[-1]) if part)
    named = next((name for name in (words[0], place.port) if name in device.rdma), "")
    subject = f"rdma {named}" if named else f"port {place.port}"
    number = key or (words[-1] if words[-1] != named else "")
    return tuple(part for part in (subject, fact, number) if part)


def _where(gap: UnknownFactError, view: View) -> View:
    """The view that lacks the fact; ports whose device lacks it are named as ports."""
    if not isinstance(gap, UnknownAtError):
        return view
    is_of_device = isinstance(gap.view.owner, DeviceView)
    return view if is_of_device and isinstance(view, PortView) else gap.view


def _reason(gap: Gap) -> str:
    if isinstance(gap, NotGivenError):
        return str(gap)
    word = "no evidence" if isinstance(gap, UnknownFactError) else "absent"
    return f"{gap.fact}: {word}"


def members_of(view: View) -> tuple[Place, ...]:
    """Give every place that a view stands for."""
    owner = view.owner
    if isinstance(owner, PortView):
        return tuple(Place(each.device, each.port, view.place.queue) for each in owner.members)
    if isinstance(owner, LinkView):
        return (
            tuple(chain.from_iterable(zip(*map(members_of, owner.ends), strict=True)))
            if (owner.has_ends)
            else (owner.place,)
        )
    if isinstance(owner, RdmaView):
        return owner.members
    if isinstance(owner, DeviceView):
        return tuple(Place(name, "", view.place.queue) for name in owner.members)
    return (view.place,)


def _device_names(view: View) -> frozenset[str]:
    """The devices of a view, without making places of them; put together once."""
    found: frozenset[str] | None = view.parts.get("device names")
    if found is None:
        found = view.parts["device names"] = frozenset(_names_in(view))
    return found


def _names_in(view: View) -> Iterable[str]:
    if isinstance(view, LinkView):
        ends = view.ends if view.has_ends else ()
        return (each.device for end in ends for each in end.members)
    if isinstance(view, PortView | RdmaView):
        return (each.device for each in view.members)
    return view.members if isinstance(view, DeviceView) else (view.place.device,)


def count_of(view: View) -> int:
    """How many places a view stands for."""
    if isinstance(view, LinkView):
        return len(view.ends[0].members) if view.has_ends else 1
    return len(view.members) if isinstance(view, PortView | RdmaView | DeviceView) else 1


def _places(view: View, fault: Fault) -> Iterator[tuple[Place, ...]]:
    """Yield the places of each finding: one for all of a view, one a link for pairs."""
    if fault.places:
        yield fault.places
        return
    at = fault.at if isinstance(fault.at, tuple) else (fault.at,)
    columns = [[_numbered(place, fault.number) for place in members_of(each)] for each in at]
    if isinstance(view, LinkView):
        yield from zip(*columns, strict=True)
    else:
        yield tuple(chain.from_iterable(columns))


def _numbered(place: Place, number: str) -> Place:
    """The place with a number; RDMA devices keep their name before it."""
    if not number:
        return place
    is_named = place.queue and " " not in place.queue
    return Place(place.device, place.port, f"{place.queue} {number}" if is_named else number)
