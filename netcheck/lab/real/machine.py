"""One virtual machine: how it is started, and when it is ready."""

from __future__ import annotations

import os
import re
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from netcheck.lab.opensm.process import Kept, start, wait_until
from netcheck.lab.real.image import Image
from netcheck.lab.real.tools import PATH, find
from netcheck.model.errors import TransportError

READY: Final = re.compile(r"netcheck-lab ready ([\d.]+)")
MEMORY_MB: Final = 320
PROBE_S: Final = 12.0
POLL_S: Final = 0.1
KVM: Final = ("-accel", "kvm", "-cpu", "host")
# Without hardware help; one thread a virtual processor. Without cmpxchg16b: after it, QEMU 7.2
# keeps flags that cannot be, and an interrupt just then is a double fault of the guest's kernel.
EMULATION: Final = ("-accel", "tcg,thread=multi,tb-size=256", "-cpu", "qemu64,+rdrand,-cx16")
# The type "pc": with "microvm" the kernel now and then finds no clock and hangs.
COMMON: Final = (
    *("-M", "pc", "-m", str(MEMORY_MB), "-smp", "1", "-nodefaults", "-no-user-config"),
    *("-display", "none", "-no-reboot"),
)
KERNEL_LINE: Final = "console=ttyS0 panic=-1 mitigations=off quiet nokaslr net.ifnames=0"


@dataclass(frozen=True, slots=True)
class Wiring:
    """How a machine is connected.

    Attributes:
        forwards: ``(port on our loopback, port of the machine)``.
        wire: Socket that stands for the cable between the two machines.
        is_first: Whether this machine makes the socket.
        mac: Address of its end of the cable.
    """

    forwards: tuple[tuple[int, int], ...]
    wire: Path
    is_first: bool
    mac: str


def accelerators() -> tuple[tuple[str, ...], ...]:
    """Give what to try, best first: that /dev/kvm is there does not prove that it works."""
    usable = os.access("/dev/kvm", os.R_OK | os.W_OK)
    return (KVM, EMULATION) if usable else (EMULATION,)


def boot(
    image: Image, seed: Path, wiring: Wiring, accelerator: tuple[str, ...], folder: Path, name: str
) -> Kept:
    """Start a machine that ends with us; it is not ready when this returns.

    Raises:
        TransportError: QEMU did not start.
    """
    console = folder / f"{name}.console"
    console.unlink(missing_ok=True)
    argv = [find("qemu-system-x86_64"), *COMMON, *accelerator, "-serial", f"file:{console}"]
    argv += ["-kernel", str(image.kernel), "-initrd", str(image.initrd), "-append", KERNEL_LINE]
    for index, file in enumerate((image.root, seed)):
        argv += ["-drive", f"file={file},format=raw,if=none,id=d{index},readonly=on"]
        argv += ["-device", f"virtio-blk-pci,drive=d{index}"]
    forwards = "".join(f",hostfwd=tcp:127.0.0.1:{ours}-:{its}" for ours, its in wiring.forwards)
    role = "on" if wiring.is_first else "off"
    wire = f"stream,id=n1,server={role},addr.type=unix,addr.path={wiring.wire}"
    argv += ["-netdev", f"user,id=n0,restrict=on{forwards}", "-netdev", wire]
    argv += ["-device", "virtio-net-pci,romfile=,netdev=n0"]
    argv += ["-device", f"virtio-net-pci,romfile=,netdev=n1,mac={wiring.mac}"]
    return start(
        argv, log=folder / f"{name}.qemu", folder=folder, environment={"PATH": PATH, "LC_ALL": "C"}
    )


def has_begun(folder: Path, name: str) -> bool:
    """Whether the machine's kernel or its first program has written to the console."""
    return _console(folder, name) != ""


def ready_after(folder: Path, name: str) -> float | None:
    """Seconds of the machine's own clock until it was ready; None before that."""
    found = READY.search(_console(folder, name))
    return float(found[1]) if found else None


def _console(folder: Path, name: str) -> str:
    path = folder / f"{name}.console"
    return path.read_text("utf-8", "replace") if path.exists() else ""


def crash_of(folder: Path, name: str) -> str:
    """What a machine's kernel said when it ended itself; empty where it did not."""
    lines = _console(folder, name).splitlines()
    return next((line for line in lines if "Kernel panic" in line or "Oops:" in line), "")


def await_ready(machine: Kept, folder: Path, name: str, timeout_s: float) -> None:
    """Wait until a machine is ready.

    Raises:
        TransportError: It ended, or was not ready in time; with its last words.
    """

    def settled() -> bool:
        return ready_after(folder, name) is not None or not machine.is_running

    wait_until(settled, timeout_s, POLL_S)
    if ready_after(folder, name) is None:
        text = _console(folder, name).strip() or machine.output().strip()
        last = text.splitlines()[-1] if text else "nothing on its console"
        raise TransportError(f"{name}: not ready after {timeout_s:g} s: {last}")


def first_that_works(
    begin: Callable[[tuple[str, ...]], list[Kept]], is_up: Callable[[], bool]
) -> tuple[list[Kept], tuple[str, ...]]:
    """Start machines with the best accelerator that really runs them.

    KVM counts as working once every machine has written to its console.

    Raises:
        TransportError: None does.
    """
    for accelerator in accelerators():
        machines = begin(accelerator)
        if accelerator is EMULATION:
            return machines, accelerator
        end = time.monotonic() + PROBE_S
        while time.monotonic() < end and all(one.is_running for one in machines):
            if is_up():
                return machines, accelerator
            time.sleep(POLL_S)
        for one in machines:
            one.end()
    raise TransportError("no machine starts, neither with KVM nor without")
