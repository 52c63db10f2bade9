"""The data plane's plain inputs, filled from a Fabric: what each port would hold.

What the fabric does not say (buffer pools, mostly) is assumed, and each
assumption is kept, to be shown.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from netcheck.lossless import headroom as laws
from netcheck.lossless.asics import asic_names, asic_of_model, find_asic
from netcheck.lossless.dataplane.network import (
    CODE_POINTS,
    PRIORITIES,
    Account,
    Cable,
    EcnCurve,
    Network,
    Nic,
    Node,
    Port,
    Queue,
    Watchdog,
)
from netcheck.model import device as model
from netcheck.model import qos as knobs
from netcheck.model.device import Device
from netcheck.model.fabric import Fabric, Link
from netcheck.model.frozenmap import FrozenMap
from netcheck.model.known import Known, is_known, known_or

UNKNOWN_ASIC = "unknown"
SHARED_HEADROOM = "shared headroom"
SMALLEST_BUFFER_BYTES = 13_945_824  # of the ASICs in the data: Spectrum-1
ALPHA = 1.0
MTU_BYTES = 9216
SPEED_BPS = 400_000_000_000
CNP_DSCP = 48


@dataclass
class Filling:
    """Turns devices of a fabric into nodes; ``assumed`` says what was not to be read."""

    fabric: Fabric
    assumed: dict[str, str] = field(default_factory=dict)

    def network(self, names: Iterable[str]) -> Network:
        """Give these devices and the cables between them."""
        nodes = {name: self._node(self.fabric.devices[name]) for name in names}
        inside = (
            link for link in self.fabric.links if link.a.device in nodes and link.b.device in nodes
        )
        return Network(nodes, tuple(map(self._cable, inside)))

    def _cable(self, link: Link) -> Cable:
        ends = (link.a.device, link.a.port), (link.b.device, link.b.port)
        return Cable(*ends, self.length_m(link), known_or(link.extra_delay_ns, 0.0) * 1e-9)

    def length_m(self, link: Link) -> float:
        """Length of a cable; 5 m where nobody says it."""
        if is_known(link.length_m):
            return link.length_m
        self.assumed["cables without a length"] = "5 m"
        return 5.0

    def _node(self, device: Device) -> Node:
        is_host = device.role is model.Role.HOST
        ports = {name: self._port(device, port) for name, port in device.ports.items()}
        if is_host:
            nics = {port: _nic(one) for one in device.rdma.values() for port in one.ports}
            return Node(device.name, ports, nics=nics, forwarding_s=0.0)
        cell = find_asic(self.asic(device)).cell_bytes
        pools = self._pools(device, ports)
        shared = shared_headroom_bytes(device)
        return Node(
            device.name, ports, {**pools, SHARED_HEADROOM: shared} if shared else pools, cell
        )

    def asic(self, device: Device) -> str:
        """ASIC of a switch: as said, else as its model tells; else a cautious one."""
        told = asic_of_model(device.model) if is_known(device.model) else device.asic
        found = device.asic if is_known(device.asic) else told
        if is_known(found) and found in asic_names():
            return found
        self.assumed[f"{device.name} ASIC"] = "unknown: the cautious law for headroom"
        return UNKNOWN_ASIC

    def _pools(self, device: Device, ports: Mapping[str, Port]) -> dict[str, int]:
        whole = device.qos.get("", knobs.DeviceQos())
        stated = whole.pools if is_known(whole.pools) else FrozenMap[str, knobs.BufferPool]()
        accounts = [account for port in ports.values() for account in port.groups.values()]
        found: dict[str, int] = {}
        for name in {account.pool for account in accounts}:
            size = stated[name].size_bytes if name in stated else None
            if isinstance(size, int):
                found[name] = size
                continue
            own = sum(one.headroom_bytes for one in accounts)
            kept = (shared_headroom_bytes(device) or own) + sum(
                one.reserved_bytes for one in accounts
            )
            buffer = self._buffer_bytes(device)
            found[name] = max(buffer - kept, buffer // 4)
            self.assumed[f"{device.name} pool {name}"] = (
                f"{found[name]} bytes: buffer of {buffer} less headroom and reserves of {kept}"
            )
        return found

    def _buffer_bytes(self, device: Device) -> int:
        whole = device.qos.get("", knobs.DeviceQos())
        if is_known(whole.mmu_bytes):
            return whole.mmu_bytes
        return find_asic(self.asic(device)).mmu_bytes or SMALLEST_BUFFER_BYTES

    def _port(self, device: Device, port: model.Port) -> Port:
        qos = port.qos
        speed = known_or(port.speed_bps, SPEED_BPS)
        group_of = _row(qos.priority_to_priority_group)
        paused = known_or(qos.pfc_tx, frozenset())
        is_host = device.role is model.Role.HOST
        return Port(
            speed,
            _mtu(port),
            trust="pcp" if qos.trust is knobs.Trust.PCP else "dscp",
            priority_of_dscp=_row(qos.dscp_to_priority, CODE_POINTS, 0),
            priority_of_pcp=_row(qos.pcp_to_priority),
            queue_of=_row(qos.priority_to_queue),
            group_of=group_of,
            pauses_sent=paused,
            pauses_honoured=known_or(qos.pfc_rx, frozenset()),
            pfc_of_group=_by_group(qos, group_of, paused),
            queue_of_pfc=_row(qos.pfc_priority_to_queue, default=_row(qos.priority_to_queue)),
            groups={} if is_host else self._groups(device, port, speed),
            queues={} if is_host else _queues(qos),
            watchdog=_watchdog(qos.watchdog),
            mtu_of=known_or(qos.mtu_by_priority, FrozenMap[int, int]()),
        )

    def _groups(self, device: Device, port: model.Port, speed_bps: int) -> dict[int, Account]:
        held = known_or(port.qos.ingress_buffer, FrozenMap[int, knobs.Buffer]())
        group_of = _row(port.qos.priority_to_priority_group)
        paused = known_or(port.qos.pfc_tx, frozenset())
        # what is to be lossless and is not paused fills its account and drops
        numbers = {group_of[priority] for priority in paused}
        numbers |= {number for number, one in held.items() if one.is_lossless is True}
        return {
            number: self._account(device, port, speed_bps, held.get(number, knobs.Buffer()))
            for number in sorted(numbers)
        }

    def _account(
        self, device: Device, port: model.Port, speed_bps: int, held: knobs.Buffer
    ) -> Account:
        room, xon = held.headroom_bytes, held.xon_bytes
        if not is_known(room):
            law = laws.headroom(
                laws.HeadroomQuestion(
                    self.asic(device), speed_bps, max(known_or(port.cable_m, 5), 1)
                )
            )
            room, xon = law.headroom_bytes, known_or(xon, law.xon_bytes)
            self.assumed[f"{device.name} headroom"] = f"as computed by {law.model}"
        limit = held.threshold
        alpha: float | None = ALPHA
        static = None
        if isinstance(limit, knobs.Dynamic):
            alpha = limit.alpha
        elif isinstance(limit, knobs.Static):
            alpha, static = None, limit.limit_bytes
        return Account(
            known_or(held.pool, "ingress_lossless_pool"),
            0,
            room,
            alpha,
            static,
            known_or(xon, 0),
            known_or(held.xon_offset_bytes, 0),
            SHARED_HEADROOM if shared_headroom_bytes(device) else "",
        )


def shared_headroom_bytes(device: Device) -> int:
    """Headroom that all accounts of a device take from together; 0 where each has its own."""
    whole = device.qos.get("", knobs.DeviceQos())
    pools = whole.pools if is_known(whole.pools) else FrozenMap[str, knobs.BufferPool]()
    return sum(known_or(pool.shared_headroom_bytes, 0) for pool in pools.values())


def _mtu(port: model.Port) -> int:
    if is_known(port.l2_mtu):
        return port.l2_mtu
    return port.ip_mtu + 18 if is_known(port.ip_mtu) else MTU_BYTES


def _row(
    mapped: Known[FrozenMap[int, int]],
    length: int = PRIORITIES,
    default: int | tuple[int, ...] | None = None,
) -> tuple[int, ...]:
    """A map as a row; what it leaves out keeps its number, or the default."""
    known = mapped if is_known(mapped) else FrozenMap[int, int]()
    if isinstance(default, tuple):
        return tuple(known.get(number, default[number]) for number in range(length))
    return tuple(
        known.get(number, number if default is None else default) for number in range(length)
    )


def _by_group(
    qos: knobs.PortQos, group_of: tuple[int, ...], paused: frozenset[int]
) -> dict[int, frozenset[int]]:
    stated = known_or(qos.pfc_priority_to_priority_group, FrozenMap[int, int]())
    found: dict[int, set[int]] = {}
    for priority in paused:
        found.setdefault(stated.get(priority, group_of[priority]), set()).add(priority)
    return {group: frozenset(priorities) for group, priorities in found.items()}


def _queues(qos: knobs.PortQos) -> dict[int, Queue]:
    services = known_or(qos.scheduler, FrozenMap[int, knobs.Scheduler]())
    marking = known_or(qos.ecn, FrozenMap[int, knobs.Ecn]())
    return {
        number: Queue(
            is_strict=number in services and services[number].kind is knobs.SchedulerKind.STRICT,
            weight=float(known_or(services[number].weight_percent, 1))
            if number in services
            else 1.0,
            ecn=_curve(marking[number]) if number in marking else None,
        )
        for number in range(PRIORITIES)
    }


def _curve(ecn: knobs.Ecn) -> EcnCurve | None:
    if ecn.is_active is False or not (is_known(ecn.kmin_bytes) and is_known(ecn.kmax_bytes)):
        return None
    marks = ecn.action is not knobs.CongestionAction.DROP
    return EcnCurve(ecn.kmin_bytes, ecn.kmax_bytes, known_or(ecn.pmax_percent, 100), marks)


def _watchdog(held: Known[knobs.Watchdog]) -> Watchdog | None:
    if not is_known(held) or not is_known(held.detection_ms):
        return None
    action = held.action.value if is_known(held.action) else "drop"
    restoration = known_or(held.restoration_ms, held.detection_ms)
    priorities = known_or(held.priorities, frozenset())
    return Watchdog(priorities, held.detection_ms / 1000, restoration / 1000, action)


def _nic(rdma: model.RdmaDevice) -> Nic:
    control = rdma.congestion_control
    return Nic(
        known_or(control.reaction_point, frozenset()),
        known_or(control.notification_point, frozenset()),
        known_or(control.cnp_dscp, CNP_DSCP),
        known_or(control.cnp_pcp, 0),
    )
