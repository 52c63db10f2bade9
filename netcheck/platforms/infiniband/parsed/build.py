"""Puts what was read together: which node each name means, then the records of the model."""

from __future__ import annotations

from collections import Counter as Tally
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Final

from netcheck.model.counters import Counter, CounterKey, WholeCounts
from netcheck.model.device import Device
from netcheck.model.document import Evidence
from netcheck.model.frozenmap import FrozenMap
from netcheck.model.infiniband import (
    NO_ROUTE,
    IbEnd,
    IbManager,
    IbNode,
    IbPort,
    IbSubnet,
    NodeKind,
    guid_key,
    names_in,
)
from netcheck.model.known import ABSENT, UNKNOWN, Known
from netcheck.platforms.infiniband.counters import counter
from netcheck.platforms.infiniband.parsed.book import SWITCH_PORT, Book, Count, Draft, Ref, Said

# Facts that say which node a name means are settled before all others.
_NAMING: Final = ("kind", "guid", "lid")
# counters that say nothing of loss, and that lists are mostly told to leave out
_HARMLESS: Final = frozenset({"PortRcvSwitchRelayErrors", "PortXmitWait"})
_OWN_PORT: Final = -1  # the port that a GUID or LID belongs to
_LARGEST_LMC: Final = 7
_LARGEST_PORT: Final = 254


def build(book: Book, name: str) -> Device:
    """Give the device at which the outputs were taken, with the subnet they show."""
    work = _Work(book)
    work.settle()
    placed = work.placed()
    nodes = dict(work.nodes())
    counters = dict(work.counters(nodes, placed))
    counted: Known[FrozenMap[CounterKey, Counter]] = UNKNOWN
    if book.counts or book.counts_all:
        counted = WholeCounts(counters) if _shows_all(book) else FrozenMap(counters)
    return Device(
        name,
        platform="infiniband",
        seen_subnet=IbSubnet(
            nodes=FrozenMap(nodes),
            paths=tuple(book.paths),
            groups=UNKNOWN if book.groups is None else tuple(book.groups),
            managers=_managers(book),
            lists_managers=book.lists_managers,
            duplicates=tuple(book.duplicates),
            events=tuple(book.events),
            engine=book.engine or UNKNOWN,
            is_up=UNKNOWN if book.is_up is None else book.is_up,
            is_whole=book.is_whole,
            hidden_errors=frozenset(book.hidden_errors),
            scheduler=UNKNOWN if book.scheduler is None else tuple(book.scheduler),
        ),
        counters=counted,
        evidence=FrozenMap(work.evidence),
        defects=tuple(book.defects),
        unread=tuple(book.unread),
    )


def _shows_all(book: Book) -> bool:
    """What a list of errors does not show is zero, unless it was told to hide some."""
    return book.counts_all and book.hidden_errors <= _HARMLESS


def _managers(book: Book) -> Known[Any]:  # Any: a tuple of managers, or ABSENT
    """Each manager once: what tells its state says more than a list of LIDs."""
    if book.managers is None:
        return UNKNOWN
    found: dict[object, IbManager] = {}
    for one in sorted(book.managers, key=lambda each: each.state is UNKNOWN):
        found.setdefault(one.lid, one)
    return tuple(found.values()) or ABSENT


