"""What ``nv show qos`` and ``nv show interface NAME qos`` give, as objects.

Source: CumulusNetworks/docs nvue-reference Show-Commands (QoS), Cumulus Linux
    5.14 user guide, RDMA over Converged Ethernet.
"""

from __future__ import annotations

import itertools

from netcheck.lab.devices.cumulus import defaults
from netcheck.lab.devices.cumulus.counts import roce_counters
from netcheck.lab.devices.cumulus.headroom import PIPELINE_BYTES
from netcheck.lab.devices.cumulus.reader import BUFFER_BYTES, stepped
from netcheck.lab.devices.cumulus.state import CumulusSwitch
from netcheck.lab.devices.cumulus.tree import Tree, subtree
from netcheck.lab.devices.cumulus.views import View
from netcheck.lab.devices.cumulus.words import switch

PRIORITIES = defaults.PRIORITIES
_TLV: View = {"lldp-app-tlv": {"priority": 3, "protocol-id": 4791, "selector": "UDP"}}


def mapping(switch_: CumulusSwitch, profile: str) -> View:
    """``nv show qos mapping PROFILE``."""
    return defaults.mapping(switch_.applied, profile)


def pfc(switch_: CumulusSwitch, profile: str) -> View:
    """``nv show qos pfc PROFILE``."""
    return defaults.pfc(switch_.applied, profile)


def _marking(switch_: CumulusSwitch, profile: str, *, is_hardware: bool) -> View:
    found = defaults.congestion(switch_.applied, profile)
    for row in found.values():
        for leaf in ("ecn", "red"):
            row[leaf] = switch(switch_.release, on=defaults.is_on(row[leaf]))
        if is_hardware:
            for leaf in ("min-threshold", "max-threshold"):
                row[leaf] = stepped(row[leaf])
    return {"traffic-class": found}


def congestion(switch_: CumulusSwitch, profile: str) -> View:
    """``nv show qos congestion-control PROFILE``: as configured."""
    return _marking(switch_, profile, is_hardware=False)


def profiles(switch_: CumulusSwitch, feature: str) -> list[str]:
    """Names of a feature's profiles."""
    return [*dict.fromkeys([defaults.GLOBAL, *subtree(switch_.applied, "qos", feature)])]


def qos(switch_: CumulusSwitch) -> View:
    """``nv show qos``, and what stands below it."""
    tree = switch_.applied
    return {
        "roce": roce(switch_),
        "mapping": {name: mapping(switch_, name) for name in profiles(switch_, "mapping")},
        "pfc": {name: found for name in profiles(switch_, "pfc") if (found := pfc(switch_, name))},
        "congestion-control": {
            name: congestion(switch_, name) for name in profiles(switch_, "congestion-control")
        },
        "egress-scheduler": {
            name: {"traffic-class": defaults.scheduler(tree, name)}
            for name in profiles(switch_, "egress-scheduler")
        },
        "egress-queue-mapping": {
            defaults.GLOBAL: {"switch-priority": defaults.queue_mapping(tree)}
        },
        "egress-shaper": subtree(tree, "qos", "egress-shaper"),
        "remark": subtree(tree, "qos", "remark"),
        "link-pause": subtree(tree, "qos", "link-pause"),
        "traffic-pool": defaults.traffic_pools(tree),
        "pfc-watchdog": defaults.watchdog(tree),
        "advance-buffer-config": subtree(tree, "qos", "advance-buffer-config"),
        "buffer": {"pool": buffer_pools(switch_)},
    }


