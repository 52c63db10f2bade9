"""Cut and damaged texts: what they would have said is unknown, and nothing looks better."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import fields, is_dataclass
from typing import Any

import pytest

from netcheck.model.device import DefectKind, Device, Port
from netcheck.model.document import Document
from netcheck.model.known import ABSENT, UNKNOWN, Missing
from netcheck.model.qos import CongestionAction, PfcMode
from netcheck.platforms.sonic.parse import parse
from netcheck.platforms.sonic.parsed.json_text import read_json
from tests.platforms.sonic.sonic_texts import LOOKUP, config, dump, part, read_text, text_of

TEXT = text_of(config())
LINES = TEXT.split("\n")
WHOLE = read_text(TEXT, "sonic-cfggen -d --print-data", "config_db.json")
# What a fact may become when a line that bears on it is gone, beside UNKNOWN and ABSENT.
WORSE = {PfcMode.OFF, CongestionAction.DROP, False}
COUNTERS = dump(
    {
        "COUNTERS_PORT_NAME_MAP": {"Ethernet0": "oid:0x1"},
        "COUNTERS_QUEUE_NAME_MAP": {"Ethernet0:3": "oid:0x2"},
        "COUNTERS:oid:0x1": {"SAI_PORT_STAT_IF_IN_DISCARDS": "7"},
        "COUNTERS:oid:0x2": {"SAI_QUEUE_STAT_DROPPED_PACKETS": "9"},
    }
)
SHOW = """\
  Port Rx    PFC0    PFC1    PFC2    PFC3    PFC4    PFC5    PFC6    PFC7
