"""Reading facts: a plain value, or an error that says what is missing and where."""

from __future__ import annotations

import pytest

from netcheck.model.device import Device, Port
from netcheck.model.fact import NotGivenError, is_absent, is_readable
from netcheck.model.frozenmap import FrozenMap
from netcheck.model.known import ABSENT, AbsentFactError, UnknownFactError
from netcheck.model.qos import Ecn, PortQos, Trust
from netcheck.model.view import DeviceView, LosslessClass, PortView


def port(qos: PortQos, *, is_intended: bool = False) -> PortView:
    device = DeviceView(Device("leaf1"), is_intended=is_intended)
    return PortView(Port("Ethernet0", qos=qos), device)


def test_a_known_fact_reads_as_its_plain_value() -> None:
    assert port(PortQos(trust=Trust.DSCP)).trust is Trust.DSCP


def test_an_unknown_fact_names_itself_and_its_place() -> None:
    with pytest.raises(UnknownFactError, match="leaf1 Ethernet0 trust: no evidence"):
        _ = port(PortQos()).trust


def test_an_absent_set_or_map_reads_as_empty() -> None:
    view = port(PortQos(pfc_rx=ABSENT, dscp_to_priority=ABSENT, ecn=ABSENT))
    assert not view.pfc_rx
    assert dict(view.dscp_to_priority) == {}
    assert dict(view.ecn) == {}


def test_an_absent_single_value_raises_unless_it_is_asked_for() -> None:
    view = port(PortQos(trust=ABSENT, watchdog=ABSENT))
    assert is_absent(view, "trust")
    assert is_absent(view, "watchdog")
    with pytest.raises(AbsentFactError, match="leaf1 Ethernet0 trust: absent"):
        _ = view.trust
    with pytest.raises(AbsentFactError):
        _ = view.watchdog


def test_asking_for_absence_needs_evidence_too() -> None:
    with pytest.raises(UnknownFactError):
        is_absent(port(PortQos()), "trust")


def test_what_an_intent_does_not_say_was_not_given() -> None:
    with pytest.raises(NotGivenError, match="intended trust: not given"):
        _ = port(PortQos(), is_intended=True).trust


def test_nested_records_know_their_place() -> None:
    view = port(PortQos(ecn=FrozenMap({3: Ecn()})))
    with pytest.raises(UnknownFactError, match="leaf1 Ethernet0 queue 3 kmin_bytes"):
        _ = view.ecn[3].kmin_bytes


def test_an_attempt_keeps_the_gap_and_goes_on() -> None:
    view = port(PortQos())
    with view.attempt():
        _ = view.trust
    assert [str(gap) for gap in view.gaps] == ["leaf1 Ethernet0 trust: no evidence"]


def test_reads_are_kept() -> None:
    view = port(PortQos(trust=Trust.DSCP))
    assert is_readable(view, "trust")
    assert not is_readable(view, "ecn")
    assert view.reads == {"trust"}


def test_without_an_intent_the_paused_priorities_are_lossless() -> None:
    view = port(PortQos(pfc_rx=frozenset({3}), pfc_tx=frozenset({4})))
    assert view.lossless == (LosslessClass(3, 3), LosslessClass(4, 4))


def test_a_pfc_priority_that_no_mark_leads_to_is_followed_by_its_queue() -> None:
    qos = PortQos(
        pfc_rx=frozenset({3}),
        pfc_tx=frozenset({3}),
        dscp_to_priority=FrozenMap({26: 4, 0: 0}),
        priority_to_queue=FrozenMap({4: 4, 0: 0}),
        pfc_priority_to_queue=FrozenMap({3: 4}),
    )
    assert port(qos).lossless == (LosslessClass(4, 3),)


def test_a_priority_without_entry_keeps_its_number() -> None:
    view = port(
        PortQos(priority_to_queue=FrozenMap({3: 4}), priority_to_priority_group=FrozenMap({3: 1}))
    )
    assert (view.queue_of(3), view.queue_of(5)) == (4, 5)
    assert (view.priority_group_of(3), view.priority_group_of(5)) == (1, 5)
