"""Reads shell scripts that set adapters up: our own rendered ones and other people's.

Understood are simple commands in a straight line, with variables that the
script itself sets. What depends on the machine (loops, substitutions) is kept
as unread; where such a line sets QoS it is a defect.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from netcheck.model.frozenmap import FrozenMap
from netcheck.model.known import ABSENT, UNKNOWN
from netcheck.model.qos import Buffer, DcbxMode, Scheduler, SchedulerKind, Trust
from netcheck.platforms.linux.dcb_lines import read_dcb_line
from netcheck.platforms.linux.environment import NAMES, assignments
from netcheck.platforms.linux.facts import Fact, Item, Owner, Page, Unread, Variable
from netcheck.platforms.linux.quirks import DSCPS, PRIORITIES, identity_map
from netcheck.platforms.linux.sysfs import written_fact

_ENDS = frozenset({";", "&&", "||", "|", "&"})
_QOS = re.compile(r"\b(mlnx_qos|cma_roce_tos|cma_roce_mode|dcb|ethtool -A)\b|/ecn/|traffic_class")
_SETS = re.compile(r"(?:export\s+)?([A-Za-z_]\w*)=([^\s;|&`$()]*|'[^']*'|\"[^\"$`]*\")\s*;?\s*")
_VARIABLE = re.compile(r"\$(?:\{([A-Za-z_]\w*)\}|([A-Za-z_]\w*))")
_OPENS = re.compile(r"(?:^|[;&|])\s*(?:for|while|until|if|case)\s|\(\)\s*\{|^\s*\{\s*$")
_CLOSES = re.compile(r"(?:^|;)\s*(?:done|fi|esac|\})(?=\s|;|$)")
# A whole device name out of a variable, and no other variable in the line.
_EACH = re.compile(r"^[^$]*(?:-i|--interface)[ =]\"?\$\{?[A-Za-z_]\w*\}?\"?(?:\s[^$]*)?$")
_CHOOSES = re.compile(r"^\s*(?:else|elif|case)\b", re.MULTILINE)
_QUOTING = re.compile(r"""[\\"'`]""")
_COMMENT = re.compile(r"(?:^|\s)#.*")
_TOKEN = re.compile(r"[;&|<>]+|[^\s;&|<>]+")
_HEAD = re.compile(r"# netcheck: device \S+, port (?P<port>[^\s,]+)(?P<rdma>(?:, rdma [^\s,]+)*)$")
_IGNORED = frozenset({"set", "true", "sleep", "echo", "exit", ":", "modprobe", "#!/bin/sh"})


_MAPPED = object()


@dataclass
class _Port:
    """What the script has set on one port so far."""

    dscps: dict[int, int] = field(default_factory=dict)
    pfc: frozenset[int] | None = None
    tsa: list[str] | None = None
    weights: list[int] | None = None
    rates: list[int] | None = None
    queues: FrozenMap[int, int] | None = None
    schedule_line: int = 0


@dataclass
class _Script:
    page: Page
    facts: dict[tuple[Owner, str, str], Fact] = field(default_factory=dict)
    ports: dict[str, _Port] = field(default_factory=dict)
    variables: dict[str, str] = field(default_factory=dict)
    exported: dict[str, Variable] = field(default_factory=dict)
    line: int = 0
    depth: int = 0
    chooses: bool = False

    def put(self, owner: Owner, name: str, fact: str, value: object) -> None:
        """Note a fact; a later line overrides an earlier one."""
        self.facts[owner, name, fact] = Fact(owner, name, fact, value, self.line)

    def put_port(self, port: str, fact: str, value: object) -> None:
        self.put(Owner.PORT, port, fact, value)


def read_script(page: Page) -> Iterator[Item]:
    """Give what the script leaves behind when it has run to its end."""
    script = _Script(page, chooses=_CHOOSES.search(page.document.text) is not None)
    for number, line in page.numbered():
        script.line = number
        yield from _read_line(script, line)
        yield from _read_head(number, line)
    for name, port in script.ports.items():
        _put_schedulers(script, name, port)
        _hold_dscps(script, name, port)
    yield from script.exported.values()
    yield from script.facts.values()


def _read_head(number: int, line: str) -> Iterator[Item]:
    """Give whose script it is; the head of our own says so."""
    head = _HEAD.match(line)
    if head is None:
        return
    for rdma in head["rdma"].split(", rdma ")[1:]:
        yield Fact(Owner.RDMA, rdma, "port", head["port"], number)


