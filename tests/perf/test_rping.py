"""Reading rping; the samples follow its format strings."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from netcheck.perf.rping import PINGS, RpingResult, client_line, parse_rping, server_line

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
