"""What running-configs say: whole ones, excerpts, and lines that EOS does not take."""

from __future__ import annotations

import pytest

from netcheck.model.device import AdminState, DefectKind
from netcheck.model.known import ABSENT, UNKNOWN, is_known
from netcheck.model.qos import (
    CongestionAction,
    DcbxMode,
    Ecn,
    PfcMode,
    Scheduler,
    SchedulerKind,
    Trust,
    Watchdog,
    WatchdogAction,
)
from tests.platforms.eos.eos_switch import read
from tests.platforms.eos.eos_texts import HEADER, OWN_LINES, ROCE

THREE = frozenset({3})


def test_the_header_names_model_and_release() -> None:
    device = read(ROCE)
    assert (device.model, device.os_version, device.is_whole) == (
        "DCS-7060X6-64PE",
        "4.33.1F",
        True,
    )


def test_a_port_has_the_facts_of_its_lines() -> None:
    port = read(ROCE).ports["Ethernet1/1"]
    assert (port.alias, port.speed_bps, port.lanes) == ("gpu01", 400_000_000_000, 4)
    assert (port.ip_mtu, port.l2_mtu) == (9202, 9216)
    assert port.qos.global_pause_rx is True
    assert port.qos.global_pause_tx is False


def test_a_port_is_treated_as_its_profile_says() -> None:
    qos = read(ROCE).ports["Ethernet1/1"].qos
    assert qos.trust is Trust.DSCP
    assert (qos.pfc_rx, qos.pfc_tx, qos.pfc_mode) == (THREE, THREE, PfcMode.ON)
    assert qos.ecn == {3: Ecn(256_000, 2_000_000, 20, CongestionAction.MARK, is_active=True)}
    assert qos.watchdog == Watchdog(200, 400, WatchdogAction.DROP, frozenset({3}))


def test_dscp_0_to_7_lead_to_class_1_and_8_to_15_to_class_0() -> None:
    marks = read(ROCE).ports["Ethernet1/1"].qos.dscp_to_priority
    assert is_known(marks)
    assert (marks[0], marks[7], marks[8], marks[15], marks[16]) == (1, 1, 0, 0, 2)
    assert (marks[24], marks[26], marks[48], marks[63]) == (3, 3, 6, 7)


def test_the_queue_map_keeps_what_no_line_changes() -> None:
    queues = read(ROCE).ports["Ethernet1/1"].qos.priority_to_queue
    assert queues == {0: 0, 1: 1, 2: 2, 3: 3, 4: 4, 5: 5, 6: 5, 7: 7}


def test_queues_that_no_line_states_are_strict_in_a_whole_configuration() -> None:
    served = read(ROCE).ports["Ethernet1/1"].qos.scheduler
    assert is_known(served)
    assert served[3] == Scheduler(SchedulerKind.WEIGHTED, 60)
    assert served[5] == Scheduler(SchedulerKind.STRICT, UNKNOWN, 5_000_000)
    assert served[6] == Scheduler(SchedulerKind.STRICT)


def test_a_member_of_an_aggregate_has_the_profile_of_the_aggregate() -> None:
    port = read(ROCE).ports["Ethernet3/1"]
    assert port.aggregate == "Port-Channel7"
    assert port.qos.pfc_rx == THREE
    assert port.qos.trust is Trust.DSCP


def test_a_port_without_lines_of_qos_has_the_defaults() -> None:
    port = read(ROCE).ports["Ethernet2/1"]
    assert port.qos.trust is Trust.PCP  # a switched port
    assert (port.qos.pfc_rx, port.qos.pfc_mode) == (frozenset(), PfcMode.OFF)
    assert (port.qos.ecn, port.qos.watchdog) == (ABSENT, ABSENT)
    assert (port.admin_state, port.fec) == (AdminState.DOWN, "rs")
    assert port.qos.dcbx_mode is DcbxMode.CEE
    assert port.l2_mtu is UNKNOWN  # the frame size of the platform


def test_only_front_panel_ports_are_ports() -> None:
    assert set(read(ROCE).ports) == {"Ethernet1/1", "Ethernet2/1", "Ethernet3/1"}


