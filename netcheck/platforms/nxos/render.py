"""Render the part of a running-config that netcheck owns, as one text.

Only what is said is written. What holds for the whole switch (no-drop classes,
times of the watchdog) is worked out of its ports, which therefore have to agree.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache, lru_cache
from typing import TYPE_CHECKING, Final

from netcheck.model.device import Device, Port
from netcheck.model.errors import RefusalError
from netcheck.model.fabric import Fabric
from netcheck.model.known import ABSENT, is_known
from netcheck.model.qos import DcbxMode, Trust, WatchdogAction
from netcheck.platforms.nxos.parsed.words import number_list, port_order
from netcheck.platforms.nxos.rendered.accounts import input_lines
from netcheck.platforms.nxos.rendered.facts import (
    Classes,
    class_mtus,
    classes_of,
    explicit_accounts,
    has_network_policy,
    no_drop,
    watchdogs,
)
from netcheck.platforms.nxos.rendered.limits import find_refusals
from netcheck.platforms.nxos.rendered.names import PREFIX, Names, policy_word, speed_word
from netcheck.platforms.nxos.rendered.queues import output_lines, output_of
from netcheck.platforms.platform import Refusal
from netcheck.platforms.switch import Switch, switch_of
from netcheck.platforms.templates import templates_of

if TYPE_CHECKING:
    import jinja2

FILE: Final = "running-config.txt"
NETWORK_POLICY: Final = f"{PREFIX}network"
QUEUES: Final = range(8)
Block = tuple[str, list[tuple[str, list[str]]]]
_MATCH: Final = {Trust.DSCP: "dscp", Trust.PCP: "cos"}


def refusals(device: Device, fabric: Fabric) -> list[Refusal]:  # noqa: ARG001 -- all limits are the switch's own
    """Give everything in the device's policy that a running-config cannot express."""
    return list(find_refusals(switch_of(device, port_order)))


def render(device: Device, fabric: Fabric) -> Mapping[str, str]:  # noqa: ARG001 -- as above
    """Give ``running-config.txt`` with the owned lines, byte-stable.

    Raises:
        RefusalError: Something cannot be expressed; ``refusals`` gives all of it.
    """
    switch = switch_of(device, port_order)
    for refusal in find_refusals(switch):
        raise RefusalError(refusal.limit, f"{refusal.place}: {refusal.reason}")
    content = _content(switch)
    topics = {
        "globals": {"lines": content.globals},
        "classes": {"maps": content.class_maps},
        "policies": {"policies": content.policies},
        "system": {"lines": content.system},
        "interfaces": {"ports": content.ports},
    }
    parts = [_environment().get_template(f"{name}.j2").render(v) for name, v in topics.items()]
    return {FILE: "".join(parts)}


@dataclass(slots=True)
class _Content:
    """What the templates place.

    Attributes:
        class_maps: ``(header, match lines)``.
        policies: ``(header, [(class, lines)])``.
        ports: ``(name, text below the name)``.
    """

    globals: list[str] = field(default_factory=list)
    class_maps: list[tuple[str, list[str]]] = field(default_factory=list)
    policies: list[Block] = field(default_factory=list)
    system: list[str] = field(default_factory=list)
    ports: list[tuple[str, str]] = field(default_factory=list)


def _content(switch: Switch) -> _Content:
    content = _Content(globals=list(_global_lines(switch)))
    if has_network_policy(switch):
        content.policies.append(_network_policy(switch))
        content.system.append(f"service-policy type network-qos {NETWORK_POLICY}")
    kinds = {"qos": Names(), "out": Names(), "in": Names()}
    texts = [_below((*_port_lines(port), *_bound(port, kinds, content))) for port in switch.kinds]
    content.ports = [(port.name, text) for port, text in switch.for_each_port(texts) if text]
    return content


@lru_cache(maxsize=1024)
def _below(lines: tuple[str, ...]) -> str:
    """Give the text of an interface below its name; equal ones are rendered once."""
    return _environment().get_template("interface.j2").render(lines=lines) if lines else ""


