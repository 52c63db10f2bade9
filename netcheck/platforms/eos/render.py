"""Render the part of the running-config that netcheck owns, as the body of a config session.

What is said to be absent is written as `no`; what is not said is not written.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache, lru_cache
from typing import TYPE_CHECKING, Final

from netcheck.lossless.asics import asic_of_model
from netcheck.model.device import Device, Port
from netcheck.model.errors import RefusalError
from netcheck.model.fabric import Fabric
from netcheck.model.known import ABSENT, UNKNOWN, Known, first_known, is_known
from netcheck.model.qos import DcbxMode, DeviceQos
from netcheck.platforms.eos import defaults
from netcheck.platforms.eos.rendered.limits import (
    find_refusals,
    ip_mtu_of,
    with_shared_queues,
)
from netcheck.platforms.eos.rendered.names import port_order
from netcheck.platforms.eos.rendered.profiles import Profile, named_profiles, seconds
from netcheck.platforms.platform import Refusal
from netcheck.platforms.switch import switch_of
from netcheck.platforms.templates import templates_of

if TYPE_CHECKING:
    import jinja2

FILE: Final = "running-config.txt"
_VOQ_MODELS: Final = re.compile(r"7(?:28|50|80)\d[A-Z]*R|72[78]\d\S*R|7[58]\d\d\S*R")


def refusals(device: Device, fabric: Fabric) -> list[Refusal]:  # noqa: ARG001 -- all limits are the switch's own
    """Give everything in the device's policy that EOS cannot express."""
    return list(find_refusals(switch_of(device, port_order)))


def render(device: Device, fabric: Fabric) -> Mapping[str, str]:  # noqa: ARG001 -- as above
    """Give the owned lines of the running-config, byte-stable.

    Raises:
        RefusalError: Something cannot be expressed; ``refusals`` gives all of it.
    """
    switch = switch_of(device, port_order)
    for refusal in find_refusals(switch):
        raise RefusalError(refusal.limit, f"{refusal.place}: {refusal.reason}")
    kinds = with_shared_queues(switch.kinds)
    poll_ms = switch.qos.watchdog_poll_ms
    profiles, by_port = named_profiles(kinds, poll_ms)
    word = queue_word(device)
    interfaces = [_interface(port, by_port, profiles, word) for port in kinds]
    text = (
        _environment()
        .get_template("session.j2")
        .render(
            maps=_map_lines(switch.qos, kinds),
            poll=seconds(poll_ms, 3) if is_known(poll_ms) else "",
            queue_word=word,
            profiles=profiles,
            interfaces=[
                (port.name, text) for port, text in switch.for_each_port(interfaces) if text
            ],
        )
    )
    # A lone `!` is EOS's own empty line: nothing is said, and nothing is missing.
    return {FILE: text if text.strip() else "!\n"}


def queue_word(device: Device) -> str:
    """Give what queues are called: `tx-queue` where they are virtual (Jericho), else `uc-tx-queue`.

    Source: Arista EOS User Manual, Quality of Service, Jericho and Tomahawk platform switches.
    """
    by_model = asic_of_model(device.model) if is_known(device.model) else UNKNOWN
    asic = first_known(device.asic, by_model)
    is_named = is_known(device.variant) and device.variant == "jericho"
    is_voq = is_known(asic) and asic.startswith("jericho")
    is_model = is_known(device.model) and _VOQ_MODELS.search(device.model) is not None
    return "tx-queue" if is_named or is_voq or is_model else "uc-tx-queue"


def _map_lines(switch: DeviceQos, ports: list[Port]) -> list[str]:
    dscp = _said(ports, "dscp_to_priority")
    lines = _in_lines("dscp", first_known(dscp, switch.dscp_to_priority))
    lines += _in_lines("cos", _said(ports, "pcp_to_priority"))
    lines += _out_lines("tx-queue", _said(ports, "priority_to_queue"))
    for of in ("dscp", "cos"):
        remark = _said(ports, "remark_dscp" if of == "dscp" else "remark_pcp")
        if remark is ABSENT:
            lines.append(f"no qos rewrite {of}")
        elif is_known(remark):
            lines += [f"qos rewrite {of}", *_out_lines(of, remark)]
    return lines


def _said(ports: list[Port], fact: str) -> Known[Mapping[int, int]]:
    return first_known(*(getattr(port.qos, fact) for port in ports))


def _in_lines(of: str, marks: Known[Mapping[int, int]]) -> list[str]:
    return [f"qos map {of} {keys} to traffic-class {value}" for value, keys in _grouped(marks)]


def _out_lines(of: str, values: Known[Mapping[int, int]]) -> list[str]:
    """Lines of a map from traffic class, one a class; class 7 keeps its queue and takes no line."""
    kept = defaults.CONTROL_PRIORITY if of == "tx-queue" else None
    return [
        f"qos map traffic-class {one} to {of} {value}"
        for one, value in (sorted(values.items()) if is_known(values) else ())
        if one != kept
    ]


def _grouped(values: Known[Mapping[int, int]]) -> list[tuple[int, str]]:
    """Give ``value, its keys``, by value."""
    if not is_known(values):
        return []
    keys: dict[int, list[int]] = {}
    for key, value in sorted(values.items()):
        keys.setdefault(value, []).append(key)
    return [(value, " ".join(map(str, keys[value]))) for value in sorted(keys)]


def _interface(
    port: Port, by_port: Mapping[str, str], profiles: Mapping[str, Profile], word: str
) -> str:
    """What stands below an interface: its lines, and its queues whose marks are counted."""
    name = by_port.get(port.name)
    lines = _port_lines(port)
    if name is None:
        return _below(tuple(lines), (), word)
    marking = tuple(queue.number for queue in profiles[name].queues if queue.is_marking)
    return _below((*lines, f"service-profile {name}"), marking, word)


@lru_cache(maxsize=1024)
def _below(lines: tuple[str, ...], marking: tuple[int, ...], queue_word: str) -> str:
    """Give the text of an interface below its name; equal ones are rendered once."""
    if not lines:
        return ""
    template = _environment().get_template("interface.j2")
    return template.render(lines=lines, marking=marking, queue_word=queue_word)


def _port_lines(port: Port) -> list[str]:
    lines = []
    mtu = ip_mtu_of(port)
    if is_known(mtu):
        lines.append(f"mtu {mtu}")
    if is_known(port.qos.dcbx_mode):
        is_off = port.qos.dcbx_mode is DcbxMode.DISABLED
        lines.append("no dcbx mode" if is_off else f"dcbx mode {port.qos.dcbx_mode.value}")
    for word, is_on in (("send", port.qos.global_pause_tx), ("receive", port.qos.global_pause_rx)):
        if is_on is not UNKNOWN:
            lines.append(f"flowcontrol {word} on" if is_on is True else f"no flowcontrol {word}")
    return lines


@cache
def _environment() -> jinja2.Environment:
    return templates_of("eos")
