"""An InfiniBand port of an adapter: what its firmware holds is what the subnet manager set."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

GUID_DIGITS = 16
LANE_NAMES = {2.5: "SDR", 5: "DDR", 10: "QDR", 14: "FDR", 25: "EDR", 50: "HDR", 100: "NDR"}


@dataclass(frozen=True, slots=True)
class HcaState:
    """A port as it is now.

    Attributes:
        state: Code of its logical state: 1 down, 2 init, 3 armed, 4 active.
        rate_gbps: Rate of the link; ``width`` its lanes.
        pkeys: Its P_Key table, 0 in empty slots.
        counters: Shape: ``name as in infiniband-diags -> value``.
    """

    state: int = 1
    lid: int = 0
    sm_lid: int = 0
    lmc: int = 0
    rate_gbps: int = 10
    width: int = 4
    mtu: int = 4096
    prefix: int = 0xFE80000000000000
    pkeys: Sequence[int] = ()
    counters: Mapping[str, int] = field(default_factory=dict)

    @property
    def is_active(self) -> bool:
        """Data may pass."""
        return self.state == 4  # noqa: PLR2004 -- as above

    @property
    def rate(self) -> str:
        """The rate as the kernel writes it.

        Source: torvalds/linux drivers/infiniband/core/sysfs.c rate_show.
        """
        lane = self.rate_gbps / self.width
        name = next((word for each, word in LANE_NAMES.items() if abs(each - lane) < 1), "SDR")
        return f"{self.rate_gbps} Gb/sec ({self.width}X {name})"


@dataclass(frozen=True, slots=True)
class Said:
    """What a program printed, and its exit status."""

    text: str
    status: int


class SubnetAccess(Protocol):
    """A running subnet as a host reaches it."""

    @property
    def name(self) -> str:
        """Name of the subnet."""

    def state(self, guid: int) -> HcaState:
        """A port, by its GUID."""

    async def run(self, guid: int, words: Sequence[str]) -> Said:
        """Run a program of infiniband-diags at a port."""


@dataclass(frozen=True, slots=True)
class Hca:
    """A port of an adapter on InfiniBand.

    Attributes:
        subnet: None where the lab has no subnet for it; its link is down then.
    """

    name: str
    netdev: str
    index: int
    guid: int
    number: int = 1
    subnet: SubnetAccess | None = None

    @property
    def state(self) -> HcaState:
        """The port as it is now."""
        return self.subnet.state(self.guid) if self.subnet else HcaState()

    @property
    def node_guid(self) -> int:
        """GUID of the adapter."""
        return self.guid - self.number

    @property
    def gid(self) -> str:
        """Its first address, in long form."""
        return grouped(f"{self.state.prefix:016x}{self.guid:016x}")


def grouped(digits: str) -> str:
    """Digits in groups of four, as GUIDs and GIDs are written.

    Example:
        >>> grouped("0002c903000a0001")
        '0002:c903:000a:0001'
    """
    return ":".join(digits[place : place + 4] for place in range(0, len(digits), 4))
