"""Faults to put into a fabric's intent: what is written, and the rule that has to find it."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import NamedTuple

from benchmarks.plan import Cable, Fault, Plan, policy

TAKES_CABLES = re.compile("Ethernet[0-9]+")  # SONiC: the others know lengths by links alone


class Kind(NamedTuple):
    """One kind of fault: where it fits, and how it is put there."""

    fits: Callable[[Cable], bool]
    put: Callable[[Plan, Cable, int], Fault]


def _nic(row: Cable) -> bool:
    return row.a.is_host


def _between(row: Cable) -> bool:
    return not row.a.is_host


def _between_that_takes_cables(row: Cable) -> bool:
    return _between(row) and TAKES_CABLES.fullmatch(row.b.port) is not None


def _ends(row: Cable) -> tuple[tuple[str, str], ...]:
    return tuple((end.device, end.port) for end in (row.a, row.b))


def _setting(name: str, rule: str, fits: Callable[[Cable], bool], **said: str) -> Kind:
    """One key said of the port at the second end."""

    def put(plan: Plan, row: Cable, _number: int) -> Fault:
        plan.set(row.b, **said)
        return Fault(name, rule, _ends(row))

    return Kind(fits, put)


def _of_nic(name: str, rule: str, **said: str) -> Kind:
    """One key said of the RDMA device."""

    def put(plan: Plan, row: Cable, _number: int) -> Fault:
        plan.set(row.a, **said)
        return Fault(name, rule, _ends(row))

    return Kind(_nic, put)


def _policy(
    name: str, rule: str, at: str, fits: Callable[[Cable], bool], change: Callable[[str], str]
) -> Kind:
    """A policy of its own at one end."""

    def put(plan: Plan, row: Cable, number: int) -> Fault:
        end = row.a if at == "a" else row.b
        plan.policies[f"fault{number:02d}"] = change(policy(number))
        plan.set(end, policy=f"fault{number:02d}")
        return Fault(name, rule, (*_ends(row), (f"policy fault{number:02d}", "")))

    return Kind(fits, put)


def _fec(plan: Plan, row: Cable, _number: int) -> Fault:
    plan.set(row.a, fec="none")
    plan.set(row.b, fec="rs")
    return Fault("fec", "link-fec-mismatch", _ends(row))


KINDS = (
    _setting("speed", "link-speed-mismatch", _nic, speed="50G"),
    _setting("mtu", "mtu-roce-vs-eth", _between, l2_mtu="1600B"),
    Kind(_between, _fec),
    _setting("cable", "hdrm-cable-length-vs-topology", _between_that_takes_cables, cable="1m"),
    _setting("policy none", "lossless-at-one-end-only", _nic, policy="none"),
    _of_nic("traffic class", "roce-traffic-class-unset", traffic_class="0"),
    _of_nic("cm tos", "cma-roce-tos", rdma_cm_tos="0"),
    _policy(
        "priority",
        "lossless-at-one-end-only",
        "b",
        _nic,
        lambda text: text.replace("priority: 3", "priority: 4"),
    ),
    _policy(
        "trust",
        "trust-mode-mismatch-link",
        "a",
        _nic,
        lambda text: text.replace("trust: dscp", "trust: pcp"),
    ),
    _policy(
        "DSCP",
        "dscp-lossless-at-one-end-only",
        "b",
        _nic,
        lambda text: text.replace("dscp: [26]", "dscp: [40]"),
    ),
    _policy(
        "CNP",
        "cnp-dscp-differs-between-hosts",
        "a",
        _nic,
        lambda text: text.replace("dscp: [48]", "dscp: [46]"),
    ),
    _policy(
        "global pause",
        "pfc-global-pause-both",
        "b",
        _between,
        lambda text: text + "\n      global_pause: on",
    ),
    _policy(
        "shares",
        "ets-intent-over-100",
        "b",
        _between,
        lambda text: re.sub("priority: 0, bandwidth: [0-9]+", "priority: 0, bandwidth: 90", text),
    ),
    _policy(
        "two classes, one DSCP",
        "intent-class-duplicate-dscp",
        "b",
        _between,
        lambda text: text.replace("[48]", "[26, 48]"),
    ),
    _policy(
        "two classes, one priority",
        "intent-class-duplicate-prio",
        "a",
        _nic,
        lambda text: text.replace("priority: 0", "priority: 3"),
    ),
)
