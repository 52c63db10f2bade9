"""Documents of a device in a snapshot, read from disk when they are needed.

The texts of a large fabric's snapshot are not held all at once: each device's
outputs are read, parsed and let go.
"""

from __future__ import annotations

from datetime import datetime
from pathlib import Path

from netcheck.collect.cluster import DeviceDocuments, Item
from netcheck.collect.snapshot import Record, Snapshot
from netcheck.model.document import DocumentKind
from netcheck.model.frozen import frozen


@frozen
class StoredDocuments(DeviceDocuments):
    """What a snapshot holds of one device; it has items once it is ``loaded``.

    Attributes:
        folder: The snapshot's folder.
        records: Those of the device for which there is an output.
    """

    folder: Path = Path()
    records: tuple[Record, ...] = ()

    @property
    def files(self) -> tuple[str, ...]:
        """Names of the documents."""
        return tuple(map(Snapshot(self.folder).name_of, self.records))

    @property
    def seconds_between(self) -> float:
        """Time from the first reading of counters to the second; 0 where there is one."""
        ends: dict[int, str] = {}
        for record in self.records:
            if record.kind is DocumentKind.COUNTERS and record.started:
                ends.setdefault(record.reading, record.started)
        try:
            first, last = (datetime.fromisoformat(ends[number]) for number in (0, 1))
        except (KeyError, ValueError):
            return 0.0
        return max(0.0, (last - first).total_seconds())

    def loaded(self) -> DeviceDocuments:
        """Read the documents.

        Raises:
            InputError: A file that the manifest lists is gone or cannot be read.
        """
        snapshot = Snapshot(self.folder)
        items = tuple(Item(snapshot.document(record), record.kind) for record in self.records)
        return DeviceDocuments(self.name, self.platform, items)
