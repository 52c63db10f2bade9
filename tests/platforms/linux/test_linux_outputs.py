"""What each output of a host says, and what damage to it does."""

from dataclasses import fields

import pytest

from netcheck.model.counters import Counter, CounterClass, CounterKey, Meaning
from netcheck.model.device import (
    AdminState,
    Device,
    Gid,
    GidType,
    LinkLayer,
    Neighbour,
    Port,
    RdmaDevice,
)
from netcheck.model.document import Document
from netcheck.model.frozenmap import FrozenMap
from netcheck.model.known import ABSENT, UNKNOWN, Known, Missing
from netcheck.model.qos import Buffer, DcbxMode, PortQos, Scheduler, SchedulerKind, Trust
from netcheck.platforms.linux.parse import parse
from tests.platforms.linux.linux_texts import (
    DEVINFO,
    ECN,
    ETHTOOL,
    GIDS,
    HW_COUNTERS,
    IP_LINK,
    PAUSE,
    QOS,
    RDMA_LINK,
    STATISTICS,
)


def read(*texts: tuple[str, str]) -> Device:
    """Parse ``(command, text)`` pairs as one host."""
    documents = [Document(f"{n}.txt", text, command) for n, (command, text) in enumerate(texts)]
    return parse(documents, name="gpu01")


def port(*texts: tuple[str, str], name: str = "rail0") -> Port:
    return read(*texts).ports[name]


def rdma(*texts: tuple[str, str], name: str = "mlx5_0") -> RdmaDevice:
    return read(*texts).rdma[name]


MLNX = "mlnx_qos -i rail0"


def test_mlnx_qos_says_how_the_port_treats_traffic() -> None:
    buffers = {n: Buffer(size_bytes=0) for n in range(8)}
    buffers |= {0: Buffer(size_bytes=20016), 1: Buffer(size_bytes=170016)}
    assert port((MLNX, QOS)) == Port(
        "rail0",
        cable_m=5,
        qos=PortQos(
            trust=Trust.DSCP,
            dscp_to_priority=FrozenMap({dscp: dscp >> 3 for dscp in range(64)}),
            pcp_to_priority=FrozenMap({n: n for n in range(8)}),
            priority_to_queue=FrozenMap({n: {3: 3, 6: 6}.get(n, 0) for n in range(8)}),
            priority_to_priority_group=FrozenMap({n: int(n == 3) for n in range(8)}),
            pfc_rx=frozenset({3}),
            pfc_tx=frozenset({3}),
            dcbx_mode=DcbxMode.HOST,
            scheduler=FrozenMap(
                {
                    0: Scheduler(SchedulerKind.WEIGHTED, 50, ABSENT),
                    3: Scheduler(SchedulerKind.WEIGHTED, 50, 10_000_000_000),
                    6: Scheduler(SchedulerKind.STRICT, shaper_bps=ABSENT),
                }
            ),
            ingress_buffer=FrozenMap(buffers),
        ),
    )


def test_mlnx_qos_warns_of_a_second_owner() -> None:
    assert read((MLNX, QOS)).host.lldp_agent is True


def test_the_evidence_of_a_fact_is_its_line() -> None:
    evidence = read((MLNX, QOS)).find_evidence("port rail0", "pfc_rx")
    assert (evidence.file, evidence.line, evidence.command) == ("0.txt", 18, MLNX)


def test_trust_pcp_has_no_dscp_map() -> None:
    text = "DCBX mode: Firmware controlled\nPriority trust state: pcp\n"
    qos = port((MLNX, text)).qos
    assert (qos.trust, qos.dscp_to_priority, qos.dcbx_mode) == (
        Trust.PCP,
        ABSENT,
        DcbxMode.FIRMWARE,
    )


def test_what_an_excerpt_does_not_show_is_unknown() -> None:
    qos = port((MLNX, "Priority trust state: dscp\n")).qos
    assert (qos.pfc_rx, qos.dscp_to_priority, qos.scheduler) == (UNKNOWN, UNKNOWN, UNKNOWN)


