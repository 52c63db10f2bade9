"""A large fabric before it is written: cables, settings of single ports, policies, faults."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple


class End(NamedTuple):
    """One end of a link, and the policy that its device gives it."""

    device: str
    port: str
    policy: str
    is_host: bool = False


class Cable(NamedTuple):
    """One row of the cabling plan."""

    a: End
    b: End
    metres: int


class Fault(NamedTuple):
    """A seeded fault, the rule that has to find it, and the places that may be named for it."""

    kind: str
    rule: str
    places: tuple[tuple[str, str], ...]


@dataclass(slots=True)
class Plan:
    """What is written: rows, settings of single ports, and faults."""

    rows: list[Cable]
    single: dict[str, dict[str, dict[str, dict[str, str]]]] = field(default_factory=dict)
    policies: dict[str, str] = field(default_factory=dict)
    faults: list[Fault] = field(default_factory=list)

    def set(self, end: End, **settings: str) -> None:
        """Say something of one port alone."""
        keys = {"fec", "autoneg", "cable"}
        for key, value in settings.items():
            on_port = not end.is_host or key in keys
            part, name = ("ports", end.port) if on_port else ("rdma", f"mlx5_{end.port[4:]}")
            here = self.single.setdefault(end.device, {}).setdefault(part, {})
            here.setdefault(name, {})[key] = value


def policy(number: int, *, rdma: str = "dscp: [26], priority: 3", more: str = "") -> str:
    """A policy that agrees with all others on marks and priorities, and differs in numbers."""
    share, kmin = 40 + number % 20, 200 + number
    ecn = f"{{kmin: {kmin}KB, kmax: {4 * kmin}KB, pmax: {5 + number % 16}%}}"
    return f"""
      trust: dscp
      l2_mtu: 9216B
      dcbx: disabled
      watchdog: {{detection: 200ms, restoration: 400ms, action: drop}}
      classes:
        rdma: {{{rdma}, delivery: lossless, bandwidth: {share}%, ecn: {ecn}}}
        cnp: {{dscp: [48], priority: 6, carries: cnp, scheduling: strict}}
        default: {{priority: 0, bandwidth: {100 - share}%}}{more}"""
