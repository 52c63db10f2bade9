"""``netcheck render``."""

from __future__ import annotations

import click

from netcheck.cli.options import INTENT, Common, out_option, reporting
from netcheck.cli.output import publish, say
from netcheck.model.errors import InputError
from netcheck.model.finding import ExitCode
from netcheck.report.report import Report


@click.command()
@INTENT
@out_option(required=False)
@click.option("--explain", is_flag=True, help="Show computed and defaulted values.")
@reporting
def render(
    common: Common, intent: tuple[str, ...], output: str | None, *, explain: bool
) -> ExitCode:
    """Write what each device takes: one folder a device.

    The same intent gives the same bytes. DIR also gets an inventory. Nothing
    is written when a platform cannot express what a device is to do.
    """
    from netcheck import api  # noqa: PLC0415 -- options are checked without it
    from netcheck.cli.tree import write_tree  # noqa: PLC0415 -- as above
    from netcheck.intent.explain import explain as derive  # noqa: PLC0415 -- as above

    if output is None and not explain:
        raise InputError("render: missing -o DIR (or --explain)")
    fabric = api.complete(api.load_intent(intent, deployable=True))
    if explain:
        say(derive(fabric))
    if output is None:
        return ExitCode.CLEAN
    refused = api.refusals(fabric)
    chosen = {
        name: each for name, each in fabric.devices.items() if api.matches(name, common.limit)
    }
    notes: tuple[str, ...] = ()
    if not refused:
        number = write_tree(output, fabric, api.render(fabric, chosen))
        notes = (f"{output}: {number} files",)
    report = Report("render", tuple(refused), devices=tuple(chosen), notes=notes, done="rendered")
    return publish(report, common)