def _differing(found: Port, good: Port) -> dict[str, tuple[object, object]]:
    """Facts that are a value and another one than in the undamaged text."""
    pairs = {
        entry.name: (getattr(found.qos, entry.name), getattr(good.qos, entry.name))
        for entry in fields(PortQos)
    }
    return {
        name: pair
        for name, pair in pairs.items()
        if pair[0] != pair[1] and not isinstance(pair[0], Missing)
    }


def _is_part(pair: tuple[object, object]) -> bool:
    found, good = pair
    if not isinstance(found, FrozenMap) or not isinstance(good, FrozenMap):
        return False
    return all(good[key] == value for key, value in found.items())


LINES = QOS.splitlines(keepends=True)


@pytest.mark.parametrize("number", range(len(LINES)))
def test_a_cut_line_never_gives_another_value(number: int) -> None:
    good = port((MLNX, QOS))
    line = LINES[number].rstrip()
    for end in range(1, len(line)):
        text = "".join([*LINES[:number], line[:end] + "\n", *LINES[number + 1 :]])
        wrong = _differing(port((MLNX, text)), good)
        # A list of DSCPs that is cut at a comma is shorter; every pair left in it is true.
        assert {name: pair for name, pair in wrong.items() if not _is_part(pair)} == {}


@pytest.mark.parametrize("number", [5, 8, 14, 16, 17, 18, 19, 20, 22])
def test_a_cut_line_leaves_a_defect_at_its_place(number: int) -> None:
    line = LINES[number].rstrip()
    text = "".join([*LINES[:number], line[:-2] + "\n", *LINES[number + 1 :]])
    defects = read((MLNX, text)).defects
    assert number + 1 in {defect.evidence.line for defect in defects}
    assert {defect.ports for defect in defects} == {("rail0",)}


def test_a_dscp_listed_twice_makes_the_map_unknown() -> None:
    text = QOS.replace("\tprio:4 dscp:39,", "\tprio:4 dscp:26,")
    found = read((MLNX, text))
    assert found.ports["rail0"].qos.dscp_to_priority is UNKNOWN
    assert len(found.defects) == 1


def test_indentation_and_blank_lines_do_not_matter() -> None:
    flat = "\n\n".join(" ".join(line.split()) for line in QOS.splitlines())
    assert port((MLNX, flat)) == port((MLNX, QOS))


DCB_JSON = tuple(
    (f"dcb -j {name} show dev rail0", text)
    for name, text in {
        "pfc": '{"delay":7,"prio_pfc":[false,false,false,true,false,false,false,false]}',
        "ets": '{"willing":false,"tc_bw":[20,0,0,80,0,0,0,0],'
        '"tc_tsa":["ets","strict","strict","ets","strict","strict","strict","strict"],'
        '"prio_tc":[0,1,2,3,4,5,6,7]}',
        "app": '{"dscp_prio":[[26,3],[48,6]]}',
        "buffer": '{"prio_buffer":[0,0,0,1,0,0,0,0],'
        '"buffer_size":[130944,130944,0,0,0,0,0,0],"total_size":262016}',
        "dcbx": '{"host":true,"ieee":true}',
    }.items()
)
DCB_TEXT = """\
pfc-cap 8 macsec-bypass off delay 7
prio-pfc 0:off 1:off 2:off 3:on 4:off 5:off 6:off 7:off
willing off ets-cap 8 cbs off
tc-bw 0:20 1:0 2:0 3:80 4:0 5:0 6:0 7:0
tc-tsa 0:ets 1:strict 2:strict 3:ets 4:strict 5:strict 6:strict 7:strict
prio-tc 0:0 1:1 2:2 3:3 4:4 5:5 6:6 7:7
dscp-prio AF31:3 CS6:6
prio-buffer 0:0 1:0 2:0 3:1 4:0 5:0 6:0 7:0
buffer-size 0:130944b 1:130944b 2:0b 3:0b 4:0b 5:0b 6:0b 7:0b
host ieee
"""


