"""What is said of a test that failed: what its client printed, and what its server did."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from netcheck.collect.session import Output
from netcheck.model.fabric import PortRef
from netcheck.perf.flows import Flows
from netcheck.perf.options import PerfOptions
from netcheck.perf.perftest import NO_DATA, PerftestRun, Tool
from netcheck.perf.schedule import Endpoint
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
        (GOOD, 0, TAKEN, ""),
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
