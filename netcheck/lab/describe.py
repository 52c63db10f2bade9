"""What a lab is made of and what of it is simulated, in words."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from importlib import resources
from pathlib import Path

import yaml

from netcheck.lab.state import TOPOLOGY_FILE, LabState
from netcheck.lab.topology import LabDevice, Topology, simulated

FILE = "simulated.yaml"


@dataclass(frozen=True, slots=True)
class Simulation:
    """What is simulated of a platform, and what is not."""

    title: str
    does: tuple[str, ...]
    does_not: tuple[str, ...]


@cache
def simulation(platform: str = "") -> Simulation:
    """Give what is simulated of a platform; without one, of every lab."""
    place = resources.files("netcheck.lab")
    file = place.joinpath(FILE) if not platform else place.joinpath("devices", platform, FILE)
    row = yaml.safe_load(file.read_text("utf-8"))
    return Simulation(row["title"], tuple(row["does"]), tuple(row["does_not"]))


def status_lines(state: LabState) -> list[str]:
    """Give what ``netcheck lab status`` prints of a running lab."""
    if state.is_real:
        return _real_lines(state)
    topology = Topology.from_json((Path(state.directory) / TOPOLOGY_FILE).read_text("utf-8"))
    lines = [f"{topology.name}: {_counted(topology.devices)}, {len(topology.cables)} cables", ""]
    width = max(map(len, state.devices), default=0)
    kinds = max((len(device.platform) for device in topology.devices), default=0)
    for device in topology.devices:
        address = state.devices[device.name]
        what = f"{device.name:{width}}  {device.platform:{kinds}}  {device.role or '-':7}"
        lines.append(f"{what}  {address.host} port {address.port}")
    for subnet in topology.subnets:
        managers = ", ".join(one.name for one in subnet.managers)
        lines.append(f"subnet {subnet.name}: OpenSM at {managers}")
    first = next(iter(state.devices.values()), None)
    if first is not None:
        lines += ["", f"login: {first.username}, password in {first.password_file}"]
    lines += [f"note: {note}" for note in state.notes]
    lines += [f"fault: {fault}" for fault in state.faults]
    platforms = dict.fromkeys(device.platform for device in topology.devices)
    return [*lines, "", *_described(platforms), "all of it: docs/lab.md"]


REAL = (
    "real: kernel, soft-RoCE, perftest, dcb, iproute2, sshd; bridge, ETS, RED with ECN, netem",
    "not there: pause frames, CNPs and headroom; DCB settings are held and move no packet",
)


def _real_lines(state: LabState) -> list[str]:
    lines = [f"{state.name}: two machines, the switch is in the second", ""]
    lines += [f"{name}  {at.host} port {at.port}" for name, at in state.devices.items()]
    first = next(iter(state.devices.values()), None)
    if first is not None:
        lines += ["", f"login: {first.username}, password in {first.password_file}"]
    return [*lines, "", *REAL]


def _counted(devices: Iterable[LabDevice]) -> str:
    found = Counter(device.platform for device in devices)
    return ", ".join(f"{count} {platform}" for platform, count in found.items())


def _described(platforms: Iterable[str]) -> list[str]:
    lines = []
    for platform in ("", *platforms):
        found = simulation(platform)
        lines.append(f"{platform or 'simulated'}: {found.title if platform else 'on this machine'}")
        lines += [f"  not simulated: {text}" for text in found.does_not]
    return lines


def page() -> str:
    """Give the part of the lab's page that says what is simulated."""
    lines: list[str] = []
    for platform in ("", *simulated()):
        found = simulation(platform)
        title = f"{platform}: {found.title}" if platform else "Every lab"
        lines += [f"### {title}", "", "Simulated:", ""]
        lines += [f"- {text}" for text in found.does]
        lines += ["", "Not simulated:", ""]
        lines += [f"- {text}" for text in found.does_not]
        lines.append("")
    return "\n".join(lines)
