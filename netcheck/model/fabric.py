"""The Fabric: the one noun. Everything else is a function from or to it."""

from __future__ import annotations

from dataclasses import field
from enum import StrEnum
from typing import NamedTuple

from netcheck.model.device import Device
from netcheck.model.document import Evidence
from netcheck.model.frozen import frozen
from netcheck.model.frozenmap import FrozenMap
from netcheck.model.known import UNKNOWN, Known
from netcheck.model.qos import DcbxMode, Trust, Watchdog
from netcheck.model.subnets import Subnet


class Origin(StrEnum):
    """Where a fabric came from."""

    INTENDED = "intended"
    CONFIG = "config"
    SNAPSHOT = "snapshot"


class Delivery(StrEnum):
    """What a traffic class is promised."""

    LOSSLESS = "lossless"
    ECN = "ecn"
    LOSSY = "lossy"
    TRIMMED = "trimmed"


class Carries(StrEnum):
    """What a traffic class is for."""

    DATA = "data"
    ACK = "ack"
    CNP = "cnp"
    STORAGE = "storage"
    DEFAULT = "default"


class LoadBalancing(StrEnum):
    """How a class spreads over equal paths."""

    FLOW = "flow"
    FLOWLET = "flowlet"
    PACKET = "packet"


class HeadroomBy(StrEnum):
    """Who computes headroom: netcheck (explicit sizes) or the device."""

    EXPLICIT = "explicit"
    DEVICE = "device"


class Scheduling(StrEnum):
    """How the queue of a class is served."""

    STRICT = "strict"
    WEIGHTED = "weighted"


@frozen
class EcnIntent:
    """What is said about marking. ``is_enabled`` without numbers means ``auto``."""

    is_enabled: Known[bool] = UNKNOWN
    kmin_bytes: Known[int] = UNKNOWN
    kmax_bytes: Known[int] = UNKNOWN
    pmax_percent: Known[int] = UNKNOWN


@frozen
class TrafficClass:
    """A declared kind of traffic with its marks and treatment; UNKNOWN is not said.

    Attributes:
        priority: Switch priority.
        bandwidth_percent: Share among the weighted queues.
    """

    name: str
    dscp: Known[frozenset[int]] = UNKNOWN
    pcp: Known[frozenset[int]] = UNKNOWN
    priority: Known[int] = UNKNOWN
    pfc_priority: Known[int] = UNKNOWN
    queue: Known[int] = UNKNOWN
    priority_group: Known[int] = UNKNOWN
    delivery: Known[Delivery] = UNKNOWN
    carries: Known[Carries] = UNKNOWN
    scheduling: Known[Scheduling] = UNKNOWN
    bandwidth_percent: Known[int] = UNKNOWN
    ecn: Known[EcnIntent] = UNKNOWN
    load_balancing: Known[LoadBalancing] = UNKNOWN


@frozen
class Policy:
    """Named classes with what holds for all of them; UNKNOWN is not said.

    Attributes:
        rdma_mtu: RDMA payload per packet in bytes that hosts should reach.
        roce_version: 2 unless an old fabric says 1.
        headroom: Who computes headroom.
        global_pause: Whether ports pause as a whole, both ways.
        watchdog_poll_ms: Interval at which the watchdog looks.
    """

    name: str
    trust: Known[Trust] = UNKNOWN
    l2_mtu: Known[int] = UNKNOWN
    rdma_mtu: Known[int] = UNKNOWN
    roce_version: Known[int] = UNKNOWN
    dcbx: Known[DcbxMode] = UNKNOWN
    watchdog: Known[Watchdog] = UNKNOWN
    classes: FrozenMap[str, TrafficClass] = field(default_factory=FrozenMap)
    evidence: Evidence = Evidence()
    ip_mtu: Known[int] = UNKNOWN
    headroom: Known[HeadroomBy] = UNKNOWN
    global_pause: Known[bool] = UNKNOWN
    watchdog_poll_ms: Known[int] = UNKNOWN


class PortRef(NamedTuple):
    """One end of a link: device and port; a tuple, as fabrics have a million of them."""

    device: str
    port: str

    def __str__(self) -> str:
        return f"{self.device} {self.port}"


@frozen
class Link:
    """A cable. ``length_m`` and ``extra_delay_ns`` go into headroom."""

    a: PortRef
    b: PortRef
    length_m: Known[float] = UNKNOWN
    extra_delay_ns: Known[float] = UNKNOWN
    media: Known[str] = UNKNOWN
    evidence: Evidence = Evidence()

    def other(self, end: PortRef) -> PortRef:
        """Give the far end, seen from ``end``."""
        return self.b if end == self.a else self.a


@frozen
class Aggregate:
    """A LAG or bond of one device; ``mlag_peer`` names the device that shares it."""

    name: str
    device: str
    members: tuple[str, ...]
    mlag_peer: Known[str] = UNKNOWN


@frozen
class NextHops:
    """Forwarding read from a device: ``destination -> ports``; host names are destinations."""

    device: str
    ports: FrozenMap[str, tuple[str, ...]]


@frozen
class Credentials:
    """How to log in; ``password`` and ``key`` are references such as ``env:NAME``, never values."""

    name: str
    username: str
    password: Known[str] = UNKNOWN
    key: Known[str] = UNKNOWN


@frozen
class Expectations:
    """What the fabric has to reach, in percent of the theoretical figure."""

    bandwidth_percent: Known[float] = UNKNOWN
    latency_us: Known[float] = UNKNOWN
    incast: Known[int] = UNKNOWN


@frozen
class Suppression:
    """A finding that is accepted: rule, place (glob), reason, last day (ISO date)."""

    rule: str
    where: str
    reason: str
    until: Known[str] = UNKNOWN
    evidence: Evidence = Evidence()


@frozen
class Fabric:
    """Everything that is known of one fabric.

    Attributes:
        policy: Name of the default policy; UNKNOWN where none is said.
        jobs: Job settings ``family -> variable -> value`` (``nccl``, ``ucx``, ``mpi``).
        severities: ``rule -> off|info|warning|error`` as the intent overrides it.
        derivations: ``fact path -> how an automatic value came about``.
        defaulted: Fact paths that nobody said and that were completed.
    """

    name: str
    origin: Origin = Origin.INTENDED
    devices: FrozenMap[str, Device] = field(default_factory=FrozenMap)
    links: tuple[Link, ...] = ()
    aggregates: tuple[Aggregate, ...] = ()
    policies: FrozenMap[str, Policy] = field(default_factory=FrozenMap)
    policy: Known[str] = UNKNOWN
    forwarding: Known[tuple[NextHops, ...]] = UNKNOWN
    subnets: FrozenMap[str, Subnet] = field(default_factory=FrozenMap)
    credentials: FrozenMap[str, Credentials] = field(default_factory=FrozenMap)
    jobs: FrozenMap[str, FrozenMap[str, str]] = field(default_factory=FrozenMap)
    expect: Expectations = Expectations()
    severities: FrozenMap[str, str] = field(default_factory=FrozenMap)
    suppressions: tuple[Suppression, ...] = ()
    derivations: FrozenMap[str, str] = field(default_factory=FrozenMap)
    defaulted: tuple[str, ...] = ()
    sources: tuple[str, ...] = ()
