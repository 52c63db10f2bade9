"""What is rendered reads back as what was said: no fact lost, changed or made up."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

import pytest
from hypothesis import given, settings

from netcheck.model.device import Device
from netcheck.model.document import Document
from netcheck.model.frozenmap import FrozenMap
from netcheck.model.known import ABSENT, UNKNOWN
from netcheck.model.qos import PortQos
from netcheck.platforms.cumulus.parse import parse
from netcheck.platforms.cumulus.render import refusals, render
from tests.platforms.comparison import disagreements
from tests.platforms.cumulus.cumulus_policies import switches
from tests.platforms.cumulus.cumulus_switch import BORDER_QOS, FABRIC, LOSSLESS_QOS, leaf, port
from tests.platforms.strategies import RELAXED

# Facts that follow from others on Cumulus Linux: a reader knows them though nobody said them.
DERIVED: Final = frozenset(
    {
        "dscp_to_priority",  # what is not trusted has the default map
        "pcp_to_priority",
        "pfc_mode",
        "dcbx_willing",  # never
        "global_pause_rx",  # link pause has one profile for both ways
        "global_pause_tx",
        "priority_to_priority_group",
        "pfc_priority_to_priority_group",
        "pfc_priority_to_queue",
        "priority_to_queue",  # one map for all ports
        "egress_buffer",
        "ingress_buffer",
        "threshold",
        "pool",
        "is_computed",
        "xoff_bytes",
        "restoration_ms",
        "pools",
        "is_headroom_computed",
        *(str(number) for number in range(8)),  # PFC priorities whose queue was not said
    }
)


def differences(device: Device) -> list[str]:
    """Everything that did not come back as it was said."""
    text = render(device, FABRIC)["startup.yaml"]
    found = parse([Document("startup.yaml", text)], name=device.name)
    assert found.defects == ()
    places = list(disagreements(device.qos[""], found.qos[""], "device", derived=DERIVED))
    for name, said in device.ports.items():
        other = found.ports.get(name)
        if other is None:
            # a port of which nothing is said by name has no section
            places += [] if _is_silent(said.qos) and said.l2_mtu is UNKNOWN else [f"{name}: lost"]
            continue
        places += disagreements(said.qos, other.qos, name, derived=DERIVED)
        for fact in ("l2_mtu", "cable_m"):
            values = getattr(said, fact), getattr(other, fact)
            places += disagreements(*values, f"{name} {fact}", derived=DERIVED)
    return places


def _is_silent(qos: PortQos) -> bool:
    """Whether nothing is said that stands with the port's name."""
    return replace(qos, priority_to_queue=UNKNOWN) == PortQos()


@settings(RELAXED, max_examples=60)
@given(switches())
def test_every_policy_that_nvue_can_express_reads_back_as_it_was_said(device: Device) -> None:
    assert refusals(device, FABRIC) == []
    assert differences(device) == []


@pytest.mark.slow
@settings(RELAXED, max_examples=600, derandomize=False)
@given(switches())
def test_many_more_policies_of_nvue_read_back_as_they_were_said(device: Device) -> None:
    assert refusals(device, FABRIC) == []
    assert differences(device) == []


def test_the_lossless_cumulus_leaf_reads_back_as_it_was_said() -> None:
    assert differences(leaf()) == []


def test_a_border_port_beside_lossless_ones_pauses_nothing() -> None:
    assert differences(leaf(port("swp1"), port("swp2", qos=BORDER_QOS))) == []


def test_cables_of_different_length_have_profiles_of_their_own() -> None:
    text = render(leaf(port("swp1"), port("swp2", cable_m=40)), FABRIC)["startup.yaml"]
    assert "profile: backend_5m" in text
    assert "profile: backend_40m" in text


def test_a_policy_called_as_a_profile_of_another_has_a_profile_of_its_own() -> None:
    named = replace(port("swp3", cable_m=7), policy="backend_40m")
    device = leaf(port("swp1"), port("swp2", cable_m=40), named)
    assert differences(device) == []


@pytest.mark.parametrize(
    "changed",
    [
        replace(LOSSLESS_QOS, pfc_tx=frozenset({4})),
        replace(LOSSLESS_QOS, dscp_to_priority=FrozenMap({26: 4})),
        replace(LOSSLESS_QOS, watchdog=ABSENT),
        replace(LOSSLESS_QOS, remark_dscp=FrozenMap({3: 26})),
    ],
)
def test_the_comparison_of_nvue_sees_a_fact_that_changed(changed: PortQos) -> None:
    assert list(disagreements(LOSSLESS_QOS, changed, "port", derived=DERIVED))
