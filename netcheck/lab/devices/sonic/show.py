"""``show ...``: the texts of sonic-utilities.

Source: sonic-net/sonic-utilities show/main.py, scripts/pfcstat, scripts/queuestat,
    scripts/pg-drop, scripts/watermarkstat, pfcwd/main.py, scripts/ecnconfig, scripts/mmuconfig.
"""

from __future__ import annotations

import json
from collections.abc import Callable

from netcheck.lab.devices.shell import Call
from netcheck.lab.devices.sonic import databases
from netcheck.lab.devices.sonic.keys import Row, as_json, natural
from netcheck.lab.devices.sonic.layout import grouped, simple
from netcheck.lab.devices.sonic.state import SonicSwitch
from netcheck.lossless.dataplane.network import PRIORITIES

Shown = Callable[[SonicSwitch, list[str]], str]
INDICES = range(PRIORITIES)


def show(switch: SonicSwitch, call: Call) -> int:
    """Print what a ``show`` command line asks for."""
    words = list(call.arguments)
    for length in range(len(words), 0, -1):
        found = SHOWS.get(" ".join(words[:length]))
        if found is not None:
            call.out(found(switch, words[length:]))
            return 0
    name = words[-1] if words else ""
    return call.fail(
        'Usage: show [OPTIONS] COMMAND [ARGS]...\nTry "show -h" for help.\n\n'
        f'Error: No such command "{name}".',
        2,
    )


def _ports(switch: SonicSwitch, words: list[str]) -> list[str]:
    ports = sorted(switch.config.get("PORT", {}), key=natural)
    wanted = [word for word in words if word in ports]
    return wanted or ports


def _all(switch: SonicSwitch, words: list[str]) -> str:
    del words
    return as_json(switch.config)


def _pfc_counters(switch: SonicSwitch, words: list[str]) -> str:
    text = ""
    for name, kind in (("Rx", "pfc_in"), ("Tx", "pfc_out")):
        rows = [
            [port, *(grouped(switch.tallies.counts[port, kind, index]) for index in INDICES)]
            for port in _ports(switch, words)
        ]
        text += simple([f"Port {name}", *(f"PFC{i}" for i in INDICES)], rows, right=True) + "\n"
    return text.removesuffix("\n")


def _pfc_priority(switch: SonicSwitch, words: list[str]) -> str:
    rows = [
        [port, switch.config.get("PORT_QOS_MAP", {}).get(port, {}).get("pfc_enable") or "N/A"]
        for port in _ports(switch, words)
    ]
    return simple(["Interface", "Lossless priorities"], rows)


def _pfc_asymmetric(switch: SonicSwitch, words: list[str]) -> str:
    rows = [
        [port, switch.config["PORT"][port].get("pfc_asym", "off")] for port in _ports(switch, words)
    ]
    return simple(["Interface", "Asymmetric"], rows)


def _queue_rows(
    switch: SonicSwitch, port: str, names: tuple[str, ...], group: str
) -> list[list[str]]:
    enabled = databases.enabled_groups(switch)
    rows = []
    for queue in INDICES:
        row = switch.tallies.queue_row(port, queue, enabled & {group})
        values = [grouped(int(row[name])) if name in row else "N/A" for name in names]
        rows.append([port, f"UC{queue}", *values])
    return rows


_QUEUE_NAMES = tuple(
    f"SAI_QUEUE_STAT_{name}" for name in ("PACKETS", "BYTES", "DROPPED_PACKETS", "DROPPED_BYTES")
)
_WRED_NAMES = tuple(
    f"SAI_QUEUE_STAT_WRED_{name}"
    for name in ("DROPPED_PACKETS", "DROPPED_BYTES", "ECN_MARKED_PACKETS", "ECN_MARKED_BYTES")
)


def _queue_counters(switch: SonicSwitch, words: list[str]) -> str:
    found = {
        port: _queue_rows(switch, port, _QUEUE_NAMES, "QUEUE") for port in _ports(switch, words)
    }
    if "--json" in words:
        keys = ("totalpacket", "totalbytes", "droppacket", "dropbytes")
        table = {
            port: {row[1]: dict(zip(keys, row[2:], strict=True)) for row in rows}
            for port, rows in found.items()
        }
        return json.dumps(table, indent=4) + "\n"
    head = ["Port", "TxQ", "Counter/pkts", "Counter/bytes", "Drop/pkts", "Drop/bytes"]
    return "".join(
        "For namespace :\n" + simple(head, rows, right=True) + "\n" for rows in found.values()
    )


