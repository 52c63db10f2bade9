"""The ten faults of the chain: each one finding, at its place, with and without an intent."""

from __future__ import annotations

from copy import deepcopy
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from netcheck.model.fabric import Origin
from netcheck.model.finding import Verdict
from netcheck.rules.engine import judge
from netcheck.rules.settle import settle
from tests.rules.world import fabric, intent

World = dict[str, Any]  # Any: facts of every kind
G400 = 400_000_000_000
SCHEDULERS = {
    0: {"kind": "weighted", "weight_percent": 50},
    3: {"kind": "weighted", "weight_percent": 50},
    6: {"kind": "strict"},
}
SWITCH_PORT: World = {
    "speed_bps": G400,
    "lanes": 4,
    "l2_mtu": 9216,
    "cable_m": 5,
    "fec": "rs",
    "trust": "dscp",
    "dscp_to_priority": {0: 0, 26: 3, 48: 6},
    "pcp_to_priority": "ABSENT",
    "priority_to_queue": {0: 0, 3: 3, 6: 6},
    "priority_to_priority_group": {0: 0, 3: 3, 6: 0},
    "pfc_priority_to_queue": {3: 3},
    "pfc_priority_to_priority_group": {3: 3},
    "pfc_rx": [3],
    "pfc_tx": [3],
    "scheduler": SCHEDULERS,
    "ecn": {3: {"kmin_bytes": 1600000, "kmax_bytes": 6400000, "pmax_percent": 20}},
    "ingress_buffer": {
        3: {
            "is_lossless": True,
            "size_bytes": 117760,
            "headroom_bytes": 98304,
            "threshold": {"alpha": 1},
        }
    },
    "watchdog": {"detection_ms": 200, "restoration_ms": 400, "priorities": [3]},
}
HOST_PORT: World = {
    "speed_bps": G400,
    "ip_mtu": 9000,
    "fec": "rs",
    "trust": "dscp",
    "dscp_to_priority": {24: 3, 26: 3, 48: 6},
    "priority_to_queue": {0: 0, 3: 3, 6: 6},
    "priority_to_priority_group": {0: 0, 3: 1},
    "pfc_rx": [3],
    "pfc_tx": [3],
    "scheduler": SCHEDULERS,
}
RDMA: World = {
    "ports": ["rail0"],
    "active_mtu": 4096,
    "max_mtu": 4096,
    "notification_point": [3],
    "reaction_point": [3],
    "cnp_dscp": 48,
    "traffic_class": 106,
    "rdma_cm_tos": 106,
}
LINKS = [
    "leaf1 Ethernet0 - gpu1 rail0 5m",
    "leaf1 Ethernet8 - gpu2 rail0 5m",
    "leaf2 Ethernet0 - gpu3 rail0 5m",
    "leaf1 Ethernet16 - spine1 Ethernet0 5m",
    "leaf2 Ethernet16 - spine1 Ethernet8 5m",
]
ENDS = [end for link in LINKS for end in link.removesuffix(" 5m").split(" - ")]
INTENT: World = {
    "trust": "dscp",
    "l2_mtu": 9216,
    "watchdog": {"detection_ms": 200},
    "classes": {
        "rdma": {"dscp": [26], "priority": 3, "delivery": "lossless", "bandwidth_percent": 50},
        "cnp": {"dscp": [48], "priority": 6, "carries": "cnp"},
        "default": {"priority": 0, "bandwidth_percent": 50},
    },
    "links": LINKS,
}


