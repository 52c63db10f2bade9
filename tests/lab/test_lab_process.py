from __future__ import annotations

import os
import subprocess
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from netmiko import BaseConnection, ConnectHandler

from netcheck.cli.devices import basis_of
from netcheck.cli.options import by_basis
from netcheck.lab import control
from netcheck.lab.control import clear, inject, lab_status, relocate, start_lab, stop_lab
from netcheck.lab.owner import OWNER, owner_ended
from netcheck.lab.state import LabState
from netcheck.model.device import Device, Port, RdmaDevice
from netcheck.model.errors import InputError
from netcheck.model.fabric import Fabric, Link, PortRef
from netcheck.model.frozenmap import FrozenMap
from tests.lab.labs import topology


def fabric() -> Fabric:
    """The small lab's topology as a fabric."""
    built = topology()
    devices = {
        device.name: Device(
            device.name,
            platform=device.platform,
            ports=FrozenMap(
                {
                    port.name: Port(port.name, speed_bps=port.speed_bps, address=port.address)
                    for port in device.ports
                }
            ),
            rdma=FrozenMap({r.name: RdmaDevice(r.name, ports=(r.port,)) for r in device.rdma}),
        )
        for device in built.devices
    }
    links = tuple(Link(PortRef(*cable.a), PortRef(*cable.b), 5.0) for cable in built.cables)
    return Fabric("tiny", devices=FrozenMap(devices), links=links)


@pytest.fixture(scope="module")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LabState]:
    directory = tmp_path_factory.mktemp("lab") / "here"
    state = start_lab(fabric(), directory)
    yield state
    stop_lab(directory)
    assert not state.is_running


def connect(lab: LabState, device: str) -> BaseConnection:
    """Log in with Netmiko, as to hardware."""
    address = lab.devices[device]
    return ConnectHandler(
        device_type="linux",
        host=address.host,
        port=address.port,
        username=address.username,
        password=Path(address.password_file).read_text("utf-8").strip(),
    )


def test_netmiko_logs_in_and_reads(lab: LabState) -> None:
    with connect(lab, "leaf01") as session:
        assert session.find_prompt() == "admin@leaf01:~$"
        assert "Ethernet24" in session.send_command("show interfaces status")
        session.send_command("false")
        assert session.send_command("echo $?") == "1"


def test_netmiko_becomes_root_and_leaves_again(lab: LabState) -> None:
    with connect(lab, "gpu01") as session:
        session.write_channel("sudo -s\n")
        assert "root@gpu01:/home/admin# " in session.read_until_pattern(r"# ")
        session.write_channel("exit\n")
        session.read_until_pattern(r"\$ ")
        assert session.send_command("whoami") == "admin"


def test_a_wrong_password_does_not_let_in(lab: LabState) -> None:
    address = lab.devices["leaf01"]
    with pytest.raises(Exception, match="Authentication"):
        ConnectHandler(
            device_type="linux",
            host=address.host,
            port=address.port,
            username=address.username,
            password="wrong",
        )


def test_the_password_and_the_state_are_private(lab: LabState) -> None:
    for name in ("password", "lab.json", "control.sock"):
        assert (Path(lab.directory) / name).stat().st_mode & 0o077 == 0


def test_a_server_waits_and_a_client_meets_it(lab: LabState) -> None:
    line = "ib_write_bw -d mlx5_0 -x 3 -D 5 --report_gbits -F"
    held: list[str] = []

    def serve() -> None:
        with connect(lab, "gpu02") as session:
            session.write_channel(f"{line}\n")
            session.read_until_pattern("Waiting for client to connect")
            ready.set()
            held.append(session.read_until_pattern(r"MsgRate[\s\S]*\$ "))

    ready = threading.Event()
    server = threading.Thread(target=serve)
    server.start()
    assert ready.wait(10)
    with connect(lab, "gpu01") as session:
        output = str(session.send_command(f"{line} {lab.devices['gpu02'].host}", read_timeout=30))
    server.join(10)
    row = next(found.split() for found in output.splitlines() if found.startswith(" 65536"))
    assert row[2] == "0.00"
    assert float(row[3]) == pytest.approx(400 * 1024 / (1024 + 82), rel=0.01)
    assert row[3] in held[0]


