"""``rdma``, ``ibv_devinfo``, ``ibdev2netdev``, ``show_gids`` and the rdma_cm helpers.

Source: iproute2/iproute2 rdma/*.c; linux-rdma/rdma-core ibv_devinfo;
    Mellanox/mlnx-tools sbin/show_gids, sbin/cma_roce_tos, sbin/cma_roce_mode.
"""

from __future__ import annotations

import ipaddress
import json
from collections.abc import Iterable, Mapping

from netcheck.lab.devices.linux import counters
from netcheck.lab.devices.linux.adapter import MTU_SIZES, Adapter
from netcheck.lab.devices.linux.hca import Hca
from netcheck.lab.devices.linux.hca_tools import info, link_row
from netcheck.lab.devices.linux.iproute import Links
from netcheck.lab.devices.options import UnknownOptionError, split_options
from netcheck.lab.devices.shell import Call, Program

HIGHEST_TOS = 255
_MTU_CODES = {4096: 5, 2048: 4, 1024: 3, 512: 2, 256: 1}


def programs(
    adapters: Mapping[str, Adapter], hcas: Mapping[str, Hca], links: Links
) -> dict[str, Program]:
    """Give the programs for a host; ``adapters`` and ``hcas`` are by RDMA device."""
    return {
        "rdma": lambda call: _rdma(call, adapters, hcas, links),
        "ibv_devinfo": lambda call: _devinfo(call, adapters, hcas, links),
        "ibv_devices": lambda call: _devices(call, adapters, hcas),
        "ibdev2netdev": lambda call: _ibdev2netdev(call, adapters, links),
        "show_gids": lambda call: _show_gids(call, adapters),
        "cma_roce_tos": lambda call: _cm_tos(call, adapters),
        "cma_roce_mode": lambda call: _cm_mode(call, adapters),
    }


def _rdma(
    call: Call, adapters: Mapping[str, Adapter], hcas: Mapping[str, Hca], links: Links
) -> int:
    words = [word for word in call.arguments if not word.startswith("-")]
    flags = "".join(word[1:] for word in call.arguments if word.startswith("-"))
    name = words[0] if words else "help"
    wanted = words[-1].partition("/")[0] if words[-1:] and words[-1].startswith("mlx") else ""
    if wanted and wanted not in adapters and wanted not in hcas:
        return call.fail("Wrong device name")
    chosen = [adapter for adapter in adapters.values() if wanted in ("", adapter.rdma)]
    if name == "link":
        rows = [_link_row(adapter, links) for adapter in chosen]
        rows += [link_row(hca) for hca in hcas.values() if wanted in ("", hca.name)]
        call.out(json.dumps(rows) + "\n" if "j" in flags else "".join(map(_link_line, rows)))
        return 0
    if name.startswith("stat"):
        rows = [_statistic_row(adapter) for adapter in chosen]
        call.out(json.dumps(rows) + "\n" if "j" in flags else "".join(map(_statistic_line, rows)))
        return 0
    if name == "system":
        call.out("netns shared copy-on-fork on\n")
        return 0
    return call.fail(f"Unknown object '{name}'.")


def _link_row(adapter: Adapter, links: Links) -> dict[str, object]:
    is_up = links.is_link_up(adapter.netdev)
    return {
        "ifindex": adapter.index,
        "ifname": adapter.rdma,
        "port": 1,
        "state": "ACTIVE" if is_up else "DOWN",
        "physical_state": "LINK_UP" if is_up else "DISABLED",
        "netdev": adapter.netdev,
        "netdev_index": adapter.index + 2,
    }


def _link_line(row: dict[str, object]) -> str:
    if "netdev" not in row:
        names = ("subnet_prefix", "lid", "sm_lid", "lmc", "state", "physical_state")
        said = " ".join(f"{name} {row[name]}" for name in names)
        return f"link {row['ifname']}/{row['port']} {said} \n"
    return (
        f"link {row['ifname']}/1 state {row['state']} physical_state {row['physical_state']} "
        f"netdev {row['netdev']} \n"
    )


def _statistic_row(adapter: Adapter) -> dict[str, object]:
    names = (name for name in counters.hw_counter_names() if name != "lifespan")
    values = {name: counters.hw_counter(adapter, name) for name in names}
    return {"ifname": adapter.rdma, "port": 1, **values}


def _statistic_line(row: dict[str, object]) -> str:
    pairs = " ".join(f"{name} {value}" for name, value in row.items() if name not in _NOT_COUNTED)
    return f"link {row['ifname']}/1 {pairs} \n"


_NOT_COUNTED = frozenset({"ifname", "port"})


def _chosen(call: Call, adapters: Mapping[str, Adapter], wanted: str | None) -> Iterable[Adapter]:
    if wanted is None:
        return adapters.values()
    if wanted not in adapters:
        call.err(f"IB device '{wanted}' wasn't found\n")
        return ()
    return (adapters[wanted],)


