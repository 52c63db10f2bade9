"""``config ...``: the commands of sonic-utilities that change a switch.

Source: sonic-net/sonic-utilities config/main.py, doc/Command-Reference.md.
"""

from __future__ import annotations

import copy
import json
from collections.abc import Callable

from netcheck.lab.devices.files import DeviceFileError
from netcheck.lab.devices.shell import Call
from netcheck.lab.devices.sonic.checks import find_refused
from netcheck.lab.devices.sonic.factory import default_qos
from netcheck.lab.devices.sonic.keys import Row, Tables, numbers
from netcheck.lab.devices.sonic.patching import PatchError, apply_patch
from netcheck.lab.devices.sonic.state import CONFIG_FILE, SonicSwitch

CHECKPOINTS = "/etc/sonic/checkpoints"
USAGE = 2


class RefusedError(Exception):
    """What ``config`` prints before it exits with 1 or 2."""

    def __init__(self, text: str, status: int = USAGE) -> None:
        self.status = status
        super().__init__(text)


def config(switch: SonicSwitch, call: Call) -> int:
    """Do what a ``config`` command line asks."""
    words = list(call.arguments)
    if not call.is_root:
        return call.fail("Root privileges are required for this operation")
    for length in range(min(len(words), 4), 0, -1):
        command = _COMMANDS.get(" ".join(words[:length]))
        if command is None:
            continue
        try:
            command(switch, call, words[length:])
        except RefusedError as error:
            name = " ".join(words[:length])
            usage = f'Usage: config {name} [OPTIONS]\nTry "config {name} -h" for help.\n\n'
            return call.fail(
                f"{usage if error.status == USAGE else ''}Error: {error}", error.status
            )
        return 0
    name = words[0] if words else ""
    return call.fail(
        'Usage: config [OPTIONS] COMMAND [ARGS]...\nTry "config -h" for help.\n\n'
        f'Error: No such command "{name}".',
        USAGE,
    )


def _operands(words: list[str]) -> list[str]:
    return [word for word in words if not word.startswith("-")]


def read_tables(call: Call, path: str) -> Tables:
    """Read a file as CONFIG_DB.

    Raises:
        RefusedError: It is missing, no JSON, no tables, or not taken.
    """
    try:
        text = call.shell.files.read(call.shell.path(path))
    except DeviceFileError as error:
        raise RefusedError(f"{path} does not exist or cannot be read: {error}") from None
    try:
        data = json.loads(text)
    except ValueError as error:
        raise RefusedError(f"Bad format: json file {path} broken. {error}", 1) from None
    if not isinstance(data, dict) or not all(_is_table(rows) for rows in data.values()):
        raise RefusedError(f"Bad format: input file {path} is not a ConfigDB", 1)
    return data


def _is_table(rows: object) -> bool:
    return isinstance(rows, dict) and all(
        isinstance(row, dict) and all(isinstance(value, str | list) for value in row.values())
        for row in rows.values()
    )


def _validate(tables: Tables, path: str) -> None:
    refused = find_refused(tables)
    if refused:
        first = refused[0]
        raise RefusedError(f"{path} fails YANG validation! Error: {first.text} ({first.place})", 1)


def _reload(switch: SonicSwitch, call: Call, words: list[str]) -> None:
    _need_yes(words)
    path = (_operands(words) or [CONFIG_FILE])[0]
    tables = read_tables(call, path)
    _validate(tables, path)
    call.out(
        "Acquired lock on /etc/sonic/reload.lock\nDisabling container and routeCheck monitoring\n"
        "Stopping SONiC target ...\n"
        f"Running command: /usr/local/bin/sonic-cfggen  -j /etc/sonic/init_cfg.json  -j {path}"
        "  --write-to-db\n"
        "Running command: /usr/local/bin/db_migrator.py -o migrate\n"
        "Restarting SONiC target ...\nEnabling container and routeCheck monitoring\n"
        "Reloading Monit configuration ...\nReinitializing monit daemon\n"
        "Released lock on /etc/sonic/reload.lock\n"
    )
    switch.restart(tables)


def _need_yes(words: list[str]) -> None:
    if "-y" not in words and "--yes" not in words and "-yf" not in words and "-fy" not in words:
        raise RefusedError("Aborted: no terminal to confirm at; use -y", 1)


