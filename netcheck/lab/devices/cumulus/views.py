"""What ``nv show`` gives of the system and its interfaces, as objects.

Keys are those of the tables in NVIDIA's outputs; numbers stay numbers.

Source: CumulusNetworks/docs nvue-reference Show-Commands (Interface, LLDP).
"""

from __future__ import annotations

from typing import Any

from netcheck.lab.devices.cumulus.state import CumulusSwitch
from netcheck.lab.devices.cumulus.tree import subtree
from netcheck.lab.devices.cumulus.words import speed

View = dict[str, Any]  # JSON of the device


def system(switch_: CumulusSwitch) -> View:
    """``nv show system``."""
    return {
        "build": f"Cumulus Linux {switch_.version}",
        "hostname": str(subtree(switch_.applied, "system").get("hostname", switch_.name)),
        "product-name": "Cumulus Linux",
        "product-release": switch_.version,
        "platform": switch_.model,
        "timezone": str(subtree(switch_.applied, "system").get("timezone", "Etc/UTC")),
        "version": {"image": switch_.version, "kernel": "6.1.0-cl-1-amd64"},
    }


def platform(switch_: CumulusSwitch) -> View:
    """``nv show platform``."""
    return {
        "asic-model": "Spectrum-4",
        "asic-vendor": "Mellanox",
        "manufacturer": "Mellanox",
        "product-name": switch_.model,
        "system-mac": switch_.mac("eth0"),
    }


def interfaces(switch_: CumulusSwitch) -> View:
    """``nv show interface``."""
    names = [*subtree(switch_.applied, "interface"), *switch_.speeds]
    return {name: interface(switch_, name) for name in dict.fromkeys(names)}


def interface(switch_: CumulusSwitch, name: str) -> View:
    """``nv show interface NAME`` without counters and QoS, which are asked for by name."""
    given = subtree(switch_.applied, "interface", name)
    view: View = {
        "type": str(given.get("type", "swp" if name in switch_.speeds else "bond")),
        "link": link(switch_, name),
    }
    if "ip" in given:
        view["ip"] = given["ip"]
    if name in switch_.speeds:
        view["lldp"] = lldp(switch_, name)
    return view


def link(switch_: CumulusSwitch, name: str) -> View:
    """``nv show interface NAME link``."""
    if name not in switch_.speeds:
        return {"admin-status": "up", "mtu": 1500, "oper-status": "up", "state": {"up": {}}}
    port = switch_.port(name)
    is_link_up = switch_.is_link_up(name)
    given = subtree(switch_.applied, "interface", name, "link")
    return {
        "admin-status": "up" if port.is_up else "down",
        "auto-negotiate": str(given.get("auto-negotiate", "on")),
        "duplex": "full",
        "fec": str(given.get("fec", "rs")),
        "mac-address": switch_.mac(name),
        "mtu": port.mtu,
        "oper-status": "up" if is_link_up else "down",
        "speed": speed(port.speed_bps),
        "state": {"up" if is_link_up else "down": {}},
    }


def lldp(switch_: CumulusSwitch, name: str) -> View:
    """``nv show interface NAME lldp``."""
    found = switch_.surroundings.neighbour(switch_.name, name)
    if found is None or not switch_.is_link_up(name):
        return {"neighbor": {}}
    chassis = {
        "chassis-id": found.mac,
        "management-address-ipv4": found.mgmt,
        "system-name": found.device,
    }
    port = {"name": found.port, "description": found.port, "type": "ifname", "ttl": 120}
    return {"neighbor": {found.device: {"age": "60", "chassis": chassis, "port": port}}}
