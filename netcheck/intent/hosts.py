"""A completed policy expanded into what hosts hold: ports and RDMA devices.

The DSCP map of a host is its platform's own (DSCP / 8 where the NIC trusts
DSCP) with the marks of the classes put over it: that is what the NIC holds and
shows. Priorities that no class uses share the default class's queue, so that
every queue of the NIC has a place in the scheduling.
"""

from __future__ import annotations

from dataclasses import replace

from netcheck.intent.defaults import (
    PRIORITIES,
    RDMA_MTUS,
    class_that_carries,
    data_class,
    default_class,
    lossless_classes,
    marked_classes,
    rdma_classes,
)
from netcheck.intent.notes import Notes
from netcheck.intent.switches import DSCPS, class_marks, has_pcp, schedulers
from netcheck.model.device import CongestionControl, LinkLayer, Port, RdmaDevice
from netcheck.model.fabric import Carries, Policy, TrafficClass
from netcheck.model.frozenmap import FrozenMap
from netcheck.model.known import UNKNOWN, Known, first_known, is_known, known_or
from netcheck.model.qos import DcbxMode, PortQos, Trust

ETHERNET_BYTES = 18  # header and one VLAN tag
USUAL_IP_MTU = 9000
# IPv6 header, UDP, BTH, RETH, immediate data and ICRC, as the kernel counts them
ROCE_HEADERS = 40 + 8 + 12 + 16 + 4 + 4
ECT = 2
# drivers whose NIC has a whole DSCP map of its own and can force a ToS byte
MAPPED_DRIVERS = frozenset({"mlx5"})
# drivers without an adapter: DSCP entries are all the trust there is; no pause, no DCQCN
SOFT_DRIVERS = frozenset({"rxe"})


def host_qos(policy: Policy, drivers: frozenset[str]) -> PortQos:
    """Give what a host's port holds under a completed policy."""
    pfc = frozenset(known_or(one.pfc_priority, 0) for one in lossless_classes(policy))
    is_soft = bool(drivers) and drivers <= SOFT_DRIVERS
    pause = UNKNOWN if is_soft else policy.global_pause
    return PortQos(
        trust=UNKNOWN if is_soft else policy.trust,
        dscp_to_priority=UNKNOWN if policy.trust is Trust.PCP else _dscp_map(policy, drivers),
        pcp_to_priority=UNKNOWN if not has_pcp(policy) else _identity(),
        priority_to_queue=_priority_to_queue(policy),
        pfc_rx=pfc,
        pfc_tx=pfc,
        # DISABLED means that nothing is negotiated: the host itself decides
        dcbx_mode=DcbxMode.HOST if policy.dcbx is DcbxMode.DISABLED else policy.dcbx,
        scheduler=schedulers(policy),
        global_pause_rx=pause,
        global_pause_tx=pause,
    )


def _identity() -> FrozenMap[int, int]:
    return FrozenMap({number: number for number in PRIORITIES})


def _dscp_map(policy: Policy, drivers: frozenset[str]) -> FrozenMap[int, int]:
    own = {dscp: dscp >> 3 for dscp in DSCPS} if drivers & MAPPED_DRIVERS else {}
    return FrozenMap(dict(sorted({**own, **class_marks(policy, "dscp")}.items())))


def _priority_to_queue(policy: Policy) -> FrozenMap[int, int]:
    stated = {known_or(one.priority, 0): known_or(one.queue, 0) for one in policy.classes.values()}
    default = known_or(default_class(policy).queue, 0)
    return FrozenMap({number: stated.get(number, default) for number in PRIORITIES})


def host_ip_mtu(port: Port, policy: Policy, notes: Notes) -> int:
    """Give the IP MTU of a host's port: as said, else what fits in the policy's frames."""
    stated = first_known(port.ip_mtu, policy.ip_mtu)
    if is_known(stated):
        return stated
    largest = known_or(first_known(port.l2_mtu, policy.l2_mtu), USUAL_IP_MTU + ETHERNET_BYTES)
    mtu = min(USUAL_IP_MTU, largest - ETHERNET_BYTES)
    path = f"roce.policies.{policy.name} ip_mtu of hosts"
    notes.derive(path, f"{mtu}B: at most {USUAL_IP_MTU} and l2_mtu {largest} - {ETHERNET_BYTES}")
    return mtu


