"""Every file of the reference captures parses to its values, or is said to be left.

``captures.yaml`` names each file, who reads it and what it says. Own samples of the
same forms are beside the tests of each reader.
"""

from __future__ import annotations

from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest
import yaml

from netcheck.model.document import Document
from netcheck.model.known import is_known
from netcheck.perf.collectives import parse_collective
from netcheck.perf.perftest_json import read_perftest
from netcheck.perf.rping import parse_rping
from netcheck.platforms.linux.parse import parse
from netcheck.platforms.linux.recognise import recognise
from tests.perf.facts import facts, text

pytestmark = pytest.mark.shared

TABLE: dict[str, dict[str, Any]] = yaml.safe_load(
    Path(__file__).with_name("captures.yaml").read_text("utf-8")
)  # Any: YAML
READ = {name: row for name, row in TABLE.items() if "left" not in row}
TESTS = [name for name, row in READ.items() if row["reader"] == "perftest"]
RUNS = [name for name, row in READ.items() if row["reader"] == "collective"]
PINGS = [name for name, row in READ.items() if row["reader"] == "rping"]
DEVICES = sorted(READ.keys() - {*TESTS, *RUNS, *PINGS})


def content(shared: Path, name: str) -> str:
    return (shared / "captures" / name).read_bytes().decode("utf-8", "surrogateescape")


def test_every_capture_is_in_the_table(shared: Path) -> None:
    folders = [shared / "captures" / "nic", shared / "captures" / "rdma"]
    there = {
        str(path.relative_to(shared / "captures"))
        for folder in folders
        for path in folder.rglob("*")
        if path.is_file()
    }
    assert there == TABLE.keys()


@pytest.mark.parametrize("name", TESTS)
def test_a_run_of_perftest_says_what_it_measured(shared: Path, name: str) -> None:
    found = read_perftest(content(shared, name))
    said = {each.name: getattr(found, each.name) for each in fields(found)}
    known = {key: text(value) for key, value in said.items() if is_known(value) and value != ""}
    assert {"reader": "perftest"} | known == READ[name]


@pytest.mark.parametrize("name", RUNS)
def test_a_run_of_a_collective_says_what_it_measured(shared: Path, name: str) -> None:
    found = parse_collective(content(shared, name))
    assert READ[name] == {
        "reader": "collective",
        "rows": len(found.rows),
        "bus_bps": text(found.bus_bps),
        "last_out_of_place_bus_bps": text(found.rows[-1].out_of_place.bus_bps),
        "is_correct": str(found.is_correct),
    }


@pytest.mark.parametrize("name", PINGS)
def test_a_run_of_rping_says_what_came_back(shared: Path, name: str) -> None:
    found = parse_rping(content(shared, name))
    assert found.is_reached
    assert found.pings == READ[name]["pings"]


@pytest.mark.parametrize("name", DEVICES)
def test_an_output_of_a_host_says_its_facts(shared: Path, name: str) -> None:
    row = READ[name]
    document = Document("capture.txt", content(shared, name))
    recognised = recognise(document)
    assert recognised is not None
    found = parse([document], name="host")
    said = facts(found)
    assert recognised.form == row["reader"]
    assert {key: said.get(key) for key in row.get("facts", {})} == row.get("facts", {})
    assert sum(key.startswith("counter ") for key in said) == row.get("counters", 0)
    assert len(found.defects) == row.get("defects", 0)


@pytest.mark.parametrize("name", [name for name, row in READ.items() if row.get("facts")])
def test_a_value_of_the_table_stands_in_the_file(shared: Path, name: str) -> None:
    counted = {
        value
        for fact, value in READ[name]["facts"].items()
        if fact.startswith("counter ") and value.isdecimal()
    }
    words = set(content(shared, name).replace(",", " ").replace(":", " ").replace("|", " ").split())
    assert {value for value in counted if value not in words and f"={value}" not in words} == set()
