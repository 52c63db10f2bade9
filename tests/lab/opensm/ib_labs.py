"""Networks in the form of ``ibnetdiscover`` for tests, and what runs them. Synthetic."""

from collections.abc import Iterator
from functools import cache

import pytest

from netcheck.lab.opensm.network import Network, read_network
from netcheck.lab.opensm.tools import PACKAGES, missing_packages

needs_opensm = pytest.mark.skipif(
    bool(missing_packages()),
    reason=f"a real OpenSM is needed: apt-get install {' '.join(PACKAGES)}",
)


def host_id(number: int) -> str:
    return f"H-{0x0A0000 + number * 16:016x}"


def leaf_id(number: int) -> str:
    return f"S-{0x0B0000 + number * 16:016x}"


def spine_id(number: int) -> str:
    return f"S-{0x0C0000 + number * 16:016x}"


def guid_of(node: str) -> int:
    return int(f"0x{node[2:]}", 0)


def port_guid(host: str) -> str:
    return f"{guid_of(host) + 1:#018x}"


def network_text(
    leaves: int = 4,
    spines: int = 2,
    hosts: int = 4,
    speed: str = "4xHDR",
    speeds: dict[tuple[str, str], str] | None = None,
) -> str:
    """A two-level tree. ``speeds`` gives links of their own speed, by their two nodes."""
    names = {host_id(n): f"gpu{n + 1:02d} mlx5_0" for n in range(leaves * hosts)}
    names |= {leaf_id(n): f"MF0;leaf{n + 1:02d}:MQM8700/U1" for n in range(leaves)}
    names |= {spine_id(n): f"MF0;spine{n + 1:02d}:MQM8700/U1" for n in range(spines)}
    cables = [
        ((host_id(leaf * hosts + n), 1), (leaf_id(leaf), n + 1))
        for leaf in range(leaves)
        for n in range(hosts)
    ]
    cables += [
        ((leaf_id(leaf), hosts + spine + 1), (spine_id(spine), leaf + 1))
        for leaf in range(leaves)
        for spine in range(spines)
    ]
    return written(names, cables, speed, speeds or {})


Cable = tuple[tuple[str, int], tuple[str, int]]


def written(
    names: dict[str, str],
    cables: list[Cable],
    speed: str = "4xHDR",
    speeds: dict[tuple[str, str], str] | None = None,
) -> str:
    """Nodes and cables as ``ibnetdiscover`` prints them."""
    ends = [*cables, *((b, a) for a, b in cables)]
    blocks = []
    for node, name in names.items():
        own = sorted((here[1], there) for here, there in ends if here[0] == node)
        blocks.append("\n".join(_block(node, name, own, names, speed, speeds or {})))
    return "\n\n".join(blocks) + "\n"


def _block(
    node: str,
    name: str,
    own: list[tuple[int, tuple[str, int]]],
    names: dict[str, str],
    speed: str,
    speeds: dict[tuple[str, str], str],
) -> Iterator[str]:
    guid = guid_of(node)
    is_switch = node.startswith("S-")
    yield f"vendid=0x2c9\ndevid={'0xd2f0' if is_switch else '0x101b'}\nsysimgguid={guid:#x}"
    if is_switch:
        yield f"switchguid={guid:#x}({guid:x})"
        yield f'Switch\t8 "{node}"\t\t# "{name}" enhanced port 0 lid 0 lmc 0'
    else:
        yield f'caguid={guid:#x}\nCa\t1 "{node}"\t\t# "{name}"'
    for port, (far, number) in own:
        rate = speeds.get((node, far)) or speeds.get((far, node)) or speed
        mine = "" if is_switch else f"({guid + 1:x})"
        yield f'[{port}]{mine}\t"{far}"[{number}]\t\t# lid 0 lmc 0 "{names[far]}" lid 0 {rate}'


@cache
def tree() -> Network:
    """Sixteen hosts at four leaves, two spines."""
    return read_network(network_text(), "tree")
