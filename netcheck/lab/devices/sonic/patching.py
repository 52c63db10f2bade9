"""``config apply-patch``: RFC 6902 on CONFIG_DB, with the refusals of the generic config updater.

Source: RFC 6902, RFC 6901; sonic-net/sonic-utilities generic_config_updater.
"""

from __future__ import annotations

import copy
from collections.abc import Iterable, Mapping
from typing import Any

from netcheck.lab.devices.sonic.checks import find_refused, refuse
from netcheck.lab.devices.sonic.keys import Tables

# field -> operations that may change it on this ASIC (Spectrum-4)
_PROFILE_FIELDS = {
    "dynamic_th": ("replace",),
    "xoff": ("replace",),
    "packet_discard_action": ("add", "replace"),
}
_FIRST_FREE_WRED = "202605"


class PatchError(Exception):
    """The patch is not applied; the text says why."""


def apply_patch(config: Tables, patch: object, *, build: str) -> Tables:
    """Give the configuration with the patch applied.

    Raises:
        PatchError: It is no patch, does not fit, or is refused.
    """
    if not isinstance(patch, list):
        raise PatchError("Invalid JSON patch: expected a list of operations")
    target: dict[str, Any] = copy.deepcopy(config)  # a JSON tree while it is patched
    for operation in patch:
        if not isinstance(operation, dict) or "op" not in operation or "path" not in operation:
            raise PatchError("Invalid JSON patch: an operation lacks 'op' or 'path'")
        _refuse_tables(config, operation, build)
        target = _applied(target, operation)
    _validate(target)
    return target


def _pointer(text: str) -> list[str]:
    if text and not text.startswith("/"):
        raise PatchError(f"Location must start with /: {text}")
    return [part.replace("~1", "/").replace("~0", "~") for part in text.split("/")[1:]]


def _applied(target: dict[str, Any], operation: Mapping[str, Any]) -> dict[str, Any]:
    kind, parts = operation["op"], _pointer(str(operation["path"]))
    if kind in ("add", "replace", "test") and "value" not in operation:
        raise PatchError("The operation does not contain a 'value' member")
    if kind in ("move", "copy"):
        source = _pointer(str(operation.get("from", "")))
        value = copy.deepcopy(_found(target, source))
        if kind == "move":
            target = _applied(target, {"op": "remove", "path": operation["from"]})
        return _applied(target, {"op": "add", "path": operation["path"], "value": value})
    if not parts:
        if kind in ("add", "replace") and isinstance(operation["value"], dict):
            return dict(operation["value"])
        raise PatchError(f"can't {kind} the whole document")
    parent = _found(target, parts[:-1])
    if not isinstance(parent, dict):
        raise PatchError(f"invalid location {operation['path']}")
    _change(parent, kind, parts[-1], operation)
    return target


def _change(parent: dict[str, Any], kind: str, name: str, operation: Mapping[str, Any]) -> None:
    if kind == "add":
        parent[name] = copy.deepcopy(operation["value"])
        return
    if name not in parent:
        verb = "remove" if kind == "remove" else "replace"
        raise PatchError(f"can't {verb} a non-existent object '{name}'")
    if kind == "remove":
        del parent[name]
    elif kind == "replace":
        parent[name] = copy.deepcopy(operation["value"])
    elif kind == "test":
        if parent[name] != operation["value"]:
            raise PatchError(
                f"{parent[name]!r} is not equal to tested value {operation['value']!r}"
            )
    else:
        raise PatchError(f"Unknown operation '{kind}'")


def _found(target: Any, parts: Iterable[str]) -> Any:  # a JSON tree
    for part in parts:
        if not isinstance(target, dict) or part not in target:
            raise PatchError(f"member '{part}' not found in {type(target).__name__}")
        target = target[part]
    return target


def _refuse_tables(config: Tables, operation: Mapping[str, Any], build: str) -> None:
    parts = _pointer(str(operation["path"]))
    table = parts[0] if parts else ""
    if operation["op"] == "test":
        return
    if table == "BUFFER_POOL":
        _illegal("gcu-pool", table)
    if table == "BUFFER_PROFILE" and not _may_change_profile(parts, str(operation["op"])):
        _illegal("gcu-profile", table)
    if table == "WRED_PROFILE" and not _is_free(build):
        _illegal("gcu-wred", table)
    del config


def _may_change_profile(parts: list[str], kind: str) -> bool:
    return len(parts) == 3 and kind in _PROFILE_FIELDS.get(parts[2], ())  # noqa: PLR2004 -- table, name, field


def _is_free(build: str) -> bool:
    """WRED_PROFILE is free from the release on that dropped its validator."""
    digits = "".join(
        character for character in build.split(".", maxsplit=1)[0] if character.isdigit()
    )
    return "master" in build or digits[:6] >= _FIRST_FREE_WRED


def _illegal(name: str, table: str) -> None:
    found = refuse(name, table)
    raise PatchError(
        f"{found.text}- validating function "
        "generic_config_updater.field_operation_validators.rdma_config_update_validator "
        "returned False"
    )


def _validate(target: Tables) -> None:
    for table, rows in target.items():
        if not isinstance(rows, dict):
            raise PatchError(f"Data Loading Failed: {table}: expected a table of objects")
        if not rows:
            raise PatchError(refuse("gcu-empty-table", table, table=table).text)
        for key, row in rows.items():
            if not isinstance(row, dict) or not all(
                isinstance(value, str | list) for value in row.values()
            ):
                raise PatchError(f"Data Loading Failed: {table}|{key}: expected string fields")
    refused = find_refused(target)
    if refused:
        first = refused[0]
        raise PatchError(
            "Given patch will produce invalid config. Error: Data Loading Failed\n"
            f"{first.text} ({first.place})"
        )
