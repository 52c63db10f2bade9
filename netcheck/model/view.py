"""What rules read: devices, ports, RDMA devices and links as views.

A port view stands for all ports with equal facts; it is judged once. Switch
priority, PFC priority, queue and priority group stay apart: ``queue_of`` and
``priority_group_of`` follow the maps of the port.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cached_property
from typing import NamedTuple

from netcheck.model.counters import Counter, CounterKey
from netcheck.model.device import (
    AdminState,
    Defect,
    Device,
    Gid,
    LinkLayer,
    Neighbour,
    Port,
    RdmaDevice,
    Role,
)
from netcheck.model.fabric import Fabric, Link, Policy, PortRef
from netcheck.model.fact import (
    NotGivenError,
    Read,
    ReadView,
    ReadViews,
    UnknownAtError,
    View,
    is_readable,
)
from netcheck.model.finding import Place
from netcheck.model.frozenmap import FrozenMap
from netcheck.model.known import UNKNOWN, Known, first_known, is_known
from netcheck.model.qos import DcbxMode, PfcMode, Trust
from netcheck.model.records import (
    NO_MAP,
    NOTHING,
    BufferView,
    DeviceQosView,
    EcnView,
    PolicyView,
    SchedulerView,
    WatchdogView,
)

HOST_PLATFORMS = frozenset({"linux", "esxi"})


class LosslessClass(NamedTuple):
    """A class that must not drop here: its switch priority and its PFC priority."""

    priority: int
    pfc_priority: int


def _policy_of(view: View, policy: Policy) -> PolicyView:
    """A policy as seen from a view; its classes are views that are made once."""
    found: PolicyView | None = view.parts.get("policy")
    if found is None:
        found = view.parts["policy"] = PolicyView(policy, view.place, is_intended=True)
    return found


class DeviceView(View):
    """One device, or devices with equal facts: ``record`` is the first of ``members``."""

    name: Read[str] = Read()
    role: Read[Role] = Read()
    platform: Read[str] = Read()
    model: Read[str] = Read()
    counters: Read[FrozenMap[CounterKey, Counter]] = Read(absent=FrozenMap())
    qos: ReadViews[DeviceQosView] = ReadViews(DeviceQosView, "")
    environment: Read[FrozenMap[str, str]] = Read(absent=FrozenMap(), via="host")
    lldp_agent: Read[bool] = Read(absent=False, via="host")
    persistent_unit: Read[bool] = Read(absent=False, via="host")
    pcie_bps: Read[FrozenMap[str, int]] = Read(absent=FrozenMap(), via="host")

    def __init__(
        self,
        subject: Device,
        *,
        policy: Policy | None = None,
        members: tuple[str, ...] = (),
        is_intended: bool = False,
        asic: Known[str] = UNKNOWN,
    ) -> None:
        super().__init__(subject, Place(subject.name), is_intended=is_intended)
        self.record = subject
        self._asic = first_known(subject.asic, asic)
        self.members = members or (subject.name,)
        self._policy = policy

    @property
    def asic(self) -> str:
        """Name of the ASIC, as found, else as planned, else as the model tells.

        Raises:
            UnknownFactError: None of them says.
        """
        if not is_known(self._asic):
            raise UnknownAtError("asic", self)
        return self._asic

    @property
    def asic_or_name(self) -> str:
        """What ports must share to be alike: the ASIC, else the device itself."""
        return self._asic if is_known(self._asic) else self.record.name

    @property
    def policy(self) -> PolicyView:
        """The policy in effect on the device as a whole.

        Raises:
            NotGivenError: There is no intent.
        """
        if self._policy is None:
            raise NotGivenError("intent")
        return _policy_of(self, self._policy)

    @property
    def defects(self) -> tuple[Defect, ...]:
        """What is wrong with the device's texts in themselves."""
        return self.record.defects

    @cached_property
    def is_host(self) -> bool:
        """A host: by its role, else by its platform."""
        role = self.record.role
        if is_known(role):
            return role is Role.HOST
        return self.record.platform in HOST_PLATFORMS

    @property
    def whole_qos(self) -> DeviceQosView:
        """What holds for the whole device, where it has one ASIC."""
        views = list(self.qos.values())
        return views[0] if views else DeviceQosView(self.subject, self.place, owner=self)


