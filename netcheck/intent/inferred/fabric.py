"""What devices hold, as the intent that they would follow.

Policies are found from switches first; a host follows one of theirs where what
it holds does not contradict it. What no intent says stays behind.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from netcheck.compare.compare import differences
from netcheck.intent.defaults import complete_policy
from netcheck.intent.hosts import host_ip_mtu, host_qos, host_rdma
from netcheck.intent.inferred.classes import Around, is_closed, marks_as_computed, policy_of
from netcheck.intent.inferred.policies import Joined, join, most_common
from netcheck.intent.inferred.subnets import subnets_of
from netcheck.intent.notes import Notes
from netcheck.intent.switches import lossless_pool_bytes
from netcheck.model.device import (
    AdminState,
    CongestionControl,
    Device,
    LinkLayer,
    Port,
    RdmaDevice,
    Role,
)
from netcheck.model.fabric import Aggregate, Fabric, Link, Policy, PortRef
from netcheck.model.frozenmap import FrozenMap
from netcheck.model.known import ABSENT, UNKNOWN, Known, first_known, is_known, known_or
from netcheck.model.qos import DeviceQos, PortQos
from netcheck.platforms.knobs import knobs

HOST_NAME = "hosts"
NONE: frozenset[int] = frozenset()


def inferred(observed: Fabric, *, name: str) -> Fabric:
    """Give the intent of a fabric from what its devices were seen to hold.

    Args:
        observed: Devices and links as configurations and outputs show them.
        name: What the fabric is called.
    """
    return _Inference(observed, name).fabric()


@dataclass
class _Inference:
    observed: Fabric
    name: str
    far: dict[PortRef, PortRef] = field(default_factory=dict)
    found: dict[PortRef, Policy] = field(default_factory=dict)
    is_auto: dict[Policy, bool] = field(default_factory=dict)

    def fabric(self) -> Fabric:
        """Put the intent together."""
        for link in self.observed.links:
            self.far |= {link.a: link.b, link.b: link.a}
        switches = [one for one in self.observed.devices.values() if one.role is not Role.HOST]
        hosts = [one for one in self.observed.devices.values() if one.role is Role.HOST]
        for device in [*switches, *hosts]:
            self.found |= self._policies_of(device)
        joined = self._joined(switches)
        names = self._named_ports(switches, joined)
        policies = self._with_mtus(joined.policies, names)
        own = self._hosts(hosts, policies, names)
        policies = {**policies, **own}
        default = most_common(list(names.values()))
        devices = {
            one.name: self._device(one, policies, names, default)
            for one in self.observed.devices.values()
        }
        return Fabric(
            self.name,
            devices=FrozenMap(devices),
            links=tuple(_plain(one) for one in self.observed.links),
            aggregates=tuple(self._aggregates(devices.values())),
            policies=FrozenMap(policies),
            policy=default,
            subnets=subnets_of(self.observed.devices.values()),
            jobs=self._jobs(hosts),
        )

    def _policies_of(self, device: Device) -> dict[PortRef, Policy]:
        """The nameless policy of each port that tells of one."""
        drivers, points = _adapters(device)
        whole = device.qos.get("", DeviceQos())
        cnp = {one.congestion_control.cnp_dscp for one in device.rdma.values()}
        found = {}
        for port in device.ports.values():
            if port.link_layer is LinkLayer.INFINIBAND:
                continue
            around = Around(
                whole,
                self._speed(device, port),
                drivers=drivers.get(port.name, frozenset()),
                is_host=device.role is Role.HOST,
                pool_bytes=lossless_pool_bytes(device),
                knobs=knobs(device.platform),
                points=points.get(port.name, UNKNOWN),
            )
            known = frozenset(one for one in cnp if is_known(one))
            around = around._replace(cnp_dscps=known or self._cnp_dscps)
            policy = policy_of(port.qos, around)
            if policy is not None:
                found[PortRef(device.name, port.name)] = policy
                is_auto = marks_as_computed(policy, around)
                self.is_auto[policy] = is_auto and self.is_auto.get(policy, True)
        return found

    @property
    def _cnp_dscps(self) -> frozenset[int]:
        """Marks of CNPs that any NIC of the fabric tells; else that which NICs come with."""
        told = {
            one.congestion_control.cnp_dscp
            for device in self.observed.devices.values()
            for one in device.rdma.values()
        }
        return frozenset(one for one in told if is_known(one)) or Around().cnp_dscps

    def _speed(self, device: Device, port: Port) -> Known[int]:
        """Speed as configured, else as it runs, else that of the far end."""
        own = first_known(port.speed_bps, port.operational_speed_bps)
        there = self.far.get(PortRef(device.name, port.name))
        if is_known(own) or there is None:
            return own
        other = self.observed.devices[there.device].ports.get(there.port, Port(""))
        return first_known(other.speed_bps, other.operational_speed_bps)

    def _joined(self, switches: Sequence[Device]) -> Joined:
        used = [
            policy
            for device in switches
            for port in device.ports
            if (policy := self.found.get(PortRef(device.name, port))) and not is_closed(policy)
        ]
        return join(used, is_auto=self.is_auto)

    def _named_ports(self, switches: Sequence[Device], joined: Joined) -> dict[PortRef, Known[str]]:
        names: dict[PortRef, Known[str]] = {}
        for device in switches:
            for port in device.ports:
                at = PortRef(device.name, port)
                policy = self.found.get(at)
                if policy is not None:
                    names[at] = ABSENT if is_closed(policy) else joined.names[policy]
        return names

    def _with_mtus(
        self, policies: Mapping[str, Policy], names: Mapping[PortRef, Known[str]]
    ) -> dict[str, Policy]:
        """Policies with the frame size that most of their ports have."""
        sizes: dict[str, list[Known[int]]] = {}
        for at, name in names.items():
            if is_known(name):
                sizes.setdefault(name, []).append(self._port(at).l2_mtu)
        return {
            name: replace(one, l2_mtu=most_common(sizes.get(name, [])))
            for name, one in policies.items()
        }

    def _port(self, at: PortRef) -> Port:
        return self.observed.devices[at.device].ports[at.port]

    def _hosts(
        self,
        hosts: Sequence[Device],
        policies: Mapping[str, Policy],
        names: dict[PortRef, Known[str]],
    ) -> dict[str, Policy]:
        """Name the policy of each host port; give those that no switch has."""
        alone: list[Policy] = []
        left: list[PortRef] = []
        for device in hosts:
            for port in _rdma_ports(device):
                at = PortRef(device.name, port.name)
                policy = self.found.get(at)
                if policy is None:
                    continue
                if is_closed(policy):
                    names[at] = ABSENT
                    continue
                fitting = self._fitting(device, port, policies, names.get(self.far.get(at, at)))
                if fitting:
                    names[at] = fitting
                else:
                    alone.append(policy)
                    left.append(at)
        joined = join(alone, name=HOST_NAME)
        names |= {at: joined.names[self.found[at]] for at in left}
        return dict(joined.policies)

    def _fitting(
        self,
        device: Device,
        port: Port,
        policies: Mapping[str, Policy],
        near: Known[str] | None,
    ) -> str:
        """Name of a policy that the port does not contradict, that of its switch first."""
        first = [near] if isinstance(near, str) else []
        for name in dict.fromkeys([*first, *policies]):
            if fits(device, port, policies[name]):
                return name
        return ""

    def _device(
        self,
        device: Device,
        policies: Mapping[str, Policy],
        names: Mapping[PortRef, Known[str]],
        default: Known[str],
    ) -> Device:
        kept = {}
        used = {port for one in device.rdma.values() for port in one.ports}
        for port in device.ports.values():
            at = PortRef(device.name, port.name)
            is_cabled = at in self.far
            if at in names or port.name in used or is_cabled:
                name = names.get(at, UNKNOWN)
                kept[port.name] = self._intended(device, port, name, policies, default)
        rdma = {
            one.name: _adapter(device, one, self._policy(device, one, names, policies))
            for one in device.rdma.values()
        }
        qos = device.qos.get("", DeviceQos())
        said = DeviceQos(pools=qos.pools, oversubscription=qos.oversubscription)
        return Device(
            device.name,
            role=device.role,
            platform=device.platform,
            variant=device.variant,
            model=device.model,
            asic=UNKNOWN if is_known(device.model) else device.asic,
            os_version=device.os_version,
            mgmt=device.mgmt,
            qos=FrozenMap({"": said}),
            ports=FrozenMap(kept),
            rdma=FrozenMap(rdma),
            node_guid=device.node_guid,
        )

    def _policy(
        self,
        device: Device,
        one: RdmaDevice,
        names: Mapping[PortRef, Known[str]],
        policies: Mapping[str, Policy],
    ) -> Policy | None:
        name = names.get(PortRef(device.name, one.ports[0]), UNKNOWN) if one.ports else UNKNOWN
        return policies[name] if is_known(name) else None

    def _intended(
        self,
        device: Device,
        port: Port,
        name: Known[str],
        policies: Mapping[str, Policy],
        default: Known[str],
    ) -> Port:
        policy = policies[name] if is_known(name) else Policy("")
        is_host = device.role is Role.HOST
        l2_mtu = UNKNOWN if is_host or port.l2_mtu == policy.l2_mtu else port.l2_mtu
        return Port(
            port.name,
            speed_bps=self._speed(device, port),
            lanes=UNKNOWN if is_host else port.lanes,
            fec=port.fec if not is_host else UNKNOWN,
            l2_mtu=l2_mtu,
            ip_mtu=_ip_mtu(port, policy, is_host=is_host),
            cable_m=port.cable_m,
            admin_state=UNKNOWN if port.admin_state is AdminState.UP else port.admin_state,
            link_layer=_link_layer(port),
            address=port.address,
            policy=UNKNOWN if name == default else name,
        )

    def _aggregates(self, intended: Iterable[Device]) -> Iterator[Aggregate]:
        """Aggregates of the ports that the intent has."""
        for device in intended:
            members: dict[str, list[str]] = {}
            for port in device.ports:
                name = self._port(PortRef(device.name, port)).aggregate
                if is_known(name):
                    members.setdefault(name, []).append(port)
            for name, ports in members.items():
                yield Aggregate(name, device.name, tuple(ports))

    def _jobs(self, hosts: Sequence[Device]) -> FrozenMap[str, FrozenMap[str, str]]:
        """Variables of jobs that all hosts which state them state alike."""
        said: dict[str, set[str]] = {}
        for device in hosts:
            for variable, value in known_or(device.host.environment, FrozenMap()).items():
                said.setdefault(variable, set()).add(value)
        families: dict[str, dict[str, str]] = {}
        for variable, values in said.items():
            family = variable.partition("_")[0].lower()
            # of an intent ``auto`` is another word: it asks for a value to be computed
            if len(values) == 1 and family in {"nccl", "ucx"} and values != {"auto"}:
                families.setdefault(family, {})[variable] = next(iter(values))
        return FrozenMap({family: FrozenMap(one) for family, one in families.items()})


def fits(device: Device, port: Port, policy: Policy) -> bool:
    """Whether nothing that a host's port is known to hold contradicts a policy."""
    notes = Notes()
    whole = complete_policy(policy, notes)
    drivers, _ = _adapters(device)
    wanted = host_qos(whole, drivers.get(port.name, frozenset()))
    adapters = [one for one in device.rdma.values() if port.name in one.ports]
    return _agrees(wanted, port.qos) and all(
        _agrees(
            host_rdma(_bare(one), whole, known_or(port.ip_mtu, 9000), notes).congestion_control,
            one.congestion_control,
        )
        for one in adapters
    )


