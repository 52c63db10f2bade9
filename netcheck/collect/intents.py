"""Which of the files that people hand over are intents, and which belong together."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

from netcheck.model.frozen import frozen

INTENT_SUFFIXES: Final = frozenset({".yaml", ".yml"})
_INTENT = re.compile(r"""^(?:\{\s*)?["']?netcheck["']?\s*:(?:\s|$)""", re.MULTILINE)
_INTENT_NAME = re.compile(r"""^\s*["']?name["']?\s*:\s*["']?([^\s"'#,}]+)""", re.MULTILINE)
_INCLUDE = re.compile(r"^include\s*:(.*(?:\n[ \t]*-.*)*)", re.MULTILINE)
_INCLUDED = re.compile(r"""[^\s,\[\]"'-][^\s,\[\]"']*""")


@frozen
class IntentFile:
    """One file of an intent; ``is_named`` where it was given by itself."""

    path: str
    text: str
    is_named: bool

    @property
    def name(self) -> str:
        """Name of the fabric, where the file says it."""
        match = _INTENT_NAME.search(self.text)
        return match.group(1) if match else ""

    def included(self) -> set[Path]:
        """Files that this one includes."""
        match = _INCLUDE.search(self.text)
        names = _INCLUDED.findall(match.group(1)) if match else []
        return {(Path(self.path).parent / name).resolve() for name in names}


def is_intent(text: str) -> bool:
    """Whether a text is an intent: it has the key ``netcheck`` at its top."""
    return _INTENT.search(text) is not None


def fabrics(found: list[IntentFile]) -> tuple[tuple[str, ...], ...]:
    """Files of each intent: by folder, or by the fabric's name where files were named.

    A file without a name is a part of the only intent beside it. What another
    file includes is judged with that one.
    """
    included = {path for each in found for path in each.included()}
    groups: dict[str, list[str]] = {}
    parts: list[IntentFile] = []
    for each in found:
        if Path(each.path).resolve() in included:
            continue
        if each.name:
            groups.setdefault(each.name if each.is_named else each.path, []).append(each.path)
        else:
            parts.append(each)
    if len(groups) == 1:
        only = next(iter(groups.values()))
        return (tuple(only + [part.path for part in parts]),)
    return (*(tuple(files) for files in groups.values()), *((part.path,) for part in parts))
