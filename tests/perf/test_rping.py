"""Reading rping; the samples follow its format strings."""

from __future__ import annotations

from dataclasses import dataclass, field

import pytest
from hypothesis import given
from hypothesis import strategies as st

from netcheck.collect.session import Output
from netcheck.model.errors import TransportError
from netcheck.perf import rping
from netcheck.perf.rping import PINGS, RpingResult, client_line, parse_rping, reach, server_line

CLIENT = "".join(f"ping data: rdma-ping-{n}: ABCDEFGH\n" for n in range(PINGS))


@pytest.mark.parametrize("side", ["", "server "])
def test_pings_of_either_side_are_counted(side: str) -> None:
    found = parse_rping("".join(f"{side}{line}\n" for line in CLIENT.splitlines()))
    assert found == RpingResult(PINGS)
    assert found.is_reached


def test_a_run_that_stopped_half_way_did_not_reach() -> None:
    assert not parse_rping(CLIENT.partition("rdma-ping-2")[0]).is_reached


@pytest.mark.parametrize(
    ("text", "meaning"),
    [
        ("cma event RDMA_CM_EVENT_ADDR_ERROR, error -110\n", "resolve"),
        ("cma event RDMA_CM_EVENT_UNREACHABLE, error -110\n", "no answer"),
        ("cma event RDMA_CM_EVENT_REJECTED, error 8\n", "nobody listens"),
        ("bash: rping: command not found\n", "not installed"),
    ],
)
def test_an_error_is_named(text: str, meaning: str) -> None:
    found = parse_rping(text)
    assert meaning in found.error
    assert not found.is_reached


def test_both_sides_name_the_same_address_and_port() -> None:
    assert server_line("10.0.0.2", 18600) == "rping -s -a 10.0.0.2 -p 18600 -C 3 -v"
    assert client_line("10.0.0.2", 18600) == "rping -c -a 10.0.0.2 -p 18600 -C 3 -v"


@given(st.text())
def test_any_text_is_read_without_an_exception(text: str) -> None:
    assert not parse_rping(text).is_reached


@dataclass
class Fake:
    """A session and its lender: each client run prints the next text."""

    prints: list[str]
    sent: list[str] = field(default_factory=list)
    lent: list[str] = field(default_factory=list)
    server_prints: str = ""

    def borrow(self, device: str) -> Fake:
        if device == "dead":
            raise TransportError("dead: no answer")
        self.lent.append(device)
        return self

    def give_back(self, session: Fake) -> None:
        assert session is self
        self.lent.pop()

    def start(self, line: str) -> None:
        self.sent.append(line)

    def run(self, line: str, timeout: float) -> Output:
        assert timeout > rping.CLIENT_S
        self.sent.append(line)
        return Output(self.prints.pop(0), 0)

    def interrupt(self) -> Output:
        return Output(self.server_prints, 130)


REJECTED = "cma event RDMA_CM_EVENT_REJECTED, error 8\n"
UNREACHABLE = "cma event RDMA_CM_EVENT_UNREACHABLE, error -110\n"


@pytest.mark.parametrize(
    ("prints", "said"),
    [
        ([CLIENT], "rping reaches it"),
        ([REJECTED, REJECTED, CLIENT], "rping reaches it"),
        ([UNREACHABLE], "rping fails too: no answer from the other side"),
        ([""], "rping fails too: no answer"),
        (["bash: rping: command not found\n"], ""),
    ],
)
def test_what_rping_says_of_two_hosts(
    prints: list[str], said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rping, "PAUSE_S", 0)
    fake = Fake(list(prints))
    assert reach(fake, "gpu01", "gpu02", "10.0.0.2") == said  # type: ignore[arg-type]  # a fake
    assert len(fake.sent) == 1 + len(prints)
    assert fake.lent == []


def test_a_host_without_an_answer_says_nothing() -> None:
    assert reach(Fake([CLIENT]), "gpu01", "dead", "10.0.0.2") == ""  # type: ignore[arg-type]  # a fake
