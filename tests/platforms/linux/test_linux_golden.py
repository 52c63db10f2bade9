"""The files of one host, as a person has read them.

Regenerate: python -m tests.platforms.linux.test_linux_golden
"""

import subprocess
from dataclasses import replace
from pathlib import Path

import pytest

from netcheck.model.device import CongestionControl, Device, HostFacts, Port, RdmaDevice
from netcheck.model.fabric import Fabric
from netcheck.model.frozenmap import FrozenMap
from netcheck.model.qos import (
    Buffer,
    DcbxMode,
    PortQos,
    Scheduler,
    SchedulerKind,
    Trust,
)
from netcheck.platforms.linux.render import render

GOLDEN = Path(__file__).parent / "golden"
SIZES = {0: 20_016, 3: 161_024}
QOS = PortQos(
    trust=Trust.DSCP,
    dscp_to_priority=FrozenMap({26: 3, 48: 6}),
    priority_to_queue=FrozenMap({n: n if n in {3, 6} else 0 for n in range(8)}),
    priority_to_priority_group=FrozenMap({n: 3 if n == 3 else 0 for n in range(8)}),
    pfc_rx=frozenset({3}),
    pfc_tx=frozenset({3}),
    dcbx_mode=DcbxMode.HOST,
    scheduler=FrozenMap(
        {
            0: Scheduler(SchedulerKind.WEIGHTED, 50),
            3: Scheduler(SchedulerKind.WEIGHTED, 50),
            6: Scheduler(SchedulerKind.STRICT),
        }
    ),
    ingress_buffer=FrozenMap({n: Buffer(size_bytes=SIZES.get(n, 0)) for n in range(8)}),
    global_pause_rx=False,
    global_pause_tx=False,
)
PORT = Port("rail0", speed_bps=400_000_000_000, ip_mtu=9000, cable_m=5, qos=QOS)
RDMA = RdmaDevice(
    "mlx5_0",
    ports=("rail0",),
    traffic_class=106,
    rdma_cm_tos=106,
    rdma_cm_roce_v2=True,
    congestion_control=CongestionControl(
        notification_point=frozenset({3}),
        reaction_point=frozenset({3}),
        cnp_dscp=48,
        cnp_pcp=6,
    ),
)
HOST = Device(
    "gpu01",
    ports=FrozenMap({"rail0": PORT, "rail1": replace(PORT, name="rail1")}),
    rdma=FrozenMap({"mlx5_0": RDMA, "mlx5_1": replace(RDMA, name="mlx5_1", ports=("rail1",))}),
    host=HostFacts(
        environment=FrozenMap(
            {"NCCL_IB_TC": "106", "NCCL_IB_HCA": "mlx5_0,mlx5_1", "UCX_IB_TRAFFIC_CLASS": "106"}
        )
    ),
)


def test_a_host_is_rendered_as_it_was_read() -> None:
    files = render(HOST, Fabric("f"))
    assert sorted(files) == sorted(path.name for path in GOLDEN.iterdir())
    assert {name: (GOLDEN / name).read_text() for name in files} == dict(files)


@pytest.mark.parametrize("name", ["rail0.sh", "rail1.sh", "netcheck-roce.profile.sh"])
def test_the_shell_accepts_what_is_rendered(name: str) -> None:
    checked = subprocess.run(["/bin/sh", "-n", GOLDEN / name], capture_output=True, check=False)
    assert (checked.returncode, checked.stderr) == (0, b"")


if __name__ == "__main__":
    GOLDEN.mkdir(exist_ok=True)
    for name, text in render(HOST, Fabric("f")).items():
        (GOLDEN / name).write_text(text)
