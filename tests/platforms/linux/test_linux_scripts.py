"""Scripts that other people wrote, and where reading them ends."""

import os
import subprocess
from pathlib import Path

import pytest

from netcheck.model.device import DefectKind
from netcheck.model.document import Document
from netcheck.model.known import UNKNOWN
from netcheck.model.qos import DcbxMode, PortQos, Trust
from netcheck.platforms.linux.dcb_lines import dcb_lines
from netcheck.platforms.linux.parse import parse

SCRIPT = """\
#!/bin/bash
# RoCE on both ports
IF=ens1f0np0
DEV=mlx5_0
ethtool -A $IF rx off tx off
ip link set $IF mtu 9000
mlnx_qos -i ${IF} -d os --trust=dscp 2>/dev/null
sudo mlnx_qos -i $IF --pfc=0,0,0,1,0,0,0,0 > /dev/null 2>&1 || true
mlnx_qos -i $IF -F x,x,x,x,1,x,x,x; mlnx_qos -i $IF -p 0,1,2,3,4,5,6,7
mlnx_qos -i $IF --dscp2prio set,30,3 --dscp2prio set,26,3 --dscp2prio del,30,3
echo 106 > /sys/class/infiniband/$DEV/tc/1/traffic_class
cma_roce_tos -d $DEV -t 106
cma_roce_mode -d $DEV -p 1 -m 2
"""


def test_a_script_is_what_it_leaves_behind() -> None:
    found = parse([Document("roce.sh", SCRIPT)], name="gpu01")
    port, rdma = found.ports["ens1f0np0"], found.rdma["mlx5_0"]
    assert (port.ip_mtu, port.qos.trust, port.qos.dcbx_mode) == (9000, Trust.DSCP, DcbxMode.HOST)
    assert (port.qos.global_pause_rx, port.qos.global_pause_tx) == (False, False)
    assert port.qos.pfc_rx == port.qos.pfc_tx == frozenset({3, 4})
    assert port.qos.priority_to_queue == {n: n for n in range(8)}
    assert port.qos.dscp_to_priority == {26: 3}
    assert (rdma.traffic_class, rdma.rdma_cm_tos, rdma.rdma_cm_roce_v2) == (106, 106, True)
    assert found.defects == ()


@pytest.mark.parametrize(
    ("lines", "trust"),
    [
        (["--trust pcp", "--dscp2prio set,26,3"], Trust.DSCP),
        (["--dscp2prio set,26,3", "--trust pcp"], Trust.PCP),
        (["--trust pcp", "--dscp2prio del,26,3"], Trust.PCP),
    ],
)
def test_an_entry_set_after_trusting_pcp_makes_the_adapter_trust_dscp(
    lines: list[str], trust: Trust
) -> None:
    text = "".join(f"mlnx_qos -i rail0 {line}\n" for line in lines)
    found = parse([Document("roce.sh", f"#!/bin/sh\n{text}")], name="gpu01")
    assert found.ports["rail0"].qos.trust is trust
    assert found.defects == ()


@pytest.mark.parametrize(("failures", "status"), [(0, 0), (1, 0), (2, 1)])
def test_a_tool_that_fails_when_the_second_changes_is_asked_again(
    failures: int, status: int, tmp_path: Path
) -> None:
    calls = tmp_path / "calls"
    tool = tmp_path / "dcb"
    tool.write_text(f'#!/bin/sh\necho "$@" >> {calls}\n[ $(wc -l < {calls}) -gt {failures} ]\n')
    tool.chmod(0o755)
    (line,) = dcb_lines("rail0", PortQos(pfc_rx=frozenset({3})))
    script = f"set -eu\n{line}\n"
    path = f"{tmp_path}:{os.environ['PATH']}"
    ran = subprocess.run(["/bin/sh", "-c", script], env={"PATH": path}, check=False)
    assert ran.returncode == status
    call = "pfc set dev rail0 prio-pfc all:off 3:on"
    assert calls.read_text().splitlines() == [call] * min(failures + 1, 2)
    found = parse([Document("rail0.sh", f"#!/bin/sh\n{script}")], name="gpu01")
    assert found.ports["rail0"].qos.pfc_rx == frozenset({3})
    assert (found.defects, found.unread) == ((), ())


def test_the_later_command_counts_and_is_the_evidence() -> None:
    text = "mlnx_qos -i eth1 --trust pcp\nmlnx_qos -i eth1 --trust dscp\n"
    found = parse([Document("roce.sh", text)], name="gpu01")
    assert found.ports["eth1"].qos.trust is Trust.DSCP
    assert found.find_evidence("port eth1", "trust").line == 2


