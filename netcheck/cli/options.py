"""Options that commands share."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar

import click

from netcheck.model.finding import Basis, Severity
from netcheck.model.frozen import frozen
from netcheck.report.publish import NAMED, Format, format_of

Command = Callable[..., Any]  # Any: a command takes its own options

COMMON = (
    "form",
    "report_file",
    "fail_on",
    "profile",
    "limit",
    "require_complete",
    "quiet",
    "verbose",
)


@frozen
class Common:
    """The options that every reporting command has.

    Attributes:
        limit: Globs of device names; empty takes all devices.
        verbose: How often ``-v`` was given.
    """

    form: Format = Format.TEXT
    report_file: str = ""
    fail_on: Severity = Severity.ERROR
    profile: str = "baseline"
    limit: tuple[str, ...] = ()
    require_complete: bool = False
    quiet: bool = False
    verbose: int = 0


def reporting(command: Command) -> Command:
    """Give a command the common options; it gets them as one ``common`` argument."""
    return _with(command, _OPTIONS)


def reporting_whole(command: Command) -> Command:
    """As ``reporting``, for what is done to a whole run or subnet: there is no ``--limit``."""
    return _with(command, tuple(option for option in _OPTIONS if option is not _LIMIT))


def _with(command: Command, options: tuple[Command, ...]) -> Command:
    @wraps(command)
    def with_common(**kwargs: Any) -> Any:  # Any: as Command
        given = {name: kwargs.pop(name) for name in COMMON if name in kwargs}
        return command(common=_common({"limit": (), **given}), **kwargs)

    for option in reversed(options):
        with_common = option(with_common)
    return with_common


def _common(values: dict[str, Any]) -> Common:  # Any: options of different types
    chosen = values["form"]
    report_file = values["report_file"] or ""
    form = Format(chosen) if chosen else format_of(report_file)
    globs = tuple(part for text in values["limit"] for part in text.split(",") if part)
    rest = {**values, "form": form, "report_file": report_file, "limit": globs}
    rest["fail_on"] = Severity(values["fail_on"])
    return Common(**rest)


_LIMIT = click.option(
    "--limit", multiple=True, metavar="GLOB", help="Only devices of these names. Repeatable."
)
_OPTIONS = (
    click.option(
        "--format",
        "form",
        type=click.Choice([each.value for each in NAMED]),
        help="Format of the report.  [default: text, or as the --report file is named]",
    ),
    click.option(
        "--report",
        "report_file",
        type=click.Path(dir_okay=False),
        metavar="FILE",
        help="Write the report to FILE instead of standard output; metrics where it ends in .prom.",
    ),
    click.option(
        "--fail-on",
        type=click.Choice([Severity.ERROR.value, Severity.WARNING.value]),
        default=Severity.ERROR.value,
        show_default=True,
        help="Least severity that makes the exit code 1.",
    ),
    click.option(
        "--profile",
        type=click.Choice(["baseline", "strict"]),
        default="baseline",
        show_default=True,
        help="Which rules run, and how severe they are.",
    ),
    _LIMIT,
    click.option(
        "--require-complete",
        is_flag=True,
        help="Exit 3 when a rule had nothing to compare with.",
    ),
    click.option("-q", "--quiet", is_flag=True, help="Only the verdict line."),
    click.option("-v", "--verbose", count=True, help="Say more: why, sources, all files."),
)


def out_option(required: bool = True, what: str = "folder") -> Callable[[Command], Command]:  # noqa: FBT001, FBT002 -- a decorator's argument
    """The ``-o`` option: where the result goes."""
    return click.option(
        "-o",
        "--output",
        required=required,
        type=click.Path(),
        metavar="DIR" if what == "folder" else "FILE",
        help=f"Where the result goes: a {what}.",
    )


INTENT = click.argument("intent", nargs=-1, required=True, type=click.Path(), metavar="INTENT...")


def lab_directory() -> str:
    """The folder of the lab where none is named."""
    from netcheck.lab.state import default_directory  # noqa: PLC0415 -- most commands have no lab

    return str(default_directory())


def reaching(command: Command) -> Command:
    """Give a command that talks to devices the options for the embedded lab."""
    for option in (
        click.option(
            "--lab-dir",
            type=click.Path(file_okay=False),
            default=lab_directory,
            envvar="NETCHECK_LAB",
            metavar="DIR",
            help="Folder of the embedded lab.  [default: ~/.local/state/netcheck-lab]",
        ),
        click.option("--lab", is_flag=True, help="Talk to the embedded lab instead."),
    ):
        command = option(command)
    return command


STATE = click.option(
    "--state",
    type=click.Path(file_okay=False),
    metavar="DIR",
    help="Folder of the journal.  [default: by fabric, below ~/.local/state]",
)
YES = click.option("-y", "--yes", is_flag=True, help="Do not ask.")
BACKEND = click.option(
    "--backend",
    type=click.Choice(["netmiko", "ansible"]),
    default="netmiko",
    show_default=True,
    help="How changes reach devices.",
)


class Number(click.FloatRange):
    """A number within limits; what is none (``nan``), or has no end, is refused."""

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> float:
        """Read a number; Any: a text, or a default."""
        found = float(super().convert(value, param, ctx))
        if not math.isfinite(found):
            self.fail(f"{value} is no number of a known size", param, ctx)
        return found


T = TypeVar("T", int, float)
DURATION = click.option(
    "--duration",
    type=click.IntRange(min=1),
    show_default="5; 1 in the embedded lab",
    metavar="SECONDS",
    help="Length of each bandwidth test.",
)


def by_basis(said: T | None, measured: T, simulated: T, basis: Basis) -> T:
    """What was said, else what fits: simulated devices count at once, and send no less at first."""
    if said is not None:
        return said
    return simulated if basis is Basis.SIMULATED else measured
