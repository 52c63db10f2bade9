"""Says what a host's policy asks for that the adapter cannot do, by the limit's name."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from functools import lru_cache

from netcheck.lossless.headroom import nic_headroom_bytes
from netcheck.model.device import CongestionControl, Device, LinkLayer, Port, RdmaDevice
from netcheck.model.frozenmap import FrozenMap
from netcheck.model.known import UNKNOWN, Known, is_known
from netcheck.model.qos import Buffer, DcbxMode, PfcMode, PortQos, SchedulerKind, Trust
from netcheck.platforms.capabilities import capabilities
from netcheck.platforms.linux.commands import DRIVER, SOFT_DRIVER
from netcheck.platforms.linux.quirks import (
    PRIORITIES,
    buffer_cell_bytes,
    identity_map,
    largest_frame_bytes,
)
from netcheck.platforms.platform import Refusal

# No dash: systemd reads it as a slash in the name of an instance.
_NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.]*")
_VARIABLE = re.compile(r"[A-Za-z_]\w*")
_VALUE = re.compile(r"[^\s\"'`$\\;&|<>#()](?:[^\n\"'`$\\;&|<>#()]*[^\s\"'`$\\;&|<>#()])?|")
_GBPS = 10**9
RENDERED = frozenset({DRIVER, SOFT_DRIVER})
ETHERNET_BYTES = 14  # header without a VLAN tag

# Facts of a port for which the adapter has no knob, and the limit that says so.
_NO_KNOB = {
    "watchdog": "watchdog",
    "ecn": "ecn-marking",
    "egress_buffer": "egress-buffer",
    "remark_dscp": "remarking",
    "remark_pcp": "remarking",
    "mtu_by_priority": "mtu-by-priority",
    "pfc_priority_to_queue": "pfc-maps",
    "pfc_priority_to_priority_group": "pfc-maps",
}


def refusals_of(device: Device, ports: Mapping[str, Port]) -> Iterator[Refusal]:
    """Give everything in the device's policy that cannot be expressed."""
    users = users_of(device)
    for port in ports.values():
        place = f"{device.name} {port.name}"
        if not _is_clean(bare(port)):
            yield from _refuse_port(place, port)
        yield from _refuse_shared(place, users[port.name])
    for rdma in device.rdma.values():
        if not _is_rdma_clean(rdma):
            yield from _refuse_rdma(f"{device.name} {rdma.name}", rdma)
    yield from _refuse_environment(device)


def bare(port: Port) -> Port:
    """Give a port with no more than what its script and its refusals follow from.

    Hosts of one kind have many such ports that are equal: their addresses are gone.
    """
    return Port(
        port.name,
        speed_bps=port.speed_bps,
        l2_mtu=port.l2_mtu,
        ip_mtu=port.ip_mtu,
        cable_m=port.cable_m,
        qos=port.qos,
    )


def users_of(device: Device) -> dict[str, tuple[RdmaDevice, ...]]:
    """Give ``port -> the RDMA devices that use it``, by name."""
    users: dict[str, tuple[RdmaDevice, ...]] = {}
    for name in sorted(device.rdma):
        for port in device.rdma[name].ports:
            users[port] = (*users.get(port, ()), device.rdma[name])
    return users


@lru_cache(maxsize=4096)
def _is_clean(port: Port) -> bool:
    """Nothing of it is refused; many hosts have a port like it."""
    return next(_refuse_port("", port), None) is None


@lru_cache(maxsize=4096)
def _is_rdma_clean(rdma: RdmaDevice) -> bool:
    return next(_refuse_rdma("", rdma), None) is None


def _refusal(limit: str, place: str, found: object) -> Refusal:
    return capabilities("linux").limit(limit).refusal(place, found)


def _bounded(limit: str, place: str, value: Known[int]) -> Iterator[Refusal]:
    if is_known(value) and not capabilities("linux").limit(limit).permits(value):
        yield _refusal(limit, place, value)


def _refuse_port(place: str, port: Port) -> Iterator[Refusal]:
    if not _NAME.fullmatch(port.name):
        yield _refusal("name", place, port.name)
    yield from _refuse_lengths(place, port)
    if not _is_policy_clean(port.qos):
        for check in _QOS_CHECKS:
            yield from check(place, port.qos)
    yield from _refuse_buffers(place, port)


def _refuse_lengths(place: str, port: Port) -> Iterator[Refusal]:
    yield from _bounded("cable-length", f"{place} cable_m", port.cable_m)
    yield from _bounded("mtu", f"{place} ip_mtu", port.ip_mtu)
    if is_known(port.l2_mtu):
        room = port.l2_mtu - ETHERNET_BYTES
        if not is_known(port.ip_mtu) or port.ip_mtu > room:
            yield _refusal("mtu-layers", place, f"ip_mtu {port.ip_mtu}, l2_mtu {port.l2_mtu}")


