"""The process that a lab belongs to, where its starter names one: the lab ends with it.

``netcheck lab up`` names none, so that its lab goes on. Tests name themselves, so
that nothing is left of one that is killed.
"""

from __future__ import annotations

import os
from typing import Final

OWNER: Final = "NETCHECK_LAB_OWNER"  # process id, in the environment of the lab's process


def owner_ended() -> int | None:
    """Give a file that can be read from once the owner has ended; None where none is named.

    Raises:
        ValueError: What is named is no process id.
    """
    named = os.environ.get(OWNER, "")
    if not named:
        return None
    try:
        return os.pidfd_open(int(named))
    except ProcessLookupError:  # it has ended already: a pipe that nobody writes to
        reading, writing = os.pipe()
        os.close(writing)
        return reading
