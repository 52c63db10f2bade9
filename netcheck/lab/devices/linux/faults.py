"""What faults do to a Linux host: settings of its adapters."""

from __future__ import annotations

from netcheck.lab.devices.device import SimulatedDevice
from netcheck.lab.devices.linux.adapter import Adapter
from netcheck.lab.devices.linux.host import LinuxHost
from netcheck.lab.fault_changes import Change, Done, FaultError, Values


def _adapter(device: SimulatedDevice, port: str) -> Adapter:
    if not isinstance(device, LinuxHost) or port not in device.adapters:
        raise FaultError(f"{device.name} {port}: the fault is for RDMA ports of hosts")
    return device.adapters[port]


def _trust(device: SimulatedDevice, port: str, values: Values) -> Done:
    adapter = _adapter(device, port)
    before = (adapter.trust, dict(adapter.dscp_entries))

    def undo() -> None:
        adapter.trust, adapter.dscp_entries = before[0], dict(before[1])

    adapter.trust, adapter.dscp_entries = str(values["trust"]), {}
    says = f"{device.name} {port} mlnx_qos --trust: {adapter.trust} (was {before[0]})"
    return Done(says, undo)


def _cnp(device: SimulatedDevice, port: str, values: Values) -> Done:
    adapter = _adapter(device, port)
    was = adapter.cnp_dscp

    def undo() -> None:
        adapter.cnp_dscp = was

    adapter.cnp_dscp = int(values["dscp"])
    says = f"{device.name} {port} ecn/roce_np/cnp_dscp: {adapter.cnp_dscp} (was {was})"
    return Done(says, undo)


CHANGES: dict[str, Change] = {"trust": _trust, "cnp": _cnp}
