"""No line that says something can go without the host reading differently."""

from dataclasses import replace

import pytest

from netcheck.model.device import Device
from netcheck.model.document import Document
from netcheck.model.frozenmap import FrozenMap
from netcheck.model.known import UNKNOWN
from netcheck.platforms.linux.parse import parse
from tests.platforms.linux import linux_texts as texts

HOST = {
    "mlnx_qos -i rail0": texts.QOS.partition("\n")[2],
    "grep -rH . /sys/class/net/rail0/ecn": texts.ECN,
    "grep -rsH . /sys/class/infiniband/mlx5_0/ports/1/gids": texts.GIDS,
    "ibv_devinfo -d mlx5_0": texts.DEVINFO,
    "ethtool rail0": texts.ETHTOOL,
    "ethtool -a rail0": texts.PAUSE,
    "ethtool -S rail0": texts.STATISTICS,
    "grep -rH . /sys/class/infiniband/mlx5_0/ports/1/hw_counters": texts.HW_COUNTERS,
    "cat /sys/class/infiniband/mlx5_0/tc/1/traffic_class": "Global tclass=106\n",
    "sudo cma_roce_tos -d mlx5_0 -p 1": "106\n",
    "sudo cma_roce_mode -d mlx5_0 -p 1": "RoCE v2\n",
    "systemctl is-enabled netcheck-roce@rail0.service 2>&1 || true": "enabled\n",
    "pgrep -c -x lldpad || true": "0\n",
    "cat /etc/nccl.conf": "NCCL_IB_TC=106\n",
}
# Headings, an empty slot, the age of a cache, one ring's counter: they say nothing by themselves.
SILENT = (
    "dscp2prio mapping:",
    "default priority:",
    "PFC configuration:",
    "Settings for rail0:",
    "Duplex: Full",
    "Pause parameters for rail0:",
    "Autonegotiate:",
    "NIC statistics:",
    "rx0_packets:",
    "hca_id:",
    "transport:",
    "phys_port_cnt:",
    "port:",
    "gids/4:0000:",
    "min_time_between_cnps:",
    "hw_counters/lifespan:",
)


def read(outputs: dict[str, str]) -> Device:
    documents = [Document(command, text, command) for command, text in outputs.items()]
    found = parse(documents, name="gpu01")
    return replace(found, evidence=FrozenMap(), defects=(), unread=())


LINES = [
    (command, number)
    for command, text in HOST.items()
    for number, line in enumerate(text.splitlines())
    if not any(part in line for part in SILENT)
]


@pytest.mark.parametrize(("command", "number"), LINES)
def test_a_line_that_is_gone_is_missed(command: str, number: int) -> None:
    lines = HOST[command].splitlines(keepends=True)
    text = "".join([*lines[:number], *lines[number + 1 :]])
    assert read({**HOST, command: text}) != read(HOST)


def test_without_damage_nothing_is_wrong() -> None:
    documents = [Document(command, text, command) for command, text in HOST.items()]
    assert parse(documents, name="gpu01").defects == ()


@pytest.mark.parametrize(
    ("command", "text", "expected"),
    [
        ("dcb -j app show dev rail0", "{}", FrozenMap()),
        ("dcb -j app show dev rail0", '{"default_prio":[0]}', FrozenMap()),
        ("dcb -j app show dev rail0 default-prio", '{"default_prio":[0]}', UNKNOWN),
        ("dcb -j app show dev rail0", '{"dscp_prio":[[26,3]]}', FrozenMap({26: 3})),
        ("dcb -j dcbx show dev rail0", '{"host":true}', UNKNOWN),
    ],
)
def test_a_table_that_dcb_does_not_print_has_no_entry(
    command: str, text: str, expected: object
) -> None:
    found = parse([Document("dcb_app_rail0.json", text, command)], name="gpu01")
    held = found.ports["rail0"].qos.dscp_to_priority if found.ports else UNKNOWN
    assert held == expected
    assert found.defects == ()
