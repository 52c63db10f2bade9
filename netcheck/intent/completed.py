"""Intent files to a completed Fabric, on two processors where it is large."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from netcheck.intent.complaint import Complaint, IntentError
from netcheck.intent.complete import complete
from netcheck.intent.load import Loading
from netcheck.model.fabric import Fabric
from netcheck.model.halves import MANY_DEVICES, in_two


def load_completed(paths: str | Path | Sequence[str | Path], *, deployable: bool = False) -> Fabric:
    """Give what ``complete(load_intent(paths))`` gives.

    Of a large fabric the names are checked while it is completed; what is wrong
    with them is told first.

    Raises:
        InputError, IntentError: As ``load_intent`` and ``complete`` raise them.
    """
    loading = Loading(paths, deployable=deployable)

    def completed() -> Fabric | Exception:
        try:
            return complete(loading.fabric)
        except Exception as error:  # noqa: BLE001 -- a name that is not declared tells more
            return error

    def complaints() -> list[Complaint]:
        loading.check()
        return list(loading.complaints)

    if loading.complaints or len(loading.fabric.devices) < MANY_DEVICES:
        found = complaints()
        fabric = loading.fabric if found else completed()
    else:
        fabric, found = in_two(completed, complaints)
    if found:
        raise IntentError(found)
    if isinstance(fabric, Exception):
        raise fabric
    return fabric
