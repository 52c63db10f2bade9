"""Whether `config apply-patch` would take a change, by ``gcu.yaml``.

The safe side wins: what is not known to be let through goes the other way, by
a whole configuration and a reload.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import cache
from typing import Any, Final

from netcheck.lossless.packaged import packaged_yaml
from netcheck.platforms.sonic.applied.merge import Tables
from netcheck.platforms.sonic.applied.operations import Operation

_BRANCH: Final = re.compile(r"(?:^|[^\d])(20\d{4})(?:\d{2})?(?!\d)")
_OBJECT_PARTS: Final = 2
_FIELD_PARTS: Final = 3


def first_refused(steps: Iterable[Operation], held: Tables, build: str) -> Operation | None:
    """Give the first operation that GCU would refuse, or None when it takes them all.

    Args:
        build: ``build_version`` of the switch, such as ``202411.0-1234``; empty if unknown.
    """
    asic = asic_name(held)
    return next((step for step in steps if not _passes(step, asic, build)), None)


@cache
def _data() -> Mapping[str, Any]:  # Any: the shape of gcu.yaml
    data: Mapping[str, Any] = packaged_yaml("netcheck.platforms.sonic", "gcu.yaml")
    return data


def asic_name(held: Tables) -> str:
    """Give the ASIC as GCU finds it, by the HWSKU; empty when it knows none.

    Example:
        >>> asic_name({"DEVICE_METADATA": {"localhost": {"hwsku": "acs-sn5600"}}})
        'spc4'
    """
    hwsku = str(held.get("DEVICE_METADATA", {}).get("localhost", {}).get("hwsku", "")).lower()
    for asic, names in _data()["hwskus"].items():
        if hwsku in {name.lower() for name in names}:
            return str(asic)
    for asic, parts in _data()["parts_of_hwskus"].items():
        if any(part.lower() in hwsku for part in parts):
            return str(asic)
    return ""


def is_freed(table: str, build: str) -> bool:
    """Tell whether a release has lifted the check of a table.

    Example:
        >>> is_freed("WRED_PROFILE", "202605.11-dirty"), is_freed("WRED_PROFILE", "202411.3")
        (True, False)
    """
    since = _data()["freed"].get(table)
    if since is None:
        return False
    branch = _BRANCH.search(build)
    return build.startswith("master") or (branch is not None and branch[1] >= since)


def _passes(step: Operation, asic: str, build: str) -> bool:
    table = step.parts[0]
    fields = _data()["tables"].get(table)
    if fields is None or is_freed(table, build):
        return True
    if not asic:
        return False
    changed = _fields(step)
    return changed is not None and all(step.op in fields.get(name, ()) for name in changed)


def _fields(step: Operation) -> list[str] | None:
    """Fields that an operation touches; None where GCU cannot tell them.

    A port's watchdog may go as a whole: GCU takes the port out of the path and
    finds nothing left that it would refuse. The object GLOBAL has its name in
    lower case in GCU's list and its field in upper case, so that only the
    field's own path matches.
    """
    if len(step.parts) == _FIELD_PARTS:
        return [step.parts[2]]
    if len(step.parts) < _OBJECT_PARTS or step.parts[1] == "GLOBAL":
        return None
    if step.op == "remove":
        return [] if step.parts[0] == "PFC_WD" else None
    return list(step.value)
