"""What a text is: by the command that printed it, else by its own look."""

from __future__ import annotations

import re
from enum import StrEnum
from functools import lru_cache
from typing import Final

from netcheck.model.document import Document


class Form(StrEnum):
    """Forms of Cumulus texts that are read."""

    CONFIG = "nvue"
    LINES = "nv_set"
    FILES = "switchd"
    JSON = "nv_show_json"
    TEXT = "nv_show"
    ETHTOOL = "ethtool_switchd"
    REVISIONS = "nv_revisions"
    BOOT_ID = "boot_id"


_HEAD: Final = 6000
_BY_COMMAND: Final = (
    (re.compile(r"nv config (?:show|find|diff)|nvue\.d/startup\.yaml"), Form.CONFIG),
    (re.compile(r"nv config (?:revision|history)"), Form.REVISIONS),
    (re.compile(r"nv show .*(?:-o|--output)[ =]json"), Form.JSON),
    (re.compile(r"nv show "), Form.TEXT),
    (re.compile(r"boot_id"), Form.BOOT_ID),
    (re.compile(r"traffic\.conf|qos_features\.conf|qos_infra\.conf"), Form.FILES),
    (re.compile(r"ethtool -S swp"), Form.ETHTOOL),
)
_CONFIG: Final = re.compile(
    r"^\s*(?:- )?header:\s*(?:\n|\{)(?:.*\n){0,6}?.*nvue-api-version"
    r"|^\s*-? *(?:set|unset):\s*\n\s+(?:acl|bridge|evpn|interface|mlag|nve|platform|qos|router"
    r"|service|system|vrf|maintenance|cluster):",
    re.MULTILINE,
)
_LINES: Final = re.compile(r"^(?:\S*[$#]\s*)?(?:sudo )?nv (?:set|unset) \S", re.MULTILINE)
_FILES: Final = re.compile(
    r"^\s*(?:traffic\.(?:cos_\d|packet_priority|port_default)\S*"
    r"|(?:pfc|ecn_red|source|remark|link_pause|egress_sched|pfc_watchdog)\.\w[\w-]*(?:\.\w+)*"
    r"|default_(?:ecn_red_conf|egress_sched)\.\S+|(?:ingress|egress)_service_pool\.\S+"
    r"|cos_egr_queue\.cos_\d\.\w+)\s*=",
    re.MULTILINE,
)
_TEXT: Final = re.compile(
    r"^ +operational +applied\b.*\n-{2,}"
    r"|^(?:Ingress Buffer Statistics|Egress Queue Statistics|PFC Statistics|PFC WD Status"
    r"|Qos Port Statistics|RoCE PCP/DSCP->SP mapping configurations|ECN [Cc]onfigurations?"
    r"|TC->DWRR weight configuration|SP->TC mapping configuration)\s*\n=+"
    r"|^priori\S* +Pool ID +Mode +Reserv|^Interface +(?:State|Admin Status) +.*\bMTU\b",
    re.MULTILINE,
)
_REVISIONS: Final = re.compile(r"^Rev ID +State +Apply ID", re.MULTILINE)
_ETHTOOL: Final = re.compile(r"^\s+HwIf(?:In|Out)\w+: *\d", re.MULTILINE)
_JSON: Final = re.compile(
    r'"(?:egress-queue-stats|ingress-buffer-stats|pfc-stats|rx-roce-stats|congestion-mode'
    r'|nvue-api-version|deadlock-count)"'
    r'|"swp\d+(?:s\d+)?"\s*:\s*\{'
)
_BY_LOOK: Final = (
    (_CONFIG, Form.CONFIG),
    (_LINES, Form.LINES),
    (_FILES, Form.FILES),
    (_REVISIONS, Form.REVISIONS),
    (_ETHTOOL, Form.ETHTOOL),
    (_TEXT, Form.TEXT),
)


def form_of(document: Document) -> Form | None:
    """Give the form of a text, or None when it is none of Cumulus Linux's.

    The command decides, so that a text which is empty or cut is still what was
    asked for.
    """
    form = _by_command(document.command) if document.command else None
    if form is not None:
        return form
    head = document.text[:_HEAD].lstrip("\ufeff")
    if head.lstrip()[:1] == "{":
        return _json_form(head)
    for pattern, form in _BY_LOOK:
        if pattern.search(head):
            return form
    return None


@lru_cache(maxsize=4096)
def _by_command(command: str) -> Form | None:
    return next((form for pattern, form in _BY_COMMAND if pattern.search(command)), None)


def _json_form(head: str) -> Form | None:
    if '"nvue-api-version"' in head or re.match(r'\s*\{\s*"(?:set|header)"', head):
        return Form.CONFIG
    return Form.JSON if _JSON.search(head) else None
