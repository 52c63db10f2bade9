"""What a revision is refused for when it is applied: conflicts between its parts."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from netcheck.lab.devices.cumulus import defaults
from netcheck.lab.devices.cumulus.refusals import Refused, refuse
from netcheck.lab.devices.cumulus.schema import refused_leaves
from netcheck.lab.devices.cumulus.tree import Tree, subtree

WHOLE = 100
GLOBAL = defaults.GLOBAL
_BOUND = (
    "pfc",
    "mapping",
    "remark",
    "congestion-control",
    "egress-scheduler",
    "egress-shaper",
    "link-pause",
)
_LOSSLESS = ("default-lossless", "roce-lossless")
Speeds = dict[str, int]  # bits per second by port


def find_refused(tree: Tree, release: tuple[int, int], speeds: Speeds) -> list[Refused]:
    """Everything in a configuration that the switch does not take."""
    found = list(refused_leaves(tree, release))
    if found:
        return found  # conflicts are looked for in values that are what they should be
    found = [refused for check in CHECKS for refused in check(tree)]
    return found + list(_shapers(tree, speeds))


def _interfaces(tree: Tree) -> Iterator[tuple[str, Tree]]:
    for name, row in subtree(tree, "interface").items():
        if isinstance(row, dict):
            yield name, row.get("qos", {}) if isinstance(row.get("qos"), dict) else {}


def _profiles(tree: Tree) -> Iterator[Refused]:
    for port, qos in _interfaces(tree):
        for feature in _BOUND:
            name = subtree(qos, feature).get("profile")
            if name in (None, GLOBAL) or name in subtree(tree, "qos", feature):
                continue
            path = ("interface", port, "qos", feature, "profile")
            yield refuse("profile-missing", path, feature=feature, value=str(name))


def _has_pfc(tree: Tree, port: str) -> bool:
    return bool(defaults.pfc(tree, defaults.profile_of(tree, port, "pfc")))


def _pauses(tree: Tree, port: str) -> bool:
    name = defaults.profile_of(tree, port, "link-pause")
    row = subtree(tree, "qos", "link-pause", name)
    return bool(row) and any(defaults.is_on(row.get(way), default=True) for way in ("tx", "rx"))


def _flow_control(tree: Tree) -> Iterator[Refused]:
    for port, _ in _interfaces(tree):
        if _pauses(tree, port) and _has_pfc(tree, port):
            yield refuse("pfc-and-link-pause", ("interface", port, "qos"))


def _watchdogs(tree: Tree) -> Iterator[Refused]:
    for port, qos in _interfaces(tree):
        if "pfc-watchdog" not in qos or not defaults.has_watchdog(tree, port):
            continue
        path = ("interface", port, "qos", "pfc-watchdog")
        kind = subtree(tree, "interface", port).get("type", "swp" if port[:3] == "swp" else "bond")
        if kind != "swp":
            yield refuse("watchdog-on-bond", path)
        elif not (_has_pfc(tree, port) or _pauses(tree, port)):
            yield refuse("watchdog-without-pfc", path)


def _pools(tree: Tree) -> Iterator[Refused]:
    given = subtree(tree, "qos", "traffic-pool")
    path = ("qos", "traffic-pool")
    pools = defaults.traffic_pools(tree)
    total = sum(int(row.get("memory-percent", 0)) for row in pools.values())
    if total > WHOLE:
        yield refuse("memory-sum", path, value=str(total))
    if all(name in given for name in _LOSSLESS):
        yield refuse("two-lossless-pools", path)
    unfit = "default-lossless" if defaults.roce_mode(tree) else "roce-lossless"
    if unfit in given:
        yield refuse("lossless-pool-of-roce", (*path, unfit), value=unfit)
    seen: dict[str, str] = {}
    for name, row in given.items():
        for priority in subtree(row, "switch-priority"):
            if priority in seen:
                yield refuse("priority-in-two-pools", (*path, name), value=priority)
            seen[priority] = name


def _global_only(tree: Tree) -> Iterator[Refused]:
    for feature, refusal in (
        ("egress-queue-mapping", "queue-mapping-profile"),
        ("advance-buffer-config", "buffer-profile"),
    ):
        for name in subtree(tree, "qos", feature):
            if name != GLOBAL:
                yield refuse(refusal, ("qos", feature, name))


def _schedulers(tree: Tree) -> Iterator[Refused]:
    for name, row in subtree(tree, "qos", "egress-scheduler").items():
        path = ("qos", "egress-scheduler", name)
        classes = subtree(row, "traffic-class")
        for number, one in classes.items():
            if one.get("mode") == "dwrr" and "bw-percent" not in one:
                yield refuse("percent-missing", (*path, "traffic-class", number))
        total = sum(
            int(one.get("bw-percent", 0)) for one in classes.values() if one.get("mode") != "strict"
        )
        if total > WHOLE:
            yield refuse("percent-sum", path, value=str(total))


def _thresholds(tree: Tree) -> Iterator[Refused]:
    for name in subtree(tree, "qos", "congestion-control"):
        for number, row in defaults.congestion(tree, name).items():
            low, high = int(row["min-threshold"]), int(row["max-threshold"])
            if high < low:
                path = ("qos", "congestion-control", name, "traffic-class", number)
                yield refuse("threshold-order", path, value=str(high), limit=str(low))
    for feature in ("pfc", "link-pause"):
        for name, row in subtree(tree, "qos", feature).items():
            buffer, xoff = int(row.get("port-buffer", 0)), int(row.get("xoff-threshold", 0))
            if "port-buffer" in row and buffer < xoff:
                where = ("qos", feature, name)
                yield refuse("buffer-below-xoff", where, value=str(buffer), limit=str(xoff))


def _shapers(tree: Tree, speeds: Speeds) -> Iterator[Refused]:
    for name, row in subtree(tree, "qos", "egress-shaper").items():
        path = ("qos", "egress-shaper", name)
        limit = row.get("port-max-rate")
        for number, one in subtree(row, "traffic-class").items():
            rate = one.get("max-rate")
            if limit is not None and rate is not None and int(rate) > int(limit):
                where = (*path, "traffic-class", number)
                yield refuse("shaper-above-port", where, value=str(rate), limit=str(limit))
        for port, qos in _interfaces(tree):
            bound = subtree(qos, "egress-shaper").get("profile") == name
            if (
                bound
                and limit is not None
                and int(limit) * 1000 > speeds.get(port, int(limit) * 1000)
            ):
                yield refuse("shaper-above-speed", path, value=str(limit), port=port)


def _advanced(tree: Tree) -> Iterator[Refused]:
    given = subtree(tree, "qos", "advance-buffer-config", GLOBAL)
    path = ("qos", "advance-buffer-config", GLOBAL)
    for way in ("ingress", "egress"):
        pools = subtree(given, f"{way}-service-pool")
        base = (
            0
            if "0" in pools
            else int(defaults.traffic_pools(tree)["default-lossy"].get("memory-percent", WHOLE))
        )
        total = base + sum(int(row.get("memory-percent", 0)) for row in pools.values())
        if pools and total > WHOLE:
            yield refuse(f"{way}-pool-sum", (*path, f"{way}-service-pool"), value=str(total))
    yield from _groups(given, path)
    for name, row in _regions(given):
        yield from _shares(given, name, row, (*path, name))


def _groups(given: Tree, path: tuple[str, ...]) -> Iterator[Refused]:
    groups = subtree(given, "ingress-lossy-buffer", "priority-group")
    mapped = {p for row in groups.values() for p in subtree(row, "switch-priority")}
    if not mapped:
        return
    for priority in defaults.PRIORITIES:
        if str(priority) not in mapped:
            where = (*path, "ingress-lossy-buffer", "priority-group")
            yield refuse("priority-without-group", where, value=str(priority))


def _regions(given: Tree) -> Iterator[tuple[str, Tree]]:
    for name in ("ingress-lossless-buffer", "egress-lossless-buffer"):
        yield name, subtree(given, name)
    for name, part in (
        ("ingress-lossy-buffer", "priority-group"),
        ("egress-lossy-buffer", "traffic-class"),
    ):
        for row in subtree(given, name, part).values():
            yield name, row


def _shares(given: Tree, name: str, row: Tree, path: tuple[str, ...]) -> Iterator[Refused]:
    way = name.partition("-")[0]
    pool = str(row.get("service-pool", 1 if "lossless" in name else 0))
    mode = subtree(given, f"{way}-service-pool", pool).get("mode", "dynamic")
    shown = f"{way}-service-pool {pool}"
    if "shared-alpha" in row and mode == "static":
        yield refuse("alpha-of-static-pool", path, pool=shown)
    if "shared-bytes" in row and mode == "dynamic":
        yield refuse("bytes-of-dynamic-pool", path, pool=shown)


Check = Callable[[Tree], Iterator[Refused]]
CHECKS: tuple[Check, ...] = (
    _profiles,
    _flow_control,
    _watchdogs,
    _pools,
    _global_only,
    _schedulers,
    _thresholds,
    _advanced,
)
