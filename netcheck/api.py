"""The public Python API: the same model and findings as the command line.

    >>> from netcheck import api
    >>> report = api.lint_paths(["examples/lab-small.yaml"])  # doctest: +SKIP
    >>> [finding.rule for finding in report.findings]  # doctest: +SKIP
    []

``load_intent`` and ``complete`` give the intended ``Fabric``; ``render`` the
files of each device; ``lint_paths`` and ``verify_snapshot`` a ``Report`` whose
``findings`` are ``netcheck.model.finding.Finding``. ``exit_code(report)`` is
what the command line returns for it. Errors derive from
``netcheck.model.errors.NetcheckError``.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from netcheck.collect.grouping import Gathered, gather
from netcheck.model.device import Device
from netcheck.model.document import DocumentKind, Evidence
from netcheck.model.errors import InputError
from netcheck.model.fabric import Fabric, Origin
from netcheck.model.finding import ExitCode, Finding, Stage
from netcheck.model.globs import chosen, limited, matches, matching
from netcheck.model.known import is_known
from netcheck.observed import judge_observed, not_had, observe, of_texts, today, with_managers
from netcheck.platforms.platform import Platform, load
from netcheck.report.report import Report, exit_code

if TYPE_CHECKING:
    from concurrent.futures import Executor


__all__ = [
    "complete",
    "diff_paths",
    "exit_code",
    "import_paths",
    "job_topology",
    "lint_intent",
    "lint_paths",
    "load_completed",
    "load_intent",
    "observe",
    "refusals",
    "render",
    "verify_devices",
    "verify_snapshot",
]

BETWEEN_READINGS_S = 10.0  # SONiC polls queue counters every 10 s
Paths = str | Path | Sequence[str | Path]


def load_intent(paths: Paths, *, deployable: bool = False) -> Fabric:
    """The fabric that one or several intent files describe; unsaid facts are UNKNOWN.

    Raises:
        IntentError: Carries everything that is wrong in the files.
    """
    from netcheck.intent.load import load_intent as load  # noqa: PLC0415 -- YAML is not always needed

    return load(paths, deployable=deployable)


def complete(fabric: Fabric) -> Fabric:
    """The intended fabric with its policies expanded onto devices and ports."""
    from netcheck.intent.complete import complete as expand  # noqa: PLC0415 -- as load_intent

    return expand(fabric)


def load_completed(paths: Paths, *, deployable: bool = False) -> Fabric:
    """The completed fabric of intent files; two processors share the work on a large one.

    Raises:
        IntentError: Carries everything that is wrong in the files.
    """
    from netcheck.intent.completed import load_completed as load  # noqa: PLC0415 -- as load_intent

    return load(paths, deployable=deployable)


def render(fabric: Fabric, devices: Iterable[str] | None = None) -> dict[str, Mapping[str, str]]:
    """What each device takes. Shape: ``device -> file name -> text``.

    Args:
        fabric: A completed intent.
        devices: Names of those to render; None renders all.

    Raises:
        RefusalError: A platform cannot express what a device is to do; ``refusals``
            gives all such places.
        InputError: A device has no platform.
    """
    wanted = {
        name: fabric.devices[name] for name in (chosen(fabric) if devices is None else devices)
    }
    return {
        name: platform_of(device).rendering.render(device, fabric)
        for name, device in wanted.items()
    }


def refusals(
    fabric: Fabric, *, stage: Stage = Stage.LINT, is_shared_out: bool = False
) -> list[Finding]:
    """Everything in a completed intent that a platform cannot express, as findings.

    Args:
        fabric: A completed intent.
        stage: Part of the chain that the findings belong to.
        is_shared_out: Two processes share the work: for large fabrics.
    """
    from netcheck.platforms.refusals import refusal_findings  # noqa: PLC0415 -- as load_intent

    return list(refusal_findings(fabric, stage=stage, is_shared_out=is_shared_out))


def platform_of(device: Device) -> Platform:
    """The platform of a device.

    Raises:
        InputError: It is not said, or there is none of that name.
    """
    if not is_known(device.platform):
        raise InputError(f"{device.name}: platform is not said")
    return load(device.platform)


def lint_paths(
    paths: Paths,
    *,
    intent: Paths = (),
    profile: str = "baseline",
    limit: Iterable[str] = (),
) -> Report:
    """Judge whatever the paths hold: intents, configurations, rendered trees, snapshots.

    Args:
        paths: Files and folders.
        intent: Files of the intent that configurations are judged against.
        profile: ``baseline`` or ``strict``.
        limit: Globs of device names; none takes all.

    Raises:
        InputError: A path does not exist, an intent cannot be used, or a glob takes no device.
    """
    given = gather(_listed(paths))
    # Not completed: what the intent does not say is not judged.
    intended = load_intent(intent) if _listed(intent) else None
    findings: list[Finding] = []
    drawn: Fabric | None = None
    fabrics = _completed(given.intents)
    every = (*(name for one in fabrics for name in one.devices), *(d.name for d in given.devices))
    matching(dict.fromkeys(every), limit)
    devices: list[str] = []
    for fabric in fabrics:
        drawn = fabric
        devices += (name for name in fabric.devices if matches(name, limit))
        findings += lint_intent(fabric, profile=profile, limit=limit)
    if given.devices:
        found = observe(given, intended, limit=limit)
        findings += judge_observed(found, intended, profile)
        devices += found.fabric.devices
        drawn = drawn or intended or found.fabric
    return Report(
        "lint",
        tuple(findings),
        fabric=drawn,
        devices=tuple(dict.fromkeys(devices)),
        inputs=(*(file for files in given.intents for file in files), *given.files),
        unrecognised=given.unrecognised,
        notes=_notes(given, intended),
        exit_code=None if given.intents or given.devices else ExitCode.UNVERIFIED,
    )


def job_topology(
    paths: Paths, *, intent: Paths = (), subnet: str = "", profile: str = "baseline"
) -> tuple[Report, Mapping[str, str]]:
    """Judge an InfiniBand subnet, and give what Slurm and NCCL are told of it.

    Args:
        paths: Outputs of the subnet; or an intent alone, whose links are then taken.
        intent: Files of the intent that the outputs are judged against.
        subnet: Which one of an intent with several.

    Returns:
        The report, and ``file name -> text``: no file where a finding says that
        the subnet is not what it should be.

    Raises:
        InputError: The paths hold no subnet, or more than one.
    """
    from netcheck.collect.assemble import Assembly  # noqa: PLC0415 -- InfiniBand alone
    from netcheck.platforms.infiniband import jobs  # noqa: PLC0415 -- as above

    given = gather(_listed(paths))
    intended = load_intent(intent) if _listed(intent) else None
    if given.intents and not given.devices:
        found = Assembly(jobs.as_planned(_completed(given.intents)[0], subnet))
    else:
        found = observe(given, intended)
    seen = jobs.only_subnet(found.fabric)
    findings = tuple(judge_observed(found, intended, profile))
    files = {} if jobs.is_wrong(findings) else jobs.job_files(seen)
    report = Report("ib topology", findings, fabric=found.fabric, inputs=given.files)
    return report, files


def _completed(intents: Iterable[Sequence[str]]) -> list[Fabric]:
    """Load and complete each intent; what is wrong in any of them is raised together."""
    from netcheck.intent.complaint import Complaint, IntentError  # noqa: PLC0415 -- as load_intent

    fabrics: list[Fabric] = []
    complaints: list[Complaint] = []
    for files in intents:
        try:
            fabrics.append(load_completed(files))
        except IntentError as error:
            complaints += error.complaints
        except InputError as error:
            complaints.append(Complaint(Evidence(files[0]), _without(files[0], str(error))))
    if complaints:
        raise IntentError(complaints)
    return fabrics


def _without(file: str, message: str) -> str:
    return message.removeprefix(f"{file}: ")


def lint_intent(
    fabric: Fabric, *, profile: str = "baseline", limit: Iterable[str] = ()
) -> list[Finding]:
    """Judge a completed intent by the rules."""
    from netcheck.model.halves import MANY_DEVICES, in_two  # noqa: PLC0415 -- for large fabrics
    from netcheck.rules.engine import judge  # noqa: PLC0415 -- many modules
    from netcheck.rules.settle import settle  # noqa: PLC0415 -- as above

    fabric = with_managers(fabric)

    def judged() -> list[Finding]:
        return judge(fabric, intended=fabric, stage=Stage.LINT, profile=profile)

    def refused() -> list[Finding]:
        return refusals(fabric)

    is_large = len(fabric.devices) >= MANY_DEVICES
    found, limits = in_two(judged, refused) if is_large else (judged(), refused())
    return limited(settle([*found, *limits], fabric, today=today()), limit)


def verify_snapshot(
    intent: Fabric | Paths,
    snapshot: str | Path,
    *,
    profile: str = "baseline",
    limit: Iterable[str] = (),
    executor: Executor | None = None,
) -> Report:
    """Compare a snapshot with the intent, and judge it by the rules.

    Missing evidence makes a check unverified. ``executor`` as for ``observe``.

    Raises:
        InputError: The intent or the snapshot cannot be used, or a glob takes no device.
    """
    from netcheck.compare.verify import verify  # noqa: PLC0415 -- as lint_intent

    fabric = complete(intent) if isinstance(intent, Fabric) else load_completed(intent)
    given = gather([snapshot])
    matching(fabric.devices, limit)
    found = observe(
        given,
        fabric,
        limit=limit,
        stage=Stage.VERIFY,
        origin=Origin.SNAPSHOT,
        executor=executor,
    )
    findings = verify(
        with_managers(fabric),
        found.fabric,
        moved=found.moved,
        extra=(*found.findings, *not_had(given, found.fabric)),
        unread=dict(given.unread),
        suppressions=found.suppressions,
        profile=profile,
        today=today(),
    )
    return Report(
        "verify",
        tuple(limited(findings, limit)),
        fabric=fabric,
        devices=tuple(found.fabric.devices),
        inputs=given.files,
        unrecognised=given.unrecognised,
    )


def verify_devices(
    fabric: Fabric,
    folder: Path,
    *,
    between_s: float = BETWEEN_READINGS_S,
    profile: str = "baseline",
    limit: Iterable[str] = (),
    progress: Callable[[str, str], None] = lambda _device, _state: None,
) -> Report:
    """Read the fabric's devices twice into a new snapshot, then verify that.

    Evidence names files within the snapshot.

    Args:
        fabric: A deployable intent.
        folder: Where the snapshot goes.
        between_s: Pause between the two readings of counters.
        profile: ``baseline`` or ``strict``.
        limit: Globs of device names; none takes all.
        progress: Called with device and state as devices are read.

    Raises:
        InputError: The folder cannot be used.
    """
    from netcheck.collect.collector import collect  # noqa: PLC0415 -- brings in SSH

    names = chosen(fabric, limit)
    whole = complete(fabric)
    collect(whole, folder, devices=names, progress=progress)
    time.sleep(between_s)
    collect(whole, folder, devices=names, kinds={DocumentKind.COUNTERS}, reading=1)
    report = verify_snapshot(fabric, folder, profile=profile, limit=limit)
    return replace(report, findings=tuple(_within(folder, each) for each in report.findings))


def _within(folder: Path, finding: Finding) -> Finding:
    """The finding with evidence named from the snapshot's folder on."""
    start = f"{folder}/"
    evidence = (replace(one, file=one.file.removeprefix(start)) for one in finding.evidence)
    return replace(finding, evidence=tuple(evidence))


