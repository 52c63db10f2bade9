"""Configurations: what a port holds follows from its own lines, else from the switch's."""

from __future__ import annotations

import pytest

from netcheck.model.device import AdminState, DefectKind, Device
from netcheck.model.known import ABSENT, UNKNOWN, is_known
from netcheck.model.qos import (
    CongestionAction,
    DcbxMode,
    Ecn,
    PfcMode,
    PortQos,
    Scheduler,
    SchedulerKind,
    Static,
    Trust,
    Watchdog,
    WatchdogAction,
)
from netcheck.platforms.nxos.parsed.words import number_list, numbers, port_names
from tests.platforms.nxos.nxos_texts import CONFIG, read

LEAF = read(CONFIG, "show running-config")
PACKETS = "minimum-threshold 10 packets maximum-threshold 2 mbytes"
QOS = LEAF.ports["Ethernet1/1"].qos


def qos_of(text: str, port: str = "Ethernet1/1") -> PortQos:
    return read(text).ports[port].qos


def messages(device: Device, kind: DefectKind) -> list[str]:
    return [defect.message for defect in device.defects if defect.kind is kind]


def test_marks_lead_to_qos_groups_and_the_rest_to_the_default_class() -> None:
    assert QOS.trust is Trust.DSCP
    assert is_known(QOS.dscp_to_priority)
    led = {dscp: group for dscp, group in QOS.dscp_to_priority.items() if group}
    assert led == {24: 3, 26: 3, 48: 7}
    assert QOS.pcp_to_priority is ABSENT


def test_the_no_drop_class_pauses_and_has_the_account_that_is_stated() -> None:
    assert (QOS.pfc_mode, QOS.pfc_rx, QOS.pfc_tx) == (PfcMode.ON, frozenset({3}), frozenset({3}))
    assert is_known(QOS.ingress_buffer)
    account = QOS.ingress_buffer[3]
    assert account.threshold == Static(46800)
    assert (account.size_bytes, account.headroom_bytes, account.xon_bytes) == (101920, 55120, 34320)
    assert is_known(QOS.priority_to_priority_group)
    assert QOS.priority_to_priority_group[3] == 3
    assert QOS.priority_to_priority_group[7] == 0


def test_queues_are_served_and_marked_as_the_system_policy_says() -> None:
    assert QOS.scheduler == {
        0: Scheduler(SchedulerKind.WEIGHTED, 40),
        3: Scheduler(SchedulerKind.WEIGHTED, 60),
        7: Scheduler(SchedulerKind.STRICT),
    }
    assert QOS.ecn == {3: Ecn(150_000, 3_000_000, 7, CongestionAction.MARK, is_active=True)}


def test_times_of_the_watchdog_are_multiples_of_its_interval() -> None:
    assert QOS.watchdog == Watchdog(400, 2000, WatchdogAction.ALERT, frozenset({3}))
    assert LEAF.qos[""].watchdog_poll_ms == 200


def test_members_take_what_their_port_channel_says() -> None:
    member = LEAF.ports["Ethernet1/3"]
    assert member.aggregate == "port-channel5"
    assert (member.qos.trust, member.qos.pfc_tx) == (Trust.DSCP, frozenset({3}))
    assert member.qos.dcbx_mode is DcbxMode.IEEE
    assert "port-channel5" not in LEAF.ports


def test_a_whole_configuration_has_the_defaults_of_the_system() -> None:
    port = LEAF.ports["Ethernet1/4"]
    assert (port.l2_mtu, port.admin_state) == (1500, AdminState.DOWN)
    assert (port.qos.pfc_mode, port.qos.pfc_tx) == (PfcMode.AUTO, UNKNOWN)
    assert (port.qos.trust, port.qos.watchdog) == (Trust.NONE, ABSENT)
    assert (port.qos.global_pause_rx, port.qos.global_pause_tx) == (True, False)


def test_identity_is_not_taken_from_a_banner() -> None:
    assert (LEAF.is_whole, LEAF.os_version, LEAF.defects) == (True, "10.3(4a)", ())


def test_every_fact_knows_the_line_it_was_read_from() -> None:
    at = LEAF.find_evidence("port Ethernet1/1", "pfc_rx")
    assert CONFIG.splitlines()[at.line - 1].strip() == "priority-flow-control mode on"


def test_an_excerpt_says_nothing_of_what_it_does_not_show() -> None:
    qos = qos_of("interface Ethernet1/1\n  priority-flow-control mode on\n")
    assert (qos.pfc_mode, qos.pfc_tx) == (PfcMode.ON, UNKNOWN)
    assert (qos.trust, qos.scheduler, qos.watchdog) == (UNKNOWN, UNKNOWN, UNKNOWN)
    assert (
        read("interface Ethernet1/1\n  mtu 9216\n  service-policy type qos input X\n").defects == ()
    )


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("bandwidth percent 30", Scheduler(SchedulerKind.WEIGHTED, 30)),
        ("priority", Scheduler(SchedulerKind.STRICT)),
        ("priority level 2", Scheduler(SchedulerKind.STRICT)),
    ],
)
def test_each_way_to_serve_a_queue_is_read(line: str, expected: Scheduler) -> None:
    text = f"policy-map type queuing O\n  class type queuing c-out-8q-q3\n    {line}\n"
    text += "interface Ethernet1/1\n  service-policy type queuing output O\n"
    assert qos_of(text).scheduler == {3: expected}


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("random-detect", Ecn(action=CongestionAction.DROP, is_active=True)),
        (
            f"random-detect {PACKETS} drop-probability 9 weight 1",
            Ecn(UNKNOWN, 2_000_000, 9, CongestionAction.DROP, is_active=True),
        ),
    ],
)
def test_thresholds_whose_bytes_nobody_states_are_unknown(line: str, expected: Ecn) -> None:
    text = f"policy-map type queuing O\n  class type queuing c-out-8q-q3\n    {line}\n"
    text += "interface Ethernet1/1\n  service-policy type queuing output O\n"
    assert qos_of(text).ecn == {3: expected}