def _global_lines(switch: Switch) -> Iterator[str]:
    if any(port.qos.dcbx_mode is DcbxMode.IEEE for port in switch.kinds):
        yield "feature lldp"
        yield "lldp tlv-select dcbxp egress-queuing"
    poll = switch.qos.watchdog_poll_ms
    found = next((one for _, one in watchdogs(switch.kinds)), None)
    if found is not None:
        yield "priority-flow-control watch-dog-interval on"
    if is_known(poll):
        yield f"priority-flow-control watch-dog interval {poll}"
    if found is not None and is_known(poll):
        times = (found.detection_ms, found.restoration_ms)
        detection, restoration = (each // poll for each in times if is_known(each))
        yield f"priority-flow-control watch-dog shutdown-multiplier {detection}"
        yield f"priority-flow-control auto-restore multiplier {restoration}"


def _network_policy(switch: Switch) -> Block:
    paused, mtus = no_drop(switch.kinds), class_mtus(switch)
    classes = []
    for group in (*range(1, 8), 0):
        lines = [f"pause pfc-cos {number_list(paused[group])}"] if group in paused else []
        lines += [f"mtu {mtus[group]}"] if group in mtus else []
        if lines or group == 0:
            classes.append((f"class type network-qos c-8q-nq{group or '-default'}", lines))
    return f"policy-map type network-qos {NETWORK_POLICY}", classes


def _port_lines(port: Port) -> Iterator[str]:
    qos = port.qos
    if is_known(qos.pfc_tx):
        tells = " send-tlv" if qos.dcbx_mode is DcbxMode.IEEE else ""
        yield f"priority-flow-control mode {'on' + tells if qos.pfc_tx else 'off'}"
    if is_known(qos.watchdog):
        alert = " disable-action" if qos.watchdog.action is WatchdogAction.ALERT else ""
        yield f"priority-flow-control watch-dog-interval on{alert}"
    elif qos.watchdog is ABSENT:
        yield "priority-flow-control watch-dog-interval off"
    for word, said in (("receive", qos.global_pause_rx), ("send", qos.global_pause_tx)):
        if is_known(said):
            yield f"flowcontrol {word} {'on' if said else 'off'}"
    if is_known(port.l2_mtu):
        yield f"mtu {port.l2_mtu}"


def _bound(port: Port, kinds: Mapping[str, Names], content: _Content) -> Iterator[str]:
    """Yield the lines that bind policies to a port; what is new is added to the content."""
    word = policy_word(port)
    classes = classes_of(port.qos)
    if classes is not None:
        is_new = classes not in kinds["qos"].found
        name = kinds["qos"].of(f"{PREFIX}{word}", classes)
        if is_new:
            _add_classification(name, classes, content)
        yield f"service-policy type qos input {name}"
    accounts = explicit_accounts(port.qos)
    if accounts:
        is_new = accounts not in kinds["in"].found
        size = sum(one.size_bytes for one in accounts.values() if is_known(one.size_bytes))
        name = kinds["in"].of(f"{PREFIX}{word}-in-{size}", accounts)
        if is_new:
            content.policies.append(_queuing(name, input_lines(accounts)))
        yield f"service-policy type queuing input {name}"
    output = output_of(port)
    if output is not None:
        is_new = output not in kinds["out"].found
        name = kinds["out"].of(f"{PREFIX}{word}{speed_word(port)}-out", output)
        if is_new:
            content.policies.append(_queuing(name, output_lines(output)))
        yield f"service-policy type queuing output {name}"


def _queuing(name: str, classes: list[tuple[str, list[str]]]) -> Block:
    return (
        f"policy-map type queuing {name}",
        [(f"class type queuing {each}", lines) for each, lines in classes],
    )


def _add_classification(name: str, classes: Classes, content: _Content) -> None:
    marks = _MATCH[classes.trust]
    blocks = []
    for group in sorted(set(classes.groups.values())):
        found = frozenset(mark for mark, to in classes.groups.items() if to == group)
        header = f"class-map type qos match-any {name}-{group}"
        content.class_maps.append((header, [f"match {marks} {number_list(found)}"]))
        blocks.append((f"class {name}-{group}", list(_set_lines(group, classes))))
    blocks.append(("class class-default", list(_set_lines(classes.default, classes))))
    content.policies.append((f"policy-map type qos {name}", blocks))


def _set_lines(group: int, classes: Classes) -> Iterator[str]:
    yield f"set qos-group {group}"
    if group in classes.remark_dscp:
        yield f"set dscp {classes.remark_dscp[group]}"
    if group in classes.remark_pcp:
        yield f"set cos {classes.remark_pcp[group]}"


@cache
def _environment() -> jinja2.Environment:
    return templates_of("nxos")
