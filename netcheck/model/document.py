"""Text with a name: what parsers read and what evidence points at."""

from __future__ import annotations

from enum import StrEnum

from netcheck.model.frozen import frozen


class DocumentKind(StrEnum):
    """What a text says about a device."""

    CONFIG = "config"
    STATE = "state"
    COUNTERS = "counters"
    LOG = "log"
    JOB = "job"
    TABLE = "table"


@frozen
class Document:
    """One text.

    Attributes:
        name: Path as the user gave it or as the snapshot holds it.
        text: The text itself.
        command: Command that printed it; empty for a file.
        first_line: Line of ``name`` at which the text starts (transcripts).
        reading: 0 for the first or only reading of a device, 1 for the second.
    """

    name: str
    text: str
    command: str = ""
    first_line: int = 1
    reading: int = 0


@frozen
class Evidence:
    """Where a fact was read; empty fields are unknown or do not apply."""

    file: str = ""
    line: int = 0
    column: int = 0
    command: str = ""
    counter: str = ""


@frozen
class Recognition:
    """What a platform takes a document for.

    Attributes:
        platform: Name of the platform.
        form: The platform's own word for the form, such as ``config_db`` or
            ``mlnx_qos``; two documents of one form and disjoint contents are
            one device, else two.
        kind: What the text says about a device.
        device: Host name, where the text states one.
        is_whole: The text is a whole configuration: what it lacks is absent.
        objects: Top-level objects it holds (tables, sections, interfaces), by
            which overlap is judged.
    """

    platform: str
    form: str
    kind: DocumentKind
    device: str = ""
    is_whole: bool = False
    objects: frozenset[str] = frozenset()