def _devinfo(
    call: Call, adapters: Mapping[str, Adapter], hcas: Mapping[str, Hca], links: Links
) -> int:
    try:
        options, _ = split_options(call.arguments, flags="vl", valued="di")
    except UnknownOptionError as error:
        return call.fail(f"ibv_devinfo: {error}")
    wanted = options.get("d")
    others = [hca for hca in hcas.values() if wanted in (None, hca.name)]
    found = [] if wanted in hcas else list(_chosen(call, adapters, wanted))
    for adapter in found:
        call.out(_info(adapter, is_up=links.is_link_up(adapter.netdev)))
        if "v" in options:
            for index, (gid, kind) in enumerate(adapter.gids()):
                call.out(f"\t\t\tGID[{index:3}]:\t\t{_short(gid)}, {kind}\n")
    call.out("".join(map(info, others)))
    return 0 if found or others else 1


def _short(gid: str) -> str:
    return str(ipaddress.IPv6Address(gid))


def _guid(adapter: Adapter) -> str:
    parts = adapter.mac.replace(":", "")
    digits = parts[:6] + "0300" + parts[6:]
    return ":".join(digits[place : place + 4] for place in range(0, 16, 4))


def _info(adapter: Adapter, *, is_up: bool) -> str:
    state = "PORT_ACTIVE (4)" if is_up else "PORT_DOWN (1)"
    active = adapter.active_mtu
    return (
        f"hca_id:\t{adapter.rdma}\n"
        "\ttransport:\t\t\tInfiniBand (0)\n"
        "\tfw_ver:\t\t\t\t28.43.3608\n"
        f"\tnode_guid:\t\t\t{_guid(adapter)}\n"
        f"\tsys_image_guid:\t\t\t{_guid(adapter)}\n"
        "\tvendor_id:\t\t\t0x02c9\n"
        "\tvendor_part_id:\t\t\t4129\n"
        "\thw_ver:\t\t\t\t0x0\n"
        "\tboard_id:\t\t\tMT_0000000838\n"
        "\tphys_port_cnt:\t\t\t1\n"
        "\t\tport:\t1\n"
        f"\t\t\tstate:\t\t\t{state}\n"
        f"\t\t\tmax_mtu:\t\t{MTU_SIZES[0]} ({_MTU_CODES[MTU_SIZES[0]]})\n"
        f"\t\t\tactive_mtu:\t\t{active} ({_MTU_CODES[active]})\n"
        "\t\t\tsm_lid:\t\t\t0\n"
        "\t\t\tport_lid:\t\t0\n"
        "\t\t\tport_lmc:\t\t0x00\n"
        "\t\t\tlink_layer:\t\tEthernet\n\n"
    )


def _devices(call: Call, adapters: Mapping[str, Adapter], hcas: Mapping[str, Hca]) -> int:
    call.out("    device                 node GUID\n    ------              ----------------\n")
    for adapter in adapters.values():
        call.out(f"    {adapter.rdma:<18}\t{_guid(adapter).replace(':', '')}\n")
    for hca in hcas.values():
        call.out(f"    {hca.name:<18}\t{hca.node_guid:016x}\n")
    return 0


def _ibdev2netdev(call: Call, adapters: Mapping[str, Adapter], links: Links) -> int:
    for adapter in adapters.values():
        word = "Up" if links.is_link_up(adapter.netdev) else "Down"
        call.out(f"{adapter.rdma} port 1 ==> {adapter.netdev} ({word})\n")
    return 0


def _show_gids(call: Call, adapters: Mapping[str, Adapter]) -> int:
    call.out("DEV\tPORT\tINDEX\tGID\t\t\t\t\tIPv4  \t\tVER\tDEV\n")
    call.out("---\t----\t-----\t---\t\t\t\t\t------------  \t---\t---\n")
    count = 0
    for adapter in adapters.values():
        for index, (gid, kind) in enumerate(adapter.gids()):
            ip = f"{adapter.ip}  " if gid.startswith("0000") else ""
            version = "v2" if kind == "RoCE v2" else "v1"
            call.out(f"{adapter.rdma}\t1\t{index}\t{gid}\t{ip}\t{version}\t{adapter.netdev}\n")
            count += 1
    call.out(f"n_gids_found={count}\n")
    return 0


def _cm_options(
    call: Call, adapters: Mapping[str, Adapter], valued: str
) -> tuple[dict[str, str], Adapter | None]:
    options, _ = split_options(call.arguments, valued="dp" + valued, flags="h")
    return options, adapters.get(options.get("d", "mlx5_0"))


def _cm_tos(call: Call, adapters: Mapping[str, Adapter]) -> int:
    options, adapter = _cm_options(call, adapters, "t")
    if not call.is_root:
        return call.fail("This program must be run as root")
    if adapter is None:
        return call.fail(f"RDMA device {options.get('d', 'mlx5_0')} not found")
    if "t" in options:
        if not options["t"].isdigit() or int(options["t"]) > HIGHEST_TOS:
            return call.fail("Wrong ToS value")
        adapter.cm_tos = int(options["t"])
    call.out(f"{adapter.cm_tos}\n")
    return 0


def _cm_mode(call: Call, adapters: Mapping[str, Adapter]) -> int:
    options, adapter = _cm_options(call, adapters, "m")
    if not call.is_root:
        return call.fail("This program must be run as root")
    if adapter is None:
        return call.fail(f"RDMA device {options.get('d', 'mlx5_0')} not found")
    if "m" in options:
        if options["m"] not in ("1", "2"):
            return call.fail("Wrong RoCE mode")
        adapter.cm_is_v2 = options["m"] == "2"
    call.out("RoCE v2\n" if adapter.cm_is_v2 else "IB/RoCE v1\n")
    return 0