class PortView(View):
    """Ports with equal facts.

    Attributes:
        record: One of the ports.
        members: All of them.
        is_rdma: The port takes part in RDMA, as far as is known.
        device: The device of ``record``; the others' devices are equal.
    """

    speed_bps: Read[int] = Read()
    operational_speed_bps: Read[int] = Read()
    lanes: Read[int] = Read()
    l2_mtu: Read[int] = Read()
    ip_mtu: Read[int] = Read()
    cable_m: Read[int] = Read()
    fec: Read[str] = Read()
    autoneg: Read[bool] = Read(absent=False)
    admin_state: Read[AdminState] = Read()
    link_layer: Read[LinkLayer] = Read()
    neighbour: Read[Neighbour] = Read()
    aggregate: Read[str] = Read()
    trust: Read[Trust] = Read(via="qos")
    dscp_to_priority: Read[FrozenMap[int, int]] = Read(absent=NO_MAP, via="qos")
    pcp_to_priority: Read[FrozenMap[int, int]] = Read(absent=NO_MAP, via="qos")
    priority_to_queue: Read[FrozenMap[int, int]] = Read(absent=NO_MAP, via="qos")
    priority_to_priority_group: Read[FrozenMap[int, int]] = Read(absent=NO_MAP, via="qos")
    pfc_rx: Read[frozenset[int]] = Read(absent=NOTHING, via="qos")
    pfc_tx: Read[frozenset[int]] = Read(absent=NOTHING, via="qos")
    pfc_mode: Read[PfcMode] = Read(via="qos")
    pfc_priority_to_queue: Read[FrozenMap[int, int]] = Read(absent=NO_MAP, via="qos")
    pfc_priority_to_priority_group: Read[FrozenMap[int, int]] = Read(absent=NO_MAP, via="qos")
    dcbx_mode: Read[DcbxMode] = Read(via="qos")
    dcbx_willing: Read[bool] = Read(absent=False, via="qos")
    scheduler: ReadViews[SchedulerView] = ReadViews(SchedulerView, "queue", via="qos")
    ecn: ReadViews[EcnView] = ReadViews(EcnView, "queue", via="qos")
    ingress_buffer: ReadViews[BufferView] = ReadViews(BufferView, "priority group", via="qos")
    egress_buffer: ReadViews[BufferView] = ReadViews(BufferView, "queue", via="qos")
    watchdog: ReadView[WatchdogView] = ReadView(WatchdogView, via="qos")
    global_pause_rx: Read[bool] = Read(absent=False, via="qos")
    global_pause_tx: Read[bool] = Read(absent=False, via="qos")
    mtu_by_priority: Read[FrozenMap[int, int]] = Read(absent=NO_MAP, via="qos")

    def __init__(
        self,
        subject: Port,
        device: DeviceView,
        *,
        members: tuple[PortRef, ...] = (),
        policy: Policy | None = None,
        intended: Port | None = None,
        is_rdma: bool = True,
        length_m: Known[float] = UNKNOWN,
    ) -> None:
        super().__init__(
            subject, Place(device.place.device, subject.name), is_intended=device.is_intended
        )
        self.record = subject
        self.device = device
        self.members = members or (PortRef(device.place.device, subject.name),)
        self.is_rdma = is_rdma
        self._length_m = length_m
        self._policy = policy
        self._intended = intended

    @property
    def policy(self) -> PolicyView:
        """The policy in effect here.

        Raises:
            NotGivenError: There is no intent, or it ends RDMA here.
        """
        if self._policy is None or not self.is_rdma:
            raise NotGivenError("intent" if self.is_rdma else "RDMA at this port")
        return _policy_of(self, self._policy)

    @property
    def ends_rdma(self) -> bool:
        """The intent says that RDMA ends at this port."""
        return self._intended is not None and not self.is_rdma

    @property
    def has_policy(self) -> bool:
        """There is an intent for this port, and it takes part in RDMA."""
        return self._policy is not None and self.is_rdma

    def standing_for(self, members: tuple[PortRef, ...]) -> PortView:
        """Give the same facts for other members of the group."""
        return PortView(
            self.record,
            self.device,
            members=members,
            policy=self._policy,
            intended=self._intended,
            is_rdma=self.is_rdma,
            length_m=self._length_m,
        )

    @property
    def intended(self) -> PortView:
        """This port as it is meant to be.

        Raises:
            NotGivenError: There is no intent for it.
        """
        if self._intended is None:
            raise NotGivenError("intended port")
        found: PortView | None = self.parts.get("intended")
        if found is None:
            device = DeviceView(self.device.record, is_intended=True)
            found = PortView(self._intended, device, policy=self._policy, is_rdma=self.is_rdma)
            self.parts["intended"] = found
        return found

    @property
    def length_m(self) -> float:
        """Length of the cable: as the topology says, else as the device assumes.

        Raises:
            UnknownFactError: Neither is known.
        """
        return self._length_m if is_known(self._length_m) else self.cable_m

    @cached_property
    def lossless(self) -> tuple[LosslessClass, ...]:
        """Classes that must not drop here: as intended, else those that PFC is on for."""
        if not self.is_rdma:
            return ()
        if self._policy is not None:
            classes = list(self.policy.lossless())
            if classes:
                return tuple(LosslessClass(each.priority, each.pfc_priority) for each in classes)
        paused = sorted(self.pfc_rx | self.pfc_tx)
        return tuple(
            LosslessClass(priority, each) for each in paused for priority in self._priorities(each)
        )

    @property
    def lossless_priorities(self) -> frozenset[int]:
        """Switch priorities of the lossless classes."""
        return frozenset(each.priority for each in self.lossless)

    def _priorities(self, pfc_priority: int) -> tuple[int, ...]:
        """Switch priorities that a PFC priority pauses: the same number where it is in use."""
        classified = self._classified()
        if not classified or pfc_priority in classified:
            return (pfc_priority,)
        if not (
            is_readable(self, "pfc_priority_to_queue") and is_readable(self, "priority_to_queue")
        ):
            return (pfc_priority,)
        queue = self.pfc_priority_to_queue.get(pfc_priority)
        found = tuple(
            priority
            for priority, one in sorted(self.priority_to_queue.items())
            if one == queue and priority in classified
        )
        return found or (pfc_priority,)

    def _classified(self) -> frozenset[int]:
        """Switch priorities that some mark leads to."""
        maps = [
            getattr(self, name)
            for name in ("dscp_to_priority", "pcp_to_priority")
            if is_readable(self, name)
        ]
        return frozenset(priority for each in maps for priority in each.values())

    def queue_of(self, priority: int) -> int:
        """Queue of a switch priority; the same number where the map has no entry."""
        return self.priority_to_queue.get(priority, priority)

    def priority_group_of(self, priority: int) -> int:
        """Priority group of a switch priority; the same number where the map has no entry."""
        return self.priority_to_priority_group.get(priority, priority)


