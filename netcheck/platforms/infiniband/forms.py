"""The forms of text this platform reads: how each is told, and who reads it.

A command decides where it is known; else the content does, of which the first
part is looked at: these texts may be very large.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from netcheck.model.document import Document, DocumentKind
from netcheck.platforms.infiniband.parsed import (
    counts,
    discovery,
    dumps,
    links,
    managers,
    queries,
    records,
    scheduler,
    tables,
)
from netcheck.platforms.infiniband.parsed.book import Book, Page

Reader = Callable[[Page, Book], None]
SNIFFED: Final = 16_384


@dataclass(frozen=True, slots=True)
class Form:
    """One form of text.

    Attributes:
        rank: Forms of lower rank are read first, for they name the nodes.
        command: Matches the command that prints it.
        content: Is found at the start of a line of the text's first part.
        is_one: One text of this form says all; a second one is another reading.
    """

    name: str
    kind: DocumentKind
    reader: Reader
    rank: int
    command: re.Pattern[str]
    content: re.Pattern[str]
    is_one: bool = True


def _form(
    name: str,
    kind: DocumentKind,
    reader: Reader,
    rank: int,
    command: str,
    content: str,
    *,
    is_one: bool = True,
) -> Form:
    path = r"(?:\S*/)?"
    return Form(
        name,
        kind,
        reader,
        rank,
        re.compile(rf"(?:sudo )?{path}(?:{command})\b"),
        re.compile(rf"^(?:{content})", re.MULTILINE),
        is_one,
    )


def _nothing(page: Page, book: Book) -> None:
    """What is recognised and holds nothing that is used."""


_STATE, _COUNTERS, _LOG = DocumentKind.STATE, DocumentKind.COUNTERS, DocumentKind.LOG
_LISTED = r"(?:Ca|Hca|Switch|Rt)\s*: 0x[0-9a-f]+ ports \d+"
_ROUTER_OF = r"ibnetdiscover .*(?:-p|--ports)\b"

FORMS: Final[tuple[Form, ...]] = (
    _form(
        "ibnetdiscover",
        _STATE,
        discovery.read_topology,
        0,
        r"(?!)",
        r'# Topology file: generated on|(?:Switch|Ca|Hca|Rt)\s+\d+\s+"[SHR]-[0-9a-f]{1,16}"'
        r"|(?:switch|ca|rt)guid=0x",
    ),
    _form(
        "subnet_list", _STATE, dumps.read_subnet_list, 1, r"(?!)", r"\{ \S+ Ports:\w+ SystemGUID:"
    ),
    _form("node_list", _STATE, discovery.read_list, 2, r"ibhosts|ibswitches|ibrouters", _LISTED),
    _form(
        "port_list",
        _STATE,
        discovery.read_ports,
        3,
        _ROUTER_OF,
        r"(?:CA|SW|RT)\s+\d+\s+\d+ 0x[0-9a-f]{16} \d+x ",
    ),
    _form(
        "iblinkinfo",
        _STATE,
        links.read_links,
        4,
        r"iblinkinfo",
        r"(?:Switch|CA|Router): .*:\n\s.*==\(|(?:0x[0-9a-f]+ \"|\s+\d+ +\d+\[).*==\(.*\)==>",
    ),
    _form(
        "guid2lid", _STATE, dumps.read_guid_to_lid, 5, r"(?!)", r"0x[0-9a-f]{16} 0x[0-9a-f]{4} 0x"
    ),
    _form("guid2mkey", _STATE, _nothing, 9, r"(?!)", r"0x[0-9a-f]{16} 0x[0-9a-f]{16}\s*$"),
    _form(
        "neighbors", _STATE, dumps.read_neighbors, 6, r"(?!)", r"0x[0-9a-f]{16}:\d+ 0x[0-9a-f]{16}:"
    ),
    _form(
        "routes",
        _STATE,
        tables.read_routes,
        7,
        r"ibroute (?!.*-M)|dump_lfts|dump_fts",
        r"Unicast lids \[",
        is_one=False,
    ),
    _form(
        "multicast_routes",
        _STATE,
        tables.read_multicast,
        7,
        r"ibroute .*-M|dump_mlfts",
        r"Multicast mlids \[",
        is_one=False,
    ),
    _form("fdbs", _STATE, tables.read_fdbs, 8, r"(?!)", r"dump_ucast_routes: Switch 0x"),
    _form("lid_matrix", _STATE, _nothing, 9, r"(?!)", r"Switch: guid 0x[0-9a-f]{16}\s*$"),
    _form(
        "smpquery",
        _STATE,
        queries.read_query,
        9,
        r"smpquery|ibportstate",
        r"# (?:(?:MLNX ext )?Port info|Node info|Switch info|SL2VL table|VLArbitration tables): "
        r"|Node Description:\.|Switch PortInfo:|\s+0: 0x[0-9a-f]{4} 0x[0-9a-f]{4} ",
        is_one=False,
    ),
    _form(
        "saquery",
        _STATE,
        records.read_records,
        9,
        r"saquery",
        r"\w[\w ]*Record (?:group |member )?dump:|LFT Record dump:|IsSM ports|SA ClassPortInfo:"
        r"|\t\tdlid\.{5}",
        is_one=False,
    ),
    _form("sm_groups", _STATE, dumps.read_groups, 9, r"(?!)", r"MC Group 0x"),
    _form("sminfo", _STATE, managers.read_sminfo, 9, r"sminfo", r"sminfo: sm lid \d+"),
    _form(
        "ibqueryerrors",
        _COUNTERS,
        counts.read_errors,
        9,
        r"ibqueryerrors",
        r"(?:Errors|Data Counters) for |## Summary: \d+ nodes checked|   GUID 0x[0-9a-f]+ port ",
    ),
    _form(
        "perfquery",
        _COUNTERS,
        counts.read_perfquery,
        9,
        r"perfquery",
        r"# \w[\w ]* counters: Lid \d+ port ",
        is_one=False,
    ),
    _form(
        "opensm_log",
        _LOG,
        managers.read_log,
        9,
        r"(?!)",
        r"\w{3} +\d+ [\d:]{8} \d+ \[[0-9A-F]+\] 0x[0-9A-Fa-f]+ -> ",
    ),
    _form(
        "slurm_topology",
        _STATE,
        scheduler.read_scheduler,
        9,
        r"(?!)",
        r"(?i:SwitchName\s*=\s*\S+\s+.*(?:Nodes|Switches)\s*=)",
    ),
    _form(
        "ibtracert",
        _STATE,
        _nothing,
        9,
        r"ibtracert|ibaddr|ibidsverify|ibfindnodesusing|smpdump|ibping|ibsysstat|ibccquery",
        r"From (?:ca|switch) \{0x[0-9a-f]+\} portnum|GID \S+ LID start 0x\w+ end 0x",
        is_one=False,
    ),
)
_PLAIN: Final = FORMS[0]
# ``# $ LD_PRELOAD=x timeout 20 ibroute 2``: how a capture names the command it came from
_CAPTURED: Final = re.compile(
    r"# \$ (?:\w+=\S+ )*(?:timeout \d+ )?(?P<command>\S.*)$", re.MULTILINE
)


def page_of(document: Document) -> Document:
    """Give the output without a first line that names its command."""
    found = _CAPTURED.match(document.text)
    if document.command or found is None:
        return document
    return Document(
        document.name,
        document.text[found.end() + 1 :],
        found["command"],
        document.first_line + 1,
        document.reading,
    )


def form_of(document: Document) -> Form | None:
    """Give the form of an output, or None where it is not this platform's."""
    if document.command:
        for form in FORMS:
            if form.command.match(document.command):
                return form
        if re.match(r"(?:sudo )?(?:\S*/)?ibnetdiscover\b", document.command):
            return _by_content(document) or _PLAIN
    return _by_content(document)


def _by_content(document: Document) -> Form | None:
    start = document.text[:SNIFFED]
    return next((form for form in FORMS if form.content.search(start)), None)