def whole() -> World:
    """A fabric of two leaves, a spine and three hosts without a fault."""
    world: World = {
        name: {"asic": "spectrum-4", "platform": "sonic"} for name in ("leaf1", "leaf2", "spine1")
    }
    for end in ENDS:
        world[end] = deepcopy(HOST_PORT if end.startswith("gpu") else SWITCH_PORT)
    for number in (1, 2, 3):
        world[f"gpu{number} rdma mlx5_0"] = deepcopy(RDMA)
    for link in LINKS:
        a, b = link.removesuffix(" 5m").split(" - ")
        for here, there in ((a, b), (b, a)):
            device, port = there.split()
            world[here]["neighbour"] = {"device": device, "port": port}
    headroom = {"ingress_buffer": {3: {"headroom_bytes": 98304}}, "policy": "backend"}
    said = {end: {"policy": "backend"} if end.startswith("gpu") else headroom for end in ENDS}
    return {**world, "links": LINKS, "intent": {**deepcopy(INTENT), **said}}


HALVED = {3: SWITCH_PORT["ingress_buffer"][3] | {"headroom_bytes": 98304 // 2}}
STARVED = SCHEDULERS | {3: {"kind": "weighted", "weight_percent": 1}}
LOSSY_MAP = {"dscp_to_priority": {0: 0, 26: 0, 48: 6}}
# fault -> what it changes at which end or RDMA device
CHANGES: dict[str, World] = {
    "none": {},
    "pfc-off-one-port": {"leaf1 Ethernet0": {"pfc_rx": [], "pfc_tx": []}},
    "dscp-map-one-leaf": {end: LOSSY_MAP for end in ENDS if end.startswith("leaf1")},
    "nic-trust-pcp": {"gpu1 rail0": {"trust": "pcp"}},
    "ecn-off": {"leaf1 Ethernet0": {"ecn": "ABSENT"}},
    "headroom-halved": {"leaf1 Ethernet0": {"ingress_buffer": HALVED}},
    "mtu-1500-spine-port": {"spine1 Ethernet0": {"l2_mtu": 1500}},
    "ets-weight-1": {"leaf1 Ethernet0": {"scheduler": STARVED}},
    "watchdog-off": {"leaf1 Ethernet0": {"watchdog": "ABSENT"}},
    "cables-swapped": {
        "leaf1 Ethernet0": {"neighbour": {"device": "gpu2", "port": "rail0"}},
        "leaf1 Ethernet8": {"neighbour": {"device": "gpu1", "port": "rail0"}},
        "gpu1 rail0": {"neighbour": {"device": "leaf1", "port": "Ethernet8"}},
        "gpu2 rail0": {"neighbour": {"device": "leaf1", "port": "Ethernet0"}},
    },
    "nic-cnp-dscp-wrong": {"gpu1 rdma mlx5_0": {"cnp_dscp": 0}},
}


def with_fault(name: str) -> World:
    """The whole fabric with a fault in it."""
    world = whole()
    for key, facts in CHANGES[name].items():
        world[key] = world[key] | facts
    return world


def failures(world: World, *, with_intent: bool) -> list[tuple[str, str, list[str]]]:
    plan = intent(world) if with_intent else None
    observed = fabric(world, Origin.SNAPSHOT)
    found = settle(judge(observed, intended=plan, evidence_asked=True), plan)
    return [
        (one.severity.value, one.rule, [str(place) for place in one.where])
        for one in found
        if one.verdict is Verdict.FAIL
    ]


PORT = ["leaf1 Ethernet0"]
LEAF = ["leaf1 Ethernet0", "leaf1 Ethernet8", "leaf1 Ethernet16"]
CABLES = [
    ("error", "link-asym-cabling", ["leaf1 Ethernet0", "gpu1 rail0"]),
    ("error", "link-asym-cabling", ["leaf1 Ethernet8", "gpu2 rail0"]),
]
BY_INTENT = {
    "none": [],
    "pfc-off-one-port": [("error", "pfc-lossless-priority-off", PORT)],
    "dscp-map-one-leaf": [("error", "dscp-not-mapped", LEAF)],
    "nic-trust-pcp": [("error", "nic-trust-pcp-with-dscp-intent", ["gpu1 rail0"])],
    "ecn-off": [("error", "ecn-disabled-on-lossless-queue", ["leaf1 Ethernet0 queue 3"])],
    "headroom-halved": [("error", "hdrm-below-intended", ["leaf1 Ethernet0 priority group 3"])],
    "mtu-1500-spine-port": [("error", "mtu-below-intent", ["spine1 Ethernet0"])],
    "ets-weight-1": [("error", "ets-lossless-starved", ["leaf1 Ethernet0 queue 3"])],
    "watchdog-off": [("error", "pfcwd-absent", PORT)],
    "cables-swapped": CABLES,
    "nic-cnp-dscp-wrong": [("error", "cnp-nic-dscp-mismatch", ["gpu1 rail0 mlx5_0"])],
}
BY_PEERS = {
    "none": [],
    "pfc-off-one-port": [("error", "pfc-prio-peer-mismatch", PORT)],
    "dscp-map-one-leaf": [("error", "dscp-tc-map-mismatch-path", LEAF)],
    "nic-trust-pcp": [("error", "trust-mode-mismatch-link", ["gpu1 rail0"])],
    "ecn-off": [("error", "ecn-off-unlike-peers", ["leaf1 Ethernet0 queue 3"])],
    "headroom-halved": [("error", "hdrm-below-required", ["leaf1 Ethernet0 priority group 3"])],
    "mtu-1500-spine-port": [("error", "mtu-roce-vs-eth", ["spine1 Ethernet0"])],
    "ets-weight-1": [("error", "ets-lossless-starved", ["leaf1 Ethernet0 queue 3"])],
    "watchdog-off": [("warning", "pfcwd-absent", PORT)],
    "nic-cnp-dscp-wrong": [
        ("error", "cnp-dscp-differs-between-hosts", ["gpu1 rail0 mlx5_0"]),
    ],
}


@pytest.mark.parametrize("name", BY_INTENT)
def test_a_fault_is_one_finding_at_its_place_by_the_intent(name: str) -> None:
    assert failures(with_fault(name), with_intent=True) == BY_INTENT[name]


@pytest.mark.parametrize("name", BY_PEERS)
def test_a_fault_is_one_finding_at_its_place_by_its_peers_alone(name: str) -> None:
    assert failures(with_fault(name), with_intent=False) == BY_PEERS[name]


@pytest.mark.parametrize("fact", ["pfc_rx", "dscp_to_priority", "trust", "ecn", "scheduler"])
def test_a_fact_that_vanishes_from_one_port_makes_its_checks_unverified(fact: str) -> None:
    world = whole()
    del world["leaf1 Ethernet0"][fact]
    plan = intent(world)
    found = judge(fabric(world, Origin.SNAPSHOT), intended=plan, evidence_asked=True)
    lacking = [
        one
        for one in found
        if one.verdict is Verdict.UNVERIFIED
        and "leaf1 Ethernet0" in {str(place) for place in one.where}
    ]
    assert f"{fact}: no evidence" in {one.message for one in lacking}


FACTS = sorted({*SWITCH_PORT, *HOST_PORT, *RDMA} - {"ports"})


@settings(max_examples=20, deadline=None, derandomize=True)
@given(
    facts=st.sets(st.sampled_from(FACTS)),
    missing=st.sampled_from(["ABSENT", "UNKNOWN"]),
    with_intent=st.booleans(),
)
def test_whatever_is_missing_every_rule_comes_to_a_verdict(
    *, facts: set[str], missing: str, with_intent: bool
) -> None:
    world = whole()
    for end in (*ENDS, "gpu1 rdma mlx5_0"):
        world[end] = {
            fact: missing if fact in facts else value for fact, value in world[end].items()
        }
    plan = intent(world) if with_intent else None
    found = judge(fabric(world, Origin.SNAPSHOT), intended=plan, evidence_asked=True)
    assert {one.rule for one in found} >= {"pfc-lossless-priority-off", "mtu-link-mismatch"}
