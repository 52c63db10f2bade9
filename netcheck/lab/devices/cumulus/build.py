"""A switch with Cumulus Linux and the programs that work on it."""

from __future__ import annotations

import json
from pathlib import Path

from netcheck.lab.devices.cumulus import config, show, views
from netcheck.lab.devices.cumulus.state import CumulusSwitch
from netcheck.lab.devices.device import Surroundings
from netcheck.lab.devices.shell import Call
from netcheck.lab.topology import LabDevice
from netcheck.lossless.dataplane.network import PRIORITIES

_CLEARED = {
    "counters": ("pfc_in", "pfc_out", "paused_us", "queue_packets", "queue_bytes", "queue_drops"),
    "deadlock-count": ("queue_storms",),
    "buffer": ("queue_peak", "group_shared_peak", "group_headroom_peak"),
}


def build(device: LabDevice, folder: Path, surroundings: Surroundings) -> CumulusSwitch:
    """Build a switch as its operator left it, before anybody spoke of RDMA."""
    switch = CumulusSwitch(device, folder, surroundings)
    switch.programs |= {
        "nv": lambda call: _nv(switch, call),
        "ethtool": lambda call: _ethtool(switch, call),
        "lldpctl": lambda call: _lldpctl(switch, call),
        "systemctl": _systemctl,
    }
    return switch


async def _nv(switch: CumulusSwitch, call: Call) -> int:
    verb = call.arguments[0] if call.arguments else ""
    if verb == "show":
        return show.show(switch, call)
    if verb in ("set", "unset"):
        return config.change(switch, call)
    if verb == "config":
        return await config.config(switch, call)
    if verb == "action":
        return _action(switch, call)
    return call.fail(f"Error: Invalid command: nv {verb}".rstrip(), 2)


def _action(switch: CumulusSwitch, call: Call) -> int:
    """``nv action clear interface NAME qos roce counters`` and its likes."""
    words = call.arguments[1:]
    if len(words) < 4 or words[0] != "clear":  # noqa: PLR2004 -- clear interface NAME WHAT
        return call.fail("Action failed with the following issue: not supported by the lab")
    kinds = _CLEARED.get(words[-1])
    if words[1] != "interface" or words[2] not in switch.speeds or kinds is None:
        return call.fail(show.MISSING)
    switch.tallies.clear(words[2], kinds)
    call.out(f"QoS {words[-1]} cleared on {words[2]}.\nAction succeeded\n")
    return 0


def _ethtool(switch: CumulusSwitch, call: Call) -> int:
    """``ethtool NAME`` and ``ethtool -S NAME``."""
    names = [word for word in call.arguments if not word.startswith("-")]
    if len(names) != 1 or names[0] not in switch.speeds:
        shown = names[0] if names else ""
        return call.fail(f"netlink error: No such device\n{shown}: no such device".strip(), 75)
    name = names[0]
    if "-S" not in call.arguments:
        port = switch.port(name)
        state = "yes" if switch.is_link_up(name) else "no"
        call.out(f"Settings for {name}:\n\tSpeed: {port.speed_bps // 1_000_000}Mb/s\n")
        call.out(f"\tDuplex: Full\n\tAuto-negotiation: on\n\tLink detected: {state}\n")
        return 0
    call.out("NIC statistics:\n")
    for leaf, value in hardware_counters(switch, name).items():
        call.out(f"     {leaf}: {value}\n")
    return 0


def hardware_counters(switch: CumulusSwitch, name: str) -> dict[str, int]:
    """Counters that switchd keeps of a port.

    Source: Cumulus Linux user guide, Monitoring Interfaces and Transceivers
        (``ethtool -S``).
    """
    tallies = switch.tallies
    oversize_in = tallies.count(name, "oversize_in", 0)
    oversize_out = tallies.count(name, "oversize_out", 0)
    damaged = tallies.count(name, "errors_in", 0)
    drops_in, drops_out = tallies.total(name, "group_drops"), tallies.total(name, "queue_drops")
    return {
        "HwIfInOctets": tallies.total(name, "rx_bytes"),
        "HwIfInUcastPkts": tallies.total(name, "rx_packets"),
        "HwIfInBcastPkts": 0,
        "HwIfInMcastPkts": 0,
        "HwIfOutOctets": tallies.total(name, "tx_bytes"),
        "HwIfOutUcastPkts": tallies.total(name, "tx_packets"),
        "HwIfOutMcastPkts": 0,
        "HwIfOutBcastPkts": 0,
        "HwIfInDiscards": drops_in + oversize_in,
        "HwIfInL3Drops": 0,
        "HwIfInBufferDrops": drops_in,
        "HwIfInAclDrops": 0,
        "HwIfInDot3LengthErrors": 0,
        "HwIfInErrors": oversize_in + damaged,
        "HwIfInDot3FrameErrors": oversize_in + damaged,
        "HwIfInPausePkt": 0,
        "HwIfOutErrors": 0,
        "HwIfOutQDrops": drops_out,
        "HwIfOutNonQDrops": oversize_out,
        "HwIfOutPausePkt": 0,
        **{
            f"HwIf{way}Pfc{priority}Pkt": tallies.count(name, kind, priority)
            for way, kind in (("In", "pfc_in"), ("Out", "pfc_out"))
            for priority in range(PRIORITIES)
        },
        "SoftInErrors": 0,
        "SoftInDrops": 0,
        "SoftInFrameErrors": 0,
        "SoftOutErrors": 0,
        "SoftOutDrops": 0,
        "SoftOutTxFifoFull": 0,
    }


def _lldpctl(switch: CumulusSwitch, call: Call) -> int:
    rows = []
    for port in switch.speeds:
        for system, found in views.lldp(switch, port)["neighbor"].items():
            chassis = {
                system: {
                    "id": {"type": "mac", "value": found["chassis"]["chassis-id"]},
                    "mgmt-ip": found["chassis"]["management-address-ipv4"],
                }
            }
            name = found["port"]["name"]
            far = {"id": {"type": "ifname", "value": name}, "descr": name, "ttl": "120"}
            rows.append({port: {"via": "LLDP", "rid": "1", "chassis": chassis, "port": far}})
    if call.arguments in (("-f", "json"), ("-f", "json0")):
        call.out(json.dumps({"lldp": {"interface": rows}}, indent=2) + "\n")
        return 0
    for row in rows:
        for port, entry in row.items():
            system = next(iter(entry["chassis"]))
            call.out(f"Interface:    {port}, via: LLDP\n    SysName:      {system}\n")
    return 0


def _systemctl(call: Call) -> int:
    """``systemctl is-active nvued`` and the like: all of them run."""
    if call.arguments[:1] == ("is-active",):
        call.out("active\n")
        return 0
    if call.is_root:
        return 0
    return call.fail("Failed: Interactive authentication required.")