def test_dcb_says_the_same_in_json_and_in_text() -> None:
    assert port(*DCB_JSON) == port(("dcb pfc show dev rail0", DCB_TEXT))


def test_dcb_gives_maps_shares_and_buffers() -> None:
    qos = port(*DCB_JSON).qos
    assert qos.pfc_tx == frozenset({3})
    assert qos.dscp_to_priority == {26: 3, 48: 6}
    assert qos.dcbx_willing is False
    assert qos.scheduler == {
        n: {0: Scheduler(SchedulerKind.WEIGHTED, 20), 3: Scheduler(SchedulerKind.WEIGHTED, 80)}.get(
            n, Scheduler(SchedulerKind.STRICT)
        )
        for n in range(8)
    }


@pytest.mark.parametrize("number", ["1e999", "3.7", "true", "null", '"x"'])
@pytest.mark.parametrize(
    ("text", "fact"),
    [
        ('{"dscp_prio":[[26,#],[48,6]]}', "dscp_to_priority"),
        ('{"prio_tc":[0,1,2,#,4,5,6,7]}', "priority_to_queue"),
        ('{"prio_buffer":[0,0,0,#,0,0,0,0]}', "priority_to_priority_group"),
        ('{"buffer_size":[#,130944,0,0,0,0,0,0]}', "ingress_buffer"),
    ],
)
def test_a_number_of_dcb_that_is_not_whole_is_unknown(text: str, fact: str, number: str) -> None:
    form = {"dscp_prio": "app", "prio_tc": "ets"}.get(text[2:].split('"', maxsplit=1)[0], "buffer")
    found = read((f"dcb -j {form} show dev rail0", text.replace("#", number)))
    assert getattr(found.ports["rail0"].qos, fact) is UNKNOWN
    assert found.defects


@pytest.mark.parametrize(
    "text",
    ['{"prio_pfc":[false,false,true]}', '{"prio_pfc":[0,0,0,1,0,0,0,0]}', '{"prio_pfc":7}'],
)
def test_a_damaged_row_of_dcb_is_unknown(text: str) -> None:
    found = read(("dcb -j pfc show dev rail0", text))
    assert found.ports["rail0"].qos.pfc_rx is UNKNOWN
    assert len(found.defects) == 1


@pytest.mark.parametrize("text", ['{"lld_managed":true,"ieee":true}', "lld-managed ieee \n"])
def test_dcbx_of_the_firmware_is_told_from_the_hosts(text: str) -> None:
    qos = port(("dcb dcbx show dev rail0", text)).qos
    assert qos.dcbx_mode is DcbxMode.FIRMWARE


def test_carriage_returns_are_no_damage() -> None:
    crlf = QOS.replace("\n", "\r\n")
    assert port((MLNX, crlf)) == port((MLNX, QOS))
    assert read((MLNX, crlf)).defects == ()


def test_a_driver_without_dcb_says_nothing_and_is_not_damaged() -> None:
    found = read(("dcb -j pfc show dev rail0", "Attribute read: Operation not supported\n\n"))
    assert (dict(found.ports), found.defects) == ({}, ())


def test_two_outputs_that_disagree_leave_the_fact_unknown() -> None:
    pfc_off = '{"prio_pfc":[false,false,false,false,false,false,false,false]}'
    found = read((MLNX, QOS), ("dcb -j pfc show dev rail0", pfc_off))
    assert found.ports["rail0"].qos.pfc_rx is UNKNOWN
    assert "two outputs disagree" in found.defects[0].message


def test_dcqcn_is_the_rdma_devices_and_whole() -> None:
    control = rdma(("rdma -j link show", RDMA_LINK), ("grep -rH . /sys/class/net/rail0/ecn", ECN))
    assert control.congestion_control.notification_point == frozenset({3})
    assert control.congestion_control.reaction_point == frozenset({3})
    assert (control.congestion_control.cnp_dscp, control.congestion_control.cnp_pcp) == (48, 6)


