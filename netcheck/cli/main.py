"""The console script: runs a command and turns whatever happens into an exit code.

0 nothing at or above the threshold; 1 findings; 2 bad input or usage;
3 evidence was asked for and not had, and nothing failed; 4 internal error;
130 interrupted.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from itertools import pairwise

import click

from netcheck.cli.lazy import LazyGroup
from netcheck.model.errors import InputError, RefusalError, TransportError
from netcheck.report.tool import NAME, VERSION

HERE = "netcheck.cli"
COMMANDS = {
    "lint": (
        f"{HERE}.lint:lint",
        "Judge an intent, configurations, a rendered tree or a snapshot.",
    ),
    "render": (f"{HERE}.render:render", "Write what each device takes: one folder a device."),
    "plan": (f"{HERE}.plan:plan", "Show what would change on each device, and what it disturbs."),
    "deploy": (f"{HERE}.deploy:deploy", "Apply an intent or a plan in batches, with a way back."),
    "rollback": (f"{HERE}.rollback:rollback", "Bring back what devices held before a run."),
    "collect": (f"{HERE}.collect:collect", "Read devices into a snapshot; changes nothing."),
    "merge": (f"{HERE}.merge:merge", "Make one snapshot of several slices."),
    "verify": (f"{HERE}.verify:verify", "Compare what devices hold with the intent."),
    "perf": (f"{HERE}.perf:perf", "Measure with RDMA traffic whether the fabric is lossless."),
    "run": (f"{HERE}.run:run", "The whole chain: lint, render, deploy, verify, perf."),
    "diff": (f"{HERE}.diff:diff", "Show what changed between two snapshots, by meaning."),
    "headroom": (f"{HERE}.headroom:headroom_command", "Compute PFC headroom, with its terms."),
    "rules": (f"{HERE}.rules:rules", "List the rules."),
    "explain": (f"{HERE}.explain:explain", "Explain one rule: why, source, example, fix."),
    "lab": (f"{HERE}.lab:lab", "Run the embedded lab: up, down, status, fault."),
    "schema": (f"{HERE}.schema:schema", "Print the JSON Schema of the intent."),
}


@click.group(
    cls=LazyGroup,
    lazy=COMMANDS,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@click.version_option(VERSION, prog_name=NAME, message="%(prog)s %(version)s")
def app() -> None:
    """One YAML intent, a lossless RoCE fabric, and the proof that it is one.

    Exit codes: 0 clean, 1 findings, 2 bad input or usage, 3 evidence missing,
    4 internal error, 130 interrupted.
    """


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; give the exit code."""
    args = list(sys.argv[1:] if arguments is None else arguments)
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
