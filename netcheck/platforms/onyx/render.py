"""Render the embedded subnet manager of a switch as the commands of MLNX-OS.

Only what is said is written. A switch that manages no subnet gets no file.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from netcheck.model.device import Device, LinkLayer, Port
from netcheck.model.errors import RefusalError
from netcheck.model.fabric import Fabric
from netcheck.model.qos import PortQos
from netcheck.platforms.capabilities import capabilities
from netcheck.platforms.onyx.rendered.lines import commands_of
from netcheck.platforms.platform import Refusal
from netcheck.platforms.sm_subject import managed_by, subject_of
from netcheck.platforms.templates import templates_of

FILE = "running-config.txt"


def render_subnet(
    fabric: Fabric, subnet_name: str, *, manager: str | None = None
) -> dict[str, str]:
    """Give ``file name -> text`` of one manager of a subnet, byte-stable.

    Raises:
        InputError: There is no such subnet.
        RefusalError: Something cannot be expressed, such as a member without a GUID.
    """
    subject = subject_of(fabric, subnet_name, manager)
    lines = commands_of(subject)
    for refusal in subject.refused:
        raise RefusalError(refusal.limit, f"{refusal.place}: {refusal.reason}")
    text = templates_of("onyx").get_template("running-config.j2").render(lines=lines)
    return {FILE: text}


def refused(fabric: Fabric, subnet_name: str, *, manager: str | None = None) -> list[Refusal]:
    """Give everything that keeps a subnet from being rendered.

    Raises:
        InputError: There is no such subnet.
    """
    subject = subject_of(fabric, subnet_name, manager)
    commands_of(subject)
    return list(dict.fromkeys(subject.refused))


def refusals(device: Device, fabric: Fabric) -> list[Refusal]:
    """Give everything that the switch cannot be told, of subnets and of Ethernet."""
    names = managed_by(device, fabric)
    found = [*_ethernet(device)]
    if len(names) > 1:
        limit = capabilities("onyx").limit("one-subnet")
        found.append(limit.refusal(device.name, ", ".join(names)))
    return found + [one for name in names for one in refused(fabric, name, manager=device.name)]


def render(device: Device, fabric: Fabric) -> Mapping[str, str]:
    """Give the commands of the subnet that the switch manages; no file where it manages none.

    Raises:
        RefusalError: Something cannot be expressed; ``refusals`` gives all of it.
    """
    for refusal in refusals(device, fabric):
        raise RefusalError(refusal.limit, f"{refusal.place}: {refusal.reason}")
    names = managed_by(device, fabric)
    return render_subnet(fabric, names[0], manager=device.name) if names else {}


def _ethernet(device: Device) -> Iterator[Refusal]:
    """Ports that are to treat traffic in some way: that variant is not built."""
    limit = capabilities("onyx").limit("ethernet")
    named = [name for name, port in device.ports.items() if _is_told(port)]
    if named:
        yield limit.refusal(f"{device.name} {named[0]}", "a policy for Ethernet")


def _is_told(port: Port) -> bool:
    return port.link_layer is not LinkLayer.INFINIBAND and port.qos != PortQos()