@dataclass
class _Work:
    """Names to nodes, and facts to their places."""

    book: Book
    evidence: dict[str, Evidence] = field(default_factory=dict)
    labels: dict[str, tuple[str, str]] = field(default_factory=dict)

    def settle(self) -> None:
        """Give every fact to its node."""
        said = self.book.said
        for wanted in _NAMING:
            for one in said:
                if one.name == wanted:
                    self._put(one)
        for one in said:
            if one.ref.guid and one.ref.lid and one.ref.lid not in self.book.by_lid:
                key, own = self.find(one.ref)
                is_switch = self.book.nodes[key].facts.get("kind") is NodeKind.SWITCH
                port = SWITCH_PORT if is_switch else (one.port or own)
                self.book.has_lid(one.ref.lid, key, port)
        for one in said:
            if one.name not in _NAMING:
                self._put(one)

    def find(self, ref: Ref) -> tuple[str, int]:
        """Give node and port that a name means; a node is made where none is known."""
        book = self.book
        if ref.guid:
            key = guid_key(ref.guid)
            if ref.guid in book.by_port_guid:
                return book.by_port_guid[ref.guid]
            if key in book.nodes:
                return key, SWITCH_PORT
            if ref.lid in book.by_lid:
                return book.by_lid[ref.lid]
        elif ref.lid in book.by_lid:
            return book.by_lid[ref.lid]
        key = guid_key(ref.guid) if ref.guid else f"lid {ref.lid}"
        book.nodes.setdefault(key, Draft())
        if ref.lid and not ref.guid:
            book.by_lid.setdefault(ref.lid, (key, SWITCH_PORT))
        return key, SWITCH_PORT

    def _put(self, one: Said) -> None:
        key, own = self.find(one.ref)
        draft = self.book.nodes[key]
        if one.port is None:
            self._put_node(draft, one)
            return
        port = self._port(draft, one.port, own)
        facts = draft.port(port)
        facts.setdefault("evidence", one.evidence)
        if one.name == "peer":
            self._peer(facts, one.value)
        elif one.name == "sl_to_vl" and "sl_to_vl" in facts:
            facts["sl_to_vl"] = one.value.with_items(facts["sl_to_vl"])  # type: ignore[attr-defined]  # a FrozenMap
        else:
            facts.setdefault(one.name, one.value)
        if one.name == "guid" and isinstance(one.value, int):
            self.book.by_port_guid.setdefault(one.value, (key, port))
        elif one.name == "lid" and isinstance(one.value, int):
            self.book.has_lid(one.value, key, port)

    def _port(self, draft: Draft, port: int, own: int) -> int:
        """The port a fact is about; what is asked of port 0 of an adapter is about its own."""
        if port > SWITCH_PORT:
            return port
        is_adapter = draft.facts.get("kind") is NodeKind.ADAPTER
        if port == _OWN_PORT or is_adapter:
            return own or (1 if is_adapter else SWITCH_PORT)
        return port

    def _put_node(self, draft: Draft, one: Said) -> None:
        if one.name == "routes_block" and isinstance(one.value, bytes):
            held = draft.facts.get("routes", b"")
            draft.facts["routes"] = _joined(held, one.value)
        else:
            draft.put(one.name, one.value)
        draft.facts.setdefault("evidence", one.evidence)

    def _peer(self, facts: dict[str, Any], value: object) -> None:
        if value is ABSENT:
            facts.setdefault("peer", ABSENT)
        elif isinstance(value, tuple) and facts.get("peer", ABSENT) is ABSENT:
            ref, port = value
            key, own = self.find(ref)
            if ref.description:
                self.book.nodes[key].put("description", ref.description)
            facts["peer"] = IbEnd(key, port or own)

    def nodes(self) -> Iterator[tuple[str, IbNode]]:
        """Yield the nodes by key, in order of their names."""
        self.labels = _labels(self.book)
        order = sorted(self.book.nodes, key=lambda key: (self.labels[key], key))
        for key in order:
            yield key, self._node(key, self.book.nodes[key])

    def _node(self, key: str, draft: Draft) -> IbNode:
        facts = dict(draft.facts)
        if "kind" not in facts and draft.ports:
            # rows of iblinkinfo --line: a switch shows all its ports, an adapter the first
            is_adapter = set(draft.ports) == {1}
            facts["kind"] = NodeKind.ADAPTER if is_adapter else NodeKind.SWITCH
        if facts.get("kind") is NodeKind.SWITCH and key.startswith("0x"):
            facts.setdefault("guid", int(key, 16))
        own = draft.ports.get(SWITCH_PORT, {})
        for name in ("lid", "lmc"):
            if name in own:
                facts.setdefault(name, own[name])
        device, adapter = self.labels[key]
        ports = {
            number: IbPort(number, **one)
            for number, one in sorted(draft.ports.items())
            if number <= _LARGEST_PORT
        }
        return IbNode(key, device=device, adapter=adapter, ports=FrozenMap(ports), **facts)

    def placed(self) -> list[tuple[Count, str, int]]:
        """Give each counter with its node and port."""
        return [(one, *self._counted_at(one.ref, one.port)) for one in self.book.counts]

    def counters(
        self, nodes: dict[str, IbNode], placed: list[tuple[Count, str, int]]
    ) -> Iterator[tuple[CounterKey, Counter]]:
        """Yield the counters; a row of all ports counts where its node has no other."""
        has_ports = {key for one, key, _ in placed if one.port is not None}
        seen: set[CounterKey] = set()
        for one, key, port in placed:
            if one.port is None and key in has_ports:
                continue
            place = nodes[key].place(None if one.port is None else port)
            # all ports together stand at the node: nothing follows its name
            found = counter(one.name, one.value, f"{place.device} {place.port}")
            if found[0] not in seen:
                seen.add(found[0])
                self.evidence[f"port {found[0].port} {one.name}"] = one.evidence
                yield found

    def _counted_at(self, ref: Ref, port: int | None) -> tuple[str, int]:
        key, own = self.find(ref)
        draft = self.book.nodes[key]
        return key, self._port(draft, SWITCH_PORT if port is None else port, own)


def _joined(held: bytes, more: bytes) -> bytes:
    """Two parts of one table: each has 255 where the other speaks."""
    short, long = sorted((held, more), key=len)
    table = bytearray(long)
    for lid, port in enumerate(short):
        if port != NO_ROUTE:
            table[lid] = port
    return bytes(table)


def _labels(book: Book) -> dict[str, tuple[str, str]]:
    """Host and RDMA device of each node; what two nodes share gets the GUID behind it."""
    found = {}
    for key, draft in book.nodes.items():
        text = str(draft.facts.get("description", "")).strip()
        kind = draft.facts.get("kind", NodeKind.ADAPTER)
        found[key] = names_in(text, kind) if text else (key, "")
    often = Tally(found.values())
    return {
        key: label if often[label] == 1 else (f"{label[0]} ({key})", label[1])
        for key, label in found.items()
    }
