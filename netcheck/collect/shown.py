"""Facts that an output always shows, and that one had of a device does not.

A platform lists them in ``shows.yaml``, by the output's file name in a
snapshot. Whatever else tells the same fact, such as a configuration, an output
that was cut or came out empty is missing evidence.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib import resources
from typing import Any, Final

import yaml

from netcheck.collect.snapshot import safe_name
from netcheck.model.device import Device, Port, RdmaDevice
from netcheck.model.document import Document
from netcheck.model.known import ABSENT, UNKNOWN

# A fact written so has to be a value: the output shows it even where it is off.
ALWAYS: Final = "!"


@dataclass(frozen=True, slots=True)
class Unshown:
    """A fact that an output should show and does not.

    Attributes:
        port: Port or RDMA device that it is of; empty for the device.
        file: The output.
    """

    port: str
    fact: str
    file: str


@dataclass(frozen=True, slots=True)
class Output:
    """What one output always shows: facts of the device, of its ports and RDMA devices."""

    file: str
    of_device: tuple[str, ...] = ()
    of_port: tuple[str, ...] = ()
    of_rdma: tuple[str, ...] = ()


@cache
def outputs(platform: str) -> tuple[Output, ...]:
    """Give what a platform's outputs show; nothing where it does not say."""
    path = resources.files(f"netcheck.platforms.{platform}").joinpath("shows.yaml")
    if not path.is_file():
        return ()
    rows: Mapping[str, Mapping[str, list[str]]] = yaml.safe_load(path.read_text("utf-8"))
    return tuple(
        Output(file, *(tuple(row.get(owner, ())) for owner in ("device", "port", "rdma")))
        for file, row in rows.items()
    )


def unshown(
    platform: str, documents: Iterable[Document], found: Device, planned: Device
) -> Iterator[Unshown]:
    """Yield what outputs should show of a planned device's ports and do not.

    Args:
        documents: Outputs of one reading.
        found: What these outputs, and no others, say.
        planned: Tells which ports and RDMA devices matter.
    """
    expected = _files(platform, tuple(planned.ports), tuple(planned.rdma))
    for document in documents:
        file = document.name.rpartition("/")[2]
        if file in expected:
            output, name = expected[file]
            yield from _missing(output, name, file, found, planned)


@lru_cache(maxsize=256)
def _files(
    platform: str, ports: tuple[str, ...], rdma: tuple[str, ...]
) -> dict[str, tuple[Output, str | None]]:
    """Shape: ``file name -> (output, port or RDMA device it is of)``."""
    found: dict[str, tuple[Output, str | None]] = {}
    for output in outputs(platform):
        if "{" not in output.file:
            found[output.file] = output, None
            continue
        for holder, names in (("{port}", ports), ("{rdma}", rdma)):
            if holder in output.file:
                found |= {safe_name(output.file.replace(holder, n)): (output, n) for n in names}
    return found


def _missing(
    output: Output, name: str | None, file: str, found: Device, planned: Device
) -> Iterator[Unshown]:
    for fact in output.of_device:
        qos = next(iter(found.qos.values()), None)
        if _is_missing(fact, found, found.host, qos):
            yield Unshown("", fact.rstrip(ALWAYS), file)
    for port in planned.ports if name is None else [name]:
        held = found.ports.get(port, Port(port))
        for fact in output.of_port:
            if _is_missing(fact, held, held.qos):
                yield Unshown(port, fact.rstrip(ALWAYS), file)
    for rdma in _devices_of(name, planned):
        own = found.rdma.get(rdma, RdmaDevice(rdma))
        for fact in output.of_rdma:
            if _is_missing(fact, own, own.congestion_control):
                yield Unshown(rdma, fact.rstrip(ALWAYS), file)


def _devices_of(name: str | None, planned: Device) -> Iterator[str]:
    """RDMA devices that an output is about: by their own name, or by their port's."""
    for rdma in planned.rdma.values():
        if name is None or name == rdma.name or name in rdma.ports:
            yield rdma.name


def _is_missing(fact: str, *records: Any) -> bool:  # Any: records of the model
    name = fact.rstrip(ALWAYS)
    for record in records:
        value = getattr(record, name, UNKNOWN)
        if value is not UNKNOWN and (value is not ABSENT or not fact.endswith(ALWAYS)):
            return False
    return True