@pytest.mark.parametrize("damage", ["", ":", ":x", ":2"])
def test_one_priority_of_dcqcn_that_is_not_said_makes_the_point_unknown(damage: str) -> None:
    line = "/sys/class/net/rail0/ecn/roce_np/enable/5:0"
    text = ECN.replace(line, line.partition(":")[0] + damage if damage else "")
    control = rdma(("rdma -j link show", RDMA_LINK), ("grep -rH . /sys/class/net/rail0/ecn", text))
    assert control.congestion_control.notification_point is UNKNOWN
    assert control.congestion_control.reaction_point == frozenset({3})


def test_dcqcn_of_a_port_whose_device_nobody_names_is_kept_under_the_port() -> None:
    found = rdma(("grep -rH . /sys/class/net/rail0/ecn", ECN), name="rail0")
    assert (found.ports, found.congestion_control.cnp_dscp) == (("rail0",), 48)


TRAFFIC_CLASS = "cat /sys/class/infiniband/mlx5_0/tc/1/traffic_class"


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("Global tclass=106\n", 106),
        ("106\n", 106),
        ("", ABSENT),
        ("(empty)\n", ABSENT),
        ("Global tcl", UNKNOWN),
        ("Global tclass=256\n", UNKNOWN),
    ],
)
def test_traffic_class_is_forced_not_forced_or_unknown(text: str, value: Known[int]) -> None:
    assert rdma((TRAFFIC_CLASS, text)).traffic_class == value


@pytest.mark.parametrize(("text", "value"), [("106\n", 106), ("", UNKNOWN), ("300\n", UNKNOWN)])
def test_rdma_cm_tos_is_a_byte_or_unknown(text: str, value: Known[int]) -> None:
    assert rdma(("cma_roce_tos -d mlx5_0 -p 1", text)).rdma_cm_tos == value


@pytest.mark.parametrize(
    ("text", "value"), [("RoCE v2\n", True), ("IB/RoCE v1\n", False), ("RoCE", UNKNOWN)]
)
def test_rdma_cm_mode_is_a_version_or_unknown(text: str, value: Known[bool]) -> None:
    assert rdma(("cma_roce_mode -d mlx5_0 -p 1", text)).rdma_cm_roce_v2 == value


def test_gids_come_from_sysfs_with_type_and_netdev() -> None:
    found = rdma(("grep -rsH . /sys/class/infiniband/mlx5_0/ports/1/gids", GIDS))
    assert found.gids == (
        Gid(0, "fe80::200:ff:fe00:1", GidType.ROCE_V1, "rail0"),
        Gid(3, "::ffff:192.0.2.1", GidType.ROCE_V2, "rail0"),
    )
    assert found.ports == ("rail0",)


def test_a_gid_without_a_type_has_an_unknown_kind() -> None:
    text = GIDS.replace("types/3:RoCE v2", "types/3:RoC")
    gids = rdma(("grep -rsH . /sys/class/infiniband/mlx5_0/ports/1/gids", text)).gids
    assert isinstance(gids, tuple)
    assert gids[1].kind is UNKNOWN


SHOW_GIDS = """\
DEV\tPORT\tINDEX\tGID\t\t\t\t\tIPv4  \t\tVER\tDEV
---\t----\t-----\t---\t\t\t\t\t------------  \t---\t---
mlx5_0\t1\t1\tfe80:0000:0000:0000:0200:00ff:fe00:0001\t\t\tv2\trail0
mlx5_0\t1\t3\t0000:0000:0000:0000:0000:ffff:c000:0201\t192.0.2.1  \tv2\trail0
mlx5_1  1       0       fe80:0000:0000:0000:0200:00ff:fe00:0002                 v1
qedr0\t1\t1\t0000:0000:0000:0000:0000:ffff:c000:0203\t192.0.2.3
n_gids_found=4
"""


