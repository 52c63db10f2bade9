"""The files of switchd (``traffic.conf``, ``qos_features.conf``, ``qos_infra.conf``) as objects.

Source: CumulusNetworks/docs cumulus-linux-514 Quality of Service (Linux Commands),
cumulus-linux-37 Buffer and Queue Management, cumulus-linux-44 RoCE.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Final

from netcheck.model.device import Defect, DefectKind
from netcheck.model.document import Document, Evidence
from netcheck.platforms.cumulus.parsed.ids import expand
from netcheck.platforms.cumulus.parsed.settings import ALL_PORTS
from netcheck.platforms.cumulus.parsed.texts import source_of
from netcheck.platforms.cumulus.parsed.tree import Node

_LINE: Final = re.compile(r"^\s*(?P<key>[A-Za-z_][\w.-]*)\s*=\s*(?P<value>.*?)\s*$")
_TRUST: Final = {
    frozenset({"dscp"}): "l3",
    frozenset({"802.1p"}): "l2",
    frozenset({"cos"}): "l2",
    frozenset({"802.1p", "dscp"}): "both",
    frozenset({"port"}): "port",
}
# family of port groups -> section of NVUE
_GROUPS: Final = {
    "source": "mapping",
    "remark": "remark",
    "pfc": "pfc",
    "link_pause": "link-pause",
    "ecn_red": "congestion-control",
    "egress_sched": "egress-scheduler",
    "shaping": "egress-shaper",
    "pfc_watchdog": "pfc-watchdog",
}
_PFC_LEAVES: Final = {
    "port_buffer_bytes": "port-buffer",
    "xoff_size": "xoff-threshold",
    "xon_delta": "xon-threshold",
    "tx_enable": "tx",
    "rx_enable": "rx",
    "cable_length": "cable-length",
}
_ECN_LEAVES: Final = {
    "ecn_enable": "ecn",
    "red_enable": "red",
    "min_threshold_bytes": "min-threshold",
    "max_threshold_bytes": "max-threshold",
    "probability": "probability",
}
_MARKS: Final = {"dscp": "dscp", "8021p": "pcp", "cos": "pcp"}
# Known lines that say nothing which the model holds: weights of whole priority groups, buffer
# accounts by number, shapers, and hashing.
_SILENT: Final = re.compile(
    r"priority_group\.|scheduling\.|port\.(?:service_pool|mgmt)|(?:flow_control|pfc)\.(?:ingress|egress)"
    r"|(?:ingress|egress)_(?:service_)?pool|multicast|unicast|mgmt|shaping\.|source\.\w+\.port_default"
    r"|egress\.|host\.|forwarding_table|hash_config|lag_hash|symmetric|acl\.|lossy_|flow_control\."
    r"|wrr|cut_through|resilient|ecmp|sflow|vxlan|ptp|(?:default_)?dos_|asic|cell|total_"
)
_QOS_WORDS: Final = re.compile(r"pfc|ecn|red_|dscp|8021p|cos_|priority|buffer|pause|sched|pool|mtu")


@dataclass(slots=True)
class Found:
    """What the files say so far.

    Attributes:
        leaves: ``group -> leaves for each of its queues``, until the queues are known.
        ports: ``(family, group) -> port set``.
        listed: ``family -> (groups announced, where)``.
    """

    root: Node = field(default_factory=Node)
    defects: list[Defect] = field(default_factory=list)
    leaves: dict[str, list[tuple[str, str, Evidence]]] = field(default_factory=dict)
    queues: dict[str, tuple[tuple[str, ...], Evidence]] = field(default_factory=dict)
    ports: dict[tuple[str, str], tuple[str, Evidence]] = field(default_factory=dict)
    listed: dict[str, tuple[tuple[str, ...], Evidence]] = field(default_factory=dict)
    groups: dict[str, dict[str, Evidence]] = field(default_factory=dict)
    pools: dict[str, str] = field(default_factory=dict)
    unsettled: set[str] = field(default_factory=set)

    def put(self, path: tuple[str, ...], value: str, evidence: Evidence) -> None:
        """Set a leaf of ``qos``."""
        node = self.root.put(("qos", *path), evidence)
        node.leaf, node.evidence = value, evidence


def is_conf_line(line: str) -> bool:
    """Tell whether a line has the shape of switchd's files."""
    return _LINE.match(line) is not None


def read_conf(document: Document) -> Found:
    """Read the lines of switchd's files; comments say nothing."""
    found = Found()
    for number, line in enumerate(document.text.split("\n"), document.first_line):
        match = _LINE.match(line.split("#", 1)[0])
        if match is not None:
            evidence = replace(source_of(document), line=number)
            _read(found, match["key"], match["value"], evidence)
    _mark_queues(found)
    _settle_groups(found)
    _settle_pools(found)
    return found


