"""Files of GUIDs, one a line, and the node-name map.

Source: linux-rdma/opensm doc/current-routing.txt (root, compute and I/O GUID files);
linux-rdma/rdma-core infiniband-diags ``--node-name-map``. Measured on 3.3.23: one
line that is no GUID makes OpenSM refuse the whole file.
"""

from __future__ import annotations

import re
from typing import Final

from netcheck.model.document import Document
from netcheck.model.subnet_manager import SmGuids, SmMistake
from netcheck.platforms.sm_reading import Reading, at_line, c_number

ROOTS, COMPUTE, IO = "root_guid_file", "cn_guid_file", "io_guid_file"
INSTEAD: Final = {
    ROOTS: "the file is refused, and roots are guessed",
    COMPUTE: "the file is refused, and every adapter counts as a compute node",
    IO: "the file is refused, and no node counts as an I/O node",
}
_NAMED: Final = re.compile(r'(0x[0-9a-fA-F]{1,16})\s+"([^"]*)"')


def read_guids(document: Document, reading: Reading, key: str) -> None:
    """Read a file of GUIDs that an option of that name names."""
    guids = []
    for number, line in enumerate(document.text.splitlines(), 1):
        words = line.partition("#")[0].split()
        if not words:
            continue
        guid = c_number(words[0])
        if not guid:
            reading.misread(
                SmMistake.GUID_FILE_REFUSED,
                key,
                expected="a GUID such as 0x0002c90200300000",
                written=words[0],
                effect=INSTEAD[key],
                at=at_line(document, number, line.index(words[0]) + 1),
            )
            return
        guids.append(guid)
    reading.guids[key] = SmGuids(tuple(guids), at_line(document, 1))


def read_names(document: Document, reading: Reading) -> None:
    """Read a node-name map."""
    names = reading.names if reading.names is not None else {}
    for number, line in enumerate(document.text.splitlines(), 1):
        text = line.partition("#")[0].strip() if '"' not in line else line.strip()
        found = _NAMED.match(text)
        if found:
            names[int(found[1], 16)] = found[2]
        elif text and not text.startswith("#"):
            reading.unread.append(at_line(document, number))
    reading.names = names
