"""What becomes of a flow's packets at each node of its way, and what its ends saw."""

from __future__ import annotations

from dataclasses import dataclass, field

from netcheck.lossless.dataplane.network import Wear
from netcheck.lossless.dataplane.ports import GroupState, PortState, QueueState
from netcheck.lossless.dataplane.sender import Sender


@dataclass(slots=True)
class Stop:
    """What one node does with one flow's packets; ``most_*``: longest frames without FCS."""

    ingress: PortState | None
    egress: PortState | None
    priority: int
    frame: int
    wire: int
    cells: int = 0
    group: GroupState | None = None
    queue: QueueState | None = None
    is_ecn_capable: bool = False
    most_in: int = 0
    most_out: int = 0
    on_cable: Wear | None = None
    in_chip: Wear | None = None
    worn_credit: float = 0.0


@dataclass(slots=True)
class FlowState:
    """A flow's ends and the marks it met."""

    sender: Sender
    stops: tuple[tuple[Stop, ...], tuple[Stop, ...]]
    back_s: float = 0.0
    marked: int = 0
    cnp_sent: int = 0
    cnp_handled: int = 0
    cnp_ignored: int = 0
    arrived: int = 0
    finished_s: float = 0.0
    lost: tuple[list[int], list[int]] = field(default_factory=lambda: ([], []))
    unseen: tuple[list[int], list[int]] = field(default_factory=lambda: ([], []))

    def __post_init__(self) -> None:
        for kind, stops in enumerate(self.stops):
            self.lost[kind].extend([0] * len(stops))
            self.unseen[kind].extend([0] * len(stops))
