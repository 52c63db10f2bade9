"""What an intent that was made of devices does not say of them, and what it says otherwise."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import fields, replace
from typing import Any

from netcheck.compare.compare import RULE, compare, differences
from netcheck.intent.complaint import Complaint, IntentError
from netcheck.intent.complete import complete
from netcheck.intent.defaults import MARKED
from netcheck.intent.inferred.classes import marking_queues, tells
from netcheck.intent.inferred.subnets import left_of
from netcheck.model.device import Device, LinkLayer, Port, RdmaDevice, Role
from netcheck.model.fabric import EcnIntent, Fabric, Link, Policy
from netcheck.model.finding import Finding, Place, Severity, Stage, Verdict
from netcheck.model.frozenmap import FrozenMap
from netcheck.model.known import ABSENT, UNKNOWN, Known, is_known, known_or
from netcheck.model.qos import DeviceQos, PortQos, Scheduler, SchedulerKind
from netcheck.model.shortened import compress

# Stands for a speed that nobody said, so that the rest can be compared.
STAND_IN_BPS = 100_000_000_000
BY_SPEED = frozenset({"ecn", "ingress_buffer", "speed_bps"})
# Settings of whole devices that are neither said nor show at ports.
OF_DEVICES = frozenset(
    {
        "lossless_mtu_bytes",
        "small_packet_percent",
        "lossless_alpha_exponent",
        "watchdog_poll_ms",
    }
)
_UNSAID = (UNKNOWN, ABSENT)


def differing(intent: Fabric, observed: Fabric) -> Iterator[Finding]:
    """Yield where completing the intent gives something else than a device holds.

    Args:
        intent: As it was loaded, not completed.
    """
    silent = set(without_speed(intent))
    try:
        completed = complete(_with_speeds(intent, silent))
    except IntentError as error:
        yield from map(_uncompared_for, error.complaints)
        return
    stated = {name for name, one in intent.policies.items() if _states_thresholds(one)}
    for finding in compare(completed, observed, stage=Stage.LINT):
        place = finding.where[0]
        is_open = (place.device, place.port) in silent and bool(finding.facts & BY_SPEED)
        if is_open and finding.facts == {"ecn"}:
            is_open = _policy_of(intent, place.device, place.port) not in stated
        if finding.verdict is Verdict.FAIL and not is_open:
            yield replace(
                finding,
                severity=Severity.WARNING,
                why="The intent was made of what this device holds, and cannot say this of it;"
                " deploying the intent would change it.",
                fix="Change the device, or say in the intent what it is to hold.",
                reference="derived: the intent is completed and compared with its origin",
            )


def _uncompared_for(complaint: Complaint) -> Finding:
    """What stops completing, such as a speed of which no headroom is known."""
    return Finding(
        rule=RULE,
        severity=Severity.ERROR,
        verdict=Verdict.UNVERIFIED,
        where=(Place(""),),
        message=f"the intent was written, and cannot be completed: {complaint.message}",
        evidence=(complaint.at,),
        why="What cannot be completed cannot be compared with what it was made of.",
        fix="Change what the intent says at this place.",
        reference="derived: the intent is completed and compared with its origin",
        stage=Stage.LINT,
    )


def _states_thresholds(policy: Policy) -> bool:
    """Whether no threshold of marking is left to be computed from speeds."""
    return not any(
        one.delivery in MARKED if one.ecn is UNKNOWN else _is_computed(one.ecn)
        for one in policy.classes.values()
    )


def _is_computed(ecn: Known[EcnIntent]) -> bool:
    return (
        is_known(ecn)
        and ecn.is_enabled is True
        and not all(map(is_known, (ecn.kmin_bytes, ecn.kmax_bytes, ecn.pmax_percent)))
    )


def without_speed(intent: Fabric) -> Iterator[tuple[str, str]]:
    """Yield ``(device, port)`` of switch ports under a policy whose speed nobody said."""
    for device in intent.devices.values():
        for port in device.ports.values():
            is_open = device.role is not Role.HOST and port.link_layer is not LinkLayer.INFINIBAND
            if is_open and port.policy is not ABSENT and not is_known(port.speed_bps):
                yield device.name, port.name


def _with_speeds(intent: Fabric, silent: Iterable[tuple[str, str]]) -> Fabric:
    changed: dict[str, dict[str, Port]] = {}
    for device, port in silent:
        known = intent.devices[device].ports[port]
        changed.setdefault(device, {})[port] = replace(known, speed_bps=STAND_IN_BPS)
    devices = {
        name: replace(intent.devices[name], ports=intent.devices[name].ports.with_items(ports))
        for name, ports in changed.items()
    }
    return replace(intent, devices=intent.devices.with_items(devices))


def notes(intent: Fabric, observed: Fabric) -> Iterator[str]:
    """Yield lines for a person: what was found, what is missing, what no intent says."""
    yield from _policies(intent)
    yield from _silent_ports(intent, observed)
    yield from _uncompared(intent, observed)
    yield from _missing(intent)
    try:
        completed = complete(_with_speeds(intent, without_speed(intent)))
    except IntentError:  # which ``differing`` tells
        return
    left: dict[str, list[str]] = {}
    for name, device in completed.devices.items():
        held = observed.devices[name]
        manager = held.subnet_manager
        more = left_of(manager) if is_known(manager) else ()
        for fact in (*_left_behind(device, held), *more):
            left.setdefault(fact, []).append(name)
    for fact, names in sorted(left.items()):
        yield f"held, and not in the intent: {fact} ({compress(names)})"


def _policies(intent: Fabric) -> Iterator[str]:
    used: dict[str, list[str]] = {}
    for device in intent.devices.values():
        for port in device.ports.values():
            policy = intent.policy if port.policy is UNKNOWN else port.policy
            used.setdefault("none" if policy is ABSENT else str(policy), []).append(device.name)
    for name in (*intent.policies, "none"):
        if name in used:
            yield f"policy {name}: {len(used[name])} ports of {compress(set(used[name]))}"
    for subnet in intent.subnets.values():
        managers = ", ".join(known_or(subnet.subnet_managers, ()))
        yield f"subnet {subnet.name}: {len(subnet.partitions)} partitions, served by {managers}"
    if not intent.policies and not intent.subnets:
        yield "no port tells of pausing or marking: the intent has no RoCE policy"


def _silent_ports(intent: Fabric, observed: Fabric) -> Iterator[str]:
    """Ports that tell of neither pausing nor marking: taken for the rest, or left out."""
    taken: list[str] = []
    left: list[str] = []
    for name, device in intent.devices.items():
        for port in observed.devices[name].ports.values():
            if tells(port.qos) or port.link_layer is LinkLayer.INFINIBAND:
                continue
            said = device.ports.get(port.name)
            if said is None:
                left += [name] if device.role is not Role.HOST else []
            elif said.policy is UNKNOWN and is_known(intent.policy):
                taken.append(name)
    why = "tell of neither pausing nor marking"
    if taken:
        follow = f"follow policy {intent.policy} as the others do"
        yield f"{len(taken)} ports of {compress(set(taken))} {why}; they {follow}"
    if left:
        yield f"{len(left)} ports of {compress(set(left))} {why}; they are not in the intent"


def _uncompared(intent: Fabric, observed: Fabric) -> Iterator[str]:
    """What ports without a speed hold of sizes that follow from it."""
    stated = {name for name, one in intent.policies.items() if _states_thresholds(one)}
    ports: dict[str, list[str]] = {"ingress buffers": [], "thresholds of marking": []}
    for name, port in without_speed(intent):
        qos = observed.devices[name].ports[port].qos
        if _states_sizes(qos):
            ports["ingress buffers"].append(name)
        if marking_queues(qos) and _policy_of(intent, name, port) not in stated:
            ports["thresholds of marking"].append(name)
    for what, names in ports.items():
        if names:
            where = f"{len(names)} ports of {compress(set(names))}"
            yield f"not compared, since their speed is not said: {what} of {where}"


def _policy_of(intent: Fabric, device: str, port: str) -> object:
    own = intent.devices[device].ports[port].policy
    return intent.policy if own is UNKNOWN else own


def _states_sizes(qos: PortQos) -> bool:
    accounts = known_or(qos.ingress_buffer, FrozenMap()).values()
    return any(is_known(one.headroom_bytes) or is_known(one.size_bytes) for one in accounts)


def _missing(intent: Fabric) -> Iterator[str]:
    """What is to be filled in before such an intent can be deployed."""
    devices = intent.devices.values()
    lacks = {
        "management address and credentials": [d.name for d in devices if not is_known(d.mgmt)],
        "role": [d.name for d in devices if d.ports and not is_known(d.role)],
        "address of RDMA ports": [d.name for d in devices if _lacks_address(d)],
        "model": [d.name for d in devices if d.role is not Role.HOST and not is_known(d.model)],
    }
    for what, names in lacks.items():
        if names:
            yield f"to be said: {what} of {compress(names)}"
    for policy in intent.policies.values():
        for one in policy.classes.values():
            is_marked = is_known(one.ecn) and one.ecn.is_enabled is True
            if is_marked and one.delivery is UNKNOWN:
                yield f"to be said: delivery of {policy.name} {one.name}"
    silent = [device for device, _ in without_speed(intent)]
    if silent:
        yield f"to be said: speed of {len(silent)} ports of {compress(set(silent))}"
    if not intent.links and any(device.ports for device in devices):
        yield "to be said: links (no neighbour was told of), or a cabling plan"
    open_links = [link for link in intent.links if not _has_length(intent, link)]
    if open_links:
        yield f"to be said: length of {len(open_links)} cables"


def _lacks_address(device: Device) -> bool:
    names = {port for one in device.rdma.values() for port in one.ports}
    ports = [device.ports[name] for name in names if name in device.ports]
    return any(
        port.link_layer is not LinkLayer.INFINIBAND and not is_known(port.address) for port in ports
    )


def _has_length(intent: Fabric, link: Link) -> bool:
    ends = [intent.devices[end.device].ports[end.port] for end in (link.a, link.b)]
    return is_known(link.length_m) or any(is_known(port.cable_m) for port in ends)


def _left_behind(completed: Device, observed: Device) -> Iterator[str]:
    """Facts that the device holds and completing the intent does not give."""
    keys: dict[str, set[str]] = {}
    for given, held in _pairs(completed, observed):
        for one in differences(held, given):
            if one.found in _UNSAID and _is_something(one.expected):
                number, _, part = one.key.rpartition(" ")
                if one.key.isdigit():
                    number, part = one.key, ""
                is_whole = getattr(given, one.fact) in _UNSAID
                fact = " ".join((one.fact, *([] if is_whole else part.split()))).replace("_", " ")
                keys.setdefault(fact, set()).update([] if is_whole or part else [number])
    for fact, numbers in sorted(keys.items()):
        yield f"{fact} {compress(sorted(numbers))}".strip()
    said = known_or(completed.host.environment, FrozenMap())
    for variable in known_or(observed.host.environment, FrozenMap()):
        if variable not in said:
            yield f"variable {variable}"


def _pairs(completed: Device, observed: Device) -> Iterator[tuple[object, object]]:
    """Yield ``(what completing gives, what is held)``; ports share few treatments."""
    yield from {
        (port.qos, observed.ports[name].qos)
        for name, port in completed.ports.items()
        if name in observed.ports
    }
    for name, one in completed.rdma.items():
        held = observed.rdma.get(name, RdmaDevice(name))
        yield one.congestion_control, held.congestion_control
    whole = observed.qos.get("", DeviceQos())
    silent: dict[str, Any] = {  # Any: facts of every type
        field.name: UNKNOWN for field in fields(whole) if field.name not in OF_DEVICES
    }
    yield completed.qos.get("", DeviceQos()), replace(whole, **silent)


def _is_something(held: object) -> bool:
    """Nothing, off and a share of nothing are no setting that could be lost."""
    if isinstance(held, Scheduler):
        return held != Scheduler(SchedulerKind.WEIGHTED, 0)
    return held not in (*_UNSAID, frozenset(), FrozenMap(), False)
