"""Read-only commands of SONiC, and the allow-list that all of them are held to.

Databases are dumped whole or by one key pattern, in JSON: one process for
each, absolute counters, and no baseline that another user may have cleared.
"""

from __future__ import annotations

import re
from typing import Final

from netcheck.model.device import Device
from netcheck.model.document import DocumentKind
from netcheck.platforms.platform import Command

# Sources: sonic-net/sonic-utilities scripts/generate_dump (sonic-db-dump -n DB -y),
# sonic-net/sonic-mgmt tests/copp (-k PATTERN), sonic-net/sonic-buildimage
# src/sonic-config-engine/sonic-cfggen (-d --print-data) and
# dockers/docker-orchagent/buffermgrd.sh (path of the lookup table).
_COMMANDS: Final = (
    Command("sonic-cfggen -d --print-data", "config_db.json", DocumentKind.CONFIG),
    Command(
        "docker exec swss cat /usr/share/sonic/hwsku/pg_profile_lookup.ini",
        "pg_profile_lookup.ini",
        DocumentKind.CONFIG,
        may_fail=True,  # the dynamic buffer model computes headroom and may ship no table
    ),
    Command("cat /etc/sonic/sonic_version.yml", "sonic_version.yml", DocumentKind.STATE),
    Command(
        'sonic-db-dump -n APPL_DB -k "BUFFER_*" -y', "appl_db_buffers.json", DocumentKind.STATE
    ),
    Command(
        'sonic-db-dump -n APPL_DB -k "PORT_TABLE:*" -y', "appl_db_ports.json", DocumentKind.STATE
    ),
    Command(
        'sonic-db-dump -n APPL_DB -k "LLDP_ENTRY_TABLE:*" -y',
        "appl_db_lldp.json",
        DocumentKind.STATE,
    ),
    Command(
        'sonic-db-dump -n STATE_DB -k "BUFFER_MAX_PARAM_TABLE|*" -y',
        "state_db_buffers.json",
        DocumentKind.STATE,
    ),
    Command("cat /proc/sys/kernel/random/boot_id", "boot_id.txt", DocumentKind.COUNTERS),
    Command("sonic-db-dump -n COUNTERS_DB -y", "counters_db.json", DocumentKind.COUNTERS),
)

_DATABASE: Final = r"(?:CONFIG|APPL|STATE|COUNTERS|ASIC|FLEX_COUNTER)_DB"
_KEY: Final = r"""(?:"[\w:|*.,/-]+"|'[\w:|*.,/-]+'|[\w:*.,/-]+)"""
_PORT: Final = r"[A-Za-z][\w/.-]*"
_SHOWS: Final = (
    r"version",
    r"runningconfiguration all",
    rf"interfaces (?:status|counters|transceiver presence|description)(?: {_PORT})?",
    r"lldp (?:table|neighbors)",
    rf"pfc (?:counters(?: --history)?|priority(?: {_PORT})?|asymmetric(?: {_PORT})?)",
    r"pfcwd (?:config|stats)",
    rf"queue counters(?: {_PORT})?(?: --(?:nonzero|voq|all|trim))*(?: --json)?",
    rf"queue wredcounters(?: {_PORT})?(?: --json)?",
    r"queue (?:persistent-)?watermark (?:unicast|multicast|all)(?: --json)?",
    r"priority-group drop counters",
    r"priority-group (?:persistent-)?watermark (?:shared|headroom)(?: --json)?",
    r"(?:buffer_pool|headroom-pool) (?:persistent-)?watermark",
    r"buffer (?:configuration|information)",
    r"ecn",
)
_READ_ONLY: Final = re.compile(
    "|".join(
        (
            r"sonic-cfggen -d --print-data",
            rf"sonic-db-dump -n {_DATABASE}(?: -k {_KEY})? -y",
            rf"sonic-db-cli {_DATABASE} (?:HGETALL|KEYS|EXISTS|HKEYS) {_KEY}",
            rf"sonic-db-cli {_DATABASE} HGET {_KEY} {_KEY}",
            r"cat /etc/sonic/(?:config_db\.json|sonic_version\.yml)",
            r"cat /usr/share/sonic/device/\w[\w.-]*/\w[\w.-]*/pg_profile_lookup\.ini",
            r"cat /proc/sys/kernel/random/boot_id",
            r"docker exec swss cat /usr/share/sonic/hwsku/pg_profile_lookup\.ini",
            rf"show (?:{'|'.join(_SHOWS)})",
        )
    ),
    re.ASCII,
)


def commands(device: Device) -> tuple[Command, ...]:  # noqa: ARG001 -- the same for every SONiC device
    """Give the read-only commands, in order; every output is JSON or a file as it is."""
    return _COMMANDS


def is_read_only(line: str) -> bool:
    """Tell whether a command line is, as a whole, on the allow-list.

    Example:
        >>> is_read_only("show pfc counters")
        True
        >>> is_read_only("show pfc counters; config reload -y")
        False
    """
    return _READ_ONLY.fullmatch(line) is not None
