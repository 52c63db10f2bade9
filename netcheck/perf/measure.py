"""Run the rounds: servers wait, clients send, counters are read before and after."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, replace
from threading import Event

from netcheck.collect.session import Session
from netcheck.model.device import Device, Gid, GidType
from netcheck.model.errors import TransportError
from netcheck.model.fabric import Fabric, TrafficClass
from netcheck.model.known import is_known
from netcheck.perf.bench import EVERYTHING, Bench
from netcheck.perf.collective_run import program_of, run_collective
from netcheck.perf.collectives import CollectiveResult
from netcheck.perf.coverage import coverage, peers_of, round_for
from netcheck.perf.deltas import Deltas, deltas
from netcheck.perf.host_answer import LINE, parse_answer
from netcheck.perf.hosts import in_question
from netcheck.perf.localise import uncounted
from netcheck.perf.observe import (
    FlowResult,
    Footprint,
    RoundResult,
    carries,
    droppable_dscp,
    tested_classes,
)
from netcheck.perf.perftest import (
    DEFAULT_PORT,
    ERRORS,
    NO_DATA,
    WAITING,
    Memory,
    PerftestResult,
    PerftestRun,
    Tool,
    parse_perftest,
    server_line,
)
from netcheck.perf.rping import reach
from netcheck.perf.sampling import Sample, sampled_while
from netcheck.perf.schedule import (
    Depth,
    Endpoint,
    Pattern,
    Round,
    endpoints,
    islands_of,
    rounds,
)
from netcheck.perf.started import StartedFlow, ipv4, may_mark, send, spread, stop

ECN_CAPABLE = 2  # ECT(0) in the two lowest bits of the ToS byte
CONFIRMING = 2
PROBES = 5000  # messages that measure latency in an incast: 50 beyond their 99th percentile
PINGED = 8  # failed flows of a round whose ends are asked for a ping
START_TIMEOUT_S = 30.0
END_MARGIN_S = 60.0
PORTS_OF_A_ROUND, PORT_BLOCKS = 512, 16  # all below 32768, where ephemeral ports begin
TOOLS = {
    Pattern.PAIRS: (Tool.WRITE_BW, Tool.SEND_BW, Tool.WRITE_LAT),
    Pattern.ACROSS: (Tool.WRITE_BW,),
    Pattern.INCAST: (Tool.WRITE_BW,),
    Pattern.MIXED: (Tool.WRITE_BW,),
    Pattern.SPREAD: (Tool.WRITE_BW,),
}


def tools_of(pattern: Pattern, depth: Depth) -> tuple[Tool, ...]:
    """Programs that run in a round of a pattern; reads take their time in the longest schedule."""
    more = depth is Depth.EXHAUSTIVE and pattern is Pattern.PAIRS
    return (*TOOLS[pattern], *([Tool.READ_BW] if more else []))


@dataclass(frozen=True, slots=True)
class PerfOptions:
    """How to measure.

    Attributes:
        duration_s: Length of each bandwidth test.
        settle_s: Wait between the end of a test and the second reading: devices
            count at intervals (SONiC reads queue counters every 10 s).
        queue_pairs: QPs of each flow; more spread over more paths.
        limit: Hosts that take part; all where empty.
        depth: Which schedule.
        more_rounds: Most rounds of each class that are added while data has not
            crossed every cable between switches; none in a quick schedule.
        budget_s: No further round begins when this time would be passed, as far
            as the rounds so far tell. Classes share it; each has at least one round.
        is_pinned: Programs run on the NUMA node of their NIC (numactl on every host).
        memory: Where buffers lie; a GPU's is the one with the NIC's place in its host.
        rdma_cm: Connections are made by rdma_cm.
        sample_s: During an incast, pauses and marks of the switches at its ends are read
            at this interval; 0 reads before and after alone.
        collective: Command line of a program of nccl-tests or rccl-tests, with its launcher,
            that the first host runs after the first class's rounds; none where empty.
        probe_after_s: When latency is tested in an incast, after its clients were started.
    """

    duration_s: int = 5
    settle_s: float = 11.0
    queue_pairs: int = 4
    limit: frozenset[str] | None = None
    depth: Depth = Depth.STANDARD
    more_rounds: int = 8
    budget_s: float = math.inf
    is_pinned: bool = False
    memory: Memory = Memory.HOST
    rdma_cm: bool = False
    sample_s: float = 1.0
    probe_after_s: float = 0.5
    collective: str = ""


def measure(
    fabric: Fabric,
    options: PerfOptions,
    progress: Callable[[str], None] = lambda _: None,
) -> list[RoundResult]:
    """Run the schedule for every class that can be proven.

    Reaches every device in the fabric that a flow may cross. A device that does
    not answer is named in the round's result, never left out of it.
    """
    ends = endpoints(fabric, limit=options.limit)
    islands = islands_of(fabric)
    found: list[RoundResult] = []
    with Bench(fabric) as bench:
        progress(f"reading {len({end.host for end in ends})} hosts")
        hosts = bench.read([end.host for end in ends], EVERYTHING)
        classes = tested_classes(fabric)
        each = replace(options, budget_s=options.budget_s / max(1, len(classes)))
        for item in classes:
            own = [end for end in ends if carries(fabric, end.ref, item)]
            course = _Course(bench, hosts, item, each, progress)
            for one in rounds(own, islands, options.depth):
                for tool in tools_of(one.pattern, options.depth):
                    course.run(one, tool)
            if options.depth is not Depth.QUICK:
                course.cross_the_rest(own, islands)
                course.confirm(own, islands)
            if options.collective and not found:
                course.run_collective(own, islands)
            course.ask_hosts()
            found += course.results
    return found


class _Course:
    """The rounds of one class, one after the other."""

    def __init__(
        self,
        bench: Bench,
        hosts: Mapping[str, Device | None],
        item: TrafficClass,
        options: PerfOptions,
        progress: Callable[[str], None],
    ) -> None:
        self.bench, self.hosts, self.item = bench, hosts, item
        self.options, self.progress = options, progress
        self.results: list[RoundResult] = []
        self._started = time.monotonic()

    def run(self, one: Round, tool: Tool) -> None:
        """Run one round; every round has TCP and, with them, UDP source ports of its own."""
        if one.is_beside and not any(may_mark(self.hosts, a) for a, _ in one.background):
            self.progress(f"{self.item.name}: hosts force one mark on all traffic: no {one.name}")
            return
        if self.results and not self._has_time():
            self.progress(f"{self.item.name}: no time left for {one.name}")
            return
        self.progress(f"{self.item.name}: {tool.value}, {one.name}: {len(one.flows)} flows")
        first = DEFAULT_PORT + len(self.results) % PORT_BLOCKS * PORTS_OF_A_ROUND
        runner = _Runner(self.bench, self.hosts, self.item, tool, self.options, first)
        self.results.append(runner.run(one))

    def _has_time(self) -> bool:
        """Whether a round as long as those so far still fits."""
        used = time.monotonic() - self._started
        return used + used / len(self.results) <= self.options.budget_s

    def cross_the_rest(self, ends: Sequence[Endpoint], islands: Mapping[str, str]) -> None:
        """Add rounds while some cable between switches carried no data."""
        fabric = self.bench.fabric
        peers = peers_of(fabric)
        for turn in range(self.options.more_rounds):
            missed = coverage(self.results, fabric, self.item).missed
            if not missed or not self._has_time():
                return
            more = round_for(missed, ends, peers, turn=turn, islands=islands)
            if not more.flows:
                return
            self.progress(f"{self.item.name}: {len(missed)} cables carried no data yet")
            self.run(more, Tool.WRITE_BW)

    def run_collective(self, ends: Sequence[Endpoint], islands: Mapping[str, str]) -> None:
        """Run the user's collective test, over whatever cables its flows may take."""
        name = program_of(self.options.collective)
        pairs = [flow for one in rounds(ends, islands) for flow in one.flows]
        if not pairs:
            return
        self.progress(f"{self.item.name}: {name} on {ends[0].host}")
        whole = Round(name, Pattern.ACROSS, tuple(dict.fromkeys(pairs)))
        runner = _Runner(self.bench, self.hosts, self.item, Tool.WRITE_BW, self.options)
        self.results.append(runner.run_collective(whole, name, ends[0].host))

    def ask_hosts(self) -> None:
        """Ask hosts that may hold a NIC back what of them does."""
        ends = in_question(self.results, self.bench.fabric, self.item)
        answers = {}
        for end in ends:
            self.progress(f"{self.item.name}: asking {end.host} of {end.port}")
            with suppress(TransportError), self.bench.lent(end.host) as session:
                answers[end.ref] = parse_answer(session.run(LINE.format(port=end.port)).text)
        if answers:
            self.results[-1] = replace(self.results[-1], hosts=answers)

    def confirm(self, ends: Sequence[Endpoint], islands: Mapping[str, str]) -> None:
        """Test again, over the cables that are suspected of a loss that nobody counted."""
        fabric = self.bench.fabric
        peers = peers_of(fabric)
        for turn in range(min(CONFIRMING, self.options.more_rounds)):
            places = uncounted(self.results, fabric, self.item)
            if not places or not self._has_time():
                return
            more = round_for(places, ends, peers, turn=CONFIRMING + turn, islands=islands)
            if not more.flows:
                return
            self.progress(f"{self.item.name}: {len(places)} places are suspected of a loss")
            again = Round(f"many flows over suspects, {turn + 1}", Pattern.SPREAD, more.flows)
            self.run(again, Tool.WRITE_BW)


