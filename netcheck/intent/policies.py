"""Policies and traffic classes as the intent states them."""

from __future__ import annotations

from netcheck.intent.fields import Fields
from netcheck.intent.units import PERCENT, SIZE_BYTES, TIME_NS
from netcheck.model.fabric import (
    Carries,
    Delivery,
    EcnIntent,
    HeadroomBy,
    LoadBalancing,
    Policy,
    Scheduling,
    TrafficClass,
)
from netcheck.model.frozenmap import FrozenMap
from netcheck.model.known import ABSENT, UNKNOWN, Known, is_known
from netcheck.model.qos import DcbxMode, Trust, Watchdog, WatchdogAction

NS_PER_MS = 1_000_000


def build_policies(roce: Fields) -> FrozenMap[str, Policy]:
    """Give the policies by name; what is not said stays UNKNOWN."""
    return FrozenMap(
        {name: _policy(name, fields) for name, fields in roce.children("policies").items()}
    )


def _policy(name: str, fields: Fields) -> Policy:
    classes = fields.children("classes")
    return Policy(
        name=name,
        trust=fields.member("trust", Trust),
        l2_mtu=fields.whole("l2_mtu", SIZE_BYTES),
        ip_mtu=fields.whole("ip_mtu", SIZE_BYTES),
        rdma_mtu=fields.whole("rdma_mtu", SIZE_BYTES),
        roce_version=fields.integer("roce_version"),
        dcbx=fields.member("dcbx", DcbxMode),
        headroom=fields.member("headroom", HeadroomBy),
        global_pause=fields.flag("global_pause"),
        watchdog=_watchdog(fields),
        watchdog_poll_ms=fields.child("watchdog").whole("poll", TIME_NS, NS_PER_MS),
        classes=FrozenMap({name: _class(name, one) for name, one in classes.items()}),
        evidence=fields.at,
    )


def _watchdog(fields: Fields) -> Known[Watchdog]:
    if fields.find("watchdog") is None:
        return UNKNOWN
    if fields.text("watchdog") == "off":
        return ABSENT
    inner = fields.child("watchdog")
    return Watchdog(
        detection_ms=inner.whole("detection", TIME_NS, NS_PER_MS),
        restoration_ms=inner.whole("restoration", TIME_NS, NS_PER_MS),
        action=inner.member("action", WatchdogAction),
    )


def _class(name: str, fields: Fields) -> TrafficClass:
    return TrafficClass(
        name=name,
        dscp=fields.integers("dscp"),
        pcp=fields.integers("pcp"),
        priority=fields.integer("priority"),
        pfc_priority=fields.integer("pfc_priority"),
        queue=fields.integer("queue"),
        priority_group=fields.integer("priority_group"),
        delivery=fields.member("delivery", Delivery),
        carries=fields.member("carries", Carries),
        scheduling=fields.member("scheduling", Scheduling),
        bandwidth_percent=fields.whole("bandwidth", PERCENT),
        ecn=_ecn(fields),
        load_balancing=fields.member("load_balancing", LoadBalancing),
    )


def _ecn(fields: Fields) -> Known[EcnIntent]:
    if fields.find("ecn") is None:
        return UNKNOWN
    word = fields.text("ecn")
    if word == "off":
        return EcnIntent(is_enabled=False)
    inner = fields.child("ecn")
    ecn = EcnIntent(
        is_enabled=True,
        kmin_bytes=inner.whole("kmin", SIZE_BYTES),
        kmax_bytes=inner.whole("kmax", SIZE_BYTES),
        pmax_percent=inner.whole("pmax", PERCENT),
    )
    kmin, kmax = ecn.kmin_bytes, ecn.kmax_bytes
    if is_known(kmin) and is_known(kmax) and kmin > kmax:
        fields.complain("ecn", f"kmin expected <= kmax ({kmax}B), found {kmin}B")
    return ecn
