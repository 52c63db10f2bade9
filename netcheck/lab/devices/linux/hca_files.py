"""Files below /sys/class/infiniband of a port on InfiniBand.

Source: torvalds/linux Documentation/ABI/stable/sysfs-class-infiniband and
    drivers/infiniband/core/sysfs.c (names, and which attribute of the port each shows).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from netcheck.lab.devices.files import DeviceFileError, MadeUp
from netcheck.lab.devices.linux.counters import LIFESPAN_MS, hw_counter_names
from netcheck.lab.devices.linux.hca import Hca, grouped

KEY_SLOTS, GID_SLOTS = 64, 16
STATES = {1: "DOWN", 2: "INIT", 3: "ARMED", 4: "ACTIVE"}
# File, counter of infiniband-diags, and bits it can hold.
COUNTERS = (
    ("VL15_dropped", "VL15Dropped", 16),
    ("excessive_buffer_overrun_errors", "ExcessiveBufferOverrunErrors", 4),
    ("link_downed", "LinkDownedCounter", 8),
    ("link_error_recovery", "LinkErrorRecoveryCounter", 8),
    ("local_link_integrity_errors", "LocalLinkIntegrityErrors", 4),
    ("multicast_rcv_packets", "PortMulticastRcvPkts", 64),
    ("multicast_xmit_packets", "PortMulticastXmitPkts", 64),
    ("port_rcv_constraint_errors", "PortRcvConstraintErrors", 8),
    ("port_rcv_data", "PortRcvData", 64),
    ("port_rcv_errors", "PortRcvErrors", 16),
    ("port_rcv_packets", "PortRcvPkts", 64),
    ("port_rcv_remote_physical_errors", "PortRcvRemotePhysicalErrors", 16),
    ("port_rcv_switch_relay_errors", "PortRcvSwitchRelayErrors", 16),
    ("port_xmit_constraint_errors", "PortXmitConstraintErrors", 8),
    ("port_xmit_data", "PortXmitData", 64),
    ("port_xmit_discards", "PortXmitDiscards", 16),
    ("port_xmit_packets", "PortXmitPkts", 64),
    ("port_xmit_wait", "PortXmitWait", 32),
    ("symbol_error", "SymbolErrorCounter", 16),
    ("unicast_rcv_packets", "PortUnicastRcvPkts", 64),
    ("unicast_xmit_packets", "PortUnicastXmitPkts", 64),
)
# What a queue pair's end counts, in place of the port.
CONGESTION = ("np_", "rp_", "roce_", "rx_icrc")


def files(hca: Hca) -> Iterator[tuple[str, MadeUp]]:
    """Give every made-up file of one port with its path."""
    base = f"/sys/class/infiniband/{hca.name}"
    yield f"{base}/fw_ver", MadeUp(lambda: "28.43.3608\n")
    yield f"{base}/hca_type", MadeUp(lambda: "MT4129\n")
    yield f"{base}/node_type", MadeUp(lambda: "1: CA\n")
    yield f"{base}/node_guid", MadeUp(lambda: grouped(f"{hca.node_guid:016x}") + "\n")
    yield f"{base}/sys_image_guid", MadeUp(lambda: grouped(f"{hca.node_guid:016x}") + "\n")
    yield from _port(hca, f"{base}/ports/{hca.number}")


def _port(hca: Hca, port: str) -> Iterator[tuple[str, MadeUp]]:
    yield f"{port}/link_layer", MadeUp(lambda: "InfiniBand\n")
    yield f"{port}/rate", MadeUp(lambda: f"{hca.state.rate}\n")
    yield f"{port}/state", MadeUp(lambda: f"{hca.state.state}: {STATES[hca.state.state]}\n")
    yield f"{port}/phys_state", MadeUp(lambda: f"{physical(hca)}\n")
    yield f"{port}/lid", MadeUp(lambda: f"{hca.state.lid:#x}\n")
    yield f"{port}/sm_lid", MadeUp(lambda: f"{hca.state.sm_lid:#x}\n")
    yield f"{port}/sm_sl", MadeUp(lambda: "0\n")
    yield f"{port}/lid_mask_count", MadeUp(lambda: f"{hca.state.lmc}\n")
    for slot in range(KEY_SLOTS):
        yield f"{port}/pkeys/{slot}", MadeUp(_key(hca, slot))
    for slot in range(GID_SLOTS):
        yield f"{port}/gids/{slot}", MadeUp(_gid(hca, slot))
        yield f"{port}/gid_attrs/types/{slot}", MadeUp(_gid_type(slot))
    for name, counter, bits in COUNTERS:
        yield f"{port}/counters/{name}", MadeUp(_counter(hca, counter, (1 << bits) - 1))
    for name in hw_counter_names():
        if not name.startswith(CONGESTION):
            yield f"{port}/hw_counters/{name}", MadeUp(_hw_counter(hca, name))


def physical(hca: Hca) -> str:
    """Physical state as the kernel writes it."""
    return "5: LinkUp" if hca.state.state > 1 else "2: Polling"


def _key(hca: Hca, slot: int) -> Callable[[], str]:
    def read() -> str:
        keys = hca.state.pkeys
        return f"{keys[slot] if slot < len(keys) else 0:#06x}\n"

    return read


def _gid(hca: Hca, slot: int) -> Callable[[], str]:
    return lambda: (grouped("0" * 32) if slot else hca.gid) + "\n"


def _gid_type(slot: int) -> Callable[[], str]:
    def read() -> str:
        if slot:
            raise DeviceFileError("Invalid argument")
        return "IB/RoCE v1\n"

    return read


def _counter(hca: Hca, name: str, most: int) -> Callable[[], str]:
    return lambda: f"{min(hca.state.counters.get(name, 0), most)}\n"


def _hw_counter(hca: Hca, name: str) -> Callable[[], str]:
    if name == "lifespan":
        return lambda: f"{LIFESPAN_MS}\n"
    return lambda: f"{hca.state.counters.get(name, 0)}\n"
