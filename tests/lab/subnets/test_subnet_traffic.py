"""RDMA tests over what a real OpenSM has programmed, in health and under faults."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from netcheck.lab import bench
from netcheck.lab.fault_changes import FaultError
from netcheck.lab.faults import Faults
from netcheck.lab.subnets.faults import subnet_faults
from netcheck.lossless.efficiency import infiniband_efficiency
from tests.lab.opensm.ib_labs import needs_opensm
from tests.lab.subnets.subnet_labs import LATENCY, World, world

pytestmark = needs_opensm
BEST = round(200 * infiniband_efficiency(2048, message_bytes=65536), 2)
PORT = "/sys/class/infiniband/mlx5_0/ports/1"


FELT = (
    ("ib-symbol-errors", 0.99, "ibleaf02", "SymbolErrorCounter"),
    ("ib-switch-stalled", 0.0, "ibleaf02", "PortXmitDiscards"),
    ("ib-slow-link", 0.25, "", ""),
    ("ib-sl-to-vl15", 0.0, "", ""),
    ("ib-lane-without-weight", 0.0, "", ""),
    ("ib-partition-lost", 0.0, "", ""),
)
IN_LINKS = ("ib-symbol-errors", "ib-switch-stalled", "ib-slow-link")


@pytest.fixture(scope="module")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(bench, "QUIET_S", 0.02)
        patch.setattr(bench, "LONGEST_QUIET_S", 0.05)
        with world(tmp_path_factory.mktemp("lab")) as found:
            yield found


def test_a_host_shows_its_port_as_the_manager_has_set_it(lab: World) -> None:
    shown, _ = lab.sh("gpu01", f"cat {PORT}/link_layer {PORT}/rate {PORT}/state {PORT}/phys_state")
    assert shown.splitlines() == [
        "InfiniBand",
        "200 Gb/sec (4X HDR)",
        "4: ACTIVE",
        "5: LinkUp",
    ]
    keys, _ = lab.sh("gpu01", f"cat {PORT}/pkeys/0 {PORT}/pkeys/1 {PORT}/pkeys/2")
    assert keys.splitlines() == ["0x7fff", "0x8a01", "0x0000"]
    links, _ = lab.sh("gpu01", "rdma link show")
    assert links.startswith("link mlx5_0/1 subnet_prefix fe80:0000:0000:0002 lid ")
    text, _ = lab.sh("gpu01", "ibstat mlx5_0")
    lid, _ = lab.sh("gpu01", f"cat {PORT}/lid")
    assert f"Base lid: {int(lid, 16)}\n" in text
    assert "link_layer:\t\tInfiniBand" in lab.sh("gpu01", "ibv_devinfo -d mlx5_0")[0]


def test_real_diagnostics_answer_at_every_host_with_a_port(lab: World) -> None:
    for host in ("gpu03", "sm01"):
        text, status = lab.sh(host, "saquery SMIR")
        assert (status, text.count("SMInfoRecord dump")) == (0, 2)
    nodes, _ = lab.sh("gpu02", "ibnetdiscover")
    assert all(f'"gpu0{n} mlx5_0"' in nodes for n in (1, 2, 3, 4))


def test_a_test_prints_what_perftest_prints_on_infiniband(lab: World) -> None:
    (text,) = lab.pairs("gpu03>gpu01")
    assert " Link type       : IB\n" in text
    assert "GID" not in text
    assert " local address: LID 0x0" in text
    assert lab.gbps("gpu03>gpu01") == [pytest.approx(BEST, abs=0.01)]


def test_an_incast_shares_the_link_and_its_senders_wait(lab: World) -> None:
    lab.sh("gpu01", "ibqueryerrors -k; ibqueryerrors -K")
    assert (
        lab.gbps("gpu02>gpu01", "gpu03>gpu01", "gpu04>gpu01")
        == [pytest.approx(BEST / 3, abs=0.02)] * 3
    )
    waited = 2 / 3 * 2 * 200e9 / 64  # ticks of eight bytes
    assert lab.waits("gpu04") == pytest.approx((waited, waited), rel=1e-6)
    at_leaf = lab.counts("1", switch="ibleaf01")
    assert (at_leaf["PortXmitWait"], at_leaf["PortXmitDiscards"]) == (0, 0)
    wide, _ = lab.sh("gpu01", f"cat {PORT}/counters/port_rcv_data")
    assert int(wide) == pytest.approx(2 * 200e9 / 32, rel=1e-3)
    lab.gbps("gpu02>gpu01", "gpu04>gpu01")
    assert lab.waits("gpu04") == (2**32 - 1, 2**32 - 1)  # it stops at its width


def test_counters_that_a_user_resets_are_reset(lab: World) -> None:
    lab.gbps("gpu02>gpu01", "gpu03>gpu01")
    assert min(lab.waits("gpu02")) > 1_000_000
    lab.sh("gpu02", "perfquery -R")
    assert lab.waits("gpu02") == (0, 0)


def test_services_share_by_the_weights_of_the_intent(lab: World) -> None:
    """64 to 192, which OpenSM's own high table would turn into five eighths and three."""
    assert lab.gbps("gpu02>gpu01/0", "gpu03>gpu01/1") == [
        pytest.approx(BEST / 4, abs=0.02),
        pytest.approx(BEST * 3 / 4, abs=0.02),
    ]


