"""Topology files of an intent: what is written is what is read."""

from __future__ import annotations

from pathlib import Path

import pytest

from netcheck.intent.load import load_intent
from netcheck.lossless.planned import Planned
from netcheck.lossless.seen import Seen
from netcheck.model.cables import Cables, made_up_guid, with_guids
from netcheck.model.document import Document
from netcheck.model.errors import InputError
from netcheck.model.fabric import Fabric
from netcheck.model.known import is_known
from netcheck.platforms.infiniband.netfile import write_net
from netcheck.platforms.infiniband.parse import parse

HEAD = """\
netcheck: 1
name: tiny
infiniband:
  subnets:
    compute: {subnet_managers: [gpu1]}
devices:
  leaf[1-2]: {role: leaf, ports: {"[1-8]": {speed: 200G}}}
  spine1: {role: spine, guid: "0x10", model: MQM8700, ports: {"IB1/[1-8]": {speed: 200G}}}
  gpu[1-4]: {role: host, platform: linux, rdma: {mlx5_0: {port: ib0, link_layer: infiniband}}}
"""
LINKS = """\
links:
  - {a: "gpu[1-2]:ib0", b: "leaf1:[1-2]"}
  - {a: "gpu[3-4]:ib0", b: "leaf2:[1-2]"}
  - {a: "leaf[1-2]:8", b: "spine1:IB1/[1-2]"}
"""


def intent(tmp_path: Path, text: str) -> Fabric:
    file = tmp_path / "intent.yaml"
    file.write_text(text)
    return load_intent([file])


def seen(text: str) -> Seen:
    device = parse([Document("net", text)], name="net")
    assert device.defects == ()
    assert is_known(device.seen_subnet)
    return Seen("net", device.seen_subnet)


def test_every_link_of_the_intent_is_read_back_between_the_same_ports(tmp_path: Path) -> None:
    plan = intent(tmp_path, HEAD + LINKS)
    planned = Planned(seen(write_net(plan, "compute")), plan, Cables(plan))
    assert len(planned.links) == 6
    for link in planned.links:
        here, there = planned.end_of[link.a], planned.end_of[link.b]
        assert here is not None
        assert planned.seen.port(here).peer == there
        assert (planned.seen.port(here).width, planned.seen.port(here).speed) == (4, "HDR")


def test_a_switch_has_the_ports_that_the_intent_states(tmp_path: Path) -> None:
    found = seen(write_net(intent(tmp_path, HEAD + LINKS), "compute"))
    assert {node.device: node.port_count for node in found.switches} == {
        "leaf1": 8,
        "leaf2": 8,
        "spine1": 8,
    }


def test_guids_are_those_of_the_intent_else_made_of_the_names(tmp_path: Path) -> None:
    plan = intent(tmp_path, HEAD + LINKS)
    guids = {node.device: node.guid for node in seen(write_net(plan, "compute")).switches}
    assert guids == {"spine1": 0x10, "leaf1": made_up_guid("leaf1"), "leaf2": made_up_guid("leaf2")}
    assert write_net(with_guids(plan), "compute") == write_net(plan, "compute")


def test_what_a_simulator_does_not_know_is_written_as_its_fastest(tmp_path: Path) -> None:
    plan = intent(tmp_path, (HEAD + LINKS).replace("200G", "400G"))
    assert "4xNDR" in write_net(plan, "compute", fastest="NDR")
    assert "4xNDR" not in write_net(plan, "compute")


def test_each_of_two_subnets_gets_its_own_links(tmp_path: Path) -> None:
    head = HEAD.replace("compute: {", "storage: {subnet_managers: [gpu3]}\n    compute: {")
    links = LINKS.replace('  - {a: "leaf[1-2]:8", b: "spine1:IB1/[1-2]"}\n', "")
    plan = intent(tmp_path, head + links)
    assert [node.device for node in seen(write_net(plan, "storage")).hosts] == ["gpu3", "gpu4"]
    assert [node.device for node in seen(write_net(plan, "compute")).hosts] == ["gpu1", "gpu2"]


@pytest.mark.parametrize(
    ("links", "subnet", "message"),
    [
        ("", "compute", "no InfiniBand links"),
        (LINKS, "other", "subnet other: unknown; expected one of compute"),
    ],
)
def test_what_cannot_be_written_is_told(
    tmp_path: Path, links: str, subnet: str, message: str
) -> None:
    plan = intent(tmp_path, HEAD + links)
    with pytest.raises(InputError, match=message):
        write_net(plan, subnet)
