"""The switch's own reading of its configuration: what a Cloud Scale ASIC is set to.

Buffers of a no-drop class are given to a port when PFC works there: the class
draws on a shared pool up to a threshold and has headroom above it, or what
``pause buffer-size`` says. A frame has to fit the interface's MTU and the one that
an attached network-qos policy says for its class. Other traffic is held by its egress queue.
Pools are smaller than a real switch's (tens of MB a slice), so that a small
incast fills them within the milliseconds that are stepped through.

Source: guide 10.5(x), Configuring Priority Flow Control; cisco.com technote
217340 (buffers of Cloud Scale: slices, 208-byte cells, dynamic thresholds).
"""

from __future__ import annotations

from dataclasses import replace

from netcheck.lab.devices.deviation import Deviation
from netcheck.lab.devices.nxos.grammar import CELL_BYTES
from netcheck.lab.devices.nxos.objects import (
    CLASS_DEFAULT,
    PREFIX,
    ClassMap,
    Configuration,
    Interface,
    Pause,
    Policy,
    PolicyClass,
    Wred,
)
from netcheck.lossless.dataplane.network import (
    CODE_POINTS,
    PRIORITIES,
    RESPONSE_QUANTA,
    Account,
    EcnCurve,
    Node,
    Port,
    Queue,
    Watchdog,
)

NO_DROP_POOL, DROP_POOL, OUTPUT_POOL = "no-drop", "drop", "output"
POOLS = {NO_DROP_POOL: 13_945_824, DROP_POOL: 4_580_864, OUTPUT_POOL: 4_580_864}
HEADER_BYTES = 18
FORWARDING_S = 600e-9
NO_DROP_ALPHA = 1.0
DROP_ALPHA = 1.0
OUTPUT_ALPHA = 8.0
LONGEST_CABLE_M = 100
NS_PER_M = 5
MODE = "priority-flow-control mode"
PRECEDENCE_BITS = 3
QUANTUM_BYTES = 64
DEFAULT_MTU_FRAME = 9216
FIXED_NS = 2200


def read_node(
    name: str,
    found: Configuration,
    speeds: dict[str, int],
    pfc_on: frozenset[str],
    deviation: Deviation,
) -> Node:
    """Give the hardware as it works.

    Args:
        speeds: ``port -> bits per second``; ports that are not in it do not exist.
        pfc_on: Ports where PFC works.
    """
    reader = _Reader(found, pfc_on, deviation)
    return Node(
        name,
        {port: reader.port(found.interfaces[port], speed) for port, speed in speeds.items()},
        dict(POOLS),
        CELL_BYTES,
        forwarding_s=FORWARDING_S,
    )


def no_drop(found: Configuration) -> dict[int, frozenset[int]]:
    """Give ``QoS group -> PFC priorities`` of the no-drop classes in force."""
    return {
        group: each.pfc
        for group, each in found.by_group(found.network).items()
        if each.pfc is not None
    }


def speaks_dcbx(found: Configuration, port: str) -> bool:
    """The port tells its peer by DCBX which priorities it pauses.

    Source: guide 10.5(x), Configuring Priority Flow Control (mode auto; mode on send-tlv).
    """
    interface = found.interfaces[port]
    is_told = interface.pfc_mode == "auto" or "send-tlv" in interface.words(MODE)
    is_silent = {"no lldp transmit", "no lldp receive"} & set(interface.lines)
    return "lldp" in found.features and is_told and not is_silent


