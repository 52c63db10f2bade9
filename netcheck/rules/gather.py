"""Fabrics as views: equal things are put together, so that they are judged once."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, fields, replace
from functools import cached_property
from operator import attrgetter
from typing import NamedTuple

from netcheck.lossless.asics import asic_of_model
from netcheck.model.device import AdminState, Device, LinkLayer, Port, RdmaDevice
from netcheck.model.fabric import Delivery, Fabric, Link, Origin, Policy, PortRef
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
    rdma_place,
)
from netcheck.rules.index import ByPort

QOS_KNOBS = (
    "trust",
    "dscp_to_priority",
    "pcp_to_priority",
    "priority_to_queue",
    "pfc_rx",
    "pfc_tx",
)
# what tells a device from others that are alike, or is looked at by other keys
APART = frozenset({"name", "mgmt", "mgmt_port", "credentials", "evidence", "ports", "rdma"})
_OF_DEVICE = attrgetter(*(each.name for each in fields(Device) if each.name not in APART))
_OF_PORT = attrgetter(
    "speed_bps",
    "operational_speed_bps",
    "lanes",
    "fec",
    "autoneg",
    "l2_mtu",
    "ip_mtu",
    "cable_m",
    "admin_state",
    "link_state",
    "link_layer",
)
_QOS = attrgetter("qos")
_LINK_LAYER = attrgetter("link_layer")


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
        planned = self.device(device.name)
        if planned is not None and planned.ports:
            listed = planned.ports.get(port.name)
            return (
                Stand(None, None, is_rdma=_is_ethernet(port))
                if listed is None
                else self.stand_as(port, listed)
            )
        if self.ends_everywhere() or not _is_ethernet(port):
            return Stand(None, None, is_rdma=False)
        return Stand(self.default(), None, is_rdma=takes_part(device, port))

    def stand_as(self, port: Port, planned: Port) -> Stand:
        """How an observed port stands in the intent that lists it as ``planned``."""
        if not _is_ethernet(port):
            return Stand(None, None, is_rdma=False)
        if planned.policy is ABSENT or (planned.policy is UNKNOWN and self.ends_everywhere()):
            return Stand(None, planned, is_rdma=False)
        policy = self._named(planned.policy) if is_known(planned.policy) else self.default()
        return Stand(policy, planned, is_rdma=True)


def _is_ethernet(port: Port) -> bool:
    """Whether a port is an Ethernet port, as far as is known."""
    return port.link_layer is not LinkLayer.INFINIBAND


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


def _has_lossless(policy: Policy) -> bool:
    return any(each.delivery is Delivery.LOSSLESS for each in policy.classes.values())


def qos_of_ports(device: Device) -> Iterable[PortQos]:
    """What rules on devices see of its ports: what they hold, names and numbers aside."""
    held = list(map(_QOS, device.ports.values()))
    return dict(zip(map(id, held), held, strict=True)).values()


def has_infiniband(device: Device) -> bool:
    """Whether one of its ports is an InfiniBand port."""
    return LinkLayer.INFINIBAND in set(map(_LINK_LAYER, device.ports.values()))


def _is_bare(qos: PortQos) -> bool:
    """No classifying or pausing knob is set, and one table at least says so."""
    values = [getattr(qos, knob) for knob in QOS_KNOBS]
    return not any(is_known(value) for value in values) and ABSENT in values


def asic_of(device: Device, planned: Device | None) -> Known[str]:
    """Give the ASIC as found, else as planned, else as either's model tells."""
    records = (device,) if planned is None else (device, planned)
    said = first_known(*[one.asic for one in records])
    if said is not UNKNOWN:
        return said
    return first_known(*[asic_of_model(one.model) for one in records if is_known(one.model)])


class Tokens:
    """Small numbers for equal records: each object is hashed once, each port then cheaply."""

    def __init__(self) -> None:
        self._by_id: dict[int, int] = {}
        self._by_value: dict[object, int] = {}

    def of(self, record: object) -> int:
        """Number of a record that outlives this object; equal records have the same."""
        token = self._by_id.get(id(record))
        if token is None:
            token = self._by_value.setdefault(record, len(self._by_value))
            self._by_id[id(record)] = token
        return token

    def of_key(self, key: object) -> int:
        """Number of a key made for the purpose, which does not outlive the call."""
        return self._by_value.setdefault(key, len(self._by_value))


def port_key(port: Port, tokens: Tokens) -> tuple[object, ...]:
    """Give what makes two ports equal for rules: all but names and addresses."""
    return (*_OF_PORT(port), tokens.of(port.qos))


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


def _as_it_stands(
    own: tuple[object, ...], planned: tuple[object, ...] | None, stand: Stand
) -> tuple[object, ...]:
    """Key of a port by what it holds, what it is to hold, and how it stands in the intent."""
    return (*own, planned, stand.policy.name if stand.policy else None, stand.is_rdma)


