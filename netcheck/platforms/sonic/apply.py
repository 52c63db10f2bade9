"""How a change gets onto a switch: by a patch where GCU takes it, else by a reload.

`config apply-patch` changes only what differs, checks it against YANG and
leaves the rest running. What it refuses (buffer pools and most of buffer
profiles) needs the whole configuration and `config reload`.
Source: sonic-net/sonic-utilities doc/Command-Reference.md.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Final

from netcheck.model.device import Device
from netcheck.model.document import DocumentKind
from netcheck.model.errors import InputError
from netcheck.model.jsontext import load_json
from netcheck.platforms.platform import Change, Command, Removal, Run, Step, Upload
from netcheck.platforms.sonic.applied.gcu import first_refused
from netcheck.platforms.sonic.applied.impact import (
    Disturbance,
    disturbance,
    reload_disturbance,
)
from netcheck.platforms.sonic.applied.merge import Tables, merge, without_reclaimed
from netcheck.platforms.sonic.applied.operations import (
    Difference,
    Operation,
    differences,
    operations,
    patch_text,
)
from netcheck.platforms.sonic.applied.said import said_of

FILE: Final = "config_db.json"
VERSION_FILE: Final = "sonic_version.yml"
CONFIG: Final = "/etc/sonic/config_db.json"
SAVED: Final = "/etc/sonic/config_db.netcheck-before.json"
PATCH: Final = "/etc/sonic/netcheck-patch.json"
CHECKPOINT: Final = "netcheck-before"
RELOAD_S: Final = 600.0
BARE_REFERENCES: Final = (3, 0, 3)
# ASICs on which buffermgrd takes the buffers of ports that are down.
RECLAIMING: Final = frozenset({"mellanox", "barefoot"})
PERSIST: Final = (Run("sudo config save -y"),)


def holdings(device: Device) -> tuple[Command, ...]:  # noqa: ARG001 -- the same for every switch
    """Give the commands whose outputs ``plan`` has to see."""
    return (
        Command("sonic-cfggen -d --print-data", FILE, DocumentKind.CONFIG),
        Command(
            "cat /etc/sonic/sonic_version.yml", VERSION_FILE, DocumentKind.STATE, may_fail=True
        ),
    )


def plan(device: Device, rendered: Mapping[str, str], held: Mapping[str, str]) -> Change:
    """Give the change from what the switch holds to what is rendered.

    Raises:
        InputError: The held configuration is missing or no CONFIG_DB, it wants
            bracketed references, a port or pool that is named is not on the switch,
            or a watchdog would act faster than the switch looks.
    """
    now = _read(held.get(FILE), f"{device.name} {FILE}")
    wanted = _read(rendered.get(FILE), f"{device.name} rendered {FILE}")
    _refuse_old_schema(device, now)
    version = _version_facts(held.get(VERSION_FILE, ""))
    model = now.get("DEVICE_METADATA", {}).get("localhost", {}).get("buffer_model")
    if version.get("asic_type") in RECLAIMING and model != "dynamic":
        wanted = without_reclaimed(wanted, now)
    try:
        target = merge(now, wanted, said_of(device))
    except InputError as error:
        raise InputError(f"{device.name} {error}") from error
    _refuse_missing_pools(device, wanted, target)
    _refuse_hasty_watchdogs(device, target)
    found = differences(now, target)
    if not found:
        return Change()
    steps = operations(now, target)
    refused = _reload_cause(found, steps, now, version.get("build_version", ""))
    if refused:
        return _by_reload(found, now, target, reload_disturbance(refused))
    return _by_patch(found, steps, disturbance(found))


def _read(text: str | None, place: str) -> Tables:
    if text is None:
        raise InputError(f"{place}: is not there")
    try:
        data = load_json(text)
    except ValueError as error:
        raise InputError(f"{place}: not JSON: {error}") from error
    if not isinstance(data, dict) or not all(_is_table(rows) for rows in data.values()):
        raise InputError(f"{place}: expected tables of objects, found something else")
    return data


def _refuse_old_schema(device: Device, now: Tables) -> None:
    """Refuse a switch whose schema wants ``[TABLE|name]`` where bare names are rendered.

    Source: sonic-net/sonic-utilities scripts/db_migrator.py (bare names since version_3_0_3).
    """
    version = str(now.get("VERSIONS", {}).get("DATABASE", {}).get("VERSION", ""))
    match = re.fullmatch(r"version_(\d+)_(\d+)_(\d+)", version)
    if match and tuple(map(int, match.groups())) < BARE_REFERENCES:
        raise InputError(
            f"{device.name} VERSIONS|DATABASE: expected version_3_0_3 or later, found {version}"
        )


def _refuse_missing_pools(device: Device, wanted: Tables, target: Tables) -> None:
    """Refuse profiles on pools that are neither rendered nor on the switch."""
    pools = target.get("BUFFER_POOL", {})
    for name, profile in wanted.get("BUFFER_PROFILE", {}).items():
        if profile["pool"] not in pools:
            raise InputError(
                f"{device.name} BUFFER_PROFILE|{name}: expected pool {profile['pool']} on the"
                f" switch, found {', '.join(pools) or 'none'}; state the pools in the intent"
            )


def _refuse_hasty_watchdogs(device: Device, target: Tables) -> None:
    """Refuse watchdogs that would act faster than the switch looks, which YANG refuses.

    Either side may be the switch's own: the interval, or the watchdog of a port
    that is not of the intent.
    """
    rows = target.get("PFC_WD", {})
    poll = int(rows.get("GLOBAL", {}).get("POLL_INTERVAL", 0))
    for port, row in rows.items():
        for field in ("detection_time", "restoration_time"):
            time = int(row.get(field, poll))
            if time < poll:
                raise InputError(
                    f"{device.name} PFC_WD|{port} {field}: expected >= {poll} ms, the interval at"
                    f" which the switch looks, found {time} ms; state another poll or watchdog"
                )


def _is_table(rows: object) -> bool:
    return isinstance(rows, dict) and all(isinstance(row, dict) for row in rows.values())


def _version_facts(text: str) -> dict[str, str]:
    """Fields of ``sonic_version.yml``; none where the switch did not show it."""
    pairs = (line.partition(":") for line in text.splitlines())
    return {name.strip(): value.strip().strip("'\"") for name, _, value in pairs}


def _reload_cause(found: list[Difference], steps: list[Operation], now: Tables, build: str) -> str:
    """Why a patch would not do; empty when it would."""
    if any(one.table == "DEVICE_METADATA" for one in found):
        return "the buffer model changes, which buffermgrd reads when it starts"
    refused = first_refused(steps, now, build)
    return (
        f"config apply-patch refuses to {refused.op} {'|'.join(refused.parts)}" if refused else ""
    )


def _by_patch(found: list[Difference], steps: list[Operation], effect: Disturbance) -> Change:
    return _change(
        found,
        effect,
        save=(Run(f"sudo config checkpoint {CHECKPOINT}"),),
        steps=(
            Upload(PATCH, patch_text(steps)),
            Run(f"sudo config apply-patch {PATCH}", RELOAD_S),
        ),
        undo=(Run(f"sudo config rollback {CHECKPOINT}", RELOAD_S), *PERSIST),
    )


def _by_reload(found: list[Difference], now: Tables, target: Tables, effect: Disturbance) -> Change:
    return _change(
        found,
        effect,
        save=(Upload(SAVED, _text(now), mode=0o600),),
        steps=(Upload(CONFIG, _text(target)), Run("sudo config reload -y", RELOAD_S)),
        undo=(
            Run(f"sudo install -m 0644 {SAVED} {CONFIG}.netcheck-new"),
            Run(f"sudo mv -f {CONFIG}.netcheck-new {CONFIG}"),
            Run("sudo config reload -y", RELOAD_S),
        ),
    )


def _text(tables: Tables) -> str:
    return json.dumps(tables, indent=4) + "\n"


def _change(
    found: list[Difference],
    effect: Disturbance,
    *,
    save: tuple[Step, ...],
    steps: tuple[Step, ...],
    undo: tuple[Step, ...],
) -> Change:
    return Change(
        objects=tuple((one.name, *one.texts()) for one in found),
        removals=tuple(Removal(one.name) for one in found if one.new is None),
        save=save,
        steps=steps,
        undo=undo,
        persist=PERSIST,
        impact=effect.impact,
        reason=effect.reason,
        source=effect.source,
    )