def test_own_lines_of_a_port_go_before_its_profile() -> None:
    qos = read(OWN_LINES).ports["Ethernet1/1"].qos
    assert (qos.trust, qos.pfc_rx) == (Trust.PCP, frozenset())


def test_a_policy_map_by_dscp_goes_before_the_map_of_the_switch() -> None:
    marks = read(OWN_LINES).ports["Ethernet2/1"].qos.dscp_to_priority
    assert is_known(marks)
    assert (marks[24], marks[26], marks[48]) == (3, 3, 0)


def test_a_policy_map_that_is_not_there_leaves_the_map_unknown() -> None:
    assert read(OWN_LINES).ports["Ethernet3/1"].qos.dscp_to_priority is UNKNOWN


def test_a_policy_map_by_access_lists_leaves_the_map_unknown() -> None:
    text = OWN_LINES.replace("match dscp 24-26", "match ip access-group RDMA")
    assert read(text).ports["Ethernet2/1"].qos.dscp_to_priority is UNKNOWN


def test_a_profile_that_is_not_defined_is_a_dangling_reference() -> None:
    [defect] = read(OWN_LINES).defects
    assert defect.kind is DefectKind.DANGLING_REFERENCE
    assert (defect.ports, defect.found) == (("Ethernet4/1",), "qos profile NOWHERE")
    assert defect.evidence.line > 0


def test_an_excerpt_without_the_profile_leaves_what_it_would_say_unknown() -> None:
    device = read("interface Ethernet1/1\n   mtu 9214\n   service-profile ROCE\n")
    qos = device.ports["Ethernet1/1"].qos
    assert (qos.pfc_rx, qos.ecn, qos.scheduler, qos.trust) == (UNKNOWN,) * 4
    assert device.ports["Ethernet1/1"].ip_mtu == 9214
    assert device.defects == ()


def test_an_excerpt_without_maps_leaves_them_unknown() -> None:
    qos = read("interface Ethernet1/1\n   priority-flow-control on\n").ports["Ethernet1/1"].qos
    assert (qos.dscp_to_priority, qos.priority_to_queue, qos.remark_dscp) == (UNKNOWN,) * 3


def test_a_rewrite_map_is_no_classification() -> None:
    text = "qos map traffic-class 7 to dscp 48\ninterface Ethernet1/1\n   qos trust dscp\n"
    qos = read(text).ports["Ethernet1/1"].qos
    assert is_known(qos.dscp_to_priority)
    assert qos.dscp_to_priority[48] == 6
    assert qos.remark_dscp == {7: 48}


def test_rewriting_that_is_on_has_the_default_map_below_its_lines() -> None:
    text = (
        "qos rewrite dscp\nqos map traffic-class 3 to dscp 26\ninterface Ethernet1/1\n   mtu 9214\n"
    )
    remarked = read(text).ports["Ethernet1/1"].qos.remark_dscp
    assert remarked == {0: 8, 1: 0, 2: 16, 3: 26, 4: 32, 5: 40, 6: 48, 7: 56}


def test_pfc_that_is_off_for_the_switch_is_off_everywhere() -> None:
    qos = read(ROCE + "priority-flow-control all off\n").ports["Ethernet1/1"].qos
    assert (qos.pfc_rx, qos.pfc_mode, qos.ingress_buffer) == (frozenset(), PfcMode.OFF, ABSENT)


def test_a_queue_without_guaranteed_bandwidth_is_not_guarded() -> None:
    text = ROCE.replace("      bandwidth guaranteed percent 5\n", "")
    watchdog = read(text).ports["Ethernet1/1"].qos.watchdog
    assert watchdog == Watchdog(200, 400, WatchdogAction.DROP, frozenset())


def test_the_watchdog_of_all_ports_holds_where_the_port_has_no_timer() -> None:
    timer = next(line for line in ROCE.splitlines() if "port timer" in line)
    text = ROCE.replace(f"{timer}\n", "") + (
        "priority-flow-control pause watchdog default timeout 0.30\n"
        "priority-flow-control pause watchdog default recovery-time 1.5\n"
        "priority-flow-control pause watchdog default polling-interval 0.100\n"
    )
    device = read(text)
    watchdog = device.ports["Ethernet1/1"].qos.watchdog
    assert watchdog == Watchdog(300, 1500, WatchdogAction.DROP, frozenset({3}))
    assert device.qos[""].watchdog_poll_ms == 100


