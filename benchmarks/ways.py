"""Time to work out which ports the flows of a round may cross, on a tree of two tiers.

``python -m benchmarks.ways [LEAVES [HOSTS_PER_LEAF [SPINES]]]`` prints it; 32, 32 and 16
unless others are said.
"""

from __future__ import annotations

import sys
import time

from netcheck.model.device import Device, LinkLayer, Port, RdmaDevice, Role
from netcheck.model.fabric import Fabric, Link, PortRef
from netcheck.model.frozenmap import FrozenMap
from netcheck.perf.observe import Footprint
from netcheck.perf.schedule import endpoints, islands_of, rounds

USUAL = (32, 32, 16)


def tree(leaves: int, hosts: int, spines: int) -> Fabric:
    """A tree in which every leaf has one cable to every spine."""
    rdma = RdmaDevice("mlx5_0", ports=("rail0",), link_layer=LinkLayer.ETHERNET)
    ports, adapters = FrozenMap({"rail0": Port("rail0")}), FrozenMap({"mlx5_0": rdma})
    devices = {f"spine{n}": Device(f"spine{n}", role=Role.SPINE) for n in range(spines)}
    links = []
    for leaf in (f"leaf{n}" for n in range(leaves)):
        devices[leaf] = Device(leaf, role=Role.LEAF)
        links += [Link(PortRef(leaf, f"up{n}"), PortRef(f"spine{n}", leaf)) for n in range(spines)]
        for n in range(hosts):
            host = f"{leaf}-gpu{n}"
            devices[host] = Device(host, role=Role.HOST, ports=ports, rdma=adapters)
            links.append(Link(PortRef(host, "rail0"), PortRef(leaf, f"down{n}")))
    return Fabric("tree", devices=FrozenMap(devices), links=tuple(links))


def main() -> None:
    """Print a line for each round."""
    said = [int(word) for word in sys.argv[1:]]
    fabric = tree(*said, *USUAL[len(said) :])
    for one in rounds(endpoints(fabric), islands_of(fabric)):
        started = time.process_time()
        ports = len(Footprint(fabric, one).switch_egress)
        took = time.process_time() - started
        print(f"{one.name}: {len(one.flows)} flows, {ports} ports, {took:.2f} s")


if __name__ == "__main__":
    main()
