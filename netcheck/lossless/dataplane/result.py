"""What a run of the data plane gives: counters of ports and flows, stretched to the asked time."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from typing import TypeVar

from netcheck.lossless.dataplane.network import PRIORITIES

Row = tuple[float, ...]
ZEROS: Row = (0,) * PRIORITIES


@dataclass(frozen=True, slots=True)
class PortCounters:
    """Counters of one port.

    Shape:
        Rows are by switch priority (``tx_*``, ``rx_*``), by PFC priority
        (``pfc_*``, ``paused_s``), by queue (``queue_*``) or by priority group
        (``group_*``); ``*_peak`` are highest fills in bytes. ``errors_in`` are
        packets that came damaged.
    """

    tx_packets: Row = ZEROS
    tx_bytes: Row = ZEROS
    rx_packets: Row = ZEROS
    rx_bytes: Row = ZEROS
    pfc_in: Row = ZEROS
    pfc_out: Row = ZEROS
    paused_s: Row = ZEROS
    queue_packets: Row = ZEROS
    queue_bytes: Row = ZEROS
    queue_drops: Row = ZEROS
    queue_drop_bytes: Row = ZEROS
    queue_marks: Row = ZEROS
    queue_storms: Row = ZEROS
    queue_peak: Row = ZEROS
    group_drops: Row = ZEROS
    group_shared_peak: Row = ZEROS
    group_headroom_peak: Row = ZEROS
    oversize_in: float = 0
    oversize_out: float = 0
    errors_in: float = 0


@dataclass(frozen=True, slots=True)
class FlowCounters:
    """Counters of one flow; ``delivered`` counts packets taken in order.

    ``queued`` is what was on its way when the run ended, ``rate_bps`` the
    allowed sending rate then.
    """

    sent: float = 0
    delivered: float = 0
    arrived: float = 0
    dropped: float = 0
    out_of_sequence: float = 0
    sequence_errors: float = 0
    timeouts: float = 0
    marked: float = 0
    cnp_sent: float = 0
    cnp_handled: float = 0
    cnp_ignored: float = 0
    goodput_bps: float = 0
    queued: float = 0
    rate_bps: float = 0
    finished_s: float = 0


@dataclass(frozen=True, slots=True)
class Result:
    """Everything a run gives.

    Attributes:
        ports: ``(node, port) -> counters``.
        flows: ``flow name -> counters``.
        pool_peaks: ``(node, pool) -> bytes``.
        first_pause_s: When the first pause frame was sent; negative when none was.
        simulated_s: Time that was stepped through; the rest was stretched.
    """

    ports: Mapping[tuple[str, str], PortCounters]
    flows: Mapping[str, FlowCounters]
    pool_peaks: Mapping[tuple[str, str], int]
    first_pause_s: float
    simulated_s: float


# What goes through is counted by flows, so that it agrees along each way.
_GAUGES = frozenset(
    {"queue_peak", "group_shared_peak", "group_headroom_peak", "goodput_bps", "queued"}
    | {"rate_bps", "finished_s", "tx_packets", "tx_bytes", "rx_packets", "rx_bytes"}
    | {"queue_packets", "queue_bytes", "sent", "arrived", "dropped"}
)
C = TypeVar("C", PortCounters, FlowCounters)


def stretched(final: C, before: C, after: C, factor: float) -> C:
    """Add to ``final`` the growth between two readings, ``factor`` times; gauges stay."""
    changes: dict[str, float | Row] = {}
    for field in fields(final):
        if field.name in _GAUGES:
            continue
        values = tuple(getattr(row, field.name) for row in (final, before, after))
        if isinstance(values[0], tuple):
            changes[field.name] = tuple(
                _grown(*row, factor=factor, name=field.name) for row in zip(*values, strict=True)
            )
        else:
            changes[field.name] = _grown(*values, factor=factor, name=field.name)
    return replace(final, **changes)  # type: ignore[arg-type]  # fields are checked by name


def _grown(*values: float, factor: float, name: str) -> float:
    final, before, after = values
    value = final + (after - before) * factor
    return value if name.endswith("_s") else round(value)