def diff_paths(before: str | Path, after: str | Path, *, limit: Iterable[str] = ()) -> Report:
    """What changed between two snapshots (or folders of configurations), by meaning.

    Raises:
        InputError: A path does not exist, or a glob takes no device.
    """
    from netcheck.collect.changes import changes  # noqa: PLC0415 -- as lint_intent
    from netcheck.rules.settle import group  # noqa: PLC0415 -- as lint_intent

    old, new = gather([before]), gather([after])
    matching(dict.fromkeys(one.name for one in (*old.devices, *new.devices)), limit)
    found = tuple(
        group(changes(observe(old, limit=limit).fabric, observe(new, limit=limit).fabric))
    )
    is_empty = not (old.devices and new.devices)
    return Report(
        "diff",
        found,
        inputs=(*old.files, *new.files),
        unrecognised=(*old.unrecognised, *new.unrecognised),
        exit_code=ExitCode.UNVERIFIED if is_empty else ExitCode(bool(found)),
    )


def import_paths(paths: Paths, target: Path, *, limit: Iterable[str] = ()) -> Report:
    """Write the intent that configurations or a snapshot follow to a new file.

    Findings are what was not understood, and what devices hold and no intent says.

    Raises:
        InputError: A path does not exist or is an intent, a glob takes no device, or
            the file cannot be written.
    """
    from netcheck.collect.importing import import_fabric  # noqa: PLC0415 -- as lint_intent

    given = gather(_listed(paths))
    if given.intents:
        raise InputError(f"{given.intents[0][0]}: is an intent already")
    matching({each.name: None for each in given.devices}, limit)
    found: list[Finding] = []
    notes = list(_notes(given, None))
    if given.devices:
        observed = observe(given, limit=limit)
        differing, said = import_fabric(observed.fabric, target)
        found += [*of_texts(observed), *differing]
        notes += said
    return Report(
        "import",
        tuple(found),
        devices=tuple(each.name for each in given.devices if matches(each.name, limit)),
        inputs=given.files,
        unrecognised=given.unrecognised,
        notes=tuple(notes),
        done="imported",
        exit_code=None if given.devices else ExitCode.UNVERIFIED,
    )


def _listed(paths: Paths) -> list[str | Path]:
    return [paths] if isinstance(paths, str | Path) else list(paths)


def _notes(given: Gathered, intended: Fabric | None) -> tuple[str, ...]:
    notes = [f"{name} was not read: {reason}" for name, reason in given.unread]
    if given.intents and given.devices and intended is None:
        name = given.intents[0][0]
        notes.append(f"{name} was judged on its own; --intent {name} compares the devices with it")
    return tuple(notes)
