"""What is rendered reads back as what was said: no fact lost, changed or made up."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Final

import pytest
from hypothesis import given, settings

from netcheck.model.device import Device
from netcheck.model.document import Document
from netcheck.model.frozenmap import FrozenMap
from netcheck.model.known import ABSENT, UNKNOWN, Missing
from netcheck.model.qos import DeviceQos, PortQos
from netcheck.platforms.sonic.parse import parse
from netcheck.platforms.sonic.render import refusals, render
from tests.platforms.comparison import disagreements as compare
from tests.platforms.sonic.sonic_policies import switches
from tests.platforms.sonic.sonic_switch import FABRIC, LOSSLESS_QOS, leaf
from tests.platforms.strategies import RELAXED

# Facts that SONiC derives from others, so that a reader knows them though nobody said them.
DERIVED: Final = frozenset(
    {
        "trust",  # from the maps that are bound
        "pfc_mode",  # from the list of priorities
        "dcbx_mode",  # there is none
        "dcbx_willing",
        "global_pause_rx",  # there is no switch for it
        "global_pause_tx",
        "profile",  # every account has a named profile
        "is_lossless",  # from the headroom, or from the name of an egress profile
        "is_computed",
        "buffer_profiles",  # all that is rendered
        "ecn_profiles",
        "counters_enabled",  # those that prove losslessness
    }
)
PORT_FACTS: Final = ("l2_mtu", "cable_m")
disagreements = partial(compare, derived=DERIVED)


def read_back(device: Device) -> Device:
    """What the parser makes of what was rendered."""
    text = render(device, FABRIC)["config_db.json"]
    return parse([Document("config_db.json", text)], name=device.name)


def differences(device: Device) -> list[str]:
    """Everything that did not come back as it was said."""
    found = read_back(device)
    places = list(disagreements(device.qos[""], found.qos.get("", DeviceQos()), "device"))
    for name, port in device.ports.items():
        other = found.ports.get(name)
        if other is None:
            places += [] if port.qos == type(port.qos)() else [f"{name}: lost"]
            continue
        places += disagreements(port.qos, _as_far_as_said(port.qos, other.qos), name)
        for fact in PORT_FACTS:
            places += disagreements(getattr(port, fact), getattr(other, fact), f"{name} {fact}")
    return places


def _as_far_as_said(said: PortQos, found: PortQos) -> PortQos:
    """Leave out what the device adds by itself where nobody said anything of it.

    In the traditional model that is a lossless account for each PFC priority,
    in the dynamic one the pool and threshold of accounts that it computes.
    """
    accounts, wanted = found.ingress_buffer, said.ingress_buffer
    if isinstance(accounts, Missing) or wanted is ABSENT:
        return found
    if isinstance(wanted, Missing):
        pfc = frozenset() if isinstance(said.pfc_tx, Missing) else said.pfc_tx
        return replace(found, ingress_buffer=UNKNOWN) if accounts.keys() <= pfc else found
    plain = {
        number: replace(one, pool=UNKNOWN, threshold=UNKNOWN) if one.is_computed is True else one
        for number, one in accounts.items()
    }
    return replace(found, ingress_buffer=FrozenMap(plain))


def _holds(device: Device) -> None:
    assert refusals(device, FABRIC) == []
    assert differences(device) == []


@settings(RELAXED, max_examples=40)
@given(switches())
def test_every_policy_that_can_be_expressed_reads_back_as_it_was_said(device: Device) -> None:
    _holds(device)


@pytest.mark.slow
@settings(RELAXED, max_examples=600, derandomize=False)
@given(switches())
def test_many_more_policies_read_back_as_they_were_said(device: Device) -> None:
    _holds(device)


def test_the_lossless_leaf_reads_back_as_it_was_said() -> None:
    assert differences(leaf()) == []


def test_nothing_in_a_rendered_configuration_is_a_defect() -> None:
    assert read_back(leaf()).defects == ()


@pytest.mark.parametrize(
    "changed",
    [
        replace(LOSSLESS_QOS, pfc_tx=frozenset({4})),
        replace(LOSSLESS_QOS, dscp_to_priority=FrozenMap({26: 4})),
        replace(LOSSLESS_QOS, watchdog=ABSENT),
        replace(LOSSLESS_QOS, remark_dscp=FrozenMap({3: 26})),
    ],
)
def test_the_comparison_sees_a_fact_that_changed(changed: PortQos) -> None:
    assert list(disagreements(LOSSLESS_QOS, changed, "port"))
