"""Which output of a switch a text is, by the command it answers, its name or its content."""

from __future__ import annotations

import re
from enum import StrEnum
from typing import Final

from netcheck.model.document import Document


class Form(StrEnum):
    """One kind of text."""

    CONFIG = "running-config"
    MANAGER = "show ib sm"
    PARTITIONS = "show ib partition"
    VERSION = "show version"


FILES: Final = {
    Form.CONFIG: "running-config.txt",
    Form.MANAGER: "ib_sm.txt",
    Form.PARTITIONS: "ib_partition.txt",
    Form.VERSION: "version.txt",
}
COMMANDS: Final = {
    Form.CONFIG: "show running-config",
    Form.MANAGER: "show ib sm",
    Form.PARTITIONS: "show ib partition",
    Form.VERSION: "show version",
}
_SAMPLE: Final = 20_000  # characters; a running-config tells of its subnet manager late
_LINE: Final = re.compile(r"^\s*(?:no )?ib (?:sm|smnode|partition)\b", re.MULTILINE)
_PARTITIONS: Final = re.compile(r"^\s+PKey\s*[:=]\s*0x[0-9a-fA-F]+\s*$", re.MULTILINE)
_VERSION: Final = re.compile(r"^Product name:\s+(?:MLNX-OS|Onyx)\s*$", re.MULTILINE)
_HEADER: Final = re.compile(r'^## Running database "|^\s*hostname \S', re.MULTILINE)


def form_of(document: Document) -> Form | None:
    """Give what a text is; None where it is none of a switch's."""
    text = document.text
    head = text[:_SAMPLE]
    if _VERSION.search(head):
        return Form.VERSION
    if _PARTITIONS.search(head):
        return Form.PARTITIONS
    if text.strip() in {"enable", "disable"} and named_form(document) is Form.MANAGER:
        return Form.MANAGER
    return Form.CONFIG if _LINE.search(text) else None


def named_form(document: Document) -> Form | None:
    """Give what a text has to be by its command or file name; None where neither tells."""
    name = document.name.rpartition("/")[2]
    for form in Form:
        if document.command == COMMANDS[form] or name == FILES[form]:
            return form
    return None


def is_whole(text: str) -> bool:
    """Tell whether a text is the configuration of a whole switch."""
    return _HEADER.search(text) is not None
