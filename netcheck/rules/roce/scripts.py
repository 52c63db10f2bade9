"""Set-up scripts of hosts: what the intent says is also set."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from netcheck.model.device import Device, Port, RdmaDevice
from netcheck.model.fabric import PortRef
from netcheck.model.fact import is_readable
from netcheck.model.finding import Place, Severity
from netcheck.model.known import UNKNOWN, is_known
from netcheck.model.records import PolicyView
from netcheck.model.view import DeviceView, FabricView, PortView, rdma_place
from netcheck.rules.rule import Fault, Scope, rule


def _is_lossless(policy: PolicyView) -> bool:
    return any(True for _ in policy.lossless())


def _says_dscp(policy: PolicyView) -> bool:
    return any(each.is_lossless for each in policy.classes_saying("dscp", "priority"))


def _says_cnp(policy: PolicyView) -> bool:
    return any(is_readable(each, "dscp") for each in policy.cnp())


def _says_one_mark(policy: PolicyView) -> bool:
    return _says_dscp(policy) and sum(each.is_lossless for each in policy.classes) == 1


def _says_mtu(policy: PolicyView) -> bool:
    return is_readable(policy, "l2_mtu") or is_readable(policy, "ip_mtu")


def _says_ecn(policy: PolicyView) -> bool:
    return any(is_readable(each, "ecn") for each in policy.lossless())


def _says_shares(policy: PolicyView) -> bool:
    return any(True for _ in policy.classes_saying("priority", "bandwidth_percent"))


# Fact, and what an intent says when it says something of it.
OF_QOS: dict[str, Callable[[PolicyView], bool]] = {
    "trust": _says_dscp,
    "dscp_to_priority": _says_dscp,
    "pfc_rx": _is_lossless,
    "pfc_tx": _is_lossless,
    "scheduler": _says_shares,
    "priority_to_queue": _says_shares,
}
OF_CONTROL: dict[str, Callable[[PolicyView], bool]] = {
    "notification_point": _says_ecn,
    "reaction_point": _says_ecn,
    "cnp_dscp": _says_cnp,
}
OF_RDMA: dict[str, Callable[[PolicyView], bool]] = {
    "traffic_class": _says_one_mark,
    "rdma_cm_tos": _says_one_mark,
}

# The kernel's own RoCE: no trust apart from DSCP entries, no congestion control, no forced mark.
SOFT_DRIVER = "rxe"


@rule(
    "host-script-incomplete",
    severity=Severity.ERROR,
    scope=Scope.FABRIC,
    source="derived: the script is all that sets the port up after a boot; what it leaves out has "
    "the driver's default (torvalds/linux drivers/net/ethernet/mellanox/mlx5/core/en_dcbnl.c: "
    "trust PCP, no PFC)",
    is_proof=False,
)
def host_script_incomplete(fabric: FabricView) -> Iterator[Fault]:
    """A host's set-up script leaves out something that the intent says.

    Why: after the next boot the setting is the driver's default, or what somebody set before.
    Bad: the intent has MTU 9216, the script of rail0 sets none.
    Good: the script sets everything that the intent says.
    Fix: render the script again and install it.
    """
    for device in fabric.devices:
        scripted = device.record.scripted
        for name in sorted(scripted) if is_known(scripted) else ():
            port = fabric.port_of.get(PortRef(device.record.name, name))
            if port is not None and port.has_policy:
                yield from _left_out(device, name, port)


def _left_out(device: DeviceView, name: str, port: PortView) -> Iterator[Fault]:
    place = Place(device.record.name, name)
    users = list(_using(device.record, name))
    is_soft = bool(users) and all(one.driver == SOFT_DRIVER for one in users)
    missing = (one for one in _of_port(port.policy, port.record) if not is_soft or one != "trust")
    yield from _faults(device, missing, place)
    for rdma in users if not is_soft else ():
        yield from _faults(device, _of_rdma(port.policy, rdma), rdma_place(place.device, rdma))


def _using(device: Device, port: str) -> Iterator[RdmaDevice]:
    return (rdma for rdma in device.rdma.values() if port in rdma.ports)


def _of_port(policy: PolicyView, port: Port) -> Iterator[str]:
    for fact, is_said in OF_QOS.items():
        if getattr(port.qos, fact) is UNKNOWN and is_said(policy):
            yield fact
    if port.ip_mtu is UNKNOWN and port.l2_mtu is UNKNOWN and _says_mtu(policy):
        yield "ip_mtu"


def _of_rdma(policy: PolicyView, rdma: RdmaDevice) -> Iterator[str]:
    for fact, is_said in OF_CONTROL.items():
        if getattr(rdma.congestion_control, fact) is UNKNOWN and is_said(policy):
            yield fact
    for fact, is_said in OF_RDMA.items():
        if getattr(rdma, fact) is UNKNOWN and is_said(policy):
            yield fact


def _faults(device: DeviceView, missing: Iterator[str], place: Place) -> Iterator[Fault]:
    for fact in missing:
        yield Fault(device, (fact,), f"{fact} is set", "not set", places=(place,))
