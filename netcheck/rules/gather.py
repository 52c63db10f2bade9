"""Fabrics as views: equal things are put together, so that they are judged once."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

from netcheck.lossless.asics import asic_of_model
from netcheck.model.device import AdminState, Device, LinkLayer, Port
from netcheck.model.fabric import Fabric, Link, Origin, Policy, PortRef
from netcheck.model.finding import Place
from netcheck.model.known import ABSENT, UNKNOWN, Known, Missing, first_known, is_known
from netcheck.model.qos import PortQos
from netcheck.model.records import PolicyView
from netcheck.model.view import (
    HOST_PLATFORMS,
    DeviceView,
    FabricView,
    IntentView,
    LinkView,
    PortView,
    RdmaView,
)

QOS_KNOBS = (
    "trust",
    "dscp_to_priority",
    "pcp_to_priority",
    "priority_to_queue",
    "pfc_rx",
    "pfc_tx",
)


class Stand(NamedTuple):
    """How a port stands in the intent."""

    policy: Policy | None
    intended: Port | None
    is_rdma: bool


@dataclass(frozen=True)
class Plan:
    """The intent as rules need it: which policy holds where."""

    fabric: Fabric | None

    def default(self) -> Policy | None:
        """The policy of what no nearer statement covers; None where there is none."""
        if self.fabric is None or self.fabric.policy is ABSENT:
            return None
        return self._named(self.fabric.policy)

    def _named(self, name: Known[str]) -> Policy | None:
        policies = self.fabric.policies if self.fabric else {}
        if is_known(name):
            return policies.get(name)
        return next(iter(policies.values())) if len(policies) == 1 else None

    def ends_everywhere(self) -> bool:
        """The intent has no RDMA unless something nearer says so."""
        return self.fabric is not None and self.fabric.policy is ABSENT

    def device(self, name: str) -> Device | None:
        """The device as intended."""
        return self.fabric.devices.get(name) if self.fabric else None

    def stand(self, device: Device, port: Port) -> Stand:
        """How an observed port stands in the intent."""
        if is_known(port.link_layer) and port.link_layer is LinkLayer.INFINIBAND:
            return Stand(None, None, is_rdma=False)
        planned = self.device(device.name)
        if planned is not None and planned.ports:
            return self._listed(planned.ports.get(port.name))
        if self.ends_everywhere():
            return Stand(None, None, is_rdma=False)
        return Stand(self.default(), None, is_rdma=takes_part(device, port))

    def _listed(self, planned: Port | None) -> Stand:
        if planned is None:
            return Stand(None, None, is_rdma=True)
        if planned.policy is ABSENT or (planned.policy is UNKNOWN and self.ends_everywhere()):
            return Stand(None, planned, is_rdma=False)
        policy = self._named(planned.policy) if is_known(planned.policy) else self.default()
        return Stand(policy, planned, is_rdma=True)


def takes_part(device: Device, port: Port) -> bool:
    """Whether a port that no intent names carries classes at all.

    A port that is down, or that the device's tables leave out altogether while
    nothing says that it is up, is unused (SONiC writes no row for such ports).
    """
    if port.admin_state is AdminState.DOWN:
        return False
    if is_known(device.platform) and device.platform in HOST_PLATFORMS:
        return True
    return port.admin_state is AdminState.UP or not _is_bare(port.qos)


def _is_bare(qos: PortQos) -> bool:
    """No classifying or pausing knob is set, and one table at least says so."""
    values = [getattr(qos, knob) for knob in QOS_KNOBS]
    return not any(is_known(value) for value in values) and ABSENT in values


def asic_of(device: Device, planned: Device | None) -> Known[str]:
    """Give the ASIC as found, else as planned, else as either's model tells."""
    records = [one for one in (device, planned) if one is not None]
    models = (asic_of_model(one.model) for one in records if is_known(one.model))
    return first_known(*(one.asic for one in records), *models)


def port_key(port: Port) -> tuple[object, ...]:
    """Give what makes two ports equal for rules: all but names and addresses."""
    return (
        port.speed_bps,
        port.operational_speed_bps,
        port.lanes,
        port.fec,
        port.autoneg,
        port.l2_mtu,
        port.ip_mtu,
        port.cable_m,
        port.admin_state,
        port.link_state,
        port.link_layer,
        port.qos,
    )


def device_key(device: Device) -> tuple[object, ...]:
    """Give what makes two devices equal for rules on ports."""
    return (
        device.role,
        device.tier,
        device.platform,
        device.variant,
        device.model,
        device.asic,
        device.qos,
        device.is_whole,
    )


