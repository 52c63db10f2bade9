"""Rendering and parsing of one switch, platform by platform, over sizes.

Processor time of the least of several runs in one process, after a first run that
loads templates. A switch is rendered twice: first with policies that no switch before it
has, then again with all that was kept of them. ``python -m benchmarks.parts``.
"""

from __future__ import annotations

import gc
import sys
import tempfile
import time
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path

from benchmarks.fabric import Shape, write_intent
from benchmarks.results import machine, put
from netcheck.intent.complete import complete
from netcheck.intent.load import load_intent
from netcheck.model.device import Device
from netcheck.model.document import Document
from netcheck.model.fabric import Fabric
from netcheck.model.frozenmap import FrozenMap
from netcheck.platforms.platform import load, platform_names

SWITCHES = ("sonic", "cumulus", "eos", "nxos")
PORTS = (32, 64, 128)
RUNS = 9


def least_s(work: Callable[[], object]) -> float:
    """Processor seconds of the fastest of several runs, after one to warm up."""
    work()
    found = []
    for _ in range(RUNS):
        gc.collect()
        start = time.process_time()
        work()
        found.append(time.process_time() - start)
    return min(found)


def first_s(works: list[Callable[[], object]]) -> float:
    """Processor seconds of the fastest of several pieces of work, each done once."""
    found = []
    for work in works:
        gc.collect()
        start = time.process_time()
        work()
        found.append(time.process_time() - start)
    return min(found[1:])


def switches(platform: str, folder: Path) -> tuple[Fabric, list[Device]]:
    """Leaves with 128 ports of the platform, completed, each with policies of its own."""
    write_intent(folder / platform, Shape(RUNS + 1, (platform,) * 4), faults=0)
    fabric = complete(load_intent(folder / platform / "fabric.yaml"))
    return fabric, [fabric.devices[f"leaf-{pod:03d}-0"] for pod in range(RUNS + 1)]


def with_ports(device: Device, count: int) -> Device:
    """The device with its first ports alone."""
    names = list(device.ports)[:count]
    return Device(
        **{each: getattr(device, each) for each in Device.__dataclass_fields__ if each != "ports"},
        ports=FrozenMap({name: device.ports[name] for name in names}),
    )


def documents(texts: Mapping[str, str]) -> list[Document]:
    """What was rendered, as documents."""
    return [Document(name, text) for name, text in texts.items()]


def rows(platform: str, folder: Path) -> list[str]:
    """One row for each number of ports."""
    fabric, leaves = switches(platform, folder)
    bound = load(platform)
    found = []
    for count in PORTS:
        devices = [with_ports(leaf, count) for leaf in leaves]
        forget(platform)
        first = first_s([partial(bound.rendering.render, one, fabric) for one in devices])
        again = least_s(partial(bound.rendering.render, devices[0], fabric))
        texts = bound.rendering.render(devices[0], fabric)
        parsing_s = least_s(partial(bound.parsing.parse, documents(texts), name="leaf"))
        size = sum(len(text.encode()) for text in texts.values())
        found.append(
            f"| {platform} | {count} | {size / 1000:.1f} | {first * 1000:.2f} |"
            f" {again * 1000:.2f} | {parsing_s * 1000:.2f} | {size / parsing_s / 1e6:.1f} |"
        )
    return found


def forget(platform: str) -> None:
    """Empty what the platform's renderer keeps of earlier switches."""
    start = f"netcheck.platforms.{platform}.render"
    for name, module in list(sys.modules.items()):
        for one in vars(module).values() if name.startswith(start) else ():
            if hasattr(one, "cache_clear") and one.__name__ != "_environment":
                one.cache_clear()


def main() -> None:
    """Measure every switch platform that is there."""
    with tempfile.TemporaryDirectory() as folder:
        found = [
            row for name in SWITCHES if name in platform_names() for row in rows(name, Path(folder))
        ]
    head = "| platform | ports | kB | render ms | again ms | parse ms | parse MB/s |"
    about = (
        f"{machine()}. Least of {RUNS} runs, processor time. `render`: a switch whose policies"
        " none before it has; `again`: the same switch once more."
    )
    put("rendering and parsing one switch", [about, "", head, "|" + "---|" * 7, *found])


if __name__ == "__main__":
    main()
