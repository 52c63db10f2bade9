"""Run the rounds of every service of every intended subnet."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from netcheck.compare.partitions import Membership, Memberships
from netcheck.compare.subnet import master_guid
from netcheck.model.cables import Cables
from netcheck.model.device import Device
from netcheck.model.fabric import Fabric, PortRef
from netcheck.model.finding import Finding, NotProven, Place
from netcheck.model.guids import with_discovered
from netcheck.model.infiniband import NodeKind
from netcheck.model.known import ABSENT, is_known, known_or
from netcheck.model.subnets import Subnet
from netcheck.perf.bench import Bench
from netcheck.perf.flows import Course, Flows, moved_between, result_of
from netcheck.perf.found import perf_finding
from netcheck.perf.infiniband.crossing import Ways
from netcheck.perf.infiniband.lanes import lane_findings, ports_of_failures
from netcheck.perf.infiniband.places import Places, places_of
from netcheck.perf.infiniband.reading import Keys, Reader, discover
from netcheck.perf.infiniband.services import (
    FULL_BIT,
    Service,
    index_of,
    rounds_of,
    services_of,
)
from netcheck.perf.infiniband.sights import crossed, with_full_waits
from netcheck.perf.measure import tools_of
from netcheck.perf.observe import Footprint, RoundResult, with_ways
from netcheck.perf.options import PerfOptions
from netcheck.perf.perftest import PerftestRun, Tool
from netcheck.perf.schedule import Depth, Endpoint, Round, islands_of

LOGINS = ("linux", "opensm")  # platforms that are a Linux shell, where adapters are used


@dataclass(frozen=True)
class Tested:
    """What one service showed.

    Attributes:
        places: The subnet as it was seen; its fabric is the one that results speak of.
        findings: Keys that hosts do not hold, lanes that carry nothing.
        seconds: How long flows ran between two readings of a bandwidth test.
        is_sprayed: Packets of a flow take several paths.
        unrouted: Ports between switches that no forwarding table sends the service by.
    """

    service: Service
    places: Places
    results: tuple[RoundResult, ...]
    findings: tuple[Finding, ...] = ()
    seconds: float = 0.0
    is_sprayed: bool = False
    unrouted: frozenset[PortRef] = frozenset()


class Unproven(NamedTuple):
    """A service that two adapters are meant to talk by, and that no round was run of."""

    name: str
    reason: NotProven
    detail: str


@dataclass(frozen=True)
class Measured:
    """All services that were measured, those that were not, and in words why."""

    tested: tuple[Tested, ...] = ()
    notes: tuple[str, ...] = ()
    unproven: tuple[Unproven, ...] = ()


def count_services(fabric: Fabric) -> int:
    """How many services there are to share the time."""
    return sum(len(services_of(subnet)) for subnet in fabric.subnets.values())


def measure_subnets(
    fabric: Fabric, options: PerfOptions, progress: Callable[[str], None] = lambda _: None
) -> Measured:
    """Measure every service of every subnet of a completed intent.

    Raises:
        InputError: A login is not said.
    """
    tested: list[Tested] = []
    notes: list[str] = []
    unproven: list[Unproven] = []
    if not fabric.subnets:
        return Measured()
    with Bench(fabric) as bench:
        for subnet in fabric.subnets.values():
            work = _Subnet(bench, subnet, options, progress)
            tested += work.measured()
            notes += [f"subnet {subnet.name}: {line}" for line in work.notes]
            unproven += work.unproven
    return Measured(tuple(tested), tuple(notes), tuple(unproven))


@dataclass
class _Subnet:
    """One subnet on its way to be measured."""

    bench: Bench
    subnet: Subnet
    options: PerfOptions
    progress: Callable[[str], None]
    notes: list[str] = field(default_factory=list)
    unproven: list[Unproven] = field(default_factory=list)

    def measured(self) -> Iterator[Tested]:
        """Discover the subnet, then run every service that two adapters may use."""
        fabric = self.bench.fabric
        if not self.subnet.partitions:
            self.notes.append("not measured: the intent says no partition")
            self.unproven.append(
                Unproven(self.subnet.name, NotProven.NOT_EXERCISED, "the intent says no partition")
            )
            return
        hosts = [name for name, device in fabric.devices.items() if self._may_use(device)]
        self.progress(f"subnet {self.subnet.name}: discovering")
        probe, seen, told = discover(self.bench, self._probes(hosts))
        if not probe:
            said = "; ".join(told) or "no host of it has a login"
            self.notes.append(f"not measured, for it could not be read: {said}")
            self.unproven += (
                Unproven(one.name, NotProven.UNREACHABLE, "the subnet could not be read")
                for one in services_of(self.subnet)
            )
            return
        known = self.subnet.port_guids or self.subnet.node_guids
        fabric = fabric if known else with_discovered(fabric, self.subnet.name, seen)
        places = places_of(fabric, self.subnet, seen)
        ends = self._ends(places, hosts)
        reader = Reader(self.bench, places, probe, tuple(ends)).with_ticks()
        keys, silent = reader.keys()
        subnet = fabric.subnets[self.subnet.name]
        memberships = Memberships(fabric, subnet, master_guid(seen))
        for service in services_of(self.subnet):
            members = {
                end: memberships.of(places.guids[end.host, end.rdma], NodeKind.ADAPTER)
                for end in ends
            }
            yield from self._tested(service, reader, keys, members, silent, memberships)

    def _may_use(self, device: Device) -> bool:
        limit = self.options.limit
        is_chosen = limit is None or device.name in limit
        return is_chosen and is_known(device.mgmt) and device.platform in LOGINS

    def _probes(self, hosts: list[str]) -> list[str]:
        """Hosts to read the subnet at: its managers first."""
        managers = [name for name in self.subnet.by_preference if name in hosts]
        cables = Cables(self.bench.fabric)
        others = [name for name in hosts if cables.adapters(name)]
        return list(dict.fromkeys([*managers, *others]))

    def _ends(self, places: Places, hosts: list[str]) -> list[Endpoint]:
        """Adapters of reached hosts that are cabled by their first port and carry RDMA."""
        far = {end: link.other(end) for link in places.fabric.links for end in (link.a, link.b)}
        found: list[Endpoint] = []
        second: list[Endpoint] = []
        for host, rdma in sorted(places.guids):
            device = places.fabric.devices[host]
            for name in device.rdma[rdma].ports if host in hosts else ():
                ref = PortRef(host, name)
                if ref in far and device.ports[name].policy is not ABSENT:
                    own = second if ref in places.second else found
                    own.append(Endpoint(host, name, rdma, far[ref]))
        if second:
            named = ", ".join(str(end.ref) for end in second)
            self.notes.append(f"second ports of adapters are not measured: {named}")
        unreached = sorted({host for host, _ in places.guids} - set(hosts))
        if unreached:
            self.notes.append(f"hosts without a login are not measured: {', '.join(unreached)}")
        return found

    def _tested(
        self,
        service: Service,
        reader: Reader,
        keys: Keys,
        members: Mapping[Endpoint, Membership],
        silent: frozenset[str],
        memberships: Memberships,
    ) -> Iterator[Tested]:
        meant = {
            end: one.keys[service.pkey] for end, one in members.items() if service.pkey in one.keys
        }
        able = [end for end in meant if _index(keys, end, service) is not None]
        full = frozenset(end for end in able if _holds(keys, end, service.pkey | FULL_BIT))
        findings = [
            perf_finding("device-unreachable", Place(host), "no answer")
            for host in sorted({end.host for end in meant} & silent)
        ]
        told = {end: said for end, said in meant.items() if end.host not in silent}
        findings += _missing_keys(service, keys, told)
        fabric = reader.places.fabric
        plan = rounds_of(able, full.__contains__, islands_of(fabric), self.options.depth)
        if not plan and not findings:
            why = "no two hosts with a login may talk by it"
            self.notes.append(f"service {service.name} is not measured: {why}")
            if self._is_meant(service, reader.places, memberships):
                self.unproven.append(Unproven(service.name, NotProven.NOT_EXERCISED, why))
            return
        is_adaptive = self.subnet.adaptive_routing is True
        ways = Ways(fabric, able, lambda a, b: a in full or b in full, is_adaptive=is_adaptive)
        runner = _Runner(reader, service, keys, self.options)
        shares = max(1, count_services(self.bench.fabric))
        budget = self.options.budget_s / shares
        course = Course(service.name, budget, self.progress, runner.run)
        known: dict[tuple[str, str], bool] = {}
        for one, tool in ((a, b) for a in plan for b in tools_of(a.pattern, self.options.depth)):
            if (kept := course.joined(fabric, one, tool, known)).flows:
                course.run(kept, tool)
        if course.results and self.options.depth is not Depth.QUICK:
            self._cross_the_rest(course, ways, known)
        failing = ports_of_failures(course.results, reader.places)
        if failing:
            self.progress(f"{service.name}: asking {len(failing)} ports for its lanes")
            findings += lane_findings(service, failing, reader.tables(failing))
        yield Tested(
            service,
            reader.places,
            tuple(course.results),
            tuple(findings),
            float(self.options.duration_s),
            is_sprayed=is_adaptive,
            unrouted=ways.unrouted(crossed(course.results, fabric).missed, course.results),
        )

    def _cross_the_rest(
        self, course: Course, ways: Ways, known: dict[tuple[str, str], bool]
    ) -> None:
        """Add rounds of pairs that may go another way than those that were run."""

        def drawn(missed: frozenset[PortRef], turn: int) -> Round:
            more = ways.round_over(missed, course.results, turn)
            return with_ways(ways.fabric, more, known)

        course.cross_the_rest(
            lambda results: crossed(results, ways.fabric), drawn, self.options.more_rounds
        )

    @staticmethod
    def _is_meant(service: Service, places: Places, memberships: Memberships) -> bool:
        """Whether the intent lets two hosts talk by a service, reached or not."""
        of_host: dict[str, set[str]] = {}
        for (host, _), guid in places.guids.items():
            said = memberships.of(guid, NodeKind.ADAPTER).keys.get(service.pkey)
            if said is not None:
                of_host.setdefault(host, set()).add(said)
        return len(of_host) > 1 and any(said != {"limited"} for said in of_host.values())


@dataclass(frozen=True)
class _Runner:
    """Rounds of one service."""

    reader: Reader
    service: Service
    keys: Keys
    options: PerfOptions

    def run(self, one: Round, tool: Tool, first_port: int) -> RoundResult:
        """Run one round between two readings of all that it may cross."""
        touched = Footprint(self.reader.places.fabric, one)
        refs = {ref for link in touched.links for ref in link}
        before = self.reader.counters(refs)
        flows = Flows(self.reader.bench, tool, self.options, self._marked, self._marked, first_port)
        ran, _ = flows.run(one, lambda _: None)
        time.sleep(self.options.settle_s)
        after = self.reader.counters(refs)
        moved, lost = moved_between(before, after)
        full = with_full_waits(moved, before, after)
        return result_of(one, tool.value, self.service.name, ran, (full, lost))

    def _marked(self, tool: Tool, client: Endpoint, server: Endpoint) -> PerftestRun | str:
        """Service level and, at each end, the place of the partition's key."""
        found = {end: _index(self.keys, end, self.service) for end in (client, server)}
        for end, index in found.items():
            if index is None:
                return f"{end.host} {end.rdma}: P_Key {self.service.pkey:#06x} is not in its table"
        return PerftestRun(
            tool=tool,
            server_device=server.rdma,
            client_device=client.rdma,
            server_address=_address(self.reader.bench.fabric, server),
            sl=self.service.sl,
            server_pkey=found[server] or 0,
            client_pkey=found[client] or 0,
        )