class Gathered:
    """One observed fabric (and its plan) as views, built once."""

    def __init__(self, observed: Fabric, intended: Fabric | None) -> None:
        is_plan = observed.origin is Origin.INTENDED
        self.observed = observed
        self.plan = Plan(intended if intended is not None or not is_plan else observed)
        self.is_intended = is_plan
        self.links_in_use = links_of(observed, self.plan.fabric)
        self.lengths = {
            end: link.length_m for link in self.links_in_use for end in (link.a, link.b)
        }
        self.devices = {device.name: self._device(device) for device in observed.devices.values()}
        self.port_of: dict[PortRef, PortView] = {}
        self.ports = tuple(self._ports())
        self.rdma = tuple(self._rdma())
        self.links = tuple(self._links())

    def view(self) -> FabricView:
        """The fabric as a whole."""
        return FabricView(
            self.observed,
            self.plan.fabric,
            devices=tuple(self.devices.values()),
            ports=self.ports,
            rdma=self.rdma,
            links=self.links,
        )

    def intents(self) -> Iterator[IntentView]:
        """Each declared policy."""
        fabric = self.plan.fabric
        if fabric is None:
            return
        for policy in fabric.policies.values():
            place = Place(f"policy {policy.name}")
            yield IntentView(PolicyView(policy, place, is_intended=True), fabric)

    def _device(self, device: Device) -> DeviceView:
        policy = None if self.plan.ends_everywhere() else self.plan.default()
        planned = self.plan.device(device.name)
        for port in planned.ports.values() if planned else ():
            stand = self.plan.stand(device, port)
            policy = stand.policy or policy
        asic = asic_of(device, planned)
        return DeviceView(device, policy=policy, is_intended=self.is_intended, asic=asic)

    def _ports(self) -> Iterator[PortView]:
        groups: dict[object, list[PortRef]] = {}
        stands: dict[object, Stand] = {}
        for device in self.observed.devices.values():
            of_device = (*device_key(device), asic_of(device, self.plan.device(device.name)))
            for port in device.ports.values():
                end = PortRef(device.name, port.name)
                stand = self.plan.stand(device, port)
                of_plan = port_key(stand.intended) if stand.intended else None
                name = stand.policy.name if stand.policy else None
                length = self.lengths.get(end, UNKNOWN)
                key: object = (of_device, port_key(port), of_plan, name, stand.is_rdma, length)
                groups.setdefault(key, []).append(end)
                stands.setdefault(key, stand)
        for key, members in groups.items():
            yield self._group(tuple(members), stands[key])

    def _group(self, members: tuple[PortRef, ...], stand: Stand) -> PortView:
        first = members[0]
        device = self.devices[first.device]
        view = PortView(
            device.record.ports[first.port],
            device,
            members=members,
            policy=stand.policy,
            intended=stand.intended,
            is_rdma=stand.is_rdma,
            length_m=self.lengths.get(first, UNKNOWN),
        )
        self.port_of.update(dict.fromkeys(members, view))
        return view

    def _rdma(self) -> Iterator[RdmaView]:
        for device in self.devices.values():
            for rdma in device.record.rdma.values():
                ends = (PortRef(device.record.name, port) for port in rdma.ports)
                ports = tuple(self._alone(end) for end in ends if end in self.port_of)
                yield RdmaView(
                    rdma, device, ports=ports, policy=self._policy_of(device, rdma.ports)
                )

    def _alone(self, end: PortRef) -> PortView:
        return self.port_of[end].standing_for((end,))

    def _policy_of(self, device: DeviceView, ports: tuple[str, ...]) -> Policy | None:
        for port in ports:
            record = device.record.ports.get(port)
            if record is not None:
                return self.plan.stand(device.record, record).policy
        return self.plan.default()

    def _links(self) -> Iterator[LinkView]:
        groups: dict[object, list[Link]] = {}
        for link in self.links_in_use:
            ends = tuple(id(self.port_of.get(end)) for end in (link.a, link.b))
            key: object = (ends, link.length_m, link.extra_delay_ns, link.media)
            if self.port_of.get(link.a) is None or self.port_of.get(link.b) is None:
                key = (link,)
            groups.setdefault(key, []).append(link)
        for members in groups.values():
            first = members[0]
            yield LinkView(
                first,
                self._end(first.a, tuple(each.a for each in members)),
                self._end(first.b, tuple(each.b for each in members)),
            )

    def _end(self, end: PortRef, members: tuple[PortRef, ...]) -> PortView | None:
        view = self.port_of.get(end)
        return view.standing_for(members) if view else None


def links_of(observed: Fabric, plan: Fabric | None) -> tuple[Link, ...]:
    """Give the links of a fabric: as observed, else as neighbours tell, else as planned."""
    if observed.links:
        return observed.links
    told = tuple(sorted(_told_by_neighbours(observed), key=lambda each: (each.a, each.b)))
    if told:
        return told
    devices = observed.devices
    planned = plan.links if plan else ()
    return tuple(each for each in planned if each.a.device in devices or each.b.device in devices)


def _told_by_neighbours(fabric: Fabric) -> set[Link]:
    ends = (
        (PortRef(device.name, port.name), port.neighbour)
        for device in fabric.devices.values()
        for port in device.ports.values()
    )
    found = set()
    for here, neighbour in ends:
        if isinstance(neighbour, Missing) or neighbour.device not in fabric.devices:
            continue
        there = PortRef(neighbour.device, _port_called(fabric, neighbour.device, neighbour.port))
        a, b = sorted((here, there))
        found.add(Link(a, b))
    return found


def _port_called(fabric: Fabric, device: str, name: str) -> str:
    """Name of the port that LLDP calls ``name``: itself, or the one with that alias."""
    ports = fabric.devices[device].ports
    if name in ports:
        return name
    return next((port.name for port in ports.values() if port.alias == name), name)
