"""Gives the files a host takes: a script for each port, one unit, a udev rule, job settings."""

from __future__ import annotations

import shlex
from collections.abc import Container, Mapping
from dataclasses import field
from functools import cache, lru_cache
from typing import TYPE_CHECKING

from netcheck.model.device import CongestionControl, Device, LinkLayer, Port, RdmaDevice
from netcheck.model.errors import RefusalError
from netcheck.model.fabric import Fabric
from netcheck.model.frozen import frozen
from netcheck.model.frozenmap import FrozenMap
from netcheck.model.known import UNKNOWN, Known, is_known, known_or
from netcheck.model.qos import DcbxMode, PortQos, Scheduler, SchedulerKind
from netcheck.platforms.linux.commands import (
    OWN_BLOCK,
    SCRIPT_FOLDER,
    SERVICE,
    SOFT_DRIVER,
)
from netcheck.platforms.linux.dcb_lines import dcb_lines
from netcheck.platforms.linux.quirks import PRIORITIES
from netcheck.platforms.linux.refuse import bare, refusals_of, users_of
from netcheck.platforms.platform import Refusal
from netcheck.platforms.templates import templates_of

if TYPE_CHECKING:
    from jinja2 import Environment

NCCL_FILE = "nccl.conf"
PROFILE_FILE = "netcheck-roce.profile.sh"
UDEV_FILE = "90-netcheck-roce.rules"
BLOCK_BEGIN = OWN_BLOCK
BLOCK_END = "# netcheck end"
_GBPS = 10**9
_HELD = 2048  # texts that are kept because the next host may need them as well
_ANY_DEVICE = "\0"  # stands for the host's name, and is in no name
_DCBX = {DcbxMode.DISABLED: "os", DcbxMode.HOST: "os", DcbxMode.FIRMWARE: "fw"}
_KINDS = {
    SchedulerKind.STRICT: "strict",
    SchedulerKind.WEIGHTED: "ets",
    SchedulerKind.VENDOR: "vendor",
}


@frozen
class Section:
    """Commands of one topic."""

    title: str
    lines: list[str] = field(default_factory=list)


@cache
def _templates() -> Environment:
    return templates_of("linux", quoted=shlex.quote)


def rdma_ports(device: Device) -> dict[str, Port]:
    """Give the Ethernet ports that an RDMA device uses, by name."""
    used = {
        name
        for rdma in device.rdma.values()
        for name in rdma.ports
        if rdma.link_layer is not LinkLayer.INFINIBAND
    }
    return {name: port for name, port in sorted(device.ports.items()) if name in used}


def refusals(device: Device, fabric: Fabric) -> list[Refusal]:
    """Everything in the device's policy that the adapter cannot express."""
    del fabric
    return list(refusals_of(device, rdma_ports(device)))


def render(device: Device, fabric: Fabric) -> Mapping[str, str]:
    """Give ``file name -> text``, byte-stable.

    Raises:
        RefusalError: The policy asks for something the adapter cannot express.
    """
    refused = refusals(device, fabric)
    if refused:
        lines = [f"{one.place}: {one.reason} (limit {one.limit})" for one in refused]
        raise RefusalError(refused[0].limit, "\n".join(lines))
    ports = rdma_ports(device)
    users = users_of(device)
    files = {f"{name}.sh": _named(device, port, users[name]) for name, port in ports.items()}
    if ports:
        files[SERVICE] = _service()
        files[UDEV_FILE] = _udev(_pairs(device, ports))
    if is_known(device.host.environment):
        files |= _job_files(device.host.environment)
    return files


def _text(template: str, **values: object) -> str:
    return _templates().get_template(template).render(values)


@cache
def _service() -> str:
    return _text("service.j2", folder=SCRIPT_FOLDER)


@lru_cache(maxsize=_HELD)
def _udev(pairs: tuple[tuple[str, str], ...]) -> str:
    return _text("udev.j2", folder=SCRIPT_FOLDER, pairs=pairs)


def _pairs(device: Device, ports: Container[str]) -> tuple[tuple[str, str], ...]:
    return tuple(
        (name, port)
        for name in sorted(device.rdma)
        for port in device.rdma[name].ports
        if port in ports
    )


