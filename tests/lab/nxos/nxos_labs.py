"""A small lab with one NX-OS leaf and two hosts, without processes."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from netcheck.lab.building import Building
from netcheck.lab.devices.nxos.console import Console
from netcheck.lab.devices.nxos.state import NxosSwitch
from netcheck.lab.devices.shell import Streams
from netcheck.lab.topology import LabDevice, LabPort, Topology
from tests.lab import labs

PORTS = tuple(f"Ethernet1/{number}" for number in range(1, 5))
CLASSES = """
class-map type qos match-any RDMA
  match dscp 26
class-map type qos match-any CNP
  match dscp 48
policy-map type qos IN
  class RDMA
    set qos-group 3
  class CNP
    set qos-group 6
  class class-default
    set qos-group 0
policy-map type network-qos LOSSLESS
  class type network-qos c-8q-nq3
    mtu 9216
    pause pfc-cos 3
  class type network-qos c-8q-nq-default
    mtu 9216
policy-map type queuing OUT
  class type queuing c-out-8q-q6
    priority level 1
  class type queuing c-out-8q-q3
    bandwidth remaining percent 50
    random-detect minimum-threshold 1600 kbytes maximum-threshold 6400 kbytes \
drop-probability 20 weight 0 ecn
  class type queuing c-out-8q-q-default
    bandwidth remaining percent 50
system qos
  service-policy type queuing output OUT
  service-policy type network-qos LOSSLESS
priority-flow-control watch-dog-interval on
priority-flow-control watch-dog interval 200
priority-flow-control auto-restore multiplier 2
"""
PORT = """
interface {}
  priority-flow-control mode on
  priority-flow-control watch-dog-interval on
  mtu 9216
  service-policy type qos input IN
"""
PAUSE = """
policy-map type queuing PAUSE
  class type queuing c-in-q3
    pause buffer-size 1698304 pause-threshold 1600000 resume-threshold 1581458
interface Ethernet1/1-4
  service-policy type queuing input PAUSE
"""
LOSSLESS = CLASSES + "".join(PORT.format(port) for port in PORTS)


def topology() -> Topology:
    """One leaf; each host has rail0 and rail1 on it."""
    ports = dict(zip(labs.PORTS, PORTS, strict=True))
    known = labs.topology()
    leaf = LabDevice(
        "leaf01", "nxos", "leaf", ports=tuple(LabPort(port, labs.SPEED) for port in PORTS)
    )
    cables = tuple(
        type(cable)(cable.a, (cable.b[0], ports[cable.b[1]]), cable.length_m)
        for cable in known.cables
    )
    return Topology("tiny-nxos", (leaf, *known.devices[1:]), cables)


def build_lab(folder: Path) -> Building:
    """Build the lab below a folder."""
    names = ("leaf01", "gpu01", "gpu02")
    addresses = {name: f"127.77.0.{place + 1}" for place, name in enumerate(names)}
    return Building(topology(), folder, addresses)


def switch_of(building: Building) -> NxosSwitch:
    """The lab's switch."""
    device = building.devices["leaf01"]
    assert isinstance(device, NxosSwitch)
    return device


def typed(console: Console, lines: str | Sequence[str]) -> list[str]:
    """Type lines; give what was answered to each, without those that were not answered."""

    async def run() -> list[str]:
        found = []
        for line in lines.splitlines() if isinstance(lines, str) else lines:
            held: list[str] = []
            await console.run(line, Streams(held.append, held.append))
            found.append("".join(held))
        return [text for text in found if text]

    return asyncio.run(run())


def configured(switch: NxosSwitch, lines: str) -> list[str]:
    """Type lines in configuration mode of a new session; give the refusals."""
    console = switch.new_shell()
    typed(console, ["configure terminal"])
    return typed(console, lines)


def shown(switch: NxosSwitch, line: str) -> str:
    """What one command shows in a new session."""
    return "".join(typed(switch.new_shell(), [line]))


def data_of(switch: NxosSwitch, line: str) -> Any:
    """What one command shows as JSON."""
    return json.loads(shown(switch, f"{line} | json"))


def set_up(building: Building) -> None:
    """Configure switch and hosts as an operator would."""
    assert configured(switch_of(building), LOSSLESS) == []
    for name in ("gpu01", "gpu02"):
        for rail in ("rail0", "rail1"):
            output, status = labs.sh(building.devices[name], labs.HOST_SETUP.format(rail))
            assert status == 0, output
