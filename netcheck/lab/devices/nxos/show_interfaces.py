"""``show interface``, ``show interface priority-flow-control``, ``show lldp``, ``show version``."""

from __future__ import annotations

import time

from netcheck.lab.devices.nxos.console import Shown
from netcheck.lab.devices.nxos.hardware import no_drop
from netcheck.lab.devices.nxos.layout import Data, dotted, rule, short, table
from netcheck.lab.devices.nxos.patterns import LineError, Match
from netcheck.lab.devices.nxos.state import RELEASE, NxosSwitch

GIGABIT = 1_000_000_000
PRIORITIES = range(8)
_WIDE = 60
_HOLD_S = 120


def ports_of(switch: NxosSwitch, match: Match) -> list[str]:
    """The port that a command names, else all."""
    named = [word for word in match.words if word in switch.speeds]
    return named or list(switch.speeds)


def version(switch: NxosSwitch) -> Shown:
    """``show version``."""
    days, hours, minutes, seconds = switch.uptime()
    up = f"{days} day(s), {hours} hour(s), {minutes} minute(s), {seconds} second(s)"
    text = (
        "Cisco Nexus Operating System (NX-OS) Software\n\n"
        "Software\n"
        "  BIOS: version 05.50\n"
        f"  NXOS: version {RELEASE} [Feature Release]\n"
        "  NXOS image file is: bootflash:///nxos64-cs.10.4.3.F.bin\n\n"
        "Hardware\n"
        f"  cisco Nexus9000 {switch.model} Chassis \n"
        "  Intel(R) Xeon(R) CPU D-1526 @ 1.80GHz with 32826764 kB of memory.\n"
        f"  Device name: {switch.hostname}\n"
        "  bootflash:  115343360 kB\n\n"
        f"Kernel uptime is {up}\n\n"
        "Last reset at 0 usecs after Mon Jan  1 00:00:00 2024\n"
        "  Reason: Reset Requested by CLI command reload\n"
    )
    data: Data = {
        "header_str": "Cisco Nexus Operating System (NX-OS) Software",
        "bios_ver_str": "05.50",
        "nxos_ver_str": RELEASE,
        "nxos_file_name": "bootflash:///nxos64-cs.10.4.3.F.bin",
        "chassis_id": f"Nexus9000 {switch.model} Chassis",
        "cpu_name": "Intel(R) Xeon(R) CPU D-1526 @ 1.80GHz",
        "memory": 32826764,
        "mem_type": "kB",
        "proc_board_id": "FDO00000000",
        "host_name": switch.hostname,
        "bootflash_size": 115343360,
        "kern_uptm_days": days,
        "kern_uptm_hrs": hours,
        "kern_uptm_mins": minutes,
        "kern_uptm_secs": seconds,
        "rr_reason": "Reset Requested by CLI command reload",
        "manufacturer": "Cisco Systems, Inc.",
    }
    return Shown(text, data)


def uptime(switch: NxosSwitch) -> Shown:
    """``show system uptime``."""
    up = switch.uptime()
    names = ("days", "hours", "minutes", "seconds")
    said = ", ".join(f"{value} {name}" for value, name in zip(up, names, strict=True))
    started = time.strftime("%a %b %d %H:%M:%S %Y", time.gmtime(time.time() - switch.age_s))
    data: Data = {"sys_st_time": started}
    for begin in ("sys_up", "kn_up"):
        ends = ("days", "hrs", "mins", "secs")
        data |= {f"{begin}_{end}": str(value) for end, value in zip(ends, up, strict=True)}
    text = f"System start time:          {started}\nSystem uptime:              {said}\n"
    return Shown(f"{text}Kernel uptime:              {said}\n", data)


def interface(switch: NxosSwitch, match: Match) -> Shown:
    """``show interface [PORT]``."""
    rows = [_interface_row(switch, port) for port in ports_of(switch, match)]
    return Shown("\n".join(_interface_text(row) for row in rows), table("interface", rows))