def _load(switch: SonicSwitch, call: Call, words: list[str]) -> None:
    _need_yes(words)
    path = (_operands(words) or [CONFIG_FILE])[0]
    target = copy.deepcopy(switch.config)
    for table, rows in read_tables(call, path).items():
        for key, row in rows.items():
            target.setdefault(table, {}).setdefault(key, {}).update(row)
    _validate(target, path)
    call.out(f"Running command: /usr/local/bin/sonic-cfggen -j {path} --write-to-db\n")
    switch.change(target)


def _save(switch: SonicSwitch, call: Call, words: list[str]) -> None:
    _need_yes(words)
    path = (_operands(words) or [CONFIG_FILE])[0]
    call.out(f"Running command: /usr/local/bin/sonic-cfggen -d --print-data > {path}\n")
    switch.save(call.shell.path(path))


def _apply_patch(switch: SonicSwitch, call: Call, words: list[str]) -> None:
    files = [word for word in _operands(words) if word not in ("CONFIGDB", "SONICYANG")]
    if not files:
        raise RefusedError('Missing argument "PATCH_FILE_PATH".')
    try:
        patch = json.loads(call.shell.files.read(call.shell.path(files[0])))
    except DeviceFileError as error:
        raise RefusedError(f"{files[0]}: {error}") from None
    except ValueError as error:
        raise RefusedError(f"Failed to apply patch due to: {error}") from None
    call.out("Patch Applier: localhost: Patch application starting.\n")
    try:
        target = apply_patch(switch.config, patch, build=switch.build)
    except PatchError as error:
        raise RefusedError(f"Failed to apply patch due to: {error}") from None
    if "-d" not in words and "--dry-run" not in words:
        switch.change(target)
    call.out(
        "Patch Applier: localhost: Patch application completed.\nPatch applied successfully.\n"
    )


def _replace(switch: SonicSwitch, call: Call, words: list[str]) -> None:
    files = _operands(words)
    if not files:
        raise RefusedError('Missing argument "TARGET_FILE_PATH".')
    _replace_by(switch, read_tables(call, files[0]))
    call.out("Config replaced successfully.\n")


def _replace_by(switch: SonicSwitch, target: Tables) -> None:
    """As GCU does it: what differs becomes a patch, which may be refused."""
    patch: list[dict[str, object]] = []
    for table in {**switch.config, **target}:
        old, new = switch.config.get(table), target.get(table)
        if old == new:
            continue
        if old is None or new is None:
            kind = "add" if old is None else "remove"
            patch.append({"op": kind, "path": f"/{table}", "value": new})
            continue
        patch += [_row_change(table, key, old.get(key), new.get(key)) for key in {**old, **new}]
    try:
        wanted = [operation for operation in patch if operation]
        switch.change(apply_patch(switch.config, wanted, build=switch.build))
    except PatchError as error:
        raise RefusedError(f"Failed to replace config due to: {error}") from None


def _row_change(table: str, key: str, old: Row | None, new: Row | None) -> dict[str, object]:
    if old == new:
        return {}
    escaped = key.replace("~", "~0").replace("/", "~1")
    kind = "add" if new is not None else "remove"
    changed = [
        name
        for name in {**(old or {}), **(new or {})}
        if (old or {}).get(name) != (new or {}).get(name)
    ]
    if old and new and len(changed) == 1 and changed[0] in old and changed[0] in new:
        path = f"/{table}/{escaped}/{changed[0]}"
        return {"op": "replace", "path": path, "value": new[changed[0]]}
    return {"op": kind, "path": f"/{table}/{escaped}", "value": new}


def _checkpoint_path(name: str) -> str:
    if not name or "/" in name:
        raise RefusedError(f"Invalid checkpoint name '{name}'")
    return f"{CHECKPOINTS}/{name}.cp.json"


def _checkpoint(switch: SonicSwitch, call: Call, words: list[str]) -> None:
    names = _operands(words)
    if not names:
        raise RefusedError('Missing argument "CHECKPOINT_NAME".')
    switch.write(_checkpoint_path(names[0]), switch.config)
    call.out("Config checkpoint created successfully.\n")


def _rollback(switch: SonicSwitch, call: Call, words: list[str]) -> None:
    names = _operands(words)
    if not names:
        raise RefusedError('Missing argument "CHECKPOINT_NAME".')
    path = _checkpoint_path(names[0])
    if not call.shell.files.exists(path):
        raise RefusedError(
            f"Failed to rollback config due to: Checkpoint '{names[0]}' does not exist"
        )
    _replace_by(switch, read_tables(call, path))
    call.out("Config rolled back successfully.\n")


