"""Read-only commands of a Linux host, by fact; mlx5 adapters unless others are said.

One fact has one source here: a second reader of the same settings (``dcb``
beside ``mlnx_qos``) costs time and proves nothing, so it is allowed but not
asked. Files below /sys are read by ``grep -rH .``, one line a file. What only
root may read (rdma_cm settings, lldpd's socket) is read by sudo.
"""

from __future__ import annotations

import re
from functools import cache

from netcheck.model.device import Device, LinkLayer, Role
from netcheck.model.document import DocumentKind
from netcheck.model.known import is_known
from netcheck.platforms.platform import Command

DRIVER = "mlx5"
SERVICE = "netcheck-roce@.service"
SCRIPT_FOLDER = "/etc/netcheck/roce"
SERVICE_PATH = f"/etc/systemd/system/{SERVICE}"
UDEV_PATH = "/etc/udev/rules.d/90-netcheck-roce.rules"
OWN_BLOCK = "# netcheck begin"  # opens our part of a file that others write to, too
NCCL_PATH = "/etc/nccl.conf"
PROFILE_PATH = "/etc/profile.d/netcheck-roce.sh"

_CONFIG, _STATE, _COUNTERS = DocumentKind.CONFIG, DocumentKind.STATE, DocumentKind.COUNTERS

BOOT_ID = Command("cat /proc/sys/kernel/random/boot_id", "boot_id.txt", _COUNTERS)
_HOST = (
    # Counters mean nothing without these two: which boot, and whose port.
    BOOT_ID,
    Command("rdma -j link show", "rdma_link.json", _COUNTERS),
    Command("sudo lldpctl -f json", "lldpctl.json", _STATE, may_fail=True),
    Command("pgrep -c -x lldpad || true", "lldpad.txt", _STATE),
    Command(
        "cat /sys/devices/system/cpu/cpu0/cpufreq/scaling_governor",
        "governor.txt",
        _STATE,
        may_fail=True,
    ),
    Command(f"cat {NCCL_PATH}", "nccl.conf", _CONFIG, may_fail=True),
    Command(f"cat {PROFILE_PATH}", "netcheck-roce.profile.sh", _CONFIG, may_fail=True),
)

_PORT = (
    Command(f"cat {SCRIPT_FOLDER}/{{port}}.sh", "{port}.sh", _CONFIG, may_fail=True),
    Command("mlnx_qos -i {port}", "mlnx_qos_{port}.txt", _STATE),
    Command("ethtool {port}", "ethtool_{port}.txt", _STATE),
    Command("ethtool -a {port}", "ethtool_a_{port}.txt", _STATE),
    Command("grep -rH . /sys/class/net/{port}/ecn", "ecn_{port}.txt", _STATE, may_fail=True),
    Command(
        "grep -H . /sys/class/net/{port}/device/current_link_speed"
        " /sys/class/net/{port}/device/current_link_width",
        "pcie_{port}.txt",
        _STATE,
        may_fail=True,
    ),
    Command(
        "systemctl is-enabled netcheck-roce@{port}.service 2>&1 || true",
        "enabled_{port}.txt",
        _STATE,
    ),
    Command("ip -j -s link show dev {port}", "ip_link_{port}.json", _COUNTERS),
    Command("ethtool -S {port}", "ethtool_S_{port}.txt", _COUNTERS),
)

_RDMA = (
    Command("ibv_devinfo -d {rdma}", "ibv_devinfo_{rdma}.txt", _STATE),
    # Unused entries of gid_attrs answer with an error, which is their normal state.
    Command(
        "grep -rsH . /sys/class/infiniband/{rdma}/ports/1/gids"
        " /sys/class/infiniband/{rdma}/ports/1/gid_attrs || true",
        "gids_{rdma}.txt",
        _STATE,
    ),
    Command(
        "cat /sys/class/infiniband/{rdma}/tc/1/traffic_class",
        "traffic_class_{rdma}.txt",
        _STATE,
        may_fail=True,
    ),
    Command("sudo cma_roce_tos -d {rdma} -p 1", "cma_roce_tos_{rdma}.txt", _STATE, may_fail=True),
    Command("sudo cma_roce_mode -d {rdma} -p 1", "cma_roce_mode_{rdma}.txt", _STATE, may_fail=True),
    Command(
        "grep -rH . /sys/class/infiniband/{rdma}/ports/1/hw_counters",
        "hw_counters_{rdma}.txt",
        _COUNTERS,
    ),
)

# Of an InfiniBand adapter; SM hosts have them as well. Keys are of use when it is measured.
ADAPTER = tuple(
    Command(
        f"grep -rH . /sys/class/infiniband/{{hca}}/ports/1/{folder}",
        f"{folder}_{{hca}}.txt",
        kind,
    )
    for folder, kind in (("pkeys", _STATE), ("counters", _COUNTERS), ("hw_counters", _COUNTERS))
)
_MLX5_ONLY = frozenset({"mlnx_qos_{port}.txt", "ecn_{port}.txt", "traffic_class_{rdma}.txt"})
# Adapters of other drivers: what the kernel itself knows of DCB.
_DCB = tuple(
    Command(f"dcb -j {name} show dev {{port}}", f"dcb_{name}_{{port}}.json", _STATE, may_fail=True)
    for name in ("pfc", "ets", "app", "dcbx")
)
# A driver without counters of its own by priority, and without a NIC's other settings.
SOFT_DRIVER = "rxe"
_NO_SOFT = frozenset({"ethtool_a_{port}.txt", "ethtool_S_{port}.txt", "pcie_{port}.txt"})
_SOFT = (
    Command("tc -s -j filter show dev {port} ingress", "tc_ingress_{port}.json", _COUNTERS),
    Command("tc -s -j filter show dev {port} egress", "tc_egress_{port}.json", _COUNTERS),
)
# A Linux machine that forwards: queueing disciplines are its queues.
_SWITCH = (
    BOOT_ID,
    Command("ip -j -s link show dev {port}", "ip_link_{port}.json", _COUNTERS),
    Command("tc -s -j qdisc show dev {port}", "tc_qdisc_{port}.json", _COUNTERS),
)

