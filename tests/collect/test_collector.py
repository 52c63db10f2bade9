"""Collecting: read-only, byte-exact, whole, and honest about what was not had."""

from __future__ import annotations

import json
import pickle
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from netcheck.collect import collector
from netcheck.collect.collector import collect, expand, read_counters
from netcheck.collect.fanout import Pace
from netcheck.collect.session import Output
from netcheck.collect.slices import merge_snapshots, slice_of
from netcheck.collect.snapshot import Answer, output_path, read_snapshot
from netcheck.collect.target import Target
from netcheck.model.device import Device, Port, RdmaDevice
from netcheck.model.document import DocumentKind
from netcheck.model.errors import InputError, TransportError
from netcheck.model.fabric import Credentials, Fabric
from netcheck.model.frozenmap import FrozenMap
from netcheck.platforms.platform import Command, load

HOSTILE = ("rail0; reboot", "$(reboot)", "`reboot`", "rail0\nreboot", "a b", "..", "-i", "'", "")


@dataclass
class FakeSession:
    """Answers by table; remembers what it was sent."""

    target: Target
    answers: dict[str, Output]
    sent: list[str] = field(default_factory=list)

    def run(self, line: str, timeout: float = 0) -> Output:
        assert timeout > 0
        self.sent.append(line)
        if line in self.answers:
            return self.answers[line]
        return Output(f"{self.target.device}: {line}\r\n\udcff\n", 0)

    def run_each(self, lines: Sequence[str], timeout: float) -> Iterator[Output]:
        yield from (self.run(line, timeout) for line in lines)


def make_fabric(*names: str, port: str = "rail0", platform: str = "linux") -> Fabric:
    devices = {
        name: Device(
            name,
            platform=platform,
            mgmt="192.0.2.1",
            credentials="lab",
            ports=FrozenMap({port: Port(port)}),
            rdma=FrozenMap({"mlx5_0": RdmaDevice("mlx5_0", ports=(port,))}),
        )
        for name in names
    }
    login = Credentials("lab", "admin", password="env:NETCHECK_PASSWORD")
    return Fabric("train", devices=FrozenMap(devices), credentials=FrozenMap({"lab": login}))


@pytest.fixture
def sessions(monkeypatch: pytest.MonkeyPatch) -> list[FakeSession]:
    """Replace sessions by fakes; a device named ``dead*`` cannot be reached."""
    opened: list[FakeSession] = []

    @contextmanager
    def connect(target: Target, *, deadline_s: float) -> Iterator[FakeSession]:
        assert deadline_s > 0
        if target.device.startswith("dead"):
            raise TransportError(f"{target.device} {target.host}: no answer")
        opened.append(FakeSession(target, {"mlnx_qos -i rail0": Output("not supported\n", 1)}))
        yield opened[-1]

    monkeypatch.setattr(collector, "Session", connect)
    return opened


def test_outputs_are_kept_byte_by_byte(sessions: list[FakeSession], tmp_path: Path) -> None:
    collect(make_fabric("gpu01"), tmp_path)
    assert sessions
    content = (tmp_path / "gpu01" / "rdma_link.json").read_bytes()
    assert content == b"gpu01: rdma -j link show\r\n\xff\n"


def test_the_manifest_lists_what_was_had_and_what_was_not(
    sessions: list[FakeSession], tmp_path: Path
) -> None:
    collect(make_fabric("gpu01", "dead01"), tmp_path)
    snapshot = read_snapshot(tmp_path)
    failed = [record for record in snapshot.records if record.answer is Answer.FAILED]
    assert [(r.device, r.command, r.status, r.reason) for r in failed] == [
        ("gpu01", "mlnx_qos -i rail0", 1, "not supported")
    ]
    assert [(m.name, m.reason) for m in snapshot.unreachable()] == [
        ("dead01", "dead01 192.0.2.1: no answer")
    ]
    asked = {record.command for record in snapshot.records if record.device == "dead01"}
    assert asked == {record.command for record in snapshot.records if record.device == "gpu01"}
    assert len(sessions) == 1


def test_every_file_that_the_manifest_lists_is_there(
    sessions: list[FakeSession], tmp_path: Path
) -> None:
    snapshot = collect(make_fabric("gpu01", "gpu02"), tmp_path)
    listed = {r.file for r in snapshot.records if r.answer is Answer.HAD}
    there = {str(path.relative_to(tmp_path)) for path in tmp_path.rglob("*") if path.is_file()}
    assert there == listed | {"manifest.json"}
    assert len(sessions) == 2


def test_a_second_reading_of_counters_joins_the_first(
    sessions: list[FakeSession], tmp_path: Path
) -> None:
    fabric = make_fabric("gpu01")
    first = collect(fabric, tmp_path)
    collect(fabric, tmp_path, kinds={DocumentKind.COUNTERS}, reading=1)
    snapshot = read_snapshot(tmp_path)
    counters = [r for r in first.records if r.kind is DocumentKind.COUNTERS]
    assert [r.command for r in snapshot.records if r.reading == 1] == [r.command for r in counters]
    assert len(snapshot.documents("gpu01", 0)) == len(first.documents("gpu01"))
    assert {d.reading for d in snapshot.documents("gpu01", 1)} == {1}
    assert len(sessions) == 2


def test_a_new_first_reading_leaves_nothing_of_the_older_one(
    sessions: list[FakeSession], tmp_path: Path
) -> None:
    collect(make_fabric("gpu01", "gpu02"), tmp_path)
    collect(make_fabric("gpu01"), tmp_path)
    assert [path.parent.name for path in tmp_path.glob("*/boot_id.txt")] == ["gpu01"]
    assert len(sessions) == 3


