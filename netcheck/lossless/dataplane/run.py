"""One run of the data plane: step until it is steady, then stretch to the asked time."""

from __future__ import annotations

from collections.abc import Sequence

from netcheck.lossless.dataplane.carry import Passed, carry
from netcheck.lossless.dataplane.engine import Engine
from netcheck.lossless.dataplane.network import Flow, Network
from netcheck.lossless.dataplane.ports import PortState
from netcheck.lossless.dataplane.result import FlowCounters, PortCounters, Result, stretched
from netcheck.lossless.dataplane.stops import FlowState

STEP_S = 200e-9
QUIET_S = 0.2e-3
SETTLE_S = 0.9e-3
WINDOW_S = 0.7e-3
# Long runs of many senders say nothing new: more than these many share the time of so many.
FEW_SENDERS = 8
SHORTEST_SHARE = 0.15

Reading = tuple[dict[tuple[str, str], PortCounters], dict[str, FlowCounters]]
TRIES = 8  # a sender that hears nothing gives up after so many windows


def run(
    network: Network,
    flows: Sequence[Flow],
    *,
    duration_s: float,
    settle_s: float = SETTLE_S,
    step_s: float = STEP_S,
) -> Result:
    """Send the flows for ``duration_s`` and count.

    What happens before ``settle_s`` is counted once; the window after it
    stands for the rest. Where nothing was paused, marked or lost early on, the
    run is steady at once and the window is short. What is still on its way at
    the end counts as never sent, so that packets agree along each way.
    """
    engine = Engine(network, flows, step_s=step_s)
    engine.storm(duration_s)
    senders = len({flow.path[0] for flow in flows})
    share = min(1.0, max(FEW_SENDERS / max(senders, 1), SHORTEST_SHARE))
    settle_s, window_s = settle_s * share, WINDOW_S * share
    quiet_s = min(QUIET_S, settle_s)
    engine.run_until(min(quiet_s, duration_s))
    is_quiet = not engine.events
    engine.run_until(min(quiet_s if is_quiet else settle_s, duration_s))
    before, passed, start = _read(engine), _passed(engine), engine.now
    engine.run_until(min(start + (quiet_s if is_quiet else window_s), duration_s))
    after, end = _read(engine), engine.now
    whole = _passed(engine)
    rest = max(duration_s - end, 0.0)
    factor = rest / (end - start) if end > start else 0.0
    ports = {key: stretched(row, before[0][key], row, factor) for key, row in after[0].items()}
    counters = {
        name: stretched(row, before[1][name], row, factor) for name, row in after[1].items()
    }
    carry(engine, _extended(passed, whole, factor), ports, counters)
    peaks = {key: pool.peak for key, pool in engine.pools.items()}
    return Result(ports, counters, peaks, engine.first_pause_s, end)


def _passed(engine: Engine) -> list[Passed]:
    """What became of each flow's packets so far."""
    return [
        Passed(
            flow.arrived,
            flow.cnp_handled + flow.cnp_ignored,
            (tuple(flow.lost[0]), tuple(flow.lost[1])),
            (tuple(flow.unseen[0]), tuple(flow.unseen[1])),
            flow.sender.window * TRIES,
        )
        for flow in engine.flows
    ]


def _extended(before: list[Passed], after: list[Passed], factor: float) -> list[Passed]:
    """Let what grew between two readings grow ``factor`` times more."""
    return [one.extended(old, factor) for old, one in zip(before, after, strict=True)]


def _read(engine: Engine) -> Reading:
    ports = {key: _read_port(port) for key, port in engine.ports.items() if port.peer is not None}
    flows = {flow.sender.flow.name: _read_flow(flow, engine.now) for flow in engine.flows}
    return ports, flows


def _read_port(port: PortState) -> PortCounters:
    queues, groups = port.queues, port.groups
    accounts = [group.account for group in groups]
    return PortCounters(
        tx_packets=tuple(port.tx_packets),
        tx_bytes=tuple(port.tx_bytes),
        rx_packets=tuple(port.rx_packets),
        rx_bytes=tuple(port.rx_bytes),
        pfc_in=tuple(port.pfc_in),
        pfc_out=tuple(port.pfc_out),
        paused_s=tuple(port.pause_seconds),
        queue_packets=tuple(queue.packets for queue in queues),
        queue_bytes=tuple(queue.sent_bytes for queue in queues),
        queue_drops=tuple(queue.drops for queue in queues),
        queue_drop_bytes=tuple(queue.drop_bytes for queue in queues),
        queue_marks=tuple(queue.marks for queue in queues),
        queue_storms=tuple(queue.storms for queue in queues),
        queue_peak=tuple(queue.peak for queue in queues),
        group_drops=tuple(group.drops for group in groups),
        group_shared_peak=tuple(a.shared_peak + a.own if a else 0 for a in accounts),
        group_headroom_peak=tuple(a.headroom_peak if a else 0 for a in accounts),
        oversize_in=port.oversize_in,
        oversize_out=port.oversize_out,
        errors_in=port.errors_in,
    )


def _read_flow(flow: FlowState, now: float) -> FlowCounters:
    sender = flow.sender
    payload = sender.flow.message_bytes / sender.packets_per_message
    seconds = flow.finished_s or now
    return FlowCounters(
        sent=sender.sent,
        delivered=sender.expected,
        arrived=flow.arrived,
        dropped=sender.dropped,
        out_of_sequence=sender.out_of_sequence,
        sequence_errors=sender.sequence_errors,
        timeouts=sender.timeouts,
        marked=flow.marked,
        cnp_sent=flow.cnp_sent,
        cnp_handled=flow.cnp_handled,
        cnp_ignored=flow.cnp_ignored,
        goodput_bps=sender.expected * payload * 8 / seconds if seconds else 0.0,
        queued=sender.sent - flow.arrived - sender.dropped,
        rate_bps=sender.rate_bps,
        finished_s=flow.finished_s,
    )