def _wred_counters(switch: SonicSwitch, words: list[str]) -> str:
    head = ["Port", "TxQ", "WredDrp/pkts", "WredDrp/bytes", "EcnMarked/pkts", "EcnMarked/bytes"]
    return "".join(
        simple(head, _queue_rows(switch, port, _WRED_NAMES, "WRED_ECN_QUEUE"), right=True) + "\n"
        for port in _ports(switch, words)
    )


def _by_group(title: str, kind: str, *, peaks: bool) -> Shown:
    def shown(switch: SonicSwitch, words: list[str]) -> str:
        table = switch.tallies.peaks if peaks else switch.tallies.counts
        rows = [
            [port, *(str(table[port, kind, index]) for index in INDICES)]
            for port in _ports(switch, words)
        ]
        return f"{title}\n" + simple(["Port", *(f"PG{i}" for i in INDICES)], rows, right=True)

    return shown


def _queue_watermark(switch: SonicSwitch, words: list[str]) -> str:
    rows = [
        [port, *(str(switch.tallies.peaks[port, "queue_peak", index]) for index in INDICES)]
        for port in _ports(switch, words)
    ]
    head = ["Port", *(f"UC{i}" for i in INDICES)]
    return "Egress shared pool occupancy per unicast queue:\n" + simple(head, rows, right=True)


def _watchdog_config(switch: SonicSwitch, words: list[str]) -> str:
    del words
    table = switch.config.get("PFC_WD", {})
    poll = table.get("GLOBAL", {}).get("POLL_INTERVAL")
    rows = [
        [
            port,
            row.get("action", ""),
            row.get("detection_time", ""),
            row.get("restoration_time", "infinite"),
            row.get("pfc_stat_history", "disable"),
        ]
        for port, row in table.items()
        if port != "GLOBAL"
    ]
    head = ["PORT", "ACTION", "DETECTION TIME", "RESTORATION TIME", "HISTORY"]
    first = f"Changed polling interval to {poll}ms\n" if poll else ""
    return first + simple(head, rows, right=True)


def _watchdog_stats(switch: SonicSwitch, words: list[str]) -> str:
    del words
    rows = []
    for port in switch.config.get("PORT", {}):
        for queue in INDICES:
            row = databases.watchdog_row(switch, port, queue)
            if row:
                storms = row["PFC_WD_QUEUE_STATS_DEADLOCK_DETECTED"]
                state = row["PFC_WD_STATUS"]
                rows.append([f"{port}:{queue}", state, f"{storms}/{storms}", *["0/0"] * 4])
    head = ["QUEUE", "STATUS", "STORM DETECTED/RESTORED", "TX OK/DROP", "RX OK/DROP"]
    return simple([*head, "TX LAST OK/DROP", "RX LAST OK/DROP"], rows, right=True)


def _ecn(switch: SonicSwitch, words: list[str]) -> str:
    del words
    return "".join(
        f"Profile: {name}\n" + simple([], [[key, value] for key, value in row.items()]) + "\n"
        for name, row in switch.config.get("WRED_PROFILE", {}).items()
    )


def _listed(kind: str, table: dict[str, Row]) -> str:
    return "".join(
        f"{kind}: {name}\n" + simple([], [[key, value] for key, value in row.items()]) + "\n"
        for name, row in table.items()
    )


def _buffer_configuration(switch: SonicSwitch, words: list[str]) -> str:
    del words
    config = switch.config
    return _listed("Pool", config.get("BUFFER_POOL", {})) + _listed(
        "Profile", config.get("BUFFER_PROFILE", {})
    )


def _buffer_information(switch: SonicSwitch, words: list[str]) -> str:
    del words
    return _listed("Pool", switch.applied.pools) + _listed("Profile", switch.applied.profiles)


def _interfaces_status(switch: SonicSwitch, words: list[str]) -> str:
    head = ["Interface", "Lanes", "Speed", "MTU", "FEC", "Alias", "Vlan", "Oper", "Admin", "Type"]
    rows = []
    for port in _ports(switch, words):
        row = switch.config["PORT"][port]
        speed = f"{int(row.get('speed', '0')) // 1000}G"
        oper = "up" if switch.is_link_up(port) else "down"
        cells = [port, row.get("lanes", ""), speed, row.get("mtu", "9100"), row.get("fec", "N/A")]
        rows.append(
            [*cells, row.get("alias", ""), "routed", oper, row.get("admin_status", "down"), "N/A"]
        )
    return simple(head, rows, right=True)


