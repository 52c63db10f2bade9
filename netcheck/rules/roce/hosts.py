"""Hosts: the address and the marks that applications really use."""

from __future__ import annotations

from collections.abc import Iterator
from ipaddress import ip_address

from netcheck.model.device import Gid, GidType
from netcheck.model.fact import NotGivenError, is_absent, is_readable
from netcheck.model.finding import Severity
from netcheck.model.records import PolicyView
from netcheck.model.view import DeviceView, RdmaView
from netcheck.rules.rule import Fault, Scope, rule

NCCL = "NVIDIA NCCL user guide: environment variables"
# Variables that choose the address, and those that choose the mark, by library.
GID_INDEX = ("NCCL_IB_GID_INDEX", "UCX_IB_GID_INDEX", "NVSHMEM_IB_GID_INDEX")
TRAFFIC_CLASS = ("NCCL_IB_TC", "UCX_IB_TRAFFIC_CLASS", "NVSHMEM_IB_TRAFFIC_CLASS")
CONFIGFS = "torvalds/linux Documentation/ABI/testing/configfs-rdma_cm: default_roce_tos"


def chosen_gid(rdma: RdmaView) -> Gid | None:
    """The address that applications are told to use; None where the table has no such entry.

    Raises:
        NotGivenError: No index is chosen.
    """
    chosen = _chosen_index(rdma)
    return next((gid for gid in rdma.gids if gid.index == int(chosen)), None)


def _chosen_index(rdma: RdmaView) -> str:
    environment = rdma.device.environment
    said = (environment[name] for name in GID_INDEX if name in environment)
    chosen = next((value for value in said if value.isdigit()), None)
    if chosen is None:
        raise NotGivenError(f"chosen address index ({GID_INDEX[0]})")
    return chosen


@rule("roce-gid-v1", severity=Severity.ERROR, scope=Scope.RDMA, source=NCCL, is_proof=False)
def roce_gid_v1(rdma: RdmaView) -> Iterator[Fault]:
    """The chosen address is a RoCE v1 address.

    Why: v1 packets have no IP header: no DSCP, no ECN, and no router forwards them.
    Bad: NCCL_IB_GID_INDEX=2, where the entry is RoCE v1.
    Good: an index whose entry is RoCE v2 with a routed address.
    Fix: unset the index, or choose the v2 entry.
    """
    gid = chosen_gid(rdma)
    if gid is not None and gid.kind is GidType.ROCE_V1:
        yield Fault(rdma, ("gids", "environment"), "RoCE v2", "RoCE v1", f"index {gid.index}")


@rule(
    "roce-gid-linklocal",
    severity=Severity.ERROR,
    scope=Scope.RDMA,
    source="NVIDIA/nccl issue 769: connection timeout with a link-local address",
    is_proof=False,
)
def roce_gid_linklocal(rdma: RdmaView) -> Iterator[Fault]:
    """The chosen address is link-local.

    Why: no router forwards it; connections across subnets time out.
    Bad: NCCL_IB_GID_INDEX=1, where the entry is fe80::1.
    Good: an index whose entry is the routed address, as RoCE v2.
    Fix: unset the index, or choose the entry with the routed address.
    """
    gid = chosen_gid(rdma)
    if gid is not None and gid.kind is not GidType.IB and _is_link_local(gid):
        routed = [one.index for one in rdma.gids if _is_routed(one)]
        note = f"index {gid.index}"
        wanted = f"a routed address (index {routed[0]})" if routed else "a routed address"
        yield Fault(rdma, ("gids", "environment"), wanted, gid.address, note)


def _is_link_local(gid: Gid) -> bool:
    try:
        return ip_address(gid.address).is_link_local
    except ValueError:  # no address at all: what a damaged text shows is another finding
        return False


def _is_routed(gid: Gid) -> bool:
    return gid.kind is GidType.ROCE_V2 and not _is_link_local(gid)


@rule(
    "roce-gid-index-missing",
    severity=Severity.ERROR,
    scope=Scope.RDMA,
    source="linux-rdma/perftest issue 44: the index differs between hosts",
    is_proof=False,
)
def roce_gid_index_missing(rdma: RdmaView) -> Iterator[Fault]:
    """The chosen address index is not in the device's table.

    Why: connections fail at once.
    Bad: NCCL_IB_GID_INDEX=5, the table has 0 to 3.
    Good: an index that the table has.
    Fix: unset the index, so that each host finds its own.
    """
    if chosen_gid(rdma) is None:
        found = frozenset(gid.index for gid in rdma.gids)
        chosen = _chosen_index(rdma)
        yield Fault(rdma, ("gids", "environment"), f"one of {sorted(found)}", chosen)


def rdma_dscps(policy: PolicyView) -> frozenset[int]:
    """DSCPs of the lossless classes.

    Raises:
        NotGivenError: The intent says none.
    """
    found = frozenset(
        dscp
        for each in policy.classes_saying("dscp")
        if each.is_lossless and not each.is_cnp
        for dscp in each.dscp
    )
    if not found:
        raise NotGivenError("DSCP of a lossless class")
    return found