def _nothing(_name: str) -> None:
    """A port of a device that has no plan."""


class Gathered:
    """One observed fabric (and its plan) as views, built once.

    Attributes:
        port_of: The view that a port is a member of.
        ports, rdma, links: Groups with equal facts.
    """

    def __init__(self, observed: Fabric, intended: Fabric | None) -> None:
        is_plan = observed.origin is Origin.INTENDED
        self.observed = observed
        self.plan = Plan(intended if intended is not None or not is_plan else observed)
        self.is_intended = is_plan
        self.tokens = Tokens()
        self.links_in_use = links_of(observed, self.plan.fabric)
        self.lengths = ByPort(
            (end, link.length_m) for link in self.links_in_use for end in (link.a, link.b)
        )
        self._devices: dict[str, DeviceView] = {}
        self.port_of: ByPort[PortView] = ByPort()
        self.ports = tuple(self._ports())
        self.rdma = tuple(self._rdma())
        self.links = tuple(self._links())

    @cached_property
    def whole(self) -> FabricView:
        """The fabric as a whole."""
        return FabricView(
            self.observed,
            self.plan.fabric,
            devices=self.devices,
            ports=self.ports,
            rdma=self.rdma,
            links=self.links,
            port_of=self.port_of,
        )

    def intents(self) -> Iterator[IntentView]:
        """Each declared policy."""
        fabric = self.plan.fabric
        if fabric is None:
            return
        for policy in fabric.policies.values():
            place = Place(f"policy {policy.name}")
            yield IntentView(PolicyView(policy, place, is_intended=True), fabric)

    @cached_property
    def devices(self) -> tuple[DeviceView, ...]:
        """Every device for itself."""
        return tuple(map(self.device, self.observed.devices))

    @cached_property
    def alike(self) -> tuple[DeviceView, ...]:
        """Devices of an intent that are alike together; any other device for itself."""
        if not self.is_intended:
            return self.devices
        groups: dict[object, list[str]] = {}
        for device in self.observed.devices.values():
            groups.setdefault(self._kind_of(device), []).append(device.name)
        return tuple(
            self._view_of(members[0], tuple(members))
            if len(members) > 1
            else self.device(members[0])
            for members in groups.values()
        )

    def group_devices(self) -> None:
        """Make the views of devices and of the fabric, which else are made when asked for."""
        _ = self.alike, self.whole

    def _kind_of(self, device: Device) -> int:
        name = device.name if has_infiniband(device) else ""
        policy = self._policy_of_device(device)
        ports = frozenset(map(self.tokens.of, qos_of_ports(device)))
        return self.tokens.of_key(
            (name, policy.name if policy else None, ports, _OF_DEVICE(device))
        )

    def device(self, name: str) -> DeviceView:
        """Give one device."""
        found = self._devices.get(name)
        if found is None:
            found = self._devices[name] = self._view_of(name)
        return found

    def _view_of(self, name: str, members: tuple[str, ...] = ()) -> DeviceView:
        device = self.observed.devices[name]
        return DeviceView(
            device,
            policy=self._policy_of_device(device),
            members=members,
            is_intended=self.is_intended,
            asic=asic_of(device, self.plan.device(name)),
        )

    def _policy_of_device(self, device: Device) -> Policy | None:
        """The fabric's policy, else that of the first port whose policy has a lossless class."""
        policy = None if self.plan.ends_everywhere() else self.plan.default()
        planned = self.plan.device(device.name)
        for port in planned.ports.values() if planned else ():
            if policy is not None and _has_lossless(policy):
                break
            policy = self.plan.stand(device, port).policy or policy
        return policy

    def _ports(self) -> Iterator[PortView]:
        groups: dict[object, list[PortRef]] = {}
        numbers: dict[object, int] = {}
        plan, tokens = self.plan, self.tokens
        for device in self.observed.devices.values():
            planned = plan.device(device.name)
            planned_port = planned.ports.finder if planned else _nothing
            of_device = tokens.of_key((*device_key(device), asic_of(device, planned)))
            length_of = self.lengths.here(device.name).get
            for name, port in device.ports.items():
                # ports of the plan outlive this object; one without a plan is of its own
                intended = planned_port(name)
                both: object = id(port) if intended is port else (id(port), id(intended))
                number = numbers.get(both) if intended else None
                if number is None:
                    number = numbers[both] = (
                        self._number_in_plan(port, numbers)
                        if intended is port
                        else tokens.of_key(self._port_key(device, port, intended))
                    )
                key = (of_device, number, length_of(name, UNKNOWN))
                members = groups.get(key)
                if members is None:
                    members = groups[key] = []
                members.append(PortRef(device.name, name))
        return map(self._group, map(tuple, groups.values()))

    def _number_in_plan(self, port: Port, numbers: dict[object, int]) -> int:
        """Number of a port that is the plan's own: most follow from what few are alike in."""
        own = port_key(port, self.tokens)
        alike = (own, port.policy)
        number = numbers.get(alike)
        if number is None:
            stand = self.plan.stand_as(port, port)
            number = numbers[alike] = self.tokens.of_key(_as_it_stands(own, own, stand))
        return number

    def _port_key(self, device: Device, port: Port, intended: Port | None) -> tuple[object, ...]:
        own = port_key(port, self.tokens)
        if intended is None:
            return _as_it_stands(own, None, self.plan.stand(device, port))
        stand = self.plan.stand_as(port, intended)
        planned = None if stand.intended is None else port_key(stand.intended, self.tokens)
        return _as_it_stands(own, planned, stand)

    def _group(self, members: tuple[PortRef, ...]) -> PortView:
        first = members[0]
        device = self.device(first.device)
        port = device.record.ports[first.port]
        stand = self.plan.stand(device.record, port)
        view = PortView(
            port,
            device,
            members=members,
            policy=stand.policy,
            intended=stand.intended,
            is_rdma=stand.is_rdma,
            length_m=self.lengths.here(first.device).get(first.port, UNKNOWN),
        )
        for end in members:
            self.port_of.put(end, view)
        return view

    def _rdma(self) -> Iterator[RdmaView]:
        groups: dict[object, list[PortRef]] = {}
        plain: dict[int, int] = {}
        for device in self.observed.devices.values():
            if not device.rdma:
                continue
            name, environment = device.name, device.host.environment
            of_device = self._rdma_device_key(device)
            chooses = is_known(environment) and any("GID" in name for name in environment)
            ports = self.port_of.here(name)
            for rdma in device.rdma.values():
                number = plain.get(id(rdma))
                if number is None:
                    number = plain[id(rdma)] = self._rdma_number(rdma)
                # with its ports, their policy is the same too
                used = tuple([id(ports.get(port)) for port in rdma.ports])
                key = (of_device, number, used, rdma.gids if chooses else None)
                members = groups.get(key)
                if members is None:
                    members = groups[key] = []
                members.append(PortRef(name, rdma.name))
        return map(self._rdma_group, map(tuple, groups.values()))

    def _rdma_device_key(self, device: Device) -> int:
        return self.tokens.of_key((device.role, device.platform, device.host.environment))

    def _rdma_number(self, rdma: RdmaDevice) -> int:
        """Equal but for names and addresses; those count only where a job chooses by index."""
        # the address of a port that is up says nothing that rules compare
        lid = UNKNOWN if rdma.link_state is AdminState.UP else rdma.lid
        bare = replace(rdma, node_guid=UNKNOWN, port_guid=UNKNOWN, lid=lid)
        return self.tokens.of_key(replace(bare, name="", ports=(), gids=UNKNOWN, firmware=UNKNOWN))

    def _rdma_group(self, members: tuple[PortRef, ...]) -> RdmaView:
        device = self.device(members[0].device)
        rdma = device.record.rdma[members[0].port]
        ends = (PortRef(device.record.name, port) for port in rdma.ports)
        ports = tuple(self.port_of[end].standing_for((end,)) for end in ends if end in self.port_of)
        places = tuple(
            rdma_place(end.device, self.observed.devices[end.device].rdma[end.port])
            for end in members
        )
        is_ethernet = rdma.link_layer is not LinkLayer.INFINIBAND  # policies are for RoCE
        policy = self._policy_of(device.record, rdma.ports) if is_ethernet else None
        return RdmaView(rdma, device, ports=ports, policy=policy, members=places)

    def _policy_of(self, device: Device, ports: tuple[str, ...]) -> Policy | None:
        for port in ports:
            record = device.ports.get(port)
            if record is not None:
                return self.plan.stand(device, record).policy
        return self.plan.default()

    def _links(self) -> Iterator[LinkView]:
        groups: dict[object, list[Link]] = {}
        views, nothing = self.port_of.by_device(), dict[str, PortView]()
        for link in self.links_in_use:
            (a_device, a_port), (b_device, b_port) = link.a, link.b
            a = views.get(a_device, nothing).get(a_port)
            b = views.get(b_device, nothing).get(b_port)
            key: object = (id(a), id(b), link.length_m, link.extra_delay_ns, link.media)
            if a is None or b is None:
                key = (link,)
            members = groups.get(key)
            if members is None:
                members = groups[key] = []
            members.append(link)
        for alike in groups.values():
            first = alike[0]
            yield LinkView(
                first,
                self._end(first.a, tuple([each.a for each in alike])),
                self._end(first.b, tuple([each.b for each in alike])),
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