@lru_cache(maxsize=_HELD)
def _job_files(variables: FrozenMap[str, str]) -> Mapping[str, str]:
    nccl = sorted((name, value) for name, value in variables.items() if name.startswith("NCCL_"))
    others = sorted((n, value) for n, value in variables.items() if not n.startswith("NCCL_"))
    marks = {"begin": BLOCK_BEGIN, "end": BLOCK_END}
    files = {NCCL_FILE: _text("nccl.conf.j2", variables=nccl, **marks)}
    return {**files, PROFILE_FILE: _text("profile.sh.j2", variables=others)} if others else files


def script_of(device: Device, port: Port) -> str:
    """Give the script that sets one port and the RDMA devices that use it."""
    return _named(device, port, users_of(device).get(port.name, ()))


def _named(device: Device, port: Port, users: tuple[RdmaDevice, ...]) -> str:
    return _script(bare(port), users).replace(_ANY_DEVICE, device.name)


@lru_cache(maxsize=_HELD)
def _script(port: Port, devices: tuple[RdmaDevice, ...]) -> str:
    """Give the script of a port, the same on every host of a kind but for the host's name."""
    sections = [section for section in _sections(port, devices) if section.lines]
    return _text(
        "port.sh.j2",
        device=_ANY_DEVICE,
        port=port.name,
        rdma=[rdma.name for rdma in devices],
        sections=sections,
    )


def _sections(port: Port, devices: tuple[RdmaDevice, ...]) -> list[Section]:
    """Give the commands in an order that adapters accept.

    Pause for the whole link goes before PFC, which excludes it; the MTU goes
    before PFC, because headroom follows from it; sizes of buffers go before
    priorities move into them.
    """
    qos = port.qos
    if {one.driver for one in devices} == {SOFT_DRIVER}:
        title = "DCB; the tool may fail when the clock's second changes"
        return [Section("MTU", _mtu(port)), Section(title, dcb_lines(port.name, qos))]
    mlnx = f"mlnx_qos -i {port.name}"
    return [
        Section("MTU", _mtu(port)),
        Section("Pause for the whole link; old tools fail when nothing changes", _pause(port)),
        Section("Who decides, and which mark counts", _words(mlnx, qos)),
        Section("PFC, and the cable length in metres", _pfc(mlnx, port)),
        Section("Priorities: queues and DSCPs", _maps(mlnx, qos)),
        Section("Queues", _schedulers(mlnx, qos)),
        Section("Receive buffers", _buffers(mlnx, qos)),
        Section("DCQCN", _congestion(port.name, devices)),
        Section("Marks of RDMA traffic", [line for rdma in devices for line in _marks(rdma)]),
    ]


def _mtu(port: Port) -> list[str]:
    return [f"ip link set dev {port.name} mtu {port.ip_mtu}"] if is_known(port.ip_mtu) else []


def _pause(port: Port) -> list[str]:
    settings = (("rx", port.qos.global_pause_rx), ("tx", port.qos.global_pause_tx))
    said = " ".join(
        f"{name} {'on' if value else 'off'}" for name, value in settings if is_known(value)
    )
    return [f"ethtool -A {port.name} {said} || true"] if said else []


def _words(mlnx: str, qos: PortQos) -> list[str]:
    lines = [f"{mlnx} --dcbx {_DCBX[qos.dcbx_mode]}"] if is_known(qos.dcbx_mode) else []
    return [*lines, f"{mlnx} --trust {qos.trust}"] if is_known(qos.trust) else lines


def _pfc(mlnx: str, port: Port) -> list[str]:
    """Cable length and PFC go in one command where both are known.

    They are one message to the driver: some versions of the tool send 0 for
    the one that is not given.
    Source: Mellanox/mlnx-tools python/mlnx_qos, set_ieee_pfc.
    """
    words = []
    if is_known(port.cable_m):
        words.append(f"--cable_len {port.cable_m}")
    pfc = port.qos.pfc_rx
    if is_known(pfc):
        words.append("--pfc " + ",".join("1" if n in pfc else "0" for n in range(PRIORITIES)))
    return [" ".join([mlnx, *words])] if words else []


def _maps(mlnx: str, qos: PortQos) -> list[str]:
    lines = []
    if is_known(qos.priority_to_queue):
        lines.append(f"{mlnx} --prio_tc {_eight(qos.priority_to_queue)}")
    if is_known(qos.dscp_to_priority):
        lines += _dscps(mlnx, qos.dscp_to_priority)
    return lines


