"""Files below /sys that an mlx5 adapter has (with the OFED additions ``ecn`` and ``tc``)."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from netcheck.lab.devices.files import DeviceFileError, MadeUp
from netcheck.lab.devices.linux import counters
from netcheck.lab.devices.linux.adapter import DSCPS, EMPTY_GID, PCIE, PRIORITIES, Adapter

GID_SLOTS = 16
_REACTION_DEFAULTS = {
    "clamp_tgt_rate": "0",
    "rpg_ai_rate": "5",
    "rpg_hai_rate": "50",
    "rpg_threshold": "1",
    "rpg_time_reset": "300",
    "rpg_byte_reset": "32767",
    "initial_alpha_value": "1023",
    "rate_reduce_monitor_period": "4",
}


def files(adapter: Adapter, *, is_up: Callable[[], bool]) -> Iterator[tuple[str, MadeUp]]:
    """Give every made-up file of one adapter with its path."""
    yield from _ecn(adapter)
    yield from _net(adapter, is_up)
    yield from _infiniband(adapter, is_up)


def _ecn(adapter: Adapter) -> Iterator[tuple[str, MadeUp]]:
    base = f"/sys/class/net/{adapter.netdev}/ecn"
    for folder, switches in (("roce_rp", adapter.reaction), ("roce_np", adapter.notification)):
        for priority in range(PRIORITIES):
            yield f"{base}/{folder}/enable/{priority}", _switch(switches, priority)
    yield f"{base}/roce_np/cnp_dscp", _number(adapter, "cnp_dscp", DSCPS)
    yield f"{base}/roce_np/cnp_802p_prio", _number(adapter, "cnp_pcp", PRIORITIES)
    yield f"{base}/roce_np/min_time_between_cnps", _number(adapter, "cnp_gap_us", 4096)
    for name, value in _REACTION_DEFAULTS.items():
        yield f"{base}/roce_rp/{name}", _fixed(value)


def _fixed(value: str) -> MadeUp:
    return MadeUp(lambda: f"{value}\n")


def _switch(switches: list[bool], priority: int) -> MadeUp:
    def write(text: str) -> None:
        if text.strip() not in ("0", "1"):
            raise DeviceFileError("Invalid argument")
        switches[priority] = text.strip() == "1"

    return MadeUp(lambda: f"{int(switches[priority])}\n", write)


def _number(adapter: Adapter, name: str, high: int, *, form: str = "{}\n") -> MadeUp:
    def write(text: str) -> None:
        value = text.strip()
        if not value.isdigit() or int(value) >= high:
            raise DeviceFileError("Invalid argument")
        setattr(adapter, name, int(value))

    return MadeUp(lambda: form.format(getattr(adapter, name)), write)


def _net(adapter: Adapter, is_up: Callable[[], bool]) -> Iterator[tuple[str, MadeUp]]:
    base = f"/sys/class/net/{adapter.netdev}"
    yield f"{base}/mtu", MadeUp(lambda: f"{adapter.mtu}\n")
    yield f"{base}/address", MadeUp(lambda: f"{adapter.mac}\n")
    yield f"{base}/operstate", MadeUp(lambda: "up\n" if is_up() else "down\n")
    yield f"{base}/speed", MadeUp(lambda: f"{adapter.speed_bps // 1_000_000}\n")
    yield f"{base}/device/current_link_speed", MadeUp(lambda: f"{adapter.pcie[0]} GT/s PCIe\n")
    yield f"{base}/device/current_link_width", MadeUp(lambda: f"{adapter.pcie[1]}\n")
    yield f"{base}/device/max_link_speed", MadeUp(lambda: f"{PCIE[0]} GT/s PCIe\n")
    yield f"{base}/device/max_link_width", MadeUp(lambda: f"{PCIE[1]}\n")
    yield f"{base}/device/numa_node", MadeUp(lambda: "0\n")


def _infiniband(adapter: Adapter, is_up: Callable[[], bool]) -> Iterator[tuple[str, MadeUp]]:
    base = f"/sys/class/infiniband/{adapter.rdma}"
    port = f"{base}/ports/1"
    yield (
        f"{base}/tc/1/traffic_class",
        _number(adapter, "traffic_class", 256, form="Global tclass={}\n"),
    )
    yield f"{base}/fw_ver", MadeUp(lambda: "28.43.3608\n")
    yield f"{port}/link_layer", MadeUp(lambda: "Ethernet\n")
    yield f"{port}/state", MadeUp(lambda: "4: ACTIVE\n" if is_up() else "1: DOWN\n")
    yield f"{port}/phys_state", MadeUp(lambda: "5: LinkUp\n" if is_up() else "3: Disabled\n")
    yield f"{port}/rate", MadeUp(lambda: f"{adapter.speed_bps // 1_000_000_000} Gb/sec (4X NDR)\n")
    for index in range(GID_SLOTS):
        yield f"{port}/gids/{index}", MadeUp(_gid(adapter, index))
        yield f"{port}/gid_attrs/types/{index}", MadeUp(_gid_type(adapter, index))
        yield f"{port}/gid_attrs/ndevs/{index}", MadeUp(_gid_netdev(adapter, index))
    for name in counters.hw_counter_names():
        yield f"{port}/hw_counters/{name}", MadeUp(_hw_counter(adapter, name))
    for name in ("port_rcv_errors", "port_xmit_discards", "symbol_error", "link_downed"):
        yield f"{port}/counters/{name}", MadeUp(lambda: "0\n")


def _gid(adapter: Adapter, index: int) -> Callable[[], str]:
    def read() -> str:
        gids = adapter.gids()
        return (gids[index][0] if index < len(gids) else EMPTY_GID) + "\n"

    return read


def _gid_type(adapter: Adapter, index: int) -> Callable[[], str]:
    def read() -> str:
        gids = adapter.gids()
        if index >= len(gids):
            raise DeviceFileError("Invalid argument")
        return gids[index][1] + "\n"

    return read


def _gid_netdev(adapter: Adapter, index: int) -> Callable[[], str]:
    def read() -> str:
        if index >= len(adapter.gids()):
            raise DeviceFileError("Invalid argument")
        return adapter.netdev + "\n"

    return read


def _hw_counter(adapter: Adapter, name: str) -> Callable[[], str]:
    return lambda: f"{counters.hw_counter(adapter, name)}\n"
