"""Brings both sides of RDMA tests together, runs those of one moment as one, tells the devices.

Clients that arrive close together share one run of the data plane: it begins
when no further client has come for a while (longer while servers still wait).
Simulated time has nothing to do with that.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from netcheck.lab.devices.device import SimulatedDevice
from netcheck.lab.devices.linux.adapter import EMPTY_GID
from netcheck.lab.devices.linux.perftest import (
    RETRY_EXCEEDED,
    BenchError,
    Outcome,
    Side,
    queue_pair_number,
)
from netcheck.lab.latency import latencies_us
from netcheck.lab.routes import End, Routes
from netcheck.lab.subnets.running import RunningSubnet
from netcheck.lab.subnets.traffic import Pair, run_pairs
from netcheck.lab.topology import LabCable
from netcheck.lossless.dataplane.network import Cable, Flow, Network
from netcheck.lossless.dataplane.result import FlowCounters, Result
from netcheck.lossless.dataplane.run import run

QUIET_S = 0.3
LONGEST_QUIET_S = 1.5
ECN_CAPABLE = (1, 2)
LAT_SECONDS = 0.2e-3


@dataclass(eq=False)
class Test:
    """Two sides that met; both wait for their outcome."""

    server: Side
    client: Side
    server_done: asyncio.Future[Outcome]
    client_done: asyncio.Future[Outcome]
    flows: list[Flow] = field(default_factory=list)

    @property
    def ends(self) -> tuple[End, End]:
        """Sending and receiving port."""
        return (self.client.host, self.client.netdev), (self.server.host, self.server.netdev)


@dataclass(eq=False)
class Bench:
    """The lab's test bench.

    Attributes:
        devices: All devices by name.
        hosts: Names of those that end flows.
        host_of: Gives the host that has an address, by whatever address.
    """

    devices: Mapping[str, SimulatedDevice]
    hosts: frozenset[str]
    cables: Callable[[], Sequence[LabCable]]
    host_of: Callable[[str], str | None]
    is_link_up: Callable[[str, str], bool]
    subnets: Mapping[str, RunningSubnet] = field(default_factory=dict)
    waiting: dict[tuple[str, int], tuple[Side, asyncio.Future[Outcome]]] = field(
        default_factory=dict
    )
    met: list[Test] = field(default_factory=list)
    timer: asyncio.TimerHandle | None = None
    tasks: set[asyncio.Task[None]] = field(default_factory=set)

    async def serve(self, side: Side) -> Outcome:
        """Wait for a client and for the test's end.

        Raises:
            BenchError: Another server holds the port.
        """
        key = (side.host, side.options.port)
        if key in self.waiting:
            raise BenchError(f" Couldn't listen to port {side.options.port}")
        done: asyncio.Future[Outcome] = asyncio.get_running_loop().create_future()
        self.waiting[key] = (side, done)
        try:
            return await done
        finally:
            if self.waiting.get(key, (None, None))[1] is done:
                del self.waiting[key]

    async def connect(self, side: Side) -> Outcome:
        """Join a waiting server and wait for the test's end.

        Raises:
            BenchError: Nobody waits there, or the sides do not fit.
        """
        host = self.host_of(side.options.server)
        found = self.waiting.pop((host or "", side.options.port), None)
        if found is None:
            raise BenchError(
                f" Couldn't connect to {side.options.server}:{side.options.port}\n"
                " Unable to open file descriptor for socket connection\n"
                " Unable to init the socket connection"
            )
        server, server_done = found
        self._check(server, side, server_done)
        client_done: asyncio.Future[Outcome] = asyncio.get_running_loop().create_future()
        test = Test(server, side, server_done, client_done)
        self.met.append(test)
        self._set_timer()
        try:
            return await client_done
        finally:
            if test in self.met:  # interrupted before the run
                self.met.remove(test)
            if not server_done.done():
                server_done.set_exception(_peer_died())

    def _check(self, server: Side, client: Side, done: asyncio.Future[Outcome]) -> None:
        is_broken = EMPTY_GID in (server.gid, client.gid) or server.gid_type != client.gid_type
        is_broken = is_broken or _subnet(server) != _subnet(client)
        if not is_broken and server.options.tool == client.options.tool:
            return
        done.set_exception(_peer_died())
        number = queue_pair_number(client, 0)
        raise BenchError(
            f"Failed to modify QP {number} to RTR\n Unable to Connect the HCA's through the link"
        )

    def _set_timer(self) -> None:
        if self.timer is not None:
            self.timer.cancel()
        quiet = LONGEST_QUIET_S if self.waiting else QUIET_S
        self.timer = asyncio.get_running_loop().call_later(quiet, self._begin)

    def _begin(self) -> None:
        self.timer = None
        tests, self.met = self.met, []
        task = asyncio.ensure_future(self._run(tests))
        self.tasks.add(task)
        task.add_done_callback(self.tasks.discard)

    async def _run(self, tests: list[Test]) -> None:
        try:
            await self._run_together(tests)
        except Exception as error:  # whatever it is, nobody may wait for ever
            for test in tests:
                for done in (test.server_done, test.client_done):
                    if not done.done():
                        done.set_exception(BenchError(f"the lab's data plane failed: {error!r}"))
            raise

    async def _run_together(self, tests: list[Test]) -> None:
        """Run tests by the network they are in; tests of one network share it."""
        for name, subnet in self.subnets.items():
            own = [test for test in tests if _subnet(test.client) == name]
            if own:
                await self._run_on_subnet(subnet, own)
        rest = [test for test in tests if test.client.hca is None]
        if rest:
            await self._run_on_ethernet(rest)

    async def _run_on_subnet(self, subnet: RunningSubnet, tests: list[Test]) -> None:
        pairs = [
            Pair(test.client, test.server, float(test.client.options.duration_s) or None)
            for test in tests
        ]
        for test, done in zip(tests, await run_pairs(subnet, pairs), strict=True):
            self._tell(
                test,
                status=0 if done.is_delivered else RETRY_EXCEEDED,
                bandwidth=done.bandwidth_bps,
                latencies=done.latencies_us,
            )

    async def _run_on_ethernet(self, tests: list[Test]) -> None:
        routes = self.routes()
        for test in tests:
            test.flows = self._flows(test, routes)
        network = self.network()
        flows = [flow for test in tests for flow in test.flows]
        seconds = max((_seconds(test, network) for test in tests), default=0.0)
        result = await asyncio.to_thread(run, network, flows, duration_s=seconds)
        self._count(tests, result)
        for test in tests:
            self._finish(test, network, result, seconds)

    def routes(self) -> Routes:
        """Routing over what is up now."""
        spreads = {name: device.spreads() for name, device in self.devices.items()}
        return Routes(self.cables(), self.hosts, self.is_link_up, spreads)

    def network(self) -> Network:
        """What the hardware of all devices holds now."""
        return Network(
            {name: device.hardware() for name, device in self.devices.items()},
            tuple(map(_cable, self.cables())),
        )

    def _flows(self, test: Test, routes: Routes) -> list[Flow]:
        source, target = test.ends
        options = test.client.options
        ways = [
            (test.client, test.server, source, target),
            (test.server, test.client, target, source),
        ]
        if options.tool.startswith("ib_read"):  # data answers the requests of the client
            ways.reverse()
        ways = ways if options.is_bidirectional else ways[:1]
        return [flow for way in ways for flow in _directed(test, *way, routes)]

    def _count(self, tests: Sequence[Test], result: Result) -> None:
        for (name, port), counters in result.ports.items():
            self.devices[name].count(port, counters)
        requested: dict[End, list[FlowCounters]] = {}
        answered: dict[End, list[FlowCounters]] = {}
        for flow in (flow for test in tests for flow in test.flows):
            first, last = flow.path[0], flow.path[-1]
            requested.setdefault((first.node, first.egress), []).append(result.flows[flow.name])
            answered.setdefault((last.node, last.ingress), []).append(result.flows[flow.name])
        for name, port in {**requested, **answered}:
            self.devices[name].count_flows(
                port,
                requested=requested.get((name, port), ()),
                answered=answered.get((name, port), ()),
            )

    def _finish(self, test: Test, network: Network, result: Result, seconds: float) -> None:
        found = [result.flows[flow.name] for flow in test.flows]
        if not found or any(not flow.delivered for flow in found):
            self._tell(test, status=RETRY_EXCEEDED)
            return
        options = test.client.options
        if options.is_latency:
            self._tell(test, latencies=latencies_us(test.flows[0], network, result))
            return
        mtu = min(test.client.mtu, test.server.mtu)
        payload = options.message_bytes / -(-options.message_bytes // mtu)
        bandwidth = sum(flow.delivered for flow in found) * payload * 8 / seconds
        self._tell(test, bandwidth=bandwidth)

    def _tell(
        self,
        test: Test,
        *,
        status: int = 0,
        bandwidth: float = 0.0,
        latencies: tuple[float, ...] = (),
    ) -> None:
        options = test.client.options
        messages = options.iterations * options.queue_pairs
        if options.duration_s:  # the middle half is measured
            messages = round(bandwidth * options.duration_s / 2 / 8 / options.message_bytes)
        for done, peer in ((test.client_done, test.server), (test.server_done, test.client)):
            if not done.done():
                done.set_result(
                    Outcome(
                        peer,
                        status,
                        bandwidth,
                        messages,
                        options.duration_s,
                        latencies_us=latencies,
                    )
                )


def _subnet(side: Side) -> str:
    """Subnet of a side; empty on Ethernet."""
    return side.hca.subnet if side.hca else ""


def _cable(cable: LabCable) -> Cable:
    """A cable as the data plane takes it: what is worn lies on the way to the second end."""
    a, b = (cable.b, cable.a) if cable.worn_to == cable.a else (cable.a, cable.b)
    delay_s = cable.extra_delay_ns * 1e-9
    return Cable(a, b, cable.length_m, delay_s, cable.limit_bps, cable.worn)


def _peer_died() -> BenchError:
    return BenchError(
        "ethernet_read_keys: Couldn't read remote address\n"
        " Unable to read to socket/rdma_cm\n"
        " Failed to exchange data between server and clients"
    )


def _seconds(test: Test, network: Network) -> float:
    options = test.client.options
    if options.is_latency:
        return LAT_SECONDS
    if options.duration_s:
        return float(options.duration_s)
    speed = network.nodes[test.client.host].ports[test.client.netdev].speed_bps
    bits = options.iterations * options.queue_pairs * options.message_bytes * 8
    return max(bits / speed, LAT_SECONDS)


def _directed(
    test: Test, sender: Side, receiver: Side, source: End, target: End, routes: Routes
) -> list[Flow]:
    """Flows of one direction, one for each queue pair; none where there is no way."""
    flows = []
    options = test.client.options
    is_counted = not options.duration_s
    for pair in range(options.queue_pairs):
        number = queue_pair_number(sender, pair)
        key = f"{sender.gid} {receiver.gid} {number}"
        path, back = routes.path(source, target, key), routes.path(target, source, key)
        if path is None or back is None:
            return []
        flows.append(
            Flow(
                f"{source[0]} {source[1]} {target[0]} {target[1]} {options.port} {pair}",
                path,
                back,
                dscp=sender.traffic_class >> 2,
                is_ecn_capable=(sender.traffic_class & 3) in ECN_CAPABLE,
                payload_bytes=min(sender.mtu, receiver.mtu),
                message_bytes=options.message_bytes,
                depth=min(options.depth, options.iterations) if is_counted else options.depth,
                message_limit=1 if options.is_latency else None,
            )
        )
    return flows
