"""The lab's process: ``python -m netcheck.lab.server DIRECTORY``."""

from __future__ import annotations

import asyncio
import json
import logging
import os
import secrets
import signal
import sys
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path

import asyncssh

from netcheck.lab.building import Building
from netcheck.lab.devices.ssh import Login, listen
from netcheck.lab.fault_changes import FaultError
from netcheck.lab.faults import Faults
from netcheck.lab.owner import owner_ended
from netcheck.lab.state import (
    PASSWORD_FILE,
    SOCKET_FILE,
    TOPOLOGY_FILE,
    USERNAME,
    Address,
    LabState,
    write_private,
    write_state,
)
from netcheck.lab.subnets.starting import start_subnets
from netcheck.lab.topology import Topology
from netcheck.model.errors import TransportError

FIRST_NETWORK = 0x7F4D0000  # 127.77.0.0
PORT_TRIES = 20
LOWEST_PORT, HIGHEST_PORT = 20000, 60000


def address_of(index: int) -> str:
    """Loopback address of the n-th device, 127.77.x.y without x.y.0 and x.y.255."""
    number = FIRST_NETWORK + (index // 250) * 256 + index % 250 + 1
    return ".".join(str(number >> shift & 0xFF) for shift in (24, 16, 8, 0))


class LabServer:
    """Devices, their listeners, subnets, and the control socket."""

    def __init__(self, directory: Path, stack: ExitStack) -> None:
        self.directory = directory
        topology = Topology.from_json((directory / TOPOLOGY_FILE).read_text("utf-8"))
        addresses = {
            device.name: address_of(index) for index, device in enumerate(topology.devices)
        }
        self.addresses = addresses
        subnets, left_out = start_subnets(topology.subnets, stack)
        self.notes = (*topology.notes, *left_out)
        self.building = Building(topology, directory / "devices", addresses, subnets)
        self.faults = Faults(self.building)
        self.listeners: list[asyncssh.SSHAcceptor] = []

    async def run(self) -> None:
        """Serve until a signal comes, or the lab's owner has ended."""
        password = secrets.token_urlsafe(18)
        password_file = self.directory / PASSWORD_FILE
        write_private(password_file, password + "\n")
        login = Login(USERNAME, password, asyncssh.generate_private_key("ssh-ed25519"))
        port = await self._listen(login)
        control = await asyncio.start_unix_server(
            self._answer, path=os.fspath(self.directory / SOCKET_FILE)
        )
        (self.directory / SOCKET_FILE).chmod(0o600)
        stopped = asyncio.Event()
        for number in (signal.SIGTERM, signal.SIGINT):
            asyncio.get_running_loop().add_signal_handler(number, stopped.set)
        if (ended := owner_ended()) is not None:
            asyncio.get_running_loop().add_reader(ended, stopped.set)
        write_state(
            LabState(
                self.building.topology.name,
                str(self.directory),
                os.getpid(),
                {
                    name: Address(host, port, USERNAME, str(password_file))
                    for name, host in self.addresses.items()
                },
                notes=self.notes,
            )
        )
        await stopped.wait()
        control.close()
        for listener in self.listeners:
            listener.close()

    async def _listen(self, login: Login) -> int:
        """Open one listener a device, all at the same port."""
        for _ in range(PORT_TRIES):
            port = LOWEST_PORT + secrets.randbelow(HIGHEST_PORT - LOWEST_PORT)
            try:
                for name, device in self.building.devices.items():
                    self.listeners.append(
                        await listen(
                            self.addresses[name], port, login, device.new_shell, device.files
                        )
                    )
            except OSError:
                for listener in self.listeners:
                    listener.close()
                self.listeners.clear()
            else:
                return port
        raise OSError("no free port on 127.77.0.0/16")

    async def _answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            request = json.loads(await reader.readline())
            # a subnet's manager takes its time; devices go on answering meanwhile
            is_slow = bool(self.building.subnets)
            answer = await asyncio.to_thread(self._do, request) if is_slow else self._do(request)
        except (FaultError, ValueError, KeyError, TransportError) as error:
            answer = {"error": str(error)}
        writer.write(json.dumps(answer).encode() + b"\n")
        await writer.drain()
        writer.close()

    def _do(self, request: dict[str, str | None]) -> dict[str, object]:
        action = request["do"]
        if action == "inject":
            description = self.faults.inject(
                str(request["fault"]), request.get("device"), request.get("port")
            )
            return {"description": description}
        if action == "clear":
            return {"faults": self.faults.clear()}
        if action == "status":
            return {"faults": list(self.faults.descriptions)}
        raise FaultError(f"no such request: {action}")


def main(arguments: Sequence[str]) -> int:
    """Run the lab of one directory until it is told to stop."""
    if len(arguments) != 1:
        print("usage: python -m netcheck.lab.server DIRECTORY", file=sys.stderr)  # noqa: T201 -- a command
        return 2
    logging.basicConfig(level=logging.WARNING)
    with ExitStack() as stack:
        asyncio.run(LabServer(Path(arguments[0]).resolve(), stack).run())
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
