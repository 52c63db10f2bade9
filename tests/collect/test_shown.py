"""What an output should show and does not."""

from netcheck.collect.shown import Unshown, outputs, unshown
from netcheck.model.device import Device, Port, RdmaDevice
from netcheck.model.document import Document
from netcheck.model.frozenmap import FrozenMap
from netcheck.model.known import ABSENT, Known
from netcheck.platforms.platform import load

HOST = Device(
    "gpu01",
    ports=FrozenMap({"rail0": Port("rail0")}),
    rdma=FrozenMap({"mlx5_0": RdmaDevice("mlx5_0", ("rail0",))}),
)
SPEED = "operational_speed_bps"
DOWN = "Settings for rail0:\n\tLink detected: no\n"


def missing(file: str, command: str, text: str) -> list[Unshown]:
    document = Document(f"snapshot/gpu01/{file}", text, command)
    found = load("linux").parsing.parse([document], name="gpu01")
    return list(unshown("linux", [document], found, HOST))


def test_an_output_that_lost_a_line_lacks_its_fact() -> None:
    found = missing("ethtool_rail0.txt", "ethtool rail0", DOWN)
    assert found == [Unshown("rail0", SPEED, "ethtool_rail0.txt")]


def test_an_empty_output_lacks_all_its_facts() -> None:
    found = missing("ecn_rail0.txt", "grep -rH . /sys/class/net/rail0/ecn", "")
    assert [(each.port, each.fact) for each in found] == [
        ("mlx5_0", "notification_point"),
        ("mlx5_0", "reaction_point"),
        ("mlx5_0", "cnp_dscp"),
        ("mlx5_0", "cnp_pcp"),
    ]


def test_an_output_of_another_port_is_not_asked_for() -> None:
    assert missing("ethtool_eth7.txt", "ethtool eth7", "") == []


def test_a_fact_that_is_always_a_value_is_missing_where_it_is_absent() -> None:
    planned = Device("leaf01", ports=FrozenMap({"Ethernet0": Port("Ethernet0")}))
    document = Document("leaf01/appl_db_ports.json", "{}")

    def lacks_lanes(lanes: Known[int]) -> bool:
        port = Port("Ethernet0", lanes=lanes)
        found = Device("leaf01", ports=FrozenMap({"Ethernet0": port}))
        gaps = unshown("sonic", [document], found, planned)
        return any(each.fact == "lanes" for each in gaps)

    assert lacks_lanes(ABSENT)
    assert not lacks_lanes(4)


def test_every_listed_output_is_one_that_is_asked_for() -> None:
    for name in ("linux", "sonic"):
        asked = {command.file for command in load(name).reading.commands(HOST)}
        assert {output.file for output in outputs(name)} <= asked
