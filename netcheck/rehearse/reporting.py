"""Rehearsals of an intent's subnets as one report."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from functools import partial

from netcheck.lab.staging import stage
from netcheck.model.fabric import Fabric
from netcheck.model.finding import Finding
from netcheck.rehearse.rehearse import Progress, Rehearsal, RehearsalOptions, rehearse
from netcheck.report.report import Report
from netcheck.rules.settle import settle


def rehearsal_report(
    fabric: Fabric,
    subnets: Sequence[str],
    discovered: str | None,
    options: RehearsalOptions,
    *,
    file: str = "",
    progress: Progress = lambda _: None,
) -> Report:
    """Rehearse subnets one after the other.

    Args:
        fabric: A completed intent.
        discovered: Output of ``ibnetdiscover`` of the only subnet, if there is one.
        file: Where it was read, for messages.

    Raises:
        InputError: The intent or the file cannot be used, or a program is not installed.
        RefusalError: The intent cannot be expressed in a subnet manager's files.
        TransportError: ibsim does not start.
    """
    staged = [stage(fabric, name, discovered, file) for name in subnets]
    findings: list[Finding] = []
    notes: list[str] = []
    for one in staged:
        done = rehearse(one, options, partial(_tell, progress, one.subnet.name))
        findings += done.findings
        notes += [f"{one.subnet.name}: {note}" for note in [*done.notes, times(done)]]
    today = datetime.now(UTC).date().isoformat()
    return Report(
        "ib rehearse",
        tuple(settle(findings, fabric, today=today)),
        fabric=fabric,
        devices=tuple(device for one in staged for device in one.network.ports),
        notes=tuple(notes),
        done="rehearsed (simulated fabric, real OpenSM)",
    )


def _tell(progress: Progress, subnet: str, line: str) -> None:
    progress(f"{subnet}: {line}")


def times(done: Rehearsal) -> str:
    """How long each part took, in a line."""
    parts = [f"{part} {seconds:.1f} s" for part, seconds in done.seconds.items()]
    return f"took: {', '.join(parts)}" if parts else "took no time"
