"""A small lab without processes: one leaf, two hosts with two ports, set up by hand."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

from netcheck.lab.building import Building
from netcheck.lab.devices.device import SimulatedDevice
from netcheck.lab.devices.linux.host import LinuxHost
from netcheck.lab.devices.shell import Shell, ShellExit, Streams
from netcheck.lab.devices.sonic.state import SonicSwitch
from netcheck.lab.topology import LabCable, LabDevice, LabPort, LabRdma, Topology

SPEED = 400_000_000_000
PORTS = ("Ethernet0", "Ethernet8", "Ethernet16", "Ethernet24")


def topology() -> Topology:
    """One leaf; each host has rail0 and rail1 on it."""
    leaf = LabDevice("leaf01", "sonic", "leaf", ports=tuple(LabPort(p, SPEED) for p in PORTS))
    hosts = tuple(
        LabDevice(
            f"gpu{number:02}",
            "linux",
            "host",
            ports=tuple(LabPort(f"rail{r}", SPEED, f"10.10{r}.0.{number}/24") for r in range(2)),
            rdma=tuple(LabRdma(f"mlx5_{r}", f"rail{r}") for r in range(2)),
        )
        for number in (1, 2)
    )
    ends = [("gpu01", "rail0"), ("gpu01", "rail1"), ("gpu02", "rail0"), ("gpu02", "rail1")]
    cables = tuple(LabCable(end, ("leaf01", port)) for end, port in zip(ends, PORTS, strict=True))
    return Topology("tiny", (leaf, *hosts), cables)


def build(folder: Path) -> Building:
    """Build the lab below a folder."""
    names = ("leaf01", "gpu01", "gpu02")
    return Building(topology(), folder, {n: f"127.77.0.{i + 1}" for i, n in enumerate(names)})


def sh(device: SimulatedDevice, line: str, *, user: str = "root") -> tuple[str, int]:
    """Run a line in a new shell; give its output (both streams) and status."""
    return asyncio.run(run(device, line, user=user))


async def run(device: SimulatedDevice, line: str, *, user: str = "root") -> tuple[str, int]:
    """Run a line in a new shell, in a running loop."""
    shell = device.new_shell()
    if isinstance(shell, Shell):
        shell.user = user
    held: list[str] = []
    try:
        status = await shell.run(line, Streams(held.append, held.append))
    except ShellExit as end:
        status = end.status
    return "".join(held), status


def switch_of(building: Building) -> SonicSwitch:
    """The lab's switch."""
    device = building.devices["leaf01"]
    assert isinstance(device, SonicSwitch)
    return device


def host_of(building: Building, name: str) -> LinuxHost:
    """One of the lab's hosts."""
    device = building.devices[name]
    assert isinstance(device, LinuxHost)
    return device


def lossless_tables() -> dict[str, dict[str, dict[str, str]]]:
    """What an operator adds to the factory configuration for one lossless class."""
    dscps = {str(d): "3" if d == 26 else "6" if d == 48 else "0" for d in range(64)}
    same = {str(n): str(n) for n in range(8)}
    wred = {"ecn": "ecn_all", "wred_green_enable": "true", "green_min_threshold": "1600000"}
    wred |= {"green_max_threshold": "6400000", "green_drop_probability": "20"}
    profile = {"pool": "ingress_lossless_pool", "xon": "19456", "xoff": "98304"}
    binding = {"dscp_to_tc_map": "m", "tc_to_queue_map": "m", "tc_to_pg_map": "m"}
    binding |= {"pfc_to_queue_map": "m", "pfc_enable": "3", "pfcwd_sw_enable": "3"}
    queues = {"0": {"scheduler": "half"}, "3": {"scheduler": "half", "wred_profile": "w"}}
    return {
        "DSCP_TO_TC_MAP": {"m": dscps},
        "TC_TO_QUEUE_MAP": {"m": same},
        "TC_TO_PRIORITY_GROUP_MAP": {"m": {**dict.fromkeys(same, "0"), "3": "3"}},
        "MAP_PFC_PRIORITY_TO_QUEUE": {"m": same},
        "CABLE_LENGTH": {"AZURE": dict.fromkeys(PORTS, "5m")},
        "SCHEDULER": {"half": {"type": "DWRR", "weight": "50"}, "first": {"type": "STRICT"}},
        "WRED_PROFILE": {"w": wred},
        "QUEUE": {f"{p}|{q}": row for p in PORTS for q, row in queues.items()}
        | {f"{p}|6": {"scheduler": "first"} for p in PORTS},
        "PORT_QOS_MAP": {p: dict(binding) for p in PORTS},
        "BUFFER_PROFILE": {"mine": {**profile, "size": "117760", "dynamic_th": "0"}},
        "BUFFER_PG": {f"{p}|3": {"profile": "mine"} for p in PORTS},
        "PFC_WD": {
            p: {"action": "drop", "detection_time": "200", "restoration_time": "400"} for p in PORTS
        },
        "FLEX_COUNTER_TABLE": {
            name: {"FLEX_COUNTER_STATUS": "enable"}
            for name in ("PG_DROP", "PFCWD", "WRED_ECN_QUEUE", "PG_WATERMARK", "PORT", "QUEUE")
        },
    }


HOST_SETUP = """set -eu
ip link set dev {0} mtu 9000
mlnx_qos -i {0} --trust dscp
mlnx_qos -i {0} --pfc 0,0,0,1,0,0,0,0 --prio_tc 0,0,0,3,0,0,6,0
mlnx_qos -i {0} --tsa ets,strict,strict,ets,strict,strict,strict,strict --tcbw 50,0,0,50,0,0,0,0
echo 1 > /sys/class/net/{0}/ecn/roce_np/enable/3
echo 1 > /sys/class/net/{0}/ecn/roce_rp/enable/3
"""


def set_up(building: Building) -> None:
    """Configure the lab as an operator would: a file and a reload, and scripts."""
    switch = switch_of(building)
    tables = {**switch.config}
    for table, rows in lossless_tables().items():
        tables[table] = {**tables.get(table, {}), **rows}
    for port in PORTS:
        tables["PORT"][port]["mtu"] = "9216"
    switch.files.write("/root/new.json", json.dumps(tables), user="root")
    output, status = sh(switch, "install -m 0644 /root/new.json /etc/sonic/config_db.json")
    assert status == 0, output
    output, status = sh(switch, "config reload -y")
    assert status == 0, output
    for name in ("gpu01", "gpu02"):
        for rail in ("rail0", "rail1"):
            output, status = sh(building.devices[name], HOST_SETUP.format(rail))
            assert status == 0, output
