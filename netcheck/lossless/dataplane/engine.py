"""The stepping of the data plane: packets in trains, through queues, with real delays."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from functools import partial

from netcheck.lossless.dataplane.assembled import build_ports
from netcheck.lossless.dataplane.buffers import Pool
from netcheck.lossless.dataplane.network import (
    QUANTUM_BYTES,
    Flow,
    Hop,
    Network,
    Nic,
    Wear,
    response_s,
)
from netcheck.lossless.dataplane.ports import (
    CNP,
    DATA,
    GroupState,
    PortState,
    QueueState,
    Train,
)
from netcheck.lossless.dataplane.sender import CNP_WIRE_BYTES, GAP_BYTES, Sender
from netcheck.lossless.dataplane.stops import FlowState, Stop

PAUSE_WIRE_BYTES = 84
FCS_BYTES = 4
LONGEST_PAUSE_QUANTA = 65535
MAC_S = 100e-9
HOST_POOL = "host"


class Engine:
    """A network with its flows, stepped ``step_s`` at a time."""

    def __init__(self, network: Network, flows: Sequence[Flow], *, step_s: float) -> None:
        self.network = network
        self.step_s = step_s
        self.step = 0
        self.now = 0.0
        self.ports: dict[tuple[str, str], PortState] = {}
        self.pools: dict[tuple[str, str], Pool] = {}
        self.trains: defaultdict[int, list[tuple[PortState, Train]]] = defaultdict(list)
        self.calls: defaultdict[int, list[Callable[[], None]]] = defaultdict(list)
        self.active: dict[PortState, None] = {}
        self.pausing: dict[GroupState, None] = {}
        self.first_pause_s = -1.0
        self.events = 0
        build_ports(network, self.ports, self.pools)
        self.intakes = [port.intake for port in self.ports.values() if port.intake is not None]
        self.flows = [self._start(index, flow) for index, flow in enumerate(flows)]
        self.by_sender = {flow.sender: flow for flow in self.flows}

    # Building

    def _start(self, index: int, flow: Flow) -> FlowState:
        first = self.ports[flow.path[0].node, flow.path[0].egress]
        priority = first.classify(flow.dscp, flow.pcp)
        nic = first.nic or Nic()
        sender = Sender(
            index, flow, first.port.speed_bps, is_reacting=priority in nic.reaction_priorities
        )
        last = self.ports[flow.path[-1].node, flow.path[-1].ingress]
        answer = last.nic or Nic()
        capable = flow.is_ecn_capable or sender.is_reacting
        data = self._stops(flow.path, flow.dscp, flow.pcp, sender.wire_bytes, capable=capable)
        self._wear(data, flow.name, flow.dscp)
        cnp_pcp = None if flow.pcp is None else answer.cnp_pcp
        back = self._stops(flow.back, answer.cnp_dscp, cnp_pcp, CNP_WIRE_BYTES, capable=False)
        self._wear(back, flow.name, answer.cnp_dscp)
        state = FlowState(sender, (data, back), sum(self._hop_s(stop) for stop in back))
        queue = data[0].queue
        if queue is not None and first.port.is_up:
            queue.senders.append(sender)
            first.use(queue)
            self.active[first] = None
        return state

    def _hop_s(self, stop: Stop) -> float:
        if stop.egress is None:
            return 0.0
        return stop.egress.delay_s + self.network.nodes[stop.egress.node].forwarding_s

    def _stops(
        self, hops: Sequence[Hop], dscp: int, pcp: int | None, wire: int, *, capable: bool
    ) -> tuple[Stop, ...]:
        frame = wire - GAP_BYTES
        stops = []
        for hop in hops:
            ingress = self.ports.get((hop.node, hop.ingress))
            egress = self.ports.get((hop.node, hop.egress))
            judge = ingress or egress
            priority = judge.classify(dscp, pcp) if judge else 0
            cell = self.network.nodes[hop.node].cell_bytes
            stop = Stop(ingress, egress, priority, frame, wire, -(-frame // cell) * cell)
            stop.is_ecn_capable = capable
            if ingress is not None:
                stop.most_in = ingress.port.frame_limit(priority)
                stop.group = ingress.groups[ingress.port.group_of[priority]]
            if egress is not None:
                stop.most_out = egress.port.frame_limit(priority)
                stop.queue = egress.queues[(judge or egress).port.queue_of[priority]]
            stops.append(stop)
        return tuple(stops)

    @staticmethod
    def _wear(stops: Sequence[Stop], flow: str, dscp: int) -> None:
        """Note at each stop what hits this flow there."""
        for stop in stops:
            if stop.ingress is None:
                continue
            place = " ".join(stop.ingress.key)
            cable, chip = stop.ingress.worn, stop.ingress.port.wear
            stop.on_cable = cable if cable and cable.hits(place, flow, dscp) else None
            stop.in_chip = chip if chip and chip.hits(place, flow, dscp) else None

    def storm(self, duration_s: float) -> None:
        """Begin the pauses without end; watchdogs that act within ``duration_s`` have acted.

        A detection takes much longer than what is stepped through.
        """
        for port in self.ports.values():
            peer = port.peer
            for priority in port.port.storms if peer is not None else ():
                group = GroupState(port, priority, None, frozenset({priority}))
                self.pausing[group] = None
                self.events += 1
                if peer is not None:
                    self._obey(group, peer, 1, is_on=True)
                    self._break_storm(peer, priority, duration_s)

    @staticmethod
    def _break_storm(port: PortState, priority: int, duration_s: float) -> None:
        watchdog, queue = port.port.watchdog, port.queues[port.port.queue_of_pfc[priority]]
        is_watched = watchdog is not None and priority in watchdog.priorities
        if queue.pauses and is_watched and watchdog and watchdog.detection_s < duration_s:
            queue.storms = 1
            queue.is_stormed = watchdog.action == "drop"

    # Stepping

    def run_until(self, end_s: float) -> None:
        """Step until ``end_s`` seconds of simulated time."""
        slow_steps = max(1, round(5e-6 / self.step_s))
        while self.now < end_s:
            for call in self.calls.pop(self.step, ()):
                call()
            if self.intakes:
                self._drain()
            for port, train in self.trains.pop(self.step, ()):
                self._arrive(port, train)
            for port in tuple(self.active):
                self._serve(port)
            if not self.step % slow_steps:
                self._tick()
            self.step += 1
            self.now = self.step * self.step_s

    def _later(self, delay_s: float) -> int:
        return self.step + max(1, round(delay_s / self.step_s))

    def _tick(self) -> None:
        for flow in self.flows:
            flow.sender.recover(self.now)
            flow.sender.check_timeout(self.now)
        for group in self.pausing:
            if self.now >= group.refresh_at:
                self._count_pause(group)
        self._watch()

    # Arriving

    def _arrive(self, port: PortState, train: Train) -> None:
        train.hop += 1
        stop = self.flows[train.sender.index].stops[train.kind][train.hop]
        if stop.on_cable and not self._passes(stop.on_cable, train, stop, port):
            return
        packets = train.packets
        port.rx_packets[stop.priority] += packets
        port.rx_bytes[stop.priority] += packets * stop.frame
        if stop.frame - FCS_BYTES > stop.most_in:
            port.oversize_in += packets
            self._lose(train, packets)
        elif stop.in_chip and not self._passes(stop.in_chip, train, stop):
            return
        elif stop.egress is None:
            self._take_in(port, train, stop)
        elif stop.frame - FCS_BYTES > stop.most_out or not stop.egress.port.is_up:
            stop.egress.oversize_out += packets
            self._lose(train, packets)
        else:
            self._enqueue(train, stop)

    def _passes(
        self, wear: Wear, train: Train, stop: Stop, cable_end: PortState | None = None
    ) -> bool:
        """Lose the worn share of a train, on the cable or else in the chip; False: all of it."""
        stop.worn_credit += wear.loss_share * train.packets
        worn = min(int(stop.worn_credit), train.packets)
        if not worn:
            return True
        stop.worn_credit -= worn
        self._lose(train, worn, is_seen=cable_end is None)
        if cable_end is not None and wear.is_counted:
            cable_end.errors_in += worn
        train.packets -= worn
        train.marked = min(train.marked, train.packets)
        return train.packets > 0

    def _take_in(self, port: PortState, train: Train, stop: Stop) -> None:
        """Let a host take packets, at its own pace where that is less than the wire's."""
        if port.intake is not None and stop.group is not None:
            taken = port.intake.take(stop.group, train.packets, stop.frame)
            if taken < train.packets:
                stop.group.drops += train.packets - taken
                self._lose(train, train.packets - taken)
                train.packets = taken
            account = stop.group.account
            if account is not None and stop.group.paused_priorities and account.wants_xoff():
                self._send_pause(stop.group, is_on=True)
        if train.packets:
            self._consume(port, train, stop)

    def _drain(self) -> None:
        for intake in self.intakes:
            for group in intake.drain(self.step_s):
                if group.account is not None and group.account.wants_xon():
                    self._send_pause(group, is_on=False)

    def _lose(self, train: Train, packets: int, *, is_seen: bool = True) -> None:
        """Count a loss at this stop; ``is_seen``: after the port had counted the packets in."""
        flow = self.flows[train.sender.index]
        (flow.lost if is_seen else flow.unseen)[train.kind][train.hop] += packets
        if train.kind == DATA:
            train.sender.dropped += packets
            self.events += 1

    def _enqueue(self, train: Train, stop: Stop) -> None:
        queue, group, egress = stop.queue, stop.group, stop.egress
        if queue is None or egress is None or group is None:
            return
        taken = self._admitted(train.packets, stop, group, queue)
        if taken < train.packets:
            self._lose(train, train.packets - taken)
            train.packets = taken
            train.marked = min(train.marked, taken)
        account = group.account
        if account is not None and group.paused_priorities and account.wants_xoff():
            self._send_pause(group, is_on=True)
        if not taken or not self._mark(train, stop, queue, group):
            return
        train.size, train.account = stop.cells, group
        if not queue.trains:
            egress.use(queue)
            queue.virtual = max(queue.virtual, egress.virtual)
        queue.trains.append(train)
        queue.bytes += train.packets * stop.cells
        queue.peak = max(queue.peak, queue.bytes)
        self.active[egress] = None

    def _admitted(self, packets: int, stop: Stop, group: GroupState, queue: QueueState) -> int:
        account, egress = group.account, queue.account
        size = stop.cells
        if queue.is_stormed:
            queue.drops += packets
            queue.drop_bytes += packets * stop.frame
            return 0
        if egress is None and account is not None:
            taken = account.admit_all(size, packets)
            group.drops += packets - taken
            return taken
        for taken in range(packets):
            if account is not None and not account.admit(size):
                group.drops += packets - taken
                return taken
            if egress is not None and not egress.admit(size):
                if account is not None:
                    account.release(size)
                queue.drops += packets - taken
                queue.drop_bytes += (packets - taken) * stop.frame
                return taken
        return packets

    def _mark(self, train: Train, stop: Stop, queue: QueueState, group: GroupState) -> bool:
        """Mark (or drop, where marks are impossible); False when nothing is left."""
        picked = queue.picked(train.packets)
        if not picked:
            return True
        self.events += 1
        if queue.ecn is not None and queue.ecn.marks and stop.is_ecn_capable:
            queue.marks += picked
            train.marked = min(train.packets, train.marked + picked)
            return True
        queue.drops += picked
        queue.drop_bytes += picked * stop.frame
        self._lose(train, picked)
        train.packets -= picked
        self._release(group, queue, picked * stop.cells)
        return train.packets > 0

    def _consume(self, port: PortState, train: Train, stop: Stop) -> None:
        flow = self.flows[train.sender.index]
        if train.kind == CNP:
            self._notified(flow)
            return
        sender = flow.sender
        flow.arrived += train.packets
        if sender.receive(train.sequence, train.packets, self.now):
            self.calls[self._later(flow.back_s)].append(sender.go_back)
        limit = sender.packet_limit
        if limit is not None and sender.expected >= limit and not flow.finished_s:
            flow.finished_s = self.now
        if train.marked:
            flow.marked += train.marked
            self._notify(port, flow, stop)

    def _notify(self, port: PortState, flow: FlowState, stop: Stop) -> None:
        nic = port.nic
        if nic is None or stop.priority not in nic.notification_priorities:
            return
        if self.now - flow.sender.last_cnp < nic.cnp_gap_s and flow.sender.last_cnp >= 0:
            return
        flow.sender.last_cnp = self.now
        flow.cnp_sent += 1
        first = flow.stops[CNP][0]
        if first.queue is not None:
            train = Train(flow.sender, CNP, 1, 0)
            train.size = first.cells
            port.use(first.queue)
            first.queue.trains.append(train)
            first.queue.bytes += first.cells
            self.active[port] = None

    def _notified(self, flow: FlowState) -> None:
        if flow.sender.is_reacting:
            flow.cnp_handled += 1
            flow.sender.cut(self.now)
        else:
            flow.cnp_ignored += 1

    # Sending

    def _serve(self, port: PortState) -> None:
        gain = port.wire_bytes_per_s * self.step_s
        port.credit = min(port.credit + gain, gain)
        if port.credit > 0:  # else the last frame is still being sent
            port.last_wire = 0
        while port.credit > 0:
            queue = port.choose(self.now)
            if queue is None:
                break
            port.virtual = queue.virtual
            train = self._dequeue(port, queue)
            stop = self.flows[train.sender.index].stops[train.kind][train.hop]
            wire = train.packets * stop.wire
            port.credit -= wire
            port.last_wire = stop.wire
            queue.virtual += wire / queue.weight
            if queue.limit_bps:
                queue.next_send = max(queue.next_send, self.now) + wire * 8 / queue.limit_bps
            self._count_sent(port, queue, train, stop)
            self._transmit(port, train)
        for queue in port.live:
            if queue.trains or queue.senders:
                return
        self.active.pop(port, None)

    def _dequeue(self, port: PortState, queue: QueueState) -> Train:
        if not queue.trains:
            sender = queue.senders[0]
            queue.senders.rotate(-1)
            sequence = sender.sequence
            most = max(1, int(port.credit // sender.wire_bytes))
            return Train(sender, DATA, sender.take(self.now, most), sequence)
        train = queue.trains[0]
        stop = self.flows[train.sender.index].stops[train.kind][train.hop]
        packets = min(train.packets, max(1, int(port.credit // stop.wire)))
        if packets == train.packets:
            queue.trains.popleft()
        else:
            train = train.split(packets)
        if train.account is None:
            queue.bytes -= packets * train.size
        else:
            self._release(train.account, queue, packets * train.size)
            queue.bytes -= packets * train.size
        return train

    def _release(self, group: GroupState, queue: QueueState, size: int) -> None:
        if queue.account is not None:
            queue.account.release(size)
        account = group.account
        if account is not None:
            account.release(size)
            if account.is_pausing and account.wants_xon():
                self._send_pause(group, is_on=False)

    def _count_sent(self, port: PortState, queue: QueueState, train: Train, stop: Stop) -> None:
        packets = train.packets
        port.tx_packets[stop.priority] += packets
        port.tx_bytes[stop.priority] += packets * stop.frame
        queue.packets += packets
        queue.sent_bytes += packets * stop.frame

    def _transmit(self, port: PortState, train: Train) -> None:
        peer = port.peer
        if peer is None or not peer.port.is_up:
            self._lose(train, train.packets)
            return
        train.account = None
        # A node's own latency lies before its queues: what has left one is on the cable.
        self.trains[self._later(port.delay_s)].append((peer, train))

    # Pausing

    def _send_pause(self, group: GroupState, *, is_on: bool) -> None:
        account = group.account
        if account is None:
            return
        account.is_pausing = is_on
        if is_on:
            self.pausing[group] = None
            self.events += 1
            if self.first_pause_s < 0:
                self.first_pause_s = self.now
        else:
            self.pausing.pop(group, None)
        self._count_pause(group)
        port, peer = group.port, group.port.peer
        if peer is None:
            return
        wait = (port.last_wire + PAUSE_WIRE_BYTES) / port.wire_bytes_per_s
        response = response_s(peer.port) if is_on else 0.0
        group.version += 1
        obey = partial(self._obey, group, peer, group.version, is_on=is_on)
        self.calls[self._later(wait + port.delay_s + MAC_S + response)].append(obey)

    def _count_pause(self, group: GroupState) -> None:
        port, peer = group.port, group.port.peer
        quanta_s = LONGEST_PAUSE_QUANTA * QUANTUM_BYTES / port.wire_bytes_per_s
        group.refresh_at = self.now + quanta_s / 2
        for priority in group.paused_priorities:
            port.pfc_out[priority] += 1
            if peer is not None:
                peer.pfc_in[priority] += 1

    def _obey(self, group: GroupState, port: PortState, version: int, *, is_on: bool) -> None:
        if version < group.obeyed:
            return  # an XON came before the queue had stopped for this XOFF
        group.obeyed = version
        for priority in group.paused_priorities & port.port.pauses_honoured:
            queue = port.queues[port.port.queue_of_pfc[priority]]
            if is_on:
                if not queue.pauses:
                    queue.paused_since = self.now
                queue.pauses.add(priority)
            elif priority in queue.pauses:
                queue.pauses.discard(priority)
                port.pause_seconds[priority] += self.now - queue.paused_since

    def _watch(self) -> None:
        for port in self.active:
            watchdog = port.port.watchdog
            if watchdog is None:
                continue
            for queue in port.queues:
                is_watched = bool(queue.pauses & watchdog.priorities)
                paused_s = self.now - queue.paused_since if queue.pauses else 0.0
                if is_watched and not queue.is_stormed and paused_s > watchdog.detection_s:
                    queue.storms += 1
                    queue.is_stormed = watchdog.action == "drop"
                    self._flush(queue)
                elif queue.is_stormed and not queue.pauses:
                    queue.is_stormed = False

    def _flush(self, queue: QueueState) -> None:
        while queue.is_stormed and queue.trains:
            train = queue.trains.popleft()
            size = train.packets * train.size
            queue.drops += train.packets
            queue.drop_bytes += size
            queue.bytes -= size
            self._lose(train, train.packets)
            if train.account is not None:
                self._release(train.account, queue, size)
