"""The tests of one round: servers wait, clients send, all at the same time.

What is tested (a traffic class, an InfiniBand service) is somebody else's: here
a function gives the addresses and marks of one test, or why there is none.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field, replace
from threading import Event
from typing import TypeVar

from netcheck.collect.session import EndedEarlyError, Session
from netcheck.model.device import Device
from netcheck.model.errors import TransportError
from netcheck.model.fabric import Fabric, PortRef
from netcheck.perf.bench import Bench
from netcheck.perf.coverage import Coverage
from netcheck.perf.deltas import Deltas, deltas
from netcheck.perf.observe import FlowResult, RoundResult, with_ways
from netcheck.perf.options import PerfOptions
from netcheck.perf.perftest import (
    DEFAULT_PORT,
    PORT_TAKEN,
    WAITING,
    PerftestResult,
    PerftestRun,
    Tool,
    last_line,
    parse_perftest,
    server_line,
)
from netcheck.perf.schedule import Endpoint, Pattern, Round
from netcheck.perf.started import SPREAD_QUEUE_PAIRS, StartedFlow, send, spread, stop

T = TypeVar("T")
PROBES = 5000  # messages that measure latency in an incast: 50 beyond their 99th percentile
START_TIMEOUT_S = 30.0
END_MARGIN_S = 60.0
PORTS_OF_A_FLOW = 4  # tried one after the other, where others have some
BIND_S = 0.1  # from a server's word that it waits to its refusal of a port
PORTS_OF_A_ROUND, PORT_BLOCKS = 512, 16  # all below 32768, where ephemeral ports begin

Marked = Callable[[Tool, Endpoint, Endpoint], PerftestRun | str]
"""Give the test of a tool between a client and a server, or why there is none."""


@dataclass(frozen=True, slots=True)
class Ran:
    """Results of a round's tests: its flows of all kinds in order, and its probes.

    Attributes:
        queue_pairs: Of each flow.
    """

    flows: tuple[FlowResult, ...]
    probes: tuple[FlowResult, ...]
    queue_pairs: int = 1


@dataclass(frozen=True)
class Flows:
    """Starts the tests of a round with one tool and waits for their ends.

    Attributes:
        marked: Gives a test of what is measured; ``beside`` one of other traffic.
    """

    bench: Bench
    tool: Tool
    options: PerfOptions
    marked: Marked
    beside: Marked
    first_port: int = DEFAULT_PORT
    iterations: int = 0

    def run(self, one: Round, meanwhile: Callable[[Event], T]) -> tuple[Ran, T]:
        """Run all tests of a round.

        Args:
            meanwhile: Called while they run; its argument is set when the last has ended.
        """
        self.bench.open_for(end.host for flow in (*one.every, *one.probes) for end in flow)
        taken: dict[str, int] = {}
        waiting = []
        is_spread = one.pattern is Pattern.SPREAD
        for number, flow in enumerate(one.every):
            host = self._asked(flow).host
            place = taken[host] = taken.get(host, -1) + 1
            is_own = number < len(one.flows) + len(one.victims)
            marked = self.marked if is_own else self.beside
            waiting.append(self._serve(place, flow, marked, is_spread=is_spread))
        prober = replace(self, tool=Tool.WRITE_LAT, iterations=PROBES)
        asking = []
        for flow in one.probes:
            place = taken[flow[1].host] = taken.get(flow[1].host, -1) + 1
            asking.append(prober._serve(place, flow, self.marked))  # noqa: SLF001 -- itself with another tool
        sending = [send(self.bench, flow) for flow in self._listening(waiting)]
        if asking:
            time.sleep(self.options.probe_after_s)
        asking = [send(self.bench, flow) for flow in prober._listening(asking)]  # noqa: SLF001 -- as above
        with ThreadPoolExecutor(1) as pool:
            ended = Event()
            beside_it = pool.submit(meanwhile, ended)
            try:
                probes = tuple(map(self._end, asking))
                flows = tuple(map(self._end, sending))
            finally:
                ended.set()
            return Ran(flows, probes, self._queue_pairs(one)), beside_it.result()

    def _queue_pairs(self, one: Round) -> int:
        """Queue pairs of each flow of a round."""
        if self.tool.is_latency:
            return 1
        return SPREAD_QUEUE_PAIRS if one.pattern is Pattern.SPREAD else self.options.queue_pairs

    def _serve(
        self,
        place: int,
        flow: tuple[Endpoint, Endpoint],
        marked: Marked,
        *,
        is_spread: bool = False,
    ) -> StartedFlow:
        """Start the server of one flow; what keeps it from starting is its result."""
        sender, receiver = flow
        asked = self._asked(flow)
        client = sender if asked == receiver else receiver
        found = marked(self.tool, client, asked)
        if isinstance(found, str):
            return StartedFlow(sender, receiver, error=found)
        run = self._as_wanted(found, place, client, asked)
        run = spread(run) if is_spread else run
        return self._served(StartedFlow(sender, receiver, run=run, asking=client.host))

    def _served(self, flow: StartedFlow) -> StartedFlow:
        """The flow with its server; what keeps that from starting is its result."""
        asked = self._asked((flow.sender, flow.receiver))
        if flow.run is None:
            return flow
        try:
            server = self.bench.borrow(asked.host)
            server.start(server_line(flow.run))
            server.wait_for(WAITING, START_TIMEOUT_S)
        except EndedEarlyError as error:
            return replace(flow, error=self._at_server(flow, _why(error.printed)))
        except TransportError as error:
            return replace(flow, error=str(error))
        return replace(flow, server=server, error="")

    def _listening(self, flows: Sequence[StartedFlow]) -> list[StartedFlow]:
        """Flows whose servers have a TCP port; those that found theirs taken at another one.

        A server says that it waits before it asks for its port, and where a program of
        somebody else has that, the client would talk to it.
        Source: linux-rdma/perftest src/write_bw.c, src/perftest_communication.c.
        """
        found = list(flows)
        for turn in range(PORTS_OF_A_FLOW):
            until = time.monotonic() + BIND_S
            found = [self._bound(flow, until) for flow in found]
            taken = [place for place, flow in enumerate(found) if flow.error == PORT_TAKEN]
            if not taken or turn == PORTS_OF_A_FLOW - 1:
                break
            for place in taken:
                run = found[place].run
                moved = run and replace(run, port=run.port + PORTS_OF_A_ROUND // PORTS_OF_A_FLOW)
                found[place] = self._served(replace(found[place], run=moved))
        return [
            replace(flow, error=self._at_server(flow, PORT_TAKEN))
            if flow.error == PORT_TAKEN
            else flow
            for flow in found
        ]

    def _at_server(self, flow: StartedFlow, why: str) -> str:
        """Why the server of a flow does not do, with its place: so no cable is suspected for it."""
        asked = self._asked((flow.sender, flow.receiver))
        return f"{asked.host} {asked.rdma}: {why}"

    def _bound(self, flow: StartedFlow, until: float) -> StartedFlow:
        """The flow, and why its server ended where it did."""
        if flow.server is None:
            return flow
        try:
            if not flow.server.ended_within(max(0.0, until - time.monotonic())):
                return flow
            printed = flow.server.finish(END_MARGIN_S).text
        except TransportError as error:
            return replace(flow, server=None, error=str(error))
        self.bench.give_back(flow.server)
        why = _why(printed)
        said = why if why == PORT_TAKEN else self._at_server(flow, why)
        return replace(flow, server=None, error=said)

    def _asked(self, flow: tuple[Endpoint, Endpoint]) -> Endpoint:
        """The end that waits for the other: of a read, the one that sends the data."""
        return flow[0] if self.tool.pulls else flow[1]

    def _as_wanted(
        self, run: PerftestRun, place: int, client: Endpoint, server: Endpoint
    ) -> PerftestRun:
        """The test with a TCP port of its own and all that was asked for."""
        return replace(
            run,
            port=self.first_port + place,
            queue_pairs=self.options.queue_pairs,
            duration_s=self.options.duration_s,
            server_pin=server.port if self.options.is_pinned else "",
            client_pin=client.port if self.options.is_pinned else "",
            memory=self.options.memory,
            server_gpu=self._place(server),
            client_gpu=self._place(client),
            iterations=self.iterations,
        )

    def _place(self, end: Endpoint) -> int:
        """Which of its host's NICs it is, from 0, in the order of the intent."""
        return list(self.bench.fabric.devices[end.host].rdma).index(end.rdma)

    def _end(self, flow: StartedFlow) -> FlowResult:
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
            said = f"exit status {output.status}: {last_line(output.text)}"
            result = replace(result, error=said)
        printed = self._end_server(flow.server, is_ok=output.is_ok)
        theirs = parse_perftest(printed).error
        if theirs == PORT_TAKEN and not result.error:  # whose server it was is not known
            result = PerftestResult(error=self._at_server(flow, theirs))
        elif theirs and result.error and theirs != result.error:
            result = replace(result, error=f"{result.error}; at the other side: {theirs}")
        return FlowResult(flow.sender, flow.receiver, result)

    def _end_server(self, server: Session, *, is_ok: bool) -> str:
        """Wait for a server's end, or end it; give what it printed."""
        with suppress(TransportError):
            output = server.finish(END_MARGIN_S) if is_ok else server.interrupt()
            self.bench.give_back(server)
            return output.text
        return ""


