"""A policy that is found from what ports hold makes ports hold the same."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from netcheck.intent.defaults import complete_policy
from netcheck.intent.hosts import host_qos
from netcheck.intent.inferred.classes import (
    Around,
    is_closed,
    marks_as_computed,
    policy_of,
)
from netcheck.intent.inferred.policies import agreed, join
from netcheck.intent.load import load_intent
from netcheck.intent.notes import Notes
from netcheck.intent.switches import Surroundings, schedulers, switch_qos
from netcheck.model.fabric import Delivery, EcnIntent, Policy, Scheduling, TrafficClass
from netcheck.model.frozenmap import FrozenMap
from netcheck.model.known import ABSENT, UNKNOWN, is_known
from netcheck.model.qos import (
    CongestionAction,
    DcbxMode,
    DeviceQos,
    Ecn,
    PortQos,
    Scheduler,
    SchedulerKind,
    Trust,
    Watchdog,
    WatchdogAction,
)
from tests.platforms.strategies import RELAXED, maybe

PRESETS = sorted((Path(__file__).parents[3] / "examples" / "presets").glob("*.yaml"))
SPEEDS = (100_000_000_000, 400_000_000_000)
POLL_MS = 150


def surroundings(speed_bps: int) -> Surroundings:
    return Surroundings("spectrum-4", speed_bps, 4, 5.0, 0.0, 9216, has_shared_headroom=False)


def around(speed_bps: int) -> Around:
    return Around(DeviceQos(watchdog_poll_ms=POLL_MS), speed_bps)


def held(policy: Policy, speed_bps: int) -> PortQos:
    return switch_qos(complete_policy(policy, Notes()), surroundings(speed_bps), Notes())


def found(qos: PortQos, speed_bps: int) -> Policy:
    policy = policy_of(qos, around(speed_bps))
    assert policy is not None
    is_auto = {policy: marks_as_computed(policy, around(speed_bps))}
    (joined,) = join([policy], is_auto=is_auto).policies.values()
    return joined


ECN = st.one_of(
    st.sampled_from([EcnIntent(is_enabled=True), EcnIntent(is_enabled=False)]),
    st.builds(
        lambda low, more, share: EcnIntent(
            is_enabled=True, kmin_bytes=low, kmax_bytes=low + more, pmax_percent=share
        ),
        st.integers(1, 10**7),
        st.integers(0, 10**7),
        st.integers(1, 100),
    ),
)


@st.composite
def policies(draw: st.DrawFn) -> Policy:
    numbers = draw(st.permutations(range(8)))
    queues = draw(st.permutations(range(8)))
    groups = draw(st.permutations(range(8)))
    marks = draw(st.permutations(range(64)))
    count = draw(st.integers(1, 5))
    classes = [TrafficClass("default", priority=numbers[-1], queue=queues[-1])]
    for place in range(count):
        lossless = draw(st.booleans())
        scheduling = draw(st.sampled_from(Scheduling))
        is_weighted = scheduling is Scheduling.WEIGHTED
        ecn = draw(ECN)
        lossy = Delivery.ECN if ecn.is_enabled else Delivery.LOSSY
        classes.append(
            TrafficClass(
                f"c{place}",
                dscp=frozenset(marks[4 * place : 4 * place + draw(st.integers(1, 4))]),
                priority=numbers[place],
                pfc_priority=numbers[place],
                queue=queues[place],
                priority_group=groups[place],
                delivery=Delivery.LOSSLESS if lossless else lossy,
                scheduling=scheduling,
                bandwidth_percent=draw(maybe(st.integers(1, 19))) if is_weighted else UNKNOWN,
                ecn=ecn,
            )
        )
    watchdog = Watchdog(200, 400, draw(st.sampled_from(WatchdogAction)))
    return Policy(
        "drawn",
        trust=Trust.DSCP,
        dcbx=draw(st.sampled_from([DcbxMode.DISABLED, DcbxMode.IEEE])),
        global_pause=draw(st.booleans()),
        watchdog=draw(st.sampled_from([ABSENT, watchdog])),
        classes=FrozenMap({one.name: one for one in classes}),
    )


@RELAXED
@given(policies(), st.sampled_from(SPEEDS))
def test_ports_under_the_found_policy_hold_what_they_held(policy: Policy, speed_bps: int) -> None:
    qos = held(policy, speed_bps)
    assert held(found(qos, speed_bps), speed_bps) == qos


@pytest.mark.parametrize("path", PRESETS, ids=lambda path: path.stem)
def test_a_published_policy_is_found_again(path: Path) -> None:
    (policy,) = load_intent(path).policies.values()
    qos = held(policy, SPEEDS[1])
    assert held(found(qos, SPEEDS[1]), SPEEDS[1]) == qos


RDMA = TrafficClass(
    "rdma", dscp=frozenset({26}), priority=3, delivery=Delivery.LOSSLESS, bandwidth_percent=50
)
CNP = TrafficClass("cnp", dscp=frozenset({48}), priority=6, scheduling=Scheduling.STRICT)
PLAIN = Policy("p", classes=FrozenMap({"rdma": RDMA, "cnp": CNP}))


def test_what_completing_gives_is_not_said() -> None:
    policy = found(held(PLAIN, SPEEDS[1]), SPEEDS[1])
    lossless, cnp, default = policy.classes.values()
    assert (lossless.name, lossless.ecn, lossless.queue) == ("lossless", UNKNOWN, UNKNOWN)
    assert (lossless.dscp, lossless.priority, lossless.bandwidth_percent) == (
        frozenset({26}),
        3,
        50,
    )
    assert (cnp.name, cnp.dscp, cnp.scheduling) == ("cnp", frozenset({48}), UNKNOWN)
    assert (default.name, default.dscp, default.bandwidth_percent) == ("default", UNKNOWN, 50)


def test_ports_of_two_speeds_follow_one_policy_where_thresholds_are_computed() -> None:
    ports = [(held(PLAIN, speed), around(speed)) for speed in SPEEDS]
    used = [policy for qos, about in ports if (policy := policy_of(qos, about))]
    is_auto = {
        one: marks_as_computed(one, about) for one, (_, about) in zip(used, ports, strict=True)
    }
    assert len(set(used)) == len(SPEEDS)
    assert list(join(used, is_auto=is_auto).policies) == ["roce"]
    assert list(join(used).policies) == ["roce", "roce-2"]


def test_a_port_that_tells_nothing_of_pausing_and_marking_has_no_policy() -> None:
    silent = PortQos(trust=Trust.DSCP, dscp_to_priority=FrozenMap({26: 3}))
    assert policy_of(silent, Around()) is None


def test_a_port_that_pauses_and_marks_nothing_is_closed() -> None:
    policy = policy_of(PortQos(pfc_rx=frozenset(), pfc_tx=frozenset()), Around())
    assert policy is not None
    assert is_closed(policy)


def test_thresholds_that_drop_are_no_marking() -> None:
    dropping = Ecn(1000, 2000, 10, CongestionAction.DROP)
    qos = PortQos(pfc_tx=frozenset({3}), ecn=FrozenMap({3: dropping}))
    policy = policy_of(qos, Around())
    assert policy is not None
    assert policy.classes["lossless"].ecn == EcnIntent(is_enabled=False)


def test_an_unknown_scheduler_says_no_share() -> None:
    vendor = FrozenMap({3: Scheduler(SchedulerKind.VENDOR)})
    policy = policy_of(PortQos(pfc_tx=frozenset({3}), scheduler=vendor), Around())
    assert policy is not None
    assert policy.classes["lossless"].scheduling is UNKNOWN


def test_the_pfc_priority_of_a_class_is_found_by_its_queue() -> None:
    """Junos puts RoCE in queue 4 and pauses priority 3."""
    qos = PortQos(
        dscp_to_priority=FrozenMap({0: 0, 26: 5}),
        priority_to_queue=FrozenMap({0: 0, 5: 4}),
        pfc_priority_to_queue=FrozenMap({3: 4}),
        pfc_tx=frozenset({3}),
    )
    policy = policy_of(qos, Around())
    assert policy is not None
    one = policy.classes["lossless"]
    assert (one.priority, one.pfc_priority, one.queue, one.dscp) == (5, 3, 4, frozenset({26}))


def contradictions() -> Iterator[Policy]:
    yield replace(PLAIN, trust=Trust.PCP)
    yield replace(PLAIN, classes=FrozenMap({"rdma": RDMA}))
    yield replace(PLAIN, classes=PLAIN.classes.with_items({"rdma": replace(RDMA, priority=4)}))


@pytest.mark.parametrize("other", list(contradictions()))
def test_policies_that_contradict_each_other_are_not_joined(other: Policy) -> None:
    assert agreed(replace(PLAIN, trust=Trust.DSCP), other) is None


def test_what_one_does_not_say_the_other_may() -> None:
    quiet = PLAIN.classes.with_items({"rdma": replace(RDMA, bandwidth_percent=UNKNOWN)})
    both = agreed(replace(PLAIN, classes=quiet), replace(PLAIN, l2_mtu=9216))
    assert both == replace(PLAIN, l2_mtu=9216)


def test_a_nic_that_maps_every_dscp_by_itself_makes_no_classes_of_that() -> None:
    drivers = frozenset({"mlx5"})
    qos = host_qos(complete_policy(PLAIN, Notes()), drivers)
    about = Around(drivers=drivers, is_host=True, points=frozenset({3}))
    policy = policy_of(qos, about)
    assert policy is not None
    assert list(policy.classes) == ["lossless", "cnp", "default"]
    lossless = policy.classes["lossless"].dscp
    assert is_known(lossless)
    assert 26 in lossless
    assert policy.dcbx is DcbxMode.DISABLED  # the host itself decides


@pytest.mark.parametrize(
    ("rx", "tx"), [({3}, set()), (set(), {3}), ({3, 4}, {3, 4})], ids=["rx", "tx", "one queue"]
)
def test_a_priority_that_pauses_in_one_direction_is_lossless(rx: set[int], tx: set[int]) -> None:
    qos = PortQos(
        trust=Trust.DSCP,
        dscp_to_priority=FrozenMap({dscp: 3 if dscp == 26 else 0 for dscp in range(64)}),
        priority_to_queue=FrozenMap({number: 3 if number == 4 else number for number in range(8)}),
        pfc_priority_to_queue=FrozenMap(
            {number: 3 if number == 4 else number for number in range(8)}
        ),
        pfc_rx=frozenset(rx),
        pfc_tx=frozenset(tx),
    )
    policy = policy_of(qos, around(SPEEDS[0]))
    assert policy is not None
    lossless = [one for one in policy.classes.values() if one.delivery is Delivery.LOSSLESS]
    assert [(one.priority, one.pfc_priority) for one in lossless] == [(3, 3)]


def test_of_two_that_pause_one_queue_a_priority_keeps_its_own() -> None:
    queues = FrozenMap({number: 3 if number == 4 else number for number in range(8)})
    qos = PortQos(
        trust=Trust.DSCP,
        dscp_to_priority=FrozenMap({dscp: 4 if dscp == 26 else 0 for dscp in range(64)}),
        priority_to_queue=queues,
        pfc_priority_to_queue=queues,
        pfc_rx=frozenset({3, 4}),
        pfc_tx=frozenset({3, 4}),
    )
    policy = policy_of(qos, around(SPEEDS[0]))
    assert policy is not None
    lossless = [one for one in policy.classes.values() if one.delivery is Delivery.LOSSLESS]
    assert [(one.priority, one.pfc_priority) for one in lossless] == [(4, 4)]


def test_the_one_class_of_a_short_map_is_not_the_default() -> None:
    """Of one mark that is mapped all lead to priority 3; 63 others do not."""
    qos = PortQos(dscp_to_priority=FrozenMap({26: 3}), pfc_tx=frozenset({3}))
    policy = policy_of(qos, Around())
    assert policy is not None
    said = {name: (one.priority, one.dscp) for name, one in policy.classes.items()}
    assert said == {"lossless": (3, frozenset({26})), "default": (0, UNKNOWN)}


def test_classes_of_one_queue_say_its_share_once() -> None:
    weighted = {
        queue: Scheduler(SchedulerKind.WEIGHTED, share) for queue, share in ((0, 30), (3, 70))
    }
    qos = PortQos(
        dscp_to_priority=FrozenMap({dscp: dscp >> 3 for dscp in range(64)}),
        priority_to_queue=FrozenMap({number: 3 if number == 3 else 0 for number in range(8)}),
        pfc_tx=frozenset({3}),
        scheduler=FrozenMap(weighted),
    )
    policy = policy_of(qos, Around())
    assert policy is not None
    shares = {name: one.bandwidth_percent for name, one in policy.classes.items()}
    assert {name for name, share in shares.items() if is_known(share)} == {"lossless", "default"}
    whole = complete_policy(policy, Notes())
    assert schedulers(whole) == qos.scheduler
    assert {one.bandwidth_percent for one in whole.classes.values()} == {30, 70}


def test_a_watchdog_that_polls_as_usual_leaves_the_policy_short() -> None:
    qos = replace(held(PLAIN, SPEEDS[0]), watchdog=Watchdog(200, 400, WatchdogAction.DROP))
    about = around(SPEEDS[0])._replace(whole=DeviceQos(watchdog_poll_ms=200))
    policy = policy_of(qos, about)
    assert policy is not None
    (joined,) = join([policy]).policies.values()
    assert joined.watchdog_poll_ms is UNKNOWN
    assert joined.classes["lossless"].queue is UNKNOWN


MARKING = Ecn(1000, 2000, 10, CongestionAction.MARK)


def test_whether_a_class_is_lossless_is_not_known_where_pfc_does_not_show() -> None:
    qos = PortQos(
        dscp_to_priority=FrozenMap({dscp: 3 if dscp == 26 else 0 for dscp in range(64)}),
        ecn=FrozenMap({3: MARKING}),
    )
    policy = policy_of(qos, Around())
    assert policy is not None
    assert {name: one.delivery for name, one in policy.classes.items()} == {
        "ecn": UNKNOWN,
        "default": UNKNOWN,
    }


def test_a_queue_that_marks_is_of_a_class_where_pfc_does_not_show() -> None:
    policy = policy_of(PortQos(ecn=FrozenMap({3: MARKING})), Around())
    assert policy is not None
    assert policy.classes["ecn"].priority == 3
    assert not is_closed(policy)
    silent = policy_of(PortQos(pfc_tx=frozenset(), ecn=FrozenMap({3: MARKING})), Around())
    assert silent is not None
    assert is_closed(silent)


def test_a_port_that_marks_nothing_and_tells_nothing_of_pfc_is_not_closed() -> None:
    assert policy_of(PortQos(ecn=FrozenMap({})), Around()) is None
