"""Stored model values come back equal, and damage is told."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from netcheck.deploy.codec import decode, encode
from netcheck.model.device import AdminState, Device, Port, RdmaDevice
from netcheck.model.errors import InputError
from netcheck.model.frozenmap import FrozenMap
from netcheck.model.known import ABSENT, UNKNOWN
from netcheck.model.qos import Ecn, PortQos, Scheduler, SchedulerKind, Trust
from netcheck.platforms.platform import Change, Impact, Removal, Run, Upload

CHANGE = Change(
    objects=(("PORT_QOS_MAP|Ethernet0", "", "{}"),),
    removals=(Removal("QUEUE|Ethernet0|3"),),
    steps=(Upload("/etc/x", "ä\n", 0o600), Run("config reload -y", 300.0)),
    impact=Impact.PORT,
)


def through(kind: type, value: object) -> Any:  # Any: of the kind that was given
    return decode(kind, json.loads(json.dumps(encode(value))), "here")


def test_a_change_comes_back_equal() -> None:
    assert through(Change, CHANGE) == CHANGE


QOS = PortQos(
    trust=Trust.DSCP,
    dscp_to_priority=FrozenMap({26: 3, 48: 6}),
    pfc_rx=frozenset({3}),
    pfc_tx=ABSENT,
    scheduler=FrozenMap({3: Scheduler(SchedulerKind.STRICT)}),
    ecn=FrozenMap({3: Ecn()}),
    global_pause_rx=False,
)


@pytest.mark.parametrize("qos", [QOS, PortQos()])
def test_a_policy_comes_back_equal(qos: PortQos) -> None:
    assert through(PortQos, qos) == qos


@given(st.dictionaries(st.integers(0, 63), st.integers(0, 7)))
def test_any_map_comes_back_equal(items: dict[int, int]) -> None:
    qos = PortQos(dscp_to_priority=FrozenMap(items))
    assert through(PortQos, qos) == qos


def test_a_device_keeps_unknown_and_absent_apart() -> None:
    device = Device(
        "leaf01",
        platform="sonic",
        mgmt=ABSENT,
        ports=FrozenMap({"Ethernet0": Port("Ethernet0", admin_state=AdminState.UP, policy=ABSENT)}),
        rdma=FrozenMap({"mlx5_0": RdmaDevice("mlx5_0", ports=("rail0",), gids=())}),
    )
    again = through(Device, device)
    assert again == device
    assert (again.mgmt, again.model) == (ABSENT, UNKNOWN)


@pytest.mark.parametrize(
    "data",
    [
        {},
        [],
        "text",
        {"class": "Device"},
        {"class": "Change", "steps": [{"class": "Delete", "path": "/"}]},
        {"class": "Change", "steps": {}},
        {"class": "Change", "impact": "total"},
        {"class": "Change", "surprise": 1},
        {"class": "Change", "steps": [{"class": "Run", "line": 7}]},
    ],
)
def test_damage_is_bad_input_with_its_place(data: object) -> None:
    with pytest.raises(InputError, match=r"^here: not a stored Change"):
        decode(Change, data, "here")


def test_what_the_model_does_not_use_is_not_stored() -> None:
    with pytest.raises(TypeError, match="object cannot be stored"):
        encode(object())