def test_show_gids_is_read_with_and_without_its_optional_columns() -> None:
    found = read(("", SHOW_GIDS))
    assert {name: one.gids for name, one in found.rdma.items()} == {
        "mlx5_0": (
            Gid(1, "fe80::200:ff:fe00:1", GidType.ROCE_V2, "rail0"),
            Gid(3, "::ffff:192.0.2.1", GidType.ROCE_V2, "rail0"),
        ),
        "mlx5_1": (Gid(0, "fe80::200:ff:fe00:2", GidType.ROCE_V1),),
        "qedr0": (Gid(1, "::ffff:192.0.2.3"),),
    }


def test_ibv_devinfo_gives_firmware_state_and_mtus() -> None:
    assert rdma(("ibv_devinfo -d mlx5_0", DEVINFO)) == RdmaDevice(
        "mlx5_0",
        driver="mlx5",
        firmware="28.43.1014",
        link_layer=LinkLayer.ETHERNET,
        link_state=AdminState.UP,
        active_mtu=4096,
        max_mtu=4096,
    )


@pytest.mark.parametrize("text", ["4096 (5", "409", "1024 (5)", ""])
def test_a_damaged_mtu_is_unknown(text: str) -> None:
    damaged = DEVINFO.replace("active_mtu:\t\t4096 (5)", f"active_mtu:\t\t{text}")
    found = read(("ibv_devinfo -d mlx5_0", damaged))
    assert found.rdma["mlx5_0"].active_mtu is UNKNOWN
    assert found.rdma["mlx5_0"].max_mtu == 4096
    assert [defect.place for defect in found.defects] == ["mlx5_0"]


def test_ethtool_and_ip_give_speed_states_mtu_and_pause() -> None:
    found = port(
        ("ethtool rail0", ETHTOOL),
        ("ethtool -a rail0", PAUSE),
        ("ip -j -s link show dev rail0", IP_LINK),
    )
    assert found == Port(
        "rail0",
        operational_speed_bps=400_000_000_000,
        lanes=4,
        autoneg=True,
        media="Direct Attach Copper",
        ip_mtu=9000,
        admin_state=AdminState.UP,
        link_state=AdminState.UP,
        qos=PortQos(global_pause_rx=False, global_pause_tx=False),
    )


def test_the_kernels_link_state_does_not_stand_in_for_a_line_that_is_gone() -> None:
    text = ETHTOOL.replace("Link detected: yes", "Link detected: ye")
    found = port(("ethtool rail0", text), ("ip -j -s link show dev rail0", IP_LINK))
    assert found.link_state is UNKNOWN


def test_ip_text_gives_the_same_as_its_json() -> None:
    text = (
        "3: rail0: <BROADCAST,UP,LOWER_UP> mtu 9000 qdisc mq state UP mode DEFAULT group default\n"
        "    link/ether 02:00:00:00:00:01 brd ff:ff:ff:ff:ff:ff\n"
        "    RX:  bytes packets errors dropped\n             1       2      0       3\n"
        "    TX:  bytes packets errors dropped\n             4       5      0       0\n"
    )
    from_json = read(("ip -j -s link show dev rail0", IP_LINK))
    from_text = read(("ip -s link show dev rail0", text))
    assert (from_text.ports, from_text.counters) == (from_json.ports, from_json.counters)


def counters(*texts: tuple[str, str]) -> dict[CounterKey, Counter]:
    found = read(*texts).counters
    assert isinstance(found, FrozenMap)
    return dict(found)


