"""An anonymous snapshot tells nobody whose it is, and still fits together."""

from __future__ import annotations

from pathlib import Path

import pytest

from netcheck.collect.anonymise import Anonymiser, anonymise
from netcheck.collect.snapshot import Answer, Member, Record, Snapshot, read_snapshot
from netcheck.model.document import DocumentKind
from netcheck.model.errors import InputError

CONFIG = """{
  "DEVICE_METADATA": {"localhost": {"hostname": "blue-leaf01", "mac": "0c:42:a1:00:00:07"}},
  "TACPLUS": {"global": {"passkey": "hunter2"}},
  "INTERFACE": {"Ethernet0|10.100.0.1/24": {}},
  "LLDP": {"lldp_rem_sys_name": "blue-gpu09"}
}
"""
GIDS = "gids/3:0000:0000:0000:0000:0000:ffff:0a64:0001\nserial: MT2233X00001\n0.0.0.0 127.0.0.1\n"


@pytest.fixture
def snapshot(tmp_path: Path) -> Snapshot:
    folder = tmp_path / "snapshot"
    records = []
    for name, file, text in (
        ("blue-leaf01", "config_db.json", CONFIG),
        ("blue-gpu01", "gids.txt", GIDS),
    ):
        (folder / name).mkdir(parents=True)
        (folder / name / file).write_text(text)
        kind = DocumentKind.CONFIG
        records.append(Record(name, f"cat {file}", f"{name}/{file}", kind, Answer.HAD))
    members = (Member("blue-leaf01", "sonic", is_reached=True), Member("blue-gpu01", "linux"))
    return Snapshot(folder, "blue", members, tuple(records))


def test_nothing_tells_whose_it_is(snapshot: Snapshot, tmp_path: Path) -> None:
    copy = anonymise(snapshot, tmp_path / "copy")
    files = [path for path in (tmp_path / "copy").rglob("*") if path.is_file()]
    everything = "".join(path.read_text() + str(path.relative_to(tmp_path)) for path in files)
    for word in ("blue", "hunter2", "10.100", "0a64", "MT2233", "0c:42:a1"):
        assert word not in everything
    assert len(files) == 3
    assert read_snapshot(tmp_path / "copy") == copy


def test_an_address_and_its_gid_stay_the_same_address(snapshot: Snapshot, tmp_path: Path) -> None:
    copy = anonymise(snapshot, tmp_path / "copy")
    config, gids = (copy.documents(member.name)[0].text for member in copy.members)
    assert "Ethernet0|198.18.0.2/24" in config
    assert "0000:0000:0000:0000:0000:ffff:c612:0002" in gids
    assert gids.endswith("0.0.0.0 127.0.0.1\n")


def test_equal_things_get_equal_replacements_and_others_do_not() -> None:
    cleaner = Anonymiser()
    text = cleaner.clean("10.0.0.1 10.0.0.2 10.0.0.1 aa:bb:cc:dd:ee:01 AA:BB:CC:DD:EE:01")
    first, second, again, mac, mac_again = text.split()
    assert (first, mac) == (again, mac_again)
    assert first != second


@pytest.mark.parametrize("text", ["12:30:45", "counters: 3", "PG|Ethernet0:3", "1.2.3", "a::b::c"])
def test_what_is_no_address_stays(text: str) -> None:
    assert Anonymiser().clean(text) == text


def test_the_copy_needs_a_folder_of_its_own(snapshot: Snapshot) -> None:
    with pytest.raises(InputError, match="needs a folder of its own"):
        anonymise(snapshot, snapshot.folder)