def test_faults_are_put_in_and_taken_out_over_the_socket(lab: LabState) -> None:
    directory = Path(lab.directory)
    said = inject(directory, "nic-trust-pcp", "gpu02", "rail1")
    assert said == "nic-trust-pcp: gpu02 rail1 mlnx_qos --trust: pcp (was pcp)"
    found = lab_status(directory)
    assert found is not None
    assert found.faults == (said,)
    assert clear(directory) == (said,)
    with pytest.raises(InputError, match="fault nosuch: unknown"):
        inject(directory, "nosuch")


def test_a_second_lab_in_the_same_directory_is_refused(lab: LabState) -> None:
    with pytest.raises(InputError, match=r"a lab already runs there .*netcheck lab down"):
        start_lab(fabric(), Path(lab.directory))


def test_a_lab_without_its_packages_says_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(control, "find_spec", lambda _name: None)
    with pytest.raises(InputError, match=r"pip install '\.\[lab\]'"):
        start_lab(fabric(), tmp_path / "lab")


def test_a_fabric_is_pointed_at_its_lab(lab: LabState) -> None:
    moved = relocate(fabric(), lab)
    device, address = moved.devices["gpu02"], lab.devices["gpu02"]
    assert (device.mgmt, device.mgmt_port) == (address.host, address.port)
    login = moved.credentials[str(device.credentials)]
    assert (login.username, login.password) == ("admin", f"file:{address.password_file}")


def test_readings_of_a_lab_need_no_pause_between_them(lab: LabState) -> None:
    where = lab.directory
    assert by_basis(None, 11.0, 0.0, basis_of(lab=True, lab_dir=where)) == 0
    assert by_basis(3.0, 11.0, 0.0, basis_of(lab=True, lab_dir=where)) == 3
    assert by_basis(None, 11.0, 0.0, basis_of(lab=False, lab_dir=where)) == 11


def test_where_no_lab_runs_nothing_answers(tmp_path: Path) -> None:
    assert lab_status(tmp_path) is None
    stop_lab(tmp_path)
    with pytest.raises(InputError, match="no lab is up"):
        inject(tmp_path, "ecn-off")


def test_a_folder_with_something_else_in_it_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "thesis.txt").write_text("mine")
    with pytest.raises(InputError, match="not empty"):
        start_lab(fabric(), tmp_path)
    assert (tmp_path / "thesis.txt").read_text() == "mine"


def test_a_lab_ends_with_the_process_that_it_belongs_to(
    tmp_path: Path,
) -> None:
    with subprocess.Popen(["/bin/sleep", "600"]) as owner:
        state = start_lab(fabric(), tmp_path / "here", owner=owner.pid)
        assert state.is_running
        owner.kill()
    end = time.monotonic() + 10
    while state.is_running and time.monotonic() < end:
        time.sleep(0.02)
    assert not state.is_running


def test_an_owner_that_has_ended_already_has_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    with subprocess.Popen(["/bin/true"]) as owner:
        owner.wait()
    monkeypatch.setenv(OWNER, str(owner.pid))
    ended = owner_ended()
    assert ended is not None
    with os.fdopen(ended, "rb") as file:
        assert file.read() == b""


def test_a_lab_that_nobody_owns_is_not_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(OWNER)
    assert owner_ended() is None


def test_an_interrupted_start_leaves_no_lab(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    started: list[subprocess.Popen[bytes]] = []

    class Recorded(subprocess.Popen[bytes]):
        def __init__(self, *args: Any, **kwargs: Any) -> None:  # Any: as Popen
            super().__init__(*args, **kwargs)
            started.append(self)

    def interrupted(_directory: Path) -> LabState | None:
        if started:
            raise KeyboardInterrupt
        return None

    monkeypatch.setattr("subprocess.Popen", Recorded)
    monkeypatch.setattr(control, "read_state", interrupted)
    with pytest.raises(KeyboardInterrupt):
        start_lab(fabric(), tmp_path / "here")
    (process,) = started
    assert process.returncode is not None
