"""What a text is: by the command that printed it, else by its own look."""

from __future__ import annotations

import re
from enum import StrEnum
from typing import Final

from netcheck.model.document import Document
from netcheck.platforms.sonic.parsed.json_text import is_cut_out


class Form(StrEnum):
    """Forms of SONiC texts that are read."""

    JSON = "json"
    LOOKUP = "pg_profile_lookup"
    REDIS = "redis"
    SHOW = "show"
    NEIGHBOURS = "lldp_neighbors"
    COMMANDS = "commands"
    LOG = "log"
    VERSION = "version"
    BOOT_ID = "boot_id"


_HEAD: Final = 4000
_BY_COMMAND: Final = (
    (re.compile(r"pg_profile_lookup\.ini"), Form.LOOKUP),
    (re.compile(r"sonic_version\.yml|^show version"), Form.VERSION),
    (re.compile(r"boot_id"), Form.BOOT_ID),
    (re.compile(r"sonic-cfggen|sonic-db-dump|runningconfiguration|config_db\.json"), Form.JSON),
    (re.compile(r"show lldp neighbors"), Form.NEIGHBOURS),
    (re.compile(r"--json\b|queuestat .*-j"), Form.JSON),
    (re.compile(r"sonic-db-cli|redis-cli"), Form.REDIS),
    (
        re.compile(
            r"^(?:sudo )?(?:show|pfcstat|pfcwd show|queuestat|watermarkstat|pg-drop)\b"
            r"|^(?:sudo )?(?:ecnconfig|mmuconfig) -l"
        ),
        Form.SHOW,
    ),
)
# Comments before the object; a row of numbers may follow one, too.
_COMMENTED: Final = re.compile(r"(?:(?://|#)[^\n]*\s+)+[{\[]\s*(?:[\"{]|//|#)")
_LOOKUP_ROW: Final = re.compile(r"^\s*\d{3,7}\s+\d+m(?:\s+-?\d+){4,5}\s*$", re.MULTILINE)
_LOOKUP_HEAD: Final = re.compile(r"^#\s*(?:speed\s+cable|PG lossless profiles)", re.MULTILINE)
_LOG: Final = re.compile(
    r"^.*\b(?:buffermgrd|orchagent|swss#\w+|pfcwd|syncd)(?:\[\d+\])?:"
    r"|Modification of \w+ table is illegal|Failed to apply patch|Data Loading Failed",
    re.MULTILINE,
)
_REDIS: Final = re.compile(
    r"^\S*\d+(?:\[\d+\])?>\s*(?:keys|hgetall|hget)\b|^\s*\d+\) \"|^\{'"
    r"|^(?:\S*[$#] ?)?(?:sudo )?(?:sonic-db-cli \w+_DB|redis-cli)\b",
    re.IGNORECASE | re.MULTILINE,
)
_COMMAND_LINE: Final = re.compile(
    r"^(?:[\w@:~.-]+[$#]\s*)?(?:sudo )?"
    r"(?:config (?:interface|pfcwd|qos|buffer|ecn|save|reload|load)\b"
    r"|ecnconfig -p|pfcwd start|pfcwd stop|pfcwd interval|pfc config)",
    re.MULTILINE,
)
_SHOW: Final = re.compile(
    r"^ *(?:Port (?:Rx|Tx) +PFC0|QUEUE +STATUS|PORT +ACTION +DETECTION|Port +TxQ|Port +PG0"
    r"|Port +(?:UC|MC|ALL)\d+|Pool +Bytes|Interface +Lossless priorities|Interface +Asymmetric"
    r"|Port +Priority +RX Pause|Interface +Lanes +Speed|IFACE +STATE|LocalPort +RemoteDevice)"
    r"|^Lossless traffic pattern:|^Pool: \S+$|^Profile: \S+$|^(?:Shared|Headroom) pool maximum"
    r"|^Ingress (?:PG dropped|headroom per|shared pool)|^Egress shared pool|^For namespace",
    re.MULTILINE,
)
_NEIGHBOURS: Final = re.compile(r"^LLDP neighbors:", re.MULTILINE)
_VERSION: Final = re.compile(r"^(?:SONiC Software Version: |build_version: ['\"]?\w)", re.MULTILINE)
_BY_LOOK: Final = (
    (_LOOKUP_ROW, Form.LOOKUP),
    (_LOOKUP_HEAD, Form.LOOKUP),
    (_SHOW, Form.SHOW),
    (_NEIGHBOURS, Form.NEIGHBOURS),
    (_VERSION, Form.VERSION),
    (_COMMAND_LINE, Form.COMMANDS),
    (_LOG, Form.LOG),
    (_REDIS, Form.REDIS),
)


def form_of(document: Document) -> Form | None:
    """Give the form of a text, or None when it is none of SONiC's.

    The command decides, so that a text which is empty or cut is still what was
    asked for.
    """
    for pattern, form in _BY_COMMAND:
        if document.command and pattern.search(document.command):
            return form
    head = document.text[:_HEAD].lstrip("\ufeff")
    start = head.lstrip()
    if start[:1] in {"{", "["} and not start.startswith("{'"):
        return Form.JSON
    if is_cut_out(start) or _COMMENTED.match(start):
        return Form.JSON
    for pattern, form in _BY_LOOK:
        if pattern.search(head):
            return form
    return None
