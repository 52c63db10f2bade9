"""``netcheck lab``."""

from __future__ import annotations

from pathlib import Path

import click

from netcheck.cli.options import INTENT, lab_directory
from netcheck.cli.output import say
from netcheck.model.finding import ExitCode

SILENT = "  (silent: no device shows it)"
DIRECTORY = click.option(
    "--dir",
    "directory",
    type=click.Path(file_okay=False),
    default=lab_directory,
    envvar="NETCHECK_LAB",
    metavar="DIR",
    help="Folder of the lab.  [default: ~/.local/state/netcheck-lab]",
)


@click.group()
def lab() -> None:
    """Run the embedded lab: up, down, status, fault.

    Simulated switches and hosts on loopback, reached by SSH; docs/lab.md says what is simulated.
    """


@lab.command()
@INTENT
@DIRECTORY
@click.option("--real", is_flag=True, help="Two real soft-RoCE hosts and a Linux switch in QEMU.")
def up(intent: tuple[str, ...], directory: str, *, real: bool) -> ExitCode:
    """Start a simulated device for each device of the intent."""
    from netcheck import api  # noqa: PLC0415 -- options are checked without it
    from netcheck.lab.control import start_lab  # noqa: PLC0415 -- an extra
    from netcheck.lab.real.control import start_real_lab  # noqa: PLC0415 -- an extra

    fabric = api.load_completed(intent, deployable=True)
    start = start_real_lab if real else start_lab
    state = start(fabric, Path(directory).resolve())
    say(f"{directory}: {len(state.devices)} devices up; netcheck lab status shows them\n")
    for note in state.notes:
        if "left out" in note:
            say(f"{note}\n")
    return ExitCode.CLEAN


@lab.command()
@DIRECTORY
def down(directory: str) -> ExitCode:
    """Stop the lab."""
    from netcheck.lab.control import stop_lab  # noqa: PLC0415 -- an extra

    stop_lab(Path(directory).resolve())
    say(f"{directory}: down\n")
    return ExitCode.CLEAN


@lab.command()
@DIRECTORY
def status(directory: str) -> ExitCode:
    """Show the lab's devices and where they listen, its faults, and what is not simulated."""
    from netcheck.cli.devices import running_lab  # noqa: PLC0415 -- an extra
    from netcheck.lab.describe import status_lines  # noqa: PLC0415 -- an extra

    say("".join(f"{line}\n" for line in status_lines(running_lab(directory))))
    return ExitCode.CLEAN


@lab.command()
@click.argument("name", required=False)
@click.option("--device", metavar="NAME", help="Device it happens on.  [default: the fault's own]")
@click.option("--port", metavar="NAME", help="Port it happens on.")
@click.option("--clear", is_flag=True, help="Take all faults out again.")
@DIRECTORY
def fault(
    name: str | None, device: str | None, port: str | None, directory: str, *, clear: bool
) -> ExitCode:
    """Put a fault into the running lab, or take all out again (--clear).

    Without NAME, lists the faults; docs/lab-faults.md says what each does on each platform.
    """
    from netcheck.lab import control  # noqa: PLC0415 -- an extra
    from netcheck.lab.faults import fault_kinds  # noqa: PLC0415 -- an extra
    from netcheck.lab.subnets.faults import subnet_faults  # noqa: PLC0415 -- an extra

    if clear:
        control.clear(Path(directory).resolve())
        say("all faults are out\n")
    elif name is None:
        for known, kind in fault_kinds().items():
            say(f"{known}{SILENT if kind.is_silent else ''}\n")
        for known, one in subnet_faults().items():
            say(f"{known}  (InfiniBand){SILENT if one.is_silent else ''}\n")
    else:
        say(f"{control.inject(Path(directory).resolve(), name, device=device, port=port)}\n")
    return ExitCode.CLEAN
