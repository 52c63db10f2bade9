"""``show queuing interface`` and ``show queuing summary`` as text."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Final

from netcheck.model.counters import CounterKey
from netcheck.model.document import Document
from netcheck.model.frozenmap import FrozenMap
from netcheck.model.known import UNKNOWN
from netcheck.model.qos import Buffer, Scheduler, SchedulerKind
from netcheck.platforms.nxos.parsed.live import Live, at_line, counted
from netcheck.platforms.nxos.parsed.policies import account
from netcheck.platforms.nxos.parsed.queuing_json import total
from netcheck.platforms.nxos.parsed.senses import INGRESS, PFC_RX, PFC_TX, QUEUE, sense_of
from netcheck.platforms.nxos.parsed.words import port_name

_PORT: Final = re.compile(
    r"(?:(?P<way>Egress|Ingress) Queuing for (?P<port>\S+)(?: \[\S+\])?"
    r"|(?P<old>\S+) queuing information:)"
)
_GROUP: Final = re.compile(r"\| *QOS GROUP (?P<group>[0-7]) *\||qos-group (?P<old>[0-7])")
_OTHER_GROUP: Final = re.compile(r"\| *(?:CONTROL|SPAN|CPU|QOS GROUP).* *\|")
_CELLS: Final = re.compile(r"\| *([A-Za-z][^|]*?) *\|((?: *\d* *\|)+)")
_PAIR: Final = re.compile(r"([A-Za-z][A-Za-z/& +]*?) *\| *(\d+) *\|")
_STAT: Final = re.compile(
    r"((?:WRED|Ingress MMU|Ingress Overflow|Hi Priority|Low Priority) Drop (?:Pkts|Bytes|Byts))"
    r" +(\d+)"
)
_COS: Final = re.compile(
    r"([0-7]) +(\S+)(?: +(\S+))? +(Active|Inactive) +(\d+) +(Active|Inactive) +(\d+)"
)
_SERVICE: Final = re.compile(
    r"([0-7]) +(\d+|-) +(\d+|-) +(?:\d+|-) +(?:\d+|-) +\S+ +\d+\(D\)|([0-7]) +(\d+|-) +(\d+|-) +.*"
)
_ACCOUNT: Final = re.compile(r"([0-7]) +(\d+|-) +(\d+|-) +(\d+|-)(?: +\S+)?")
_OLD_ACCOUNT: Final = re.compile(r"q-size: (\d+), HW MTU: \d+ \((\d+) configured\)")
_OLD_LEVELS: Final = re.compile(r"drop-type: (no-drop|drop), xon: (\d+), xoff: (\d+)")
_OLD_SERVICE: Final = re.compile(r"([0-7]) +(WRR|priority) +(\d+)")
_OLD_STAT: Final = re.compile(r"((?:Ucast |Mcast )?[Pp]kts [a-z -]+?) *: *(\d+)")
_COLUMNS: Final = re.compile(r"QoS-Group# +Bandwidth% .*|\|.*Unicast.*\|.*")
_NOISE: Final = re.compile(
    r"[-+=|]+|slot +\d+|=+|.*[#>] *sh\w* .*|(?:TX|RX) Queuing|qos-group sched-type oper-bandwidth"
    r"|QoS-Group# .*|Min +Max .*|Buff Size .*|PFC Statistics|PFC_COS QOS_Group .*"
    r"|(?:Per )?(?:Port|Slice) (?:Egress|Ingress) Statistics"
    r"|COS QOS Group .*|TxPPP: .*|Statistics:|Per-priority-pause status.*|\|.*Unicast.*\|.*"
    r"|\| *\| *Stats *\||PFC_STATS|Pause .*"
)


@dataclass(slots=True)
class _Reader:
    document: Document
    live: Live
    port: str = ""
    is_ingress: bool = False
    group: int | None = None
    is_headed: bool = False
    is_slice: bool = False
    schedulers: dict[str, dict[int, Scheduler]] = field(default_factory=dict)
    accounts: dict[str, dict[int, Buffer]] = field(default_factory=dict)

    def read(self) -> None:
        for number, line in enumerate(self.document.text.split("\n"), 1):
            text = line.strip()
            if text and not any(step(self, text, number) for step in _STEPS):
                self.live.tell_damaged(self.document, number, text)
        where = at_line(self.document, 0)
        for port, found in self.schedulers.items():
            self.live.say(port, "scheduler", FrozenMap(dict(sorted(found.items()))), where)
        for port, accounts in self.accounts.items():
            self.live.say(port, "ingress_buffer", FrozenMap(accounts), where)

    def head(self, text: str, number: int) -> bool:  # noqa: ARG002 -- all steps look alike
        match = _PORT.fullmatch(text)
        if match is None:
            return False
        found = port_name(match["port"] or match["old"])
        self.port, self.group, self.is_headed = found or "", None, True
        self.is_ingress, self.is_slice = match["way"] == "Ingress", False
        if found is not None:
            self.live.ports.setdefault(found, {})
        return True

    def block(self, text: str, number: int) -> bool:  # noqa: ARG002 -- all steps look alike
        match = _GROUP.fullmatch(text)
        if match is not None:
            self.group, self.is_headed = int(match["group"] or match["old"]), True
        elif _OTHER_GROUP.fullmatch(text):
            self.group = None
        else:
            return False
        return True

    def queue(self, text: str, number: int) -> bool:
        """A row of a queue's box: one counter with columns, or two counters side by side."""
        match = _CELLS.fullmatch(text)
        if match is not None:
            cells = [cell.strip() for cell in match[2].rstrip("|").split("|")]
            # the first column counts unicast packets; an empty one says nothing
            values = [counted(cell) for cell in cells if cell]
            self._count(match[1], total(values), number)
            return True
        pairs = _PAIR.findall(text.lstrip("| "))
        if not pairs or "".join(text.split()) != "|" + "".join(
            "".join(f"{name}|{value}|".split()) for name, value in pairs
        ):
            return False
        for name, value in pairs:
            self._count(name, counted(value), number)
        return True

    def _count(self, name: str, value: object, number: int) -> None:
        if self.port and self.group is not None:
            sense = sense_of(name, QUEUE)
            key = CounterKey(self.port, sense.meaning, self.group, name)
            self.live.count(key, sense, counted(value), at_line(self.document, number))

    def stat(self, text: str, number: int) -> bool:
        match = _STAT.fullmatch(text)
        if match is not None and self.port and not self.is_slice:
            sense = sense_of(match[1], INGRESS)
            key = CounterKey(self.port, sense.meaning, -1, match[1])
            self.live.count(key, sense, counted(match[2]), at_line(self.document, number))
        return match is not None

    def cos(self, text: str, number: int) -> bool:
        match = _COS.fullmatch(text)
        if match is not None and self.port:
            where = at_line(self.document, number)
            for sense, place, name in ((PFC_TX, 5, "TxCount"), (PFC_RX, 7, "RxCount")):
                key = CounterKey(self.port, sense.meaning, int(match[1]), name)
                self.live.count(key, sense, counted(match[place]), where)
        return match is not None

    def service(self, text: str, number: int) -> bool:  # noqa: ARG002 -- all steps look alike
        match = _SERVICE.fullmatch(text)
        if match is None or self.is_ingress or not self.port:
            return False
        queue, bandwidth, level = (match[n] or match[n + 3] for n in (1, 2, 3))
        found = self.schedulers.setdefault(self.port, {})
        if level != "-":
            found[int(queue)] = Scheduler(SchedulerKind.STRICT)
        elif bandwidth != "-":
            found[int(queue)] = Scheduler(SchedulerKind.WEIGHTED, int(bandwidth))
        return True

    def account(self, text: str, number: int) -> bool:  # noqa: ARG002 -- all steps look alike
        match = _ACCOUNT.fullmatch(text)
        if match is None or not self.is_ingress or not self.port:
            return False
        if "-" not in match.groups():
            sizes = [int(match[place]) for place in (2, 3, 4)]
            shown = replace(account(*sizes), is_computed=UNKNOWN)
            self.accounts.setdefault(self.port, {})[int(match[1])] = shown
        return True

    def old(self, text: str, number: int) -> bool:
        """Lines of Nexus 5000: sizes of a class, and counters of the port."""
        for pattern in (_OLD_ACCOUNT, _OLD_LEVELS, _OLD_SERVICE):
            if pattern.fullmatch(text):
                return True
        match = _OLD_STAT.fullmatch(text)
        if match is not None and self.port:
            sense = sense_of(match[1], INGRESS)
            key = CounterKey(self.port, sense.meaning, self.group or -1, match[1])
            self.live.count(key, sense, counted(match[2]), at_line(self.document, number))
        return match is not None

    def noise(self, text: str, number: int) -> bool:  # noqa: ARG002 -- all steps look alike
        self._expect_head(text)
        # what a slice of the switch counts is not of this port alone
        self.is_slice |= text.startswith("Per Slice")
        return _NOISE.fullmatch(text) is not None

    def _expect_head(self, text: str) -> None:
        """Columns without a header above them belong to a port or queue whose line is lost."""
        if _COLUMNS.fullmatch(text):
            if not self.is_headed:
                self.group = None
                self.port = "" if text.startswith("QoS") else self.port
            self.is_headed = False


_STEPS: Final[tuple[Callable[[_Reader, str, int], bool], ...]] = (
    _Reader.head,
    _Reader.block,
    _Reader.noise,
    _Reader.queue,
    _Reader.stat,
    _Reader.cos,
    _Reader.service,
    _Reader.account,
    _Reader.old,
)


def read_queuing(document: Document, live: Live) -> None:
    """Read queues, pauses and counters; a line that does not fit is damaged and says nothing."""
    live.is_counted = True
    _Reader(document, live).read()


def read_summary(document: Document, live: Live) -> None:
    """Read how queues are served."""
    _Reader(document, live).read()