def _why(printed: str) -> str:
    """Why a server ended that should wait."""
    return parse_perftest(printed).error or last_line(printed)


def result_of(
    one: Round, tool: str, name: str, ran: Ran, read: tuple[dict[str, Deltas], tuple[str, ...]]
) -> RoundResult:
    """Put a round's result together.

    Args:
        read: How far the counters of each device moved, and who did not answer.
    """
    own, victims = len(one.flows), len(one.flows) + len(one.victims)
    moved, lost = read
    return RoundResult(
        one,
        tool,
        name,
        ran.flows[:own],
        moved,
        lost,
        ran.flows[own:victims],
        ran.flows[victims:],
        ran.probes,
        queue_pairs=ran.queue_pairs,
    )


def moved_between(
    before: Mapping[str, Device | None], after: Mapping[str, Device | None]
) -> tuple[dict[str, Deltas], tuple[str, ...]]:
    """How far the counters of each device moved, and who did not answer in either reading."""
    moved = {name: _deltas(name, before[name], after[name]) for name in sorted(before)}
    lost = sorted(name for name in before if before[name] is None or after[name] is None)
    return moved, tuple(lost)


def _deltas(name: str, before: Device | None, after: Device | None) -> Deltas:
    if before is None or after is None:
        return Deltas(name, {})
    return deltas(before, after)


