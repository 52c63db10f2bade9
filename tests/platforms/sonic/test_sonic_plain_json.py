"""A plain text is read quickly, and to the same end as any other JSON text."""

from __future__ import annotations

import json

import pytest

from netcheck.model.device import Device
from netcheck.model.document import Document
from netcheck.model.known import is_known
from netcheck.platforms.sonic import parse as parsing
from netcheck.platforms.sonic.parsed.json_tables import load_plain
from netcheck.platforms.sonic.parsed.plain_json import Places, read_plain
from netcheck.platforms.sonic.parsed.tables import Source, Tables

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


def is_plain(text: str) -> bool:
    root = read_plain(text)
    return root is not None and load_plain(Source(Document("x", text)), root, Tables())


def read(text: str) -> Device:
    return parsing.parse([Document("counters_db.json", text, command=COMMAND)], name="leaf01")


@pytest.mark.parametrize(
    "text", [WRAPPED, PLAIN, TIGHT, PLAIN.replace('"Ethernet0":', '"Ethernet0" :')]
)
def test_both_readers_give_the_same_device_with_the_same_places(
    text: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert is_plain(text)
    quick = read(text)
    monkeypatch.setattr(parsing, "read_plain", lambda _text: None)
    slow = read(text)
    assert quick == slow
    assert quick.evidence == slow.evidence
    assert is_known(quick.counters)
    assert len(quick.counters) >= 5


def test_a_configuration_has_the_same_places_by_both_readers(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    text = json.dumps(
        {
            "DSCP_TO_TC_MAP": {"roce": {"26": "3", "48": "6"}},
            "PORT": {"Ethernet0": {"mtu": "9100", "lanes": ["1", "2"], "speed": "400000"}},
            "PORT_QOS_MAP": {"Ethernet0": {"dscp_to_tc_map": "roce", "pfc_enable": "3"}},
            "NOBODY_KNOWS_QOS": {"x": {"NULL": "NULL"}},
        },
        indent=4,
    )
    assert is_plain(text)
    quick = parsing.parse([Document("config_db.json", text)], name="leaf01")
    monkeypatch.setattr(parsing, "read_plain", lambda _text: None)
    slow = parsing.parse([Document("config_db.json", text)], name="leaf01")
    assert quick == slow
    assert quick.evidence["port Ethernet0 dscp_to_priority 48"].line == 5


def test_a_place_is_that_of_the_field_and_not_of_an_equal_text() -> None:
    text = '{"A": {"x": "y", "y": ["x", "z"], "z": "x"}, "y": {"z": "A"}}'
    root = read_plain(text)
    assert root is not None
    places = Places(text, root)
    by_hand = {("A",): 1, ("A", "x"): 7, ("A", "y"): 17, ("A", "z"): 34, ("y",): 45, ("y", "z"): 51}
    assert dict(places) == by_hand


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
        json.dumps({"PORT": {"Ethernet0": {"mtu": 9100}, "Ethernet4": {"mtu": "9100"}}}),
        json.dumps({"Ethernet0": {"UC0": {"totalpacket": "1"}}}),
        json.dumps({"localhost": {"PORT": {"Ethernet0": {"mtu": "9100"}}}}),
        json.dumps({"A:b": ROWS["COUNTERS_PORT_NAME_MAP"]})[:-1] + ', "A:b": {}}',
    ],
)
def test_what_is_not_plain_is_left_to_the_reader_of_everything(text: str) -> None:
    assert not is_plain(text)


def test_a_dump_whose_last_row_is_cut_tells_where_it_breaks() -> None:
    cut = WRAPPED[: WRAPPED.rindex('"12"')]
    device = read(cut)
    assert [defect.found for defect in device.defects] == ["text ends inside an object"]
    assert not device.evidence.keys() & {"port Ethernet0 counters"}
