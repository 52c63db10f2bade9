"""What part of line rate RDMA payload can reach, in closed form."""

from __future__ import annotations

PREAMBLE, GAP, ETHERNET, FCS, VLAN_TAG = 8, 12, 14, 4, 4
IPV4, IPV6, UDP, BTH, ICRC = 20, 40, 8, 12, 4
RETH = 16
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
