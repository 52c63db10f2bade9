"""Bringing a lab's subnets up, or saying why they are left out."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from contextlib import ExitStack

from netcheck.lab.opensm.tools import PACKAGES, missing_packages
from netcheck.lab.subnets.parts import LabSubnet
from netcheck.lab.subnets.running import RunningSubnet, running_subnet
from netcheck.model.errors import InputError, TransportError

LOG = logging.getLogger(__name__)


def start_subnets(
    plans: Sequence[LabSubnet], stack: ExitStack
) -> tuple[tuple[RunningSubnet, ...], tuple[str, ...]]:
    """Start subnets; give those that run, and a line for each that does not.

    A lab without them works as before: its InfiniBand ports are down.

    Args:
        stack: Ends them.
    """
    if plans and (missing := missing_packages()):
        how = f"on Debian and Ubuntu: sudo apt-get install {' '.join(PACKAGES)}"
        return (), (f"InfiniBand left out: {', '.join(missing)} not installed; {how}",)
    running: list[RunningSubnet] = []
    notes: list[str] = []
    for plan in plans:
        try:
            running.append(stack.enter_context(running_subnet(plan)))
        except (InputError, TransportError) as error:
            LOG.warning("subnet %s: %s", plan.name, error)
            notes.append(f"subnet {plan.name}: left out: {error}")
    return tuple(running), tuple(notes)
