"""Reading a subnet back through infiniband-diags, wherever they run.

What is asked for comes in two rounds: the whole subnet first, then tables and
paths at the addresses that the first round gave.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace

from netcheck.compare.path_records import PathQuestion
from netcheck.model.device import Device
from netcheck.model.document import Document
from netcheck.model.infiniband import IbNode, IbPath, IbPort, IbSubnet
from netcheck.model.known import UNKNOWN, Known, is_known
from netcheck.platforms.infiniband.parse import parse

NODES = (("ibnetdiscover",), ("saquery", "SMIR"), ("sminfo",))
WHOLE = (
    ("dump_fts", "-n"),
    ("iblinkinfo", "-l"),
    ("ibqueryerrors", "-s", "PortRcvSwitchRelayErrors,PortXmitWait"),
)
WHOLE_CALLS = frozenset(map(shlex.join, (*NODES, *WHOLE)))

Ask = Callable[[Sequence[Sequence[str]]], Sequence["Reply"]]


@dataclass(frozen=True, slots=True)
class Reply:
    """What one call printed, and its exit status."""

    command: str
    text: str
    status: int


# A subnet manager answers nobody while it routes a large subnet again. ibsim hands an
# answer that comes late to whoever asks next; saquery takes any answer for its own, and
# crashes or hangs where it is one of another kind.
ROUNDS = 6
LATE = re.compile(r"timed? ?out", re.IGNORECASE)
BY_SIGNAL = range(129, 193)  # 255 is how these programs say that they failed
ENDS = re.compile(r"saquery -p --slid (\d+) --dlid (\d+)")


def patient(ask: Ask, wait: Callable[[], object]) -> Ask:
    """Give ``ask`` so that calls that were not answered in time are asked again.

    So are calls that crash, and path queries that got another query's answer. A
    call that fails for another reason has its answer.

    Args:
        wait: Called before each further round.
    """

    def ask_again(commands: Sequence[Sequence[str]]) -> list[Reply]:
        replies = [*ask(commands)]
        for _ in range(ROUNDS):
            late = [number for number, one in enumerate(replies) if _is_unanswered(one)]
            if not late:
                break
            wait()
            for number, reply in zip(late, ask([commands[n] for n in late]), strict=True):
                replies[number] = reply
        return replies

    return ask_again


def _is_unanswered(reply: Reply) -> bool:
    if reply.status:
        return reply.status in BY_SIGNAL or LATE.search(reply.text) is not None
    return _is_of_others(reply)


def _is_of_others(reply: Reply) -> bool:
    """Whether a path query has the answer to another one."""
    asked = ENDS.match(reply.command)
    if asked is None:
        return False
    ends = (int(asked[1]), int(asked[2]))
    return any((path.source, path.destination) != ends for path in _paths(reply))


@dataclass(frozen=True)
class Tables:
    """Ports whose tables are asked for; ``(node key, port number)``.

    Attributes:
        keys: P_Key tables; ``lanes`` SL2VL; ``weights`` arbitration; ``ports`` PortInfo.
        groups: Addresses of multicast groups.
    """

    keys: tuple[tuple[str, int], ...] = ()
    lanes: tuple[tuple[str, int], ...] = ()
    weights: tuple[tuple[str, int], ...] = ()
    ports: tuple[tuple[str, int], ...] = ()
    groups: tuple[str, ...] = ()


@dataclass(frozen=True)
class Reading:
    """One reading of a subnet.

    Attributes:
        device: What all of its outputs say together.
        documents: The outputs.
        paths: Answers to the questions; UNKNOWN where a query failed.
        failed: Calls that failed.
    """

    device: Device
    documents: tuple[Document, ...]
    paths: dict[PathQuestion, Known[tuple[IbPath, ...]]] = field(default_factory=dict)
    failed: tuple[Reply, ...] = ()

    @property
    def seen(self) -> IbSubnet:
        """The subnet that the outputs show."""
        return subnet_of(self.device)


def read_nodes(ask: Ask) -> Reading:
    """Read who is there: nodes, cables, addresses, managers."""
    replies = ask(NODES)
    documents = tuple(map(document_of, replies))
    return Reading(read(documents), documents, failed=_failed(replies))


def read_rest(
    ask: Ask, reading: Reading, tables: Tables, extra: Iterable[Document] = ()
) -> Reading:
    """Read routes, links, errors of all, and tables of some ports, on top of who is there.

    Args:
        extra: Texts that are read along, such as the manager's log.
    """
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
    calls += [("saquery", "MCMR", "--mgid", group) for group in tables.groups]
    replies = ask([*WHOLE, *calls])
    usable = [reply for reply in replies if reply.status == 0 or reply.command in _MAY_FAIL]
    documents = (*extra, *reading.documents, *map(document_of, usable))
    failed = (*reading.failed, *_failed(replies))
    return replace(reading, device=read(documents), documents=documents, failed=failed)


def read_paths(ask: Ask, reading: Reading, questions: Sequence[PathQuestion]) -> Reading:
    """Ask the subnet administrator for paths, each question by itself."""
    replies = ask([question.command for question in questions])
    paths: dict[PathQuestion, Known[tuple[IbPath, ...]]] = {}
    for question, reply in zip(questions, replies, strict=True):
        is_known_answer = reply.status == 0 and not _is_of_others(reply)
        paths[question] = _paths(reply) if is_known_answer else UNKNOWN
    return replace(reading, paths=paths, failed=(*reading.failed, *_failed(replies)))


def _paths(reply: Reply) -> tuple[IbPath, ...]:
    return seen_in((document_of(reply),)).paths if reply.text.strip() else ()


def read(documents: Sequence[Document]) -> Device:
    """Give what outputs of one subnet say together."""
    return parse(documents, name="subnet")


def subnet_of(device: Device) -> IbSubnet:
    """Give the subnet that was seen at a device; an empty one where none was."""
    return device.seen_subnet if is_known(device.seen_subnet) else IbSubnet()


def seen_in(documents: Sequence[Document]) -> IbSubnet:
    """Give the subnet that outputs show together."""
    return subnet_of(read(documents))


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


# ibqueryerrors exits 1 where a counter is above its threshold
_MAY_FAIL = frozenset({shlex.join(WHOLE[2])})


def _failed(replies: Iterable[Reply]) -> tuple[Reply, ...]:
    return tuple(one for one in replies if one.status and one.command not in _MAY_FAIL)
