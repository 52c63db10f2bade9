"""The real lab's process: ``python -m netcheck.lab.real.server DIRECTORY``."""

from __future__ import annotations

import os
import secrets
import select
import signal
import socket
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

import asyncssh

from netcheck.lab.opensm.process import Kept, wait_until
from netcheck.lab.owner import owner_ended
from netcheck.lab.real.image import Image, built_image
from netcheck.lab.real.layout import Layout, read_layout
from netcheck.lab.real.machine import (
    Wiring,
    await_ready,
    boot,
    first_that_works,
    ready_after,
)
from netcheck.lab.real.password import sha512_crypt
from netcheck.lab.real.seed import Machine, Secrets, write_seed
from netcheck.lab.state import (
    PASSWORD_FILE,
    USERNAME,
    Address,
    LabState,
    write_private,
    write_state,
)

READY_S: Final = 300.0
WIRE_S: Final = 30.0
SSH, SWITCH_SSH = 22, 2222
MACS: Final = ("02:00:00:00:00:01", "02:00:00:00:00:02")
CABLE_MACS: Final = ("02:00:00:00:00:01", "02:00:00:00:00:03")
WORD_BYTES: Final = 18


@dataclass
class RealLab:
    """The two machines of one directory."""

    directory: Path
    layout: Layout
    machines: list[Kept] = field(default_factory=list)
    ports: dict[str, int] = field(default_factory=dict)

    def run(self) -> None:
        """Serve until a signal comes, or the lab's owner has ended."""
        image = built_image()
        password = secrets.token_urlsafe(WORD_BYTES)
        file = self.directory / PASSWORD_FILE
        write_private(file, password + "\n")
        self._write_seeds(password)
        try:
            self._start(image)
            addresses = {
                name: Address("127.0.0.1", port, USERNAME, str(file))
                for name, port in self.ports.items()
            }
            state = LabState(
                self.layout.name, str(self.directory), os.getpid(), addresses, is_real=True
            )
            write_state(state)
            _wait_for_end(owner_ended())
        finally:
            for machine in self.machines:
                machine.end()

    def _write_seeds(self, password: str) -> None:
        key = asyncssh.generate_private_key("ssh-ed25519").export_private_key().decode()
        shared = Secrets(USERNAME, sha512_crypt(password), key)
        hosts = self.layout.hosts
        for index, host in enumerate(hosts):
            other = hosts[1 - index]
            machine = Machine(
                host.name,
                host.address,
                MACS[index],
                other.address,
                MACS[1 - index],
                is_switch=index == 1,
                mtu=self.layout.mtu,
            )
            write_seed(self.directory / f"{host.name}.seed", machine, shared)

    def _start(self, image: Image) -> None:
        first, second = (host.name for host in self.layout.hosts)

        def begin(accelerator: tuple[str, ...]) -> list[Kept]:
            self.machines.clear()
            wire = self.directory / "wire.sock"
            wire.unlink(missing_ok=True)
            numbers = free_ports(3)
            self.ports = dict(zip((first, second, self.layout.switch), numbers, strict=True))
            for index, name in ((1, second), (0, first)):
                forwards = [(self.ports[name], SSH)]
                if index == 1:
                    forwards.append((self.ports[self.layout.switch], SWITCH_SSH))
                wiring = Wiring(tuple(forwards), wire, index == 1, CABLE_MACS[index])
                seed = self.directory / f"{name}.seed"
                kept = boot(image, seed, wiring, accelerator, self.directory, name)
                self.machines.append(kept)
                wait_until(lambda: wire.exists() or not kept.is_running, WIRE_S)  # noqa: B023 -- called here and now
            return list(self.machines)

        def is_up() -> bool:
            return all(ready_after(self.directory, name) is not None for name in (first, second))

        kept, accelerator = first_that_works(begin, is_up)
        print(f"accelerator: {accelerator[1]}", flush=True)  # noqa: T201 -- a process's log
        for machine, name in zip(kept, (second, first), strict=True):
            await_ready(machine, self.directory, name, READY_S)
        took = [f"{name} {ready_after(self.directory, name)} s" for name in (first, second)]
        print(f"ready: {', '.join(took)}", flush=True)  # noqa: T201 -- a process's log


def free_ports(count: int) -> list[int]:
    """Give free TCP ports of the loopback; all different."""
    held = []
    for _ in range(count):
        listener = socket.socket()
        listener.bind(("127.0.0.1", 0))
        held.append(listener)
    ports = [listener.getsockname()[1] for listener in held]
    for listener in held:
        listener.close()
    return ports


def _wait_for_end(ended: int | None) -> None:
    """Wait for a signal, or until the lab's owner has ended."""
    select.select([] if ended is None else [ended], [], [])


def _leave(number: int, frame: object) -> None:  # noqa: ARG001 -- a signal handler's signature
    raise SystemExit(128 + number)


def main(arguments: Sequence[str]) -> int:
    """Run the lab of one directory until it is told to stop."""
    if len(arguments) != 1:
        print("usage: python -m netcheck.lab.real.server DIRECTORY", file=sys.stderr)  # noqa: T201 -- a command
        return 2
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, _leave)
    directory = Path(arguments[0]).resolve()
    RealLab(directory, read_layout(directory)).run()
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
