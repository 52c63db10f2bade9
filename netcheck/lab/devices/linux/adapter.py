"""One port of an adapter as the kernel and the firmware hold it."""

from __future__ import annotations

import ipaddress
from collections import Counter
from dataclasses import dataclass, field

from netcheck.lossless.dataplane.network import Account, Nic, Port, Queue

PRIORITIES = 8
DSCPS = 64
BUFFER_BYTES = 4_151_520
DEFAULT_BUFFER = 524_288
LOSSY_BUFFER = 131_072
CABLE_M = 7
MTU_SIZES = (4096, 2048, 1024, 512, 256)
# GRH, UDP, BTH, XRC, atomic ETH, ICRC: what iboe_get_mtu leaves room for.
RDMA_HEADERS = 96
PCIE = (32.0, 16)
PCIE_CODING = 128 / 130
VLAN_ETHERNET_BYTES = 18
EMPTY_GID = "0000:0000:0000:0000:0000:0000:0000:0000"


@dataclass
class Adapter:
    """Settings as after a driver load without configuration, and counters since then.

    Attributes:
        dscp_entries: ``DSCP -> priority`` as set; without entries the priority is DSCP / 8.
        reaction, notification: ``priority -> enabled`` of congestion control.
        pcie: Transfers (GT/s) and lanes that the slot came up with.
        storms: Priorities on which a stuck adapter pauses the switch without end.
        counters: ``name in our own words -> value``; what tools print is made of these.
    """

    netdev: str
    rdma: str
    index: int
    speed_bps: int
    address: str
    mac: str
    mtu: int = 1500
    is_up: bool = True
    trust: str = "pcp"
    dscp_entries: dict[int, int] = field(default_factory=dict)
    pfc: list[bool] = field(default_factory=lambda: [False] * PRIORITIES)
    tc_of: list[int] = field(default_factory=lambda: [1, 0, 2, 3, 4, 5, 6, 7])
    tsa: list[str] = field(default_factory=lambda: ["vendor"] * PRIORITIES)
    weights: list[int] = field(default_factory=lambda: [0] * PRIORITIES)
    rates_gbps: list[float] = field(default_factory=lambda: [0.0] * PRIORITIES)
    buffer_of: list[int] = field(default_factory=lambda: [0] * PRIORITIES)
    buffer_bytes: list[int] = field(default_factory=lambda: [DEFAULT_BUFFER] + [0] * 7)
    has_manual_buffers: bool = False
    cable_m: int = CABLE_M
    dcbx: str = "os"
    rx_pause: bool = True
    tx_pause: bool = True
    reaction: list[bool] = field(default_factory=lambda: [False] * PRIORITIES)
    notification: list[bool] = field(default_factory=lambda: [False] * PRIORITIES)
    cnp_dscp: int = 48
    cnp_pcp: int = 6
    cnp_gap_us: int = 50
    traffic_class: int = 0
    cm_tos: int = 0
    cm_is_v2: bool = False
    pcie: tuple[float, int] = PCIE
    storms: frozenset[int] = frozenset()
    counters: Counter[str] = field(default_factory=Counter)
    stuck: set[str] = field(default_factory=set)

    @property
    def ip(self) -> str:
        """Address without the prefix length; empty where there is none."""
        return self.address.partition("/")[0]

    @property
    def active_mtu(self) -> int:
        """Largest RDMA payload that fits the netdev's MTU.

        Source: torvalds/linux include/rdma/ib_addr.h iboe_get_mtu.
        """
        return next((size for size in MTU_SIZES if self.mtu - RDMA_HEADERS >= size), 256)

    def priority_of(self, dscp: int) -> int:
        """Priority of a DSCP where DSCPs are trusted.

        Source: Mellanox/mlnx-tools python/mlnx_qos (default map dscp >> 3).
        """
        return self.dscp_entries.get(dscp, dscp >> 3)

    def gids(self) -> list[tuple[str, str]]:
        """Address table as ``(address, type)``, types as the kernel names them."""
        link_local = _link_local(self.mac)
        found = [(link_local, "IB/RoCE v1"), (link_local, "RoCE v2")]
        if self.ip:
            mapped = _mapped(self.ip)
            found += [(mapped, "IB/RoCE v1"), (mapped, "RoCE v2")]
        return found

    @property
    def receive_bps(self) -> int | None:
        """What the slot lets through where that is less than the port's speed.

        Source: PCI Express Base Specification 5.0 (128b/130b coding from 8 GT/s on).
        """
        rate, lanes = self.pcie
        most = round(rate * 1e9 * lanes * PCIE_CODING)
        return most if most < self.speed_bps else None

    def port(self) -> Port:
        """The port as its hardware works."""
        pauses = frozenset(p for p in range(PRIORITIES) if self.pfc[p])
        return Port(
            speed_bps=self.speed_bps,
            mtu_bytes=self.mtu + VLAN_ETHERNET_BYTES,
            is_up=self.is_up,
            trust=self.trust,
            priority_of_dscp=tuple(self.priority_of(dscp) for dscp in range(DSCPS)),
            queue_of=tuple(self.tc_of),
            pauses_sent=pauses,
            pauses_honoured=pauses,
            queue_of_pfc=tuple(self.tc_of),
            pfc_of_group={p: frozenset({p}) for p in pauses},
            groups={p: self._group(p) for p in range(PRIORITIES)} if self.receive_bps else {},
            queues={tc: self._queue(tc) for tc in range(PRIORITIES)},
            storms=self.storms,
        )

    def _group(self, priority: int) -> Account:
        """A priority's receive buffer; half of it is for what comes after a pause."""
        half = self.buffer_bytes[self.buffer_of[priority]] // 2
        return Account(self.pool, static_bytes=half, headroom_bytes=half)

    @property
    def pool(self) -> str:
        """Name of the memory that its receive buffers share."""
        return f"{self.netdev} receive"

    def _queue(self, tc: int) -> Queue:
        is_strict = self.tsa[tc] == "strict"
        rate = self.rates_gbps[tc]
        return Queue(
            is_strict,
            # vendor transmission selection shares equally
            float(self.weights[tc] or 1) if self.tsa[tc] == "ets" else 10.0,
            limit_bps=round(rate * 1e9) if rate else None,
        )

    def nic(self) -> Nic:
        """Congestion control as the hardware works."""
        return Nic(
            reaction_priorities=frozenset(p for p in range(PRIORITIES) if self.reaction[p]),
            notification_priorities=frozenset(p for p in range(PRIORITIES) if self.notification[p]),
            cnp_dscp=self.cnp_dscp,
            cnp_pcp=self.cnp_pcp,
            cnp_gap_s=self.cnp_gap_us * 1e-6,
            receive_bps=self.receive_bps,
        )

    def set_pfc(self, enabled: list[bool]) -> None:
        """Switch PFC on and off, with what firmware does along.

        A port has either PFC or global pause; priorities with PFC get a receive
        buffer of their own unless buffers were set by hand.

        Source: IEEE 802.1Q-2022 clause 36 (PFC and link pause exclude each other).
        """
        self.pfc = list(enabled)
        if any(enabled):
            self.rx_pause = self.tx_pause = False
        if not self.has_manual_buffers:
            self.buffer_of = [int(on) for on in enabled]
            first = LOSSY_BUFFER if any(enabled) else DEFAULT_BUFFER
            self.buffer_bytes = [first, DEFAULT_BUFFER - first] + [0] * (PRIORITIES - 2)

    def add(self, name: str, value: float) -> None:
        """Count; a stuck counter does not move."""
        if name not in self.stuck:
            self.counters[name] += round(value)


def _link_local(mac: str) -> str:
    parts = [int(part, 16) for part in mac.split(":")]
    parts[0] ^= 2
    body = bytes([*parts[:3], 0xFF, 0xFE, *parts[3:]])
    return _long(b"\xfe\x80" + bytes(6) + body)


def _mapped(ip: str) -> str:
    address = ipaddress.ip_address(ip)
    if address.version == 4:  # noqa: PLR2004 -- IPv4
        return _long(bytes(10) + b"\xff\xff" + address.packed)
    return _long(address.packed)


def _long(data: bytes) -> str:
    return ":".join(data[place : place + 2].hex() for place in range(0, 16, 2))
