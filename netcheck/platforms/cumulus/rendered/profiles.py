"""Profiles that ports share, and what each port binds: model to NVUE's objects.

Equal contents have one name, which follows the policy that asks for them, so that
tuning a policy changes a profile in place. Where one policy leads to several
contents, the cable and the speed tell them apart, else a digest.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable
from functools import lru_cache
from hashlib import sha256
from typing import Any, Final

from netcheck.model.device import Port
from netcheck.model.frozenmap import FrozenMap
from netcheck.model.known import UNKNOWN, Known, Missing, is_known, known_or
from netcheck.model.qos import CongestionAction, Ecn, PortQos, Scheduler, SchedulerKind, Trust
from netcheck.platforms.cumulus.quirks import Words
from netcheck.platforms.switch import Switch

Tree = dict[str, Any]  # Any: nested objects whose leaves are texts and numbers
BASE: Final = "netcheck"
_GBPS: Final = 1_000_000_000
_NOTHING: frozenset[int] = frozenset()
_TRUST: Final = {Trust.DSCP: "l3", Trust.PCP: "l2", Trust.BOTH: "both"}
# ``customer1`` of the documents shows letters, digits and underscores.
_UNSAFE: Final = re.compile(r"[^A-Za-z0-9_]")


def mapping(port: Port, words: Words) -> Tree | None:  # noqa: ARG001 -- one signature for all features
    """Objects of ``qos mapping``; None where nothing is said."""
    trust = port.qos.trust
    if isinstance(trust, Missing):
        return None
    tree: Tree = {"trust": _TRUST[trust]}
    for mark in ("dscp", "pcp"):
        marks = getattr(port.qos, f"{mark}_to_priority")
        if is_known(marks):
            tree[mark] = {str(one): {"switch-priority": to} for one, to in sorted(marks.items())}
    return tree


def scheduler(port: Port, words: Words) -> Tree | None:  # noqa: ARG001 -- one signature for all features
    """Objects of ``qos egress-scheduler``; None where nothing is said."""
    services = port.qos.scheduler
    if isinstance(services, Missing):
        return None
    rows = {str(queue): _service(one) for queue, one in sorted(services.items())}
    return {"traffic-class": rows}


def _service(one: Scheduler) -> Tree:
    if one.kind is SchedulerKind.STRICT:
        return {"mode": "strict"}
    return {"bw-percent": one.weight_percent, "mode": "dwrr"}


def marking(port: Port, words: Words) -> Tree | None:
    """Objects of ``qos congestion-control``; those that say so where no queue marks."""
    marks = port.qos.ecn
    if marks is UNKNOWN:
        return None
    found = marks if is_known(marks) else FrozenMap[int, Ecn]()
    rows = {str(queue): _ecn(one, words) for queue, one in sorted(found.items())}
    # a port without a profile would mark in queue 0, as all ports do out of the box
    return {"traffic-class": rows or {"0": {"ecn": words.ecn[False], "red": words.ecn[False]}}}


def _ecn(one: Ecn, words: Words) -> Tree:
    is_active = one.is_active is not False
    is_drop = one.action is CongestionAction.DROP
    return {
        "ecn": words.ecn[is_active and not is_drop],
        "max-threshold": one.kmax_bytes,
        "min-threshold": one.kmin_bytes,
        "probability": one.pmax_percent,
        "red": words.ecn[is_active and is_drop],
    }


def pfc(port: Port, words: Words) -> Tree | None:
    """Objects of ``qos pfc``; empty ones where PFC is off."""
    qos = port.qos
    if qos.pfc_tx is UNKNOWN:
        return None
    rx, tx = known_or(qos.pfc_rx, _NOTHING), known_or(qos.pfc_tx, _NOTHING)
    if not rx | tx:
        return {}
    tree: Tree = {
        "rx": words.pfc[bool(rx)],
        "switch-priority": {str(priority): {} for priority in sorted(rx | tx)},
        "tx": words.pfc[bool(tx)],
    }
    if is_known(port.cable_m):
        tree["cable-length"] = port.cable_m
    return tree | _numbers(port)


def _numbers(port: Port) -> Tree:
    accounts = port.qos.ingress_buffer
    account = next(iter(accounts.values()), None) if is_known(accounts) else None
    if account is None:
        return {}
    size, headroom, xon = account.size_bytes, account.headroom_bytes, account.xon_bytes
    if isinstance(size, Missing) or isinstance(headroom, Missing) or isinstance(xon, Missing):
        return {}
    xoff = size - headroom
    return {"port-buffer": size, "xoff-threshold": xoff, "xon-threshold": xoff - xon}


def remark(port: Port, words: Words) -> Tree | None:  # noqa: ARG001 -- one signature for all features
    """Objects of ``qos remark``; empty ones where nothing is remarked."""
    found = {"dscp": port.qos.remark_dscp, "pcp": port.qos.remark_pcp}
    if all(marks is UNKNOWN for marks in found.values()):
        return None
    known = {mark: marks for mark, marks in found.items() if is_known(marks)}
    if not known:
        return {}
    rewrite = "both" if len(known) > 1 else "l3" if "dscp" in known else "l2"
    rows: dict[str, Tree] = {}
    for mark, marks in known.items():
        for priority, to in sorted(marks.items()):
            rows.setdefault(str(priority), {})[mark] = to
    return {"rewrite": rewrite, "switch-priority": dict(sorted(rows.items()))}


FEATURES: Final[dict[str, Callable[[Port, Words], Tree | None]]] = {
    "congestion-control": marking,
    "egress-scheduler": scheduler,
    "mapping": mapping,
    "pfc": pfc,
    "remark": remark,
}


def profiles(
    switch: Switch, feature: str, words: Words
) -> tuple[dict[str, Tree], list[str | None]]:
    """Give ``name -> profile``, and for each of ``switch.kinds`` which it binds.

    An empty name is said where no profile is wanted, None where nothing is said.
    """
    contents = [_content(feature, port, words) for port in switch.kinds]
    users: dict[str, list[Port]] = defaultdict(list)
    for port, (key, _) in zip(switch.kinds, contents, strict=True):
        if key:
            users[key].append(port)
    names = _names(users)
    found = {names[key]: tree for key, tree in contents if key and tree}
    bound = [names[key] if key else tree if tree is None else "" for key, tree in contents]
    return dict(sorted(found.items())), bound


def _content(feature: str, port: Port, words: Words) -> tuple[str, Tree | None]:
    cable_m = port.cable_m if feature == "pfc" else UNKNOWN  # in no other profile
    return _content_of(feature, port.qos, cable_m, words)


@lru_cache(maxsize=4096)
def _content_of(
    feature: str, qos: PortQos, cable_m: Known[int], words: Words
) -> tuple[str, Tree | None]:
    """Give a profile with its whole content as a text, which is empty where there is none."""
    tree = FEATURES[feature](Port("", qos=qos, cable_m=cable_m), words)
    return repr(tree) if tree else "", tree


def _names(users: dict[str, list[Port]]) -> dict[str, str]:
    by_base: dict[str, list[str]] = defaultdict(list)
    for key, ports in users.items():
        by_base[_base(ports)].append(key)
    names = {}
    for base, keys in by_base.items():
        for key in keys:
            names[key] = base if len(keys) == 1 else f"{base}_{_mark(key, keys, users)}"
    held = Counter(names.values())
    for key in [each for each, name in names.items() if held[name] > 1]:
        # a policy is called what another one's mark leads to
        names[key] = f"{_base(users[key])}_{_digest(key)}"
    return names


def _base(ports: list[Port]) -> str:
    policies = sorted(port.policy for port in ports if is_known(port.policy))
    if not policies:
        return BASE
    safe = _UNSAFE.sub("_", policies[0])
    is_plain = safe == policies[0] and safe[:1].isalpha()
    return safe if is_plain else f"n{safe}_{_digest(policies[0])}"


def _mark(key: str, keys: list[str], users: dict[str, list[Port]]) -> str:
    """What tells a content from the others of its policy: speed, cable, or both."""
    for mark in (_speed, _cable, lambda port: f"{_speed(port)}_{_cable(port)}"):
        own = {mark(port) for port in users[key]}
        others = {mark(port) for one in keys if one != key for port in users[one]}
        word = next(iter(own)) if len(own) == 1 else ""
        if word and word not in others and "?" not in word:
            return word
    return _digest(key)


def _speed(port: Port) -> str:
    speed: Known[int] = port.speed_bps
    return f"{speed // _GBPS}g" if is_known(speed) and speed % _GBPS == 0 else "?"


def _cable(port: Port) -> str:
    return f"{port.cable_m}m" if is_known(port.cable_m) else "?"


def _digest(text: str) -> str:
    return sha256(text.encode()).hexdigest()[:8]