def test_the_default_action_shuts_the_port_and_is_none_of_ours() -> None:
    text = ROCE.replace("   priority-flow-control pause watchdog port action drop\n", "")
    watchdog = read(text).ports["Ethernet1/1"].qos.watchdog
    assert is_known(watchdog)
    assert watchdog.action is ABSENT


@pytest.mark.parametrize("unit", ["segments", "milliseconds"])
def test_thresholds_that_depend_on_the_chip_are_unknown(unit: str) -> None:
    text = ROCE.replace(
        "256 kbytes maximum-threshold 2 mbytes", f"2 {unit} maximum-threshold 3 {unit}"
    )
    ecn = read(text).ports["Ethernet1/1"].qos.ecn
    assert ecn == {3: Ecn(UNKNOWN, UNKNOWN, 20, CongestionAction.MARK, is_active=True)}


@pytest.mark.parametrize(
    ("line", "kind"),
    [
        ("   priority-flow-control priority 9 no-drop", DefectKind.MALFORMED_VALUE),
        ("   priority-flow-control priority 3 lossless", DefectKind.MALFORMED_VALUE),
        ("   qos trust pcp", DefectKind.MALFORMED_VALUE),
        ("   priority-flow-control watchdog action errdisable", DefectKind.MALFORMED_VALUE),
        ("   buffer headroom 12", DefectKind.UNKNOWN_LINE),
        ("   dcbx ets on", None),
        ("   spanning-tree portfast", None),
    ],
)
def test_lines_that_no_form_fits_are_told(line: str, kind: DefectKind | None) -> None:
    device = read(f"interface Ethernet1/1\n{line}\n")
    assert [defect.kind for defect in device.defects] == ([kind] if kind else [])


@pytest.mark.parametrize(
    "line",
    [
        "priority-flow-control pause watchdog action no-drop",
        "priority-flow-control pause watchdog default timeout auto",
        "qos map dscp 64 to traffic-class 3",
        "qos map traffic-class 3 to tx-queue 9",
    ],
)
def test_global_lines_that_eos_refuses_are_defects_at_their_line(line: str) -> None:
    [defect] = read(f"{HEADER}hostname leaf01\n{line}\n").defects
    assert defect.kind is DefectKind.MALFORMED_VALUE
    assert defect.evidence.line == 5


@pytest.mark.parametrize("line", ["qos wred-profile X", "platform trident mmu queue profile p"])
def test_global_lines_about_qos_that_are_not_known_are_told(line: str) -> None:
    [defect] = read(f"{HEADER}hostname leaf01\n{line}\n").defects
    assert (defect.kind, defect.touches_qos) == (DefectKind.UNKNOWN_LINE, True)


def test_jericho_queues_are_read_as_queues() -> None:
    text = ROCE.replace("uc-tx-queue", "tx-queue")
    assert read(text).ports["Ethernet1/1"].qos == read(ROCE).ports["Ethernet1/1"].qos


def test_multicast_queues_are_left_out() -> None:
    text = ROCE.replace("   uc-tx-queue 5", "   mc-tx-queue 5")
    served = read(text).ports["Ethernet1/1"].qos.scheduler
    assert is_known(served)
    assert served[5] == Scheduler(SchedulerKind.STRICT)


def test_show_all_and_the_short_form_are_read_alike() -> None:
    said = (
        "   no priority-flow-control priority 0\n   no dcbx mode\n   no flowcontrol send\n"
        "   default qos trust\n   qos cos 0\n   no shape rate\n"
    )
    text = ROCE.replace("   description gpu01\n", "   description gpu01\n" + said)
    assert read(text).ports["Ethernet1/1"].qos == read(ROCE).ports["Ethernet1/1"].qos


def test_facts_name_their_lines() -> None:
    device = read(ROCE)
    line = ROCE.splitlines().index("qos map dscp 24 26 to traffic-class 3") + 1
    assert device.find_evidence("port Ethernet1/1", "dscp_to_priority", "26").line == line
    assert device.find_evidence("port Ethernet1/1 pfc_rx").line == line + 6
