"""The whole tree that is written for one switch."""

from __future__ import annotations

from netcheck.model.device import Port
from netcheck.model.known import UNKNOWN, is_known
from netcheck.model.qos import DcbxMode
from netcheck.platforms.cumulus.parsed.defaults import POLL_MS
from netcheck.platforms.cumulus.parsed.device_qos import POOLS
from netcheck.platforms.cumulus.parsed.port_qos import TLVS
from netcheck.platforms.cumulus.quirks import Words, words_of
from netcheck.platforms.cumulus.rendered.profiles import (
    FEATURES,
    Tree,
    profiles,
)
from netcheck.platforms.cumulus.rendered.watchdog_limits import detections
from netcheck.platforms.switch import Switch

ALL_PORTS = "default-global"
# Half for lossless traffic, half for the rest, as NVIDIA's own RoCE does. Without a lossless
# pool PFC has nothing to account in (Quality of Service, Flow Control Buffers).
LOSSLESS_SHARE = 50


def tree_of(switch: Switch) -> Tree:
    """Give ``qos`` and ``interface`` with what is said, sections whole.

    Ports of one kind share their part of the tree.
    """
    words = words_of(switch.device.os_version)
    qos: Tree = {}
    bindings: dict[str, list[str | None]] = {}
    for feature in FEATURES:
        found, bindings[feature] = profiles(switch, feature, words)
        if found:
            qos[feature] = found
    qos |= _queues(switch) | _watchdog(switch) | _pools(switch)
    parts = [
        _interface(port, {each: names[kind] for each, names in bindings.items()}, words)
        for kind, port in enumerate(switch.kinds)
    ]
    interfaces = {port.name: part for port, part in switch.for_each_port(parts) if part}
    tree: Tree = {}
    if interfaces:
        tree["interface"] = interfaces
    if qos:
        tree["qos"] = dict(sorted(qos.items()))
    return tree


def _interface(port: Port, bound: dict[str, str | None], words: Words) -> Tree:
    tree: Tree = {}
    if is_known(port.l2_mtu):
        tree["link"] = {"mtu": port.l2_mtu}
    if is_known(port.qos.dcbx_mode):
        word = words.tlv[port.qos.dcbx_mode is DcbxMode.IEEE]
        tree["lldp"] = dict.fromkeys(sorted(TLVS), word)
    qos: Tree = {
        feature: {"profile": name} if name else {}
        for feature, name in bound.items()
        if name is not None
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


def _queues(switch: Switch) -> Tree:
    maps = [
        port.qos.priority_to_queue for port in switch.kinds if is_known(port.qos.priority_to_queue)
    ]
    if not maps:
        return {}
    rows = {str(one): {"traffic-class": queue} for one, queue in sorted(maps[0].items())}
    return {"egress-queue-mapping": {ALL_PORTS: {"switch-priority": rows}}}


def _watchdog(switch: Switch) -> Tree:
    tree: Tree = {}
    poll_ms = switch.qos.watchdog_poll_ms
    if is_known(poll_ms):
        tree["polling-interval"] = poll_ms
    times = detections(switch.kinds)
    if times:
        poll = poll_ms if is_known(poll_ms) else POLL_MS
        tree |= {"polling-interval": poll, "robustness": min(times) // poll}
    return {"pfc-watchdog": tree} if tree else {}


def _pools(switch: Switch) -> Tree:
    shares: dict[str, int] = {}
    pools = switch.qos.pools
    if is_known(pools):
        for name, pool in pools.items():
            if is_known(pool.size_percent):
                shares[POOLS[name][0]] = pool.size_percent
    elif any(is_known(port.qos.pfc_tx) and port.qos.pfc_tx for port in switch.kinds):
        shares = {"default-lossless": LOSSLESS_SHARE, "default-lossy": 100 - LOSSLESS_SHARE}
    rows = {name: {"memory-percent": share} for name, share in sorted(shares.items())}
    return {"traffic-pool": rows} if rows else {}
