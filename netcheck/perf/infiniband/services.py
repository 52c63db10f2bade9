"""What hosts of a subnet may use: partitions with the service levels that belong to them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from netcheck.model.known import known_or
from netcheck.model.subnets import Partition, Subnet
from netcheck.perf.schedule import Depth, Endpoint, Pattern, Round, rounds

FULL_BIT, LOW_15 = 0x8000, 0x7FFF
PATTERNS = frozenset({Pattern.PAIRS, Pattern.ACROSS, Pattern.INCAST})
DEFAULT_LEVEL = "default"
MayTalk = Callable[[Endpoint, Endpoint], bool]


@dataclass(frozen=True, slots=True)
class Service:
    """One partition of a subnet with one service level; ``pkey`` is its low 15 bits."""

    subnet: str
    partition: str
    pkey: int
    sl: int

    @property
    def name(self) -> str:
        """What results of it are called."""
        return f"{self.subnet}/{self.partition} sl {self.sl}"


def services_of(subnet: Subnet) -> list[Service]:
    """Every partition with the level that names it, else with the default level.

    Without any QoS level it is the partition's own service level; else SL 0.
    """
    return [
        Service(subnet.name, one.name, one.pkey & LOW_15, sl)
        for one in subnet.partitions.values()
        for sl in _levels(subnet, one)
    ]


def _levels(subnet: Subnet, partition: Partition) -> list[int]:
    own = {
        level.sl
        for level in subnet.qos_levels.values()
        if any(match.partition == partition.name for match in level.matches)
    }
    default = subnet.qos_levels.get(DEFAULT_LEVEL)
    if not subnet.qos_levels:
        return [known_or(partition.sl, 0)]
    return sorted(own) or [default.sl if default is not None else 0]


def index_of(keys: Sequence[int], pkey: int) -> int | None:
    """Where a partition's key stands in a port's table, as full member before limited.

    Example:
        >>> index_of([0x7FFF, 0x0A01, 0x8A01], 0x0A01), index_of([0x7FFF], 0x0A01)
        (2, None)
    """
    for wanted in (pkey | FULL_BIT, pkey):
        if wanted in keys:
            return list(keys).index(wanted)
    return None


def rounds_of(
    ends: Sequence[Endpoint],
    is_full: Callable[[Endpoint], bool],
    islands: dict[str, str],
    depth: Depth,
) -> list[Round]:
    """Rounds of a schedule between adapters of which at least one is a full member.

    Full members come first at each leaf, for it is the first NIC that incasts go
    to. Where no incast of a leaf is left, all adapters send to one full member.
    """

    def may_talk(sender: Endpoint, receiver: Endpoint) -> bool:
        return is_full(sender) or is_full(receiver)

    ordered = sorted(ends, key=lambda end: (not is_full(end), end))
    planned = [one for one in rounds(ordered, islands, depth) if one.pattern in PATTERNS]
    left = [one for one in (_allowed(each, may_talk) for each in planned) if one.flows]
    if not any(one.pattern is Pattern.INCAST for one in left):
        left += _onto_one(ordered, may_talk)
    return left


def _allowed(one: Round, may_talk: MayTalk) -> Round:
    flows = tuple(flow for flow in one.flows if may_talk(*flow))
    if one.pattern is Pattern.INCAST:
        onto = [receiver for _, receiver in flows]
        flows = tuple(flow for flow in flows if onto.count(flow[1]) > 1)
    return replace(one, flows=flows)


def _onto_one(ends: Sequence[Endpoint], may_talk: MayTalk) -> Iterator[Round]:
    for receiver in ends[:1]:
        senders = [end for end in ends if end.host != receiver.host and may_talk(end, receiver)]
        if len(senders) > 1:
            flows = tuple((end, receiver) for end in senders)
            yield Round("incast onto one adapter", Pattern.INCAST, flows)