def _address(fabric: Fabric, end: Endpoint) -> str:
    """Where the client exchanges parameters over TCP: IPoIB where said, else management."""
    device = fabric.devices[end.host]
    port = device.ports.get(end.port)
    own = known_or(port.address, "") if port is not None else ""
    return own.partition("/")[0] or known_or(device.mgmt, "")


def _index(keys: Keys, end: Endpoint, service: Service) -> int | None:
    held = keys[end]
    return index_of(held, service.pkey) if is_known(held) else None


def _holds(keys: Keys, end: Endpoint, key: int) -> bool:
    held = keys[end]
    return is_known(held) and key in held


def _missing_keys(service: Service, keys: Keys, meant: Mapping[Endpoint, str]) -> Iterator[Finding]:
    """A finding for each adapter whose table lacks a key that the intent gives it.

    A full member where a limited one is meant can talk, which is all that is asked here.
    """
    for end, said in sorted(meant.items()):
        held, wanted = keys[end], service.pkey | (FULL_BIT if said != "limited" else 0)
        place = Place(end.host, end.port)
        if not is_known(held):
            yield perf_finding(
                "partition-key-unread",
                place,
                f"P_Key table of {end.rdma} was not shown, in which {wanted:#06x} of partition"
                f" {service.partition} is expected",
                expected=f"{wanted:#06x}",
                found="no table",
            )
        elif wanted not in held and wanted | FULL_BIT not in held:
            shown = " ".join(f"{key:#06x}" for key in held if key) or "no key"
            yield perf_finding(
                "partition-key-missing",
                place,
                f"P_Key of partition {service.partition} at {end.rdma} expected {wanted:#06x},"
                f" found {shown}",
                expected=f"{wanted:#06x}",
                found=shown,
            )