def test_counters_have_meaning_class_unit_and_width() -> None:
    found = counters(("ethtool -S rail0", STATISTICS))
    information, zero = CounterClass.INFORMATION, CounterClass.MUST_BE_ZERO
    congestion = CounterClass.CONGESTION
    assert found == {
        CounterKey("rail0", meaning, number, name): Counter(value, kind, unit)
        for name, meaning, number, value, kind, unit in (
            ("rx_packets_phy", Meaning.PORT_RX_PACKETS, -1, 900, information, "packets"),
            ("rx_discards_phy", Meaning.PORT_INGRESS_DROP, -1, 0, zero, "packets"),
            ("rx_prio3_packets", Meaning.PRIORITY_RX_PACKETS, 3, 800, information, "packets"),
            ("tx_prio3_packets", Meaning.PRIORITY_TX_PACKETS, 3, 700, information, "packets"),
            ("rx_prio3_discards", Meaning.PRIORITY_INGRESS_DROP, 3, 0, zero, "packets"),
            ("rx_prio3_pause", Meaning.PFC_RX, 3, 41, congestion, "packets"),
            ("rx_prio3_pause_duration", Meaning.PFC_RX_DURATION, 3, 8, congestion, "us"),
            ("tx_prio3_pause", Meaning.PFC_TX, 3, 12, congestion, "packets"),
            ("outbound_pci_stalled_rd", Meaning.PCIE_STALL, -1, 2, CounterClass.GAUGE, "percent"),
        )
    }


def test_a_counter_without_a_number_is_unknown_and_not_zero() -> None:
    text = STATISTICS.replace("rx_prio3_discards: 0", "rx_prio3_discards: ")
    found = counters(("ethtool -S rail0", text))
    key = CounterKey("rail0", Meaning.PRIORITY_INGRESS_DROP, 3, "rx_prio3_discards")
    assert found[key].value is UNKNOWN


def test_a_counter_that_is_not_shown_is_not_there() -> None:
    found = counters(("ethtool -S rail0", STATISTICS))
    assert {key.number for key in found if key.meaning is Meaning.PFC_RX} == {3}


def test_rdma_counters_belong_to_the_devices_port_once_it_is_known() -> None:
    command = "grep -rH . /sys/class/infiniband/mlx5_0/ports/1/hw_counters"
    alone = counters((command, HW_COUNTERS))
    mapped = counters(("rdma -j link show", RDMA_LINK), (command, HW_COUNTERS))
    assert {key.port for key in alone} == {"mlx5_0"}
    assert mapped == {
        CounterKey("rail0", Meaning.OUT_OF_SEQUENCE, -1, "out_of_sequence"): Counter(
            44, CounterClass.MUST_BE_ZERO, width_bits=32
        ),
        CounterKey("rail0", Meaning.ACK_TIMEOUT, -1, "local_ack_timeout_err"): Counter(
            38, CounterClass.MUST_BE_ZERO, width_bits=32
        ),
        CounterKey("rail0", Meaning.CNP_SENT, -1, "np_cnp_sent"): Counter(
            10_284_520, CounterClass.CONGESTION
        ),
    }


STATISTIC_LINE = "link mlx5_0/1 out_of_sequence 44 local_ack_timeout_err 38 np_cnp_sent 10284520 \n"
STATISTIC_PRETTY = (
    "link mlx5_0/1\n\tout_of_sequence 44\n\tlocal_ack_timeout_err 38\n\tnp_cnp_sent 10284520\n"
)
STATISTIC_JSON = (
    '[{"ifname":"mlx5_0","port":1,"out_of_sequence":44,"local_ack_timeout_err":38,'
    '"np_cnp_sent":10284520}]'
)


@pytest.mark.parametrize("text", [STATISTIC_LINE, STATISTIC_PRETTY, STATISTIC_JSON])
def test_rdma_statistic_gives_the_same_in_all_its_forms(text: str) -> None:
    command = "grep -rH . /sys/class/infiniband/mlx5_0/ports/1/hw_counters"
    assert counters(("", text)) == counters((command, HW_COUNTERS))