def test_the_first_class_that_takes_a_mark_wins() -> None:
    text = (
        "class-map type qos match-any A\n  match dscp 26\n"
        "class-map type qos match-any B\n  match dscp 24-31\n  match precedence 6\n"
        "policy-map type qos P\n  class A\n    set qos-group 3\n  class B\n    set qos-group 4\n"
        "interface Ethernet1/1\n  service-policy type qos input P\n"
    )
    found = qos_of(text).dscp_to_priority
    assert is_known(found)
    assert (found[26], found[25], found[48], found[0]) == (3, 4, 4, 0)


def test_a_class_that_an_access_list_fills_leaves_the_map_open() -> None:
    text = (
        "class-map type qos match-all A\n  match access-group name X\n"
        "policy-map type qos P\n  class A\n    set qos-group 3\n"
        "interface Ethernet1/1\n  service-policy type qos input P\n"
    )
    assert qos_of(text).dscp_to_priority is UNKNOWN


def test_no_drop_without_a_priority_pauses_the_cos_that_leads_there() -> None:
    text = (
        "class-map type qos match-all R\n  match cos 4\n"
        "policy-map type qos P\n  class R\n    set qos-group 3\n"
        "class-map type network-qos N\n  match qos-group 3\n"
        "policy-map type network-qos Q\n  class type network-qos N\n    pause no-drop\n"
        "    mtu 2240\n"
        "system qos\n  service-policy type network-qos Q\n"
        "interface Ethernet1/1\n  priority-flow-control mode on\n"
    )
    qos = qos_of(text)
    assert qos.pfc_tx == frozenset({4})
    assert qos.mtu_by_priority == {3: 2240}
    assert is_known(qos.pfc_priority_to_queue)
    assert qos.pfc_priority_to_queue[4] == 3


def test_names_that_a_whole_configuration_does_not_define_are_told() -> None:
    text = (
        "hostname leaf8\npolicy-map type qos P\n  class GONE\n    set qos-group 3\n"
        "interface Ethernet1/1\n  service-policy type qos input P\n"
        "  service-policy type queuing output LOST\n"
    )
    found = " ".join(messages(read(text), DefectKind.DANGLING_REFERENCE))
    assert "class-map GONE is not defined" in found
    assert "policy-map type queuing LOST is not defined" in found


@pytest.mark.parametrize(
    "text",
    [
        "interface Ethernet1/1\n  priority-flow-control watchdog action drop\n",
        "policy-map type queuing O\n  class type queuing c-out-8q-q3\n    congestion ecn 9\n",
        "policy-map type network-qos N\n  class type network-qos c-8q-nq3\n    pause cos 3\n",
        "system qos\n  service-policy type network-qos A\n  trust dscp\n",
        "priority-flow-control watch-dog-interval 200\nfeature lacp\n",
    ],
)
def test_lines_about_qos_that_nobody_knows_are_told(text: str) -> None:
    [defect] = read(text).defects
    assert (defect.kind, defect.touches_qos) == (DefectKind.UNKNOWN_LINE, True)


def test_a_mark_out_of_range_is_malformed_and_leaves_the_map_open() -> None:
    text = (
        "class-map type qos match-any A\n  match dscp 64\n"
        "policy-map type qos P\n  class A\n    set qos-group 3\n"
        "interface Ethernet1/1\n  service-policy type qos input P\n"
    )
    device = read(text)
    assert messages(device, DefectKind.MALFORMED_VALUE)
    assert device.ports["Ethernet1/1"].qos.dscp_to_priority is UNKNOWN


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Ethernet 1/1-1/3", ["Ethernet1/1", "Ethernet1/2", "Ethernet1/3"]),
        ("Ethernet1/1, Eth1/5-6", ["Ethernet1/1", "Ethernet1/5", "Ethernet1/6"]),
        ("Ethernet1/3/1-2", ["Ethernet1/3/1", "Ethernet1/3/2"]),
        ("port-channel50", ["port-channel50"]),
        ("Vlan7", None),
        ("Ethernet1/1-1000000000", None),
    ],
)
def test_ranges_of_ports_are_their_ports(text: str, expected: list[str] | None) -> None:
    assert port_names(text) == expected


@pytest.mark.parametrize("text", ["0-63", "3", "24,26-28", "0,2,4"])
def test_lists_of_numbers_are_written_as_they_are_read(text: str) -> None:
    found = numbers(text, 63)
    assert found is not None
    assert number_list(found) == text
