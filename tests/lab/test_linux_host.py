from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.lab.labs import build, host_of, set_up, sh

EIGHT = "0,0,0,1,0,0,0,0"


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ("--pfc 0,0,1", "pfc list must have 8 items"),
        ("--tcbw 50,50", "tcbw list must have 8 items"),
        (
            "--tsa ets,ets,strict,strict,strict,strict,strict,strict --tcbw 50,40,0,0,0,0,0,0",
            "Invalid argument",
        ),
        ("--trust dscp --dscp2prio set,26,3", "cannot be used together"),
        ("--dscp2prio set,64,3", "invalid value 64"),
        ("--trust both", "trust state should be"),
    ],
)
def test_mlnx_qos_refuses_with_status_1(tmp_path: Path, options: str, says: str) -> None:
    output, status = sh(build(tmp_path).devices["gpu01"], f"mlnx_qos -i rail0 {options}")
    assert status == 1
    assert says in output


def test_what_was_set_before_a_refused_pair_stays(tmp_path: Path) -> None:
    host = host_of(build(tmp_path), "gpu01")
    line = f"mlnx_qos -i rail0 --pfc {EIGHT} --trust dscp --dscp2prio set,26,3"
    assert sh(host, line)[1] == 1
    assert host.adapters["rail0"].pfc == [False, False, False, True] + [False] * 4


def test_mlnx_qos_prints_what_upstream_prints(tmp_path: Path) -> None:
    host = build(tmp_path).devices["gpu01"]
    output, status = sh(host, f"mlnx_qos -i rail0 --dscp2prio set,26,5 --pfc {EIGHT}")
    lines = output.splitlines()
    assert status == 0
    assert lines[:2] == ["DCBX mode: OS controlled", "Priority trust state: dscp"]
    assert "\tprio:5 dscp:46,45,44,43,42,41,40,26," in lines
    assert "\tenabled     0   0   0   1   0   0   0   0   " in lines
    assert "tc: 1 ratelimit: unlimited, tsa: vendor" in lines


def test_pfc_ends_global_pause_and_shows_its_counters(tmp_path: Path) -> None:
    host = build(tmp_path).devices["gpu01"]
    assert "rx_prio3_pause" not in sh(host, "ethtool -S rail0")[0]
    sh(host, f"mlnx_qos -i rail0 --pfc {EIGHT}")
    assert "rx_prio3_pause: 0" in sh(host, "ethtool -S rail0")[0]
    assert sh(host, "ethtool -a rail0 | grep -c on$") == ("0\n", 1)


def test_dcb_reads_what_mlnx_qos_set(tmp_path: Path) -> None:
    host = build(tmp_path).devices["gpu01"]
    sh(host, f"mlnx_qos -i rail0 --pfc {EIGHT} --dscp2prio set,26,3")
    pfc = json.loads(sh(host, "dcb -j pfc show dev rail0")[0])
    app = json.loads(sh(host, "dcb -j app show dev rail0")[0])
    assert pfc["prio_pfc"] == [False, False, False, True, False, False, False, False]
    assert [26, 3] in app["dscp_prio"]
    assert sh(host, "dcb pfc show dev nosuch") == ("Attribute read: No such device\n", 1)


@pytest.mark.parametrize(
    ("mtu", "payload"), [(1500, 1024), (2200, 2048), (4200, 4096), (9000, 4096)]
)
def test_the_rdma_mtu_follows_the_netdev(tmp_path: Path, mtu: int, payload: int) -> None:
    host = build(tmp_path).devices["gpu01"]
    sh(host, f"ip link set dev rail0 mtu {mtu}")
    assert f"active_mtu:\t\t{payload} " in sh(host, "ibv_devinfo -d mlx5_0")[0]


def test_a_bad_value_for_a_kernel_file_is_an_error(tmp_path: Path) -> None:
    host = build(tmp_path).devices["gpu01"]
    output, status = sh(host, "echo 64 > /sys/class/net/rail0/ecn/roce_np/cnp_dscp")
    assert (output, status) == ("-bash: echo: write error: Invalid argument\n", 1)
    assert sh(host, "cat /sys/class/net/rail0/ecn/roce_np/cnp_dscp") == ("48\n", 0)


def test_unused_gid_entries_answer_with_an_error(tmp_path: Path) -> None:
    host = build(tmp_path).devices["gpu01"]
    base = "/sys/class/infiniband/mlx5_0/ports/1"
    assert sh(host, f"cat {base}/gids/3")[0].endswith("ffff:0a64:0001\n")
    assert sh(host, f"cat {base}/gid_attrs/types/9") == (
        f"cat: {base}/gid_attrs/types/9: Invalid argument\n",
        1,
    )


def test_a_unit_runs_its_script(tmp_path: Path) -> None:
    host = build(tmp_path).devices["gpu01"]
    host.files.write("/etc/set-up.sh", f"mlnx_qos -i rail0 --pfc {EIGHT}\n", user="root")
    unit = "[Service]\nExecStart=/bin/sh /etc/set-up.sh\n"
    host.files.write("/etc/systemd/system/roce@.service", unit, user="root")
    assert sh(host, "systemctl is-enabled roce@rail0") == ("disabled\n", 1)
    assert sh(host, "systemctl daemon-reload && systemctl enable --now roce@rail0")[1] == 0
    assert sh(host, "systemctl is-enabled roce@rail0") == ("enabled\n", 0)
    assert sh(host, "mlnx_qos -i rail0 -P 3") == ("1\n", 0)
    host.files.write("/etc/set-up.sh", "set -e\nfalse\n", user="root")
    assert sh(host, "systemctl restart roce@rail0")[1] == 1


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ("-d nosuch", " IB device nosuch not found"),
        ("-q 0", " num of Qps should be between 1 and 16384"),
        ("-x 200", " Gid index should be between 0 and 64"),
        ("-T 106", " TOS only valid for rdma_cm"),
        ("--bogus", "unrecognized option '--bogus'"),
        ("--version", "Version: 6.06"),
        ("gpu02", " Couldn't connect to gpu02:18515"),
    ],
)
def test_perftest_refuses_with_status_1(tmp_path: Path, options: str, says: str) -> None:
    output, status = sh(build(tmp_path).devices["gpu01"], f"ib_write_bw {options}")
    assert status == 1
    assert says in output


def test_swapped_cables_show_in_lldp(tmp_path: Path) -> None:
    building = build(tmp_path)
    set_up(building)
    building.swap_cables(0, 2)
    found = json.loads(sh(building.devices["gpu01"], "lldpctl -f json")[0])
    first = found["lldp"]["interface"][0]["rail0"]
    assert first["port"]["id"]["value"] == "Ethernet16"