def _read_line(script: _Script, line: str) -> Iterator[Item]:
    if NAMES.search(line):
        for name, value, is_job in assignments(line.strip()):
            script.exported[name] = Variable(name, value, is_job, script.page.at(script.line))
    opened = script.depth + len(_OPENS.findall(line))
    script.depth = max(0, opened - len(_CLOSES.findall(line)))
    if opened and not _is_done_to_each(script, line):
        # What is done depends on the machine.
        yield from _not_understood(script, line, "loop, condition or function")
        return
    assignment = _SETS.fullmatch(line.strip())
    if assignment:
        script.variables[assignment[1]] = assignment[2].strip("'\"")
        return
    try:
        commands = list(_commands(_substituted(script, line)))
    except ValueError as error:  # an unclosed quote
        yield from _not_understood(script, line, str(error))
        return
    for words in commands:
        yield from _read_command(script, words, line)


def _is_done_to_each(script: _Script, line: str) -> bool:
    """The line sets every adapter that a loop goes over alike; nothing in the script chooses."""
    is_plain = _VARIABLE.sub("", line).strip().startswith("mlnx_qos ") and "`" not in line
    return is_plain and not script.chooses and _EACH.search(line) is not None


def _substituted(script: _Script, line: str) -> str:
    def value(match: re.Match[str]) -> str:
        name = match[1] or match[2]
        return script.variables.get(name, match[0])

    return _VARIABLE.sub(value, line)


def _tokens(line: str) -> list[str]:
    """Split as a shell does; without quotes a pattern does, which is ten times as fast.

    Raises:
        ValueError: A quote is not closed.
    """
    if not _QUOTING.search(line):
        return _TOKEN.findall(_COMMENT.sub("", line))
    lexer = shlex.shlex(line, posix=True, punctuation_chars=True)
    lexer.whitespace_split = True
    return list(lexer)


def _commands(line: str) -> Iterator[list[str]]:
    words: list[str] = []
    for token in _tokens(line):
        if token in _ENDS:
            yield words
            words = []
        else:
            words.append(token)
    yield words


def _without_redirections(words: list[str]) -> tuple[list[str], str]:
    """Give the words without redirections, and where the output goes if it goes to a file."""
    kept: list[str] = []
    target = ""
    rest = list(words)
    while rest:
        word = rest.pop(0)
        if word not in {">", ">>", ">&", "<"}:
            kept.append(word)
            continue
        is_numbered = bool(kept) and kept[-1] in {"1", "2"} and kept[:1] != ["echo"]
        is_error = is_numbered or (bool(target) and kept[-1:] == ["2"])
        if is_error:
            kept.pop()
        file = rest.pop(0) if rest else ""
        target = target or (file if word in {">", ">>"} and not is_error else "")
    return kept, target


def _not_understood(script: _Script, line: str, reason: str) -> Iterator[Item]:
    yield Unread(script.page.at(script.line))
    if _QOS.search(line):
        yield script.page.unknown(script.line, f"line not understood: {reason}", found=line.strip())


def _read_command(script: _Script, words: list[str], line: str) -> Iterator[Item]:
    words = words[1:] if words[:1] == ["sudo"] else words
    words, target = _without_redirections(words)
    if not words:
        return
    reader = _READERS.get(words[0])
    if reader is None and words[0] not in _IGNORED:
        yield from _not_understood(script, line, words[0])
    if reader is None:
        return
    try:
        reader(script, [*words[1:], ">", target] if words[0] == "echo" and target else words[1:])
    except (ValueError, IndexError, KeyError) as error:
        yield script.page.defect(script.line, f"{words[0]}: {error}", found=line.strip())


def _options(words: list[str], *, short: dict[str, str]) -> list[tuple[str, str]]:
    """Give ``(long name, value)`` in order; every option here takes a value."""
    found, rest = [], list(words)
    while rest:
        name, _, value = rest.pop(0).partition("=")
        name = short.get(name, name.removeprefix("--"))
        if name not in short.values():
            raise ValueError(f"option {name} is not known")
        if not value:
            if not rest:
                raise ValueError(f"option {name} lacks its value")
            value = rest.pop(0)
        found.append((name, value))
    return found


_MLNX_SHORT = {
    "-i": "interface",
    "-f": "pfc",
    "-F": "specific_pfc",
    "-p": "prio_tc",
    "-s": "tsa",
    "-t": "tcbw",
    "-r": "ratelimit",
    "-d": "dcbx",
    "": "trust",
    "1": "dscp2prio",
    "2": "cable_len",
    "3": "prio2buffer",
    "4": "buffer_size",
}