@pytest.mark.parametrize(
    "line",
    [
        "mlnx_qos -i eth1 --pfc 0,0,0,1",
        "mlnx_qos -i eth1 --pfc 0,0,0,3,0,0,0,0",
        "mlnx_qos -i eth1 --tc_bw 50,50,0,0,0,0,0,0",
        "mlnx_qos -i eth1 --tsa ets,ets,stri",
        "mlnx_qos -i eth1 --dscp2prio",
        "mlnx_qos -i eth1 --dscp2prio set,64,3",
        "mlnx_qos -i eth1 --dscp2prio put,6,3",
        "mlnx_qos -i eth1 --trust bot",
        "mlnx_qos -i eth1 --cable_len 70000",
        'mlnx_qos -i "$PORT" --trust "$TRUST"',
        "mlnx_qos --trust dscp",
        "mlnx_qos -i eth1 --trust 'dscp",
        "for p in eth1 eth2; do mlnx_qos -i $p --trust dscp; done",
        "cma_roce_tos -d mlx5_0 -t 300",
        "cma_roce_mode -d mlx5_0 -m 3",
        "echo 64 > /sys/class/net/eth1/ecn/roce_np/cnp_dscp",
        "ethtool -A eth1 rx of",
    ],
)
def test_a_command_the_tool_would_refuse_is_a_defect_and_no_fact(line: str) -> None:
    text = f"mlnx_qos -i eth0 --trust dscp\n{line}\n"
    found = parse([Document("roce.sh", text)], name="gpu01")
    assert [defect.evidence.line for defect in found.defects] == [2]
    assert set(found.ports) == {"eth0"}
    assert all(one.traffic_class is UNKNOWN for one in found.rdma.values())
    assert all(one.rdma_cm_roce_v2 is UNKNOWN for one in found.rdma.values())


def test_what_a_condition_guards_is_not_taken_for_done() -> None:
    text = (
        "if [ -d /sys/class/net/eth1 ]; then\n"
        "    mlnx_qos -i eth1 --trust dscp\n"
        "fi\n"
        "mlnx_qos -i eth0 --trust dscp\n"
    )
    found = parse([Document("roce.sh", text)], name="gpu01")
    assert set(found.ports) == {"eth0"}
    assert [defect.evidence.line for defect in found.defects] == [2]


def test_commands_of_no_interest_are_kept_as_unread() -> None:
    text = "mlnx_qos -i eth0 --trust dscp\nmodprobe mlx5_ib\nnvidia-smi -pm 1\n"
    found = parse([Document("roce.sh", text)], name="gpu01")
    assert [one.line for one in found.unread] == [3]
    assert found.defects == ()


def test_a_script_that_also_starts_the_job_gives_its_environment() -> None:
    text = (
        "mlnx_qos -i eth0 --trust dscp\n"
        "export NCCL_IB_GID_INDEX=1\n"
        "export NCCL_IB_GID_INDEX=3\n"
        "mpirun -x NCCL_IB_TC=106 ./train\n"
    )
    found = parse([Document("start.sh", text)], name="gpu01")
    assert found.host.environment == {"NCCL_IB_GID_INDEX": "3", "NCCL_IB_TC": "106"}
    assert found.ports["eth0"].qos.trust is Trust.DSCP


def test_reading_is_not_setting() -> None:
    text = "mlnx_qos -i eth0 --trust dscp\nmlnx_qos -i eth0\ncma_roce_tos -d mlx5_0\n"
    found = parse([Document("roce.sh", text)], name="gpu01")
    assert (found.defects, dict(found.rdma)) == ((), {})


LOOP = """\
for d in $(ls /sys/class/infiniband/); do
    netdev=$(cat /sys/class/infiniband/$d/ports/1/gid_attrs/ndevs/0)
    if [[ ! -z $netdev ]]; then
        mlnx_qos -i $netdev --pfc=0,0,0,1,0,0,0,0
        mlnx_qos -i ${netdev} --trust=pcp
    fi
done
"""


def test_a_loop_sets_every_adapter_alike() -> None:
    found = parse([Document("roce.sh", LOOP)], name="gpu01")
    qos = found.ports["netdev"].qos
    assert (qos.pfc_tx, qos.trust, found.defects) == (frozenset({3}), Trust.PCP, ())


def test_a_loop_that_chooses_is_not_read_but_told() -> None:
    choosing = LOOP.replace("    fi", "    else\n        mlnx_qos -i $netdev --trust=dscp\n    fi")
    found = parse([Document("roce.sh", choosing)], name="gpu01")
    assert (len(found.ports), {each.kind for each in found.defects}) == (
        0,
        {DefectKind.UNKNOWN_LINE},
    )


def test_a_traffic_class_may_be_written_with_its_name() -> None:
    line = 'echo "tclass=106" > /sys/class/infiniband/mlx5_0/tc/1/traffic_class\n'
    found = parse([Document("roce.sh", line)], name="gpu01")
    assert found.rdma["mlx5_0"].traffic_class == 106