def roce(switch_: CumulusSwitch) -> View:
    """``nv show qos roce``."""
    tree = switch_.applied
    mode = defaults.roce_mode(tree)
    word = (
        ("state", "enabled", "disabled") if switch_.release >= (5, 15) else ("enable", "on", "off")
    )
    if not mode:
        return {word[0]: word[2]}
    marking = defaults.congestion(tree, defaults.GLOBAL)
    first: Tree = next(iter(marking.values()), {})
    is_lossless = mode in defaults.LOSSLESS_MODES
    found = defaults.pfc(tree, defaults.GLOBAL)
    pause: View = {"pfc-priority": "-"}
    if is_lossless:
        pause = {
            "cable-length": found["cable-length"],
            "pfc-priority": ",".join(found["switch-priority"]),
            "rx-enabled": "enabled" if defaults.is_on(found["rx"]) else "disabled",
            "tx-enabled": "enabled" if defaults.is_on(found["tx"]) else "disabled",
        }
    return {
        word[0]: word[1],
        "mode": mode,
        "pfc": pause,
        "congestion-control": {
            "congestion-mode": "ECN",
            "enabled-tc": ",".join(marking),
            "max-threshold": first.get("max-threshold", 0),
            "min-threshold": first.get("min-threshold", 0),
            "probability": first.get("probability", 0),
        },
        **({} if mode == defaults.MULTI_TC else _TLV),
        "trust": {"trust-mode": _trust_words(tree)},
        "prio-map": _priority_map(tree),
        "tc-map": _class_map(tree),
        "pool-map": _pool_map(tree),
        "exceptions": {},
    }


def _trust_words(tree: Tree) -> str:
    words = {"both": "pcp,dscp", "l2": "pcp", "l3": "dscp", "port": "port"}
    return words[str(defaults.mapping(tree, defaults.GLOBAL)["trust"])]


def _priority_map(tree: Tree) -> View:
    found = defaults.mapping(tree, defaults.GLOBAL)
    return {
        str(priority): {
            "pcp": _of(found["pcp"], priority),
            "dscp": _of(found["dscp"], priority),
            "switch-prio": priority,
        }
        for priority in PRIORITIES
    }


def _of(rows: Tree, priority: int) -> str:
    return ",".join(n for n, row in rows.items() if row["switch-priority"] == priority) or "-"


def _class_map(tree: Tree) -> View:
    weights = defaults.scheduler(tree, defaults.GLOBAL)
    found: View = {}
    for priority, row in defaults.queue_mapping(tree).items():
        one = weights[str(row["traffic-class"])]
        strict = one["mode"] == "strict"
        found[priority] = {
            "switch-prio": int(priority),
            "traffic-class": row["traffic-class"],
            "scheduler-weight": "strict-priority" if strict else f"DWRR-{one['bw-percent']}%",
        }
    return found


def _pool_map(tree: Tree) -> View:
    lossless = sorted(defaults.pfc(tree, defaults.GLOBAL).get("switch-priority", {}))
    queues = defaults.queue_mapping(tree)
    paused = {str(queues[priority]["traffic-class"]) for priority in lossless}
    others = {str(row["traffic-class"]) for row in queues.values()} - paused
    pools = defaults.traffic_pools(tree)
    own = defaults.lossless_pool(tree)
    lossy = [str(n) for n in PRIORITIES if not own or str(n) not in lossless]
    percent = f"{pools['default-lossy']['memory-percent']}%"
    rows: View = {"0": ("lossy-default-ingress", percent, ",".join(lossy), "-")}
    if own:
        share = f"{pools[own]['memory-percent']}%"
        rows["1"] = ("roce-reserved-ingress", share, ",".join(lossless), "-")
    rows["2"] = ("lossy-default-egress", percent, "-", ",".join(sorted(others)))
    if lossless:
        rows["3"] = ("roce-reserved-egress", "inf", "-", ",".join(sorted(paused)))
    return {
        number: {
            "name": name,
            "mode": "Dynamic",
            "size": size,
            "switch-priorities": priorities,
            "traffic-class": classes,
        }
        for number, (name, size, priorities, classes) in rows.items()
    }


def buffer_pools(switch_: CumulusSwitch) -> View:
    """``nv show qos buffer pool``."""
    rows = defaults.traffic_pools(switch_.applied).items()
    found: View = {}
    for (way, first), (index, (name, row)) in itertools.product(
        (("INGRESS", 2), ("EGRESS", 13)), enumerate(rows)
    ):
        found[str(first + index)] = {
            "name": name,
            "direction": way,
            "mode": "DYNAMIC",
            "size": BUFFER_BYTES * int(row.get("memory-percent", 0)) // 100,
        }
    return found


