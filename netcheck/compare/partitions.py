"""P_Key tables of a subnet against the partitions of an intent."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Final

from netcheck.compare.subnet_pages import made, unread
from netcheck.model.fabric import Fabric
from netcheck.model.finding import Finding
from netcheck.model.guids import ports_of
from netcheck.model.infiniband import IbNode, IbPort, IbSubnet, NodeKind
from netcheck.model.known import is_known
from netcheck.model.subnets import Partition, Subnet

DEFAULT_KEY: Final = 0x7FFF
FULL_BIT: Final = 0x8000
LOW_15: Final = 0x7FFF
SM: Final = "sm"
WIDE: Final = {
    "all": frozenset(NodeKind),
    "all_cas": frozenset({NodeKind.ADAPTER}),
    "all_switches": frozenset({NodeKind.SWITCH}),
    "all_routers": frozenset({NodeKind.ROUTER}),
}


@dataclass(frozen=True, slots=True)
class Membership:
    """The partitions that one port is in.

    Attributes:
        keys: ``low 15 bits -> full, limited or both``.
        silent: Keys that the subnet manager adds by itself; they may be there.
    """

    keys: dict[int, str] = field(default_factory=dict)
    silent: frozenset[int] = frozenset()

    @property
    def table(self) -> frozenset[int]:
        """Keys as they stand in the port's table, membership bit included."""
        return frozenset(key for low, said in self.keys.items() for key in written(low, said))

    def talks_to(self, other: Membership) -> frozenset[int]:
        """Keys (low 15 bits) by which the two may talk: at least one of them is a full member."""
        return frozenset(
            key
            for key, said in self.keys.items()
            if key in other.keys and (said != "limited" or other.keys[key] != "limited")
        )


def written(low: int, membership: str) -> tuple[int, ...]:
    """Keys that a membership puts into a table.

    Example:
        >>> [hex(key) for key in written(0x0A01, "both")]
        ['0xa01', '0x8a01']
    """
    if membership == "both":
        return low, low | FULL_BIT
    return (low | FULL_BIT,) if membership == "full" else (low,)


class Memberships:
    """Partitions of every port of a subnet, as the intent states them.

    The narrower statement wins: a device over a role, a port over a device; the
    subnet manager's own port is the master's.

    Source: linux-rdma/opensm doc/partition-config.txt (the Default partition holds
    every port as limited and the manager's as full member before anything is said).
    """

    def __init__(self, fabric: Fabric, subnet: Subnet, manager_guid: int = 0) -> None:
        self.subnet = subnet
        self.manager_guid = manager_guid
        self._said = {
            one.pkey & LOW_15: self._named(fabric, one) for one in subnet.partitions.values()
        }
        self._wide = {one.pkey & LOW_15: one.members for one in subnet.partitions.values()}

    def _named(self, fabric: Fabric, one: Partition) -> dict[int, str]:
        names = [name for name in one.members if name not in WIDE and name != SM]
        found: dict[int, str] = {}
        for name in sorted(names, key=lambda each: _narrowness(fabric, self.subnet, each)):
            found |= dict.fromkeys(ports_of(fabric, self.subnet, [name]).found, one.members[name])
        return found

    def of(self, guid: int, kind: NodeKind) -> Membership:
        """Partitions of one port; without any partition said nothing is expected."""
        keys: dict[int, str] = {}
        for low, named in self._said.items():
            wide = self._wide[low]
            said = named.get(guid)
            if said is None and guid == self.manager_guid:
                said = wide.get(SM)
            if said is None:
                fitting = [each for word, each in wide.items() if kind in WIDE.get(word, ())]
                said = fitting[-1] if fitting else None
            if said is not None:
                keys[low] = said
        silent = {DEFAULT_KEY, DEFAULT_KEY | FULL_BIT} if DEFAULT_KEY not in keys else set()
        return Membership(keys, frozenset(silent))


def _narrowness(fabric: Fabric, subnet: Subnet, name: str) -> int:
    if name.startswith("0x"):
        return 3
    if name in fabric.devices or name in subnet.port_guids:
        return 1
    return 2 if ":" in name else 0


