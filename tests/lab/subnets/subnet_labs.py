"""A lab with an InfiniBand subnet in this process: four hosts, two managers, a real OpenSM."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from netcheck import api
from netcheck.lab.building import Building
from netcheck.lab.staging import stage
from netcheck.lab.subnets.running import RunningSubnet, running_subnet
from netcheck.lab.topology import topology_of
from netcheck.model.fabric import Fabric
from tests.lab.labs import run

ROOT = Path(__file__).resolve().parents[3]
INTENT = ROOT / "examples" / "lab-ib.yaml"
HYBRID = ROOT / "examples" / "lab-hybrid.yaml"
TRAIN = "--sl=1 --pkey_index=1 -D 2 --report_gbits"
RATE = re.compile(r"^ 65536 +\d+ +[\d.]+ +([\d.]+)", re.MULTILINE)
COUNTER = re.compile(r"^(\w+):\.*(\d+)$", re.MULTILINE)
LATENCY = re.compile(r"^ 2 +\d+ +[\d.]+ +[\d.]+ +([\d.]+)", re.MULTILINE)


@dataclass(frozen=True)
class World:
    """The lab, and the files that its managers are to hold."""

    building: Building
    subnet: RunningSubnet
    files: Mapping[str, Mapping[str, str]]

    def sh(self, host: str, line: str) -> tuple[str, int]:
        """Type a line at a host, as root."""
        return asyncio.run(run(self.building.devices[host], line))

    def pairs(self, *pairs: str, options: str = TRAIN, tool: str = "ib_write_bw") -> list[str]:
        """What the clients of tests print that run at once.

        A pair is ``client>server``, or with a service level of its own ``client>server/SL``.
        """
        return asyncio.run(self._pairs(pairs, options, tool))

    async def _pairs(self, pairs: tuple[str, ...], options: str, tool: str) -> list[str]:
        servers, clients = [], []
        for number, pair in enumerate(pairs):
            client, _, rest = pair.partition(">")
            server, _, sl = rest.partition("/")
            line = f"{tool} -d mlx5_0 -p {18515 + number} {options}" + (f" --sl={sl}" if sl else "")
            servers.append(asyncio.ensure_future(run(self.building.devices[server], line)))
            clients.append((client, f"{line} {server}"))
        await asyncio.sleep(0)
        texts = await asyncio.gather(
            *(run(self.building.devices[client], line) for client, line in clients)
        )
        await asyncio.sleep(0.05)
        for server_task in servers:
            server_task.cancel()
        return [text for text, _ in texts]

    def gbps(self, *pairs: str, options: str = TRAIN) -> list[float]:
        """Rates of tests that run at once; 0 for one that failed."""
        found = [RATE.search(text) for text in self.pairs(*pairs, options=options)]
        return [float(one[1]) if one else 0.0 for one in found]

    def waits(self, host: str) -> tuple[int, int]:
        """A host's transmit wait: by perfquery, and in its own files."""
        text, _ = self.sh(host, "perfquery")
        file = "/sys/class/infiniband/mlx5_0/ports/1/counters/port_xmit_wait"
        return int(dict(COUNTER.findall(text))["PortXmitWait"]), int(
            self.sh(host, f"cat {file}")[0]
        )

    def counts(self, where: str, *, switch: str) -> dict[str, int]:
        """Counters of a switch's port as the real perfquery shows them at a host."""
        network = self.subnet.simulated.network
        node = next(one for one in network.switches if network.device(one) == switch)
        lid = self.subnet.view.lids[node, 0]
        text, status = self.sh("gpu01", f"perfquery {lid} {where}")
        assert status == 0, text
        return {name: int(value) for name, value in COUNTER.findall(text)}


def fabric(intent: Path = INTENT) -> Fabric:
    """An example's completed intent."""
    return api.load_completed([str(intent)], deployable=True)


@contextmanager
def world(folder: Path) -> Iterator[World]:
    """Bring the lab up; its managers hold what the intent says."""
    intended = fabric()
    topology = topology_of(intended)
    files = {plan.name: plan.files for plan in stage(intended, "train").plans}
    addresses = {one.name: f"127.77.0.{n + 1}" for n, one in enumerate(topology.devices)}
    with running_subnet(topology.subnets[0]) as subnet:
        for name, own in files.items():
            subnet.loaded[name] = dict(own)
        subnet.restart("sm01", files["sm01"])
        subnet.fresh()
        yield World(Building(topology, folder, addresses, [subnet]), subnet, files)