---------  ------  ------  ------  ------  ------  ------  ------  ------
Ethernet0       0       0       0   1,234       0       0       0     207
Ethernet8       0       0       0     203       0       0       0       0
"""


def invented(before: Any, after: Any, place: str) -> Iterator[str]:  # Any: every kind of fact
    """Places where a fact has a value that it did not have before and that is no loss."""
    if isinstance(after, Missing) or after == before or after in _worse(before):
        return
    if is_dataclass(after) and type(after) is type(before):
        for one in fields(after):
            name = one.name
            yield from invented(getattr(before, name), getattr(after, name), f"{place} {name}")
    elif isinstance(after, frozenset) and isinstance(before, frozenset) and after <= before:
        return
    elif isinstance(after, Mapping) and isinstance(before, Mapping):
        for key, value in after.items():
            yield from invented(before.get(key, ABSENT), value, f"{place} {key}")
    else:
        yield f"{place}: {before} became {after}"


def _worse(before: object) -> set[object]:
    return set() if isinstance(before, Mapping) else WORSE


def without(line: int) -> Device:
    """The switch with one line of its text gone."""
    text = "\n".join(LINES[:line] + LINES[line + 1 :])
    return read_text(text, "sonic-cfggen -d --print-data", "config_db.json")


def facts(device: Device) -> tuple[Mapping[str, Port], object]:
    return device.ports, device.qos


def test_no_deleted_line_invents_a_fact() -> None:
    found = []
    for line in range(len(LINES)):
        device = without(line)
        for before, after in zip(facts(WHOLE), facts(device), strict=True):
            found += [f"line {line + 1}: {text}" for text in invented(before, after, "")]
    assert found == []


def test_every_deleted_line_about_qos_is_noticed() -> None:
    """Every line but plain identity and index numbers bears on some fact or gives a defect."""
    unnoticed = [
        LINES[line].strip()
        for line in range(len(LINES))
        if (device := without(line)).defects == () and facts(device) == facts(WHOLE)
    ]
    names = {line.split(":")[0].strip('"') for line in unnoticed}
    assert names == {"hostname", "hwsku", "mac"}


@pytest.mark.parametrize("share", [0.001, 0.1, 0.35, 0.5, 0.77, 0.9, 0.999])
def test_truncated_configuration_is_unknown_as_a_whole(share: float) -> None:
    device = read_text(TEXT[: int(len(TEXT) * share)], "sonic-cfggen -d --print-data")
    assert (dict(device.ports), device.is_whole, device.qos[""].pools) == ({}, False, UNKNOWN)
    assert device.defects[0].kind is DefectKind.MALFORMED_VALUE


def test_place_where_json_breaks_is_told() -> None:
    broken = TEXT.replace('"speed": "400000",', '"speed": "400000"', 1)
    evidence = read_text(broken).defects[0].evidence
    line = broken[: broken.index('"lanes"')].count("\n") + 1
    assert (evidence.line, evidence.column) == (line, 13)


def test_broken_part_takes_absence_from_the_others() -> None:
    broken = Document("buffers.json", '{"BUFFER_PG": {')
    device = parse([Document("config_db.json", text_of(config())), broken], name="leaf1")
    assert device.is_whole is False
    assert device.ports["Ethernet0"].qos.pfc_priority_to_priority_group is ABSENT
    assert (
        parse([Document("a.json", text_of(part("PORT"))), broken], name="x").qos[""].pools
        is UNKNOWN
    )


def test_empty_output_is_a_defect_and_nothing_else() -> None:
    device = read_text("", "sonic-cfggen -d --print-data", "config_db.json")
    assert (dict(device.ports), device.counters) == ({}, UNKNOWN)
    assert device.defects[0].message == "config_db.json is empty; what it would say is unknown"


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ('{"a": ', "text ends inside an object"),
        ('{"a" "b"}', "expected a key in an object"),
        ('{"a": "b" "c": "d"}', "expected a comma or the end of an object"),
        ('{"a": [1 2]}', "expected a comma or the end of a list"),
        ('{"a": tru}', "expected a value"),
        ('{"a": "\\x"}', "string holds a bad escape"),
        ('{"a": "b}', "string does not end"),
        ("{} {}", "text goes on after the end of the object"),
        ("[" * 100, "nested deeper than 32 levels"),
        ('{"a": "b",}', "expected a key in an object"),
    ],
)
def test_reason_why_a_text_is_no_json_is_told(text: str, reason: str) -> None:
    fault = read_json(text).fault
    assert fault is not None
    assert fault.reason == reason


def test_key_that_stands_twice_is_told() -> None:
    device = read_text('{"BUFFER_POOL": {}, "BUFFER_POOL": {}}')
    assert [defect.kind for defect in device.defects] == [DefectKind.DUPLICATE_KEY]


@pytest.mark.parametrize(
    "text",
    [
        "\x00\x01\x02",
        "[1, 2, null]",
        '"BUFFER_POOL"',
        "12",
        '{"BUFFER_POOL": 3, "QUEUE": [1], "PORT": null}',
        '{"PORT_QOS_MAP": {"Ethernet0": "3"}}',
        '{"BUFFER_PG": {"": {"profile": ["a", {}]}, "|": {}, "Ethernet0|": {}}}',
        '{"COUNTERS_PORT_NAME_MAP": {"Ethernet0": {}}, "COUNTERS": 7}',
        '{"CABLE_LENGTH": {"AZURE": {"Ethernet0": null}}}',
        '[{"BUFFER_PG_TABLE:Ethernet0:3": 7}, 9]',
        "{'a': 1}",
        "Profile: x\n---\n",
        "  Port Rx    PFC0\n---------  ------\n",
        "config interface pfc priority\necnconfig -p\n'",
    ],
)
def test_odd_texts_never_raise(text: str) -> None:
    device = read_text(text)
    assert device.name == "leaf1"


def test_counter_without_its_line_is_not_there() -> None:
    lines = COUNTERS.split("\n")
    for number in range(len(lines)):
        device = read_text("\n".join(lines[:number] + lines[number + 1 :]))
        whole = read_text(COUNTERS)
        assert not isinstance(whole.counters, Missing)
        kept = {} if isinstance(device.counters, Missing) else dict(device.counters)
        assert kept.items() <= whole.counters.items()


def test_damaged_counters_are_unknown() -> None:
    device = read_text(COUNTERS[:-40], "sonic-db-dump -n COUNTERS_DB -y")
    assert device.counters is UNKNOWN
    assert device.defects[0].kind is DefectKind.MALFORMED_VALUE


def test_damaged_counters_do_not_touch_the_configuration() -> None:
    damaged = Document("counters_db.json", COUNTERS[:-40], "sonic-db-dump -n COUNTERS_DB -y")
    assert parse([Document("config_db.json", TEXT), damaged], name="leaf1").is_whole


def test_cut_row_of_a_grid_gives_no_counter() -> None:
    whole = read_text(SHOW).counters
    cut = read_text(SHOW.replace("     207\n", "     20\n"))
    assert not isinstance(whole, Missing)
    assert not isinstance(cut.counters, Missing)
    assert {key.port for key in cut.counters} == {"Ethernet8"}
    assert cut.defects[0].evidence.line == 3


def test_grid_without_its_header_says_nothing() -> None:
    body = SHOW.split("\n", 1)[1]
    device = read_text(body, "show pfc counters")
    assert (device.counters, bool(device.defects)) == (UNKNOWN, True)


def test_no_deleted_line_of_a_grid_invents_a_counter() -> None:
    lines = SHOW.split("\n")
    whole = read_text(SHOW).counters
    assert not isinstance(whole, Missing)
    for number in range(len(lines)):
        text = "\n".join(lines[:number] + lines[number + 1 :])
        found = read_text(text, "show pfc counters").counters
        assert isinstance(found, Missing) or found.items() <= whole.items()


def test_cut_lookup_row_is_no_smaller_headroom() -> None:
    for end in range(len(LOOKUP)):
        table = read_text(LOOKUP[:end], name="pg_profile_lookup.ini").qos[""].headroom_table
        whole = read_text(LOOKUP, name="pg_profile_lookup.ini").qos[""].headroom_table
        assert not isinstance(whole, Missing)
        assert isinstance(table, Missing) or set(table) <= set(whole) or end >= len(LOOKUP) - 2
