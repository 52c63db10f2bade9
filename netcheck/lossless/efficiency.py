"""What part of line rate RDMA payload can reach, in closed form."""

from __future__ import annotations

PREAMBLE, GAP, ETHERNET, FCS, VLAN_TAG = 8, 12, 14, 4, 4
IPV4, IPV6, UDP, BTH, ICRC = 20, 40, 8, 12, 4
RETH = 16
LRH, VCRC = 8, 2  # InfiniBand links
RDMA_MTUS = (256, 512, 1024, 2048, 4096)
KERNEL_RESERVE = 96


def roce_overhead_bytes(*, is_ipv6: bool = False, vlan_tags: int = 0) -> int:
    """Bytes on the wire around one RoCEv2 payload: 82 for untagged IPv4.

    Source: IEEE 802.3 (preamble, gap, FCS), IBTA annex A17 (BTH, ICRC).
    """
    address = IPV6 if is_ipv6 else IPV4
    return PREAMBLE + GAP + ETHERNET + vlan_tags * VLAN_TAG + address + UDP + BTH + ICRC + FCS


def roce_efficiency(rdma_mtu: int, *, is_ipv6: bool = False, vlan_tags: int = 0) -> float:
    """Share of line rate left for payload.

    Example:
        >>> round(roce_efficiency(4096), 4)
        0.9804
    """
    return rdma_mtu / (rdma_mtu + roce_overhead_bytes(is_ipv6=is_ipv6, vlan_tags=vlan_tags))


def infiniband_efficiency(mtu: int, *, message_bytes: int | None = None) -> float:
    """Share of an InfiniBand link's rate left for payload of RDMA writes.

    Every packet has LRH, BTH, ICRC and VCRC (26 bytes); the first of a message has
    RETH besides. Within a subnet there is no GRH.

    Args:
        mtu: Payload of the largest packets, in bytes.
        message_bytes: Size of a message; without it the first packet does not count.

    Source: InfiniBand Architecture Specification volume 1, chapters 7.7, 9.2 and 9.3.

    Example:
        >>> round(infiniband_efficiency(4096), 4), round(infiniband_efficiency(2048), 4)
        (0.9937, 0.9875)
        >>> round(infiniband_efficiency(4096, message_bytes=65536), 5)
        0.99346
    """
    each = LRH + BTH + ICRC + VCRC
    if message_bytes is None:
        return mtu / (mtu + each)
    packets = max(1, -(-message_bytes // mtu))
    return message_bytes / (message_bytes + packets * each + RETH)


def infiniband_data_bps(rate_bps: int) -> float:
    """Bits of packets that an InfiniBand link carries at the rate it is called by.

    SDR to QDR send 10 bits for 8, and FDR 66 for 64 at 14.0625 Gb/s a lane; from EDR
    on the name is the rate of data.

    Source: InfiniBand Trade Association, InfiniBand Roadmap (signalling and encoding).

    Example:
        >>> infiniband_data_bps(200_000_000_000), infiniband_data_bps(40_000_000_000)
        (200000000000.0, 32000000000.0)
    """
    return float(_DATA_BPS.get(rate_bps, rate_bps))


_DATA_BPS = {
    10_000_000_000: 8_000_000_000,
    20_000_000_000: 16_000_000_000,
    40_000_000_000: 32_000_000_000,
    56_000_000_000: 54_545_000_000,
}


def rdma_mtu_for(ip_mtu: int) -> int:
    """Largest RDMA MTU a port of that IP MTU can have; 0 where none fits.

    The kernel keeps 96 bytes for headers: 4192 and more give 4096, 1500 gives 1024.

    Source: torvalds/linux include/rdma/ib_addr.h (iboe_get_mtu).

    Example:
        >>> rdma_mtu_for(1500), rdma_mtu_for(9000)
        (1024, 4096)
    """
    return max((mtu for mtu in RDMA_MTUS if mtu <= ip_mtu - KERNEL_RESERVE), default=0)


def roce_ip_packet_bytes(rdma_mtu: int, *, is_ipv6: bool = False) -> int:
    """Largest IP packet of a WRITE with immediate data at that RDMA MTU."""
    address = IPV6 if is_ipv6 else IPV4
    return rdma_mtu + address + UDP + BTH + RETH + 4 + ICRC
