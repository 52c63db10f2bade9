"""Ports at work: queues, their scheduling, pauses."""

from __future__ import annotations

from collections import deque

from netcheck.lossless.dataplane.buffers import EgressAccount, IngressAccount
from netcheck.lossless.dataplane.intake import Intake
from netcheck.lossless.dataplane.network import PRIORITIES, EcnCurve, Nic, Port, Wear
from netcheck.lossless.dataplane.sender import Sender

DATA, CNP = 0, 1


class Train:
    """Some packets of one flow that travel together."""

    __slots__ = ("account", "hop", "kind", "marked", "packets", "sender", "sequence", "size")

    def __init__(self, sender: Sender, kind: int, packets: int, sequence: int) -> None:
        self.sender = sender
        self.kind = kind
        self.packets = packets
        self.sequence = sequence
        self.marked = 0
        self.hop = 0
        self.size = 0
        self.account: GroupState | None = None

    def split(self, packets: int) -> Train:
        """Take the first ``packets`` off; marks stay with the packets in proportion."""
        head = Train(self.sender, self.kind, packets, self.sequence)
        head.hop, head.size, head.account = self.hop, self.size, self.account
        head.marked = self.marked * packets // self.packets
        self.packets -= packets
        self.marked -= head.marked
        self.sequence += packets
        return head


class GroupState:
    """One priority group of a port: its account, and who is paused for it."""

    __slots__ = (
        "account",
        "drops",
        "number",
        "obeyed",
        "paused_priorities",
        "port",
        "refresh_at",
        "version",
    )

    def __init__(
        self, port: PortState, number: int, account: IngressAccount | None, pfc: frozenset[int]
    ) -> None:
        self.port = port
        self.number = number
        self.account = account
        self.paused_priorities = pfc
        self.drops = self.version = self.obeyed = 0
        self.refresh_at = 0.0


class QueueState:
    """One egress queue at work."""

    __slots__ = (
        "account",
        "bytes",
        "drop_bytes",
        "drops",
        "ecn",
        "is_stormed",
        "is_strict",
        "limit_bps",
        "mark_credit",
        "marks",
        "next_send",
        "number",
        "packets",
        "paused_since",
        "pauses",
        "peak",
        "senders",
        "sent_bytes",
        "storms",
        "trains",
        "virtual",
        "weight",
    )

    def __init__(self, number: int) -> None:
        self.number = number
        self.trains: deque[Train] = deque()
        self.senders: deque[Sender] = deque()
        self.account: EgressAccount | None = None
        self.ecn: EcnCurve | None = None
        self.is_strict = False
        self.weight = 1.0
        self.limit_bps: int | None = None
        self.virtual = self.mark_credit = self.next_send = 0.0
        self.bytes = self.peak = self.packets = self.sent_bytes = 0
        self.drops = self.drop_bytes = self.marks = self.storms = 0
        self.pauses: set[int] = set()
        self.paused_since = 0.0
        self.is_stormed = False

    def mark_share(self) -> float:
        """Probability that a packet that joins now is marked (or dropped)."""
        curve = self.ecn
        if curve is None or self.bytes <= curve.kmin_bytes:
            return 0.0
        if self.bytes >= curve.kmax_bytes:
            return 1.0
        span = curve.kmax_bytes - curve.kmin_bytes
        return curve.pmax_percent / 100 * (self.bytes - curve.kmin_bytes) / span

    def picked(self, packets: int) -> int:
        """How many of ``packets`` the marking curve picks, evenly spread over time."""
        share = self.mark_share()
        if not share:
            return 0
        self.mark_credit += share * packets
        picked = min(int(self.mark_credit), packets)
        self.mark_credit -= picked
        return picked


class PortState:
    """One port at work. Durations are in seconds, ``credit`` in bytes on the wire."""

    __slots__ = (
        "credit",
        "delay_s",
        "errors_in",
        "groups",
        "in_packets",
        "intake",
        "is_switch",
        "key",
        "last_wire",
        "live",
        "nic",
        "node",
        "oversize_in",
        "oversize_out",
        "pause_seconds",
        "peer",
        "pfc_in",
        "pfc_out",
        "port",
        "queues",
        "rx_bytes",
        "rx_packets",
        "tx_bytes",
        "tx_packets",
        "virtual",
        "wire_bytes_per_s",
        "worn",
    )

    def __init__(self, key: tuple[str, str], port: Port, nic: Nic | None) -> None:
        self.key = key
        self.node = key[0]
        self.port = port
        self.nic = nic
        self.is_switch = nic is None
        self.wire_bytes_per_s = port.speed_bps / 8
        self.credit = self.virtual = 0.0
        self.delay_s = 0.0
        self.last_wire = 0
        self.peer: PortState | None = None
        self.groups: list[GroupState] = []
        self.queues = [QueueState(number) for number in range(PRIORITIES)]
        self.live: list[QueueState] = []
        self.in_packets = self.oversize_in = self.oversize_out = self.errors_in = 0
        self.worn: Wear | None = None
        self.intake: Intake[GroupState] | None = None
        self.pfc_in = [0] * PRIORITIES
        self.pfc_out = [0] * PRIORITIES
        self.pause_seconds = [0.0] * PRIORITIES
        self.tx_packets = [0] * PRIORITIES
        self.tx_bytes = [0] * PRIORITIES
        self.rx_packets = [0] * PRIORITIES
        self.rx_bytes = [0] * PRIORITIES

    def use(self, queue: QueueState) -> None:
        """Serve this queue too; the highest is asked first."""
        if queue not in self.live:
            self.live.append(queue)
            self.live.sort(key=lambda found: -found.number)

    def classify(self, dscp: int, pcp: int | None) -> int:
        """Switch priority of a frame that enters (or starts) here."""
        port = self.port
        if port.trust == "dscp":
            return port.priority_of_dscp[dscp]
        return port.default_priority if pcp is None else port.priority_of_pcp[pcp]

    def choose(self, now: float) -> QueueState | None:
        """The queue to serve next: strict ones from the highest, then by weight."""
        best: QueueState | None = None
        for queue in self.live:
            if queue.pauses or queue.next_send > now:
                continue
            if not queue.trains and not (queue.senders and has_ready_sender(queue, now)):
                continue
            if queue.is_strict:
                return queue
            if best is None or queue.virtual < best.virtual:
                best = queue
        return best


def has_ready_sender(queue: QueueState, now: float) -> bool:
    """Turn the round of senders until one that may send is first."""
    for _ in range(len(queue.senders)):
        if queue.senders[0].is_ready(now):
            return True
        queue.senders.rotate(-1)
    return False
