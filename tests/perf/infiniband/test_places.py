"""A discovered subnet in the names of the intent."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from netcheck.model.document import Document
from netcheck.model.fabric import Fabric, PortRef
from netcheck.model.infiniband import IbSubnet
from netcheck.model.known import read
from netcheck.model.paths import tier_of
from netcheck.perf.infiniband.places import Places, places_of
from netcheck.platforms.infiniband.parse import parse
from tests.perf.infiniband.subnet import Subnet, intent


def seen(change: Callable[[str], str] = str) -> IbSubnet:
    text = change(Subnet().answer("gpu01", "sudo ibnetdiscover").text)
    return read(parse([Document("x", text, "ibnetdiscover")], name="x").seen_subnet, "subnet")


def placed(fabric: Fabric, subnet: IbSubnet) -> Places:
    return places_of(fabric, fabric.subnets["train"], subnet)


def far_ends(found: Places) -> dict[str, str]:
    """Port of a switch that each host is cabled to."""
    return {
        link.a.device: str(link.b) for link in found.fabric.links if link.a.device.startswith("gpu")
    }


AS_PLANNED = {
    "gpu01": "ibleaf01 IB1/1",
    "gpu02": "ibleaf01 IB1/2",
    "gpu03": "ibleaf02 IB1/1",
    "gpu04": "ibleaf02 IB1/2",
}


def test_a_switch_without_a_name_is_the_one_that_the_cables_lead_to() -> None:
    found = placed(intent(), seen())
    assert far_ends(found) == AS_PLANNED
    assert PortRef("ibspine01", "IB1/2") in found.at
    assert found.at[PortRef("ibspine01", "IB1/2")].lid == 31


def test_so_are_all_switches_where_none_has_a_name() -> None:
    def unnamed(text: str) -> str:
        return text.replace('"ibleaf01"', '"MT4700"').replace('"ibleaf02"', '"MT4700"')

    assert far_ends(placed(intent(), seen(unnamed))) == AS_PLANNED


def test_adapters_without_a_guid_in_the_intent_go_by_their_descriptions(tmp_path: Path) -> None:
    def bare(text: str) -> str:
        said = '{"gpu[01-03]": full, gpu04: limited}'
        return text.replace(', guid: "0x0002c903000a000[1-4]"', "").replace(said, "{all: full}")

    assert far_ends(placed(intent(bare, tmp_path), seen())) == AS_PLANNED


def test_cables_are_where_they_are_and_not_where_they_were_meant(tmp_path: Path) -> None:
    def swapped(text: str) -> str:
        return (
            text.replace("gpu[01-02]:ib0", "gpu[03-04]:ib0 ")
            .replace('"gpu[03-04]:ib0"', '"gpu[01-02]:ib0"')
            .replace("gpu[03-04]:ib0 ", "gpu[03-04]:ib0")
        )

    fabric = intent(swapped, tmp_path)
    assert str(next(iter(fabric.links)).a) == "gpu03 ib0"
    assert far_ends(placed(fabric, seen())) == AS_PLANNED


@pytest.mark.parametrize(("name", "tier"), [("gpu01", 0), ("ibleaf01", 1), ("ibspine01", 2)])
def test_every_device_has_its_tier(name: str, tier: int) -> None:
    assert tier_of(placed(intent(), seen()).fabric, name) == tier


def test_rates_that_the_intent_does_not_say_are_those_that_were_seen(tmp_path: Path) -> None:
    bare = intent(lambda text: text.replace("speed: 200G, link_layer", "link_layer"), tmp_path)
    found = placed(bare, seen(lambda text: text.replace("4xHDR", "4xEDR")))
    assert found.fabric.devices["gpu01"].ports["ib0"].speed_bps == 100_000_000_000