def _bare(one: RdmaDevice) -> RdmaDevice:
    return RdmaDevice(one.name, one.ports, driver=one.driver)


def _agrees(wanted: PortQos | CongestionControl, held: PortQos | CongestionControl) -> bool:
    return all(one.found is UNKNOWN for one in differences(wanted, held))


def _adapters(
    device: Device,
) -> tuple[dict[str, frozenset[str]], dict[str, Known[frozenset[int]]]]:
    """Give ``port -> drivers`` and ``port -> priorities on which marks are answered``."""
    drivers: dict[str, frozenset[str]] = {}
    points: dict[str, Known[frozenset[int]]] = {}
    for one in device.rdma.values():
        for port in one.ports:
            own = frozenset({one.driver}) if is_known(one.driver) else frozenset()
            drivers[port] = drivers.get(port, frozenset()) | own
            told = one.congestion_control.notification_point
            points[port] = first_known(points.get(port, UNKNOWN), told)
    return drivers, points


def _rdma_ports(device: Device) -> Iterator[Port]:
    for name in dict.fromkeys(port for one in device.rdma.values() for port in one.ports):
        if name in device.ports:
            yield device.ports[name]


def _ip_mtu(port: Port, policy: Policy, *, is_host: bool) -> Known[int]:
    if not is_host or not is_known(port.ip_mtu):
        return port.ip_mtu
    usual = host_ip_mtu(Port(port.name), complete_policy(policy, Notes()), Notes())
    return UNKNOWN if port.ip_mtu == usual else port.ip_mtu