def test_a_limit_of_high_priority_is_the_master_s(lab: World) -> None:
    master = lab.subnet.simulated.master()
    assert master is not None
    files = lab.subnet.loaded[master.name]
    text = files["opensm.conf"]
    files["opensm.conf"] = f"{text}\nqos_high_limit 255\n"
    ports = [port for node in lab.subnet.fabric().nodes.values() for port in node.ports.values()]
    files["opensm.conf"] = text
    assert {port.high_limit for port in ports} == {255}


def test_latency_grows_where_lanes_are_full(lab: World) -> None:
    options = "--sl=1 --pkey_index=1"
    (idle,) = lab.pairs("gpu03>gpu01", options=options, tool="ib_write_lat")
    found = LATENCY.search(idle)
    assert found is not None
    assert 1.0 < float(found[1]) < 3.0


def test_two_limited_members_and_a_missing_key_fail_as_perftest_does(lab: World) -> None:
    (text,) = lab.pairs("gpu03>gpu01", options="--sl=0 --pkey_index=0 -D 2")
    assert "Failed status 12: wr_id 0 syndrom 0x81" in text
    assert lab.sh("gpu03", f"cat {PORT}/hw_counters/req_transport_retries_exceeded")[0] != "0\n"
    text, status = lab.sh("gpu01", "ib_write_bw -d mlx5_0 --pkey_index=9")
    assert (status, "Failed to modify QP to INIT" in text) == (1, True)


@pytest.mark.parametrize(
    ("fault", "rate", "switch", "counter"),
    # those in the managers' files take some seconds each
    [pytest.param(*row, marks=[] if row[0] in IN_LINKS else pytest.mark.slow) for row in FELT],
)
def test_a_fault_is_felt_and_gone_when_it_is_taken_out(
    lab: World, fault: str, rate: float, switch: str, counter: str
) -> None:
    faults = Faults(lab.building)
    description = faults.inject(fault, None, None)
    assert description.startswith(f"{fault}: ")
    pairs = ("gpu04>gpu01", "gpu01>gpu04")
    found = min(lab.gbps(pair)[0] for pair in pairs)
    if rate:
        assert found == pytest.approx(BEST * rate, rel=0.01)
    else:
        assert found == 0.0
    if switch:
        assert lab.counts("2", switch=switch)[counter] > 0
    assert faults.clear() == [description]
    assert lab.gbps("gpu04>gpu01") == [pytest.approx(BEST, abs=0.01)]


def test_every_fault_is_tried_here() -> None:
    assert {row[0] for row in FELT} == set(subnet_faults())


def test_a_place_that_is_not_there_is_refused(lab: World) -> None:
    with pytest.raises(FaultError, match="ibleaf09 3: no cabled InfiniBand port"):
        Faults(lab.building).inject("ib-slow-link", "ibleaf09", "3")
    assert Faults(lab.building).inject("ib-symbol-errors", "gpu02", "mlx5_0") == (
        "ib-symbol-errors: link into gpu02 port 1: 200 symbol errors a second,"
        " 0.01 % of the packets lost"
    )
    lab.subnet.worn.clear()


def test_a_manager_ends_and_comes_again_as_its_unit_is_told(lab: World) -> None:
    assert lab.sh("sm01", "systemctl is-active opensm") == ("active\n", 0)
    pid, _ = lab.sh("sm01", "pgrep -x opensm")
    assert f"{pid.strip():>7}" in lab.sh("sm01", "ps aux")[0]
    assert lab.sh("sm02", "systemctl stop opensm") == ("", 0)
    assert lab.sh("sm02", "systemctl is-active opensm") == ("inactive\n", 3)
    assert lab.sh("sm02", "pgrep -c opensm") == ("0\n", 1)
    assert lab.sh("sm02", "systemctl start opensm") == ("", 0)
    text, status = lab.sh("sm01", "sudo grep -h 'SUBNET UP' /var/log/opensm.log")
    assert (status, text.count("SUBNET UP") > 1) == (0, True)


def test_a_host_whose_cable_has_just_gone_is_not_reached_and_hinders_no_other(lab: World) -> None:
    network = lab.subnet.simulated.network
    node = next(one for one in network.hosts if network.device(one) == "gpu02")
    lab.subnet.simulated.unlink(node, 1)
    try:
        gone, other = lab.gbps("gpu01>gpu02", "gpu03>gpu04")
    finally:
        lab.subnet.simulated.relink(node, 1)
        lab.subnet.simulated.settle()
    assert (gone, other > 0) == (0, True)
