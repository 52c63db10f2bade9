"""A switch takes every plan, from any policy to any other, and holds then what was rendered.

The simulated switch stands for the real one: it is written from the vendor's
documents, and refuses what they say is refused.
"""

from __future__ import annotations

import tempfile
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from netcheck.lab.devices.nxos.state import NxosSwitch
from netcheck.model.device import Device
from netcheck.model.fabric import Fabric
from netcheck.model.frozenmap import FrozenMap
from netcheck.model.known import UNKNOWN
from netcheck.platforms.nxos.apply import holdings, plan
from netcheck.platforms.nxos.render import render
from netcheck.platforms.platform import Run
from tests.lab.nxos.nxos_labs import build_lab, shown, switch_of, typed
from tests.platforms.nxos.nxos_policies import switches
from tests.platforms.strategies import RELAXED

FABRIC = Fabric("test")


@st.composite
def taken(draw: st.DrawFn) -> Device:
    """A switch whose ports have an MTU that ports in layer 2 take."""
    device = draw(switches())
    ports = {
        name: replace(port, l2_mtu=draw(st.sampled_from((UNKNOWN, 1500, 9216))))
        for name, port in device.ports.items()
    }
    return replace(device, ports=FrozenMap(ports))


def apply(switch: NxosSwitch, device: Device) -> list[str]:
    """Apply what is rendered; give what was refused and what a second plan would still do."""
    rendered = render(device, FABRIC)
    change = plan(device, rendered, held(switch, device))
    lines = [step.line for step in (*change.save, *change.steps) if isinstance(step, Run)]
    console = switch.new_shell()
    for line in lines:
        answers = typed(console, [line])
        refused = [each for each in answers if each.lstrip().startswith(("%", "^", "ERROR"))]
        if refused:
            return [line, *refused]
    again = plan(device, rendered, held(switch, device))
    return [step.line for step in again.steps if isinstance(step, Run)]


def held(switch: NxosSwitch, device: Device) -> dict[str, str]:
    return {command.file: shown(switch, command.line) for command in holdings(device)}


@pytest.mark.slow
@settings(RELAXED, max_examples=20)
@given(taken(), taken())
def test_a_switch_goes_from_any_policy_to_any_other(first: Device, second: Device) -> None:
    with tempfile.TemporaryDirectory() as folder:
        switch = switch_of(build_lab(Path(folder)))
        assert apply(switch, first) == []
        assert apply(switch, second) == []