def _list_checkpoints(switch: SonicSwitch, call: Call, words: list[str]) -> None:
    del switch, words
    found = call.shell.files.names(CHECKPOINTS)
    call.out(json.dumps([name.removesuffix(".cp.json") for name in found], indent=4) + "\n")


def _delete_checkpoint(switch: SonicSwitch, call: Call, words: list[str]) -> None:
    del switch
    names = _operands(words)
    path = _checkpoint_path(names[0] if names else "")
    if not call.shell.files.exists(path):
        raise RefusedError(
            f"Failed to delete config checkpoint due to: Checkpoint '{names[0]}' does not exist"
        )
    call.shell.files.remove(path, user="root")
    call.out("Checkpoint deleted successfully.\n")


def _qos_reload(switch: SonicSwitch, call: Call, words: list[str]) -> None:
    del words
    target = copy.deepcopy(switch.config)
    for table in ("BUFFER_PG", "PORT_QOS_MAP", "QUEUE"):
        target.pop(table, None)
    target.update(default_qos(list(target.get("PORT", {}))))
    target["BUFFER_PG"] = {
        f"{port}|0": {"profile": "ingress_lossy_profile"} for port in target.get("PORT", {})
    }
    call.out("Running command: /usr/local/bin/sonic-cfggen -d --write-to-db -t qos.json.j2\n")
    switch.change(target)


def _pfc_priority(switch: SonicSwitch, call: Call, words: list[str]) -> None:
    del call
    if len(words) != 3 or words[2] not in ("on", "off"):  # noqa: PLR2004 -- port, priority, state
        raise RefusedError('Missing argument "INTERFACE_NAME PRIORITY STATUS".')
    port, priority, state = words
    _edit(switch, "PORT_QOS_MAP", port, lambda row: _toggled(row, priority, on=state == "on"))


def _toggled(row: Row, priority: str, *, on: bool) -> Row:
    found = set(numbers(row.get("pfc_enable", ""))) - {int(priority)}
    if on:
        found.add(int(priority))
    return {**row, "pfc_enable": ",".join(str(number) for number in sorted(found))}


def _edit(switch: SonicSwitch, table: str, key: str, change: Callable[[Row], Row]) -> None:
    if key not in switch.config.get("PORT", {}):
        raise RefusedError(f"Cannot find interface {key}")
    target = copy.deepcopy(switch.config)
    rows = target.setdefault(table, {})
    rows[key] = change(rows.get(key, {}))
    refused = find_refused(target)
    if refused:
        raise RefusedError(f"{refused[0].text} ({refused[0].place})", 1)
    switch.change(target)


def _interface(name: str) -> Callable[[SonicSwitch, Call, list[str]], None]:
    def change(switch: SonicSwitch, call: Call, words: list[str]) -> None:
        del call
        if not words:
            raise RefusedError('Missing argument "INTERFACE_NAME".')
        value = {"shutdown": "down", "startup": "up"}.get(name, words[-1])
        field = "mtu" if name == "mtu" else "admin_status"
        _edit(switch, "PORT", words[0], lambda row: {**row, field: value})

    return change


def _pfcwd_stop(switch: SonicSwitch, call: Call, words: list[str]) -> None:
    del call
    target = copy.deepcopy(switch.config)
    for port in words or list(target.get("PFC_WD", {})):
        target.get("PFC_WD", {}).pop(port, None)
    if not target.get("PFC_WD", {"": {}}):
        del target["PFC_WD"]
    switch.change(target)


_COMMANDS: dict[str, Callable[[SonicSwitch, Call, list[str]], None]] = {
    "reload": _reload,
    "load": _load,
    "save": _save,
    "apply-patch": _apply_patch,
    "replace": _replace,
    "checkpoint": _checkpoint,
    "rollback": _rollback,
    "list-checkpoints": _list_checkpoints,
    "delete-checkpoint": _delete_checkpoint,
    "qos reload": _qos_reload,
    "interface pfc priority": _pfc_priority,
    "interface mtu": _interface("mtu"),
    "interface shutdown": _interface("shutdown"),
    "interface startup": _interface("startup"),
    "pfcwd stop": _pfcwd_stop,
}
