"""Run the rounds: servers wait, clients send, counters are read before and after."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from threading import Event

from netcheck.model.device import Device, Gid, GidType
from netcheck.model.errors import TransportError
from netcheck.model.fabric import Fabric, PortRef, TrafficClass
from netcheck.model.known import is_known
from netcheck.perf.bench import EVERYTHING, Bench
from netcheck.perf.clues import NOT_READ
from netcheck.perf.collective_run import program_of, run_collective
from netcheck.perf.collectives import CollectiveResult
from netcheck.perf.coverage import coverage, passed_through, peers_of, round_for
from netcheck.perf.deltas import Deltas
from netcheck.perf.flows import Course, Flows, moved_between, result_of
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
    with_ways,
)
from netcheck.perf.options import PerfOptions
from netcheck.perf.perftest import DEFAULT_PORT, PerftestRun, Tool, is_told
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
    with_background,
)
from netcheck.perf.started import ipv4, may_mark

ECN_CAPABLE = 2  # ECT(0) in the two lowest bits of the ToS byte
CONFIRMING = 2
PINGED = 8  # failed flows of a round whose ends are asked for a ping
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
    if options.collective and not any(one.collective for one in found):
        found.append(_without_hosts(program_of(options.collective)))
    return found


def _without_hosts(name: str) -> RoundResult:
    """A collective test that was asked for and that no two hosts can run."""
    why = CollectiveResult(error="not run: no two hosts with NICs of one class take part")
    return RoundResult(Round(name, Pattern.ACROSS, ()), name, "", (), {}, collective=why)


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
        self._course = Course(item.name, options.budget_s, progress, self._run_one)
        self.results = self._course.results
        self._ways: dict[tuple[str, str], bool] = {}

    def run(self, one: Round, tool: Tool) -> None:
        """Run one round, if hosts can mark what it needs, there is a way and there is time."""
        one = self._course.joined(self.bench.fabric, one, tool, self._ways)
        if not one.flows:
            return
        if one.is_beside and not any(may_mark(self.hosts, a) for a, _ in one.background):
            self.progress(f"{self.item.name}: hosts force one mark on all traffic: no {one.name}")
            return
        self._course.run(one, tool)

    def _run_one(self, one: Round, tool: Tool, first: int) -> RoundResult:
        return _Runner(self.bench, self.hosts, self.item, tool, self.options, first).run(one)

    def cross_the_rest(self, ends: Sequence[Endpoint], islands: Mapping[str, str]) -> None:
        """Add rounds while some cable between switches carried no data."""
        fabric = self.bench.fabric
        peers, passed = peers_of(fabric), passed_through(fabric)

        def drawn(missed: frozenset[PortRef], turn: int) -> Round:
            more = round_for(missed, ends, peers, turn=turn, islands=islands, passed=passed)
            return with_ways(fabric, more, self._ways)

        self._course.cross_the_rest(
            lambda results: coverage(results, fabric, self.item), drawn, self.options.more_rounds
        )

    def run_collective(self, ends: Sequence[Endpoint], islands: Mapping[str, str]) -> None:
        """Run the user's collective test, over whatever cables its flows may take."""
        name = program_of(self.options.collective)
        pairs = [flow for one in rounds(ends, islands) for flow in one.flows]
        if not pairs:
            return
        self.progress(f"{self.item.name}: {name} on {ends[0].host}")
        whole = Round(name, Pattern.ACROSS, tuple(dict.fromkeys(pairs)))
        whole = with_ways(self.bench.fabric, whole, self._ways)
        runner = _Runner(self.bench, self.hosts, self.item, Tool.WRITE_BW, self.options)
        self.results.append(runner.run_collective(whole, name, ends[0].host))

    def ask_hosts(self) -> None:
        """Ask hosts that may hold a NIC back what of them does."""
        ends = in_question(self.results, self.bench.fabric, self.item)
        answers = {}
        for end in ends:
            self.progress(f"{self.item.name}: asking {end.host} of {end.port}")
            with suppress(TransportError), self.bench.lent(end.host) as session:
                said = parse_answer(session.run(LINE.format(port=end.port)).text)
                answers[end.ref] = replace(said, is_pinned=self.options.is_pinned)
        if answers:
            self.results[-1] = replace(self.results[-1], hosts=answers)

    def confirm(self, ends: Sequence[Endpoint], islands: Mapping[str, str]) -> None:
        """Test again, over the cables that are suspected of a loss that nobody counted."""
        fabric = self.bench.fabric
        peers, passed = peers_of(fabric), passed_through(fabric)
        for turn in range(min(CONFIRMING, self.options.more_rounds)):
            places = uncounted(self.results, fabric, self.item)
            if not places or not self._course.has_time():
                return
            number = CONFIRMING + turn
            more = round_for(places, ends, peers, turn=number, islands=islands, passed=passed)
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

    def run(self, one: Round) -> RoundResult:
        one = with_background(one, tuple(f for f in one.background if may_mark(self.hosts, f[0])))
        touched = Footprint(self.bench.fabric, one)
        devices = {ref.device for link in touched.links for ref in link}
        before = self.bench.read(devices)
        tests = Flows(
            self.bench, self.tool, self.options, self._marked, self._beside, self.first_port
        )
        ran, samples = tests.run(one, partial(self._samples, one, before))
        ran = replace(ran, flows=self._reached(ran.flows))
        found = result_of(one, self.tool.value, self.item.name, ran, self._moved(before))
        return replace(found, samples=samples, reasons=self._reasons(found))

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
        return replace(found, collective=collective, reasons=self._reasons(found))

    def _reasons(self, found: RoundResult) -> dict[str, str]:
        """Why devices did not answer."""
        known = self.bench.reasons
        return {name: known[name] for name in found.unreachable if name in known}

    def _moved(
        self, before: Mapping[str, Device | None]
    ) -> tuple[dict[str, Deltas], tuple[str, ...]]:
        """Read all devices again: how far their counters moved, and who did not answer."""
        time.sleep(self.options.settle_s)
        return moved_between(before, self.bench.read(before))

    def _samples(
        self, one: Round, before: Mapping[str, Device | None], ended: Event
    ) -> tuple[Sample, ...]:
        """Read the switches at the ends of an incast while it runs."""
        if one.pattern not in (Pattern.INCAST, Pattern.MIXED) or not self.options.sample_s:
            return ()
        waited_s = self.options.probe_after_s if one.probes else 0.0  # with the clients running
        return sampled_while(
            self.bench.read,
            {end.leaf.device for flow in one.flows for end in flow},
            before,
            began_s=time.monotonic() - waited_s,
            every_s=self.options.sample_s,
            until_s=self.options.duration_s,
            ended=ended,
        )

    def _reached(self, flows: Sequence[FlowResult]) -> tuple[FlowResult, ...]:
        """Say of the first flows that failed whether their ends reach each other at all."""
        failed = [place for place, flow in enumerate(flows) if is_told(flow.result.error)]
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

    def _marked(self, tool: Tool, client: Endpoint, server: Endpoint) -> PerftestRun | str:
        dscp = min(self.item.dscp) if is_known(self.item.dscp) else None
        return self._test(tool, client, server, dscp)

    def _beside(self, tool: Tool, client: Endpoint, server: Endpoint) -> PerftestRun | str:
        """A test of traffic that may be dropped, marked as its sender's port has it."""
        sender = server if tool.pulls else client
        return self._test(tool, client, server, droppable_dscp(self.bench.fabric, sender.ref))

    def _test(
        self, tool: Tool, client: Endpoint, server: Endpoint, dscp: int | None
    ) -> PerftestRun | str:
        """Addresses and mark of a test."""
        server_gid = self._gid(server)
        client_gid = self._gid(client)
        for end, gid in ((server, server_gid), (client, client_gid)):
            if gid is None:
                return f"{end.host} {end.rdma}: {self._without_gid(end)}"
        if dscp is None or server_gid is None or client_gid is None:
            return f"class {self.item.name}: dscp is not said"
        return PerftestRun(
            tool=tool,
            server_device=server.rdma,
            client_device=client.rdma,
            server_address=ipv4(server_gid),
            server_gid=server_gid.index,
            client_gid=client_gid.index,
            traffic_class=dscp << 2 | ECN_CAPABLE,
            rdma_cm=self.options.rdma_cm,
        )

    def _without_gid(self, end: Endpoint) -> str:
        """Why there is no address to use; what was not read is not missing."""
        host = self.hosts.get(end.host)
        if host is None:
            return NOT_READ
        rdma = host.rdma.get(end.rdma)
        if rdma is None:
            return "no RDMA device of that name"
        if not is_known(rdma.gids):
            return "its GID table was not shown"
        return "no RoCE v2 GID with an IPv4 address"

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
