"""A simulated subnet: comes up, can be broken, and leaves nothing behind."""

import signal
import subprocess
import sys
import textwrap
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from netcheck.lab.opensm.manager import SHORT_TIMERS, private_conf
from netcheck.lab.opensm.network import read_network
from netcheck.lab.opensm.process import wait_until
from netcheck.lab.opensm.subnet import ManagerPlan, SimulatedSubnet, simulated_subnet
from netcheck.lab.opensm.tools import MissingToolsError, find_tools
from netcheck.model.errors import InputError, TransportError
from tests.lab.opensm.ib_labs import (
    host_id,
    leaf_id,
    needs_opensm,
    network_text,
    port_guid,
    spine_id,
    tree,
)

ROOT = Path(__file__).resolve().parents[3]
CONF = "routing_engine updn\n"


def plan(name: str, node: str, text: str = CONF, **extra: str) -> ManagerPlan:
    return ManagerPlan(name, node, {"opensm.conf": text}, {**SHORT_TIMERS, **extra})


@pytest.fixture
def running() -> Iterator[SimulatedSubnet]:
    with simulated_subnet(tree()) as subnet:
        subnet.start(plan("sm01", host_id(0), CONF + "sm_priority 5\n"))
        yield subnet


def processes_in(folder: Path) -> list[int]:
    """Processes whose working folder is in this one."""
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                place = str((entry / "cwd").readlink())
            except OSError:
                continue
            if place.startswith(str(folder)):
                found.append(int(entry.name))
    return found


@needs_opensm
def test_a_real_opensm_brings_the_subnet_up(running: SimulatedSubnet) -> None:
    manager = running.managers["sm01"]
    assert manager.state() == "MASTER"
    assert manager.engines() == ["updn"]
    answer = running.diags.run("sminfo")
    assert answer.status == 0
    assert "priority 5 state 3 SMINFO_MASTER" in answer.text


@needs_opensm
def test_answers_come_in_the_order_of_the_calls(running: SimulatedSubnet) -> None:
    guids = [port_guid(node) for node in running.network.hosts]
    answers = running.diags.run_all([("smpquery", "-G", "nodedesc", guid) for guid in guids])
    assert [answer.text.split(":")[-1].strip(". \n") for answer in answers] == [
        f"gpu{number:02d} mlx5_0" for number in range(1, 17)
    ]


@needs_opensm
def test_a_call_that_fails_says_why(running: SimulatedSubnet) -> None:
    good, bad = running.diags.run_all([("sminfo",), ("smpquery", "pkeys", "4000", "1")])
    assert good.status == 0
    assert bad.status != 0
    assert bad.text.strip()


@needs_opensm
def test_a_link_is_taken_out_and_put_back(running: SimulatedSubnet) -> None:
    manager = running.managers["sm01"]
    for change in (running.unlink, running.relink):
        manager.mark()
        change(leaf_id(0), 5)
        assert manager.wait_up(20) < 20
    assert "-> Down" not in running.diags.run("iblinkinfo", "-d").text


@needs_opensm
def test_a_whole_switch_fails_and_the_rest_stays_up(running: SimulatedSubnet) -> None:
    manager = running.managers["sm01"]
    manager.mark()
    running.unlink(spine_id(0))
    manager.wait_up(20)
    assert running.diags.run("ibswitches").text.count("Switch") == 5


@needs_opensm
def test_what_cannot_be_taken_out_is_named(running: SimulatedSubnet) -> None:
    with pytest.raises(InputError, match=r"port 8 at nodeid .* is not linked"):
        running.simulator.unlink(leaf_id(0), 8)
    with pytest.raises(InputError, match="nodeid"):
        running.simulator.unlink("S-00000000000000ff")


@needs_opensm
def test_counters_are_set(running: SimulatedSubnet) -> None:
    running.simulator.count(leaf_id(1), 2, "PortCounters.SymbolErrorCounter", 77)
    assert "SymbolErrorCounter == 77" in running.diags.run("ibqueryerrors").text
    with pytest.raises(InputError, match=r"PortCounters\.NoSuchThing"):
        running.simulator.count(leaf_id(1), 2, "PortCounters.NoSuchThing", 1)


@needs_opensm
def test_a_standby_takes_over_when_the_master_is_killed(running: SimulatedSubnet) -> None:
    standby = running.start(plan("sm02", host_id(15), CONF + "sm_priority 3\n"), is_first=False)
    assert running.master() is running.managers["sm01"]
    running.managers["sm01"].kill()
    assert standby.wait_state("MASTER", 60) < 60
    standby.wait_up(60)
    assert running.master() is standby
    wanted = "priority 3 state 3 SMINFO_MASTER"
    assert wait_until(lambda: wanted in running.diags.run("sminfo").text, 20, 0.5)


@needs_opensm
def test_changed_partitions_are_read_again() -> None:
    guid = port_guid(host_id(3))
    conf = CONF + "partition_config_file /etc/opensm/partitions.conf\n"
    before = {"opensm.conf": conf, "partitions.conf": "Default=0x7fff : ALL=full ;\n"}
    after = {
        **before,
        "partitions.conf": f"Default=0x7fff : ALL=full ;\nt=0x0a01 : {guid}=full ;\n",
    }
    with simulated_subnet(tree()) as subnet:
        subnet.start(ManagerPlan("sm01", host_id(0), before))
        assert "0x8a01" not in subnet.diags.run("smpquery", "-G", "pkeys", guid, "1").text
        subnet.change("sm01", after)
        assert "0x8a01" in subnet.diags.run("smpquery", "-G", "pkeys", guid, "1").text


