"""The whole tree that is written for one switch."""

from __future__ import annotations

from netcheck.model.device import Device, Port
from netcheck.model.known import UNKNOWN, is_known
from netcheck.model.qos import DcbxMode, DeviceQos
from netcheck.platforms.cumulus.parsed.defaults import POLL_MS
from netcheck.platforms.cumulus.parsed.device_qos import POOLS
from netcheck.platforms.cumulus.parsed.port_qos import TLVS
from netcheck.platforms.cumulus.quirks import Words, words_of
from netcheck.platforms.cumulus.rendered.profiles import (
    FEATURES,
    Tree,
    ordered_ports,
    profiles,
)
from netcheck.platforms.cumulus.rendered.watchdog_limits import detections

ALL_PORTS = "default-global"
# Half for lossless traffic, half for the rest, as NVIDIA's own RoCE does. Without a lossless
# pool PFC has nothing to account in (Quality of Service, Flow Control Buffers).
LOSSLESS_SHARE = 50


def tree_of(device: Device) -> Tree:
    """Give ``qos`` and ``interface`` with what is said, sections whole."""
    words = words_of(device.os_version)
    switch = next(iter(device.qos.values()), DeviceQos())
    qos: Tree = {}
    bindings: dict[str, dict[str, str]] = {}
    for feature in FEATURES:
        found, bindings[feature] = profiles(device, feature, words)
        if found:
            qos[feature] = found
    qos |= _queues(device) | _watchdog(device, switch) | _pools(device, switch)
    interfaces = {
        port.name: part
        for port in ordered_ports(device)
        if (part := _interface(port, bindings, words))
    }
    tree: Tree = {}
    if interfaces:
        tree["interface"] = interfaces
    if qos:
        tree["qos"] = dict(sorted(qos.items()))
    return tree


def _interface(port: Port, bindings: dict[str, dict[str, str]], words: Words) -> Tree:
    tree: Tree = {}
    if is_known(port.l2_mtu):
        tree["link"] = {"mtu": port.l2_mtu}
    if is_known(port.qos.dcbx_mode):
        word = words.tlv[port.qos.dcbx_mode is DcbxMode.IEEE]
        tree["lldp"] = dict.fromkeys(sorted(TLVS), word)
    qos: Tree = {
        feature: {"profile": names[port.name]} if names[port.name] else {}
        for feature, names in bindings.items()
        if port.name in names
    }
    if port.qos.global_pause_rx is not UNKNOWN or port.qos.global_pause_tx is not UNKNOWN:
        qos["link-pause"] = {}
    if is_known(port.qos.watchdog):
        qos["pfc-watchdog"] = {"state": words.watchdog[True]}
    elif port.qos.watchdog is not UNKNOWN:
        qos["pfc-watchdog"] = {"state": words.watchdog[False]}
    if qos:
        tree["qos"] = dict(sorted(qos.items()))
    if tree:
        tree["type"] = "swp"
    return tree


def _queues(device: Device) -> Tree:
    maps = [
        port.qos.priority_to_queue
        for port in device.ports.values()
        if is_known(port.qos.priority_to_queue)
    ]
    if not maps:
        return {}
    rows = {str(one): {"traffic-class": queue} for one, queue in sorted(maps[0].items())}
    return {"egress-queue-mapping": {ALL_PORTS: {"switch-priority": rows}}}


def _watchdog(device: Device, switch: DeviceQos) -> Tree:
    tree: Tree = {}
    if is_known(switch.watchdog_poll_ms):
        tree["polling-interval"] = switch.watchdog_poll_ms
    times = detections(list(device.ports.values()))
    if times:
        poll = switch.watchdog_poll_ms if is_known(switch.watchdog_poll_ms) else POLL_MS
        tree |= {"polling-interval": poll, "robustness": min(times) // poll}
    return {"pfc-watchdog": tree} if tree else {}


def _pools(device: Device, switch: DeviceQos) -> Tree:
    shares: dict[str, int] = {}
    if is_known(switch.pools):
        for name, pool in switch.pools.items():
            if is_known(pool.size_percent):
                shares[POOLS[name][0]] = pool.size_percent
    elif any(is_known(port.qos.pfc_tx) and port.qos.pfc_tx for port in device.ports.values()):
        shares = {"default-lossless": LOSSLESS_SHARE, "default-lossy": 100 - LOSSLESS_SHARE}
    pools = {name: {"memory-percent": share} for name, share in sorted(shares.items())}
    return {"traffic-pool": pools} if pools else {}