def _mlnx_qos(script: _Script, words: list[str]) -> None:
    options = _options(words, short=_MLNX_SHORT)
    name = dict(options).get("interface", "").strip("${}")
    if not name:
        raise ValueError("interface is not said")
    port = script.ports.setdefault(name, _Port())
    for option, value in options:
        if option != "interface":
            _OPTIONS[option](script, name, port, value)


def _numbers(value: str, *, top: int, count: int | None = PRIORITIES) -> list[int]:
    numbers = [int(word) for word in value.split(",") if word]
    if count is not None and len(numbers) != count:
        raise ValueError(f"expected {count} numbers, found {len(numbers)}")
    if any(not 0 <= number <= top for number in numbers):
        raise ValueError(f"expected numbers from 0 to {top}, found {value}")
    return numbers


def _put_pfc(script: _Script, name: str, port: _Port, pfc: frozenset[int]) -> None:
    port.pfc = pfc
    script.put_port(name, "pfc_rx", pfc)
    script.put_port(name, "pfc_tx", pfc)


def _pfc(script: _Script, name: str, port: _Port, value: str) -> None:
    bits = _numbers(value, top=1)
    _put_pfc(script, name, port, frozenset(n for n, bit in enumerate(bits) if bit))


def _specific_pfc(script: _Script, name: str, port: _Port, value: str) -> None:
    words = value.split(",")
    if len(words) != PRIORITIES or not set(words) <= {"0", "1", "x"}:
        raise ValueError("expected 8 of 0, 1 and x")
    if port.pfc is None and "x" in words:
        return
    kept = port.pfc or frozenset()
    _put_pfc(
        script,
        name,
        port,
        frozenset(n for n, word in enumerate(words) if word == "1" or (word == "x" and n in kept)),
    )


def _prio_tc(script: _Script, name: str, port: _Port, value: str) -> None:
    port.queues = FrozenMap(dict(enumerate(_numbers(value, top=PRIORITIES - 1))))
    script.put_port(name, "priority_to_queue", port.queues)


def _tsa(script: _Script, _: str, port: _Port, value: str) -> None:
    words = value.split(",")
    if len(words) != PRIORITIES or not set(words) <= {"strict", "ets", "vendor"}:
        raise ValueError("expected 8 of strict, ets and vendor")
    port.tsa = words
    port.schedule_line = script.line


def _tcbw(_script: _Script, _: str, port: _Port, value: str) -> None:
    port.weights = _numbers(value, top=100)


def _ratelimit(_script: _Script, _: str, port: _Port, value: str) -> None:
    port.rates = _numbers(value, top=1 << 20)


def _put_schedulers(script: _Script, name: str, port: _Port) -> None:
    """Give the scheduling of the queues that priorities use, as mlnx_qos shows it."""
    if port.tsa is None:
        return
    script.line = port.schedule_line
    used = set(port.queues.values()) if port.queues else set(range(PRIORITIES))
    schedulers = {}
    for queue, word in enumerate(port.tsa):
        if queue not in used:
            continue
        rate = port.rates[queue] * 10**9 or ABSENT if port.rates else UNKNOWN
        if word == "ets":
            weight = port.weights[queue] if port.weights else UNKNOWN
            schedulers[queue] = Scheduler(SchedulerKind.WEIGHTED, weight, rate)
        else:
            schedulers[queue] = Scheduler(SchedulerKind(word), shaper_bps=rate)
    script.put_port(name, "scheduler", FrozenMap(schedulers))


def _dcbx(script: _Script, name: str, _: _Port, value: str) -> None:
    if value != "get":
        mode = {"os": DcbxMode.HOST, "fw": DcbxMode.FIRMWARE}[value]
        script.put_port(name, "dcbx_mode", mode)


def _trust(script: _Script, name: str, _: _Port, value: str) -> None:
    script.put_port(name, "trust", {"dscp": Trust.DSCP, "pcp": Trust.PCP}[value])
    script.put_port(name, "pcp_to_priority", identity_map(PRIORITIES))


def _dscp2prio(script: _Script, name: str, port: _Port, value: str) -> None:
    action, *numbers = value.split(",")
    if action == "flush":
        _hold_dscps(script, name, port)
        port.dscps.clear()
        return
    dscp, priority = (int(number) for number in numbers)
    if action not in {"set", "del"} or not 0 <= dscp < DSCPS or not 0 <= priority < PRIORITIES:
        raise ValueError(f"expected set,DSCP,PRIORITY or del,DSCP,PRIORITY, found {value}")
    if action == "set":
        port.dscps[dscp] = priority
        _trust_by_entries(script, name)
    else:
        port.dscps.pop(dscp, None)
    script.put_port(name, "dscp_to_priority", _MAPPED)