def rdma_place(device: str, rdma: RdmaDevice) -> Place:
    """Place of an RDMA device: its port and its name."""
    return Place(device, rdma.ports[0], rdma.name) if rdma.ports else Place(device, rdma.name)


class RdmaView(View):
    """RDMA devices with equal facts; ``members`` are the places of all of them.

    Addresses count as facts only where a job chooses one by its index.
    """

    name: Read[str] = Read()
    link_layer: Read[LinkLayer] = Read()
    link_state: Read[AdminState] = Read()
    gids: Read[tuple[Gid, ...]] = Read(absent=())
    traffic_class: Read[int] = Read()
    rdma_cm_tos: Read[int] = Read()
    rdma_cm_roce_v2: Read[bool] = Read()
    active_mtu: Read[int] = Read()
    max_mtu: Read[int] = Read()
    notification_point: Read[frozenset[int]] = Read(absent=NOTHING, via="congestion_control")
    reaction_point: Read[frozenset[int]] = Read(absent=NOTHING, via="congestion_control")
    cnp_dscp: Read[int] = Read(via="congestion_control")
    cnp_pcp: Read[int] = Read(via="congestion_control")
    algorithm: Read[str] = Read(via="congestion_control")

    def __init__(
        self,
        subject: RdmaDevice,
        device: DeviceView,
        *,
        ports: tuple[PortView, ...] = (),
        policy: Policy | None = None,
        members: tuple[Place, ...] = (),
    ) -> None:
        place = rdma_place(device.place.device, subject)
        super().__init__(subject, place, is_intended=device.is_intended)
        self.members = members or (place,)
        self.record = subject
        self.device = device
        self.ports = ports
        self._policy = policy

    @property
    def policy(self) -> PolicyView:
        """The policy in effect here.

        Raises:
            NotGivenError: There is no intent.
        """
        if self._policy is None:
            raise NotGivenError("intent")
        return _policy_of(self, self._policy)

    @property
    def port(self) -> PortView:
        """The port that it uses.

        Raises:
            NotGivenError: It is not known which, or the port is not given.
        """
        if not self.ports:
            raise NotGivenError("port of the RDMA device")
        return self.ports[0]


