"""The console script: runs a command and turns whatever happens into an exit code.

0 nothing at or above the threshold; 1 findings; 2 bad input or usage;
3 evidence was asked for and not had, and nothing failed; 4 internal error;
130 interrupted.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence

import click

from netcheck.cli.lazy import LazyGroup
from netcheck.model.errors import InputError, RefusalError, TransportError
from netcheck.model.finding import ExitCode
from netcheck.report.publish import Format
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
    "import": (f"{HERE}.import_intent:import_command", "Write an intent from configurations."),
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
        click.echo("interrupted", err=True)
        return ExitCode.INTERRUPTED
    except (click.ClickException, InputError, RefusalError) as error:
        return _refuse(error, args)
    except TransportError as error:
        click.echo(f"no answer: {error}", err=True)
        return ExitCode.UNVERIFIED
    except BrokenPipeError:
        return _hang_up()
    except Exception as error:  # noqa: BLE001 -- the last place that can say what to report
        return _crash(error, args)


def _hang_up() -> ExitCode:
    """The reader went away (``netcheck ... | head``); keep the interpreter from flushing."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return ExitCode.CLEAN


def _refuse(error: Exception, args: list[str]) -> ExitCode:
    """Bad input: JSON where JSON was asked for, else the message alone."""
    from netcheck.cli.output import bad_input, say  # noqa: PLC0415 -- not needed for --help
    from netcheck.report.publish import in_format  # noqa: PLC0415 -- as above

    form = _wanted_format(args)
    if form in {Format.TEXT, Format.GITHUB, Format.CSV, Format.HTML}:
        if isinstance(error, click.UsageError):
            error.show()
        else:
            click.echo(f"{error}", err=True)
    if form is not Format.TEXT:
        command = next((arg for arg in args if arg in COMMANDS), "")
        say(in_format(bad_input(error, command), form))
    return ExitCode.BAD_INPUT


def _wanted_format(args: list[str]) -> Format:
    """The format asked for on a command line that may not have been understood."""
    wanted = [
        after if arg == "--format" else arg.partition("=")[2]
        for arg, after in zip(args, [*args[1:], ""], strict=True)
        if arg == "--format" or arg.startswith("--format=")
    ]
    known = {each.value: each for each in Format}
    return next((known[each] for each in wanted if each in known), Format.TEXT)


def _crash(error: Exception, args: list[str]) -> ExitCode:
    """Internal error: the traceback into a file, what to do with it onto the terminal."""
    from netcheck.cli.crash import write_crash  # noqa: PLC0415 -- only when it happens

    place = write_crash(error, args)
    click.echo(f"internal error: {type(error).__name__}: {error}", err=True)
    click.echo(f"This is a fault of netcheck. Report it with the file {place}", err=True)
    return ExitCode.INTERNAL