@lru_cache(maxsize=_HELD)
def _dscps(mlnx: str, dscps: FrozenMap[int, int]) -> tuple[str, ...]:
    """Set the DSCPs of one priority with one command: each start of the tool takes a while."""
    by_priority: dict[int, list[int]] = {}
    for dscp, priority in sorted(dscps.items()):
        by_priority.setdefault(priority, []).append(dscp)
    return tuple(
        " ".join([mlnx, *(f"--dscp2prio set,{dscp},{priority}" for dscp in listed)])
        for priority, listed in sorted(by_priority.items())
    )


def _eight(entries: Mapping[int, int]) -> str:
    return ",".join(str(entries[n]) for n in range(PRIORITIES))


def _schedulers(mlnx: str, qos: PortQos) -> list[str]:
    if not is_known(qos.scheduler):
        return []
    # A queue that no priority uses still needs a word; it carries nothing. What an adapter held
    # may have had a share there, which is not shown, and without which the kernel refuses the rest.
    # Source: torvalds/linux drivers/net/ethernet/mellanox/mlx5/core/en_dcbnl.c (BW sum != 100).
    said = qos.scheduler.values()
    shares = [one.weight_percent for one in said if one.kind is SchedulerKind.WEIGHTED]
    rest = 100 - sum(share for share in shares if is_known(share))
    first = next((n for n in range(PRIORITIES) if n not in qos.scheduler), None)
    spare = {first: Scheduler(SchedulerKind.WEIGHTED, rest)} if shares and rest > 0 else {}
    unused = Scheduler(SchedulerKind.STRICT)
    queues = [qos.scheduler.get(n, spare.get(n, unused)) for n in range(PRIORITIES)]
    kinds = ",".join(_KINDS[one.kind] for one in queues)
    weights = ",".join(
        str(known_or(one.weight_percent, 0) if one.kind is SchedulerKind.WEIGHTED else 0)
        for one in queues
    )
    lines = [f"{mlnx} --tsa {kinds} --tcbw {weights}"]
    if any(one.shaper_bps is not UNKNOWN for one in qos.scheduler.values()):
        rates = ",".join(str(known_or(one.shaper_bps, 0) // _GBPS) for one in queues)
        lines.append(f"{mlnx} --ratelimit {rates}")
    return lines


def _buffers(mlnx: str, qos: PortQos) -> list[str]:
    lines = []
    if is_known(qos.ingress_buffer):
        sizes = [qos.ingress_buffer[n].size_bytes for n in range(PRIORITIES)]
        lines.append(f"{mlnx} --buffer_size {','.join(map(str, sizes))}")
    if is_known(qos.priority_to_priority_group):
        lines.append(f"{mlnx} --prio2buffer {_eight(qos.priority_to_priority_group)}")
    return lines


def _congestion(port: str, devices: tuple[RdmaDevice, ...]) -> list[str]:
    said = [one.congestion_control for one in devices]
    control = next((one for one in said if one != CongestionControl()), CongestionControl())
    folder = f"/sys/class/net/{port}/ecn"
    marks = (("cnp_dscp", control.cnp_dscp), ("cnp_802p_prio", control.cnp_pcp))
    return [
        *_switches(f"{folder}/roce_np/enable", control.notification_point),
        *_switches(f"{folder}/roce_rp/enable", control.reaction_point),
        *(f"echo {value} > {folder}/roce_np/{name}" for name, value in marks if is_known(value)),
    ]


def _switches(folder: str, priorities: Known[frozenset[int]]) -> list[str]:
    if not is_known(priorities):
        return []
    return [f"echo {int(n in priorities)} > {folder}/{n}" for n in range(PRIORITIES)]


def _marks(rdma: RdmaDevice) -> list[str]:
    lines = []
    if is_known(rdma.rdma_cm_roce_v2):
        lines.append(f"cma_roce_mode -d {rdma.name} -p 1 -m {2 if rdma.rdma_cm_roce_v2 else 1}")
    if is_known(rdma.rdma_cm_tos):
        lines.append(f"cma_roce_tos -d {rdma.name} -p 1 -t {rdma.rdma_cm_tos}")
    if is_known(rdma.traffic_class):
        path = f"/sys/class/infiniband/{rdma.name}/tc/1/traffic_class"
        lines.append(f"echo {rdma.traffic_class} > {path}")
    return lines