@dataclass
class Course:
    """The rounds of one traffic class or service, one after the other.

    Every round has TCP and, with them, UDP source ports of its own.

    Attributes:
        run_one: Runs a round with a tool; its last argument is the first of its ports.
        left_out: What was left out before the first round.
    """

    name: str
    budget_s: float
    progress: Callable[[str], None]
    run_one: Callable[[Round, Tool, int], RoundResult]
    results: list[RoundResult] = field(default_factory=list)
    left_out: list[str] = field(default_factory=list)
    started: float = field(default_factory=time.monotonic)

    def run(self, one: Round, tool: Tool) -> bool:
        """Run one round, unless the time is up; whether it was run."""
        if self.results and not self.has_time():
            self.leave_out(f"{tool.value}, {one.name}", "no time left")
            return False
        self.progress(f"{self.name}: {tool.value}, {one.name}: {len(one.flows)} flows")
        first = DEFAULT_PORT + len(self.results) % PORT_BLOCKS * PORTS_OF_A_ROUND
        result = self.run_one(one, tool, first)
        self.results.append(replace(result, left_out=(*self.left_out, *result.left_out)))
        self.left_out.clear()
        return True

    def joined(
        self, fabric: Fabric, one: Round, tool: Tool, known: dict[tuple[str, str], bool]
    ) -> Round:
        """The round without flows that no path by tiers joins, which are left out.

        Args:
            known: As for ``with_ways``.
        """
        kept = with_ways(fabric, one, known)
        count = len(one.every) - len(kept.every)
        if count:
            self.leave_out(f"{count} flows of {tool.value}, {one.name}", "no way by tiers")
        return kept

    def leave_out(self, what: str, why: str) -> None:
        """Keep in mind, and with the results, what is not run."""
        self.progress(f"{self.name}: {why} for {what}")
        if not self.results:
            self.left_out.append(f"{what} ({why})")
            return
        last = self.results[-1]
        self.results[-1] = replace(last, left_out=(*last.left_out, f"{what} ({why})"))

    def cross_the_rest(
        self,
        seen: Callable[[Sequence[RoundResult]], Coverage],
        drawn: Callable[[frozenset[PortRef], int], Round],
        most: int,
    ) -> None:
        """Add rounds while some cable between switches carried no data.

        Args:
            seen: What results tell of these cables.
            drawn: A round that may reach the missed ones, by how many such went before.
        """
        known, told = Coverage(), 0
        for turn in range(most):
            known = known.joined(seen(self.results[told:]))
            missed, told = known.missed, len(self.results)
            more = drawn(missed, turn) if missed else None
            if more is None or not more.flows:
                return
            self.progress(f"{self.name}: {len(missed)} cables carried no data yet")
            if not self.run(more, Tool.WRITE_BW):
                return

    def has_time(self) -> bool:
        """Whether a round as long as those so far still fits."""
        used = time.monotonic() - self.started
        return used + used / len(self.results) <= self.budget_s
