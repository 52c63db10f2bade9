"""``netcheck render``."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial

import click

from netcheck.cli.options import INTENT, Common, out_option, reporting
from netcheck.cli.output import publish, say
from netcheck.model.collector import keep, no_collection
from netcheck.model.errors import InputError
from netcheck.model.fabric import Fabric
from netcheck.model.finding import ExitCode
from netcheck.model.globs import chosen
from netcheck.model.halves import MANY_DEVICES, by_turns
from netcheck.report.report import Report

TOGETHER = 64  # devices that a process takes at once


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
    from netcheck.cli.tree import write_inventory  # noqa: PLC0415 -- as above
    from netcheck.intent.explain import explain as derive  # noqa: PLC0415 -- as above

    fabric = api.load_completed(intent, deployable=True)
    if explain:
        say(derive(fabric))
    if output is None:
        return ExitCode.CLEAN
    is_large = len(fabric.devices) >= MANY_DEVICES
    if is_large:
        keep(fabric)
    refused = api.refusals(fabric, is_shared_out=is_large)
    wanted = {name: fabric.devices[name] for name in chosen(fabric, common.limit)}
    notes: tuple[str, ...] = ()
    if not refused:
        for device in wanted.values():
            api.platform_of(device)  # told before anything is written
        number = _write(output, fabric, list(wanted))
        write_inventory(output, fabric)
        notes = (f"{output}: {number} files",)
    report = Report("render", tuple(refused), devices=tuple(wanted), notes=notes, done="rendered")
    return publish(report, common)


def _write(output: str, fabric: Fabric, names: Sequence[str]) -> int:
    """Render devices and write their files; give the number of files."""
    from netcheck.cli.tree import write_devices  # noqa: PLC0415 -- as above

    # neighbours in an intent are alike, and what is alike is rendered faster together
    parts = [names[first : first + TOGETHER] for first in range(0, len(names), TOGETHER)]

    def write(some: Sequence[str]) -> int:
        return write_devices(output, _rendered(fabric, some))

    if len(names) < MANY_DEVICES:
        return sum(map(write, parts))
    return sum(by_turns([partial(write, some) for some in parts]))


def _rendered(fabric: Fabric, names: Iterable[str]) -> Iterator[tuple[str, Mapping[str, str]]]:
    """Device by device: the texts of a large fabric are more than its model."""
    from netcheck import api  # noqa: PLC0415 -- as above

    return (pair for name in names for pair in api.render(fabric, [name]).items())
