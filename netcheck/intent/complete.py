"""A deployable intent with everything said: defaults, computed values, policies expanded."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from functools import partial
from math import ceil
from operator import attrgetter

from netcheck.intent.cables import (
    HOST_CABLE_M,
    SWITCH_CABLE_M,
    Cable,
    Cables,
    complete_links,
)
from netcheck.intent.complaint import Complaints
from netcheck.intent.defaults import L2_MTU, complete_policy, lossless_classes
from netcheck.intent.hosts import (
    ETHERNET_BYTES,
    host_ip_mtu,
    host_qos,
    host_rdma,
)
from netcheck.intent.jobs import JobFacts, job_environment
from netcheck.intent.likeness import kind_of, port_like
from netcheck.intent.notes import Notes
from netcheck.intent.switches import (
    Surroundings,
    SwitchFacts,
    closed_qos,
    lanes_of,
    lossless_pool_bytes,
    switch_facts,
    switch_qos,
)
from netcheck.model.device import Device, LinkLayer, Port, RdmaDevice, Role
from netcheck.model.errors import InputError
from netcheck.model.fabric import Fabric, Policy
from netcheck.model.frozenmap import FrozenMap
from netcheck.model.known import ABSENT, UNKNOWN, first_known, is_known, known_or
from netcheck.model.qos import PortQos
from netcheck.platforms.knobs import knobs

INFINIBAND = LinkLayer.INFINIBAND
MANAGER = "opensm"  # platform of a host that runs a subnet manager, and no jobs
NONE: frozenset[str] = frozenset()
_POLICY = attrgetter("policy")


def complete(fabric: Fabric) -> Fabric:
    """Give the fabric with every policy expanded into its ports and hosts.

    What nobody said is listed in ``defaulted``, what was computed in
    ``derivations``. Buffer pools stay as they are. Completing twice gives
    the same.

    Raises:
        IntentError: A value can neither be defaulted nor computed.
    """
    notes = Notes()
    policies = {name: complete_policy(policy, notes) for name, policy in fabric.policies.items()}
    fabric = replace(fabric, policies=FrozenMap(policies), links=complete_links(fabric, notes))
    work = _Completion(fabric, notes)
    devices = {name: work.device(device) for name, device in fabric.devices.items()}
    work.complaints.raise_if_any()
    return replace(
        fabric,
        devices=FrozenMap(devices),
        defaulted=(
            *fabric.defaulted,
            *(one for one in notes.defaulted if one not in fabric.defaulted),
        ),
        derivations=fabric.derivations.with_items(notes.derivations),
    )


class _Completion:
    """Completes devices one by one; what several have in common is completed once."""

    def __init__(self, fabric: Fabric, notes: Notes) -> None:
        self.fabric = fabric
        self.notes = notes
        self.complaints = Complaints()
        self.qos: dict[tuple[str, Surroundings], PortQos] = {}
        self.host_qos: dict[tuple[str, frozenset[str]], PortQos] = {}
        # keyed by identity: what is in the fabric outlives this object
        self.named: dict[int, Port] = {}
        self.ports: dict[object, Port] = {}
        self.kinds: dict[object, Port] = {}
        self.stands: dict[object, int] = {}
        self.switches: dict[object, SwitchFacts] = {}
        self.drivers: dict[object, Mapping[str, frozenset[str]]] = {}
        self.rdma: dict[object, RdmaDevice] = {}
        self.cables = Cables(fabric, self._largest_frame)

    def device(self, device: Device) -> Device:
        """Give one device completed."""
        cables = self.cables.of(device.name)
        if device.role is Role.HOST:
            return self._host(device, cables)
        return self._switch(device, cables)

    def _ports(self, device: Device) -> Mapping[str, Port]:
        """The ports of a device, each with the fabric's policy where none is nearer."""
        said = set(map(_POLICY, device.ports.values()))
        if UNKNOWN not in said or self.fabric.policy is UNKNOWN:
            return device.ports
        return {name: self._with_policy(port) for name, port in device.ports.items()}

    def _with_policy(self, port: Port) -> Port:
        if port.policy is not UNKNOWN or self.fabric.policy is UNKNOWN:
            return port
        # kept, so that its identity can be a key
        found = self.named.get(id(port))
        if found is None:
            found = self.named[id(port)] = replace(port, policy=self.fabric.policy)
        return found

    def _policy(self, port: Port) -> Policy | None:
        if port.link_layer is LinkLayer.INFINIBAND or not is_known(port.policy):
            return None
        return self.fabric.policies.get(port.policy)

    def _alike(self, port: Port, around: object, work: Callable[[], Port]) -> Port:
        """Give a port completed: by ``work``, or like another of its kind that stands alike."""
        key = (kind_of(port), around)
        found = self.kinds.get(key)
        if found is not None:
            return port_like(found, port.name, port.address)
        found = work()
        if not self.complaints:
            self.kinds[key] = found
        return found

    def _host(self, device: Device, cables: Mapping[str, Cable]) -> Device:
        drivers = self._drivers(device)
        ports = {}
        for name, port in self._ports(device).items():
            cable = cables.get(name) or self.cables.unlinked(port, HOST_CABLE_M)
            here = drivers.get(name, NONE)
            work = partial(self._host_port, port, cable, here)
            ports[name] = self._alike(port, (id(cable), here), work)
        rdma = {name: self._rdma(ports, one) for name, one in device.rdma.items()}
        device = replace(device, ports=FrozenMap(ports), rdma=FrozenMap(rdma))
        return self._with_jobs(device) if rdma and self.fabric.jobs else device

    def _drivers(self, device: Device) -> Mapping[str, frozenset[str]]:
        """Drivers of the RDMA devices that use each port."""
        key = tuple(map(id, device.rdma.values()))
        found = self.drivers.get(key)
        if found is None:
            found = self.drivers[key] = _drivers(device)
        return found

    def _host_port(self, port: Port, cable: Cable, drivers: frozenset[str]) -> Port:
        policy = self._policy(port)
        if policy is None:
            return replace(port, qos=closed_qos(port)) if port.policy is ABSENT else port
        key = (policy.name, drivers)
        if key not in self.host_qos:
            self.host_qos[key] = host_qos(policy, drivers)
        return replace(
            port,
            speed_bps=first_known(port.speed_bps, cable.far.speed_bps),
            ip_mtu=host_ip_mtu(port, policy, self.notes),
            cable_m=first_known(port.cable_m, ceil(cable.length_m)),
            link_layer=LinkLayer.ETHERNET,
            qos=self.host_qos[key],
        )

    def _rdma(self, ports: Mapping[str, Port], one: RdmaDevice) -> RdmaDevice:
        port = ports.get(one.ports[0]) if one.ports else None
        policy = self._policy(port) if port else None
        if port is None or policy is None:
            return one
        ip_mtu = known_or(port.ip_mtu, L2_MTU)
        key = (id(one), policy.name, ip_mtu)
        found = self.rdma.get(key)
        if found is None:
            found = self.rdma[key] = host_rdma(one, policy, ip_mtu, self.notes)
        return found

    def _with_jobs(self, device: Device) -> Device:
        if device.platform == MANAGER:
            return device  # nothing but its subnet manager's files is given to it
        roce = tuple(self._under_policy(device))
        rdma = roce or tuple(
            one for one in device.rdma.values() if one.link_layer is LinkLayer.INFINIBAND
        )
        versions = {policy.roce_version for policy in self.fabric.policies.values()}
        facts = JobFacts(device, rdma, 1 if versions == {1} else 2)
        environment = job_environment(facts, self.fabric.jobs, self.notes)
        return replace(device, host=replace(device.host, environment=environment))

    def _under_policy(self, device: Device) -> Iterator[RdmaDevice]:
        """RDMA devices that one job can use: all that mark alike; lossless ones before others."""
        found = [
            (one, policy)
            for one in device.rdma.values()
            if one.ports and (policy := self._policy(device.ports[one.ports[0]]))
        ]
        best = [one for one, policy in found if lossless_classes(policy)] or [
            one for one, _ in found
        ]
        return (one for one, _ in found if one.rdma_cm_tos == best[0].rdma_cm_tos)

    def _switch(self, device: Device, cables: Mapping[str, Cable]) -> Device:
        ports = self._ports(device)
        switch = self._facts(device, ports)
        stand = (switch.asic, switch.has_shared_headroom, device.platform)
        around = self.stands.setdefault(stand, len(self.stands))
        completed = {}
        for name, port in ports.items():
            cable = cables.get(name) or self.cables.unlinked(port, SWITCH_CABLE_M)
            key = (id(port), around, id(cable))
            found = self.ports.get(key)
            if found is None:
                work = partial(self._switch_port, device, switch, port, cable)
                found = self._alike(port, (around, id(cable)), work)
                if not self.complaints:
                    self.ports[key] = found
            completed[name] = found
        return replace(device, asic=switch.asic, qos=switch.qos, ports=FrozenMap(completed))

    def _facts(self, device: Device, ports: Mapping[str, Port]) -> SwitchFacts:
        """What holds for a switch as a whole; the same for switches with the same policies."""
        used = self._policies(ports.values())
        names = tuple([policy.name for policy in used])
        key = (device.asic, device.model, device.platform, id(device.qos), names)
        found = self.switches.get(key)
        if found is None:
            found = self.switches[key] = switch_facts(device, used, self.notes)
        return found

    def _policies(self, ports: Iterable[Port]) -> list[Policy]:
        """The policies of ports, each once."""
        by_name = {port.policy: port for port in ports if port.link_layer is not INFINIBAND}
        found = {name: policy for name, port in by_name.items() if (policy := self._policy(port))}
        return list(found.values())

    def _switch_port(self, device: Device, switch: SwitchFacts, port: Port, cable: Cable) -> Port:
        policy = self._policy(port)
        if policy is None:
            return replace(port, qos=closed_qos(port)) if port.policy is ABSENT else port
        speed = first_known(port.speed_bps, cable.far.speed_bps)
        if not is_known(speed):
            self._complain(device, port, "has no speed, needed for headroom")
            return port
        l2_mtu = known_or(first_known(port.l2_mtu, policy.l2_mtu), L2_MTU)
        cable_m = first_known(port.cable_m, ceil(cable.length_m))
        asic = known_or(switch.asic, "")
        around = Surroundings(
            asic=asic,
            speed_bps=speed,
            lanes=lanes_of(port, asic, speed, self.notes),
            cable_m=float(max(known_or(cable_m, 0), cable.length_m)),
            extra_delay_ns=cable.extra_delay_ns,
            l2_mtu=max(l2_mtu, cable.far.largest_frame),
            has_shared_headroom=switch.has_shared_headroom,
            knobs=knobs(device.platform),
            pool_bytes=lossless_pool_bytes(device),
        )
        qos = self._shared_qos(device, port, policy, around)
        is_unpaused = around.knobs.is_cable_of_pfc and not known_or(qos.pfc_tx, frozenset())
        return replace(
            port,
            speed_bps=speed,
            l2_mtu=l2_mtu,
            ip_mtu=first_known(port.ip_mtu, policy.ip_mtu),
            # what the device cannot hold is not asked of it; said of the port, it is refused
            cable_m=port.cable_m if around.knobs.is_cable_unknown or is_unpaused else cable_m,
            link_layer=LinkLayer.ETHERNET,
            qos=qos,
        )

    def _largest_frame(self, port: Port) -> int:
        """Largest frame that a port may send, as far as its intent says; else 0."""
        policy = self._policy(self._with_policy(port))
        said = first_known(port.l2_mtu, policy.l2_mtu if policy else UNKNOWN)
        ip_mtu = first_known(port.ip_mtu, policy.ip_mtu if policy else UNKNOWN)
        return max(known_or(said, 0), known_or(ip_mtu, -ETHERNET_BYTES) + ETHERNET_BYTES)

    def _shared_qos(
        self, device: Device, port: Port, policy: Policy, around: Surroundings
    ) -> PortQos:
        key = (policy.name, around)
        if key not in self.qos:
            try:
                self.qos[key] = switch_qos(policy, around, self.notes)
            except InputError as error:
                self._complain(device, port, str(error))
                return port.qos
        return self.qos[key]

    def _complain(self, device: Device, port: Port, message: str) -> None:
        at = device.find_evidence(f"port {port.name}")
        self.complaints.add_port(at, device.name, port.name, message)


def _drivers(device: Device) -> dict[str, frozenset[str]]:
    """Drivers of the RDMA devices that use each port."""
    found: dict[str, frozenset[str]] = {}
    for one in device.rdma.values():
        if is_known(one.driver):
            for port in one.ports:
                found[port] = found.get(port, NONE) | {one.driver}
    return found