def test_a_second_reading_without_a_first_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no snapshot to add reading 1 to"):
        collect(make_fabric("gpu01"), tmp_path, reading=1)


@pytest.mark.parametrize("platform", ["linux", "sonic"])
@pytest.mark.parametrize("name", HOSTILE)
def test_nothing_outside_the_allow_list_is_ever_sent(
    sessions: list[FakeSession], tmp_path: Path, name: str, platform: str
) -> None:
    fabric = make_fabric("gpu01", port=name, platform=platform)
    snapshot = collect(fabric, tmp_path / "out")
    is_read_only = load(platform).reading.is_read_only
    assert sessions[0].sent
    assert all(is_read_only(line) for line in sessions[0].sent)
    assert not any("reboot" in line for line in sessions[0].sent)
    refused = [record for record in snapshot.records if record.answer is Answer.REFUSED]
    assert all(name in record.command for record in refused)


@pytest.mark.parametrize("name", ["../../etc", "/etc/passwd", ".", "a/b", "", "\x00", "x\ny"])
def test_a_hostile_device_name_stays_inside_the_snapshot(
    sessions: list[FakeSession], tmp_path: Path, name: str
) -> None:
    folder = tmp_path / "deep" / "snapshot"
    collect(make_fabric(name), folder)
    assert sessions
    written = {path for path in tmp_path.rglob("*") if path.is_file()}
    assert written
    assert all(path.resolve().is_relative_to(folder.resolve()) for path in written)


def test_safe_names_are_reversible_and_distinct() -> None:
    names = ["a/b", "a%2Fb", "a b", ".", "..", "Ethernet1/1", "Ethernet1_1", ""]
    assert len({output_path(name, "x", 0) for name in names}) == len(names)


def test_placeholders_stand_for_rdma_ports_and_devices() -> None:
    device = make_fabric("gpu01").devices["gpu01"]
    command = Command("ethtool {port}", "ethtool_{port}.txt", DocumentKind.STATE)
    assert [(one.line, one.file) for one in expand(command, device)] == [
        ("ethtool rail0", "ethtool_rail0.txt")
    ]


def test_counters_in_memory_are_counters_alone(sessions: list[FakeSession]) -> None:
    device = make_fabric("gpu01").devices["gpu01"]
    target = Target("gpu01", "192.0.2.1", "admin", "linux")
    session = FakeSession(target, {})
    documents = read_counters(session, device, reading=1)  # type: ignore[arg-type] # a fake
    wanted = [c for c in load("linux").reading.commands(device) if c.kind is DocumentKind.COUNTERS]
    assert len(documents) == len(wanted)
    assert {document.reading for document in documents} == {1}
    assert not sessions


def test_work_travels_to_other_machines() -> None:
    fabric = make_fabric("gpu01")
    order = collector._order(fabric, "gpu01", frozenset({DocumentKind.STATE}), 0, Pace())
    assert pickle.loads(pickle.dumps(order)) == order  # noqa: S301 -- our own


def test_slices_are_disjoint_and_complete() -> None:
    names = [f"gpu{number:02}" for number in range(11)]
    parts = [slice_of(names, f"{index}/3") for index in (1, 2, 3)]
    assert sorted(name for part in parts for name in part) == names


@pytest.mark.parametrize("part", ["0/3", "4/3", "1", "a/b", "1/0"])
def test_a_slice_that_is_none_is_refused(part: str) -> None:
    with pytest.raises(InputError, match="slice expected i/n"):
        slice_of(["a"], part)


def test_merged_slices_equal_one_collection(sessions: list[FakeSession], tmp_path: Path) -> None:
    fabric = make_fabric("gpu01", "gpu02", "gpu03")
    whole = collect(fabric, tmp_path / "whole")
    parts = []
    for index in (1, 2):
        chosen = slice_of(list(fabric.devices), f"{index}/2")
        parts.append(collect(fabric, tmp_path / str(index), devices=chosen).folder)
    merged = merge_snapshots(parts, tmp_path / "merged")
    assert {(r.device, r.file, r.answer) for r in merged.records} == {
        (r.device, r.file, r.answer) for r in whole.records
    }
    for record in whole.records:
        if record.answer is Answer.HAD:
            assert (merged.folder / record.file).read_bytes() == (
                whole.folder / record.file
            ).read_bytes()
    assert len(sessions) == 6


def test_a_manifest_that_points_outside_is_refused(tmp_path: Path) -> None:
    record = {
        "device": "a", "command": "b", "file": "../../etc/passwd", "kind": "config",
        "answer": "had",
    }  # fmt: skip
    manifest = {"version": 1, "fabric": "x", "devices": [], "records": [record]}
    (tmp_path / "manifest.json").write_text(json.dumps(manifest))
    with pytest.raises(InputError, match="outside the snapshot"):
        read_snapshot(tmp_path)


@pytest.mark.parametrize(
    "text", ["", "{", "[]", '{"version": 2}', '{"version": 1}', '{"version": 1, "fabric": 1}']
)
def test_a_damaged_manifest_is_bad_input(tmp_path: Path, text: str) -> None:
    (tmp_path / "manifest.json").write_text(text)
    with pytest.raises(InputError, match="manifest"):
        read_snapshot(tmp_path)


def test_a_device_without_an_address_is_recorded_not_raised(
    sessions: list[FakeSession], tmp_path: Path
) -> None:
    fabric = make_fabric("gpu01")
    bare = Device("gpu01", platform="linux", credentials="lab")
    snapshot = collect(
        Fabric("train", devices=FrozenMap({"gpu01": bare}), credentials=fabric.credentials),
        tmp_path,
    )
    assert [member.reason for member in snapshot.members] == [
        "device gpu01: mgmt (management address) is not said"
    ]
    assert not sessions
