"""What is said of a test that failed: what its client printed, and what its server did."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import pytest

from netcheck.collect.session import EndedEarlyError, Output
from netcheck.model.device import Device, RdmaDevice
from netcheck.model.fabric import Fabric, PortRef, TrafficClass
from netcheck.model.frozenmap import FrozenMap
from netcheck.perf.clues import HOST_ITSELF, by_address
from netcheck.perf.flows import Flows
from netcheck.perf.observe import RoundResult
from netcheck.perf.options import PerfOptions
from netcheck.perf.perftest import NO_DATA, PORT_TAKEN, PerftestRun, Tool
from netcheck.perf.schedule import Endpoint, Pattern, Round
from netcheck.perf.started import StartedFlow

FIRST, SECOND = (
    Endpoint(name, "rail0", "mlx5_0", PortRef("leaf01", f"Ethernet{n}"))
    for n, name in enumerate(("gpu01", "gpu02"))
)
HEAD = " #bytes     #iterations    BW peak[Gb/sec]    BW average[Gb/sec]   MsgRate[Mpps]\n"
GOOD = f"{HEAD} 65536      3009             0.00               392.10               0.747871\n"
EMPTY = f"{HEAD} 65536      0             0.00               0.00               0.000000\n"
STRANGE = " Unexpected CM event bl blka 14\n---------------------\n"
CLOSED = "cannot connect to the server (not up, or TCP port closed)"
TAKEN = "Couldn't listen to port 18515\n"


@dataclass
class Ended:
    """A session whose program has ended; and who lends it."""

    text: str
    status: int = 0

    def finish(self, timeout: float) -> Output:
        assert timeout > 0
        return Output(self.text, self.status)

    def interrupt(self) -> Output:
        return Output(self.text, 130)

    def give_back(self, session: Ended) -> None:
        pass


@pytest.mark.parametrize(
    ("client", "status", "server", "said"),
    [
        (GOOD, 0, "", ""),
        # whose server the client talked to is not known
        (GOOD, 0, TAKEN, f"gpu02 mlx5_0: {PORT_TAKEN}"),
        (EMPTY, 0, "", NO_DATA),
        (STRANGE, 1, "", "exit status 1: Unexpected CM event bl blka 14"),
        ("", 1, "", "exit status 1: no output"),
        (
            "Couldn't connect to 10.0.0.2:18515\n",
            1,
            TAKEN,
            f"{CLOSED}; at the other side: the TCP port is taken on the server",
        ),
        (TAKEN, 1, TAKEN, "the TCP port is taken on the server"),
    ],
)
def test_a_failed_test_says_what_both_sides_printed(
    client: str, status: int, server: str, said: str
) -> None:
    run = PerftestRun(Tool.WRITE_BW, "mlx5_0", "mlx5_0", "10.0.0.2")
    flow = StartedFlow(FIRST, SECOND, run, Ended(server), Ended(client, status))  # type: ignore[arg-type]  # fakes
    flows = Flows(Ended(""), Tool.WRITE_BW, PerfOptions(), lambda *_: run, lambda *_: run)  # type: ignore[arg-type]  # a fake
    assert flows._end(flow).result.error == said


class NeverWaits(Ended):
    """A server that ends before it waits for a client; and who lends it."""

    def borrow(self, device: str) -> NeverWaits:
        assert device == "gpu02"
        return self

    def start(self, line: str) -> None:
        assert line.startswith("ib_write_bw ")

    def wait_for(self, pattern: str, timeout: float) -> str:
        raise EndedEarlyError(f"gpu02 192.0.2.2: ended without {pattern} {timeout}", self.text)


@pytest.mark.parametrize(
    ("printed", "said"),
    [
        ("bash: ib_write_bw: command not found\n", "perftest is not installed"),
        (
            "ib_write_bw: unrecognized option '--use_cuda=0'\n Please check command line\n",
            "this perftest was not built for the memory of that GPU",
        ),
        (" IB device mlx5_0 not found\n", "no RDMA device of that name"),
        (STRANGE, "Unexpected CM event bl blka 14"),
    ],
)
def test_a_server_that_does_not_come_up_says_why_and_is_the_suspect(
    printed: str, said: str
) -> None:
    whole = Fabric(
        "two",
        devices=FrozenMap(
            {
                one.host: Device(one.host, rdma=FrozenMap({one.rdma: RdmaDevice(one.rdma)}))
                for one in (FIRST, SECOND)
            }
        ),
    )
    lender = NeverWaits(printed)
    lender.fabric = whole  # type: ignore[attr-defined]  # as a bench has it
    run = PerftestRun(Tool.WRITE_BW, "mlx5_0", "mlx5_0", "10.0.0.2")
    flows = Flows(lender, Tool.WRITE_BW, PerfOptions(), lambda *_: run, lambda *_: run)  # type: ignore[arg-type]  # a fake
    started = flows._serve(0, (FIRST, SECOND), flows.marked)
    assert started.error == f"gpu02 mlx5_0: {said}"
    failed = flows._end(started)
    one = Round("pairs", Pattern.PAIRS, ((FIRST, SECOND),))
    result = RoundResult(one, "ib_write_bw", "rdma", (failed,), {})
    (clue,) = by_address([result], whole, TrafficClass("rdma"))
    assert (clue.where, clue.look_at) == ((SECOND.ref,), HOST_ITSELF)


class Host(Ended):
    """Where somebody else has some TCP ports; lends itself as every session."""

    def __init__(self, taken: set[str]) -> None:
        super().__init__(GOOD)
        self.taken, self.returned = taken, 0
        self.lines: list[str] = []
        self.fabric = Fabric("two", devices=FrozenMap({n: held(n) for n in ("gpu01", "gpu02")}))

    def open_for(self, devices: Iterable[str]) -> None:
        assert set(devices) == {"gpu01", "gpu02"}

    def borrow(self, device: str) -> Host:
        del device
        return self

    def give_back(self, session: Ended) -> None:
        self.returned += session is self

    def start(self, line: str) -> None:
        self.lines.append(line)

    def wait_for(self, pattern: str, timeout: float) -> str:
        return f"{pattern} {timeout}"

    @property
    def port(self) -> str:
        words = self.lines[-1].split()
        return words[words.index("-p") + 1]

    def ended_within(self, seconds: float) -> bool:
        return seconds >= 0 and self.port in self.taken

    def finish(self, timeout: float) -> Output:
        is_refused = self.port in self.taken
        return Output(f"Couldn't listen to port {self.port}\n" if is_refused else GOOD, timeout < 0)


@pytest.mark.parametrize(
    ("taken", "ports", "error"),
    [
        (set(), ["18515", "18515"], ""),
        ({"18515"}, ["18515", "18643", "18643"], ""),
        ({"18515", "18643", "18771"}, ["18515", "18643", "18771", "18899", "18899"], ""),
        # of a host and its programs, and of no cable
        (
            {"18515", "18643", "18771", "18899"},
            ["18515", "18643", "18771", "18899"],
            f"gpu02 mlx5_0: {PORT_TAKEN}",
        ),
    ],
)
def test_a_server_whose_port_is_taken_is_started_at_another(
    taken: set[str], ports: list[str], error: str
) -> None:
    host = Host(taken)
    run = PerftestRun(Tool.WRITE_BW, "mlx5_0", "mlx5_0", "10.0.0.2")
    flows = Flows(host, Tool.WRITE_BW, PerfOptions(), lambda *_: run, lambda *_: run)  # type: ignore[arg-type]  # a fake
    one = Round("one", Pattern.PAIRS, ((FIRST, SECOND),))
    ran, _ = flows.run(one, lambda _: None)
    assert [line.split()[line.split().index("-p") + 1] for line in host.lines] == ports
    assert [flow.result.error for flow in ran.flows] == [error]
    assert host.returned == len(ports)


class Several(Host):
    """Sessions of their own for each who borrows; the ports are taken at one host alone."""

    def __init__(self) -> None:
        super().__init__(set())
        self.asked: list[str] = []

    def borrow(self, device: str) -> Host:
        self.asked.append(device)
        return Host({"18515"} if device == "gpu02" else set())


def test_the_server_of_a_probe_beside_reads_is_started_again_where_it_was() -> None:
    """Of a read the sender waits; of the probe beside it the receiver does."""
    hosts = Several()
    run = PerftestRun(Tool.READ_BW, "mlx5_0", "mlx5_0", "10.0.0.2")
    options = PerfOptions(probe_after_s=0.0)
    flows = Flows(hosts, Tool.READ_BW, options, lambda *_: run, lambda *_: run)  # type: ignore[arg-type]  # a fake
    flows.run(Round("one", Pattern.INCAST, ((FIRST, SECOND),)), lambda _: None)
    # servers of the read and of the probe, the read's client; the probe's second server, its client
    assert hosts.asked == ["gpu01", "gpu02", "gpu02", "gpu02", "gpu01"]


def held(name: str) -> Device:
    return Device(name, rdma=FrozenMap({"mlx5_0": RdmaDevice("mlx5_0")}))
