"""What a rehearsal breaks: a link, a switch, the master; and what has to hold then."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from netcheck.compare.subnet_pages import made
from netcheck.lab.opensm.manager import Manager
from netcheck.lab.opensm.network import End, Network
from netcheck.lab.opensm.subnet import SimulatedSubnet
from netcheck.lab.staging import Staged
from netcheck.model.errors import TransportError
from netcheck.model.finding import Finding, Place
from netcheck.model.known import UNKNOWN, known_or
from netcheck.rehearse.judging import Judge
from netcheck.rehearse.reading import NODES, Reading
from netcheck.rehearse.sampling import Sample

AGAIN_S = 60.0
# Source: man opensm(8); linux-rdma/opensm opensm/osm_subnet.c, defaults of a standby's polling.
USUAL_POLL_MS, USUAL_RETRIES = 10_000, 4
DISCOVERY = NODES[0][0]
NO_MASTER = "not rehearsed: no master"
ROUTES = frozenset({"ib-credit-loop", "ib-route-missing"})

Outcome = tuple[list[Finding], str]
Case = tuple[str, Callable[[], Outcome]]


@dataclass
class Failures:
    """Failure cases of one subnet, each put right again before the next.

    Attributes:
        read: Reads the subnet and a small sample of it.
    """

    subnet: SimulatedSubnet
    staged: Staged
    judge: Judge
    read: Callable[[], tuple[Reading, Sample]]

    def cases(self) -> Iterator[Case]:
        """Give the cases that this fabric allows; the others say why not.

        The manager goes first: then one is left, see ``SimulatedSubnet.held``.
        """
        yield "subnet manager gone", self.lose_manager
        yield "link failed", self.fail_link
        yield "switch failed", self.fail_switch

    def fail_link(self) -> Outcome:
        """Take out a cable between two switches; everything has to stay reachable."""
        master = self.subnet.master()
        if master is None:
            return [], NO_MASTER
        cable = _trunk(self.subnet.network, master.node)
        if cable is None:
            return [], "not rehearsed: no cable between switches"
        (node, port), far = cable
        what = f"cable {self._name(node)} port {port} - {self._name(far[0])} port {far[1]}"
        return self._broken(master, what, node, port)

    def fail_switch(self) -> Outcome:
        """Take out a switch, without hosts where there is one; the rest has to stay reachable."""
        master = self.subnet.master()
        if master is None:
            return [], NO_MASTER
        if len(self.subnet.network.switches) < 2:  # noqa: PLR2004 -- one would be all
            return [], "not rehearsed: one switch"
        node = _switch_to_fail(self.subnet.network, master.node)
        if node is None:
            return [], f"not rehearsed: no switch but that of {master.name}, the only manager left"
        return self._broken(master, f"switch {self._name(node)}", node, None)

    def _broken(self, master: Manager, what: str, node: str, port: int | None) -> Outcome:
        """Break something, read the rest, and put it right again, whatever came of it."""
        findings, note = self._while_broken(master, what, node, port)
        self.subnet.settle()
        master.mark()
        self.subnet.relink(node, port)
        try:
            master.wait_up(AGAIN_S)
        except TransportError as error:
            findings.append(_down(f"with {what} back", error))
        return findings, note

    def _while_broken(self, master: Manager, what: str, node: str, port: int | None) -> Outcome:
        self.subnet.settle()
        master.mark()
        began = time.monotonic()
        self.subnet.unlink(node, port)
        try:
            master.wait_up(AGAIN_S)
        except TransportError as error:
            down = _down(f"with {what} out", error)
            return [down], f"{what}: the subnet does not come up again"
        took = time.monotonic() - began
        lost = frozenset(_plugged_in(self.subnet.network, node) if port is None else ())
        reading, sample = self.read()
        findings = [_under(what, one) for one in self._judged(reading, sample, lost)]
        by = self._other_engine()
        gone = f", {len({one for one, _ in lost})} hosts with it" if lost else ""
        return findings, f"{what}{gone}: routed around within {took:.2f} s{by}"

    def _other_engine(self) -> str:
        """Which engine routes now, where it is another than the intent's first."""
        master = self.subnet.master()
        engines = master.engines() if master else []
        first = known_or(self.staged.subnet.routing, ("",))[0]
        return f" by {engines[-1]}" if engines and first not in {"", engines[-1]} else ""

    def _judged(self, reading: Reading, sample: Sample, lost: frozenset[End]) -> Iterator[Finding]:
        master = self.subnet.master()
        engines = master.engines() if master else []
        engine = engines[-1] if engines else UNKNOWN
        gone = tuple(name for name, one in self.subnet.managers.items() if not one.is_running)
        named = known_or(self.staged.subnet.routing, ())
        for one in self.judge.whole(reading, engine, gone):
            # what else the intent names is there for such a case
            if one.rule != "routing-engine-differs" or engine not in named:
                yield one
        yield from self.judge.tables(reading, sample)
        yield from self.judge.paths(reading, engine)
        yield from (one for one in self.judge.rules(reading) if one.rule in ROUTES)
        network = self.subnet.network
        part = network.part(master.node) if master else frozenset(network.ports)
        apart = frozenset(end for end in network.guids if end[0] not in part)
        yield from cut_off(network, reading, lost | apart)

    def lose_manager(self) -> Outcome:
        """Kill the master; the standby has to take over with the same partitions."""
        master = self.subnet.master()
        if master is None:
            return [], NO_MASTER
        standby = next(
            (one for one in self.subnet.managers.values() if one is not master and one.is_running),
            None,
        )
        if standby is None:
            return [], "not rehearsed: nobody to take over"
        self.subnet.settle()
        began = time.monotonic()
        standby.mark()
        master.kill()
        try:
            standby.wait_state("MASTER", AGAIN_S)
            standby.wait_up(AGAIN_S)
        except TransportError as error:
            return [_no_takeover(standby.name, error)], f"{standby.name} does not take over"
        took = time.monotonic() - began
        reading, sample = self.read()
        judged = self._judged(reading, sample, frozenset())
        return [_under(master.name, one) for one in judged], (
            f"{standby.name} took over from {master.name} within {took:.1f} s{self._other_engine()}"
            f" (timers shortened; about {self._usual_s():.0f} s with those of the intent)"
        )

    def _usual_s(self) -> float:
        subnet = self.staged.subnet
        poll_ms = known_or(subnet.poll_ms, USUAL_POLL_MS)
        return poll_ms * known_or(subnet.poll_retries, USUAL_RETRIES) / 1000

    def _name(self, node: str) -> str:
        return self.subnet.network.device(node)


