"""The real kernel, the real perftest, the real dcb and tc, driven by netcheck's own parts."""

from __future__ import annotations

import json
import logging
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from typing import Any

import pytest

from netcheck.collect.session import Session
from netcheck.model.counters import Meaning
from netcheck.model.fabric import Delivery
from netcheck.model.finding import NotProven, RunResult
from netcheck.model.known import is_known
from netcheck.perf.accounting import lost_packets
from netcheck.perf.observe import RoundResult
from netcheck.perf.perftest import DEFAULT_PORT, PerftestRun, Tool, client_line, server_line
from netcheck.perf.proof import LOSSES
from tests.reallab.realbench import INTENT, Real, sent

# Boots machines and sends for seconds at a time; all tests share one lab.
pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("reallab")]

_LOG = logging.getLogger(__name__)
PACKETS = 100_000
# Far below what emulated processors can send, also where others use them: shares and marks
# are then the switch's doing alone.
NARROW, NARROW_BPS = "40mbit burst 32k", 40e6
NARROWEST, BACKLOG, MEASURED = "5mbit burst 16k", 200_000, 600_000  # bytes
RED = (
    "sudo tc qdisc change dev swp2 parent 2:5 handle 25: red limit 4000000 min 60000 max 180000"
    " avpkt 4200 burst 40 bandwidth 40mbit probability 0.2"
)
SENDING_S, FRAME_BYTES = 6, 4200
PATIENCE_S = 120  # for what takes a second on processors of one's own
CLASS, ALL = (3,), (0, 3)  # priorities: what is tested, and with it what sets a test up
QUEUE = 3
MACHINES = ("gpu01", "gpu02")
GID = 1  # soft-RoCE: 0 is the link-local address, 1 the IPv4 address


@pytest.fixture
def clean(real: Real) -> Iterator[Real]:
    """The lab with a cable that loses nothing, also after the test."""
    real.cable()
    yield real
    real.cable()


def netcheck(real: Real, *words: str) -> tuple[int, dict[str, Any]]:  # Any: JSON
    """Run a command of netcheck on the lab's hosts; give exit code and report."""
    # The journal of a run says where its devices are.
    place = [] if words[0] == "rollback" else ["--lab", "--lab-dir", real.state.directory]
    argv = [sys.executable, "-m", "netcheck.cli", *words, *place, "--format", "json"]
    found = subprocess.run(argv, capture_output=True, text=True, timeout=300, check=False)
    assert found.stdout, found.stderr
    return found.returncode, json.loads(found.stdout)


def test_settings_of_the_intent_are_set_by_dcb_read_back_and_verified(
    clean: Real, tmp_path: object
) -> None:
    hosts = ["--limit", "gpu*"]
    before = {host: settings_of(clean, host) for host in MACHINES}
    code, report = netcheck(clean, "deploy", str(INTENT), "--yes", "--state", str(tmp_path), *hosts)
    assert code == 0, report["findings"]
    for host in MACHINES:
        pfc = json.loads(clean.run(host, "dcb -j pfc show dev rail0"))
        ets = json.loads(clean.run(host, "dcb -j ets show dev rail0"))
        app = json.loads(clean.run(host, "dcb -j app show dev rail0"))
        assert [n for n, is_on in enumerate(pfc["prio_pfc"]) if is_on] == [QUEUE]
        assert (ets["tc_tsa"][0], ets["tc_bw"][0], ets["tc_bw"][3]) == ("ets", 25, 75)
        assert ets["prio_tc"] == [0, 0, 0, 3, 0, 0, 0, 0]
        assert app["dscp_prio"] == [[26, 3]]
    _, report = netcheck(clean, "verify", str(INTENT), *hosts)
    assert [one for one in report["findings"] if one["verdict"] == "fail"] == []
    clean.run("gpu02", "sudo dcb pfc set dev rail0 prio-pfc all:off")
    code, report = netcheck(clean, "verify", str(INTENT), *hosts)
    assert code == 1
    assert "pfc_rx" in json.dumps(report["findings"])
    state = ["--state", str(tmp_path)]
    code, report = netcheck(clean, "rollback", "--yes", *state)
    assert code == 0, report["findings"]
    assert {host: settings_of(clean, host) for host in MACHINES} == before
    code, report = netcheck(clean, "deploy", str(INTENT), "--yes", *state, *hosts)
    assert code == 0, report["findings"]