def _read(found: Found, key: str, value: str, evidence: Evidence) -> None:
    parts = tuple(key.split("."))
    read = _READERS.get(parts[0])
    if parts[0] in _GROUPS and len(parts) > 1:
        _read_group(found, parts, value, evidence)
    elif read is not None and read(found, parts, value, evidence):
        return
    elif _SILENT.match(key) is None and _QOS_WORDS.search(key) is not None:
        _tell_unknown(found, key, value, evidence)


def _tell_unknown(found: Found, key: str, value: str, evidence: Evidence) -> None:
    found.defects.append(
        Defect(
            DefectKind.UNKNOWN_LINE,
            key,
            f"{key}: is not understood",
            found=f"{key} = {value}",
            evidence=evidence,
        )
    )


def words(value: str) -> tuple[str, ...]:
    """Give the items of ``[a,b]``, ``a,b`` or ``a``, ranges spelled out.

    Example:
        >>> words("[0-2, 5]")
        ('0', '1', '2', '5')
    """
    inner = value.strip().removeprefix("[").removesuffix("]")
    return expand(inner.replace(" ", ""))


def _read_group(found: Found, parts: tuple[str, ...], value: str, evidence: Evidence) -> None:
    family = parts[0]
    if parts[1] == "port_group_list":
        found.listed[family] = (words(value), evidence)
        return
    if len(parts) < 3:  # noqa: PLR2004 -- family, group, leaf
        _tell_unknown(found, ".".join(parts), value, evidence)
        return
    group, rest = parts[1], parts[2:]
    found.groups.setdefault(family, {}).setdefault(group, evidence)
    section = _GROUPS[family]
    if rest[0] == "port_set":
        found.ports[family, group] = (value, evidence)
    elif section == "egress-shaper":
        return
    elif not _put(found, section, group, rest, (value, evidence)):
        _tell_unknown(found, ".".join(parts), value, evidence)


def _put(
    found: Found, section: str, group: str, rest: tuple[str, ...], said: tuple[str, Evidence]
) -> bool:
    """Set what one line says of a group; False for a line that is not known."""
    value, evidence = said
    head = rest[0]
    if section in {"pfc", "link-pause"} and head in _PFC_LEAVES:
        found.put((section, group, _PFC_LEAVES[head]), value, evidence)
    elif section == "pfc" and head in {"cos_list", "egress_queue_list"}:
        for priority in words(value):
            found.root.put(("qos", section, group, "switch-priority", priority), evidence)
    elif section == "congestion-control" and head in {"cos_list", "egress_queue_list"}:
        found.queues[group] = (words(value), evidence)
    elif section == "congestion-control" and head in _ECN_LEAVES:
        found.leaves.setdefault(group, []).append((_ECN_LEAVES[head], value, evidence))
    elif head.startswith("egr_queue_") and rest[1:] == ("bw_percent",):
        _put_weight(found, group, head.removeprefix("egr_queue_"), value, evidence)
    elif head == "port_default_priority":
        found.put(("mapping", group, "port-default-sp"), value, evidence)
    elif head.endswith("_set"):
        return _put_trust(found, section, group, said)
    elif head.startswith("cos_") and len(rest) == 3:  # noqa: PLR2004 -- cos_N, what, mark
        return _put_marks(found, group, rest, said)
    else:
        return False
    return True


def _put_weight(found: Found, group: str, queue: str, value: str, evidence: Evidence) -> None:
    path = ("egress-scheduler", group, "traffic-class", queue)
    is_strict = value.strip() == "0"
    found.put((*path, "mode"), "strict" if is_strict else "dwrr", evidence)
    if not is_strict:
        found.put((*path, "bw-percent"), value, evidence)


def _put_trust(found: Found, section: str, group: str, said: tuple[str, Evidence]) -> bool:
    value, evidence = said
    listed = frozenset(words(value))
    word = _TRUST.get(listed, "")
    if section == "remark":
        if listed:
            found.put(("remark", group, "rewrite"), word, evidence)
        return bool(word) or not listed
    if word:
        found.put(("mapping", group, "trust"), word, evidence)
    return bool(word)


def _put_marks(found: Found, group: str, rest: tuple[str, ...], said: tuple[str, Evidence]) -> bool:
    value, evidence = said
    priority, what, mark = rest[0].removeprefix("cos_"), rest[1], _MARKS.get(rest[2], "")
    if not mark:
        return False
    for one in words(value):
        if what == "priority_source":
            found.put(("mapping", group, mark, one, "switch-priority"), priority, evidence)
        else:
            found.put(("remark", group, "switch-priority", priority, mark), one, evidence)
    return what in {"priority_source", "priority_remark"}


