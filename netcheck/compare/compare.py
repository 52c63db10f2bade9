"""Intended against observed, fact by fact.

Only what the intent says is compared; what it does not say is not judged. A
fact that was asked for and not had is *unverified*, never equal.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields, is_dataclass
from functools import lru_cache
from typing import Any

from netcheck.model.cables import is_reached
from netcheck.model.device import Device, LinkLayer, Port, RdmaDevice
from netcheck.model.document import Evidence
from netcheck.model.fabric import Fabric
from netcheck.model.finding import Finding, Place, Severity, Stage, Verdict
from netcheck.model.known import ABSENT, UNKNOWN, Missing, first_known
from netcheck.model.qos import PortQos

RULE = "config-differs-from-intent"
WHY = "What the device holds is not what was intended; every proof made for the intent is void."
FIX = "Deploy the intent again (netcheck deploy), or change the intent if the device is right."
REFERENCE = "derived: the intent is the contract"

PORT_FACTS = ("speed_bps", "l2_mtu", "cable_m", "fec", "admin_state")
RDMA_FACTS = ("traffic_class", "rdma_cm_tos", "rdma_cm_roce_v2")
# Names a device gives its own objects; they mean nothing to the intent.
NAMES = frozenset({"profile", "pool", "is_lossless", "is_computed", "is_active"})


@dataclass(frozen=True, slots=True)
class Difference:
    """One fact that differs, or for which there is no evidence (``found`` is UNKNOWN).

    ``key`` is the DSCP, priority, queue or variable within the fact.
    """

    fact: str
    key: str
    expected: object
    found: object


def compare(
    intended: Fabric,
    observed: Fabric,
    *,
    stage: Stage = Stage.VERIFY,
    unread: Mapping[str, str] | None = None,
) -> Iterator[Finding]:
    """Yield a finding for every fact that the intent states and a device does not hold.

    A device that is not in ``observed`` at all is unverified as a whole.

    Args:
        unread: ``device -> reason`` of devices that were asked and gave nothing.
    """
    for name, device in intended.devices.items():
        found = observed.devices.get(name)
        if found is None:
            if is_reached(device):
                yield _unseen(name, stage, (unread or {}).get(name, ""))
        else:
            yield from _compare_device(device, found, stage)


def _unseen(name: str, stage: Stage, reason: str) -> Finding:
    return Finding(
        rule=RULE,
        severity=Severity.ERROR,
        verdict=Verdict.UNVERIFIED,
        where=(Place(name),),
        message=f"{name}: nothing was read from this device" + (f" ({reason})" if reason else ""),
        expected="its configuration",
        found="nothing",
        why=WHY,
        fix="Check address, login and the device itself.",
        reference=REFERENCE,
        stage=stage,
    )


def _compare_device(intended: Device, observed: Device, stage: Stage) -> Iterator[Finding]:
    name = intended.name
    for asic, qos in intended.qos.items():
        for difference in differences(qos, observed.qos.get(asic)):
            yield _finding(observed, Place(name), ("device",), difference, stage)
    # speed, MTU and the like of an InfiniBand port show in its subnet, not at host or switch
    of_subnets = {
        port
        for rdma in intended.rdma.values()
        if rdma.link_layer is LinkLayer.INFINIBAND
        for port in rdma.ports
    }
    of_subnets |= {
        port.name for port in intended.ports.values() if port.link_layer is LinkLayer.INFINIBAND
    }
    for port in intended.ports.values():
        if port.name not in of_subnets:
            yield from _compare_port(port, observed, stage)
    for rdma in intended.rdma.values():
        yield from _compare_rdma(rdma, observed, stage)
    for difference in differences_in(
        "environment", intended.host.environment, observed.host.environment
    ):
        yield _finding(observed, Place(name), ("device",), difference, stage)


def _compare_port(intended: Port, observed: Device, stage: Stage) -> Iterator[Finding]:
    found = observed.ports.get(intended.name)
    place = Place(observed.name, intended.name)
    path = (f"port {intended.name}",)
    qos = found.qos if found is not None else None
    for difference in _port_differences(intended.qos, qos):
        yield _finding(observed, place, path, difference, stage)
    for fact in PORT_FACTS:
        value = _port_fact(found, fact) if found is not None else UNKNOWN
        for difference in differences_in(fact, getattr(intended, fact), value):
            yield _finding(observed, place, path, difference, stage)


@lru_cache(maxsize=1024)
def _port_differences(intended: PortQos, observed: PortQos | None) -> tuple[Difference, ...]:
    """What differs between two ports; thousands of ports share few pairs."""
    return tuple(differences(intended, observed))


def _port_fact(port: Port, fact: str) -> object:
    """One fact of a port; hosts configure no speed, so the live one stands for it."""
    if fact == "speed_bps":
        return first_known(port.speed_bps, port.operational_speed_bps)
    return getattr(port, fact)


def _compare_rdma(intended: RdmaDevice, observed: Device, stage: Stage) -> Iterator[Finding]:
    found = observed.rdma.get(intended.name)
    port = intended.ports[0] if intended.ports else intended.name
    place = Place(observed.name, port)
    path = (f"rdma {intended.name}",)
    for fact in RDMA_FACTS:
        value = getattr(found, fact) if found is not None else UNKNOWN
        for difference in differences_in(fact, getattr(intended, fact), value):
            yield _finding(observed, place, path, difference, stage)
    control = found.congestion_control if found is not None else None
    for difference in differences(intended.congestion_control, control):
        yield _finding(observed, place, path, difference, stage)


def differences(intended: object, observed: object) -> Iterator[Difference]:
    """Compare two dataclasses of one type; ``observed`` None gives UNKNOWN for each fact."""
    for field in fields(intended):  # type: ignore[arg-type]  # a dataclass instance
        if field.name in NAMES:
            continue
        found = UNKNOWN if observed is None else getattr(observed, field.name)
        yield from differences_in(field.name, getattr(intended, field.name), found)


def differences_in(
    fact: str, intended: Any, observed: Any
) -> Iterator[Difference]:  # Any: fields of every type
    """Compare one fact: maps by key, nested facts by field, other values as they are."""
    if intended is UNKNOWN:
        return
    if isinstance(intended, Mapping):
        yield from _differences_in_map(fact, intended, observed)
    elif is_dataclass(intended) and not isinstance(intended, type) and _is_bag_of_facts(intended):
        yield from _differences_in_parts(fact, "", intended, observed)
    elif observed is UNKNOWN or not _equal(intended, observed):
        yield Difference(fact, "", intended, observed)


def _differences_in_map(
    fact: str, intended: Mapping[Any, Any], observed: Any
) -> Iterator[Difference]:  # Any: see above
    for key, value in intended.items():
        if isinstance(observed, Missing):
            found: object = observed
        else:
            found = observed.get(key, ABSENT)
        if _is_bag_of_facts(value):
            yield from _differences_in_parts(fact, str(key), value, found)
        elif found is UNKNOWN or not _equal(value, found):
            yield Difference(fact, str(key), value, found)


def _differences_in_parts(
    fact: str, key: str, intended: object, found: object
) -> Iterator[Difference]:
    if isinstance(found, Missing):
        yield Difference(fact, key, intended, found)
        return
    for part in differences(intended, found):
        inner = " ".join(word for word in (key, part.fact, part.key) if word)
        yield Difference(fact, inner, part.expected, part.found)


def _is_bag_of_facts(value: object) -> bool:
    """A dataclass whose fields are facts of their own (a scheduler, a buffer), not one value."""
    if not is_dataclass(value):
        return False
    return any(field.default is UNKNOWN for field in fields(value))


def _equal(intended: object, observed: object) -> bool:
    if isinstance(intended, frozenset) and not intended:
        return observed == intended or observed is ABSENT
    return intended == observed


def _finding(
    observed: Device, place: Place, path: tuple[str, ...], difference: Difference, stage: Stage
) -> Finding:
    is_unknown = difference.found is UNKNOWN
    queue = difference.key.split(" ")[0] if difference.key[:1].isdigit() else ""
    where = Place(place.device, place.port, queue)
    subject = " ".join(word for word in (difference.fact, difference.key) if word)
    expected, found = show(difference.expected), show(difference.found)
    evidence = observed.find_evidence(*path, difference.fact)
    return Finding(
        rule=RULE,
        severity=Severity.ERROR,
        verdict=Verdict.UNVERIFIED if is_unknown else Verdict.FAIL,
        where=(where,),
        message=f"{subject} expected {expected}, found {found}",
        expected=expected,
        found=found,
        evidence=() if evidence == Evidence() else (evidence,),
        why=WHY,
        fix=FIX,
        reference=REFERENCE,
        stage=stage,
        facts=frozenset({difference.fact}),
    )


def show(value: object) -> str:
    """Write a fact as a person would: sets as lists, enumerations as words."""
    if value is UNKNOWN:
        return "no evidence"
    if value is ABSENT:
        return "absent"
    if isinstance(value, frozenset):
        return "{" + ", ".join(str(item) for item in sorted(value)) + "}"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if is_dataclass(value) and not isinstance(value, type):
        parts = ((field.name, getattr(value, field.name)) for field in fields(value))
        return ", ".join(f"{name} {show(part)}" for name, part in parts if part is not UNKNOWN)
    return str(value)