class LinkView(View):
    """Links whose two ends have equal facts; ``a`` and ``b`` hold all members in one order."""

    length_m: Read[float] = Read()
    extra_delay_ns: Read[float] = Read(absent=0.0)

    def __init__(self, subject: Link, a: PortView | None, b: PortView | None) -> None:
        super().__init__(subject, Place(subject.a.device, subject.a.port))
        self.record = subject
        self._a = a
        self._b = b

    @property
    def has_ends(self) -> bool:
        """Both ends were given."""
        return self._a is not None and self._b is not None

    @property
    def given(self) -> tuple[PortView, ...]:
        """The ends that were given: both, one or none."""
        return tuple(end for end in (self._a, self._b) if end is not None)

    @property
    def ends(self) -> tuple[PortView, PortView]:
        """Both ends.

        Raises:
            NotGivenError: One of them was never given.
        """
        if self._a is None or self._b is None:
            raise NotGivenError("peer")
        return self._a, self._b

    def directions(self) -> Iterator[tuple[PortView, PortView]]:
        """Yield (here, there) for both ends."""
        a, b = self.ends
        yield a, b
        yield b, a

    def host_and_switch(self) -> tuple[PortView, PortView]:
        """Host end and switch end.

        Raises:
            NotGivenError: The link does not join a host to a switch.
        """
        a, b = self.ends
        if a.device.is_host == b.device.is_host:
            raise NotGivenError("link between host and switch")
        return (a, b) if a.device.is_host else (b, a)


class FabricView(View):
    """The whole fabric, as groups of equal things.

    Attributes:
        record: The observed fabric; ``plan`` is the intended one, if any.
        port_of: The view that a port is a member of.
    """

    def __init__(
        self,
        subject: Fabric,
        plan: Fabric | None,
        *,
        devices: tuple[DeviceView, ...],
        ports: tuple[PortView, ...],
        rdma: tuple[RdmaView, ...],
        links: tuple[LinkView, ...],
        port_of: Mapping[PortRef, PortView],
    ) -> None:
        super().__init__(subject, Place())
        self.record = subject
        self._plan = plan
        self.devices = devices
        self.ports = ports
        self.rdma = rdma
        self.links = links
        self.port_of = port_of

    @property
    def plan(self) -> Fabric:
        """What was intended.

        Raises:
            NotGivenError: There is no intent.
        """
        if self._plan is None:
            raise NotGivenError("intent")
        return self._plan


class IntentView(View):
    """One policy of an intent, judged in itself."""

    def __init__(self, policy: PolicyView, fabric: Fabric) -> None:
        super().__init__(fabric, Place(), is_intended=True)
        self.policy = policy
        self.record = fabric
