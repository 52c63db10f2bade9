"""InfiniBand in a lab's topology: adapters, subnets, subnet managers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class LabHca:
    """An RDMA device on InfiniBand: its network interface, GUID and number of the port."""

    name: str
    port: str
    guid: int
    number: int = 1


@dataclass(frozen=True, slots=True)
class LabManager:
    """A subnet manager: where in the simulated fabric it runs, and its files at the start.

    Attributes:
        node: Node of the network file.
        files: Shape: ``file name -> text``.
        extra: Keys that are set for the simulation alone.
    """

    name: str
    node: str
    files: Mapping[str, str] = field(default_factory=dict)
    extra: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class LabSubnet:
    """An InfiniBand subnet; ``network`` is what the simulator reads."""

    name: str
    network: str
    managers: tuple[LabManager, ...] = ()
