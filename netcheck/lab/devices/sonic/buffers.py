"""buffermgrd: from CONFIG_DB to the buffers that APPL_DB shows and the hardware gets.

Traditional model: port, speed, cable and PFC give a profile from the lookup
table; a miss only logs. Dynamic model: ``NULL`` priority groups get a computed
profile that CONFIG_DB never shows.

Source: sonic-net/sonic-swss cfgmgr/buffermgr.cpp, cfgmgr/buffermgrdyn.cpp,
    cfgmgr/buffer_headroom_mellanox.lua.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field

from netcheck.lab.devices.sonic.keys import Row, Tables, by_index, integer, name_of, numbers

KIB = 1024
LIGHT_M_PER_S = 198_000_000
MAC_BYTES = 0.8 * KIB
TILE_NS = 120
CELL_FACTOR = 3
PIPELINE_KIB = 19
SMALL_BYTES = 64
RESPONSE_QUANTA = {
    "100000": 394,
    "200000": 453,
    "400000": 905,
    "800000": 905,
    "50000": 147,
    "40000": 118,
    "25000": 80,
    "10000": 67,
}
DEFAULT_MTU = "9100"


@dataclass
class Applied:
    """What is applied: ``profiles`` by name, ``groups`` and ``queues`` by ``(port, index)``."""

    pools: dict[str, Row] = field(default_factory=dict)
    profiles: dict[str, Row] = field(default_factory=dict)
    groups: dict[tuple[str, int], str] = field(default_factory=dict)
    queues: dict[tuple[str, int], str] = field(default_factory=dict)
    shown_groups: dict[str, Row] = field(default_factory=dict)
    shown_queues: dict[str, Row] = field(default_factory=dict)


def read_lookup(text: str) -> dict[tuple[str, str], Row]:
    """Rows of ``pg_profile_lookup.ini`` by speed and cable; other lines are skipped."""
    found = {}
    for line in text.splitlines():
        cells = line.split()
        if len(cells) >= 6 and cells[0].isdigit():  # noqa: PLR2004 -- its columns
            row = dict(zip(("size", "xon", "xoff", "dynamic_th"), cells[2:6], strict=True))
            if len(cells) > 6:  # noqa: PLR2004 -- an optional last column
                row["xon_offset"] = cells[6]
            found[cells[0], cells[1]] = row
    return found


def manage(config: Tables, lookup: str, log: Callable[[str], None]) -> Applied:
    """Do what buffermgrd does with a configuration; may add to ``config`` as it does.

    ``log`` takes the daemon's lines.
    """
    metadata = config.get("DEVICE_METADATA", {}).get("localhost", {})
    if metadata.get("buffer_model") == "dynamic":
        return _dynamic(config, log)
    _add_traditional(config, read_lookup(lookup), log)
    return _apply(config, config.get("BUFFER_PROFILE", {}), config.get("BUFFER_PG", {}), log)


def _lossless(config: Tables, port: str) -> list[int]:
    binding = config.get("PORT_QOS_MAP", {}).get(port, {})
    return numbers(binding.get("pfc_enable", ""))


def _cable(config: Tables, port: str) -> str:
    for row in config.get("CABLE_LENGTH", {}).values():
        if port in row:
            return row[port]
    return ""


def _add_traditional(
    config: Tables, lookup: dict[tuple[str, str], Row], log: Callable[[str], None]
) -> None:
    for port, row in config.get("PORT", {}).items():
        groups = _lossless(config, port)
        speed, cable = row.get("speed", ""), _cable(config, port)
        is_wanted = groups and cable and cable != "0m" and row.get("admin_status") == "up"
        if not is_wanted:
            continue
        name = f"pg_lossless_{speed}_{cable}_profile"
        profiles = config.setdefault("BUFFER_PROFILE", {})
        if name not in profiles:
            found = lookup.get((speed, cable))
            if found is None:
                log(
                    "ERR swss#buffermgrd: :- doSpeedUpdateTask: No PG profile configured for "
                    f"speed {speed} and cable length {cable}"
                )
                continue
            profiles[name] = {"pool": "ingress_lossless_pool", **found}
        taken = {index for index, _ in by_index(config.get("BUFFER_PG", {}), port)}
        for span in _ranges([group for group in groups if group not in taken]):
            config.setdefault("BUFFER_PG", {})[f"{port}|{span}"] = {"profile": name}


def _ranges(found: list[int]) -> list[str]:
    spans: list[list[int]] = []
    for number in sorted(found):
        if spans and spans[-1][-1] == number - 1:
            spans[-1].append(number)
        else:
            spans.append([number])
    return [f"{s[0]}-{s[-1]}" if len(s) > 1 else str(s[0]) for s in spans]


def _dynamic(config: Tables, log: Callable[[str], None]) -> Applied:
    profiles = {name: dict(row) for name, row in config.get("BUFFER_PROFILE", {}).items()}
    groups: dict[str, Row] = {}
    for key, row in config.get("BUFFER_PG", {}).items():
        port = key.partition("|")[0]
        if row.get("profile") != "NULL":
            groups[key] = row
            continue
        found = _computed(config, port)
        if found is None:
            log(f"ERR swss#buffermgrd: :- refreshPgsForPort: no speed or cable length for {port}")
            continue
        name, profile = found
        profiles[name] = profile
        groups[key] = {"profile": name}
    return _apply(config, profiles, groups, log)


def _computed(config: Tables, port: str) -> tuple[str, Row] | None:
    row = config.get("PORT", {}).get(port, {})
    speed, cable = row.get("speed", ""), _cable(config, port)
    if speed not in RESPONSE_QUANTA or not cable or cable == "0m":
        return None
    lanes = len(row.get("lanes", "").split(","))
    mtu = row.get("mtu", DEFAULT_MTU)
    threshold = _first(config, "DEFAULT_LOSSLESS_BUFFER_PARAMETER").get("default_dynamic_th", "0")
    xoff = _headroom(config, speed, float(cable.rstrip("m")), int(mtu))
    xon = PIPELINE_KIB * KIB * (2 if lanes == 8 else 1)  # noqa: PLR2004 -- the widest port
    shared = has_shared_headroom(config)
    name = f"pg_lossless_{speed}_{cable}"
    name += f"_mtu{mtu}" if mtu != DEFAULT_MTU else ""
    name += "_8lane" if lanes == 8 else ""  # noqa: PLR2004 -- as above
    size = xon if shared else xon + xoff
    profile = {
        "pool": "ingress_lossless_pool",
        "xon": str(xon),
        "xoff": str(xoff),
        "size": str(size),
        "dynamic_th": threshold,
    }
    return f"{name}_profile", profile


def _first(config: Tables, table: str) -> Row:
    return next(iter(config.get(table, {}).values()), {})


def has_shared_headroom(config: Tables) -> bool:
    """Accounts take what is in flight from one pool, and not each from its own size."""
    ratio = _first(config, "DEFAULT_LOSSLESS_BUFFER_PARAMETER").get("over_subscribe_ratio", "0")
    pool = config.get("BUFFER_POOL", {}).get("ingress_lossless_pool", {})
    return ratio not in ("", "0") or integer(pool, "xoff") > 0


def _headroom(config: Tables, speed: str, cable_m: float, mtu: int) -> int:
    pattern = _first(config, "LOSSLESS_TRAFFIC_PATTERN")
    lossless_mtu = integer(pattern, "mtu", 1024)
    percent = integer(pattern, "small_packet_percentage", 100)
    average = (percent * SMALL_BYTES + (100 - percent) * lossless_mtu) / 100
    share = 100 * SMALL_BYTES / average
    occupancy = (100 - share + share * CELL_FACTOR) / 100
    rate = int(speed)
    cable = 2 * cable_m * rate * 1e9 / LIGHT_M_PER_S / 8000
    response = RESPONSE_QUANTA[speed] * SMALL_BYTES
    tile = rate / 1000 * TILE_NS / 8
    delay = mtu + cable + MAC_BYTES + response + tile
    return KIB * math.ceil((lossless_mtu + delay * occupancy) / KIB)


def _apply(
    config: Tables,
    profiles: dict[str, Row],
    groups: dict[str, Row],
    log: Callable[[str], None],
) -> Applied:
    applied = Applied(pools={k: dict(v) for k, v in config.get("BUFFER_POOL", {}).items()})
    applied.profiles = {name: dict(row) for name, row in profiles.items()}
    ports = config.get("PORT", {})
    for table, target, shown in (
        (groups, applied.groups, applied.shown_groups),
        (config.get("BUFFER_QUEUE", {}), applied.queues, applied.shown_queues),
    ):
        for key, row in table.items():
            profile = name_of(row.get("profile", ""))
            if profile not in profiles:
                log(f"ERR swss#orchagent: :- processPriorityGroup: profile {profile} is not found")
                continue
            shown[key] = {"profile": profile}
            for port in key.partition("|")[0].split(","):
                if port in ports:
                    for index in numbers(key.partition("|")[2]):
                        target[port, index] = profile
    return applied
