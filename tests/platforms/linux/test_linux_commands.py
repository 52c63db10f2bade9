"""Reading never changes a host, and every output that is asked for is understood."""

import pytest

from netcheck.collect.collector import expand
from netcheck.model.device import Device, LinkLayer, RdmaDevice
from netcheck.model.document import Document, DocumentKind
from netcheck.model.frozenmap import FrozenMap
from netcheck.platforms.linux.apply import holdings
from netcheck.platforms.linux.commands import commands, is_read_only
from netcheck.platforms.linux.forms import form_of

HOST = Device("gpu01")


def _lines() -> list[str]:
    every = (*commands(HOST), *holdings(HOST))
    return sorted({one.line.format(port="rail0", rdma="mlx5_0") for one in every})


@pytest.mark.parametrize("line", _lines())
def test_every_command_is_on_the_allow_list(line: str) -> None:
    assert is_read_only(line)


@pytest.mark.parametrize(
    "line",
    [
        "mlnx_qos -i rail0 --pfc 0,0,0,0,0,0,0,0",
        "mlnx_qos -i rail0 --trust dscp",
        "mlnx_qos -i rail0; reboot",
        "mlnx_qos -i $(reboot)",
        "mlnx_qos -i rail0\nreboot",
        "mlnx_qos -i -f",
        "ethtool -A rail0 rx off",
        "ethtool -s rail0",
        "cat /etc/shadow",
        "cat /etc/netcheck/roce/../../shadow.sh",
        "grep -rH . /sys/class/net/rail0/ecn > /etc/passwd",
        "sudo cma_roce_tos -d mlx5_0 -p 1 -t 0",
        "sudo reboot",
        "",
    ],
)
def test_nothing_else_is(line: str) -> None:
    assert not is_read_only(line)


def _asked() -> list[str]:
    return [one.line.format(port="rail0", rdma="mlx5_0") for one in commands(HOST)]


@pytest.mark.parametrize("line", _asked())
def test_the_output_of_every_command_has_a_reader(line: str) -> None:
    assert form_of(Document("x", "", line)) is not None


BROADCOM = Device(
    "gpu01", rdma=FrozenMap({"bnxt_re0": RdmaDevice("bnxt_re0", ("eth1",), driver="bnxt")})
)


def test_adapters_of_other_drivers_are_asked_through_the_kernel() -> None:
    lines = [one.line.format(port="eth1", rdma="bnxt_re0") for one in commands(BROADCOM)]
    assert "dcb -j pfc show dev eth1" in lines
    assert not [line for line in lines if "mlnx_qos" in line or "/ecn" in line]
    assert [line for line in lines if not is_read_only(line)] == []


def test_file_names_in_a_snapshot_are_unique() -> None:
    files = [one.file for one in commands(HOST)]
    assert len(set(files)) == len(files)


def test_perf_reads_counters_their_boot_and_their_ports() -> None:
    counted = [one.file for one in commands(HOST) if one.kind is DocumentKind.COUNTERS]
    assert counted == [
        "boot_id.txt",
        "rdma_link.json",
        "ip_link_{port}.json",
        "ethtool_S_{port}.txt",
        "hw_counters_{rdma}.txt",
    ]


ADAPTERS = {
    "mlx5_0": RdmaDevice("mlx5_0", ("rail0",), driver="mlx5"),
    "mlx5_1": RdmaDevice("mlx5_1", ("ib0",), driver="mlx5", link_layer=LinkLayer.INFINIBAND),
}


def test_an_infiniband_adapter_is_asked_for_its_counters_alone() -> None:
    both = Device("gpu01", rdma=FrozenMap(ADAPTERS))
    lines = [one.line for command in commands(both) for one in expand(command, both)]
    of_infiniband = [line for line in lines if "mlx5_1" in line or "ib0" in line]
    folder = "/sys/class/infiniband/mlx5_1/ports/1"
    assert of_infiniband == [f"grep -rH . {folder}/{name}" for name in ("counters", "hw_counters")]
    assert [line for line in lines if not is_read_only(line)] == []


def test_a_host_without_infiniband_is_not_asked_for_it() -> None:
    roce = Device("gpu01", rdma=FrozenMap({"mlx5_0": ADAPTERS["mlx5_0"]}))
    assert [one.line for one in commands(roce)] == [one.line for one in commands(HOST)]
