"""The switch's Redis databases as ``sonic-db-dump`` and ``sonic-db-cli`` show them.

Source: sonic-net/sonic-swss-common schema.h; sonic-net/sonic-py-swsssdk sonic-db-cli.
"""

from __future__ import annotations

import fnmatch
import json
import re
from collections.abc import Callable, Iterator

from netcheck.lab.devices.options import UnknownOptionError, split_options
from netcheck.lab.devices.shell import Call
from netcheck.lab.devices.sonic.factory import MMU_BYTES
from netcheck.lab.devices.sonic.keys import Row, natural, numbers
from netcheck.lab.devices.sonic.state import SonicSwitch
from netcheck.lossless.dataplane.network import PRIORITIES

PORT_OID, QUEUE_OID, GROUP_OID = 0x1000000000012, 0x15000000000357, 0x1A00000000034F
MAX_HEADROOM_BYTES = 1_443_840
Pairs = Iterator[tuple[str, Row]]


def config_db(switch: SonicSwitch) -> Pairs:
    """CONFIG_DB with flat keys."""
    for table, rows in switch.config.items():
        for key, row in rows.items():
            yield f"{table}|{key}", row or {"NULL": "NULL"}


def appl_db(switch: SonicSwitch) -> Pairs:
    """APPL_DB: what the managers have applied."""
    applied = switch.applied
    for name, row in applied.pools.items():
        yield f"BUFFER_POOL_TABLE:{name}", row
    for name, row in applied.profiles.items():
        yield f"BUFFER_PROFILE_TABLE:{name}", row
    for key, row in applied.shown_groups.items():
        yield f"BUFFER_PG_TABLE:{key.replace('|', ':')}", row
    for key, row in applied.shown_queues.items():
        yield f"BUFFER_QUEUE_TABLE:{key.replace('|', ':')}", row
    for port, row in switch.config.get("PORT", {}).items():
        oper = "up" if switch.is_link_up(port) else "down"
        yield f"PORT_TABLE:{port}", {**row, "oper_status": oper, "description": ""}
        found = switch.surroundings.neighbour(switch.name, port)
        if found is not None and oper == "up":
            yield (
                f"LLDP_ENTRY_TABLE:{port}",
                {
                    "lldp_rem_chassis_id": found.mac,
                    "lldp_rem_chassis_id_subtype": "4",
                    "lldp_rem_man_addr": found.mgmt,
                    "lldp_rem_port_desc": found.port,
                    "lldp_rem_port_id": found.port,
                    "lldp_rem_port_id_subtype": "5",
                    "lldp_rem_sys_cap_enabled": "28 00",
                    "lldp_rem_sys_cap_supported": "28 00",
                    "lldp_rem_sys_desc": "Debian GNU/Linux",
                    "lldp_rem_sys_name": found.device,
                    "lldp_rem_time_mark": "1000",
                },
            )


def state_db(switch: SonicSwitch) -> Pairs:
    """STATE_DB: what the hardware can do."""
    yield "BUFFER_MAX_PARAM_TABLE|global", {"mmu_size": str(MMU_BYTES)}
    for port, row in switch.config.get("PORT", {}).items():
        yield (
            f"BUFFER_MAX_PARAM_TABLE|{port}",
            {
                "max_headroom_size": str(MAX_HEADROOM_BYTES),
                "max_priority_groups": "8",
                "max_queues": "16",
            },
        )
        yield (
            f"PORT_TABLE|{port}",
            {"state": "ok", "netdev_oper_status": "up", "speed": row.get("speed", "")},
        )
    for name in ("WRED_DROPPED_PKT", "ECN_MARKED_PKT"):
        key = f"QUEUE_COUNTER_CAPABILITIES|WRED_ECN_QUEUE_{name}_COUNTER"
        yield key, {"isSupported": "true"}


