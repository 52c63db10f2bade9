import json
from collections.abc import Mapping
from pathlib import Path

import pytest

from netcheck.collect.cluster import DeviceDocuments
from netcheck.collect.grouping import Gathered, gather
from netcheck.collect.snapshot import Answer, Member, Record, Snapshot, write_manifest
from netcheck.model.document import DocumentKind
from netcheck.model.errors import InputError

# synthetic, in the format of mlnx_qos
MLNX_QOS = """\
DCBX mode: OS controlled
Priority trust state: {trust}
PFC configuration:
\tpriority    0   1   2   3   4   5   6   7
\tenabled     0   0   0   1   0   0   0   0
"""
TRAFFIC_CLASS = "# cat /sys/class/infiniband/mlx5_2/tc/1/traffic_class\nGlobal tclass=104\n"
POOLS = {"BUFFER_POOL": {"egress_lossless_pool": {"type": "egress", "mode": "static"}}}
CABLES = {"CABLE_LENGTH": {"AZURE": {"Ethernet0": "5m"}}}
INTENT = "netcheck: 1\nname: one\nroce: {policies: {p: {classes: {rdma: {priority: 3}}}}}\n"


def write(folder: Path, files: Mapping[str, object]) -> Path:
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        text = content if isinstance(content, str) else json.dumps(content, indent=1)
        path.write_text(text, encoding="utf-8")
    return folder


def sorted_files(device: DeviceDocuments) -> list[str]:
    return sorted(Path(item.document.name).name for item in device.loaded().items)


def shape(given: Gathered) -> dict[str, list[str]]:
    return {device.name: sorted_files(device) for device in given.devices}


def qos(trust: str = "dscp") -> str:
    return MLNX_QOS.format(trust=trust)


def test_a_second_file_of_a_kind_is_a_second_device_named_by_what_differs(tmp_path: Path) -> None:
    write(tmp_path, {"mlnx_qos_server.txt": qos(), "mlnx_qos_client.txt": qos("pcp")})
    assert shape(gather([tmp_path])) == {
        "client": ["mlnx_qos_client.txt"],
        "server": ["mlnx_qos_server.txt"],
    }


def test_a_file_that_carries_the_part_belongs_to_that_device(tmp_path: Path) -> None:
    files = {
        "mlnx_qos_server.txt": qos(),
        "mlnx_qos_client.txt": qos(),
        "traffic_class_server.txt": TRAFFIC_CLASS,
    }
    assert shape(gather([write(tmp_path, files)])) == {
        "client": ["mlnx_qos_client.txt"],
        "server": ["mlnx_qos_server.txt", "traffic_class_server.txt"],
    }


def test_a_file_that_carries_no_part_belongs_to_all(tmp_path: Path) -> None:
    files = {
        "mlnx_qos_server.txt": qos(),
        "mlnx_qos_client.txt": qos(),
        "traffic_class.txt": TRAFFIC_CLASS,
    }
    assert shape(gather([write(tmp_path, files)])) == {
        "client": ["mlnx_qos_client.txt", "traffic_class.txt"],
        "server": ["mlnx_qos_server.txt", "traffic_class.txt"],
    }


def test_disjoint_tables_of_one_form_are_one_device_named_by_the_folder(tmp_path: Path) -> None:
    folder = write(tmp_path / "leaf01", {"pools.json": POOLS, "cables.json": CABLES})
    assert shape(gather([folder])) == {"leaf01": ["cables.json", "pools.json"]}


def test_files_of_different_platforms_are_different_devices(tmp_path: Path) -> None:
    given = gather([write(tmp_path / "rack", {"pools.json": POOLS, "mlnx_qos.txt": qos()})])
    assert {device.platform for device in given.devices} == {"linux", "sonic"}
    assert len({device.name for device in given.devices}) == 2


@pytest.mark.parametrize(
    ("first", "second"),
    [("qos_t0.txt", "qos_t1.txt"), ("qos.before.txt", "qos.after.txt"), ("t0/q.txt", "t1/q.txt")],
)
def test_two_moments_are_two_readings_of_one_device(
    tmp_path: Path, first: str, second: str
) -> None:
    [device] = gather([write(tmp_path / "gpu01", {first: qos(), second: qos()})]).devices
    assert device.name == "gpu01"
    assert sorted(item.document.reading for item in device.items) == [0, 1]


def test_a_transcript_is_split_by_its_commands_and_names_its_host(tmp_path: Path) -> None:
    text = f"root@gpu07:~# mlnx_qos -i rail0\n{qos()}root@gpu07:~# uptime\n up 3 days\n"
    given = gather([write(tmp_path, {"session.txt": text})])
    [device] = given.devices
    [item] = device.items
    assert (device.name, item.document.command) == ("gpu07", "mlnx_qos -i rail0")
    assert item.document.first_line == 2
    assert given.unrecognised == ((f"{tmp_path}/session.txt:7", "output of uptime"),)