def _link_layer(port: Port) -> Known[LinkLayer]:
    """Ethernet is what an intent takes a port for."""
    return UNKNOWN if port.link_layer is LinkLayer.ETHERNET else port.link_layer


def _adapter(device: Device, one: RdmaDevice, policy: Policy | None) -> RdmaDevice:
    port = device.ports.get(one.ports[0], Port("")) if one.ports else Port("")
    computed = _bare(one)
    if policy is not None:
        ip_mtu = known_or(port.ip_mtu, 9000)
        computed = host_rdma(_bare(one), complete_policy(policy, Notes()), ip_mtu, Notes())
    is_infiniband = one.link_layer is LinkLayer.INFINIBAND
    return RdmaDevice(
        one.name,
        one.ports,
        driver=one.driver,
        function=one.function,
        owner=one.owner,
        link_layer=one.link_layer if is_infiniband else UNKNOWN,
        traffic_class=_unless(computed.traffic_class, one.traffic_class),
        rdma_cm_tos=_unless(computed.rdma_cm_tos, one.rdma_cm_tos),
        congestion_control=CongestionControl(algorithm=one.congestion_control.algorithm),
        port_guid=one.port_guid if is_infiniband else UNKNOWN,
        node_guid=one.node_guid if is_infiniband else UNKNOWN,
    )


def _unless(computed: Known[int], held: Known[int]) -> Known[int]:
    return UNKNOWN if computed == held else held


def _plain(link: Link) -> Link:
    return Link(link.a, link.b, link.length_m, link.extra_delay_ns, link.media)