def _refuse_words(place: str, qos: PortQos) -> Iterator[Refusal]:
    if is_known(qos.trust) and qos.trust not in {Trust.DSCP, Trust.PCP}:
        yield _refusal("trust", f"{place} trust", qos.trust)
    modes = {DcbxMode.DISABLED, DcbxMode.HOST, DcbxMode.FIRMWARE}
    if is_known(qos.dcbx_mode) and qos.dcbx_mode not in modes:
        yield _refusal("dcbx-mode", f"{place} dcbx_mode", qos.dcbx_mode)
    for name, limit in _NO_KNOB.items():
        if is_known(getattr(qos, name)):
            yield _refusal(limit, f"{place} {name}", "a value")


def _refuse_pfc(place: str, qos: PortQos) -> Iterator[Refusal]:
    if qos.pfc_rx != qos.pfc_tx:
        yield _refusal("pfc-directions", place, f"rx {_set(qos.pfc_rx)}, tx {_set(qos.pfc_tx)}")
    pfc = qos.pfc_rx
    for priority in sorted(pfc) if is_known(pfc) else ():
        yield from _bounded("priority", f"{place} pfc", priority)
    if is_known(qos.pfc_mode) and (not is_known(pfc) or qos.pfc_mode is not mode_of(pfc)):
        yield _refusal("pfc-mode", f"{place} pfc_mode", qos.pfc_mode)
    if is_known(pfc) and pfc and True in (qos.global_pause_rx, qos.global_pause_tx):
        yield _refusal("pfc-and-global-pause", place, "both on")


def mode_of(pfc: frozenset[int]) -> PfcMode:
    """Give the mode that a set of priorities amounts to: on where there are any."""
    return PfcMode.ON if pfc else PfcMode.OFF


def _set(values: Known[frozenset[int]]) -> str:
    return str(sorted(values)) if is_known(values) else str(values)


def _refuse_maps(place: str, qos: PortQos) -> Iterator[Refusal]:
    if is_known(qos.dscp_to_priority):
        if not qos.dscp_to_priority:
            yield _refusal("dscp-map-empty", f"{place} dscp_to_priority", "an empty map")
        if qos.trust is Trust.PCP:
            yield _refusal("trust-dscp-map", f"{place} dscp_to_priority", "a map, and trust pcp")
        for dscp, priority in qos.dscp_to_priority.items():
            yield from _bounded("dscp", f"{place} dscp_to_priority", dscp)
            yield from _bounded("priority", f"{place} dscp_to_priority {dscp}", priority)
    if is_known(qos.pcp_to_priority):
        odd = {p: to for p, to in qos.pcp_to_priority.items() if p != to}
        if odd or not qos.pcp_to_priority.keys() <= identity_map(PRIORITIES).keys():
            yield _refusal("pcp-map", f"{place} pcp_to_priority", odd)
    yield from _refuse_eight("queue", f"{place} priority_to_queue", qos.priority_to_queue)
    groups = qos.priority_to_priority_group
    yield from _refuse_eight("receive-buffer", f"{place} priority_to_priority_group", groups)


def _refuse_eight(limit: str, place: str, found: Known[FrozenMap[int, int]]) -> Iterator[Refusal]:
    if not is_known(found):
        return
    if found.keys() != set(range(PRIORITIES)):
        yield _refusal("map-complete", place, f"entries {sorted(found)}")
    for priority, value in found.items():
        yield from _bounded(limit, f"{place} {priority}", value)


def _refuse_schedulers(place: str, qos: PortQos) -> Iterator[Refusal]:
    if not is_known(qos.scheduler):
        return
    place = f"{place} scheduler"
    weights = [
        one.weight_percent for one in qos.scheduler.values() if one.kind is SchedulerKind.WEIGHTED
    ]
    queues = qos.priority_to_queue
    used = set(queues.values()) if is_known(queues) else set(range(PRIORITIES))
    if qos.scheduler.keys() != used:
        found = f"queues {sorted(qos.scheduler)}, in use {sorted(used)}"
        yield _refusal("scheduler-queues", place, found)
    for weight in weights:
        if not is_known(weight):
            yield _refusal("ets-weight", place, weight)
        yield from _bounded("ets-weight", place, weight)
    total = sum(weight for weight in weights if is_known(weight))
    if weights and total != 100:  # noqa: PLR2004 -- percent
        yield _refusal("ets-sum", place, f"{total} percent")
    rates = [one.shaper_bps for one in qos.scheduler.values()]
    is_partly_said = UNKNOWN in rates and any(is_known(rate) for rate in rates)
    odd = [rate for rate in rates if is_known(rate) and (rate % _GBPS or rate <= 0)]
    if is_partly_said or odd:
        yield _refusal("shaper", place, odd or "a rate for some of the queues")


