"""Where a report goes and what the process returns."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

import click

from netcheck.cli.options import Common
from netcheck.model.errors import InputError, TransportError
from netcheck.model.finding import ExitCode, Finding, Severity, Verdict
from netcheck.report.publish import Format, pieces_in_format, write_whole
from netcheck.report.report import Report, exit_code
from netcheck.report.text import Look, terminal_look, verdict_line
from netcheck.report.text import pieces as text_pieces

BAD_INPUT_RULE = "input-invalid"
NO_ANSWER_RULE = "no-answer"


def publish(report: Report, common: Common) -> ExitCode:
    """Print a report, or write it to a file and print the verdict; give the exit code.

    Raises:
        InputError: The report file cannot be written.
    """
    report = replace(report, fail_on=common.fail_on, require_complete=common.require_complete)
    look = _look(common)
    if common.report_file:
        write_whole(Path(common.report_file), _in_format(report, common, Look()))
        click.echo(verdict_line(report, look), color=look.colour)
    else:
        say_all(_in_format(report, common, look))
    return exit_code(report)


def _in_format(report: Report, common: Common, look: Look) -> Iterable[str]:
    if common.form is Format.TEXT:
        quiet = common.quiet and not common.report_file
        return text_pieces(report, replace(look, verbose=common.verbose > 0, quiet=quiet))
    return pieces_in_format(report, common.form)


def _look(common: Common) -> Look:
    if not sys.stdout.isatty():
        return Look(quiet=common.quiet)
    return terminal_look(colour="NO_COLOR" not in os.environ, quiet=common.quiet)


def say(text: str) -> None:
    """Print a result to standard output as it is; what cannot be encoded is escaped."""
    say_all((text,))


def say_all(pieces: Iterable[str]) -> None:
    """Print the pieces of a result as ``say`` does."""
    encoding = sys.stdout.encoding or "utf-8"
    for piece in pieces:
        sys.stdout.write(piece.encode(encoding, "backslashreplace").decode(encoding))
    sys.stdout.flush()


def tell(text: str, common: Common) -> None:
    """Print progress to standard error: on a terminal, or where ``-v`` asks for it."""
    if not common.quiet and (common.verbose or sys.stderr.isatty()):
        click.echo(text, err=True)


def stopped(error: Exception, command: str) -> Report:
    """What stopped a command, as a report: bad input, or a device that gives no answer."""
    if isinstance(error, TransportError):
        lost = Finding(NO_ANSWER_RULE, Severity.ERROR, Verdict.UNVERIFIED, (), str(error))
        return Report(command, (lost,), exit_code=ExitCode.UNVERIFIED)
    return Report(command, tuple(_complaints(error)), exit_code=ExitCode.BAD_INPUT)


def _complaints(error: Exception) -> list[Finding]:
    """One finding for each complaint of an intent, else one for the message."""
    if not hasattr(error, "complaints"):
        return [_complaint(_message(error))]
    return [replace(_complaint(each.message), evidence=(each.at,)) for each in error.complaints]


def _complaint(message: str) -> Finding:
    return Finding(BAD_INPUT_RULE, Severity.ERROR, Verdict.FAIL, (), message)


def _message(error: Exception) -> str:
    if isinstance(error, click.ClickException):
        return error.format_message()
    return str(error) if isinstance(error, InputError) else f"{type(error).__name__}: {error}"