# What apply has to see beside the above, and what a person may want to read.
_OWNED = (
    Command(f"cat {SERVICE_PATH}", SERVICE, _CONFIG, may_fail=True),
    Command(f"cat {UDEV_PATH}", "90-netcheck-roce.rules", _CONFIG, may_fail=True),
)
SCRIPTS = Command(f"ls {SCRIPT_FOLDER}", "roce_scripts.txt", _CONFIG, may_fail=True)
# Shared with others, so every byte of it counts: a terminal would change line ends.
NCCL_BYTES = Command(f"base64 {NCCL_PATH}", "nccl.conf.base64", _CONFIG, may_fail=True)

_ALSO_ALLOWED = (
    "mlnx_qos -i {port} -a",
    "lldpctl -f json",
    "cma_roce_tos -d {rdma} -p 1",
    "cma_roce_mode -d {rdma} -p 1",
    "dcb -j pfc show dev {port}",
    "dcb -s -j pfc show dev {port}",
    "dcb -j ets show dev {port}",
    "dcb -j app show dev {port}",
    "dcb -j buffer show dev {port}",
    "dcb -j maxrate show dev {port}",
    "dcb -j dcbx show dev {port}",
    "ethtool -i {port}",
    "ip -j link show dev {port}",
    "ip -s link show dev {port}",
    "rdma link show",
    "rdma -j statistic show",
    "rdma -j statistic show link {rdma}/1",
    "ibv_devinfo -v -d {rdma}",
    "show_gids",
    "cat /etc/os-release",
    "hostname",
)


def commands(device: Device) -> tuple[Command, ...]:
    """Read-only commands, in order; ``{port}``, ``{rdma}`` and ``{hca}`` are left in.

    The counters come last, so that they are read close together.
    """
    if is_known(device.role) and device.role is not Role.HOST:
        return _SWITCH
    drivers = {rdma.driver for rdma in device.rdma.values() if is_known(rdma.driver)}
    every: tuple[Command, ...] = (*_HOST, *_PORT, *_RDMA)
    if drivers and DRIVER not in drivers:
        every = (*_HOST, *_DCB, *(one for one in (*_PORT, *_RDMA) if one.file not in _MLX5_ONLY))
    if drivers == {SOFT_DRIVER}:
        every = (*(one for one in every if one.file not in _NO_SOFT), *_SOFT)
    if any(rdma.link_layer is LinkLayer.INFINIBAND for rdma in device.rdma.values()):
        every = (*every, *(one for one in ADAPTER if one.kind is _COUNTERS))
    return tuple(sorted(every, key=lambda command: command.kind is _COUNTERS))


def held_files(device: Device) -> tuple[Command, ...]:
    """Commands that show the files netcheck owns or has a part in, and the live DCB state."""
    whole = (*_HOST, *_PORT)
    configs = [one for one in whole if one.kind is _CONFIG and one.file != "nccl.conf"]
    live = [command for command in commands(device) if command.file in LIVE]
    return (*configs, *_OWNED, SCRIPTS, NCCL_BYTES, *live)


LIVE = frozenset(
    {
        "mlnx_qos_{port}.txt",
        "ethtool_a_{port}.txt",
        "ecn_{port}.txt",
        "enabled_{port}.txt",
        "ip_link_{port}.json",
        "traffic_class_{rdma}.txt",
        "cma_roce_tos_{rdma}.txt",
        "cma_roce_mode_{rdma}.txt",
        *(command.file for command in _DCB),
    }
)


@cache
def _allowed() -> re.Pattern[str]:
    every = (*_HOST, *_PORT, *_RDMA, *ADAPTER, *_SOFT, *_SWITCH, *_OWNED, SCRIPTS, NCCL_BYTES)
    lines = [command.line for command in every]
    patterns = [
        re.sub(r"\\\{(?:port|rdma|hca)\\\}", "%", re.escape(line))
        for line in (*lines, *_ALSO_ALLOWED)
    ]
    # Names as the kernel allows them, minus what a shell would read.
    name = r"[A-Za-z0-9_][A-Za-z0-9_.:-]*"
    return re.compile("|".join(pattern.replace("%", name) for pattern in patterns))


def is_read_only(line: str) -> bool:
    """Whether a command line is on the allow-list, with any port and RDMA device names.

    Example:
        >>> is_read_only("mlnx_qos -i rail0")
        True
        >>> is_read_only("mlnx_qos -i rail0 --pfc 0,0,0,0,0,0,0,0")
        False
    """
    return _allowed().fullmatch(line) is not None
