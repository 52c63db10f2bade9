"""Hosts on InfiniBand: ports that no manager serves, settings that are RoCE's."""

from __future__ import annotations

from collections.abc import Iterator

from netcheck.model.device import AdminState, LinkLayer
from netcheck.model.finding import Severity
from netcheck.model.known import is_known
from netcheck.model.view import RdmaView
from netcheck.rules.rule import Fault, Scope, rule

# Libraries that stop at a traffic class on InfiniBand, and those that only pass it on.
FATAL = ("NVSHMEM_IB_TRAFFIC_CLASS",)
USELESS = ("NCCL_IB_TC", "UCX_IB_TRAFFIC_CLASS")
NO_LID = frozenset({0, 0xFFFF})


@rule(
    "ib-traffic-class-set",
    severity=Severity.ERROR,
    scope=Scope.RDMA,
    source="NVIDIA/nvshmem issue 45: a traffic class with InfiniBand ports",
    is_proof=False,
)
def ib_traffic_class_set(rdma: RdmaView) -> Iterator[Fault]:
    """A job sets a traffic class for ports whose link layer is InfiniBand.

    Why: the traffic class is RoCE's DSCP; InfiniBand has service levels. NVSHMEM does not get
        through its start with it, other libraries ignore it and run in service level 0.
    Bad: NVSHMEM_IB_TRAFFIC_CLASS=106, mlx5_0 is InfiniBand.
    Good: NVSHMEM_IB_SL, NCCL_IB_SL or UCX_IB_SL.
    Fix: unset the variable for these ports, and choose a service level.
    """
    if rdma.link_layer is not LinkLayer.INFINIBAND:
        return
    environment = rdma.device.environment
    adapters = rdma.device.record.rdma.values()
    # a host with both sets it for its Ethernet ports, which some libraries do by port
    is_mixed = any(one.link_layer is not LinkLayer.INFINIBAND for one in adapters)
    for name in FATAL if is_mixed else (*FATAL, *USELESS):
        value = environment.get(name, "")
        if value and value != "0":
            yield Fault(
                rdma,
                ("environment",),
                f"{name} not set",
                value,
                "InfiniBand has service levels",
                severity=None if name in FATAL else Severity.WARNING,
                evidence=rdma.device.record.find_evidence("device environment", name),
            )


@rule(
    "ib-port-unserved",
    severity=Severity.ERROR,
    scope=Scope.RDMA,
    source="k8snetworkplumbingwg/sriov-network-device-plugin issue 269; rdma-link(8)",
    is_proof=False,
)
def ib_port_unserved(rdma: RdmaView) -> Iterator[Fault]:
    """An InfiniBand port is disabled, and no subnet manager gave it an address.

    Why: virtual functions stay down until a manager that knows virtual ports serves them, and
        until they have GUIDs and a link policy; upstream OpenSM does not know them.
    Bad: mlx5_1 state DOWN, physical state DISABLED, LID 65535, SM LID 0.
    Good: state ACTIVE, a LID, and the LID of the subnet manager.
    Fix: use a manager with virt_enabled (NVIDIA's OpenSM or UFM), set the node and port GUIDs of
        each virtual function, and its link state to auto.
    """
    if rdma.link_layer is not LinkLayer.INFINIBAND or rdma.link_state is AdminState.UP:
        return
    lid, manager = rdma.record.lid, rdma.record.sm_lid
    is_disabled = str(rdma.record.physical_state).upper() == "DISABLED"
    if is_known(lid) and is_known(manager) and lid in NO_LID and manager == 0 and is_disabled:
        found = f"LID {lid}, no subnet manager"
        yield Fault(rdma, ("lid",), "a LID, and a subnet manager's LID", found)
