"""Command lines of perftest: options, limits and refusals.

Source: linux-rdma/perftest src/perftest_parameters.c; refusals of version 4.5-0.17.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

DEFAULT_PORT = 18515
MOST_QUEUE_PAIRS = 16384
HIGHEST_GID = 64
FEWEST_ITERATIONS, MOST_ITERATIONS = 5, 100_000_000
HIGHEST_SL = 15
USAGE = (
    "Usage:\n  {0}            start a server and wait for connection\n"
    "  {0} <host>     connect to server at <host>\n\n"
)

_SHORT = {
    "d": "ib-dev",
    "i": "ib-port",
    "x": "gid-index",
    "p": "port",
    "s": "size",
    "q": "qp",
    "t": "tx-depth",
    "r": "rx-depth",
    "D": "duration",
    "n": "iters",
    "S": "sl",
    "T": "tos",
    "m": "mtu",
    "u": "qp-timeout",
    "c": "connection",
    "f": "margin",
    "I": "inline_size",
    "Q": "cq-mod",
    "w": "limit_bw",
    "W": "report-counters",
}
_SHORT_FLAGS = {
    "F": "CPU-freq",
    "R": "rdma_cm",
    "b": "bidirectional",
    "a": "all",
    "z": "comm_rdma_cm",
    "H": "report-histogram",
    "U": "report-unsorted",
    "h": "help",
    "V": "version",
    "N": "noPeak",
}
_LONG_VALUES = frozenset(
    {
        *_SHORT.values(),
        "tclass",
        "out_json_file",
        "retry_count",
        "flow_label",
        "source_ip",
        "pkey_index",
    }
)
_LONG_FLAGS = frozenset(
    {*_SHORT_FLAGS.values(), "report_gbits", "out_json", "report-both", "cpu_util"}
)


class RefusedError(Exception):
    """The program prints ``out`` and ``err`` and exits with 1."""

    def __init__(self, err: str, out: str = "") -> None:
        self.out = out
        self.err = err
        super().__init__(err)


@dataclass(frozen=True, slots=True)
class Options:
    """One command line; ``server`` is empty where it waits for a client."""

    tool: str
    server: str
    device: str
    gid_index: int | None
    port: int
    message_bytes: int
    queue_pairs: int
    depth: int
    duration_s: int
    iterations: int
    traffic_class: int
    mtu: int | None
    in_gigabits: bool
    is_bidirectional: bool
    json_file: str
    uses_cm: bool
    sl: int = 0
    pkey_index: int = 0

    @property
    def is_latency(self) -> bool:
        """It measures latency."""
        return self.tool.endswith("_lat")


def read_options(words: Sequence[str]) -> Options:
    """Read a command line.

    Raises:
        RefusedError: As the program refuses it.
    """
    tool = words[0].rpartition("/")[2]
    values, operands = _split(tool, list(words[1:]))
    if "version" in values:
        raise RefusedError("", "Version: 6.06\n")
    if "help" in values:
        raise RefusedError("", USAGE.format(tool))
    _check(values)
    is_latency = tool.endswith("_lat")
    gid = values.get("gid-index")
    mtu = values.get("mtu")
    uses_cm = "rdma_cm" in values
    return Options(
        tool,
        operands[0] if operands else "",
        values.get("ib-dev", ""),
        int(gid) if gid is not None else None,
        int(values.get("port", DEFAULT_PORT)),
        int(values.get("size", 2 if is_latency else 65536)),
        int(values.get("qp", 1)),
        int(values.get("tx-depth", 1 if is_latency else 128)),
        int(values.get("duration", 0)),
        int(values.get("iters", 5000 if tool == "ib_write_bw" else 1000)),
        int(values["tos"]) if uses_cm and "tos" in values else int(values.get("tclass", 0)),
        int(mtu) if mtu is not None else None,
        "report_gbits" in values,
        "bidirectional" in values,
        values.get("out_json_file", "perftest_out.json") if "out_json" in values else "",
        uses_cm,
        int(values.get("sl", 0)),
        int(values.get("pkey_index", 0)),
    )


def _split(tool: str, words: list[str]) -> tuple[dict[str, str], list[str]]:
    values: dict[str, str] = {}
    operands: list[str] = []
    while words:
        word = words.pop(0)
        if word.startswith("--"):
            name, equals, value = word[2:].partition("=")
            if name in _LONG_VALUES:
                values[name] = value if equals else _next(tool, words, word)
            elif name in _LONG_FLAGS:
                values[name] = ""
            else:
                raise _unknown(tool, f"unrecognized option '{word}'")
        elif word.startswith("-") and len(word) > 1:
            _take_short(tool, word, words, values)
        else:
            operands.append(word)
    return values, operands


def _take_short(tool: str, word: str, words: list[str], values: dict[str, str]) -> None:
    for place, letter in enumerate(word[1:], 1):
        if letter in _SHORT:
            values[_SHORT[letter]] = word[place + 1 :] or _next(tool, words, letter)
            return
        if letter not in _SHORT_FLAGS:
            raise _unknown(tool, f"invalid option -- '{letter}'")
        values[_SHORT_FLAGS[letter]] = ""


def _next(tool: str, words: list[str], option: str) -> str:
    if not words:
        raise _unknown(tool, f"option requires an argument -- '{option}'")
    return words.pop(0)


def _unknown(tool: str, reason: str) -> RefusedError:
    return RefusedError(
        f"{tool}: {reason}\n Invalid Command or flag.\n"
        " Please check command line and run again.\n\n",
        USAGE.format(tool),
    )


_NUMBERS = (
    "port",
    "size",
    "qp",
    "tx-depth",
    "duration",
    "iters",
    "sl",
    "tclass",
    "mtu",
    "tos",
    "pkey_index",
)
_PARSER = " Parser function exited with Error\n"


def _check(values: Mapping[str, str]) -> None:
    for name in (*_NUMBERS, "gid-index"):
        if name in values and not values[name].isdigit():
            raise RefusedError(f" Failed parsing {name}: {values[name]}\n{_PARSER}")
    _check_range(values, "qp", 1, MOST_QUEUE_PAIRS, " num of Qps should be between 1 and 16384\n")
    _check_range(values, "gid-index", 0, HIGHEST_GID, " Gid index should be between 0 and 64\n")
    _check_range(
        values,
        "iters",
        FEWEST_ITERATIONS,
        MOST_ITERATIONS,
        " Iteration num should be between 5 and 100000000\n",
    )
    _check_range(values, "sl", 0, HIGHEST_SL, " Only 15 Service levels\n")
    if "tos" in values and "rdma_cm" not in values:
        raise RefusedError("", " TOS only valid for rdma_cm based QP and RawEth QP \n")
    if "duration" in values and "all" in values:
        raise RefusedError("Duration mode currently doesn't support running on all sizes.\n")
    if values.get("mtu", "1024") not in ("256", "512", "1024", "2048", "4096"):
        raise RefusedError(" Invalid MTU, please choose mtu form {256,512,1024,2048,4096}\n")


def _check_range(values: Mapping[str, str], name: str, low: int, high: int, message: str) -> None:
    if name in values and not low <= int(values[name]) <= high:
        raise RefusedError(message + _PARSER)