def interface_qos(switch_: CumulusSwitch, name: str) -> View:
    """``nv show interface NAME qos``, and what stands below it."""
    tree = switch_.applied

    def used(feature: str) -> str:
        return defaults.profile_of(tree, name, feature)

    return {
        "mapping": {"profile": used("mapping"), **mapping(switch_, used("mapping"))},
        "pfc": {"profile": used("pfc"), **pfc(switch_, used("pfc"))},
        "congestion-control": {
            "profile": used("congestion-control"),
            **_marking(switch_, used("congestion-control"), is_hardware=True),
        },
        "egress-scheduler": {
            "profile": used("egress-scheduler"),
            "traffic-class": defaults.scheduler(tree, used("egress-scheduler")),
        },
        "egress-queue-mapping": {"switch-priority": defaults.queue_mapping(tree)},
        "pfc-watchdog": port_watchdog(switch_, name),
        "buffer": {"ingress-priority-group": priority_groups(switch_, name)},
        "roce": {"status": roce_status(switch_, name), "counters": roce_counters(switch_, name)},
    }


def port_watchdog(switch_: CumulusSwitch, name: str) -> View:
    """``nv show interface NAME qos pfc-watchdog``."""
    is_on = defaults.has_watchdog(switch_.applied, name)
    view: View = {"state": "enabled" if is_on else "disabled"}
    if is_on:
        view["status"] = {
            str(queue): {
                "status": "OK",
                "deadlock-count": switch_.tallies.count(name, "queue_storms", queue),
            }
            for queue in PRIORITIES
        }
    return view


def priority_groups(switch_: CumulusSwitch, name: str) -> View:
    """``nv show interface NAME qos buffer ingress-priority-group``."""
    port = switch_.port(name)
    found: View = {}
    for group in sorted(set(port.group_of)):
        is_lossless = group in {port.group_of[priority] for priority in port.lossless}
        # the switch shows what it computed, whatever the hardware took
        headroom = port.headroom if is_lossless else PIPELINE_BYTES
        found[str(group)] = {
            "pool-id": "3" if is_lossless else "2",
            "mode": "DYNAMIC",
            "reserved-size": 0,
            "current-usage": 0,
            "max-usage": switch_.tallies.peaks[name, "group_shared_peak", group],
            "shared-max": "ALPHA_1" if is_lossless else "ALPHA_8",
            "lossy-lossless": "Lossless" if is_lossless else "Lossy",
            "xon-threshold": PIPELINE_BYTES if is_lossless else 0,
            "xoff-threshold": int(port.pfc.get("xoff-threshold", 0)) if is_lossless else 0,
            "headroom": headroom,
            "headroom-usage": 0,
            "headroom-max-usage": switch_.tallies.peaks[name, "group_headroom_peak", group],
        }
    return found


def roce_status(switch_: CumulusSwitch, name: str) -> View:
    """``nv show interface NAME qos roce status``."""
    found = roce(switch_)
    if "mode" not in found:
        return {}
    marking = _marking(
        switch_,
        defaults.profile_of(switch_.applied, name, "congestion-control"),
        is_hardware=True,
    )["traffic-class"]
    first: View = next(iter(marking.values()), {})
    pause = found["pfc"]
    yes = {"enabled": "yes", "disabled": "no"}
    return {
        "mode": found["mode"],
        "congestion-control": {
            **found["congestion-control"],
            "congestion-mode": "ecn, absolute",
            "min-threshold": first.get("min-threshold", 0),
            "max-threshold": first.get("max-threshold", 0),
        },
        **({"lldp-app-tlv": found["lldp-app-tlv"]} if "lldp-app-tlv" in found else {}),
        "pfc": {leaf: yes.get(str(value), value) for leaf, value in pause.items()},
        "trust": found["trust"],
        "prio-map": {"cnp": found["prio-map"]["6"], "roce": found["prio-map"]["3"]},
        "tc-map": {"cnp": found["tc-map"]["6"], "roce": found["tc-map"]["3"]},
        "pool-map": found["pool-map"],
    }