def counters_db(switch: SonicSwitch) -> Pairs:
    """COUNTERS_DB: names, counters, watermarks."""
    ports = sorted(switch.config.get("PORT", {}), key=natural)
    enabled = enabled_groups(switch)
    port_oids = {port: f"oid:0x{PORT_OID + place:x}" for place, port in enumerate(ports)}
    yield "COUNTERS_PORT_NAME_MAP", port_oids
    for kind, base in (("QUEUE", QUEUE_OID), ("PG", GROUP_OID)):
        yield (
            f"COUNTERS_{kind}_NAME_MAP",
            {
                f"{port}:{index}": _oid(base, place, index)
                for place, port in enumerate(ports)
                for index in range(PRIORITIES)
            },
        )
    for place, port in enumerate(ports):
        if "PORT" in enabled:
            yield f"COUNTERS:{port_oids[port]}", switch.tallies.port_row(port)
        for index in range(PRIORITIES):
            queue = _oid(QUEUE_OID, place, index)
            row = switch.tallies.queue_row(port, index, enabled)
            if watched := watchdog_row(switch, port, index):
                row |= watched
            if row:
                yield f"COUNTERS:{queue}", row
            group = _oid(GROUP_OID, place, index)
            if row := switch.tallies.group_row(port, index, enabled):
                yield f"COUNTERS:{group}", row
            if "PG_WATERMARK" in enabled:
                yield f"USER_WATERMARKS:{group}", switch.tallies.group_peaks(port, index)


def _oid(base: int, place: int, index: int) -> str:
    return f"oid:0x{base + place * PRIORITIES + index:x}"


def enabled_groups(switch: SonicSwitch) -> frozenset[str]:
    """Counter groups that are polled."""
    table = switch.config.get("FLEX_COUNTER_TABLE", {})
    return frozenset(
        name for name, row in table.items() if row.get("FLEX_COUNTER_STATUS") == "enable"
    )


def watchdog_row(switch: SonicSwitch, port: str, queue: int) -> Row:
    """Watchdog fields of a queue; empty where it is not watched."""
    row = switch.config.get("PFC_WD", {}).get(port)
    binding = switch.config.get("PORT_QOS_MAP", {}).get(port, {})
    if row is None or queue not in numbers(binding.get("pfcwd_sw_enable", "")):
        return {}
    return switch.tallies.watchdog_row(port, queue, row.get("action", "drop"))


DATABASES: dict[str, Callable[[SonicSwitch], Pairs]] = {
    "CONFIG_DB": config_db,
    "APPL_DB": appl_db,
    "STATE_DB": state_db,
    "COUNTERS_DB": counters_db,
}


def dump(switch: SonicSwitch, call: Call) -> int:
    """``sonic-db-dump -n DB [-k PATTERN] [-y]``."""
    try:
        options, _ = split_options(call.arguments, flags="yh", valued="nk")
    except UnknownOptionError as error:
        return call.fail(f"sonic-db-dump: {error}", 2)
    name = options.get("n", "")
    if name not in DATABASES:
        return call.fail(f"Invalid database name {name}")
    wanted = _matcher(options.get("k", "*"))
    table = {
        key: {"expireat": 0.0, "ttl": -0.001, "type": "hash", "value": row}
        for key, row in sorted(DATABASES[name](switch))
        if wanted(key)
    }
    call.out(json.dumps(table, indent=2 if "y" in options else None) + "\n")
    return 0


def _matcher(pattern: str) -> Callable[[str], bool]:
    expression = re.compile(fnmatch.translate(pattern))
    return lambda key: expression.match(key) is not None


def cli(switch: SonicSwitch, call: Call) -> int:
    """``sonic-db-cli DB COMMAND KEY [FIELD]``, read-only commands."""
    words = [word for word in call.arguments if not word.startswith("-")]
    if len(words) < 2 or words[0] not in DATABASES:  # noqa: PLR2004 -- database and command
        return call.fail("Invalid database name input : '{}'".format(*(words or [""])))
    table = dict(DATABASES[words[0]](switch))
    command, *rest = words[1].upper(), *words[2:]
    if command == "PING":
        call.out("PONG\n")
        return 0
    if command not in _COMMANDS or len(rest) < (2 if command == "HGET" else 1):
        return call.fail(f"ERR unknown command or wrong number of arguments: '{words[1]}'")
    call.out(_COMMANDS[command](table, rest) + "\n")
    return 0


def _keys(table: dict[str, Row], rest: list[str]) -> str:
    wanted = _matcher(rest[0])
    return "\n".join(key for key in table if wanted(key))


_COMMANDS: dict[str, Callable[[dict[str, Row], list[str]], str]] = {
    "KEYS": _keys,
    "HGETALL": lambda table, rest: str(table.get(rest[0], {})),
    "HGET": lambda table, rest: table.get(rest[0], {}).get(rest[1], ""),
    "HKEYS": lambda table, rest: "\n".join(table.get(rest[0], {})),
    "EXISTS": lambda table, rest: str(int(rest[0] in table)),
}
