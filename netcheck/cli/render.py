"""``netcheck render``."""

from __future__ import annotations

import click

from netcheck.cli.options import INTENT, Common, out_option, reporting
from netcheck.cli.output import publish, say
from netcheck.model.collector import no_collection
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
    if output is None and not explain:
        raise InputError("render: missing -o DIR (or --explain)")
    with no_collection():
        return _render(common, intent, output, explain=explain)


def _render(
    common: Common, intent: tuple[str, ...], output: str | None, *, explain: bool
) -> ExitCode:
    from netcheck import api  # noqa: PLC0415 -- options are checked without it
    from netcheck.cli.tree import write_tree  # noqa: PLC0415 -- as above
    from netcheck.intent.explain import explain as derive  # noqa: PLC0415 -- as above

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
        for device in chosen.values():
            api.platform_of(device)  # told before anything is written
        # device by device: the texts of a large fabric are more than its model
        rendered = (pair for name in chosen for pair in api.render(fabric, [name]).items())
        number = write_tree(output, fabric, rendered)
        notes = (f"{output}: {number} files",)
    report = Report("render", tuple(refused), devices=tuple(chosen), notes=notes, done="rendered")
    return publish(report, common)
