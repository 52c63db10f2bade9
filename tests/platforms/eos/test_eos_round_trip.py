"""What is rendered for EOS reads back as what was said: no fact lost, changed or made up."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

import pytest
from hypothesis import given, settings

from netcheck.model.device import Device, Port
from netcheck.model.frozenmap import FrozenMap
from netcheck.model.known import ABSENT, UNKNOWN
from netcheck.model.qos import PortQos
from netcheck.platforms.eos.render import refusals, render
from tests.platforms.comparison import disagreements
from tests.platforms.eos.eos_policies import switches
from tests.platforms.eos.eos_switch import BORDER_QOS, FABRIC, LOSSLESS_QOS, leaf, port, read
from tests.platforms.strategies import RELAXED

# Facts that follow from others on EOS, or that a section which does not state them has by default.
DERIVED: Final = frozenset(
    {
        "dscp_to_priority",  # maps are the switch's
        "pcp_to_priority",
        "priority_to_queue",
        "remark_dscp",
        "remark_pcp",
        "priority_to_priority_group",  # from the no-drop priorities
        "pfc_priority_to_queue",
        "pfc_priority_to_priority_group",
        "ingress_buffer",
        "pfc_rx",  # off where a profile does not switch it on
        "pfc_tx",
        "pfc_mode",
        "dcbx_mode",
        "dcbx_willing",
        "global_pause_rx",
        "global_pause_tx",
        "priorities",  # of the watchdog: those whose queue has guaranteed bandwidth
        "is_headroom_computed",
        "l2_mtu",
        "ip_mtu",
    }
)

COMPUTED: Final = {"is_headroom_computed": UNKNOWN}

# Facts that stand in maps of the switch, or nowhere.
OF_THE_SWITCH: Final = (
    "dscp_to_priority",
    "pcp_to_priority",
    "priority_to_queue",
    "remark_dscp",
    "remark_pcp",
    "pfc_priority_to_queue",
    "pfc_priority_to_priority_group",
    "dcbx_willing",
)


def differences(device: Device) -> list[str]:
    """Everything that did not come back as it was said."""
    text = render(device, FABRIC)["running-config.txt"]
    found = read(text)
    assert found.defects == ()
    # without a command a text is no configuration, and tells nothing of the switch
    whole = device.qos[""] if text.strip() != "!" else replace(device.qos[""], **COMPUTED)
    places = list(disagreements(whole, found.qos[""], "device", derived=DERIVED))
    for name, said in device.ports.items():
        other = found.ports.get(name)
        if other is None:
            # a port of which nothing is said by name has no section
            places += [] if _is_silent(said) else [f"{name}: lost"]
            continue
        places += disagreements(said.qos, other.qos, name, derived=DERIVED)
        places += disagreements(said.l2_mtu, other.l2_mtu, f"{name} l2_mtu", derived=DERIVED)
        places += disagreements(said.ip_mtu, other.ip_mtu, f"{name} ip_mtu", derived=DERIVED)
    return places


def _is_silent(port: Port) -> bool:
    """Whether nothing is said that stands with the port's name."""
    elsewhere = dict.fromkeys(OF_THE_SWITCH, UNKNOWN)
    return port.l2_mtu is UNKNOWN and replace(port.qos, **elsewhere) == PortQos()


@settings(RELAXED, max_examples=60)
@given(switches())
def test_every_policy_that_eos_can_express_reads_back_as_it_was_said(device: Device) -> None:
    assert refusals(device, FABRIC) == []
    assert differences(device) == []


@pytest.mark.slow
@settings(RELAXED, max_examples=300, derandomize=False)
@given(switches())
def test_many_more_policies_of_eos_read_back_as_they_were_said(device: Device) -> None:
    assert refusals(device, FABRIC) == []
    assert differences(device) == []


def test_a_switch_of_which_nothing_is_rendered_reads_back_as_unknown() -> None:
    silent = replace(leaf(), ports=FrozenMap({"Ethernet1/1": Port("Ethernet1/1")}))
    assert render(silent, FABRIC)["running-config.txt"] == "!\n"
    assert differences(silent) == []


def test_the_lossless_eos_leaf_reads_back_as_it_was_said() -> None:
    assert differences(leaf()) == []


def test_an_eos_port_where_rdma_ends_pauses_nothing() -> None:
    device = leaf(port("Ethernet1/1"), port("Ethernet2/1", BORDER_QOS))
    assert differences(device) == []


def test_one_policy_at_two_speeds_has_two_eos_profiles() -> None:
    slow = replace(LOSSLESS_QOS, ecn=ABSENT)
    device = leaf(port("Ethernet1/1"), port("Ethernet2/1", slow, 100_000_000_000))
    text = render(device, FABRIC)["running-config.txt"]
    assert "   service-profile backend_400g" in text
    assert "   service-profile backend_100g" in text
    assert differences(device) == []


def test_a_policy_called_as_an_eos_profile_of_another_has_a_profile_of_its_own() -> None:
    slow = replace(LOSSLESS_QOS, ecn=ABSENT)
    named = replace(port("Ethernet3/1", BORDER_QOS), policy="backend_400g")
    device = leaf(port("Ethernet1/1"), port("Ethernet2/1", slow, 100_000_000_000), named)
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
def test_the_comparison_of_eos_sees_a_fact_that_changed(changed: PortQos) -> None:
    assert list(disagreements(LOSSLESS_QOS, changed, "port", derived=frozenset()))
