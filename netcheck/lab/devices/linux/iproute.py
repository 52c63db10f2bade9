"""``ip`` and ``ethtool``.

Source: iproute2/iproute2 ip/ipaddress.c; ethtool(8).
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Protocol

from netcheck.lab.devices.linux import counters
from netcheck.lab.devices.linux.adapter import PRIORITIES, Adapter
from netcheck.lab.devices.shell import Call, Program

GIGABIT = 1_000_000_000
SMALLEST_MTU, LARGEST_MTU = 68, 9978
NO_DEVICE = 71


class Links(Protocol):
    """Whether a port's link is up."""

    def is_link_up(self, port: str) -> bool:
        """Both ends are up."""


def ip_program(adapters: Mapping[str, Adapter], links: Links) -> Program:
    """Give ``ip`` for a host's adapters."""

    def ip(call: Call) -> int:
        words = list(call.arguments)
        flags: set[str] = set()
        while words and words[0].startswith("-"):
            flags.add(words.pop(0).lstrip("-"))
        name, *rest = words or ["help"]
        if rest[:1] == ["set"] and name in ("link", "l"):
            return _set_link(call, adapters, rest[1:])
        if not (name and ("link".startswith(name) or "address".startswith(name))):
            return call.fail(f'Object "{name}" is unknown, try "ip help".')
        wanted = [word for word in rest if word not in ("show", "dev", "list", "ls", "up")]
        if wanted and wanted[0] not in adapters:
            return call.fail(f'Device "{wanted[0]}" does not exist.')
        chosen = [adapters[word] for word in wanted] or list(adapters.values())
        rows = [
            _link(adapter, links, statistics="s" in flags or "stats" in flags) for adapter in chosen
        ]
        if "address".startswith(name):
            rows = [_with_address(row, adapters[str(row["ifname"])]) for row in rows]
        call.out(json.dumps(rows) + "\n" if "j" in flags or "json" in flags else _text(rows))
        return 0

    return ip


def _set_link(call: Call, adapters: Mapping[str, Adapter], words: list[str]) -> int:
    words = [word for word in words if word != "dev"]
    adapter = adapters.get(words[0]) if words else None
    if adapter is None:
        return call.fail(f'Cannot find device "{words[0] if words else ""}"')
    if not call.is_root:
        return call.fail("RTNETLINK answers: Operation not permitted", 2)
    rest = words[1:]
    while rest:
        word = rest.pop(0)
        if word in ("up", "down"):
            adapter.is_up = word == "up"
        elif word == "mtu" and rest:
            if not rest[0].isdigit() or not SMALLEST_MTU <= int(rest[0]) <= LARGEST_MTU:
                call.err("Error: mtu greater than device maximum.\n")
                return 2
            adapter.mtu = int(rest.pop(0))
        else:
            return call.fail(f'Error: either "dev" is duplicate, or "{word}" is a garbage.', 255)
    return 0


def _link(adapter: Adapter, links: Links, *, statistics: bool) -> dict[str, object]:
    is_running = links.is_link_up(adapter.netdev)
    flags = ["BROADCAST", "MULTICAST", *(["UP"] if adapter.is_up else [])]
    row: dict[str, object] = {
        "ifindex": adapter.index + 2,
        "ifname": adapter.netdev,
        "flags": [*flags, *(["LOWER_UP"] if is_running else [])],
        "mtu": adapter.mtu,
        "qdisc": "mq",
        "operstate": "UP" if is_running else "DOWN",
        "linkmode": "DEFAULT",
        "group": "default",
        "txqlen": 1000,
        "link_type": "ether",
        "address": adapter.mac,
        "broadcast": "ff:ff:ff:ff:ff:ff",
    }
    if statistics:
        row["stats64"] = {
            direction: {
                "bytes": sum(adapter.counters[f"{direction}_bytes {p}"] for p in range(PRIORITIES)),
                "packets": sum(
                    adapter.counters[f"{direction}_packets {p}"] for p in range(PRIORITIES)
                ),
                "errors": 0,
                "dropped": adapter.counters["rx_discards"] if direction == "rx" else 0,
            }
            for direction in ("rx", "tx")
        }
    return row


def _with_address(row: dict[str, object], adapter: Adapter) -> dict[str, object]:
    if adapter.ip:
        length = adapter.address.partition("/")[2] or "32"
        row["addr_info"] = [
            {
                "family": "inet",
                "local": adapter.ip,
                "prefixlen": int(length),
                "scope": "global",
                "label": adapter.netdev,
            }
        ]
    return row


