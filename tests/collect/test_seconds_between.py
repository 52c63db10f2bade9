"""The time between two readings of a snapshot, as its manifest tells."""

import pytest

from netcheck.collect.cluster import DeviceDocuments
from netcheck.collect.snapshot import Answer, Record
from netcheck.collect.stored import StoredDocuments
from netcheck.model.document import DocumentKind


def record(reading: int, started: str, kind: DocumentKind = DocumentKind.COUNTERS) -> Record:
    return Record("sm1", "ibqueryerrors", "f", kind, Answer.HAD, reading=reading, started=started)


@pytest.mark.parametrize(
    ("records", "seconds"),
    [
        ((record(0, "2026-01-05T10:00:00+00:00"), record(1, "2026-01-05T10:01:30+00:00")), 90.0),
        ((record(0, "2026-01-05T10:00:00+00:00"),), 0.0),
        ((record(0, "2026-01-05T10:00:00+00:00"), record(1, "soon")), 0.0),
        ((record(1, "2026-01-05T10:00:00+00:00"), record(0, "2026-01-05T10:01:30+00:00")), 0.0),
        (
            (
                record(0, "2026-01-05T09:00:00+00:00", DocumentKind.STATE),
                record(0, "2026-01-05T10:00:00+00:00"),
                record(1, "2026-01-05T10:00:10+00:00"),
            ),
            10.0,
        ),
    ],
)
def test_the_first_counters_of_each_reading_count(
    records: tuple[Record, ...], seconds: float
) -> None:
    stored = StoredDocuments("sm1", "infiniband", records=records)
    assert stored.seconds_between == seconds


def test_files_that_a_person_hands_over_have_no_time() -> None:
    assert DeviceDocuments("sm1", "infiniband").seconds_between == 0.0