def test_all_bits_set_is_no_answer() -> None:
    text = '[{"ifname":"ionic_0","port":1,"tx_rdma_ack_timeout":18446744073709551615}]'
    [found] = counters(("rdma -j statistic show", text)).values()
    assert found.value is UNKNOWN


def test_lldp_names_the_neighbour() -> None:
    text = (
        '{"lldp":{"interface":[{"rail0":{"via":"LLDP","chassis":{"leaf01":{"id":'
        '{"type":"mac","value":"02:00:00:00:00:09"}}},"port":{"id":{"type":"local",'
        '"value":"Ethernet8"},"descr":"to gpu01"}}}]}}'
    )
    assert port(("lldpctl -f json", text)).neighbour == Neighbour("leaf01", "Ethernet8")


def test_a_lone_neighbour_is_read_although_it_is_no_list() -> None:
    text = (
        '{"lldp":{"interface":{"rail0":{"chassis":{"leaf01":{}},"port":{"id":'
        '{"type":"ifname","value":"swp1"}}}}}}'
    )
    assert port(("lldpctl -f json", text)).neighbour == Neighbour("leaf01", "swp1")


NO_UNIT = "Failed to get unit file state for x: No such file or directory\n"


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("enabled\n", True),
        ("disabled\n", False),
        ("enab", UNKNOWN),
        ("", UNKNOWN),
        (NO_UNIT, False),
    ],
)
def test_persistence_is_the_units(text: str, value: Known[bool]) -> None:
    command = "systemctl is-enabled netcheck-roce@rail0.service 2>&1 || true"
    assert read((command, text)).host.persistent_unit == value


def test_one_port_without_its_unit_makes_the_host_not_persistent() -> None:
    commands = [f"systemctl is-enabled netcheck-roce@rail{n}.service 2>&1 || true" for n in (0, 1)]
    found = read((commands[0], "enabled\n"), (commands[1], "disabled\n"))
    assert found.host.persistent_unit is False


@pytest.mark.parametrize(("text", "value"), [("0\n", False), ("1\n", True), ("", UNKNOWN)])
def test_lldpad_runs_or_not(text: str, value: Known[bool]) -> None:
    assert read(("pgrep -c -x lldpad || true", text)).host.lldp_agent == value


PCIE = """\
/sys/class/net/rail0/device/current_link_speed:32.0 GT/s PCIe
/sys/class/net/rail0/device/current_link_width:16
"""


def test_the_boot_and_the_bus_are_known() -> None:
    found = read(
        ("cat /proc/sys/kernel/random/boot_id", "1b4e28ba-2fa1-11d2-883f-0016d3cca427\n"),
        ("grep -H . /sys/class/net/rail0/device/current_link_speed", PCIE),
    )
    assert found.boot_id == found.host.boot_id == "1b4e28ba-2fa1-11d2-883f-0016d3cca427"
    assert found.host.pcie_bps == {"rail0": 512_000_000_000}


def test_nothing_given_says_nothing() -> None:
    found = read()
    assert (found.counters, found.host.environment, dict(found.ports)) == (UNKNOWN, UNKNOWN, {})


COMMANDS = """\
mlnx_qos -i rail0
dcb -j pfc show dev rail0
ethtool -S rail0
ethtool -a rail0
ethtool rail0
rdma -j link show
rdma -j statistic show
lldpctl -f json
ip -j -s link show dev rail0
ibv_devinfo -d mlx5_0
show_gids
grep -rH . /sys/class/net/rail0/ecn
cat /etc/nccl.conf
cat /etc/netcheck/roce/rail0.sh
cat /sys/class/infiniband/mlx5_0/tc/1/traffic_class
cma_roce_mode -d mlx5_0 -p 1
""".splitlines()
NOISE = ["", "\0\x01\x02", "[]", "{}", "[1]", '{"lldp": 3}', "{", "x" * 5000, "a: b\n" * 3]


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("text", NOISE)
def test_no_text_whatever_raises(command: str, text: str) -> None:
    assert read((command, text)).name == "gpu01"
