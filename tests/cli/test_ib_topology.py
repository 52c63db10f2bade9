"""``netcheck ib topology`` and ``netcheck lint`` of what a subnet shows."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cli.conftest import Ended
from tests.platforms.infiniband import infiniband_texts as texts

Run = Callable[..., Ended]

INTENT = """\
netcheck: 1
name: tiny
infiniband:
  subnets:
    compute: {}
devices:
  leaf[1-2]: {role: leaf, ports: {"[1-8]": {link_layer: infiniband}}}
  spine1: {role: spine, ports: {"[1-8]": {link_layer: infiniband}}}
  gpu[1-2]: {role: host, rdma: {mlx5_0: {port: ib0, link_layer: infiniband}}}
  gpu3: {role: host, rdma: {mlx5_0: {port: [ib0, ib1], link_layer: infiniband}}}
links:
  - {a: "gpu[1-2]:ib0", b: "leaf1:[1-2]"}
  - {a: "gpu3:ib1", b: "leaf2:1"}
  - {a: "leaf[1-2]:5", b: "spine1:[1-2]"}
"""


@pytest.fixture
def dump(tmp_path: Path) -> Path:
    file = tmp_path / "ibnetdiscover.txt"
    file.write_text(texts.TOPOLOGY.replace("1xHDR", "4xHDR").replace("4xEDR", "4xHDR"))
    return file


@pytest.fixture
def intent(tmp_path: Path) -> Path:
    file = tmp_path / "intent.yaml"
    file.write_text(INTENT)
    return file


def test_a_subnet_as_intended_gives_the_files(
    netcheck: Run, tmp_path: Path, dump: Path, intent: Path
) -> None:
    ended = netcheck("ib", "topology", dump, "--intent", intent, "-o", tmp_path / "out")
    assert ended.code == 0, ended.out
    assert (tmp_path / "out" / "topology.conf").read_text().splitlines()[1:] == [
        "SwitchName=leaf1 Nodes=gpu[1-2]",
        "SwitchName=leaf2 Nodes=gpu3",
        "SwitchName=tier2 Switches=leaf[1-2]",
    ]
    assert {path.name for path in (tmp_path / "out").iterdir()} == {
        "topology.conf",
        "hosts.txt",
        "nccl.conf",
    }


def test_an_intent_alone_gives_the_plan(netcheck: Run, tmp_path: Path, intent: Path) -> None:
    ended = netcheck("ib", "topology", intent, "-o", tmp_path / "out")
    assert ended.code == 0, ended.out
    assert "SwitchName=leaf2 Nodes=gpu3" in (tmp_path / "out" / "topology.conf").read_text()


def test_a_miscabled_subnet_gives_findings_and_no_file(
    netcheck: Run, tmp_path: Path, dump: Path, intent: Path
) -> None:
    swapped = INTENT.replace('"leaf1:[1-2]"', '"leaf1:[2,1]"')
    intent.write_text(swapped)
    ended = netcheck("ib", "topology", dump, "--intent", intent, "-o", tmp_path / "out")
    assert ended.code == 1
    assert "ib-topology-vs-intent" in ended.out
    assert not (tmp_path / "out").exists()


def test_what_holds_no_subnet_is_bad_input(netcheck: Run, tmp_path: Path) -> None:
    file = tmp_path / "other.txt"
    file.write_text("nothing of the kind\n")
    ended = netcheck("ib", "topology", file, "-o", tmp_path / "out")
    assert ended.code == 2
    assert "no InfiniBand subnet" in ended.err


def test_lint_names_a_subnet_that_is_cut(netcheck: Run, dump: Path) -> None:
    dump.write_text(dump.read_text()[:1300])
    ended = netcheck("lint", dump)
    assert ended.code == 1
    assert "value-malformed" in ended.out
    assert "Traceback" not in ended.out + ended.err


def test_lint_judges_links_and_counters_together(
    netcheck: Run, tmp_path: Path, dump: Path, intent: Path
) -> None:
    dump.write_text(texts.TOPOLOGY)
    (tmp_path / "errors.txt").write_text(texts.ERRORS)
    intent.rename(tmp_path / "plan.yaml")
    folder = tmp_path / "taken"
    folder.mkdir()
    for name in ("ibnetdiscover.txt", "errors.txt"):
        (tmp_path / name).rename(folder / name)
    ended = netcheck("lint", folder, "--intent", tmp_path / "plan.yaml")
    assert ended.code == 1
    for rule in ("ib-link-width-speed", "ib-packets-discarded", "ib-link-errors"):
        assert rule in ended.out