def cut_off(network: Network, reading: Reading, lost: frozenset[End]) -> Iterator[Finding]:
    """Yield hosts of which a port is no longer in the subnet that was not on what failed.

    None where the nodes could not be read: that is said of the whole subnet.
    """
    if any(reply.command == DISCOVERY for reply in reading.failed):
        return
    there = {port.guid for node in reading.seen.nodes.values() for port in node.ports.values()}
    for end, guid in network.guids.items():
        node = end[0]
        if node.startswith("H-") and end not in lost and guid not in there:
            yield made(
                "host-cut-off",
                [Place(network.device(node))],
                "the host is no longer in the subnet",
                expected="another way",
                found="none",
                command=DISCOVERY,
            )


def _down(what: str, error: TransportError) -> Finding:
    message = f"{what} the subnet does not come up: {error}"
    return made("subnet-not-up", [], message, expected="SUBNET UP", found=str(error))


def _no_takeover(name: str, error: TransportError) -> Finding:
    return made(
        "takeover-failed", [Place(name)], f"{name} does not take over: {error}", found=str(error)
    )


def _under(what: str, finding: Finding) -> Finding:
    return replace(finding, message=f"with {what} out: {finding.message}")


def _trunk(network: Network, manager: str) -> tuple[End, End] | None:
    """The first cable between two switches that a manager's node can reach."""
    part = network.part(manager)
    return next(
        (
            (a, b)
            for a, b in network.cables.items()
            if a[0][:2] == b[0][:2] == "S-" and a[0] in part
        ),
        None,
    )


def _switch_to_fail(network: Network, manager: str) -> str | None:
    """The first switch without hosts, else the last one with some, but none of the manager's own.

    A manager that goes with its switch says nothing of the rest.
    """
    part, own = network.part(manager), {far for far, _ in _plugged_in(network, manager)}
    others = [node for node in network.switches if node in part and node not in own]
    with_hosts = {b[0] for a, b in network.cables.items() if a[0].startswith("H-")}
    spines = [node for node in others if node not in with_hosts]
    return spines[0] if len(spines) > 1 else next(reversed(others), None)


def _plugged_in(network: Network, node: str) -> Iterator[End]:
    """Far ends of a node's cables: hosts at a switch, switches at a host."""
    for (here, _), far in network.cables.items():
        if here == node and far[0][:2] != node[:2]:
            yield far
