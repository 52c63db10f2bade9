"""The intent in itself: classes that can be told apart, and a domain that ends."""

from __future__ import annotations

from collections.abc import Iterator

from netcheck.model.device import Role
from netcheck.model.fabric import Delivery, Fabric, Link, PortRef
from netcheck.model.finding import Place, Severity
from netcheck.model.known import is_known
from netcheck.model.records import ClassView
from netcheck.model.view import FabricView, IntentView
from netcheck.rules.roce.scopes import policy_name
from netcheck.rules.rule import Fault, Scope, rule

OUTSIDE = frozenset({Role.ROUTER, Role.GATEWAY})


def _place(intent: IntentView, each: ClassView) -> tuple[Place, ...]:
    return (Place(intent.policy.place.device, f"class {each.name}"),)


@rule(
    "intent-class-duplicate-dscp",
    severity=Severity.ERROR,
    scope=Scope.INTENT,
    source="derived: a packet can be in one class only",
)
def intent_class_duplicate_dscp(intent: IntentView) -> Iterator[Fault]:
    """Two classes claim the same DSCP.

    Why: a packet with that mark can be in one of them only; which one is left to chance.
    Bad: rdma has DSCP 26, storage has 26 and 28.
    Good: each DSCP in one class.
    Fix: give the classes different DSCPs.
    """
    owners: dict[int, str] = {}
    for each in intent.policy.classes_saying("dscp"):
        for dscp in sorted(each.dscp):
            if dscp in owners:
                expected = f"{dscp} in one class"
                found = f"{dscp} in {owners[dscp]} and {each.name}"
                yield Fault(intent, ("dscp",), expected, found, places=_place(intent, each))
            owners.setdefault(dscp, each.name)


@rule(
    "intent-class-duplicate-prio",
    severity=Severity.ERROR,
    scope=Scope.INTENT,
    source="derived: pause acts on a priority, so classes in one priority are paused together",
)
def intent_class_duplicate_prio(intent: IntentView) -> Iterator[Fault]:
    """A lossless class shares its switch priority with another class.

    Why: the other class is paused with it and takes its headroom.
    Bad: rdma and default both have priority 3.
    Good: rdma alone has priority 3.
    Fix: give the other class another priority.
    """
    classes = list(intent.policy.classes_saying("priority"))
    for each in classes:
        others = [one.name for one in classes if one.priority == each.priority and one is not each]
        if each.is_lossless and others:
            found = f"{each.priority} with {', '.join(others)}"
            yield Fault(
                intent, ("priority",), "a priority of its own", found, places=_place(intent, each)
            )


@rule(
    "intent-lossless-scope-open",
    severity=Severity.ERROR,
    scope=Scope.FABRIC,
    source="RDMA over Commodity Ethernet at Scale, SIGCOMM 2016: PFC must stop at the border",
    is_proof=False,
)
def intent_lossless_scope_open(fabric: FabricView) -> Iterator[Fault]:
    """A lossless class runs on a link that leaves the RDMA domain.

    Why: devices outside can pause the fabric, and pauses leave it.
    Bad: a border port towards a router has the fabric's policy.
    Good: policy none on the port.
    Fix: write `policy: none` for the port.
    """
    plan = fabric.plan
    if not any(device.role in OUTSIDE for device in plan.devices.values()):
        return
    for link in plan.links:
        for here, there in _leaving(fabric, link):
            name = policy_name(plan, here)
            if not is_known(name) or _has_none_lossless(plan, name):
                continue
            place = (Place(here.device, here.port),)
            yield Fault(fabric, ("policy",), "none", name, f"towards {there}", places=place)


def _has_none_lossless(plan: Fabric, name: str) -> bool:
    """The policy says which classes there are, and none of them is lossless."""
    policy = plan.policies.get(name)
    classes = policy.classes.values() if policy else ()
    return bool(classes) and not any(each.delivery is Delivery.LOSSLESS for each in classes)


def _leaving(fabric: FabricView, link: Link) -> Iterator[tuple[PortRef, PortRef]]:
    """Yield (inside, outside) of links to devices that take no part in RDMA."""
    devices = fabric.plan.devices
    for here, there in ((link.a, link.b), (link.b, link.a)):
        inside, outside = devices.get(here.device), devices.get(there.device)
        if inside is None or outside is None or here.port not in inside.ports:
            continue
        if outside.role in OUTSIDE and inside.role not in OUTSIDE:
            yield here, there