def rdma_mtu(policy: Policy, ip_mtu: int) -> int:
    """Give the RDMA MTU to reach: as said, else the largest whose packets fit.

    Source: torvalds/linux include/rdma/ib_addr.h, iboe_get_mtu.

    Example:
        >>> rdma_mtu(Policy("p"), 9000), rdma_mtu(Policy("p"), 1500)
        (4096, 1024)
    """
    if is_known(policy.rdma_mtu):
        return policy.rdma_mtu
    room = ip_mtu - ROCE_HEADERS
    return next((mtu for mtu in RDMA_MTUS if mtu <= room), RDMA_MTUS[-1])


def tos(one: TrafficClass) -> Known[int]:
    """Give the ToS byte of a class: DSCP times 4, plus ECT(0) where its queue marks.

    Example:
        >>> tos(TrafficClass("rdma", dscp=frozenset({26})))
        104
    """
    if not is_known(one.dscp) or not one.dscp:
        return UNKNOWN
    is_marked = is_known(one.ecn) and one.ecn.is_enabled is True
    return min(one.dscp) << 2 | (ECT if is_marked else 0)


def host_rdma(device: RdmaDevice, policy: Policy, ip_mtu: int, notes: Notes) -> RdmaDevice:
    """Give an RDMA device with everything that a completed policy says of it."""
    data = data_class(policy)
    computed = tos(data) if data else UNKNOWN
    if data and is_known(computed):
        how = f"{computed}: DSCP {computed >> 2} of class {data.name} times 4 plus {computed & 3}"
        notes.derive(f"roce.policies.{policy.name} traffic_class of hosts", how)
    is_forced = _can_force(device, policy)
    mtu = rdma_mtu(policy, ip_mtu)
    if not is_known(policy.rdma_mtu):
        how = f"{mtu}B: largest whose packets fit in IP MTU {ip_mtu}"
        notes.derive(f"roce.policies.{policy.name} rdma_mtu of hosts", how)
    if device.driver in SOFT_DRIVERS:
        return replace(device, link_layer=LinkLayer.ETHERNET, active_mtu=mtu)
    return replace(
        device,
        link_layer=LinkLayer.ETHERNET,
        traffic_class=first_known(device.traffic_class, computed if is_forced else UNKNOWN),
        rdma_cm_tos=first_known(device.rdma_cm_tos, computed),
        rdma_cm_roce_v2=policy.roce_version != 1,
        active_mtu=mtu,
        congestion_control=_congestion_control(device.congestion_control, policy),
    )


def _can_force(device: RdmaDevice, policy: Policy) -> bool:
    """Whether one ToS byte can be forced on all RDMA traffic of the NIC.

    It would put a second class of RDMA traffic into the first: where there are
    two, jobs mark their own.
    """
    if len(rdma_classes(policy)) > 1:
        return False
    return not is_known(device.driver) or device.driver in MAPPED_DRIVERS


def _congestion_control(stated: CongestionControl, policy: Policy) -> CongestionControl:
    """Points on the priorities whose queues mark; CNPs with the marks of their class."""
    points = frozenset(known_or(one.priority, 0) for one in marked_classes(policy))
    if not points:
        return stated
    cnp = class_that_carries(policy, Carries.CNP)
    dscp = min(cnp.dscp) if cnp and is_known(cnp.dscp) and cnp.dscp else UNKNOWN
    return replace(
        stated,
        notification_point=points,
        reaction_point=points,
        cnp_dscp=dscp,
        cnp_pcp=known_or(cnp.priority, UNKNOWN) if cnp else UNKNOWN,
    )
