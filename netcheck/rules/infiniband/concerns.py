"""Which fabrics the rules of InfiniBand have anything to say about."""

from __future__ import annotations

from netcheck.model.device import Device, LinkLayer
from netcheck.model.fabric import Fabric
from netcheck.model.known import is_known


def concerns(fabric: Fabric) -> bool:
    """Tell whether there is a subnet, a manager, or a port or adapter of InfiniBand."""
    return bool(fabric.subnets) or any(map(_has_infiniband, fabric.devices.values()))


def _has_infiniband(device: Device) -> bool:
    return (
        is_known(device.seen_subnet)
        or is_known(device.subnet_manager)
        or any(one.link_layer is LinkLayer.INFINIBAND for one in device.rdma.values())
        or any(one.link_layer is LinkLayer.INFINIBAND for one in device.ports.values())
    )
