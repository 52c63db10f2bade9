"""Start, stop and disturb a lab; point a fabric at it.

The lab is a process of its own (``python -m netcheck.lab.server DIRECTORY``);
it takes requests over a socket in its directory, one JSON line each way.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from netcheck.lab.owner import OWNER
from netcheck.lab.state import (
    INTENT_FILE,
    LOG_FILE,
    SOCKET_FILE,
    STATE_FILE,
    TOPOLOGY_FILE,
    LabState,
    read_state,
    write_private,
)
from netcheck.lab.topology import topology_of
from netcheck.model.errors import InputError, TransportError
from netcheck.model.fabric import Credentials, Fabric
from netcheck.model.frozenmap import FrozenMap

CREDENTIALS = "netcheck-lab"
START_S = 60.0
STOP_S = 10.0
REQUEST_S = 60.0
POLL_S = 0.02


def start_lab(fabric: Fabric, directory: Path, *, owner: int | None = None) -> LabState:
    """Start a lab for a fabric; it is ready when this returns.

    Args:
        owner: Process id; the lab ends with that process, however that ends. Else it goes on.

    Raises:
        InputError: A lab already runs there, the fabric cannot be simulated, or a
            package is missing.
        TransportError: The lab's process did not come up.
    """
    if find_spec("asyncssh") is None:
        raise InputError("the lab needs the package asyncssh: pip install '.[lab]' in the checkout")
    sources = [os.fspath(Path(source).resolve()) for source in fabric.sources]
    return begin(
        directory,
        topology=topology_of(fabric).to_json(),
        sources=json.dumps(sources) + "\n",
        module="netcheck.lab.server",
        start_s=START_S,
        owner=owner,
    )


def begin(
    directory: Path,
    *,
    topology: str,
    sources: str,
    module: str,
    start_s: float,
    owner: int | None = None,
) -> LabState:
    """Start the process of a lab in its directory, and wait until it says that it is ready.

    Args:
        topology: What the process is to bring up, in its own form.
        module: The process's module; its only argument is the directory.
        owner: Process id that the lab ends with; as the environment says where None.

    Raises:
        InputError: A lab already runs there, or the directory is not a lab's.
        TransportError: The lab's process did not come up.
    """
    running = read_state(directory)
    if running is not None and running.is_running:
        raise InputError(
            f"{directory}: a lab already runs there (process {running.pid}); "
            "netcheck lab down takes it down, --dir names another folder"
        )
    _clean(directory)
    write_private(directory / TOPOLOGY_FILE, topology)
    write_private(directory / INTENT_FILE, sources)
    log = os.open(directory / LOG_FILE, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    try:
        process = subprocess.Popen(  # noqa: S603 -- our own module
            [sys.executable, "-m", module, str(directory)],
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            start_new_session=True,
            cwd="/",
            env=_environment(owner),
        )
    finally:
        os.close(log)
    try:
        return _await_start(directory, process, start_s)
    except BaseException:  # an interrupt as well: no lab stays that nobody was told of
        _give_up(process)
        raise


def _environment(owner: int | None) -> dict[str, str]:
    path = os.pathsep.join(path for path in sys.path if path)
    named = {} if owner is None else {OWNER: str(owner)}
    return {**os.environ, "PYTHONPATH": path, **named}


def _clean(directory: Path) -> None:
    """Make the directory, or empty it of what an earlier lab left; refuse anything else."""
    directory.mkdir(mode=0o700, parents=True, exist_ok=True)
    entries = {entry.name for entry in directory.iterdir()}
    if entries and TOPOLOGY_FILE not in entries:
        raise InputError(f"{directory}: not empty and no lab's directory; name another one")
    shutil.rmtree(directory)
    directory.mkdir(mode=0o700)


def _await_start(directory: Path, process: subprocess.Popen[bytes], start_s: float) -> LabState:
    end = time.monotonic() + start_s
    while time.monotonic() < end:
        state = read_state(directory)
        if state is not None:
            process.returncode = 0  # it outlives us; nobody waits for it here
            return state
        if process.poll() is not None:
            break
        time.sleep(POLL_S)
    log = (directory / LOG_FILE).read_text("utf-8", "replace").strip().splitlines()
    raise TransportError(f"{directory}: lab did not start: {log[-1] if log else 'no output'}")


def _give_up(process: subprocess.Popen[bytes]) -> None:
    if process.poll() is None:
        process.terminate()  # so that it ends what it started
        with suppress(subprocess.TimeoutExpired):
            process.wait(STOP_S)
        process.kill()
        process.wait()


def stop_lab(directory: Path) -> None:
    """Stop the lab of a directory; nothing happens where none runs."""
    state = read_state(directory)
    if state is None:
        return
    if state.is_running:
        _end(state.pid)
    (directory / STATE_FILE).unlink(missing_ok=True)
    (directory / SOCKET_FILE).unlink(missing_ok=True)


def _end(pid: int) -> None:
    for number in (signal.SIGTERM, signal.SIGKILL):
        try:
            os.kill(pid, number)
        except ProcessLookupError:
            return
        end = time.monotonic() + STOP_S
        while time.monotonic() < end:
            if not LabState("", "", pid).is_running:
                return
            time.sleep(POLL_S)


def lab_status(directory: Path) -> LabState | None:
    """Give the running lab of a directory; None where none runs."""
    state = read_state(directory)
    if state is None or not state.is_running:
        return None
    if state.is_real:
        return state
    return replace(state, faults=tuple(_request(directory, {"do": "status"})["faults"]))


def inject(directory: Path, fault: str, device: str | None = None, port: str | None = None) -> str:
    """Put a fault in; give its place and knob in words.

    Raises:
        InputError: No such fault, device or port, or the fault does not fit there.
        TransportError: The lab does not answer.
    """
    answer = _request(directory, {"do": "inject", "fault": fault, "device": device, "port": port})
    return str(answer["description"])


def clear(directory: Path) -> tuple[str, ...]:
    """Take every fault out again; give what they were.

    Raises:
        TransportError: The lab does not answer.
    """
    return tuple(_request(directory, {"do": "clear"})["faults"])


def _request(directory: Path, request: Mapping[str, object]) -> dict[str, Any]:
    # Any: JSON of our own
    path = directory / SOCKET_FILE
    try:
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as client:
            client.settimeout(REQUEST_S)
            client.connect(os.fspath(path))
            client.sendall(json.dumps(request).encode() + b"\n")
            text = _received(client)
    except (FileNotFoundError, ConnectionRefusedError):
        state = read_state(directory)
        is_real = state is not None and state.is_running and state.is_real
        what = "real machines take no faults" if is_real else "no lab is up"
        raise InputError(f"{directory}: {what}; netcheck lab up INTENT starts a lab") from None
    except OSError as error:
        raise TransportError(f"{directory}: the lab does not answer ({error})") from error
    answer: dict[str, Any] = json.loads(text or "{}")
    if "error" in answer or not answer:
        raise InputError(str(answer.get("error", f"{directory}: the lab gave no answer")))
    return answer


def _received(client: socket.socket) -> str:
    held = bytearray()
    while data := client.recv(65536):
        held += data
    return held.decode("utf-8")


def relocate(fabric: Fabric, state: LabState) -> Fabric:
    """Point management addresses, ports and logins of a fabric at its lab."""
    first = next(iter(state.devices.values()), None)
    if first is None:
        return fabric
    devices = {
        name: replace(
            device,
            mgmt=state.devices[name].host,
            mgmt_port=state.devices[name].port,
            credentials=CREDENTIALS,
        )
        if name in state.devices
        else device
        for name, device in fabric.devices.items()
    }
    login = Credentials(CREDENTIALS, first.username, password=f"file:{first.password_file}")
    return replace(
        fabric,
        devices=FrozenMap(devices),
        credentials=FrozenMap({**fabric.credentials, CREDENTIALS: login}),
    )