def _trust_by_entries(script: _Script, name: str) -> None:
    """With its first entry an adapter that trusted PCP trusts DSCP.

    Source: torvalds/linux v6.12 drivers/net/ethernet/mellanox/mlx5/core/en_dcbnl.c
    mlx5e_dcbnl_ieee_setapp.
    """
    trust = script.facts.get((Owner.PORT, name, "trust"))
    if trust is not None and trust.value is Trust.PCP:
        script.put_port(name, "trust", Trust.DSCP)


def _hold_dscps(script: _Script, name: str, port: _Port) -> None:
    """Give the map that lines so far have set, as one fact, and not after each of 64 entries."""
    at = (Owner.PORT, name, "dscp_to_priority")
    fact = script.facts.get(at)
    if fact is not None and fact.value is _MAPPED:
        script.facts[at] = fact._replace(value=FrozenMap(dict(sorted(port.dscps.items()))))


def _cable_len(script: _Script, name: str, _: _Port, value: str) -> None:
    script.put_port(name, "cable_m", _numbers(value, top=65535, count=1)[0])


def _prio2buffer(script: _Script, name: str, _: _Port, value: str) -> None:
    groups = FrozenMap(dict(enumerate(_numbers(value, top=PRIORITIES - 1))))
    script.put_port(name, "priority_to_priority_group", groups)


def _buffer_size(script: _Script, name: str, _: _Port, value: str) -> None:
    sizes = _numbers(value, top=1 << 32)
    buffers = {group: Buffer(size_bytes=size) for group, size in enumerate(sizes)}
    script.put_port(name, "ingress_buffer", FrozenMap(buffers))


_OPTIONS: dict[str, Callable[[_Script, str, _Port, str], None]] = {
    "pfc": _pfc,
    "specific_pfc": _specific_pfc,
    "prio_tc": _prio_tc,
    "tsa": _tsa,
    "tcbw": _tcbw,
    "ratelimit": _ratelimit,
    "dcbx": _dcbx,
    "trust": _trust,
    "dscp2prio": _dscp2prio,
    "cable_len": _cable_len,
    "prio2buffer": _prio2buffer,
    "buffer_size": _buffer_size,
}


def _ethtool(script: _Script, words: list[str]) -> None:
    if words[0] not in {"-A", "--pause"}:
        return
    settings = dict(zip(words[2::2], words[3::2], strict=False))
    for word, fact in (("rx", "global_pause_rx"), ("tx", "global_pause_tx")):
        if word in settings:
            script.put_port(words[1], fact, {"on": True, "off": False}[settings[word]])


def _ip(script: _Script, words: list[str]) -> None:
    if words[:2] != ["link", "set"] or "mtu" not in words:
        return
    rest = [word for word in words[2:] if word != "dev"]
    mtu = int(rest[rest.index("mtu") + 1])
    script.put_port(rest[0], "ip_mtu", mtu)


_CMA_SHORT = {"-d": "device", "-p": "port", "-m": "mode", "-t": "tos"}


def _cma_roce_tos(script: _Script, words: list[str]) -> None:
    options = dict(_options(words, short=_CMA_SHORT))
    if "tos" in options:
        tos = _numbers(options["tos"], top=255, count=1)[0]
        script.put(Owner.RDMA, options.get("device", "mlx5_0"), "rdma_cm_tos", tos)


def _cma_roce_mode(script: _Script, words: list[str]) -> None:
    options = dict(_options(words, short=_CMA_SHORT))
    if "mode" in options:
        is_v2 = {"1": False, "2": True}[options["mode"]]
        script.put(Owner.RDMA, options["device"], "rdma_cm_roce_v2", is_v2)


def _echo(script: _Script, words: list[str]) -> None:
    if ">" not in words:
        return
    value, path = " ".join(words[: words.index(">")]), words[words.index(">") + 1]
    fact = written_fact(path, value)
    if fact is not None:
        script.put(*fact)


def _dcb(script: _Script, words: list[str]) -> None:
    for port, fact, value in read_dcb_line(words):
        script.put_port(port, fact, value)


_READERS: dict[str, Callable[[_Script, list[str]], None]] = {
    "mlnx_qos": _mlnx_qos,
    "ethtool": _ethtool,
    "ip": _ip,
    "cma_roce_tos": _cma_roce_tos,
    "cma_roce_mode": _cma_roce_mode,
    "echo": _echo,
    "dcb": _dcb,
}
