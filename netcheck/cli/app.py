"""The command group, and how whatever happens in a command becomes an exit code."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from itertools import pairwise

import click

from netcheck.cli.commands import ABOUT, CODES, COMMANDS
from netcheck.cli.lazy import LazyGroup
from netcheck.model.errors import InputError, RefusalError, TransportError
from netcheck.report.tool import NAME, VERSION


@click.group(
    cls=LazyGroup,
    lazy=COMMANDS,
    help="\n\n".join([ABOUT, "\n".join(CODES)]),
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@click.version_option(VERSION, prog_name=NAME, message="%(prog)s %(version)s")
def app() -> None:
    """The command group; its help is that of ``commands.help_page``."""


def run_app(args: Sequence[str]) -> int:
    """Run the command line; give the exit code."""
    args = list(args)
    try:
        return int(app.main(args, prog_name=NAME, standalone_mode=False) or 0)
    except (click.Abort, KeyboardInterrupt):
        return _give_up("interrupted", "INTERRUPTED")
    except (click.ClickException, InputError, RefusalError) as error:
        return _report(error, args)
    except TransportError as error:
        return _report(error, args)
    except BrokenPipeError:
        return _hang_up()
    except Exception as error:  # noqa: BLE001 -- the last place that can say what to report
        return _crash(error, args)


def _give_up(message: str, code: str) -> int:
    """End with a message on standard error and the exit code of that name."""
    from netcheck.model.finding import ExitCode  # noqa: PLC0415 -- not needed for --help

    click.echo(message, err=True)
    return ExitCode[code]


def _hang_up() -> int:
    """The reader went away (``netcheck ... | head``); keep the interpreter from flushing."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return 0


def _report(error: Exception, args: list[str]) -> int:
    """What stopped a command: as JSON where JSON was asked for, else the message alone."""
    from netcheck.cli.output import say, stopped  # noqa: PLC0415 -- not needed for --help
    from netcheck.report.publish import Format, in_format  # noqa: PLC0415 -- as above
    from netcheck.report.report import exit_code  # noqa: PLC0415 -- as above

    command = next((arg for arg in args if arg in COMMANDS), "")
    report = stopped(error, command)
    form = Format(_wanted_format(args, [each.value for each in Format]))
    if form in {Format.TEXT, Format.GITHUB, Format.CSV, Format.HTML}:
        if isinstance(error, click.UsageError):
            error.show()
        else:
            click.echo(f"{error}", err=True)
    if form is not Format.TEXT:
        say(in_format(report, form))
    return exit_code(report)


def _wanted_format(args: list[str], known: list[str]) -> str:
    """The format asked for on a command line that may not have been understood."""
    wanted = [
        after if arg == "--format" else arg.partition("=")[2]
        for arg, after in pairwise([*args, ""])
        if arg == "--format" or arg.startswith("--format=")
    ]
    return next((each for each in wanted if each in known), "text")


def _crash(error: Exception, args: list[str]) -> int:
    """Internal error: the traceback into a file, what to do with it onto the terminal."""
    from netcheck.cli.crash import write_crash  # noqa: PLC0415 -- only when it happens

    place = write_crash(error, args)
    message = f"internal error: {type(error).__name__}: {error}"
    return _give_up(
        f"{message}\nThis is a fault of netcheck. Report it with the file {place}", "INTERNAL"
    )