@dataclass(frozen=True)
class _Runner:
    """One round with one tool."""

    bench: Bench
    hosts: Mapping[str, Device | None]
    item: TrafficClass
    tool: Tool
    options: PerfOptions
    first_port: int = DEFAULT_PORT
    iterations: int = 0

    def run(self, one: Round) -> RoundResult:
        one = replace(
            one, background=tuple(f for f in one.background if may_mark(self.hosts, f[0]))
        )
        touched = Footprint(self.bench.fabric, one)
        devices = {ref.device for link in touched.links for ref in link}
        before = self.bench.read(devices)
        shown, probes, samples = self._flows(one, before)
        flows = self._reached(shown)
        own, victims = len(one.flows), len(one.flows) + len(one.victims)
        moved, lost = self._moved(before)
        return RoundResult(
            one,
            self.tool.value,
            self.item.name,
            flows[:own],
            moved,
            lost,
            flows[own:victims],
            flows[victims:],
            probes,
            samples,
        )

    def run_collective(self, one: Round, name: str, host: str) -> RoundResult:
        """Run a collective test between two readings; its flows are its own."""
        links = Footprint(self.bench.fabric, one).links
        before = self.bench.read({ref.device for link in links for ref in link})
        try:
            with self.bench.lent(host) as session:
                collective = run_collective(session, self.options.collective)
        except TransportError as error:
            collective = CollectiveResult(error=str(error))
        moved, lost = self._moved(before)
        found = RoundResult(one, name, self.item.name, (), moved, lost)
        return replace(found, collective=collective)

    def _moved(
        self, before: Mapping[str, Device | None]
    ) -> tuple[dict[str, Deltas], tuple[str, ...]]:
        """Read all devices again: how far their counters moved, and who did not answer."""
        time.sleep(self.options.settle_s)
        after = self.bench.read(before)
        moved = {name: _deltas(name, before[name], after[name]) for name in sorted(before)}
        lost = sorted(name for name in before if before[name] is None or after[name] is None)
        return moved, tuple(lost)

    def _flows(
        self, one: Round, before: Mapping[str, Device | None]
    ) -> tuple[tuple[FlowResult, ...], tuple[FlowResult, ...], tuple[Sample, ...]]:
        """Results of flows and of probes, and what moved meanwhile."""
        self.bench.open_for(end.host for flow in (*one.every, *one.probes) for end in flow)
        taken: dict[str, int] = {}
        waiting = []
        for number, flow in enumerate(one.every):
            host = self._asked(flow).host
            place = taken[host] = taken.get(host, -1) + 1
            is_own = number < len(one.flows) + len(one.victims)
            dscp = self._dscp() if is_own else droppable_dscp(self.bench.fabric, flow[0].ref)
            is_spread = one.pattern is Pattern.SPREAD
            waiting.append(self.serve(place, flow, dscp, is_spread=is_spread))
        prober = replace(self, tool=Tool.WRITE_LAT, iterations=PROBES)
        asking = []
        for flow in one.probes:
            place = taken[flow[1].host] = taken.get(flow[1].host, -1) + 1
            asking.append(prober.serve(place, flow, self._dscp(), is_spread=False))
        sending = [send(self.bench, flow) for flow in waiting]
        if asking:
            time.sleep(self.options.probe_after_s)
        asking = [send(self.bench, flow) for flow in asking]
        with ThreadPoolExecutor(1) as pool:
            ended = Event()
            reading = pool.submit(self._samples, one, before, ended)
            try:
                probes = tuple(prober.end(flow) for flow in asking)
                flows = tuple(self.end(flow) for flow in sending)
            finally:
                ended.set()
            return flows, probes, reading.result()

    def _samples(
        self, one: Round, before: Mapping[str, Device | None], ended: Event
    ) -> tuple[Sample, ...]:
        """Read the switches at the ends of an incast while it runs."""
        if one.pattern not in (Pattern.INCAST, Pattern.MIXED) or not self.options.sample_s:
            return ()
        return sampled_while(
            self.bench.read,
            {end.leaf.device for flow in one.flows for end in flow},
            before,
            every_s=self.options.sample_s,
            until_s=self.options.duration_s - self.options.probe_after_s,
            ended=ended,
        )

    def _reached(self, flows: Sequence[FlowResult]) -> tuple[FlowResult, ...]:
        """Say of the first flows that failed whether their ends reach each other at all."""
        # by perftest: the hosts themselves answer
        told = {NO_DATA, *(meaning for _, meaning in ERRORS)}
        failed = [place for place, flow in enumerate(flows) if flow.result.error in told]
        found = list(flows)
        for place in failed[:PINGED]:
            flow = flows[place]
            gid = self._gid(flow.receiver)
            ends = flow.sender.host, flow.receiver.host
            ping = reach(self.bench, *ends, ipv4(gid)) if gid else ""
            if ping:
                error = f"{flow.result.error}; {ping}"
                found[place] = replace(flow, result=replace(flow.result, error=error))
        return tuple(found)

    def _dscp(self) -> int | None:
        return min(self.item.dscp) if is_known(self.item.dscp) else None

    def serve(
        self, place: int, flow: tuple[Endpoint, Endpoint], dscp: int | None, *, is_spread: bool
    ) -> StartedFlow:
        """Start the server of one flow; what keeps it from starting is its result."""
        sender, receiver = flow
        asked = self._asked(flow)
        client = sender if asked == receiver else receiver
        run = self._perftest(place, client, asked, dscp, is_spread=is_spread)
        if isinstance(run, str):
            return StartedFlow(sender, receiver, error=run)
        try:
            server = self.bench.borrow(asked.host)
            server.start(server_line(run))
            server.wait_for(WAITING, START_TIMEOUT_S)
        except TransportError as error:
            return StartedFlow(sender, receiver, error=str(error))
        return StartedFlow(sender, receiver, run=run, server=server, asking=client.host)

    def _asked(self, flow: tuple[Endpoint, Endpoint]) -> Endpoint:
        """The end that waits for the other: of a read, the one that sends the data."""
        return flow[0] if self.tool.pulls else flow[1]

    def _perftest(
        self,
        place: int,
        client: Endpoint,
        server: Endpoint,
        dscp: int | None,
        *,
        is_spread: bool,
    ) -> PerftestRun | str:
        server_gid = self._gid(server)
        client_gid = self._gid(client)
        for end, gid in ((server, server_gid), (client, client_gid)):
            if gid is None:
                return f"{end.host} {end.rdma}: no RoCE v2 GID with an IPv4 address"
        if dscp is None or server_gid is None or client_gid is None:
            return f"class {self.item.name}: dscp is not said"
        run = PerftestRun(
            tool=self.tool,
            server_device=server.rdma,
            client_device=client.rdma,
            server_address=ipv4(server_gid),
            server_gid=server_gid.index,
            client_gid=client_gid.index,
            traffic_class=dscp << 2 | ECN_CAPABLE,
            port=self.first_port + place,
            queue_pairs=self.options.queue_pairs,
            duration_s=self.options.duration_s,
            server_pin=server.port if self.options.is_pinned else "",
            client_pin=client.port if self.options.is_pinned else "",
            memory=self.options.memory,
            server_gpu=self._place(server),
            client_gpu=self._place(client),
            rdma_cm=self.options.rdma_cm,
            iterations=self.iterations,
        )
        return spread(run) if is_spread else run

    def _place(self, end: Endpoint) -> int:
        """Which of its host's NICs it is, from 0, in the order of the intent."""
        return list(self.bench.fabric.devices[end.host].rdma).index(end.rdma)

    def _gid(self, end: Endpoint) -> Gid | None:
        """The entry to use: RoCE v2, IPv4, the intended address before any other."""
        host = self.hosts.get(end.host)
        rdma = host.rdma.get(end.rdma) if host else None
        if rdma is None or not is_known(rdma.gids):
            return None
        port = self.bench.fabric.devices[end.host].ports.get(end.port)
        wanted = port.address.split("/")[0] if port and is_known(port.address) else ""
        fit = [gid for gid in rdma.gids if gid.kind is GidType.ROCE_V2 and ipv4(gid)]
        return next((gid for gid in fit if ipv4(gid) == wanted), fit[0] if fit else None)

    def end(self, flow: StartedFlow) -> FlowResult:
        """Wait for a flow's end; give what its client printed."""
        if flow.error or flow.client is None or flow.server is None:
            stop(flow.server)
            return FlowResult(flow.sender, flow.receiver, PerftestResult(error=flow.error))
        try:
            output = flow.client.finish(self.options.duration_s + END_MARGIN_S)
            self.bench.give_back(flow.client)
        except TransportError as error:
            stop(flow.server)
            return FlowResult(flow.sender, flow.receiver, PerftestResult(error=str(error)))
        result = parse_perftest(output.text)
        if not output.is_ok and not result.error:
            result = replace(result, error=f"exit status {output.status}")
        self._end_server(flow.server, is_ok=output.is_ok)
        return FlowResult(flow.sender, flow.receiver, result)

    def _end_server(self, server: Session, *, is_ok: bool) -> None:
        with suppress(TransportError):
            if is_ok:
                server.finish(END_MARGIN_S)
            else:
                server.interrupt()
            self.bench.give_back(server)


def _deltas(name: str, before: Device | None, after: Device | None) -> Deltas:
    if before is None or after is None:
        return Deltas(name, {})
    return deltas(before, after)
