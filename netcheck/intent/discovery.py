"""GUIDs of names from the output of ibnetdiscover that a subnet names."""

from __future__ import annotations

from pathlib import Path

from netcheck.intent.fields import Fields
from netcheck.intent.files import read_bytes
from netcheck.intent.nodes import decode
from netcheck.model.document import Document
from netcheck.model.errors import InputError
from netcheck.model.frozenmap import FrozenMap
from netcheck.model.infiniband import IbNode, NodeKind
from netcheck.model.known import is_known
from netcheck.platforms.platform import load

Guids = tuple[FrozenMap[str, tuple[int, ...]], FrozenMap[str, int]]
NOTHING: Guids = (FrozenMap(), FrozenMap())


def discovered(subnet: Fields) -> Guids:
    """Give port GUIDs by host and node GUIDs by switch, as ``fabric`` of a subnet shows them.

    A file that cannot be read, or holds no node, is a complaint.
    """
    name = str(subnet.verbatim("fabric"))
    path = Path(subnet.place("fabric").file).parent / name
    try:
        text = decode(read_bytes(path), str(path))
    except (InputError, OSError) as error:
        subnet.complain("fabric", str(error))
        return NOTHING
    nodes = _nodes(str(path), text)
    if not nodes:
        subnet.complain("fabric", f"{path}: expected the output of ibnetdiscover, found no node")
    ports: dict[str, tuple[int, ...]] = {}
    switches: dict[str, int] = {}
    for node in nodes:
        if node.kind is NodeKind.SWITCH and node.device and is_known(node.guid):
            switches[node.device] = node.guid
        elif node.is_host and node.device:
            found = (port.guid for _, port in sorted(node.ports.items()))
            ports[node.device] = (
                *ports.get(node.device, ()),
                *(guid for guid in found if is_known(guid)),
            )
    return FrozenMap(ports), FrozenMap(switches)


def _nodes(name: str, text: str) -> list[IbNode]:
    seen = load("infiniband").parsing.parse([Document(name, text)], name="fabric").seen_subnet
    return list(seen.nodes.values()) if is_known(seen) else []