def _text(rows: list[dict[str, object]]) -> str:
    shown = ""
    for row in rows:
        flags = row["flags"]
        joined = ",".join(str(flag) for flag in flags) if isinstance(flags, list) else ""
        shown += (
            f"{row['ifindex']}: {row['ifname']}: <{joined}> mtu {row['mtu']} qdisc mq state "
            f"{row['operstate']} mode DEFAULT group default qlen 1000\n"
            f"    link/ether {row['address']} brd ff:ff:ff:ff:ff:ff\n"
        )
        for entry in row.get("addr_info", []):  # type: ignore[attr-defined]  # a list where present
            shown += (
                f"    inet {entry['local']}/{entry['prefixlen']} scope global {entry['label']}\n"
            )
        statistics = row.get("stats64")
        if isinstance(statistics, dict):
            for direction in ("rx", "tx"):
                found = statistics[direction]
                shown += (
                    f"    {direction.upper()}:  bytes packets errors dropped\n"
                    "    "
                    + " ".join(str(found[key]) for key in ("bytes", "packets", "errors", "dropped"))
                    + "\n"
                )
    return shown


def ethtool_program(adapters: Mapping[str, Adapter], links: Links) -> Program:
    """Give ``ethtool`` for a host's adapters."""

    def ethtool(call: Call) -> int:
        words = list(call.arguments)
        option = words.pop(0) if words and words[0].startswith("-") else ""
        if not words:
            return call.fail("ethtool: bad command line argument(s)")
        adapter = adapters.get(words[0])
        if adapter is None:
            return call.fail("netlink error: No such device", NO_DEVICE)
        if option in ("-A", "--pause"):
            return _set_pause(call, adapter, words[1:])
        shown = {
            "": _settings(adapter, is_up=links.is_link_up(adapter.netdev)),
            "-S": _statistics(adapter),
            "--statistics": _statistics(adapter),
            "-a": _pause(adapter),
            "--show-pause": _pause(adapter),
            "-i": _driver(adapter),
            "--driver": _driver(adapter),
        }.get(option)
        if shown is None:
            return call.fail("ethtool: bad command line argument(s)")
        call.out(shown)
        return 0

    return ethtool


def _set_pause(call: Call, adapter: Adapter, words: list[str]) -> int:
    if not call.is_root:
        return call.fail("netlink error: Operation not permitted", 1)
    for name, value in zip(words[::2], words[1::2], strict=False):
        if name not in ("rx", "tx", "autoneg") or value not in ("on", "off"):
            return call.fail("ethtool: bad command line argument(s)")
        if name == "rx":
            adapter.rx_pause = value == "on"
        elif name == "tx":
            adapter.tx_pause = value == "on"
    return 0


def _statistics(adapter: Adapter) -> str:
    rows = counters.ethtool_statistics(adapter)
    return "NIC statistics:\n" + "".join(f"     {name}: {value}\n" for name, value in rows.items())


def _pause(adapter: Adapter) -> str:
    def word(*, on: bool) -> str:
        return "on" if on else "off"

    return (
        f"Pause parameters for {adapter.netdev}:\nAutonegotiate:\toff\n"
        f"RX:\t\t{word(on=adapter.rx_pause)}\nTX:\t\t{word(on=adapter.tx_pause)}\n\n"
    )


def _driver(adapter: Adapter) -> str:
    return (
        "driver: mlx5_core\nversion: 6.8.0\nfirmware-version: 28.43.3608 (MT_0000000838)\n"
        f"expansion-rom-version: \nbus-info: 0000:{0x17 + adapter.index:02x}:00.0\n"
        "supports-statistics: yes\nsupports-test: yes\nsupports-eeprom-access: no\n"
        "supports-register-dump: no\nsupports-priv-flags: yes\n"
    )


def _settings(adapter: Adapter, *, is_up: bool) -> str:
    speed = f"{adapter.speed_bps // 1_000_000}Mb/s" if is_up else "Unknown!"
    return (
        f"Settings for {adapter.netdev}:\n"
        "\tSupported ports: [ Backplane ]\n"
        f"\tSupported link modes:   {adapter.speed_bps // 1_000_000}baseCR4/Full\n"
        "\tSupported pause frame use: Symmetric\n"
        "\tSupports auto-negotiation: Yes\n"
        "\tSupported FEC modes: RS\n"
        "\tAdvertised pause frame use: Symmetric\n"
        "\tAdvertised auto-negotiation: Yes\n"
        "\tAdvertised FEC modes: RS\n"
        f"\tSpeed: {speed}\n"
        "\tLanes: 4\n"
        f"\tDuplex: {'Full' if is_up else 'Unknown! (255)'}\n"
        "\tAuto-negotiation: on\n"
        "\tPort: Direct Attach Copper\n"
        "\tPHYAD: 0\n"
        "\tTransceiver: internal\n"
        "\tSupports Wake-on: d\n"
        "\tWake-on: d\n"
        f"\tLink detected: {'yes' if is_up else 'no'}\n"
    )
