"""Reading a subnet while it is measured: who is there, P_Key tables, counters.

Adapters are read at their hosts. Ports of switches are read through one host
with infiniband-diags, all in one shell.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from netcheck.collect.session import Session
from netcheck.collect.subnet import ask_subnet
from netcheck.model.counters import Counter, CounterKey, Meaning
from netcheck.model.device import Device
from netcheck.model.document import Document, DocumentKind
from netcheck.model.errors import InputError, TransportError
from netcheck.model.fabric import PortRef
from netcheck.model.frozenmap import FrozenMap
from netcheck.model.infiniband import IbPort, IbSubnet
from netcheck.model.known import UNKNOWN, Known, is_known
from netcheck.perf.bench import Bench
from netcheck.perf.infiniband.lanes import calls_for
from netcheck.perf.infiniband.places import Places
from netcheck.perf.schedule import Endpoint
from netcheck.platforms.infiniband.parse import parse
from netcheck.platforms.linux.commands import ADAPTER, BOOT_ID, is_read_only
from netcheck.platforms.linux.parse import parse as parse_host

NODES = ("ibnetdiscover", "saquery SMIR", "sminfo")
COMMAND_S = 120.0

Keys = Mapping[Endpoint, Known[tuple[int, ...]]]


def discover(bench: Bench, probes: Iterable[str]) -> tuple[str, IbSubnet, list[str]]:
    """Give the first host at which the subnet can be read, what it shows, and who could not.

    The host is empty where there is none.
    """
    told = []
    for probe in probes:
        try:
            with bench.lent(probe) as session:
                answers = list(ask_subnet(session, NODES, COMMAND_S))
        except (TransportError, InputError) as error:
            told.append(f"{probe}: {error}")
            continue
        seen = parse([one for one, status in answers if status == 0], name=probe).seen_subnet
        status = answers[0][1]
        if status == 0 and is_known(seen) and seen.nodes:
            return probe, seen, told
        told.append(f"{probe}: ibnetdiscover ended with {status} and shows no subnet")
    return "", IbSubnet(), told


@dataclass(frozen=True)
class Reader:
    """Reads hosts and switches of one subnet.

    Attributes:
        probe: Host at which infiniband-diags run.
        ends: Adapters that are measured.
    """

    bench: Bench
    places: Places
    probe: str
    ends: tuple[Endpoint, ...]

    def keys(self) -> tuple[Keys, frozenset[str]]:
        """P_Key table of each adapter, UNKNOWN where its host does not tell; who did not answer."""
        hosts = self._hosts({end.host for end in self.ends}, DocumentKind.STATE)
        silent = frozenset(name for name, host in hosts.items() if host is None)
        return {end: _keys(hosts[end.host], end.rdma) for end in self.ends}, silent

    def with_ticks(self) -> Reader:
        """Give the reader with how long a tick of each adapter's waits is, where it tells."""
        at = dict(self.places.at)
        spots = {ref: at[ref] for end in self.ends if (ref := end.ref) in at}
        counted = self._asked([f"perfquery -c {self._spot(ref)}" for ref in spots])
        for ref, spot in spots.items():
            rows = (counted or {}).get(self._key(ref), {})
            told = (one.value for key, one in rows.items() if key.name == "Tick")
            at[ref] = replace(spot, tick=next((each for each in told if is_known(each)), None))
        return replace(self, places=replace(self.places, at=at))

    def tables(self, refs: Sequence[PortRef]) -> dict[PortRef, IbPort]:
        """Lanes and weights of ports; those that do not tell are missing."""
        said = self._answers(calls_for(refs, self.places))
        seen = parse(said or (), name=self.probe).seen_subnet
        nodes = seen.nodes if is_known(seen) else {}
        found = {}
        for ref in refs:
            spot = self.places.at[ref]
            node = nodes.get(f"lid {spot.lid}")
            if node is not None:
                own = node.ports.get(spot.number, IbPort(spot.number))
                # an adapter tells its lanes as those of port 0
                other = node.ports.get(0, own) if spot.node.is_host else own
                lanes = own.sl_to_vl if is_known(own.sl_to_vl) else other.sl_to_vl
                found[ref] = replace(own, sl_to_vl=lanes)
        return found

    def counters(self, refs: Iterable[PortRef]) -> dict[str, Device | None]:
        """Counters of ports; None for a device that could not be read."""
        wanted = sorted(set(refs))
        hosts = {end.host for end in self.ends} & {ref.device for ref in wanted}
        found = self._hosts(hosts, DocumentKind.COUNTERS)
        switches = [ref for ref in wanted if ref.device not in hosts]
        adapters = [ref for ref in wanted if ref.device in hosts and ref in self.places.at]
        # first the counters of 64 bits, which stand where both are shown
        lines = [
            f"perfquery {wide}{self._spot(ref)}"
            for ref in switches
            if ref in self.places.at
            for wide in ("-x ", "")
        ]
        counted = self._asked([*lines, *(f"perfquery -x {self._spot(ref)}" for ref in adapters)])
        for name in sorted({ref.device for ref in switches}):
            found[name] = None if counted is None else self._switch(name, switches, counted)
        for ref in adapters:
            host = found[ref.device]
            rows = (counted or {}).get(self._key(ref), {})
            found[ref.device] = host and _with_wide_waits(host, ref.port, rows)
        return found

    def _spot(self, ref: PortRef) -> str:
        """Address and number by which a port is asked for."""
        place = self.places.at[ref]
        return f"{place.lid} {place.number}"

    def _key(self, ref: PortRef) -> str:
        """What counters of a port are called that were asked for by its address."""
        return f"lid {self._spot(ref)}" if ref in self.places.at else ""

    def _hosts(self, names: Iterable[str], kind: DocumentKind) -> dict[str, Device | None]:
        rdma: dict[str, list[str]] = {}
        for end in self.ends:
            rdma.setdefault(end.host, []).append(end.rdma)

        def ask(session: Session) -> list[Document]:
            return list(_of_host(session, rdma[session.target.device], kind))

        answers = self.bench.each(names, ask)
        return {
            name: None if said is None else self._named(parse_host(said, name=name))
            for name, said in answers.items()
        }

    def _named(self, host: Device) -> Device:
        """The host with its counters at the ports of the intent, whatever adapters are called."""
        port_of = {end.rdma: end.port for end in self.ends if end.host == host.name}
        own = host.counters if is_known(host.counters) else FrozenMap()
        named = {key._replace(port=port_of.get(key.port, key.port)): v for key, v in own.items()}
        return replace(host, counters=FrozenMap(named))

    def _asked(self, lines: Sequence[str]) -> dict[str, dict[CounterKey, Counter]] | None:
        """Shape: ``lid and port -> counters``; calls that fail tell nothing."""
        said = self._answers(lines) if lines else []
        if said is None:
            return None
        device = parse(said, name=self.probe)
        found: dict[str, dict[CounterKey, Counter]] = {}
        for key, counter in (device.counters if is_known(device.counters) else {}).items():
            found.setdefault(key.port, {})[key] = counter
        return found

    def _answers(self, lines: Sequence[str]) -> list[Document] | None:
        """Outputs of calls that succeed; None where the host does not answer."""

        def ask(session: Session) -> list[Document]:
            answers = ask_subnet(session, lines, COMMAND_S)
            return [document for document, status in answers if status == 0]

        return self.bench.each([self.probe], ask)[self.probe]

    def _switch(
        self, name: str, refs: Sequence[PortRef], by_port: Mapping[str, dict[CounterKey, Counter]]
    ) -> Device:
        found: dict[CounterKey, Counter] = {}
        for ref in (each for each in refs if each.device == name):
            rows = by_port.get(self._key(ref), {})
            found |= {key._replace(port=ref.port): counter for key, counter in rows.items()}
        return Device(name, counters=FrozenMap(found))