@rule(
    "nccl-ib-tc-mismatch", severity=Severity.ERROR, scope=Scope.DEVICE, source=NCCL, is_proof=False
)
def nccl_ib_tc_mismatch(device: DeviceView) -> Iterator[Fault]:
    """NCCL, UCX or NVSHMEM marks its packets with a DSCP of no lossless class.

    Why: collectives run in the default class and lose packets.
    Bad: class rdma has DSCP 26, NCCL_IB_TC=0.
    Good: NCCL_IB_TC=104 (26 times 4).
    Fix: set NCCL_IB_TC to four times the DSCP.
    """
    wanted = rdma_dscps(device.policy)
    for name in TRAFFIC_CLASS:
        chosen = device.environment.get(name, "")
        if chosen.isdigit() and int(chosen) >> 2 not in wanted:
            values = ", ".join(str(dscp << 2) for dscp in sorted(wanted))
            yield Fault(device, ("environment",), f"{name}={values}", chosen)


@rule("cma-roce-tos", severity=Severity.ERROR, scope=Scope.RDMA, source=CONFIGFS)
def cma_roce_tos(rdma: RdmaView) -> Iterator[Fault]:
    """Connections made by rdma_cm carry a DSCP of no lossless class.

    Why: their packets run in the default class and drop.
    Bad: class rdma has DSCP 26, default_roce_tos 0.
    Good: default_roce_tos 104 or 106 (DSCP 26).
    Fix: cma_roce_tos -d DEV -t 106.
    """
    wanted = rdma_dscps(rdma.policy)
    found = 0 if is_absent(rdma, "rdma_cm_tos") else rdma.rdma_cm_tos
    if found >> 2 not in wanted:
        yield Fault(rdma, ("rdma_cm_tos",), f"DSCP {_list(wanted)}", f"ToS {found}")


@rule(
    "cma-roce-mode",
    severity=Severity.ERROR,
    scope=Scope.RDMA,
    source="torvalds/linux Documentation/ABI/testing/configfs-rdma_cm: default_roce_mode",
    is_proof=False,
)
def cma_roce_mode(rdma: RdmaView) -> Iterator[Fault]:
    """Connections made by rdma_cm use RoCE v1.

    Why: v1 packets have no IP header: no DSCP, no ECN, and no router forwards them.
    Bad: default_roce_mode "IB/RoCE v1".
    Good: default_roce_mode "RoCE v2".
    Fix: cma_roce_mode -d DEV -p 1 -m 2.
    """
    if not rdma.rdma_cm_roce_v2:
        yield Fault(rdma, ("rdma_cm_roce_v2",), "RoCE v2", "RoCE v1")


@rule(
    "roce-traffic-class-unset",
    severity=Severity.WARNING,
    scope=Scope.RDMA,
    source="NVIDIA: /sys/class/infiniband/DEV/tc/1/traffic_class",
    aliases=("traffic-class-sysfs",),
    is_proof=False,
)
def roce_traffic_class_unset(rdma: RdmaView) -> Iterator[Fault]:
    """Packets of applications that set no traffic class carry a DSCP of no lossless class.

    Why: such applications (perftest, many verbs programs) run in the default class and drop.
    Bad: class rdma has DSCP 26, no traffic class forced.
    Good: traffic class 104 or 106 (DSCP 26).
    Fix: echo 106 into /sys/class/infiniband/DEV/tc/1/traffic_class.
    """
    wanted = rdma_dscps(rdma.policy)
    if sum(each.is_lossless and not each.is_cnp for each in rdma.policy.classes) > 1:
        raise NotGivenError("one class that all RDMA traffic is in")
    is_unset = is_absent(rdma, "traffic_class")
    if is_unset or rdma.traffic_class >> 2 not in wanted:
        found = "none" if is_unset else f"ToS {rdma.traffic_class}"
        yield Fault(rdma, ("traffic_class",), f"DSCP {_list(wanted)}", found)


def _list(numbers: frozenset[int]) -> str:
    return " or ".join(map(str, sorted(numbers)))


@rule(
    "host-lldpad-conflict",
    severity=Severity.ERROR,
    scope=Scope.DEVICE,
    source="NVIDIA mlnx_qos documentation, -d (DCBX mode); lldpad(8)",
    is_proof=False,
)
def host_lldpad_conflict(device: DeviceView) -> Iterator[Fault]:
    """A second program owns the DCB settings of the host.

    Why: at the next link change it writes its own PFC and ETS over ours.
    Bad: lldpad runs, and PFC is set with mlnx_qos or dcb.
    Good: one of the two.
    Fix: systemctl disable --now lldpad, or leave the settings to it.
    """
    if not device.is_host:
        return
    if device.lldp_agent and _is_set_by_hand(device):
        yield Fault(device, ("lldp_agent",), expected=False, found=True)


def _is_set_by_hand(device: DeviceView) -> bool:
    """The intent, or the host's own settings, pause some priority."""
    if is_readable(device, "policy") and any(True for _ in device.policy.lossless()):
        return True
    pauses = [port.qos.pfc_tx for port in device.record.ports.values()]
    return any(isinstance(each, frozenset) and each for each in pauses)
