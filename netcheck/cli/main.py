"""The console script.

Exit codes: 0 nothing at or above the threshold; 1 findings; 2 bad input or
usage; 3 evidence was asked for and not had, and nothing failed; 4 internal
error; 130 interrupted.
"""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Sequence

from netcheck.cli.commands import help_page

YOUNG_OBJECTS = 100_000
KEEPER = "netcheck.model.collector"


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; give the exit code.

    The collector looks once for 100,000 new objects instead of for 700: modules
    being loaded are not garbage, and looking at them costs a tenth of a short command.
    """
    args = list(sys.argv[1:] if arguments is None else arguments)
    if args in (["--help"], ["-h"]):
        sys.stdout.write(help_page())
        return 0
    gc.set_threshold(YOUNG_OBJECTS)
    from netcheck.cli.app import run_app  # noqa: PLC0415 -- --help comes at once without it

    return run_app(args)


def console() -> int:
    """Run the command line for the console script; give the exit code.

    Where a command kept a large fabric, the process ends here: its memory goes back
    at once instead of object by object.
    """
    code = main()
    keeper, threads = (sys.modules.get(name) for name in (KEEPER, "threading"))
    if keeper is not None and keeper.KEPT and (threads is None or threads.active_count() == 1):
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)
    return code
