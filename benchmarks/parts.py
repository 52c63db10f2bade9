"""Rendering and parsing of one switch, platform by platform, over sizes.

Processor time of the least of several runs in one process, after a first run that
loads templates. ``python -m benchmarks.parts``.
"""

from __future__ import annotations

import gc
import tempfile
import time
from collections.abc import Callable, Mapping
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


def switch(platform: str, folder: Path) -> tuple[Fabric, Device]:
    """A leaf with 128 ports of the platform, completed."""
    write_intent(folder / platform, Shape(1, (platform,) * 4), faults=0)
    fabric = complete(load_intent(folder / platform / "fabric.yaml"))
    return fabric, fabric.devices["leaf-000-0"]


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
    fabric, whole = switch(platform, folder)
    bound = load(platform)
    found = []
    for count in PORTS:
        device = with_ports(whole, count)
        texts = bound.rendering.render(device, fabric)
        rendering_s = least_s(lambda one=device: bound.rendering.render(one, fabric))  # type: ignore[misc]
        given = documents(texts)
        parsing_s = least_s(lambda these=given: bound.parsing.parse(these, name="leaf"))  # type: ignore[misc]
        size = sum(len(text.encode()) for text in texts.values())
        found.append(
            f"| {platform} | {count} | {size / 1000:.1f} | {rendering_s * 1000:.2f} |"
            f" {parsing_s * 1000:.2f} | {size / parsing_s / 1e6:.1f} |"
        )
    return found


def main() -> None:
    """Measure every switch platform that is there."""
    with tempfile.TemporaryDirectory() as folder:
        found = [
            row for name in SWITCHES if name in platform_names() for row in rows(name, Path(folder))
        ]
    head = ["| platform | ports | kB | render ms | parse ms | parse MB/s |", "|" + "---|" * 6]
    peers = "Beside it: pyavd 6.4 takes 65 to 75 ms a device of 40 ports (measured apart, quiet)."
    put("rendering and parsing one switch", [machine() + ".", peers, "", *head, *found])


if __name__ == "__main__":
    main()
