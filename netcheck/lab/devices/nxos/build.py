"""Building an NX-OS switch for a lab, with the commands of its command line."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

from netcheck.lab.building import Building
from netcheck.lab.devices.nxos import maintenance, show_interfaces, show_qos, show_queuing
from netcheck.lab.devices.nxos.console import Command, Console, Shown
from netcheck.lab.devices.nxos.hardware import no_drop, speaks_dcbx
from netcheck.lab.devices.nxos.patterns import Match
from netcheck.lab.devices.nxos.state import NxosSwitch
from netcheck.lab.topology import LabDevice


def _cleared(switch: NxosSwitch) -> str:
    switch.tallies.reset()
    return ""


Show = Callable[[NxosSwitch, Match], Shown | str]
_KINDS = "qos|queuing|network-qos"
_ROLLBACK = (
    "rollback running-config checkpoint|file <word>"
    " [atomic|best-effort|stop-at-first-failure] [verbose]"
)
_WITH_MATCH: tuple[tuple[str, Show], ...] = (
    ("show interface [<port>]", show_interfaces.interface),
    ("show interface [<port>] priority-flow-control", show_interfaces.pfc),
    ("show interface [<port>] priority-flow-control detail", show_interfaces.pfc_detail),
    ("show interface [<port>] counters errors", show_interfaces.errors),
    ("show interface [<port>] status", show_interfaces.status),
    ("show lldp neighbors [detail]", show_interfaces.lldp),
    (f"show policy-map [type {_KINDS}] [<name>]", show_qos.policy_maps),
    (f"show policy-map system [type {_KINDS}]", show_qos.system),
    (f"show policy-map interface [<port>] [input|output] [type {_KINDS}]", show_qos.interface),
    (f"show class-map [type {_KINDS}] [<name>]", show_qos.class_maps),
    ("show queuing", show_queuing.queuing),
    ("show queuing interface [<port>]", show_queuing.queuing),
    ("show queuing summary [interface <port>]", show_queuing.summary),
    ("show queuing tabular [interface <port>]", show_queuing.tabular),
    ("show queuing pfc-queue [interface <port>] [detail]", show_queuing.watchdog),
    ("show running-config [all]", maintenance.running),
    ("show running-config ipqos [all]", maintenance.running),
    ("show running-config interface [<port>] [all]", maintenance.running),
    ("show checkpoint <word>", maintenance.one_checkpoint),
    ("show diff rollback-patch checkpoint <word> running-config", maintenance.difference),
    ("show diff rollback-patch running-config checkpoint <word>", maintenance.difference),
    ("copy running-config|startup-config <word>", maintenance.copy),
    ("copy running-config startup-config", maintenance.copy),
    ("checkpoint [<word>]", maintenance.checkpoint),
    ("checkpoint file <word>", maintenance.checkpoint),
    ("no checkpoint <word>", maintenance.no_checkpoint),
    (_ROLLBACK, maintenance.rollback),
)
_ALONE: tuple[tuple[str, Callable[[NxosSwitch], Shown | str]], ...] = (
    ("show version", show_interfaces.version),
    ("show system uptime", show_interfaces.uptime),
    ("show startup-config", maintenance.startup),
    ("show checkpoint summary", maintenance.checkpoints),
    ("show feature", maintenance.features),
    ("show hostname", lambda s: Shown(f"{s.hostname} \n", {"hostname": s.hostname})),
    ("show clock", lambda _: time.strftime("%H:%M:%S.000 UTC %a %b %d %Y\n", time.gmtime())),
    ("clear checkpoint database", maintenance.clear_checkpoints),
    ("clear counters", _cleared),
    ("clear qos statistics", _cleared),
    ("clear queuing statistics", _cleared),
)


def build(device: LabDevice, folder: Path, surroundings: Building) -> NxosSwitch:
    """Give the switch as it comes out of its box."""
    switch = NxosSwitch(device, folder, surroundings)
    switch.commands = [
        *(_command(switch, pattern, show) for pattern, show in _WITH_MATCH),
        *(_command(switch, pattern, _alone(show)) for pattern, show in _ALONE),
        Command("configure [terminal]", _configure),
        Command("terminal <rest>", lambda _, __: ""),
        Command("enable", lambda _, __: ""),
        Command("exit", _log_out),
    ]
    switch.agrees = lambda port: _agrees(switch, port, surroundings)
    return switch


def _agrees(switch: NxosSwitch, port: str, building: Building) -> bool:
    """Both ends speak DCBX and pause the same priorities.

    Source: guide 10.5(x), Configuring Priority Flow Control (no-drop values are advertised and
    negotiated; a mismatch leaves PFC off). Hosts of the lab speak no DCBX.
    """
    far = building.neighbour(switch.name, port)
    peer = building.devices.get(far.device) if far else None
    if far is None or not isinstance(peer, NxosSwitch) or not switch.is_link_up(port):
        return False
    ends = ((switch, port), (peer, far.port))
    if not all(speaks_dcbx(end.found, name) for end, name in ends):
        return False
    return set(no_drop(switch.found).values()) == set(no_drop(peer.found).values())


def _command(switch: NxosSwitch, pattern: str, show: Show) -> Command:
    return Command(pattern, lambda _, match: show(switch, match))


def _alone(show: Callable[[NxosSwitch], Shown | str]) -> Show:
    return lambda switch, _: show(switch)


def _configure(console: Console, match: Match) -> str:
    del match
    console.configure()
    return "Enter configuration commands, one per line. End with CNTL/Z.\n"


def _log_out(console: Console, match: Match) -> str:
    del match
    console.log_out()
    return ""
