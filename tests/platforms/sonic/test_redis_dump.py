"""A plain dump is read a row at a time, and to the same end as any other JSON text."""

from __future__ import annotations

import json

import pytest

from netcheck.model.device import Device
from netcheck.model.document import Document
from netcheck.model.known import is_known
from netcheck.platforms.sonic import parse as parsing
from netcheck.platforms.sonic.parsed.redis_dump import read_dump

COMMAND = "sonic-db-dump -n COUNTERS_DB -y"
OID = "oid:0x1000000000002"
ROWS = {
    "COUNTERS_PORT_NAME_MAP": {"Ethernet0": OID},
    "COUNTERS_QUEUE_NAME_MAP": {"Ethernet0:3": "oid:0x15000000000003"},
    f"COUNTERS:{OID}": {
        "SAI_PORT_STAT_IF_IN_DISCARDS": "17",
        "SAI_PORT_STAT_PFC_3_RX_PKTS": "99",
        "SAI_PORT_STAT_IF_OUT_ERRORS": "N/A",
    },
    "COUNTERS:oid:0x15000000000003": {"SAI_QUEUE_STAT_PACKETS": "12", "NULL": "NULL"},
    "PERSISTENT_WATERMARKS:oid:0x15000000000003": {"SAI_QUEUE_STAT_SHARED_WATERMARK_BYTES": "7"},
}


def wrapped(fields: dict[str, str]) -> dict[str, object]:
    return {"expireat": 0.0, "ttl": -0.001, "type": "hash", "value": fields}


WRAPPED = json.dumps({key: wrapped(fields) for key, fields in ROWS.items()}, indent=2)
PLAIN = json.dumps(ROWS, indent=1)
TIGHT = json.dumps(ROWS, separators=(",", ":"))


def read(text: str) -> Device:
    return parsing.parse([Document("counters_db.json", text, command=COMMAND)], name="leaf01")


@pytest.mark.parametrize("text", [WRAPPED, PLAIN, TIGHT])
def test_both_readers_give_the_same_device_with_the_same_places(
    text: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert read_dump(text) is not None
    quick = read(text)
    monkeypatch.setattr(parsing, "read_dump", lambda _text: None)
    slow = read(text)
    assert quick == slow
    assert quick.evidence == slow.evidence
    assert is_known(quick.counters)
    assert len(quick.counters) >= 5


def test_a_place_is_that_of_the_field_and_not_of_an_equal_text() -> None:
    text = '{"COUNTERS:a": {"x": "y", "y": "x"}, "COUNTERS:b": {"y": "1"}}'
    found = read_dump(text)
    assert found is not None
    assert [(row.key, row.offset) for row in found] == [("COUNTERS:a", 1), ("COUNTERS:b", 37)]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        "{}",
        WRAPPED[:-1],
        WRAPPED[:-9],
        WRAPPED + "}",
        WRAPPED.replace('"17",', '"17"'),
        WRAPPED.replace('"17"', "17"),
        WRAPPED.replace('"17"', '"1\\u0037"'),
        WRAPPED.replace("PFC_3_RX_PKTS", "IF_IN_DISCARDS").replace("_STAT_IF", "_STAT_IF"),
        json.dumps({"PORT": {"Ethernet0": {"mtu": "9100"}, "Ethernet4": {"mtu": "9100"}}}),
        json.dumps({"A:b": ROWS["COUNTERS_PORT_NAME_MAP"]})[:-1] + ', "A:b": {}}',
    ],
)
def test_what_is_not_plain_is_left_to_the_reader_of_everything(text: str) -> None:
    assert read_dump(text) is None


def test_a_dump_whose_last_row_is_cut_tells_where_it_breaks() -> None:
    cut = WRAPPED[: WRAPPED.rindex('"12"')]
    device = read(cut)
    assert [defect.found for defect in device.defects] == ["text ends inside an object"]
    assert not device.evidence.keys() & {"port Ethernet0 counters"}