def headroom_bytes(speed_bps: int) -> int:
    """Headroom that the switch gives a no-drop class by itself, for 100 m of cable.

    What is on both ways of the cable, the peer's reaction, a frame under way at
    each end, and the port's own latency; every packet fills whole cells.
    """
    bytes_per_ns = speed_bps / 8e9
    response = RESPONSE_QUANTA.get(speed_bps, 905) * QUANTUM_BYTES
    on_the_way = bytes_per_ns * (2 * LONGEST_CABLE_M * NS_PER_M + FIXED_NS)
    raw = response + on_the_way + 2 * DEFAULT_MTU_FRAME
    return -(-round(raw * 1.2) // CELL_BYTES) * CELL_BYTES


class _Reader:
    def __init__(self, found: Configuration, pfc_on: frozenset[str], deviation: Deviation) -> None:
        self.found = found
        self.pfc_on = pfc_on
        self.deviation = deviation
        self.pfc = no_drop(found)
        self.network = found.by_group(found.network)

    def port(self, interface: Interface, speed_bps: int) -> Port:
        pfc = self.pfc if interface.name in self.pfc_on else {}
        paused = frozenset(cos for coses in pfc.values() for cos in coses)
        policy = self.found.policy_of(interface, "qos", "input")
        output = self.found.by_group(self.found.policy_of(interface, "queuing", "output"))
        return Port(
            speed_bps=speed_bps,
            mtu_bytes=interface.mtu + HEADER_BYTES,
            is_up=interface.is_up,
            trust="pcp" if self._is_by_cos(policy) else "dscp",
            priority_of_dscp=self._dscps(interface.name, policy),
            priority_of_pcp=self._coses(policy),
            pauses_sent=paused,
            pauses_honoured=paused,
            pfc_of_group=dict(pfc),
            queue_of_pfc=self._queue_of_pfc(),
            groups={
                group: self._group(interface, group, speed_bps, is_no_drop=group in pfc)
                for group in range(PRIORITIES)
            },
            queues={
                queue: self._queue(output.get(queue), is_no_drop=queue in self.pfc)
                for queue in range(PRIORITIES)
            },
            watchdog=self._watchdog(interface, paused),
            mtu_of={group: mtu + HEADER_BYTES for group, mtu in self._class_mtus().items()},
        )

    def _is_by_cos(self, policy: Policy | None) -> bool:
        kinds = {row[0] for each in self._maps(policy) for row in each.matches}
        return "cos" in kinds and not kinds & {"dscp", "precedence"}

    def _maps(self, policy: Policy | None) -> list[ClassMap]:
        return [
            self.found.class_maps["qos", each.name]
            for each in (policy.classes if policy else ())
            if each.name != CLASS_DEFAULT and ("qos", each.name) in self.found.class_maps
        ]

    def _dscps(self, port: str, policy: Policy | None) -> tuple[int, ...]:
        changed = self.deviation.class_of_dscp.get(port, {})
        return tuple(
            changed.get(dscp, self._classified(policy, dscp=dscp)) for dscp in range(CODE_POINTS)
        )

    def _coses(self, policy: Policy | None) -> tuple[int, ...]:
        return tuple(self._classified(policy, cos=cos) for cos in range(PRIORITIES))

    def _classified(
        self, policy: Policy | None, *, dscp: int | None = None, cos: int | None = None
    ) -> int:
        """QoS group of a packet with a mark: that of the first class it fits; else 0."""
        for each in policy.classes if policy else ():
            class_map = self.found.class_maps.get(("qos", each.name))
            if each.name == CLASS_DEFAULT or (
                class_map is not None and _fits(class_map, dscp, cos)
            ):
                return each.number("set qos-group") or 0
        return 0

    def _class_mtus(self) -> dict[int, int]:
        """MTU of classes for which the switch's own network-qos policy says one."""
        policy = self.found.network
        if policy is None or policy.name.startswith(PREFIX):
            return {}
        said = {group: each.number("mtu") for group, each in self.network.items()}
        return {group: mtu for group, mtu in said.items() if mtu is not None}

    def _queue_of_pfc(self) -> tuple[int, ...]:
        by_cos = {cos: group for group, coses in self.pfc.items() for cos in coses}
        return tuple(by_cos.get(cos, cos) for cos in range(PRIORITIES))

    def _group(
        self, interface: Interface, group: int, speed_bps: int, *, is_no_drop: bool
    ) -> Account:
        if not is_no_drop:
            return Account(DROP_POOL, alpha=DROP_ALPHA)
        policy = self.found.policy_of(interface, "queuing", "input")
        each = self.found.by_group(policy).get(group)
        pause = each.pause if each is not None else None
        account = _paused(pause) if pause is not None else _shared(speed_bps)
        headroom = self.deviation.headroom.get((interface.name, group))
        return account if headroom is None else replace(account, headroom_bytes=headroom)

    def _queue(self, each: PolicyClass | None, *, is_no_drop: bool) -> Queue:
        account = None if is_no_drop else Account(OUTPUT_POOL, alpha=OUTPUT_ALPHA)
        if each is None:
            return Queue(weight=1.0, account=account)
        share = each.number("bandwidth remaining percent") or each.number("bandwidth percent")
        return Queue(each.is_strict, float(share or 1), _curve(each.wred), account)

    def _watchdog(self, interface: Interface, paused: frozenset[int]) -> Watchdog | None:
        times = self.found.watchdog
        if not times.is_on or not interface.is_watched:
            return None
        words = interface.words("priority-flow-control watch-dog-interval")
        action = "alert" if "disable-action" in words else "drop"
        return Watchdog(paused, times.detection_ms / 1000, times.restoration_ms / 1000, action)


def _fits(class_map: ClassMap, dscp: int | None, cos: int | None) -> bool:
    """A packet with one mark known fits; a line about another mark is never met by it."""
    results = []
    for row in class_map.matches:
        if row[0] == "dscp":
            results.append(dscp in class_map.numbers("dscp"))
        elif row[0] == "precedence":
            precedence = None if dscp is None else dscp >> PRECEDENCE_BITS
            results.append(precedence in class_map.numbers("precedence"))
        elif row[0] == "cos":
            results.append(cos in class_map.numbers("cos"))
        else:
            results.append(row[0] == "any")
    return bool(results) and (any(results) if class_map.is_any else all(results))


def _paused(pause: Pause) -> Account:
    return Account(
        NO_DROP_POOL,
        headroom_bytes=pause.buffer_bytes - pause.pause_bytes,
        static_bytes=pause.pause_bytes,
        xon_bytes=pause.resume_bytes,
        xon_offset_bytes=pause.pause_bytes - pause.resume_bytes,
    )


def _shared(speed_bps: int) -> Account:
    return Account(NO_DROP_POOL, headroom_bytes=headroom_bytes(speed_bps), alpha=NO_DROP_ALPHA)


def _curve(wred: Wred | None) -> EcnCurve | None:
    if wred is None:
        return None
    return EcnCurve(wred.low_bytes, wred.high_bytes, float(wred.percent), marks=wred.is_ecn)
