"""The sending end of a flow: what it may send, its rate, and going back after a loss.

The rate follows DCQCN: a notification cuts it by half its congestion
estimate; timers bring it back, fast at first, then by steps.

Source: Congestion Control for Large-Scale RDMA Deployments (SIGCOMM 2015),
    with the step of the rate increase scaled to the line rate.
"""

from __future__ import annotations

from netcheck.lossless.dataplane.network import Flow

# Preamble, gap, Ethernet, IPv4, UDP, BTH, ICRC, FCS: reference in nic-perf facts, InfiniBand
# Architecture Specification volume 1 annex 17.
OVERHEAD_BYTES = 82
GAP_BYTES = 20
CNP_WIRE_BYTES = 98
TIMER_S = 20e-6
ESTIMATE_GAIN = 1 / 8
FAST_RECOVERIES = 3
LEAST_STEP_SHARE = 1 / 4000
STEP_SHARE = 1 / 16
LEAST_SHARE = 1 / 1000
RETRANSMISSION_S = 500e-6


class Sender:
    """One flow at work.

    ``sequence`` is the next packet to send, ``expected`` the next one the
    receiver takes; what arrives beyond it is out of sequence.
    """

    __slots__ = (
        "cuts",
        "dropped",
        "estimate",
        "expected",
        "flow",
        "frame_bytes",
        "has_nak",
        "index",
        "is_reacting",
        "last_cnp",
        "line_bps",
        "next_send",
        "next_timer",
        "out_of_sequence",
        "packet_limit",
        "packets_per_message",
        "progress_at",
        "rate_bps",
        "sent",
        "sequence",
        "sequence_errors",
        "steps",
        "target_bps",
        "timeouts",
        "window",
        "wire_bytes",
    )

    def __init__(self, index: int, flow: Flow, line_bps: int, *, is_reacting: bool) -> None:
        self.index = index
        self.flow = flow
        self.packets_per_message = -(-flow.message_bytes // flow.payload_bytes)
        payload = -(-flow.message_bytes // self.packets_per_message)
        self.wire_bytes = payload + OVERHEAD_BYTES
        self.frame_bytes = self.wire_bytes - GAP_BYTES
        self.window = flow.depth * self.packets_per_message
        limit = flow.message_limit
        self.packet_limit = None if limit is None else limit * self.packets_per_message
        self.line_bps = self.rate_bps = self.target_bps = float(line_bps)
        self.is_reacting = is_reacting
        self.estimate = 1.0
        self.steps = self.cuts = 0
        self.sequence = self.expected = self.sent = self.dropped = 0
        self.out_of_sequence = self.sequence_errors = self.timeouts = 0
        self.has_nak = False
        self.last_cnp = -1.0
        self.next_send = 0.0
        self.next_timer = self.progress_at = 0.0

    def is_ready(self, now: float) -> bool:
        """There is something to send and rate and window allow it."""
        if self.next_send > now or self.sequence - self.expected >= self.window:
            return False
        return self.packet_limit is None or self.sequence < self.packet_limit

    def take(self, now: float, most: int) -> int:
        """Send up to ``most`` packets as one train; give how many."""
        packets = min(most, self.window - self.sequence + self.expected)
        if self.packet_limit is not None:
            packets = min(packets, self.packet_limit - self.sequence)
        self.sequence += packets
        self.sent += packets
        if self.rate_bps < self.line_bps:
            gap = packets * self.wire_bytes * 8 / self.rate_bps
            self.next_send = max(self.next_send, now - 1e-6) + gap
        return packets

    def receive(self, sequence: int, packets: int, now: float) -> bool:
        """Take packets at the receiver; True where the first gap has to be told."""
        if sequence <= self.expected:
            self.expected = max(self.expected, sequence + packets)
            self.has_nak = False
            self.progress_at = now
            return False
        self.out_of_sequence += packets
        tells, self.has_nak = not self.has_nak, True
        return tells

    def go_back(self) -> None:
        """Send again from the packet that the receiver waits for."""
        self.sequence = self.expected
        self.sequence_errors += 1

    def check_timeout(self, now: float) -> None:
        """Go back when nothing was acknowledged for a long time and packets were lost."""
        is_waiting = self.sequence > self.expected and self.dropped
        if is_waiting and now - self.progress_at > RETRANSMISSION_S:
            self.timeouts += 1
            self.sequence = self.expected
            self.has_nak = False
            self.progress_at = now

    def cut(self, now: float) -> None:
        """Slow down for a notification."""
        self.target_bps = self.rate_bps
        least = self.line_bps * LEAST_SHARE
        self.rate_bps = max(self.rate_bps * (1 - self.estimate / 2), least)
        self.estimate += (1 - self.estimate) * ESTIMATE_GAIN
        self.steps = 0
        self.cuts += 1
        self.next_timer = now + TIMER_S

    def recover(self, now: float) -> None:
        """Speed up when the timer has run out since the last cut or step."""
        if self.rate_bps >= self.line_bps or now < self.next_timer:
            return
        self.next_timer = now + TIMER_S
        self.estimate *= 1 - ESTIMATE_GAIN
        self.steps += 1
        if self.steps > FAST_RECOVERIES:
            step = max(self.target_bps * STEP_SHARE, self.line_bps * LEAST_STEP_SHARE)
            self.target_bps = min(self.target_bps + step, self.line_bps)
        self.rate_bps = (self.rate_bps + self.target_bps) / 2
        if self.rate_bps > 0.999 * self.line_bps:
            self.rate_bps = self.line_bps