def _interface_row(switch: NxosSwitch, port: str) -> Data:
    found, tallies = switch.found.interfaces[port], switch.tallies
    is_up = found.is_up and switch.is_link_up(port)
    address = dotted(switch.mac(port))
    giants = tallies.counts[port, "oversize_in", 0]
    damaged = tallies.counts[port, "errors_in", 0]
    dropped = tallies.total(port, "group_drops") + giants
    missed = tallies.total(port, "queue_drops") + tallies.counts[port, "oversize_out", 0]
    return {
        "interface": port,
        "state": "up" if is_up else "down",
        "admin_state": "up" if found.is_up else "down",
        "share_state": "Dedicated",
        "eth_hw_desc": "40000/100000/200000/400000 Ethernet",
        "eth_hw_addr": address,
        "eth_bia_addr": address,
        "eth_mtu": str(found.mtu),
        "eth_bw": switch.speeds[port] // 1000,
        "eth_mode": "routed" if found.is_routed else "access",
        "eth_duplex": "full",
        "eth_speed": f"{switch.speeds[port] // GIGABIT} Gb/s",
        "eth_autoneg": "on",
        "eth_in_flowctrl": found.words("flowcontrol receive", "off")[0],
        "eth_out_flowctrl": found.words("flowcontrol send", "off")[0],
        "eth_inucast": tallies.total(port, "rx_packets"),
        "eth_inpkts": tallies.total(port, "rx_packets"),
        "eth_inbytes": tallies.total(port, "rx_bytes"),
        "eth_giants": giants,
        "eth_crc": damaged,
        "eth_inerr": giants + damaged,
        "eth_indiscard": dropped,
        "eth_inpause": 0,
        "eth_outucast": tallies.total(port, "tx_packets"),
        "eth_outpkts": tallies.total(port, "tx_packets"),
        "eth_outbytes": tallies.total(port, "tx_bytes"),
        "eth_outerr": 0,
        "eth_outdiscard": missed,
        "eth_outpause": 0,
    }


_INTERFACE = """{interface} is {state}
admin state is {admin_state}, {share_state} Interface
  Hardware: {eth_hw_desc}, address: {eth_hw_addr} (bia {eth_bia_addr})
  MTU {eth_mtu} bytes, BW {eth_bw} Kbit , DLY 10 usec
  reliability 255/255, txload 1/255, rxload 1/255
  Encapsulation ARPA, medium is broadcast
  Port mode is {eth_mode}
  {eth_duplex}-duplex, {eth_speed}
  Beacon is turned off
  Auto-Negotiation is turned {eth_autoneg}  FEC mode is Auto
  Input flow-control is {eth_in_flowctrl}, output flow-control is {eth_out_flowctrl}
  Switchport monitor is off
  EtherType is 0x8100
  RX
    {eth_inucast} unicast packets  0 multicast packets  0 broadcast packets
    {eth_inpkts} input packets  {eth_inbytes} bytes
    0 jumbo packets  0 storm suppression bytes
    0 runts  {eth_giants} giants  {eth_crc} CRC  0 no buffer
    {eth_inerr} input error  0 short frame  0 overrun   0 underrun  0 ignored
    0 watchdog  0 bad etype drop  0 bad proto drop  0 if down drop
    0 input with dribble  {eth_indiscard} input discard
    {eth_inpause} Rx pause
  TX
    {eth_outucast} unicast packets  0 multicast packets  0 broadcast packets
    {eth_outpkts} output packets  {eth_outbytes} bytes
    0 jumbo packets
    {eth_outerr} output error  0 collision  0 deferred  0 late collision
    0 lost carrier  0 no carrier  0 babble  {eth_outdiscard} output discard
    {eth_outpause} Tx pause
"""


def _interface_text(row: Data) -> str:
    return _INTERFACE.format(**row)


def errors(switch: NxosSwitch, match: Match) -> Shown:
    """``show interface [PORT] counters errors``."""
    heads = ("Align-Err", "FCS-Err", "Xmit-Err", "Rcv-Err", "UnderSize", "OutDiscards")
    lines = [rule(80), f"{'Port':<12}{''.join(f'{head:>12}' for head in heads)}\n", rule(80)]
    rows: list[Data] = []
    for port in ports_of(switch, match):
        row = _interface_row(switch, port)
        values = (0, row["eth_crc"], 0, row["eth_inerr"], 0, row["eth_outdiscard"])
        lines.append(f"{short(port):<12}{''.join(f'{value!s:>12}' for value in values)}\n")
        keys = ("eth_align_err", "eth_fcs_err", "eth_xmit_err", "eth_rcv_err")
        rows.append(
            {
                "interface": port,
                **dict(zip(keys, values[:4], strict=True)),
                "eth_undersize": 0,
                "eth_outdisc": values[5],
            }
        )
    return Shown("".join(lines), table("interface", rows))


def status(switch: NxosSwitch, match: Match) -> Shown:
    """``show interface [PORT] status``."""
    lines = [rule(80), f"{'Port':<14}{'Name':<19}{'Status':<10}{'Vlan':<10}{'Duplex':<8}Speed\n"]
    rows: list[Data] = []
    for port in ports_of(switch, match):
        row = _interface_row(switch, port)
        state = "connected" if row["state"] == "up" else "notconnec"
        state = state if row["admin_state"] == "up" else "disabled"
        vlan = "routed" if row["eth_mode"] == "routed" else "1"
        speed = f"{switch.speeds[port] // GIGABIT}G"
        lines.append(f"{short(port):<14}{'--':<19}{state:<10}{vlan:<10}{'full':<8}{speed}\n")
        rows.append({"interface": port, "state": state, "vlan": vlan, "speed": speed})
    return Shown("".join(lines), table("interface", rows))