@needs_opensm
def test_two_subnets_run_side_by_side() -> None:
    small = read_network(network_text(leaves=1, spines=1, hosts=2), "small")
    with simulated_subnet(tree()) as one, simulated_subnet(small) as other:
        one.start(plan("sm01", host_id(0)))
        other.start(plan("sm02", host_id(1)))
        assert len(one.diags.run("ibhosts").text.splitlines()) == 16
        assert len(other.diags.run("ibhosts").text.splitlines()) == 2


@needs_opensm
def test_a_manager_that_does_not_come_up_says_what_its_log_says() -> None:
    with (
        simulated_subnet(tree()) as subnet,
        pytest.raises(TransportError, match=r"sm01: .*(bind|guid|GUID)"),
    ):
        subnet.start(plan("sm01", host_id(0), "guid 0x1234\n"), up_s=5)


@needs_opensm
def test_a_network_that_ibsim_refuses_is_bad_input() -> None:
    text = network_text().replace("Switch\t8", "Switch\t3", 1)
    with (
        pytest.raises(InputError, match="network: ibsim does not take it"),
        simulated_subnet(read_network(text)),
    ):
        pytest.fail("it came up")


def place_of_a_lab_that_fails() -> Path:
    try:
        with simulated_subnet(tree()) as subnet:
            subnet.start(plan("sm01", host_id(0)))
            raise KeyboardInterrupt  # noqa: TRY301 -- as a person would
    except KeyboardInterrupt:
        return subnet.folder


@needs_opensm
def test_nothing_is_left_after_an_error() -> None:
    place = place_of_a_lab_that_fails()
    assert not place.exists()
    assert processes_in(place) == []


ENDLESS = """
    import signal, sys, time
    # a run in the background ignores it, and every program would inherit that
    signal.signal(signal.SIGINT, signal.default_int_handler)
    from netcheck.lab.opensm.subnet import simulated_subnet
    from tests.lab.opensm.ib_labs import host_id, tree
    from tests.lab.opensm.test_opensm_lab import plan
    with simulated_subnet(tree()) as subnet:
        subnet.start(plan("sm01", host_id(0)))
        subnet.start(plan("sm02", host_id(5)), is_first=False)
        print(subnet.folder, flush=True)
        subnet.diags.run("sh", "-c", "touch hangs; sleep 300")
"""


@needs_opensm
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL, signal.SIGINT])
def test_nothing_is_left_when_netcheck_is_ended(number: signal.Signals) -> None:
    child = subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(ENDLESS)],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        cwd=ROOT,
        text=True,
    )
    assert child.stdout is not None
    with child.stdout:
        folder = Path(child.stdout.readline().strip())
    assert wait_until(lambda: any(folder.glob("*/hangs")), 20)
    assert len(processes_in(folder)) > 6  # ibsim, two managers, a call, and who keeps them
    child.send_signal(number)
    child.wait(20)
    assert wait_until(lambda: not processes_in(folder) and not folder.exists(), 20)


@needs_opensm
def test_a_keeper_that_is_killed_takes_its_program_along(running: SimulatedSubnet) -> None:
    manager = running.managers["sm01"]
    manager.kept.keeper.kill()
    manager.kept.keeper.wait(10)
    assert wait_until(lambda: not Path(f"/proc/{manager.pid}").exists(), 10)


@needs_opensm
def test_a_lab_outlives_the_thread_that_started_it() -> None:
    with simulated_subnet(tree()) as subnet:
        thread = threading.Thread(target=subnet.start, args=(plan("sm01", host_id(0)),))
        thread.start()
        thread.join(30)
        assert subnet.managers["sm01"].is_running
        assert subnet.diags.run("sminfo").status == 0


def test_missing_programs_are_named_with_the_way_to_get_them(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("netcheck.lab.opensm.tools._find", lambda _: "")
    with pytest.raises(MissingToolsError) as raised:
        find_tools()
    assert "opensm, ibsim-utils, infiniband-diags not installed" in str(raised.value)
    assert "sudo apt-get install opensm ibsim-utils infiniband-diags" in str(raised.value)


def test_a_private_configuration_keeps_the_text_and_sets_only_what_is_of_the_host(
    tmp_path: Path,
) -> None:
    text = "sm_priority 9\npartition_config_file /etc/opensm/partitions.conf\nlog_file /var/x\n"
    files = {"partitions.conf": tmp_path / "partitions.conf"}
    whole = private_conf(text, files, tmp_path, {"polling_retry_number": "3"})
    assert whole.startswith(text)
    last = dict(line.split(" ", 1) for line in whole.splitlines() if line and line[0] != "#")
    assert last["sm_priority"] == "9"
    assert last["partition_config_file"] == str(tmp_path / "partitions.conf")
    assert last["log_file"] == str(tmp_path / "opensm.log")
    assert last["polling_retry_number"] == "3"


def test_a_private_configuration_reads_no_file_of_this_machine(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    theirs, ours = tmp_path / "etc", tmp_path / "ours"
    theirs.mkdir()
    monkeypatch.setattr("netcheck.lab.opensm.manager.USUAL_FOLDER", theirs)
    bare = private_conf("sm_priority 9\n", {}, ours, {})
    assert "partition_config_file" not in bare
    for name in ("partitions.conf", "torus-2QoS.conf"):
        (theirs / name).touch()
    whole = private_conf("torus_config /srv/torus.conf\n", {}, ours, {})
    assert f"partition_config_file {ours}/partitions.conf" in whole.splitlines()
    assert whole.count("torus_config") == 1
    pushed = private_conf("sm_priority 9\n", {"partitions.conf": tmp_path / "copy"}, ours, {})
    assert f"partition_config_file {tmp_path}/copy" in pushed.splitlines()
