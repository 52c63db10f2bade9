"""``netcheck collect``."""

from __future__ import annotations

from pathlib import Path

import click

from netcheck.cli.options import INTENT, Common, out_option, reaching, reporting
from netcheck.cli.output import publish, tell
from netcheck.model.finding import ExitCode, Finding, Place, Severity, Stage, Verdict
from netcheck.model.globs import chosen
from netcheck.report.report import Report

RULE = "device-not-read"


@click.command()
@INTENT
@out_option()
@click.option(
    "--slice", "part", metavar="I/N", help="Only every N-th device, starting at the I-th."
)
@click.option("--again", is_flag=True, help="Add a second reading to the snapshot in DIR.")
@reaching
@reporting
def collect(
    common: Common,
    intent: tuple[str, ...],
    output: str,
    part: str | None,
    lab_dir: str,
    *,
    again: bool,
    lab: bool,
) -> ExitCode:
    """Read devices into a snapshot; changes nothing.

    A snapshot is a folder of raw outputs with a manifest. Only commands on
    the platforms' read-only lists are sent.
    """
    from netcheck.cli.devices import reachable  # noqa: PLC0415 -- options are checked without it
    from netcheck.collect.collector import collect as read_devices  # noqa: PLC0415 -- as above
    from netcheck.collect.slices import slice_of  # noqa: PLC0415 -- as above

    fabric = reachable(intent, lab=lab, lab_dir=lab_dir)
    names = chosen(fabric, common.limit)
    if part is not None:
        names = slice_of(names, part)
    snapshot = read_devices(
        fabric,
        Path(output),
        devices=names,
        reading=1 if again else 0,
        progress=lambda device, state: tell(f"{device}: {state}", common),
    )
    findings = [
        Finding(
            RULE,
            Severity.ERROR,
            Verdict.UNVERIFIED,
            (Place(member.name),),
            f"not read: {member.reason}",
            fix="Check address, login and the device itself.",
            stage=Stage.VERIFY,
        )
        for member in snapshot.unreachable()
    ]
    report = Report(
        "collect",
        tuple(findings),
        devices=tuple(names),
        notes=(f"snapshot: {output}",),
        done="collected",
    )
    return publish(report, common)
