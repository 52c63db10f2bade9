"""Reads ``sminfo`` and OpenSM's log.

Source: linux-rdma/rdma-core infiniband-diags/sminfo.c; linux-rdma/opensm
    opensm/osm_log.c, osm_ucast_mgr.c, osm_state_mgr.c, osm_node_info_rcv.c.
"""

from __future__ import annotations

import re
from collections import Counter
from typing import Final

from netcheck.model.infiniband import IbDuplicate, IbEvent, IbManager
from netcheck.model.known import UNKNOWN
from netcheck.platforms.infiniband.parsed.book import Book, Page
from netcheck.platforms.infiniband.parsed.words import SM_STATES

_SMINFO: Final = re.compile(
    r"sminfo: sm lid (\d+) sm guid (0x[0-9a-f]+), activity count (\d+) priority (\d+) state (\d+)"
)
LOG_LINE: Final = re.compile(r"\w{3} +\d+ [\d:]{8} \d+ \[[0-9A-F]+\] (0x[0-9A-Fa-f]+) -> (.*)$")
_ENGINE: Final = re.compile(r"(\S+) tables configured on all switches")
_DUPLICATE: Final = re.compile(r"Found duplicated node GUID.*?(0x[0-9a-f]{8,16})")
_LANES: Final = re.compile(r"(?:Virtual )?Lanes needed: \d+")
_STATE: Final = re.compile(r"Entering (MASTER|STANDBY|DISCOVERING) state|Exiting SM|SUBNET UP")
_STARTED: Final = re.compile(r"OpenSM \d")
_ERROR: Final = 0x01
MAX_EVENTS: Final = 1000  # of one function of OpenSM: noise must not hide what another says


def read_sminfo(page: Page, book: Book) -> None:
    """Read the one line of ``sminfo``."""
    for number, line in page.numbered():
        found = _SMINFO.match(line)
        if found:
            book.found_manager(
                IbManager(
                    int(found[2], 16),
                    int(found[1]),
                    int(found[4]),
                    SM_STATES.get(int(found[5]), UNKNOWN),
                    int(found[3]),
                    page.at(number),
                )
            )
        elif line.strip() and not line.startswith("#"):
            book.complain(page.at(number), "a subnet manager", line)


def read_log(page: Page, book: Book) -> None:
    """Read the lines that tell errors, the engine in effect and whether the subnet came up.

    A log goes on over restarts: events before the last one are of files that may be mended.
    """
    events: list[IbEvent] = []
    told: Counter[str] = Counter()
    for number, line in page.numbered():
        found = LOG_LINE.match(line)
        if found is None:
            continue
        message = found[2].strip()
        if _STARTED.match(message):
            events.clear()
            told.clear()
            continue
        is_error = bool(int(found[1], 16) & _ERROR)
        engine = _ENGINE.search(message)
        if engine:
            book.engine = engine[1]
        if "SUBNET UP" in message:
            book.is_up = True
        elif message.startswith(("Entering DISCOVERING", "Entering MASTER")):
            book.is_up = False
        duplicate = _DUPLICATE.search(message)
        if duplicate:
            at = page.at(number)
            book.duplicates.append(IbDuplicate(int(duplicate[1], 16), False, evidence=at))  # noqa: FBT003 -- a record
        is_told = is_error or engine or _LANES.search(message) or _STATE.search(message)
        function = message.partition(":")[0]
        if is_told and told[function] < MAX_EVENTS:
            told[function] += 1
            events.append(IbEvent(message, is_error, page.at(number)))
    book.events += events
