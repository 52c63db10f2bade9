"""Building an EOS switch for a lab: the switch and the commands that work on it."""

from __future__ import annotations

from pathlib import Path

from netcheck.lab.building import Building
from netcheck.lab.devices.eos.sessions import Sessions
from netcheck.lab.devices.eos.show import Shows
from netcheck.lab.devices.eos.show_qos import QosShows
from netcheck.lab.devices.eos.state import EosSwitch
from netcheck.lab.topology import LabDevice


def build(device: LabDevice, folder: Path, surroundings: Building) -> EosSwitch:
    """Give the switch as an operator leaves it before QoS is configured."""
    switch = EosSwitch(device, folder, surroundings)
    sessions = Sessions(switch)
    shows = Shows(switch)
    switch.commands = (
        *sessions.commands(),
        *shows.commands(),
        *QosShows(switch, shows).commands(),
    )
    switch.grammar = {
        mode: (*rules, *sessions.rules()) for mode, rules in EosSwitch.grammar.items()
    }
    return switch