def _read_traffic(found: Found, parts: tuple[str, ...], value: str, evidence: Evidence) -> bool:
    """``traffic.``: what holds for all ports."""
    rest = parts[1:]
    if rest == ("packet_priority_remark_set",):
        return _put_trust(found, "remark", ALL_PORTS, (value, evidence))
    if rest[:1] == ("packet_priority_source_set",):
        return _put_trust(found, "mapping", ALL_PORTS, (value, evidence))
    return bool(rest) and _put(found, "mapping", ALL_PORTS, rest, (value, evidence))


def _read_ecn(found: Found, parts: tuple[str, ...], value: str, evidence: Evidence) -> bool:
    return len(parts) > 1 and _put(
        found, "congestion-control", ALL_PORTS, parts[1:], (value, evidence)
    )


def _read_sched(found: Found, parts: tuple[str, ...], value: str, evidence: Evidence) -> bool:
    return len(parts) > 1 and _put(
        found, "egress-scheduler", ALL_PORTS, parts[1:], (value, evidence)
    )


def _read_queue(found: Found, parts: tuple[str, ...], value: str, evidence: Evidence) -> bool:
    """``cos_egr_queue.cos_2.uc = 7``."""
    if len(parts) != 3 or parts[2] not in {"uc", "mc", "cpu"}:  # noqa: PLR2004 -- three words
        return False
    if parts[2] == "uc":
        priority = parts[1].removeprefix("cos_")
        path = ("egress-queue-mapping", ALL_PORTS, "switch-priority", priority, "traffic-class")
        found.put(path, value, evidence)
    return True


def _read_watchdog(found: Found, parts: tuple[str, ...], value: str, evidence: Evidence) -> bool:
    leaf = {"poll_interval": "polling-interval", "robustness": "robustness"}.get(parts[-1])
    if leaf is not None:
        found.put(("pfc-watchdog", leaf), value, evidence)
    return leaf is not None


def _read_pool(found: Found, parts: tuple[str, ...], value: str, evidence: Evidence) -> bool:  # noqa: ARG001 -- one signature for all families
    found.pools[".".join(parts)] = value
    return True


_READERS: Final[dict[str, Callable[[Found, tuple[str, ...], str, Evidence], bool]]] = {
    "traffic": _read_traffic,
    "default_ecn_red_conf": _read_ecn,
    "default_egress_sched": _read_sched,
    "cos_egr_queue": _read_queue,
    "pfc_wd": _read_watchdog,
    "ingress_service_pool": _read_pool,
    "flow_control": _read_pool,
}


def _mark_queues(found: Found) -> None:
    """ECN's numbers stand once a group and hold for each of its queues."""
    for group, (queues, evidence) in found.queues.items():
        for queue in queues:
            path = ("congestion-control", group, "traffic-class", queue)
            found.root.put(("qos", *path), evidence)
            for leaf, value, at in found.leaves.get(group, []):
                found.put((*path, leaf), value, at)


def _settle_groups(found: Found) -> None:
    for family, section in _GROUPS.items():
        groups = found.groups.get(family, {})
        listed, evidence = found.listed.get(family, (tuple(groups), Evidence()))
        for group in listed:
            if group in groups:
                _bind(found, family, section, group)
            else:
                found.unsettled.add(section)
                found.defects.append(_unmet(family, group, groups, listed, evidence))


def _bind(found: Found, family: str, section: str, group: str) -> None:
    value, evidence = found.ports.get((family, group), ("", Evidence()))
    for port in words(value):
        if section == "pfc-watchdog":
            found.root.put(("interface", port, "qos", section), evidence)
        elif port == "allports":
            profile = found.root.at("qos", section, group)
            if profile is not None and group != ALL_PORTS:
                found.root.put(("qos", section, ALL_PORTS), evidence).merge(profile)
        else:
            path = ("interface", port, "qos", section, "profile")
            found.root.put(path, evidence).leaf = group


def _unmet(
    family: str,
    group: str,
    groups: dict[str, Evidence],
    listed: tuple[str, ...],
    evidence: Evidence,
) -> Defect:
    stray = [name for name in groups if name not in listed]
    told = f"; settings are there for {', '.join(stray)}, which is not listed" if stray else ""
    return Defect(
        DefectKind.DANGLING_REFERENCE,
        f"{family}.port_group_list",
        f"{family}.port_group_list names {group}, which has no settings{told}",
        expected=group,
        found=", ".join(stray) or "nothing",
        evidence=evidence,
    )


def _settle_pools(found: Found) -> None:
    """The pool that flow control draws on is the lossless one, pool 0 the lossy one."""
    lossless = found.pools.get("flow_control.ingress_service_pool", "")
    for number, name in ((lossless, "default-lossless"), ("0", "default-lossy")):
        share = found.pools.get(f"ingress_service_pool.{number}.percent", "")
        if number and share:
            found.put(("traffic-pool", name, "memory-percent"), share, Evidence())