def compare_keys(
    memberships: Memberships, asked: Iterable[tuple[IbNode, IbPort]]
) -> Iterator[Finding]:
    """Yield a finding for every port whose table differs from its partitions.

    Args:
        asked: Ports of adapters whose table was asked for.
    """
    for node, port in asked:
        command = f"smpquery pkeys {port.lid if is_known(port.lid) else '?'} {port.number}"
        if not is_known(port.pkeys) or not is_known(port.guid):
            yield unread("partition-keys-differ", [node.place(port.number)], "P_Key table", command)
            continue
        kind = node.kind if is_known(node.kind) else NodeKind.ADAPTER
        wanted = memberships.of(port.guid, kind)
        held = frozenset(filter(None, port.pkeys))
        missing, extra = wanted.table - held, held - wanted.table - wanted.silent
        if missing or extra:
            yield made(
                "partition-keys-differ",
                [node.place(port.number)],
                _message(memberships.subnet, missing, extra),
                expected=_keys(wanted.table),
                found=_keys(held - (wanted.silent - wanted.table)),
                command=command,
                facts=("pkeys",),
            )


def compare_first(
    memberships: Memberships, asked: Iterable[tuple[IbNode, IbPort]]
) -> Iterator[Finding]:
    """Yield a finding for every port at whose index 0 another key stands than intended.

    Ports whose table gave no answer are those of ``compare_keys``.
    """
    said = memberships.subnet.partitions.values()
    first = {one.pkey & LOW_15 for one in said if one.is_first is True}
    for node, port in asked:
        if not is_known(port.pkeys) or not is_known(port.guid) or not port.pkeys:
            continue
        kind = node.kind if is_known(node.kind) else NodeKind.ADAPTER
        wanted = first & memberships.of(port.guid, kind).keys.keys()
        if wanted and port.pkeys[0] & LOW_15 not in wanted:
            yield made(
                "partition-key-not-first",
                [node.place(port.number)],
                "another P_Key stands at index 0 than intended",
                expected=_named_keys(memberships.subnet, frozenset(wanted)),
                found=f"{port.pkeys[0]:#06x}",
                command=f"smpquery pkeys {port.lid} {port.number}",
                facts=("pkeys",),
            )


def compare_enforced(
    memberships: Memberships, seen: IbSubnet, asked: Iterable[tuple[IbNode, IbPort]]
) -> Iterator[Finding]:
    """Yield a finding for every switch port that holds other keys than the port at its far end.

    Args:
        asked: Ports of switches, each with an adapter at the far end.

    Source: linux-rdma/opensm opensm/osm_pkey_mgr.c: the peer's keys, full where it is both.
    """
    for node, port in asked:
        ends = far_end(seen, port)
        if ends is None or not is_known(ends[1].guid):
            continue
        where, command = [node.place(port.number)], f"smpquery pkeys {node.lid} {port.number}"
        if not is_known(port.pkeys):
            yield unread("switch-keys-differ", where, "P_Key table", command)
            continue
        kind = ends[0].kind if is_known(ends[0].kind) else NodeKind.ADAPTER
        peer = memberships.of(ends[1].guid, kind)
        wanted = {
            key for low, said in peer.keys.items() for key in written(low, _enforced_as(said))
        }
        held = frozenset(filter(None, port.pkeys))
        missing, extra = frozenset(wanted) - held, held - wanted - peer.silent
        if missing or extra:
            yield made(
                "switch-keys-differ",
                where,
                f"{_message(memberships.subnet, missing, extra)};"
                f" at the far end is {ends[0].place(ends[1].number)}",
                expected=_keys(frozenset(wanted)),
                found=_keys(held),
                command=command,
                facts=("pkeys",),
            )


def _enforced_as(membership: str) -> str:
    return "full" if membership == "both" else membership


def far_end(seen: IbSubnet, port: IbPort) -> tuple[IbNode, IbPort] | None:
    """Give the node and port that a port is cabled to, if both are seen."""
    if not is_known(port.peer):
        return None
    node = seen.nodes.get(port.peer.node)
    far = node.ports.get(port.peer.port) if node is not None else None
    return (node, far) if node is not None and far is not None else None


def _message(subnet: Subnet, missing: frozenset[int], extra: frozenset[int]) -> str:
    parts = []
    if missing:
        parts.append(f"lacks {_named_keys(subnet, missing)}")
    if extra:
        parts.append(f"holds {_named_keys(subnet, extra)} that nobody intends")
    return "P_Key table " + " and ".join(parts)


def _named_keys(subnet: Subnet, keys: frozenset[int]) -> str:
    names = {one.pkey & LOW_15: one.name for one in subnet.partitions.values()}
    return ", ".join(
        f"{key:#06x} ({names[key & LOW_15]})" if key & LOW_15 in names else f"{key:#06x}"
        for key in sorted(keys)
    )


def _keys(keys: frozenset[int]) -> str:
    return " ".join(f"{key:#06x}" for key in sorted(keys)) or "none"
