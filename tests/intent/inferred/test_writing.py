"""The text of an intent says what the fabric says, and is one that a person would write."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest

from netcheck.intent.complaint import Complaints
from netcheck.intent.inferred.layout import Tree, laid_out
from netcheck.intent.inferred.together import devices_together, links_together, ports_together
from netcheck.intent.inferred.writing import write_intent
from netcheck.intent.load import load_intent
from netcheck.intent.nodes import plain, read_nodes
from netcheck.model.device import Device
from netcheck.model.document import Evidence
from netcheck.model.fabric import Fabric, Link, Policy
from netcheck.model.frozenmap import FrozenMap
from netcheck.model.subnets import Subnet

ROOT = Path(__file__).parents[3]
EXAMPLES = [
    *(ROOT / "examples").glob("lab*.yaml"),
    ROOT / "examples" / "scopes.yaml",
    ROOT / "examples" / "mixed-ib.yaml",
    *(ROOT / "examples" / "presets").glob("*.yaml"),
]


def facts(fabric: Fabric) -> tuple[Mapping[str, Device], Mapping[str, Policy], set[Link]]:
    """What is written of a fabric; hosts' own settings are not."""
    nowhere = Evidence()
    devices = {
        name: replace(device, evidence=FrozenMap(), host=Device("").host)
        for name, device in fabric.devices.items()
    }
    policies = {name: replace(one, evidence=nowhere) for name, one in fabric.policies.items()}
    return devices, policies, {replace(one, evidence=nowhere) for one in fabric.links}


def without_places(subnets: Mapping[str, Subnet]) -> dict[str, Subnet]:
    nowhere = Evidence()
    found = {}
    for name, one in subnets.items():
        parts = {key: replace(part, evidence=nowhere) for key, part in one.partitions.items()}
        levels = {key: replace(part, evidence=nowhere) for key, part in one.qos_levels.items()}
        found[name] = replace(
            one, partitions=FrozenMap(parts), qos_levels=FrozenMap(levels), evidence=nowhere
        )
    return found


@pytest.mark.parametrize("path", sorted(EXAMPLES), ids=lambda path: path.stem)
def test_loading_the_text_gives_the_fabric_again(path: Path, tmp_path: Path) -> None:
    fabric = load_intent(path)
    target = tmp_path / "again.yaml"
    target.write_text(write_intent(fabric), encoding="utf-8")
    again = load_intent(target)
    assert facts(again) == facts(fabric)
    assert again.aggregates == fabric.aggregates
    assert again.credentials == fabric.credentials
    assert again.jobs == fabric.jobs
    assert without_places(again.subnets) == without_places(fabric.subnets)


def test_devices_alike_stand_under_one_range_and_addresses_run_with_it() -> None:
    devices: dict[str, Tree] = {
        f"gpu{number:02}": {"mgmt": f"192.0.2.{100 + number}", "role": "host"}
        for number in range(1, 17)
    }
    assert devices_together(devices) == {
        "gpu[01-16]": {"mgmt": "192.0.2.[101-116]", "role": "host"}
    }


def test_devices_whose_addresses_do_not_run_stand_alone() -> None:
    devices: dict[str, Tree] = {"a1": {"mgmt": "192.0.2.7"}, "a2": {"mgmt": "192.0.2.3"}}
    assert devices_together(devices) == devices


def test_ports_alike_stand_under_one_range_whatever_number_runs() -> None:
    ports: dict[str, Tree] = {f"Ethernet{number}/1": {"speed": "400G"} for number in range(1, 17)}
    assert ports_together(ports) == {"Ethernet[1-16]/1": {"speed": "400G"}}
    breakout: dict[str, Tree] = {f"Ethernet{cage}/{lane}": {} for cage in (1, 2) for lane in (1, 5)}
    written = ports_together(breakout)
    assert written == {"Ethernet1/[1,5]": {}, "Ethernet2/[1,5]": {}}


def test_a_port_that_differs_stands_alone() -> None:
    ports: dict[str, Tree] = {
        f"e{number}": {"speed": "100G" if number == 3 else "400G"} for number in range(1, 6)
    }
    assert ports_together(ports) == {"e[1-2,4-5]": {"speed": "400G"}, "e3": {"speed": "100G"}}


def test_links_of_one_switch_to_many_hosts_stand_in_one_line() -> None:
    links: list[Tree] = [
        {"a": f"gpu{number}:rail0", "b": f"leaf1:Ethernet{8 * number}", "cable": "5m"}
        for number in range(4)
    ]
    other: Tree = {"a": "leaf1:Ethernet64", "b": "spine1:Ethernet0", "cable": "40m"}
    joined: Tree = {"a": "gpu[0-3]:rail0", "b": "leaf1:Ethernet[0-24:8]", "cable": "5m"}
    assert links_together([*links, other]) == [joined, other]


def test_links_of_different_length_do_not_stand_together() -> None:
    links: list[Tree] = [
        {"a": "gpu1:rail0", "b": "leaf1:e1", "cable": "5m"},
        {"a": "gpu2:rail0", "b": "leaf1:e2", "cable": "7m"},
    ]
    assert links_together(links) == links


NUMBERS_AND_WORDS = ["on", "1", "1.5", "0x10", "null", "true", "~", "", "-1", "1e3"]
SIGNS = ["a: b", "#x", "{x}", "[1]", "- x", "leaf[01-02]", "'", '"', "*x", "&x", "!x", "%x"]
OTHERS = ["a b", "\u00e9", "2001:db8::1/64", "a\tb"]


@pytest.mark.parametrize("text", [*NUMBERS_AND_WORDS, *SIGNS, *OTHERS])
def test_every_text_stays_the_text_that_it_is(text: str) -> None:
    tree: dict[str, object] = {"name": text, "roce": {text or "x": {"trust": text}}}
    complaints = Complaints()
    node = read_nodes(laid_out(tree), "one.yaml", complaints)
    assert not list(complaints)
    assert plain(node) == tree