def pfc(switch: NxosSwitch, match: Match) -> Shown:
    """``show interface [PORT] priority-flow-control``."""
    line = rule(_WIDE, "=")
    text = [line, "Port               Mode Oper(VL bmap)  RxPPP      TxPPP\n", line, "\n"]
    rows: list[Data] = []
    for port in ports_of(switch, match):
        mode, oper, _ = _pfc_state(switch, port)
        rx, tx = (switch.tallies.total(port, kind) for kind in ("pfc_in", "pfc_out"))
        text.append(f"{port:<19}{mode:<5}{oper:<14}{rx:<11}{tx}\n")
        rows.append(
            {"if_name_str": port, "admin": mode, "oper": oper, "rx-stats": rx, "tx-stats": tx}
        )
    module = {"module_number": 1, **table("pfc_interface", rows)}
    return Shown("".join(text), table("module", [module]))


def _pfc_state(switch: NxosSwitch, port: str) -> tuple[str, str, str]:
    """Configured mode, mode in operation with its bit map, the bit map alone."""
    found, is_on = switch.found.interfaces[port], switch.is_pfc_on(port)
    bits = sum(1 << cos for coses in no_drop(switch.found).values() for cos in coses)
    bitmap = f"({bits:x})" if is_on else "-"
    oper = f"On  {bitmap}" if is_on else "Off"
    return found.pfc_mode.capitalize(), oper, bitmap


def pfc_detail(switch: NxosSwitch, match: Match) -> Shown:
    """``show interface [PORT] priority-flow-control detail``."""
    heads = "".join(f"|  Priority{priority}  " for priority in PRIORITIES) + "|"
    line = "    " + rule(len(heads) + 4)
    text = []
    for port in ports_of(switch, match):
        mode, oper, bitmap = _pfc_state(switch, port)
        counts = {
            way: [switch.tallies.counts[port, kind, priority] for priority in PRIORITIES]
            for way, kind in (("Rx", "pfc_in"), ("Tx", "pfc_out"))
        }
        text += [
            f"\n{port}:\n    Admin Mode: {mode}\n    Oper Mode:  {oper.split()[0]}\n",
            f"    VL bitmap:  {bitmap}\n",
            *(f"    Total {way} PFC Frames: {sum(row)}\n" for way, row in counts.items()),
            line,
            f"        {heads}\n",
            line,
        ]
        for way, row in counts.items():
            text += [f"    {way}  {''.join(f'|{value:<13}' for value in row)}|\n", line]
    return Shown("".join(text))


def lldp(switch: NxosSwitch, match: Match) -> Shown:
    """``show lldp neighbors [detail]``.

    Raises:
        LineError: The feature is off.
    """
    if "lldp" not in switch.found.features:
        raise LineError("lldp-off", 1)
    rows: list[Data] = []
    for port in switch.speeds:
        far = switch.surroundings.neighbour(switch.name, port)
        if far is not None and switch.is_link_up(port):
            rows.append(
                {
                    "chassis_type": "4",
                    "chassis_id": dotted(far.mac),
                    "port_type": "5",
                    "port_id": far.port,
                    "l_port_id": short(port),
                    "port_desc": far.port,
                    "sys_name": far.device,
                    "sys_desc": "not advertised",
                    "ttl": str(_HOLD_S),
                    "system_capability": "not advertised",
                    "enabled_capability": "not advertised",
                    "mgmt_addr_type": "IPV4",
                    "mgmt_addr": far.mgmt,
                    "mgmt_addr_ipv6_type": "IPV6",
                    "mgmt_addr_ipv6": "not advertised",
                    "vlan_id": "not advertised",
                }
            )
    if "detail" in match.words:
        text = "".join(_NEIGHBOUR.format(**row) for row in rows)
        tables = table("nbor_detail", rows)
    else:
        text = "Device ID            Local Intf      Hold-time  Capability  Port ID  \n"
        brief = "{sys_name:<21}{l_port_id:<16}{ttl:<11}{blank:<12}{port_id}\n"
        text += "".join(brief.format(blank="", **row) for row in rows)
        tables = table("nbor", rows)
    return Shown(
        f"{text}Total entries displayed: {len(rows)}\n", {**tables, "neigh_count": len(rows)}
    )


_NEIGHBOUR = """Chassis id: {chassis_id}
Port id: {port_id}
Local Port id: {l_port_id}
Port Description: {port_desc}
System Name: {sys_name}
System Description: {sys_desc}
Time remaining: {ttl} seconds
System Capabilities: {system_capability}
Enabled Capabilities: {enabled_capability}
Management Address: {mgmt_addr}
Management Address IPV6: {mgmt_addr_ipv6}
Vlan ID: {vlan_id}

"""
