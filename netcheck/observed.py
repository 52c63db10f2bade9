"""What the texts of devices show and what is wrong with it: steps that the API shares."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from netcheck.collect.grouping import Gathered
from netcheck.model.fabric import Fabric, Origin
from netcheck.model.finding import Finding, Place, Severity, Stage, Verdict
from netcheck.model.globs import matches

if TYPE_CHECKING:
    from concurrent.futures import Executor

    from netcheck.collect.assemble import Assembly


def observe(
    given: Gathered,
    intended: Fabric | None = None,
    *,
    limit: Iterable[str] = (),
    stage: Stage = Stage.LINT,
    origin: Origin = Origin.CONFIG,
    executor: Executor | None = None,
) -> Assembly:
    """The fabric that the gathered documents show.

    Many devices are shared out among this machine's processors; an ``executor``
    (``concurrent.futures`` or Dask's) takes them elsewhere.
    """
    from netcheck.collect.assemble import put_together  # noqa: PLC0415 -- an intent needs none
    from netcheck.collect.reading import read_all  # noqa: PLC0415 -- as above

    wanted = [each for each in given.devices if matches(each.name, limit)]
    readings = read_all(wanted, intended, executor=executor)
    return put_together(readings, intended, stage, origin)


def of_texts(found: Assembly) -> list[Finding]:
    """What is wrong with the texts themselves, and where those of one device disagree."""
    from netcheck.rules.engine import judge_texts  # noqa: PLC0415 -- many modules
    from netcheck.rules.settle import settle  # noqa: PLC0415 -- as above

    judged = [*judge_texts(found.fabric), *found.findings]
    return settle(judged, None, suppressions=found.suppressions, today=today())


def judge_observed(found: Assembly, intended: Fabric | None, profile: str) -> list[Finding]:
    """What is wrong with an observed fabric, by the rules and against an intent."""
    from netcheck.compare.compare import compare  # noqa: PLC0415 -- many modules
    from netcheck.rules.engine import judge  # noqa: PLC0415 -- as above
    from netcheck.rules.settle import settle  # noqa: PLC0415 -- as above

    intended = None if intended is None else with_managers(intended)
    judged = judge(found.fabric, intended=intended, stage=Stage.LINT, profile=profile)
    judged += found.findings
    judged += (
        replace(each, stage=Stage.LINT) for each in found.moved if each.verdict is Verdict.FAIL
    )
    if intended is not None:
        compared = compare(_only(intended, found.fabric), found.fabric, stage=Stage.LINT)
        judged += (each for each in compared if each.verdict is Verdict.FAIL)
    return settle(judged, intended, suppressions=found.suppressions, today=today())


def _only(intended: Fabric, observed: Fabric) -> Fabric:
    """The part of an intent that was looked at."""
    known = {name: device for name, device in intended.devices.items() if name in observed.devices}
    return replace(intended, devices=type(intended.devices)(known))


def with_managers(fabric: Fabric) -> Fabric:
    """The intended fabric with what the files of its InfiniBand subnet managers are to say."""
    if not fabric.subnets:
        return fabric
    from netcheck.intent.managers import with_managers as expand  # noqa: PLC0415 -- few intents have one

    return expand(fabric)


def not_had(given: Gathered, observed: Fabric) -> list[Finding]:
    """What a command that failed would have said is missing; lost devices are told as such."""
    return [
        Finding(
            "evidence-missing",
            Severity.ERROR,
            Verdict.UNVERIFIED,
            (Place(device),),
            f"{command}: {reason or 'no output'}",
            expected="an output",
            found="no evidence",
            why="What the command did not say may be anything.",
            fix="Run the command on the device and see why it fails; then collect again.",
            reference="derived: the command works on every supported device",
            stage=Stage.VERIFY,
        )
        for device, command, reason in given.not_had
        if device in observed.devices
    ]


def today() -> str:
    """The day by which suppressions expire, in UTC."""
    return datetime.now(UTC).date().isoformat()
