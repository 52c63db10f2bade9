"""What holds where nothing is configured, and what one command turns on.

Source: Cumulus Linux 5.14 user guide, Quality of Service (defaults of each
    feature) and RDMA over Converged Ethernet (default RoCE configuration,
    outputs of ``nv show qos roce``).
"""

from __future__ import annotations

from netcheck.lab.devices.cumulus.tree import Tree, subtree

PRIORITIES = range(8)
DSCPS = range(64)
GLOBAL = "default-global"
ON = frozenset({"on", "enable", "enabled", "true"})
ROCE_CABLE_M = 100
PFC_CABLE_M = 10
MTU = 9216
POLL_MS, ROBUSTNESS = 100, 3
MIN_THRESHOLD, MAX_THRESHOLD = 150_000, 1_500_000
LOSSLESS_MODES = ("lossless", "lossless-single-ipool")
MULTI_TC = "lossy-multi-tc"
_TRIM_DSCPS = {1: 1, 2: 1, 3: 2, 4: 2, 5: 3, 6: 3} | dict.fromkeys(range(11, 41), 4)
_TRIM_WEIGHTS = (4, 8, 18, 22, 22, 22, 4, 0)
_LOSSLESS_POOLS = ("roce-lossless", "default-lossless")


def is_on(value: object, *, default: bool = False) -> bool:
    """Read a switch in any release's words."""
    return default if value is None else str(value) in ON


def roce_mode(tree: Tree) -> str:
    """Mode of one-click RoCE; empty where it is off.

    ``nv set qos roce`` alone turns it on, and without a mode it is lossless.
    """
    found = tree.get("qos", {}).get("roce") if isinstance(tree.get("qos"), dict) else None
    if not isinstance(found, dict):
        return ""
    if not is_on(found.get("enable", found.get("state")), default=True):
        return ""
    return str(found.get("mode", "lossless"))


def mapping(tree: Tree, profile: str) -> Tree:
    """Trust, default priority and both maps of a profile, whole."""
    given = subtree(tree, "qos", "mapping", profile)
    mode = roce_mode(tree) if profile == GLOBAL else ""
    dscp = {d: d // 8 for d in DSCPS}
    if mode == MULTI_TC:
        dscp = {d: _TRIM_DSCPS.get(d, 0) for d in DSCPS}
    return {
        "trust": given.get("trust", "both" if mode else "l2"),
        "port-default-sp": given.get("port-default-sp", 0),
        "pcp": _numbered({n: n for n in PRIORITIES}, given.get("pcp", {}), "switch-priority"),
        "dscp": _numbered(dscp, given.get("dscp", {}), "switch-priority"),
    }


def _numbered(default: dict[int, int], given: Tree, leaf: str) -> Tree:
    found: Tree = {}
    for number, value in default.items():
        row = given.get(str(number), {})
        found[str(number)] = {leaf: row.get(leaf, value)}
    return found


def queue_mapping(tree: Tree) -> Tree:
    """Switch priority to traffic class: one for the whole switch."""
    default = {n: n for n in PRIORITIES}
    if roce_mode(tree) not in ("", MULTI_TC):
        default = {n: n if n in (3, 6) else 0 for n in PRIORITIES}
    given = subtree(tree, "qos", "egress-queue-mapping", GLOBAL, "switch-priority")
    return _numbered(default, given, "traffic-class")


def scheduler(tree: Tree, profile: str) -> Tree:
    """Mode and percent of each traffic class; one that a profile does not name has 0."""
    given = subtree(tree, "qos", "egress-scheduler", profile, "traffic-class")
    mode = roce_mode(tree) if profile == GLOBAL else ""
    found = {str(n): {"mode": "dwrr", "bw-percent": 0} for n in PRIORITIES}
    if mode == MULTI_TC:
        found = {str(n): {"mode": "dwrr", "bw-percent": _TRIM_WEIGHTS[n]} for n in PRIORITIES}
    elif mode:
        found |= {n: {"mode": "dwrr", "bw-percent": 50} for n in ("0", "3")}
        found["6"] = {"mode": "strict", "bw-percent": 0}
    elif not given:
        found = {str(n): {"mode": "dwrr", "bw-percent": 12 + n % 2} for n in PRIORITIES}
    for number, row in given.items():
        found[number] = {**found.get(number, {"mode": "dwrr", "bw-percent": 0}), **row}
    for row in found.values():
        if row["mode"] == "strict":
            row["bw-percent"] = 0
    return found


def congestion(tree: Tree, profile: str) -> Tree:
    """Marking of each traffic class that has any."""
    given = subtree(tree, "qos", "congestion-control", profile, "traffic-class")
    mode = roce_mode(tree) if profile == GLOBAL else ""
    plain = {
        "ecn": "enable",
        "red": "disable",
        "min-threshold": MIN_THRESHOLD,
        "max-threshold": MAX_THRESHOLD,
        "probability": 100,
    }
    found: Tree = {}
    if mode == MULTI_TC:
        trim = {**plain, "min-threshold": 166_912, "max-threshold": 239_616, "probability": 5}
        found = {str(n): dict(trim) for n in (1, 2, 3)}
    elif mode:
        found = {str(n): dict(plain) for n in (0, 3)}
    elif not given and profile == GLOBAL:
        found = {"0": dict(plain)}
    for number, row in given.items():
        found[number] = {**found.get(number, plain), **row}
    return found


def pfc(tree: Tree, profile: str) -> Tree:
    """Priorities, directions, cable and thresholds of a PFC profile; empty without priorities."""
    given = subtree(tree, "qos", "pfc", profile)
    is_roce = profile == GLOBAL and roce_mode(tree) in LOSSLESS_MODES
    roce = subtree(tree, "qos", "roce")
    priorities = given.get("switch-priority") or ({"3": {}} if is_roce else {})
    if not priorities:
        return {}
    cable = roce.get("cable-length", ROCE_CABLE_M) if is_roce else PFC_CABLE_M
    return {
        "cable-length": cable,
        "rx": "enable",
        "tx": "enable",
        **given,
        "switch-priority": priorities,
    }


def watchdog(tree: Tree) -> Tree:
    """Polling interval (ms) and robustness of the switch."""
    return {
        "polling-interval": POLL_MS,
        "robustness": ROBUSTNESS,
        **subtree(tree, "qos", "pfc-watchdog"),
    }


def traffic_pools(tree: Tree) -> Tree:
    """Memory percent of each traffic pool in use."""
    mode = roce_mode(tree)
    found: Tree = {"default-lossy": {"memory-percent": 100}}
    if mode == "lossless":
        found = {
            "default-lossy": {"memory-percent": 50},
            "roce-lossless": {"memory-percent": 50},
        }
    for name, row in subtree(tree, "qos", "traffic-pool").items():
        found[name] = {**found.get(name, {"memory-percent": 0}), **row}
    return found


def lossless_pool(tree: Tree) -> str:
    """Name of the traffic pool for lossless traffic; empty where there is none of its own."""
    pools = traffic_pools(tree)
    return next((name for name in _LOSSLESS_POOLS if name in pools), "")


def profile_of(tree: Tree, port: str, feature: str) -> str:
    """Name of the profile that a port uses for a feature."""
    return str(subtree(tree, "interface", port, "qos", feature).get("profile", GLOBAL))


def has_watchdog(tree: Tree, port: str) -> bool:
    """The port's watchdog is on; naming it is enough."""
    found = subtree(tree, "interface", port, "qos").get("pfc-watchdog")
    return isinstance(found, dict) and is_on(found.get("state"), default=True)
