"""``netcheck render``."""

from __future__ import annotations

import click

from netcheck.cli.options import INTENT, out_option
from netcheck.cli.output import say
from netcheck.model.errors import InputError
from netcheck.model.finding import ExitCode


@click.command()
@INTENT
@out_option(required=False)
@click.option("--explain", is_flag=True, help="Show computed and defaulted values, write nothing.")
@click.option("--limit", multiple=True, metavar="GLOB", help="Only devices of these names.")
def render(
    intent: tuple[str, ...], output: str | None, limit: tuple[str, ...], *, explain: bool
) -> ExitCode:
    """Write what each device takes: one folder a device.

    The same intent gives the same bytes. DIR also gets an inventory.
    """
    from netcheck import api  # noqa: PLC0415 -- options are checked without it
    from netcheck.cli.tree import write_tree  # noqa: PLC0415 -- as above

    if output is None and not explain:
        raise InputError("render: missing -o DIR (or --explain)")
    fabric = api.complete(api.load_intent(intent, deployable=True))
    if explain:
        from netcheck.intent.explain import explain as derive  # noqa: PLC0415 -- only here

        say(derive(fabric))
    if output is not None:
        files = api.render(fabric)
        chosen = {name: each for name, each in files.items() if api.matches(name, limit)}
        number = write_tree(output, fabric, chosen)
        say(f"{output}: {number} files for {len(chosen)} devices\n")
    return ExitCode.CLEAN
