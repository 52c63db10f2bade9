"""Fabrics whose devices are to be reached, at their addresses or in the embedded lab."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from netcheck import api
from netcheck.lab.state import LabState
from netcheck.model.errors import InputError
from netcheck.model.fabric import Fabric
from netcheck.model.finding import Basis


def reachable(intent: Sequence[str], *, lab: bool, lab_dir: str) -> Fabric:
    """The completed fabric of a deployable intent, pointed at the lab where asked.

    Raises:
        InputError: The intent has complaints, or the lab is not up.
    """
    fabric = api.load_completed(intent, deployable=True)
    if not lab:
        return fabric
    from netcheck.lab.control import relocate  # noqa: PLC0415 -- an extra

    return relocate(fabric, running_lab(lab_dir))


def running_lab(directory: str) -> LabState:
    """The lab that runs in a folder.

    Raises:
        InputError: None runs there.
    """
    from netcheck.lab.control import lab_status  # noqa: PLC0415 -- an extra

    state = lab_status(Path(directory).resolve())
    if state is None:
        raise InputError(f"{directory}: no lab is up; netcheck lab up INTENT starts one")
    return state


def basis_of(*, lab: bool, lab_dir: str) -> Basis:
    """What figures rest on: only a lab of virtual machines measures."""
    is_simulated = lab and not running_lab(lab_dir).is_real
    return Basis.SIMULATED if is_simulated else Basis.MEASURED
