"""Subnets that are found from files of their managers make managers hold the same."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from netcheck import api
from netcheck.collect.grouping import gather
from netcheck.intent.inferred.subnets import left_of
from netcheck.model.document import Evidence
from netcheck.model.known import UNKNOWN, is_known
from netcheck.model.subnet_manager import SmConfig, SmPartition
from netcheck.platforms.opensm.render import render_subnet

ROOT = Path(__file__).parents[3]
OPENSM = """\
m_key 0x1122334455667788
sm_priority 13
subnet_prefix 0xfe80000000000007
routing_engine updn,minhop
lmc 1
max_wire_smps 8
sweep_interval 10
qos TRUE
qos_high_limit 3
qos_sl2vl 0,1,2,3,0,0,0,0,0,0,0,0,0,0,0,15
qos_vlarb_high 0:64
qos_vlarb_low 1:32,2:32,1:8
"""
PARTITIONS = """\
Default=0x7fff, ipoib : ALL=limited, SELF=full ;
tenant=0x0a01, ipoib, sl=2 : 0x0002c90300000001=full, 0x0002c90300000002=limited ;
"""


def written(folder: Path, manager: str, **files: str) -> Path:
    place = folder / manager
    place.mkdir(parents=True)
    for name, text in files.items():
        (place / f"{name}.conf").write_text(text, encoding="utf-8")
    return folder


def held(folder: Path) -> SmConfig:
    (device,) = api.observe(gather([folder])).fabric.devices.values()
    assert is_known(device.subnet_manager)
    return device.subnet_manager


def by_name(config: SmConfig) -> dict[str, SmPartition]:
    assert is_known(config.partitions)
    nowhere = Evidence()
    return {
        one.name: replace(
            one,
            evidence=nowhere,
            members=tuple(
                sorted((replace(m, evidence=nowhere) for m in one.members), key=lambda m: m.name)
            ),
        )
        for one in config.partitions
    }


def test_managers_of_the_found_subnet_hold_what_they_held(tmp_path: Path) -> None:
    source = written(tmp_path / "held", "sm01", opensm=OPENSM, partitions=PARTITIONS)
    target = tmp_path / "found.yaml"
    report = api.import_paths([source], target)
    assert "subnet subnet: 2 partitions, served by sm01" in report.notes
    again = tmp_path / "again" / "sm01"
    again.mkdir(parents=True)
    fabric = api.load_completed(target)
    for name, text in render_subnet(fabric, "subnet", manager="sm01").items():
        (again / name).write_text(text, encoding="utf-8")
    first, second = held(source), held(again.parent)
    assert by_name(second) == by_name(first)
    assert is_known(first.options)
    assert is_known(second.options)
    names = {*first.options} - {"m_key", "sweep_interval"}  # a secret, and as it comes
    assert {name: second.options[name].value for name in names} == {
        name: first.options[name].value for name in names
    }


def test_a_secret_stays_behind_and_is_named(tmp_path: Path) -> None:
    source = written(tmp_path / "held", "sm01", opensm=OPENSM)
    target = tmp_path / "found.yaml"
    report = api.import_paths([source], target)
    assert "1122334455667788" not in target.read_text(encoding="utf-8") + str(report)
    assert "held, and not in the intent: m_key (sm01)" in report.notes


def test_what_the_build_does_by_itself_is_not_said(tmp_path: Path) -> None:
    source = written(tmp_path / "held", "sm01", opensm=OPENSM)
    target = tmp_path / "found.yaml"
    api.import_paths([source], target)
    subnet = api.load_intent(target).subnets["subnet"]
    assert "sweep_interval" not in subnet.options  # 10 s, as it comes
    assert subnet.options["max_wire_smps"] == "8"
    assert subnet.sl_to_vl == (0, 1, 2, 3, *[0] * 11, 15)
    assert subnet.vl_low is UNKNOWN  # lane 1 has two weights
    assert subnet.options["qos_vlarb_low"] == "1:32,2:32,1:8"


@pytest.mark.parametrize(("second", "count"), [("sm_priority 3\n", 1), ("lmc 2\n", 2)])
def test_managers_that_say_the_same_serve_one_subnet(
    second: str, count: int, tmp_path: Path
) -> None:
    written(tmp_path / "held", "sm01", opensm="sm_priority 14\n")
    source = written(tmp_path / "held", "sm02", opensm=second)
    target = tmp_path / "found.yaml"
    api.import_paths([source], target)
    subnets = api.load_intent(target).subnets
    assert len(subnets) == count
    if count == 1:
        assert subnets["subnet"].subnet_managers == ("sm01", "sm02")
        assert dict(subnets["subnet"].priorities) == {"sm01": 14, "sm02": 3}


def test_an_engine_that_no_build_knows_is_not_said(tmp_path: Path) -> None:
    source = written(tmp_path / "held", "sm01", opensm="routing_engine fattree,updn\n")
    target = tmp_path / "found.yaml"
    api.import_paths([source], target)
    assert api.load_intent(target).subnets["subnet"].routing == ("updn",)


def test_nothing_is_left_of_a_manager_that_says_nothing() -> None:
    assert list(left_of(SmConfig())) == []


def test_the_port_of_a_manager_and_a_partition_without_key_are_told(tmp_path: Path) -> None:
    options = f"guid 0x0002c903000b0001\n{OPENSM}"
    folder = written(tmp_path, "sm01", opensm=options, partitions=f"{PARTITIONS}odd : ALL ;\n")
    assert list(left_of(held(folder))) == ["partition odd", "guid", "m_key"]
