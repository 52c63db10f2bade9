"""What is rendered: one subnet, one of its managers, the folder, and what stands in the way."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from netcheck.model.fabric import Fabric
from netcheck.model.guids import Guids, nodes_of, ports_of
from netcheck.model.known import known_or
from netcheck.model.subnets import Subnet
from netcheck.platforms.opensm.dialects import UPSTREAM, build_name
from netcheck.platforms.platform import Refusal

FOLDER = "/etc/opensm"


@dataclass(slots=True)
class Subject:
    """One manager of one subnet.

    Attributes:
        folder: Where the files lie on the manager; names in ``opensm.conf`` begin with it.
        refused: What cannot be expressed, as it is come upon.
    """

    fabric: Fabric
    subnet: Subnet
    manager: str
    folder: str = FOLDER
    refused: list[Refusal] = field(default_factory=list)

    @property
    def build(self) -> str:
        """The build of the subnet manager; upstream where none is said."""
        return build_name(self.subnet.opensm_build) or UPSTREAM

    @property
    def managers(self) -> tuple[str, ...]:
        """All managers of the subnet, the preferred one first."""
        return known_or(self.subnet.subnet_managers, ())

    def path(self, file: str) -> str:
        """Where a file lies on the manager."""
        return f"{self.folder.rstrip('/')}/{file}"

    def refuse(self, limit: str, place: str, reason: str) -> None:
        """Note that something cannot be expressed."""
        self.refused.append(Refusal(limit, f"{self.subnet.name} {place}".strip(), reason))

    def ports(self, names: Iterable[str], place: str) -> tuple[int, ...]:
        """Give the port GUIDs of members; a name without one is refused."""
        return self._guids(ports_of, names, place)

    def nodes(self, names: Iterable[str], place: str) -> tuple[int, ...]:
        """Give the node GUIDs of switches; a name without one is refused."""
        return self._guids(nodes_of, names, place)

    def _guids(
        self,
        look: Callable[[Fabric, Subnet, Iterable[str]], Guids],
        names: Iterable[str],
        place: str,
    ) -> tuple[int, ...]:
        guids = look(self.fabric, self.subnet, names)
        for name in guids.missing:
            self.refuse(
                "guid-unknown",
                place,
                f"{name} has no GUID: say guid in the intent, or name an ibnetdiscover file",
            )
        return guids.found


def guid_text(guid: int) -> str:
    """Give a GUID as the files write it."""
    return f"0x{guid:016x}"