def _interfaces_counters(switch: SonicSwitch, words: list[str]) -> str:
    head = ["IFACE", "STATE", "RX_OK", "RX_ERR", "RX_DRP", "RX_OVR", "TX_OK", "TX_ERR", "TX_DRP"]
    rows = []
    for port in _ports(switch, words):
        row = switch.tallies.port_row(port)
        names = ["IF_IN_UCAST_PKTS", "IF_IN_ERRORS", "IF_IN_DISCARDS", "ETHER_RX_OVERSIZE_PKTS"]
        names += ["IF_OUT_UCAST_PKTS", "IF_OUT_ERRORS", "IF_OUT_DISCARDS"]
        values = [grouped(int(row[f"SAI_PORT_STAT_{name}"])) for name in names]
        rows.append([port, "U" if switch.is_link_up(port) else "D", *values])
    return simple(head, rows, right=True)


def _lldp_table(switch: SonicSwitch, words: list[str]) -> str:
    rows = []
    for port in _ports(switch, words):
        found = switch.surroundings.neighbour(switch.name, port)
        if found is not None and switch.is_link_up(port):
            rows.append([port, found.device, found.port, "BR", found.port])
    head = ["LocalPort", "RemoteDevice", "RemotePortID", "Capability", "RemotePortDescr"]
    return (
        "Capability codes: (R) Router, (B) Bridge, (O) Other\n"
        + simple(head, rows)
        + "-" * 50
        + f"\nTotal entries displayed:  {len(rows)}\n"
    )


def _lldp_neighbors(switch: SonicSwitch, words: list[str]) -> str:
    text = "-" * 79 + "\nLLDP neighbors:\n" + "-" * 79 + "\n"
    for port in _ports(switch, words):
        found = switch.surroundings.neighbour(switch.name, port)
        if found is not None and switch.is_link_up(port):
            text += (
                f"Interface:    {port}, via: LLDP, RID: 1, Time: 0 day, 00:10:00\n"
                f"  Chassis:     \n    ChassisID:    mac {found.mac}\n"
                f"    SysName:      {found.device}\n"
                f"    MgmtIP:       {found.mgmt}\n"
                f"  Port:        \n    PortID:       ifname {found.port}\n"
                f"    PortDescr:    {found.port}\n    TTL:          120\n" + "-" * 79 + "\n"
            )
    return text


def _version(switch: SonicSwitch, words: list[str]) -> str:
    del words
    metadata = switch.config.get("DEVICE_METADATA", {}).get("localhost", {})
    return (
        f"\nSONiC Software Version: SONiC.{switch.build}\nSONiC OS Version: 12\n"
        "Distribution: Debian 12.9\nKernel: 6.1.0-22-2-amd64\n\n"
        f"Platform: {metadata.get('platform', '')}\nHwSKU: {metadata.get('hwsku', '')}\n"
        "ASIC: mellanox\nASIC Count: 1\n"
    )


SHOWS: dict[str, Shown] = {
    "runningconfiguration all": _all,
    "pfc counters": _pfc_counters,
    "pfc priority": _pfc_priority,
    "pfc asymmetric": _pfc_asymmetric,
    "pfcwd config": _watchdog_config,
    "pfcwd stats": _watchdog_stats,
    "queue counters": _queue_counters,
    "queue wredcounters": _wred_counters,
    "queue watermark unicast": _queue_watermark,
    "queue watermark all": _queue_watermark,
    "priority-group drop counters": _by_group(
        "Ingress PG dropped packets:", "group_drops", peaks=False
    ),
    "priority-group watermark shared": _by_group(
        "Ingress shared pool occupancy per PG:", "group_shared_peak", peaks=True
    ),
    "priority-group watermark headroom": _by_group(
        "Ingress headroom per PG:", "group_headroom_peak", peaks=True
    ),
    "ecn": _ecn,
    "buffer configuration": _buffer_configuration,
    "buffer information": _buffer_information,
    "interfaces status": _interfaces_status,
    "interfaces counters": _interfaces_counters,
    "lldp table": _lldp_table,
    "lldp neighbors": _lldp_neighbors,
    "version": _version,
}