def test_a_folder_of_folders_is_a_tree_of_devices(tmp_path: Path) -> None:
    files = {
        "leaf01/config_db.json": POOLS,
        "leaf02/config_db.json": POOLS,
        "gpu01/etc/mlnx_qos.txt": qos(),
        "inventory.json": {"all": {}},
    }
    given = gather([write(tmp_path, files)])
    assert sorted(shape(given)) == ["gpu01", "leaf01", "leaf02"]
    assert [name for name, _ in given.unrecognised] == [f"{tmp_path}/inventory.json"]


def test_files_named_one_by_one_are_told_apart_by_their_names(tmp_path: Path) -> None:
    write(tmp_path, {"leaf-1.json": POOLS, "leaf-2.json": POOLS})
    paths = [tmp_path / "leaf-1.json", tmp_path / "leaf-2.json"]
    assert sorted(shape(gather(paths))) == ["leaf-1", "leaf-2"]


def test_foreign_binary_and_unreadable_files_are_named_and_nothing_else_is_lost(
    tmp_path: Path,
) -> None:
    write(tmp_path, {"mlnx_qos.txt": qos(), "case.yaml": "intent: {mode: lossless}\n", "empty": ""})
    (tmp_path / "core.bin").write_bytes(b"\x7fELF\0\0\0")
    given = gather([tmp_path])
    assert len(given.devices) == 1
    assert dict(given.unrecognised) == {
        f"{tmp_path}/case.yaml": "",
        f"{tmp_path}/core.bin": "binary",
        f"{tmp_path}/empty": "empty",
    }


def test_each_intent_of_a_folder_stands_alone(tmp_path: Path) -> None:
    files = {"a.yaml": INTENT, "b.yaml": INTENT}
    assert gather([write(tmp_path, files)]).intents == (
        (f"{tmp_path}/a.yaml",),
        (f"{tmp_path}/b.yaml",),
    )


def test_files_named_one_by_one_are_one_intent_where_they_name_one_fabric(tmp_path: Path) -> None:
    other = INTENT.replace("name: one", "name: two")
    write(tmp_path, {"a.yaml": INTENT, "b.yaml": INTENT, "c.yaml": other})
    a, b, c = (tmp_path / name for name in ("a.yaml", "b.yaml", "c.yaml"))
    assert gather([a, b, c]).intents == ((str(a), str(b)), (str(c),))


def test_what_an_intent_includes_is_judged_with_it(tmp_path: Path) -> None:
    files = {
        "a.yaml": INTENT + "include:\n  - parts/hosts.yaml\n  - parts/links.yaml\n",
        "parts/hosts.yaml": "netcheck: 1\nname: one\n",
        "parts/links.yaml": "netcheck: 1\n",
    }
    assert gather([write(tmp_path, files)]).intents == ((f"{tmp_path}/a.yaml",),)


@pytest.mark.parametrize("text", ["", "netchek: 1\n", "a: [", "\0\0"])
def test_a_yaml_file_named_by_itself_is_taken_for_an_intent(tmp_path: Path, text: str) -> None:
    path = write(tmp_path, {"fabric.yaml": text}) / "fabric.yaml"
    assert gather([path]).intents == ((str(path),),)


def test_a_path_that_is_not_there_is_bad_input(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no such file or folder"):
        gather([tmp_path / "nothing"])


def test_a_path_that_no_file_can_have_is_told(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="File name too long"):
        gather([tmp_path / ("x" * 300)])


def test_a_snapshot_gives_its_devices_and_names_those_that_gave_nothing(tmp_path: Path) -> None:
    write(tmp_path, {"gpu01/mlnx_qos_rail0.txt": qos()})
    record = Record(
        "gpu01",
        "mlnx_qos -i rail0",
        "gpu01/mlnx_qos_rail0.txt",
        DocumentKind.STATE,
        Answer.HAD,
    )
    members = (
        Member("gpu01", "linux", is_reached=True),
        Member("gpu02", "linux", reason="timeout"),
    )
    write_manifest(Snapshot(tmp_path, "lab", members, (record,)))
    given = gather([tmp_path])
    assert shape(given) == {"gpu01": ["mlnx_qos_rail0.txt"]}
    assert given.unread == (("gpu02", "timeout"),)
    assert given.devices[0].loaded().items[0].document.command == "mlnx_qos -i rail0"


def test_a_damaged_json_file_is_named_with_what_is_wrong(tmp_path: Path) -> None:
    write(tmp_path, {"mlnx_qos.txt": qos(), "config_db.json": '{"PORT": {'})
    [(name, reason)] = gather([tmp_path]).unrecognised
    assert name == f"{tmp_path}/config_db.json"
    assert reason.startswith("not JSON: ")
