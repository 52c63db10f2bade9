"""Reading on several processors and on a cluster gives what reading here gives."""

from __future__ import annotations

import pickle
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest

from netcheck.collect.assemble import Reading, places, read
from netcheck.collect.cluster import DeviceDocuments
from netcheck.collect.grouping import gather
from netcheck.collect.parcel import packed, unpacked
from netcheck.collect.reading import read_all
from netcheck.collect.snapshot import Answer, Member, Record, Snapshot, write_manifest
from netcheck.model.document import DocumentKind
from netcheck.model.errors import InputError

ETHTOOL = "NIC statistics:\n     rx_prio3_pause: {}\n     tx_prio3_packets: 12\n"
MLNX_QOS = "DCBX mode: OS controlled\nPriority trust state: dscp\n"
NAMES = [f"gpu{number:02d}" for number in range(1, 9)]


@pytest.fixture
def given(tmp_path: Path) -> list[DeviceDocuments]:
    """Two readings of eight hosts in a snapshot."""
    records = []
    for number, name in enumerate(NAMES):
        for reading, file in ((0, "ethtool_S_rail0.txt"), (1, "reading-1/ethtool_S_rail0.txt")):
            path = tmp_path / name / file
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(ETHTOOL.format(number + 10 * reading))
            records.append(
                Record(
                    name,
                    "ethtool -S rail0",
                    f"{name}/{file}",
                    DocumentKind.COUNTERS,
                    Answer.HAD,
                    reading,
                )
            )
        (tmp_path / name / "mlnx_qos_rail0.txt").write_text(MLNX_QOS)
        records.append(
            Record(
                name,
                "mlnx_qos -i rail0",
                f"{name}/mlnx_qos_rail0.txt",
                DocumentKind.STATE,
                Answer.HAD,
            )
        )
    members = tuple(Member(name, "linux", is_reached=True) for name in NAMES)
    write_manifest(Snapshot(tmp_path, "lab", members, tuple(records)))
    return list(gather([tmp_path]).devices)


def shown(readings: list[Reading]) -> list[tuple[object, ...]]:
    return [
        (replace(each, before=None), each.device.evidence, each.device.counters, each.moved)
        for each in readings
    ]


def test_a_packed_reading_is_the_same_when_unpacked(given: list[DeviceDocuments]) -> None:
    before = read(given[3])
    after = unpacked(packed(before), lambda: before.device.evidence)
    assert shown([after]) == shown([before])
    assert hash(after.device.evidence) == hash(before.device.evidence)
    assert packed(after) == packed(before)


def test_processes_give_the_readings_in_order(given: list[DeviceDocuments]) -> None:
    here = list(read_all(given))
    shared = list(read_all(given, many=2))
    assert [each.device.name for each in shared] == NAMES
    assert shown(shared) == shown(here)


def test_an_executor_gives_the_readings_in_order(given: list[DeviceDocuments]) -> None:
    with ThreadPoolExecutor(2) as pool:
        assert shown(list(read_all(given, executor=pool))) == shown(list(read_all(given)))


ON_A_CLUSTER = """
import pickle, sys
from distributed import Client, LocalCluster
from netcheck.collect.grouping import gather
from netcheck.collect.parcel import packed
from netcheck.collect.reading import read_all

if __name__ == "__main__":
    given = gather([sys.argv[1]]).devices
    options = {"n_workers": 2, "threads_per_worker": 1, "dashboard_address": None}
    with LocalCluster(**options) as cluster, Client(cluster) as client:
        found = [packed(each) for each in read_all(given, executor=client.get_executor())]
    with open(sys.argv[2], "wb") as stream:
        pickle.dump(found, stream)
"""


@pytest.mark.slow
def test_two_workers_of_a_cluster_give_the_same(
    given: list[DeviceDocuments], tmp_path: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    pytest.importorskip(
        "distributed", reason="needs the extra 'cluster': pip install -e '.[cluster]'"
    )
    folder = tmp_path_factory.mktemp("cluster")
    script, out = folder / "on_a_cluster.py", folder / "found"
    script.write_text(ON_A_CLUSTER)
    # In a process of its own: what the cluster leaves open is not this process's.
    command = [sys.executable, str(script), str(tmp_path), str(out)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)
    assert done.returncode == 0, done.stderr
    data = pickle.loads(out.read_bytes())  # noqa: S301 -- written by ON_A_CLUSTER
    found = [
        unpacked(each, partial(places, own, own.name))
        for each, own in zip(data, given, strict=True)
    ]
    assert shown(found) == shown(list(read_all(given)))


@pytest.mark.parametrize("many", [2, 99])
def test_an_output_that_is_gone_is_told_by_name(given: list[DeviceDocuments], many: int) -> None:
    lost = Path(given[5].files[0])
    lost.unlink()
    with pytest.raises(InputError, match=rf"{lost.name}: listed in manifest.json"):
        list(read_all(given, many=many))