def settings_of(real: Real, host: str) -> list[object]:
    """What a host's adapter holds of DCB, and its MTU."""
    shown = [real.run(host, f"dcb -j {name} show dev rail0") for name in ("pfc", "ets", "app")]
    mtu = real.run(host, "cat /sys/class/net/rail0/mtu")
    return [*(json.loads(text or "{}") for text in shown), mtu.strip()]


def test_a_clean_cable_loses_nothing_and_nothing_is_claimed_beyond_it(clean: Real) -> None:
    results = clean.send(PACKETS)
    assert sum(map(sent, results)) >= PACKETS
    assert [lost_packets(one, ALL) for one in results] == [0] * len(results)
    (flow,) = results[0].flows
    assert is_known(flow.result.bandwidth_bps)
    assert flow.result.bandwidth_bps > 0
    # nothing was marked, and soft-RoCE sends no pause frame: that is all that keeps it from proof
    for delivery in (Delivery.ECN, Delivery.LOSSLESS):
        found = clean.judge(*results, delivery=delivery)
        assert [one for one in found.findings if one.rule in LOSSES] == []
        verdict = found.verdict
        assert (verdict.run, verdict.reason) == (RunResult.NOT_PROVEN, NotProven.NOT_EXERCISED)


def test_one_packet_in_ten_thousand_is_not_lossless_and_counted_to_the_packet(
    clean: Real,
) -> None:
    clean.cable("0.01%")
    before = clean.counted("leaf01", Meaning.OTHER, name="tc_netem_drops")
    results = clean.send(PACKETS)
    injected = clean.counted("leaf01", Meaning.OTHER, name="tc_netem_drops") - before
    assert sum(map(sent, results)) >= PACKETS
    _LOG.info("of %d packets %d were dropped", sum(map(sent, results)), injected)
    assert injected > 0
    assert sum(lost_packets(one, ALL) or 0 for one in results) == injected
    found = clean.judge(*results)
    assert found.verdict.run is RunResult.NOT_LOSSLESS
    assert any(one.rule == "loss-counted" for one in found.findings)


@pytest.mark.parametrize("rdma_cm", [False, True])
def test_a_server_that_is_in_the_way_is_evaded(clean: Real, *, rdma_cm: bool) -> None:
    """Somebody left the program waiting at the port that is next."""
    port = DEFAULT_PORT + 512 * (clean.rounds % 16)
    with clean.session("gpu02") as other:
        other.start(f"ib_write_bw -d rxe0 -x {GID} -p {port} -F" + " -R" * rdma_cm)
        other.wait_for("Waiting for client", PATIENCE_S)
        (flow,) = clean.round(duration_s=2, rdma_cm=rdma_cm).flows
        assert flow.result.error == ""
        assert is_known(flow.result.bandwidth_bps)
        assert not other.ended_within(0.1)  # nobody came to it
        other.interrupt(PATIENCE_S)


def test_latency_and_rdma_cm_runs_are_parsed(clean: Real) -> None:
    (flow,) = clean.round(Tool.WRITE_LAT, duration_s=PATIENCE_S).flows
    assert flow.result.error == ""
    assert is_known(flow.result.latency_us)
    assert is_known(flow.result.percentile_99_us)
    assert 0 < flow.result.latency_us <= flow.result.percentile_99_us
    (flow,) = clean.round(duration_s=3, rdma_cm=True).flows
    assert flow.result.error == ""
    assert is_known(flow.result.bandwidth_bps)
    assert flow.result.bandwidth_bps > 0


