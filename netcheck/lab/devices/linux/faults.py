"""What faults do to a Linux host: settings of its adapters."""

from __future__ import annotations

from netcheck.lab.devices.device import SimulatedDevice
from netcheck.lab.devices.linux.adapter import PRIORITIES, Adapter
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


def _set(adapter: Adapter, field: str, value: object, says: str) -> Done:
    """Change one setting of an adapter."""
    was = getattr(adapter, field)
    setattr(adapter, field, value)
    return Done(says, lambda: setattr(adapter, field, was))


def _pcie(device: SimulatedDevice, port: str, values: Values) -> Done:
    """Let the slot come up with so few lanes that it carries less than half of the port's speed."""
    del values
    adapter = _adapter(device, port)
    ways = [(rate, lanes) for lanes in (8, 4, 2, 1) for rate in (32.0, 16.0, 8.0, 5.0, 2.5)]
    fit = [way for way in ways if 2e9 * way[0] * way[1] < adapter.speed_bps]
    rate, lanes = max(fit or ways[-1:], key=lambda way: way[0] * way[1])
    says = f"{device.name} {port}: PCIe came up with {lanes} lanes of {rate} GT/s"
    return _set(adapter, "pcie", (rate, lanes), says)


def _mtu(device: SimulatedDevice, port: str, values: Values) -> Done:
    adapter, mtu = _adapter(device, port), int(values["mtu"])
    return _set(adapter, "mtu", mtu, f"{device.name} {port} mtu: {mtu} (was {adapter.mtu})")


def _address(device: SimulatedDevice, port: str, values: Values) -> Done:
    del values
    adapter = _adapter(device, port)
    says = f"{device.name} {port}: address {adapter.address} removed, and with it its GIDs"
    return _set(adapter, "address", "", says)


def _traffic_class(device: SimulatedDevice, port: str, values: Values) -> Done:
    adapter, tos = _adapter(device, port), int(values["traffic_class"])
    says = f"{device.name} {adapter.rdma} tc/1/traffic_class: {tos} (was {adapter.traffic_class})"
    return _set(adapter, "traffic_class", tos, says)


def _reaction(device: SimulatedDevice, port: str, values: Values) -> Done:
    del values
    adapter = _adapter(device, port)
    says = f"{device.name} {port} ecn/roce_rp/enable: 0 on every priority"
    return _set(adapter, "reaction", [False] * PRIORITIES, says)


def _storm(device: SimulatedDevice, port: str, values: Values) -> Done:
    del values
    adapter = _adapter(device, port)
    paused = frozenset(p for p in range(PRIORITIES) if adapter.pfc[p])
    if not paused:
        raise FaultError(f"{device.name} {port}: no priority with PFC there")
    named = ",".join(map(str, sorted(paused)))
    says = f"{device.name} {port}: stuck, pauses priority {named} without end"
    return _set(adapter, "storms", paused, says)


def _pfc_off(device: SimulatedDevice, port: str, values: Values) -> Done:
    del values
    adapter = _adapter(device, port)
    was = ",".join(str(int(on)) for on in adapter.pfc)
    says = f"{device.name} {port} mlnx_qos --pfc: 0,0,0,0,0,0,0,0 (was {was})"
    return _set(adapter, "pfc", [False] * PRIORITIES, says)


CHANGES: dict[str, Change] = {
    "trust": _trust,
    "cnp": _cnp,
    "pcie": _pcie,
    "nic_mtu": _mtu,
    "nic_address": _address,
    "nic_traffic_class": _traffic_class,
    "nic_reaction": _reaction,
    "nic_storm": _storm,
    "nic_pfc_off": _pfc_off,
}