_QOS_CHECKS: tuple[Callable[[str, PortQos], Iterator[Refusal]], ...] = (
    _refuse_words,
    _refuse_pfc,
    _refuse_maps,
    _refuse_schedulers,
)


@lru_cache(maxsize=4096)
def _is_policy_clean(qos: PortQos) -> bool:
    """Nothing of it is refused; ports of one policy share theirs, whatever they are called."""
    return not any(True for check in _QOS_CHECKS for _ in check("", qos))


def _refuse_buffers(place: str, port: Port) -> Iterator[Refusal]:
    buffers = port.qos.ingress_buffer
    if is_known(buffers) and buffers.keys() != set(range(PRIORITIES)):
        yield _refusal("map-complete", f"{place} ingress_buffer", f"entries {sorted(buffers)}")
    for group, buffer in buffers.items() if is_known(buffers) else ():
        here = f"{place} ingress_buffer {group}"
        if replace(buffer, size_bytes=UNKNOWN) != Buffer():
            yield _refusal("buffer-fields", here, "more than a size")
        if not is_known(buffer.size_bytes) or buffer.size_bytes < 0:
            yield _refusal("buffer-fields", here, f"size {buffer.size_bytes}")
    for group, least in _least_sizes(port).items():
        size = buffers[group].size_bytes if is_known(buffers) and group in buffers else UNKNOWN
        if is_known(size) and size < least:
            yield _refusal(
                "receive-buffer-size",
                f"{place} ingress_buffer {group}",
                f"{size}B, at least {least}B",
            )


def _least_sizes(port: Port) -> dict[int, int]:
    """Give the least size of each receive buffer that pauses, where it can be computed."""
    groups, pfc = port.qos.priority_to_priority_group, port.qos.pfc_rx
    if not (is_known(groups) and is_known(pfc) and is_known(port.speed_bps)):
        return {}
    if not (is_known(port.cable_m) and is_known(port.ip_mtu)):
        return {}
    room = nic_headroom_bytes(speed_bps=port.speed_bps, cable_m=port.cable_m, mtu_bytes=port.ip_mtu)
    least = room + largest_frame_bytes(port.ip_mtu) + buffer_cell_bytes()
    return {groups[priority]: least for priority in sorted(pfc & groups.keys())}


def _refuse_shared(place: str, users: tuple[RdmaDevice, ...]) -> Iterator[Refusal]:
    if len(users) == 1:
        return
    controls = {rdma.congestion_control for rdma in users} - {CongestionControl()}
    if len(controls) > 1:
        yield _refusal("congestion-control-shared", place, f"{len(controls)} settings")


def _refuse_rdma(place: str, rdma: RdmaDevice) -> Iterator[Refusal]:
    if not _NAME.fullmatch(rdma.name):
        yield _refusal("name", place, rdma.name)
    is_ethernet = rdma.link_layer is not LinkLayer.INFINIBAND
    if is_ethernet and is_known(rdma.driver) and rdma.driver not in RENDERED:
        yield _refusal("driver", f"{place} driver", rdma.driver)
    yield from _bounded("tos", f"{place} traffic_class", rdma.traffic_class)
    yield from _bounded("tos", f"{place} rdma_cm_tos", rdma.rdma_cm_tos)
    control = rdma.congestion_control
    if is_known(control.algorithm) and control.algorithm != "dcqcn":
        yield _refusal("congestion-control", f"{place} algorithm", control.algorithm)
    yield from _bounded("dscp", f"{place} cnp_dscp", control.cnp_dscp)
    yield from _bounded("priority", f"{place} cnp_pcp", control.cnp_pcp)
    for name in ("notification_point", "reaction_point"):
        found = getattr(control, name)
        for priority in sorted(found) if is_known(found) else ():
            yield from _bounded("priority", f"{place} {name}", priority)


def _refuse_environment(device: Device) -> Iterator[Refusal]:
    variables = device.host.environment
    for name, value in variables.items() if is_known(variables) else ():
        if not _VARIABLE.fullmatch(name) or not _VALUE.fullmatch(value):
            yield _refusal("environment-value", f"{device.name} environment {name}", repr(value))
