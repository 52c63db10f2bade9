"""The perftest programs: their command lines, their output, their errors.

The output is read from the text table, which every version prints; the JSON of
versions before 24.01 is not JSON. Columns are split by their fixed decimals,
since wide values can touch.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum

from netcheck.model.known import UNKNOWN, Known

DEFAULT_PORT = 18515
MESSAGE_BYTES = 65536
WAITING = r"Waiting for client to connect"
PORT_TAKEN = "the TCP port is taken on the server"
SMALL_MESSAGES = 1000  # of a test of latency
NO_PEAK = 0.0
# Tests by time end with return code 0 where no packet of data comes through at all.
NO_DATA = "no data came through (MTU of the path, a filter of UDP port 4791, or a wrong GID)"


class Tool(StrEnum):
    """Which program; the value is its name."""

    WRITE_BW = "ib_write_bw"
    SEND_BW = "ib_send_bw"
    READ_BW = "ib_read_bw"
    WRITE_LAT = "ib_write_lat"

    @property
    def is_latency(self) -> bool:
        """It measures latency, not bandwidth."""
        return self.value.endswith("_lat")

    @property
    def pulls(self) -> bool:
        """Data flows from the server to the client, who asks for it."""
        return self.value.startswith("ib_read")


class Memory(StrEnum):
    """Where the tests' buffers lie; a GPU's takes a perftest that was built for it."""

    HOST = "host"
    CUDA = "cuda"
    ROCM = "rocm"


@dataclass(frozen=True, slots=True)
class PerftestRun:
    """One test between two RDMA devices.

    Attributes:
        server_address: Where the client connects to exchange parameters.
        server_gid, client_gid: Index of the address at each end; of RoCE.
        traffic_class: ToS byte of the test's packets; of RoCE.
        sl: Service level of the test's packets; of InfiniBand alone.
        server_pkey, client_pkey: Index of the partition key at each end; of InfiniBand.
        duration_s: Length of a bandwidth test; perftest measures its middle half.
        iterations: Messages of each queue pair, instead of a time; 0 takes the time.
        server_pin, client_pin: Netdev whose NUMA node runs the program and holds its
            buffers; wherever the host puts them where empty.
        server_gpu, client_gpu: Which GPU, where ``memory`` is a GPU's.
        rdma_cm: Connections are made by rdma_cm and not over TCP.
    """

    tool: Tool
    server_device: str
    client_device: str
    server_address: str
    server_gid: int = 0
    client_gid: int = 0
    traffic_class: int = 0
    port: int = DEFAULT_PORT
    message_bytes: int = MESSAGE_BYTES
    queue_pairs: int = 4
    duration_s: int = 5
    iterations: int = 0
    server_pin: str = ""
    client_pin: str = ""
    memory: Memory = Memory.HOST
    server_gpu: int = 0
    client_gpu: int = 0
    rdma_cm: bool = False
    sl: int | None = None
    server_pkey: int = 0
    client_pkey: int = 0


@dataclass(frozen=True, slots=True)
class PerftestResult:
    """What one side printed.

    Attributes:
        bandwidth_bps: Average payload rate.
        latency_us: Typical one-way latency; ``percentile_99_us`` its 99th percentile,
            ``percentile_999_us`` that of 99.9 %.
        rdma_mtu: RDMA MTU that was used, in bytes.
        error: What went wrong, in our words; empty where nothing did.
    """

    bandwidth_bps: Known[float] = UNKNOWN
    message_rate_pps: Known[float] = UNKNOWN
    latency_us: Known[float] = UNKNOWN
    percentile_99_us: Known[float] = UNKNOWN
    percentile_999_us: Known[float] = UNKNOWN
    rdma_mtu: Known[int] = UNKNOWN
    iterations: Known[int] = UNKNOWN
    error: str = ""


def server_line(run: PerftestRun) -> str:
    """Command line of the side that waits."""
    own = _gpu(run, run.server_gpu)
    marks = _marks(run, run.server_gid, run.server_pkey)
    return " ".join([*_pin(run.server_pin), *_options(run, run.server_device, marks), *own])


def client_line(run: PerftestRun) -> str:
    """Command line of the side that connects and sends."""
    own = [*_gpu(run, run.client_gpu), run.server_address]
    marks = _marks(run, run.client_gid, run.client_pkey)
    return " ".join([*_pin(run.client_pin), *_options(run, run.client_device, marks), *own])


def _pin(netdev: str) -> list[str]:
    """Words before a program that bind it to the NUMA node of a netdev (numactl(8))."""
    return ["numactl", "-N", f"netdev:{netdev}", "-m", f"netdev:{netdev}"] if netdev else []


def _gpu(run: PerftestRun, number: int) -> list[str]:
    return [] if run.memory is Memory.HOST else [f"--use_{run.memory}={number}"]


def _marks(run: PerftestRun, gid: int, pkey: int) -> tuple[list[str], list[str]]:
    """Address and marks of packets: words before and behind those that both kinds share.

    Source: linux-rdma/perftest src/perftest_parameters.c (-S, --sl; --pkey_index).
    """
    if run.sl is not None:
        return [], [f"--sl={run.sl}", f"--pkey_index={pkey}"]
    # -T counts with -R alone, --tclass without it alone
    tos = ["-R", "-T", str(run.traffic_class)]
    return ["-x", str(gid)], tos if run.rdma_cm else [f"--tclass={run.traffic_class}"]


def _options(run: PerftestRun, device: str, marks: tuple[list[str], list[str]]) -> list[str]:
    """Options both sides share; perftest wants them equal on both."""
    address, marked = marks
    words = [run.tool.value, "-d", device, *address, "-p", str(run.port), "-F", *marked]
    if run.tool.is_latency:
        return [*words, "-s", "2", "-n", str(run.iterations or SMALL_MESSAGES)]
    size = ["-s", str(run.message_bytes), "-q", str(run.queue_pairs)]
    if run.iterations:
        return [*words, *size, "-n", str(run.iterations), "--report_gbits"]
    return [*words, *size, "-D", str(run.duration_s), "--report_gbits"]


# What perftest prints when it fails, and what that means (perftest 4.5 to 26.04).
ERRORS = (
    (r"Did not detect devices|Unable to find the Infiniband", "no RDMA device on this host"),
    (r"IB device (\S+) not found", "no RDMA device of that name"),
    (r"Couldn't connect to", "cannot connect to the server (not up, or TCP port closed)"),
    (r"Couldn't listen to port|Address already in use|rdma_bind_addr failed", PORT_TAKEN),
    (r"retry counter exceeded|Failed status 12\b", "no acknowledgement (path, GID, MTU or loss)"),
    (r"Failed status 13\b|RNR retry", "receiver not ready (slow host)"),
    (r"Failed status 4\b|local protection", "local protection error (memory path of the host)"),
    (r"Failed to modify QP|Unable to Connect the HCA", "GID or neighbour not resolved, or bad MTU"),
    (r"Couldn't read remote address", "the other side died first"),
    (r"ADDR_ERROR", "rdma_cm cannot resolve the address"),
    (r"Unable to init the socket", "cannot open a socket to the other side"),
    (r"numactl: (?:command )?not found|numactl: No such file", "numactl is not installed"),
    (r"<nodes> is invalid|libnuma: Warning", "the NUMA node of the netdev cannot be told"),
    (
        r"unrecognized option '--use_(?:cuda|rocm)",
        "this perftest was not built for the memory of that GPU",
    ),
    (r"Couldn't (?:allocate|init)\w* (?:CUDA|ROCm)|cuda\w* failed", "the GPU cannot be used"),
    (r"command not found|No such file", "perftest is not installed"),
)
TABLE_BW = re.compile(r"^\s*(\d+)\s+(\d+)\s+(\d+\.\d\d+)\s+(\d+\.\d\d+)\s+(\d+\.\d{6})\s*$")
HEAD_BW = re.compile(r"#bytes\s+#iterations\s+BW peak\[(\w+)/sec\]")
HEAD_LAT = re.compile(r"#bytes\s+#iterations\s+t_min\[usec\]")
DECIMALS = re.compile(r"\d+\.\d{2}")
RDMA_MTU = re.compile(r"^\s*Mtu\s*:\s*(\d+)\[B\]", re.MULTILINE)
BITS_PER_UNIT = {"Gb": 1e9, "MB": 8 * 2**20, "MiB": 8 * 2**20}
LATENCY_COLUMNS = 7


def parse_perftest(text: str) -> PerftestResult:
    """Give what one side printed; figures that are not there stay UNKNOWN.

    With several message sizes the largest counts. Never raises on content.

    Source: linux-rdma/perftest src/perftest_resources.c (print_report_bw,
        print_report_lat); header units changed at tag 24.07.0-0.44.
    """
    mtu = RDMA_MTU.search(text)
    found = PerftestResult(
        rdma_mtu=int(mtu[1]) if mtu else UNKNOWN,
        error=_error(text),
    )
    unit: float | None = None
    is_latency = False
    for line in text.splitlines():
        head = HEAD_BW.search(line)
        unit = BITS_PER_UNIT.get(head[1]) if head else unit
        is_latency = is_latency or bool(HEAD_LAT.search(line))
        if unit is not None:
            found = _with_bandwidth(found, line, unit)
        elif is_latency:
            found = _with_latency(found, line)
    return found


def is_told(error: str) -> bool:
    """Whether a test ran, and its program said that it failed: the hosts themselves answer."""
    return error.partition("; ")[0] in {NO_DATA, *(meaning for _, meaning in ERRORS)}


def last_line(text: str) -> str:
    """The last line that says something."""
    lines = (line.strip(" -*\t") for line in reversed(text.splitlines()))
    return next((line for line in lines if line), "no output")


def _error(text: str) -> str:
    return next((meaning for pattern, meaning in ERRORS if re.search(pattern, text)), "")


def _with_bandwidth(found: PerftestResult, line: str, unit: float) -> PerftestResult:
    row = TABLE_BW.match(line)
    if row is None:
        return found
    return PerftestResult(
        bandwidth_bps=float(row[4]) * unit,
        message_rate_pps=float(row[5]) * 1e6,
        rdma_mtu=found.rdma_mtu,
        iterations=int(row[2]),
        error=found.error or ("" if float(row[4]) and int(row[2]) else NO_DATA),
    )


def _with_latency(found: PerftestResult, line: str) -> PerftestResult:
    """Read ``bytes iterations min max typical avg stdev 99% 99.9%``; columns may touch."""
    row = re.match(r"^\s*(\d+)\s+(\d+)\s+(\d.*)$", line)
    if row is None:
        return found
    values = [float(value) for value in DECIMALS.findall(row[3])]
    if len(values) < LATENCY_COLUMNS:
        return found
    return PerftestResult(
        latency_us=values[2],
        percentile_99_us=values[5],
        percentile_999_us=values[6],
        rdma_mtu=found.rdma_mtu,
        iterations=int(row[2]),
        error=found.error,
    )