def test_ecn_on_the_switch_marks_and_keeps_goodput_where_its_absence_drops(
    clean: Real,
) -> None:
    clean.cable(rate=NARROW)
    marked = clean.round(duration_s=SENDING_S, queue_pairs=1)
    clean.run("leaf01", RED)
    dropped = clean.round(duration_s=SENDING_S, queue_pairs=1)
    clean.run("leaf01", f"{RED} ecn")

    def counted(result: RoundResult, meaning: Meaning) -> int:
        by = result.deltas["leaf01"].find("swp2", meaning, QUEUE)
        assert is_known(by)
        return by

    assert counted(marked, Meaning.ECN_MARKED) > 0
    assert counted(marked, Meaning.QUEUE_DROP) == 0
    assert lost_packets(marked, CLASS) == 0
    assert counted(dropped, Meaning.QUEUE_DROP) > 0
    assert lost_packets(dropped, CLASS) == counted(dropped, Meaning.QUEUE_DROP)
    first, second = (one.flows[0].result.bandwidth_bps for one in (marked, dropped))
    _LOG.info("bits a second with ECN %s, without %s", first, second)
    assert is_known(first)
    # Nearly all that crossed the cable was useful, but for what busy processors sent again.
    again = marked.deltas["gpu02"].find("rail0", Meaning.DUPLICATE_REQUEST)
    assert is_known(again)
    crossed = counted(marked, Meaning.QUEUE_BYTES) - again * FRAME_BYTES
    _LOG.info("%d bytes crossed the cable, and %d packets twice", crossed, again)
    assert first >= 0.75 * min(8 * crossed / SENDING_S, NARROW_BPS)
    assert first >= 0.25 * NARROW_BPS
    assert not is_known(second) or second < first / 4
    assert clean.judge(marked).verdict.run is RunResult.LOSSLESS
    assert clean.judge(dropped).verdict.run is RunResult.NOT_LOSSLESS


def test_ets_gives_two_classes_their_shares_within_two_points(
    clean: Real,
) -> None:
    clean.cable(rate=NARROWEST)
    runs = [
        PerftestRun(
            *(Tool.WRITE_BW, "rxe0", "rxe0", "10.100.0.2", GID, GID, tos),
            port=30000 + tos,
            message_bytes=4096,  # acknowledged one by one, before the sender's patience ends
            queue_pairs=1,
            duration_s=3 * PATIENCE_S,
        )
        for tos in (26 << 2 | 2, 2)
    ]
    with ExitStack() as stack:
        for run in runs:
            start(stack, clean, "gpu02", server_line(run)).wait_for(
                "Waiting for client", PATIENCE_S
            )
        for run in runs:
            start(stack, clean, "gpu01", client_line(run))
        await_that(lambda: min(clean.waiting(QUEUE, 0)) >= BACKLOG, "both queues to fill")
        before = clean.forwarded(QUEUE, 0)
        await_that(
            lambda: min(moved(before, clean.forwarded(QUEUE, 0))) >= MEASURED, "both to be served"
        )
        found = moved(before, clean.forwarded(QUEUE, 0))
        assert min(clean.waiting(QUEUE, 0)) > 0, "a queue was empty: its share is its sender's"
    share = found[0] / sum(found) * 100
    _LOG.info("percent of the weightier class: %.2f", share)
    assert share == pytest.approx(75, abs=2)


def moved(before: list[int], after: list[int]) -> list[int]:
    """How far each counter moved."""
    return [b - a for a, b in zip(before, after, strict=True)]


def start(stack: ExitStack, real: Real, device: str, line: str) -> Session:
    """Start a program that ends with the stack."""
    session = real.session(device)
    stack.callback(session.close)
    session.start(line)
    stack.callback(session.interrupt, PATIENCE_S)
    return session


def await_that(is_so: Callable[[], bool], what: str) -> None:
    """Wait as long as a loaded machine may take."""
    end = time.monotonic() + PATIENCE_S
    while not is_so():
        assert time.monotonic() < end, f"waited {PATIENCE_S} s for {what}"


def test_an_mtu_that_nothing_fits_through_is_found_though_the_program_returns_0(
    clean: Real,
) -> None:
    clean.run("leaf01", "sudo ip link set dev swp2 mtu 1500")
    try:
        result = clean.round(duration_s=4)
    finally:
        clean.run("leaf01", "sudo ip link set dev swp2 mtu 4400")
    found = clean.judge(result)
    assert found.verdict.run is not RunResult.LOSSLESS
    failed = next(one for one in found.findings if one.rule == "rdma-test-failed")
    assert "MTU" in failed.message