def _of_host(session: Session, rdma: Iterable[str], kind: DocumentKind) -> Iterator[Document]:
    """Ask a host for its boot and its adapters; what is not there is left out."""
    commands = [
        replace(one, line=one.line.format(hca=name), file=one.file.format(hca=name))
        for name in rdma
        for one in ADAPTER
        if one.kind is kind
    ]
    asked = [one for one in (BOOT_ID, *commands) if is_read_only(one.line)]
    outputs = session.run_each([one.line for one in asked], COMMAND_S)
    for one, output in zip(asked, outputs, strict=True):
        if output.is_ok:
            yield Document(one.file, output.text, one.line)


def _with_wide_waits(host: Device, port: str, rows: Mapping[CounterKey, Counter]) -> Device:
    """The host with waits of 64 bits where its port tells them: those of 32 are soon full."""
    wide = {
        key._replace(port=port): counter
        for key, counter in rows.items()
        if key.meaning is Meaning.TRANSMIT_WAIT
    }
    own = host.counters if is_known(host.counters) else FrozenMap()
    places = {(key.port, key.meaning, key.number) for key in wide}
    left = {k: v for k, v in own.items() if (k.port, k.meaning, k.number) not in places}
    return replace(host, counters=FrozenMap({**left, **wide})) if wide else host


def _keys(host: Device | None, rdma: str) -> Known[tuple[int, ...]]:
    found = host.rdma.get(rdma) if host is not None else None
    return found.pkeys if found is not None else UNKNOWN
