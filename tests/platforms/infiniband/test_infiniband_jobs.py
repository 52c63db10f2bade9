"""What schedulers and libraries are told of a subnet."""

from __future__ import annotations

import pytest

from netcheck.lossless.seen import Seen
from netcheck.model.errors import InputError
from netcheck.model.infiniband import IbSubnet
from netcheck.platforms.infiniband.jobs import HEAD, hostlist, job_files
from tests.rules.subnet_world import subnet
from tests.rules.world import build


def told(*cables: str) -> dict[str, list[str]]:
    files = job_files(Seen("sub", subnet({"cables": cables}, build)))
    return {name: text.removeprefix(HEAD).splitlines() for name, text in files.items()}


TREE = (
    "gpu1 mlx5_0 - leaf1 1",
    "gpu2 mlx5_0 - leaf1 2",
    "gpu3 mlx5_0 - leaf2 1",
    "leaf1 5 - spine1 1",
    "leaf2 5 - spine1 2",
)


def test_leaves_that_share_a_switch_above_are_joined() -> None:
    assert told(*TREE)["topology.conf"] == [
        "SwitchName=leaf1 Nodes=gpu[1-2]",
        "SwitchName=leaf2 Nodes=gpu3",
        "SwitchName=tier2 Switches=leaf[1-2]",
    ]


def test_pods_are_joined_one_tier_higher() -> None:
    pods = (
        *TREE,
        "gpu4 mlx5_0 - leaf3 1",
        "gpu5 mlx5_0 - leaf4 1",
        "leaf3 5 - spine2 1",
        "leaf4 5 - spine2 2",
        "spine1 9 - core1 1",
        "spine2 9 - core1 2",
    )
    assert told(*pods)["topology.conf"][4:] == [
        "SwitchName=tier2_1 Switches=leaf[1-2]",
        "SwitchName=tier2_2 Switches=leaf[3-4]",
        "SwitchName=tier3 Switches=tier2_[1-2]",
    ]


def test_parts_without_a_cable_between_them_stay_apart() -> None:
    assert told("gpu1 mlx5_0 - leaf1 1", "gpu2 mlx5_0 - leaf2 1")["topology.conf"] == [
        "SwitchName=leaf1 Nodes=gpu1",
        "SwitchName=leaf2 Nodes=gpu2",
    ]


def test_a_host_on_rails_is_in_one_block_only() -> None:
    rails = (
        "gpu1 mlx5_0 - leaf1 1",
        "gpu1 mlx5_1 - leaf2 1",
        "gpu2 mlx5_0 - leaf1 2",
        "gpu2 mlx5_1 - leaf2 2",
        "leaf1 5 - spine1 1",
        "leaf2 5 - spine1 2",
    )
    files = told(*rails)
    assert files["topology.conf"] == ["SwitchName=leaf1_and_1 Nodes=gpu[1-2]"]
    assert "NCCL_IB_HCA=mlx5_0:1,mlx5_1:1" in files["nccl.conf"]
    assert "# NCCL_CROSS_NIC=2" in files["nccl.conf"]


def test_rails_of_their_own_are_not_to_be_crossed() -> None:
    rails = (
        "gpu1 mlx5_0 - leaf1 1",
        "gpu1 mlx5_1 - leaf2 1",
        "gpu2 mlx5_0 - leaf1 2",
        "gpu2 mlx5_1 - leaf2 2",
    )
    assert "NCCL_CROSS_NIC=0" in told(*rails)["nccl.conf"]


def test_hosts_stand_leaf_by_leaf() -> None:
    assert told(*TREE)["hosts.txt"] == ["gpu1", "gpu2", "gpu3"]


def test_a_subnet_without_hosts_tells_nothing() -> None:
    with pytest.raises(InputError, match="no hosts"):
        job_files(Seen("sub", IbSubnet()))


@pytest.mark.parametrize(
    ("names", "wanted"),
    [
        (["n1", "n2", "n3", "n5"], "n[1-3,5]"),
        (["n09", "n10"], "n[09-10]"),
        (["n9", "n10"], "n10,n9"),
        (["login", "n1"], "n1,login"),
    ],
)
def test_lists_of_hosts_are_written_as_slurm_takes_them(names: list[str], wanted: str) -> None:
    assert hostlist(names) == wanted
