"""Reading a subnet back through infiniband-diags, wherever they run.

What is asked for comes in two rounds: the whole subnet first, then tables and
paths at the addresses that the first round gave.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace

from netcheck.compare.path_records import PathQuestion
from netcheck.model.document import Document
from netcheck.model.infiniband import IbNode, IbPath, IbPort, IbSubnet
from netcheck.model.known import UNKNOWN, Known, is_known
from netcheck.platforms.infiniband.parse import parse

WHOLE = (
    ("ibnetdiscover",),
    ("dump_fts", "-n"),
    ("iblinkinfo", "-l"),
    ("ibqueryerrors", "-s", "PortRcvSwitchRelayErrors,PortXmitWait"),
    ("saquery", "SMIR"),
    ("sminfo",),
)

Ask = Callable[[Sequence[Sequence[str]]], Sequence["Reply"]]


@dataclass(frozen=True, slots=True)
class Reply:
    """What one call printed, and its exit status."""

    command: str
    text: str
    status: int


@dataclass(frozen=True)
class Tables:
    """Ports whose tables are asked for; ``(node key, port number)``.

    Attributes:
        keys: P_Key tables; ``lanes`` SL2VL and arbitration; ``ports`` PortInfo.
    """

    keys: tuple[tuple[str, int], ...] = ()
    lanes: tuple[tuple[str, int], ...] = ()
    weights: tuple[tuple[str, int], ...] = ()
    ports: tuple[tuple[str, int], ...] = ()


@dataclass(frozen=True)
class Reading:
    """One reading of a subnet.

    Attributes:
        seen: What all of its outputs say together.
        documents: The outputs.
        paths: Answers to the questions; UNKNOWN where a query failed.
        failed: Calls that failed.
    """

    seen: IbSubnet
    documents: tuple[Document, ...]
    paths: dict[PathQuestion, Known[tuple[IbPath, ...]]] = field(default_factory=dict)
    failed: tuple[Reply, ...] = ()


def read_whole(ask: Ask, extra: Iterable[Document] = ()) -> Reading:
    """Read the subnet as a whole: nodes, cables, routes, errors, managers.

    Args:
        extra: Texts that are read along, such as the manager's log.
    """
    replies = ask(WHOLE)
    documents = (*extra, *map(document_of, replies))
    return Reading(seen_in(documents), documents, failed=_failed(replies))


def read_tables(ask: Ask, reading: Reading, tables: Tables) -> Reading:
    """Read tables of ports on top of a reading."""
    nodes = reading.seen.nodes
    calls = [
        ("smpquery", operation, str(lid), str(number))
        for operation, ports in (
            ("portinfo", tables.ports),
            ("pkeys", tables.keys),
            ("sl2vl", tables.lanes),
            ("vlarb", tables.weights),
        )
        for key, number in ports
        if (lid := address(nodes[key], number))
    ]
    replies = ask(calls)
    good = [document_of(reply) for reply in replies if reply.status == 0]
    documents = (*reading.documents, *good)
    failed = (*reading.failed, *_failed(replies))
    return replace(reading, seen=seen_in(documents), documents=documents, failed=failed)


def read_paths(ask: Ask, reading: Reading, questions: Sequence[PathQuestion]) -> Reading:
    """Ask the subnet administrator for paths, each question by itself."""
    replies = ask([question.command for question in questions])
    paths: dict[PathQuestion, Known[tuple[IbPath, ...]]] = {}
    for question, reply in zip(questions, replies, strict=True):
        paths[question] = UNKNOWN if reply.status else _paths(reply)
    return replace(reading, paths=paths, failed=(*reading.failed, *_failed(replies)))


def _paths(reply: Reply) -> tuple[IbPath, ...]:
    return seen_in((document_of(reply),)).paths if reply.text.strip() else ()


def seen_in(documents: Sequence[Document]) -> IbSubnet:
    """Give the subnet that outputs show together."""
    seen = parse(documents, name="subnet").seen_subnet
    return seen if is_known(seen) else IbSubnet()


def document_of(reply: Reply) -> Document:
    """Give an output as a text that parsers take."""
    return Document(reply.command, reply.text, reply.command)


def address(node: IbNode, number: int) -> int:
    """LID at which a port of a node is asked for; 0 where it has none."""
    port = node.ports.get(number)
    own = port.lid if isinstance(port, IbPort) else UNKNOWN
    if is_known(own) and own:
        return own
    return node.lid if is_known(node.lid) else 0


def _failed(replies: Iterable[Reply]) -> tuple[Reply, ...]:
    # ibqueryerrors exits 1 where a counter is above its threshold
    return tuple(
        reply for reply in replies if reply.status and not reply.command.startswith("ibqueryerrors")
    )
