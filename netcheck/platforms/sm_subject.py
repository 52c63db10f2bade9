"""One manager of one subnet, as renderers see it: its members, secrets, and what is refused."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Final

from netcheck.model.device import Device
from netcheck.model.errors import InputError
from netcheck.model.fabric import Fabric
from netcheck.model.guids import Guids, nodes_of, ports_of
from netcheck.model.known import UNKNOWN, Known, is_known, known_or
from netcheck.model.subnets import Partition, Subnet
from netcheck.platforms.platform import Refusal

FOLDER: Final = "/etc/opensm"
PREFERRED: Final = 14  # 15 is left to whoever has to take over by hand
WORDS: Final = {
    "all": "ALL",
    "all_cas": "ALL_CAS",
    "all_switches": "ALL_SWITCHES",
    "all_routers": "ALL_ROUTERS",
    "sm": "SELF",
}
LOW_15: Final = 0x7FFF


@dataclass(slots=True)
class Subject:
    """One manager of one subnet.

    Attributes:
        folder: Where the files lie on the manager; names in ``opensm.conf`` begin with it.
        build: The build of the subnet manager.
        refused: What cannot be expressed, as it is come upon.
    """

    fabric: Fabric
    subnet: Subnet
    manager: str
    folder: str = FOLDER
    build: str = ""
    refused: list[Refusal] = field(default_factory=list)

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


def subject_of(fabric: Fabric, name: str, manager: str | None, folder: str = FOLDER) -> Subject:
    """Give one manager of a subnet; the preferred one where none is named.

    Raises:
        InputError: There is no such subnet.
    """
    if name not in fabric.subnets:
        known = ", ".join(fabric.subnets) or "none"
        raise InputError(f"subnet {name}: is not declared; there is {known}")
    subject = Subject(fabric, fabric.subnets[name], manager or "", folder)
    if manager is None and subject.managers:
        subject.manager = subject.managers[0]
    return subject


def guid_text(guid: int) -> str:
    """Give a GUID as the files write it."""
    return f"0x{guid:016x}"


def managed_by(device: Device, fabric: Fabric) -> list[str]:
    """Give the subnets that a device manages, in declared order."""
    return [
        name
        for name, subnet in fabric.subnets.items()
        if is_known(subnet.subnet_managers) and device.name in subnet.subnet_managers
    ]


def priority_of(subject: Subject) -> Known[int]:
    """Give the priority of the manager: as said, else by its place among several."""
    said = subject.subnet.priorities
    if subject.manager in said or len(subject.managers) == 1:
        return said.get(subject.manager, UNKNOWN)
    place = subject.managers.index(subject.manager) if subject.manager in subject.managers else 0
    return max(PREFERRED - place, 0)


def secrets_of(subnet: Subnet) -> Iterator[tuple[str, str]]:
    """Yield key and reference of every secret that a subnet says."""
    for key in ("m_key", "sm_key", "sa_key"):
        reference: Known[str] = getattr(subnet, key)
        if is_known(reference):
            yield key, reference


def uses_both(subject: Subject) -> bool:
    """Whether a port is full and limited member at once, which needs ``allow_both_pkeys``."""
    partitions = subject.subnet.partitions.values()
    return any("both" in one.members.values() for one in partitions) or any(
        one.default_membership == "both" for one in partitions
    )


def member_guids(subject: Subject, one: Partition) -> Iterator[tuple[str, str]]:
    """Yield ``member, membership``: keywords and GUIDs, the narrower names last."""
    place = f"partition {one.name}"
    for name, membership in one.members.items():
        if name in WORDS and name != "sm":
            yield WORDS[name], membership
    by_guid: dict[int, str] = {}
    names = [name for name in one.members if name not in WORDS]
    for name in sorted(names, key=lambda each: _breadth(subject, each)):
        for guid in subject.ports([name], place):
            by_guid.pop(guid, None)
            by_guid[guid] = one.members[name]
    if "sm" in one.members:
        yield "SELF", one.members["sm"]
    yield from ((guid_text(guid), membership) for guid, membership in by_guid.items())


def _breadth(subject: Subject, name: str) -> int:
    """Roles before devices before single ports: the narrower one wins."""
    if name.startswith("0x"):
        return 3
    if name in subject.fabric.devices or name in subject.subnet.port_guids:
        return 1
    return 2 if ":" in name else 0
