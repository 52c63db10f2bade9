"""Nodes of an InfiniBand subnet: who they are, and how they hang together."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from netcheck.lossless.seen import Seen
from netcheck.model.device import LinkLayer
from netcheck.model.fact import NotGivenError
from netcheck.model.finding import Place, Severity
from netcheck.model.infiniband import IbNode, guid_key
from netcheck.model.known import is_known
from netcheck.model.view import FabricView
from netcheck.rules.infiniband.subnets import has_plan, seen_subnets
from netcheck.rules.rule import Fault, Scope, rule

SHOWN = 64
MANY = 3


@rule(
    "ib-guid-dup",
    severity=Severity.ERROR,
    scope=Scope.FABRIC,
    source="linux-rdma/opensm opensm/osm_node_info_rcv.c: ERR 0D01, duplicated node GUID",
    supersedes=("ib-node-desc-dup",),
    is_proof=False,
)
def ib_guid_dup(fabric: FabricView) -> Iterator[Fault]:
    """Two nodes or ports have one GUID.

    Why: OpenSM ends with a fatal error as soon as it finds them, and the subnet has no manager.
    Bad: node GUID 0x0002c90300100060 at node0007 and node0008.
    Good: every GUID once.
    Fix: write the adapter's own GUID back with its firmware tool; look at cloned machines.
    """
    for seen in seen_subnets(fabric):
        for one in dict.fromkeys(seen.subnet.duplicates):
            what = "port GUID" if one.is_port else "node GUID"
            names = " and ".join(one.names) or "two of them"
            places = tuple(Place(name.split(" ")[0]) for name in dict.fromkeys(one.names))
            yield Fault(
                fabric,
                ("guid",),
                "every GUID once",
                f"{what} {guid_key(one.guid)} at {names}",
                places=places or (Place(seen.device),),
                evidence=one.evidence,
            )


@rule(
    "ib-node-desc-dup",
    severity=Severity.INFO,
    scope=Scope.FABRIC,
    source="linux-rdma/rdma-core rdma-ndd(8): node descriptions are made of the host's name",
    is_proof=False,
)
def ib_node_desc_dup(fabric: FabricView) -> Iterator[Fault]:
    """Two nodes describe themselves alike.

    Why: tools name nodes by their description; whoever reads them looks at the wrong machine.
    Bad: two adapters called "localhost mlx5_0".
    Good: host name and RDMA device in each description.
    Fix: run rdma-ndd on the hosts, or set the names of the switches.
    """
    for seen in seen_subnets(fabric):
        named: dict[str, list[IbNode]] = {}
        for node in (*seen.switches, *seen.hosts):
            if is_known(node.description) and node.description:
                named.setdefault(node.description, []).append(node)
        for text, nodes in named.items():
            if len(nodes) > 1:
                yield Fault(
                    fabric,
                    ("description",),
                    "a description of its own",
                    f'"{text}" at {len(nodes)} nodes',
                    places=tuple(node.place() for node in nodes[:SHOWN]),
                    evidence=nodes[0].evidence,
                )


@rule(
    "ib-firmware-mixed",
    severity=Severity.WARNING,
    scope=Scope.FABRIC,
    source="NVIDIA UFM Enterprise user manual: ValidateNodesFirmwareVersion; derived",
    is_proof=False,
)
def ib_firmware_mixed(fabric: FabricView) -> Iterator[Fault]:
    """InfiniBand devices of one kind run different firmware.

    Why: faults and speeds differ from node to node, and nobody looks for it there.
    Bad: 15 adapters with firmware 28.39.1002, one with 28.35.2000.
    Good: one version, that which the intent expects where it says so.
    Fix: update the firmware of those that differ.
    """
    groups = _firmware(fabric)
    if not groups:
        raise NotGivenError("firmware of InfiniBand devices")
    for versions in groups.values():
        wanted = {place: _expected_firmware(fabric, place) for place in versions}
        usual = Counter(version for place, version in versions.items() if not wanted[place])
        for place, version in versions.items():
            expected, votes = wanted[place], 0
            if not expected:
                [(expected, votes)] = usual.most_common(1)
            if version != expected:
                note = f"as {votes} others of this kind" if votes else "as intended"
                yield Fault(fabric, ("firmware",), expected, version, note, places=(place,))


def _expected_firmware(fabric: FabricView, place: Place) -> str:
    """Version that the intent expects of a device, by its model or role; empty where unsaid."""
    if not has_plan(fabric):
        return ""
    device = fabric.plan.devices.get(place.device)
    names = (device.model, device.role) if device is not None else ()
    for subnet in fabric.plan.subnets.values():
        for name in names:
            if is_known(name) and str(name) in subnet.expect.firmware:
                return subnet.expect.firmware[str(name)]
    return ""


def _firmware(fabric: FabricView) -> dict[tuple[str, object], dict[Place, str]]:
    """Version by place, for each kind of device."""
    found: dict[tuple[str, object], dict[Place, str]] = {}
    for device in fabric.record.devices.values():
        for rdma in device.rdma.values():
            if rdma.link_layer is LinkLayer.INFINIBAND and is_known(rdma.firmware):
                kind = ("adapter", rdma.driver)
                found.setdefault(kind, {})[Place(device.name, rdma.name)] = rdma.firmware
        if is_known(device.seen_subnet):
            for node in device.seen_subnet.nodes.values():
                if is_known(node.firmware):
                    place = node.place()
                    found.setdefault(("node", node.device_id), {})[place] = node.firmware
    return found


@rule(
    "ib-subnet-split",
    severity=Severity.ERROR,
    scope=Scope.FABRIC,
    source="derived: packets follow cables",
    is_proof=False,
)
def ib_subnet_split(fabric: FabricView) -> Iterator[Fault]:
    """A part of the subnet has no cable to the rest.

    Why: hosts there reach nobody outside; jobs that span both parts do not start.
    Bad: leaf04 and its four hosts hang together, and no cable leads to a spine.
    Good: every node reaches every other.
    Fix: look at the uplinks of the part's switches.
    """
    for seen in seen_subnets(fabric):
        if not seen.cables or not seen.subnet.is_whole:
            raise NotGivenError("a whole discovery of the subnet")
        main, *others = seen.parts
        for part in others:
            nodes = [seen.subnet.nodes[key] for key in part]
            yield Fault(
                fabric,
                ("peer",),
                f"a way to the other {len(main)} nodes",
                f"{len(part)} nodes apart",
                places=tuple(node.place() for node in nodes[:SHOWN]),
                evidence=nodes[0].evidence,
            )


@rule(
    "ib-tree-unbalanced",
    severity=Severity.WARNING,
    scope=Scope.FABRIC,
    source="derived: C. Leiserson, Fat-Trees, IEEE Transactions on Computers C-34 (1985)",
    is_proof=False,
)
def ib_tree_unbalanced(fabric: FabricView) -> Iterator[Fault]:
    """A leaf has fewer links up than the others, or spreads them unevenly.

    Why: its hosts share less bandwidth; collectives run at the pace of the slowest leaf.
    Bad: leaf03 has 7 links up, the other leaves 8.
    Good: every leaf has the same number of links to every switch above it.
    Fix: bring the missing links up, or move cables.
    """
    for seen in seen_subnets(fabric):
        shapes = {key: _shape(seen, key) for key in seen.hosts_at}
        if len(shapes) < MANY:
            continue
        usual, votes = Counter(shapes.values()).most_common(1)[0]
        if votes * 2 <= len(shapes):
            continue
        for key, shape in shapes.items():
            if sum(shape) < sum(usual) or (sum(shape) == sum(usual) and shape != usual):
                yield Fault(
                    fabric,
                    ("uplinks",),
                    _shown(usual),
                    _shown(shape),
                    f"as {votes} other leaves",
                    places=(seen.subnet.nodes[key].place(),),
                    evidence=seen.subnet.nodes[key].evidence,
                )


def _shape(seen: Seen, key: str) -> tuple[int, ...]:
    """Number of links to each neighbouring switch, the fewest first."""
    near = Counter(end.node for cable in seen.uplinks[key] for end in cable if end.node != key)
    return tuple(sorted(near.values()))


def _shown(shape: tuple[int, ...]) -> str:
    if not shape:
        return "no links up"
    each = str(shape[0]) if shape[0] == shape[-1] else f"{shape[0]} or {shape[-1]}"
    return f"{sum(shape)} links up, {each} to each of {len(shape)} switches"
