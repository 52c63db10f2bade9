"""Real outputs of the reference material: each is recognised, and says what it shows.

Own samples of the same kinds are in ``linux_texts.py`` and the tests beside this one.
"""

from pathlib import Path

import pytest

from netcheck.model.counters import CounterClass, Meaning
from netcheck.model.device import AdminState, Device, Gid, GidType, RdmaDevice
from netcheck.model.document import Document, DocumentKind
from netcheck.model.frozenmap import FrozenMap
from netcheck.model.known import ABSENT, UNKNOWN
from netcheck.model.qos import Buffer, DcbxMode, PortQos, Scheduler, SchedulerKind, Trust
from netcheck.platforms.linux.parse import parse
from netcheck.platforms.linux.recognise import recognise

pytestmark = pytest.mark.shared

FORMS = {
    "dcb_iproute2-6.1_j_app.json": "dcb",
    "dcb_iproute2-6.1_j_buffer.json": "dcb",
    "dcb_iproute2-6.1_j_dcbx.json": "dcb",
    "dcb_iproute2-6.1_j_ets.json": "dcb",
    "dcb_iproute2-6.1_j_maxrate.json": "dcb",
    "dcb_iproute2-6.1_j_pfc.json": "dcb",
    "dcb_iproute2-6.1_j_s_pfc.json": "dcb",
    "dcb_iproute2-6.1_text.txt": "dcb",
    "dcb_iproute2-6.1_errors.txt": "dcb",
    "ethtool_S_diff_traffic_class_one_direction.txt": "side_by_side",
    "ethtool_S_ice_e810_pfc.txt": "ethtool_S",
    "ethtool_S_ice_e810_pfc_tx_active.txt": "ethtool_S",
    "ethtool_S_mlx5_cx5_global_pause_discards.excerpt.txt": "ethtool_S",
    "ethtool_S_mlx5_prio0_only_mistagged.txt": "ethtool_S",
    "ethtool_S_mlx5_prio3_pause.DOC-EXAMPLE.txt": "ethtool_S",
    "hw_counters_mlx5_grep_mistagged_head.txt": "hw_counters",
    "hw_counters_mlx5_loaded_real_values.txt": "hw_counter_list",
    "ibv_devinfo_cx7_roce_mtu1024_and_down.txt": "ibv_devinfo",
    "ibv_devinfo_cx7_roce_mtu4096.txt": "ibv_devinfo",
    "lldptool_pfc_ets_willing.DOC-EXAMPLE.txt": "lldptool",
    "mlnx_qos_cx5_default_trust_pcp_vendor_tsa.RECONSTRUCTED.txt": "mlnx_qos",
    "mlnx_qos_cx7_dscp_prio5_default-priority-line.txt": "mlnx_qos",
    "mlnx_qos_ofed42_no-buffer_pfc_multi.txt": "mlnx_qos",
    "mlxconfig_query_roce_cc_excerpt.txt": "mlxconfig",
    "mlxreg_ROCE_ACCL_get.txt": "mlxreg",
    "rdma_link_j_ionic.json": "rdma_link",
    "rdma_statistic_j_ionic.json": "rdma_statistic",
    "rdma_statistic_mlx5_two_links_with_errors.txt": "rdma_statistic",
    "rdma_statistic_mode_optional_counters_mlx5.txt": "rdma_modes",
    "rdma_statistic_pretty_mlx5.txt": "rdma_statistic",
    "show_gids_ib_and_roce_mixed_spaces.txt": "show_gids",
    "show_gids_mixed_huawei_bond_no_ipv4_gid.txt": "show_gids",
    "show_gids_mlx5_3nics.txt": "show_gids",
    "show_gids_qedr_no_version_column.txt": "show_gids",
}


def capture(shared: Path, name: str) -> Device:
    text = (shared / "captures" / "nic" / name).read_text()
    return parse([Document("capture.txt", text)], name="host")


def counted(device: Device) -> dict[str, object]:
    assert isinstance(device.counters, FrozenMap)
    return {key.name: counter.value for key, counter in device.counters.items()}


@pytest.mark.parametrize("name", FORMS)
def test_a_capture_is_recognised_by_content_and_has_no_defect(shared: Path, name: str) -> None:
    text = (shared / "captures" / "nic" / name).read_text()
    found = recognise(Document("capture.txt", text))
    assert found is not None
    assert (found.platform, found.form) == ("linux", FORMS[name])
    assert capture(shared, name).defects == ()


def test_other_captures_are_left_to_others(shared: Path) -> None:
    taken = {
        path.name
        for path in (shared / "captures" / "nic").iterdir()
        if recognise(Document("capture.txt", path.read_text())) is not None
    }
    assert taken == set(FORMS)


IDENTITY = FrozenMap({n: n for n in range(8)})


def test_mlnx_qos_of_a_cx7(shared: Path) -> None:
    port = capture(shared, "mlnx_qos_cx7_dscp_prio5_default-priority-line.txt").ports["netdev"]
    weights = {0: 9, 1: 1, 2: 80, 3: 10}
    buffers = {n: Buffer(size_bytes={0: 19872, 1: 220896}.get(n, 0)) for n in range(8)}
    assert port.cable_m == 30
    assert port.qos == PortQos(
        trust=Trust.DSCP,
        dscp_to_priority=FrozenMap({dscp: dscp >> 3 for dscp in range(64)}),
        pcp_to_priority=IDENTITY,
        priority_to_queue=IDENTITY,
        priority_to_priority_group=FrozenMap({n: int(n == 5) for n in range(8)}),
        pfc_rx=frozenset({5}),
        pfc_tx=frozenset({5}),
        dcbx_mode=DcbxMode.HOST,
        scheduler=FrozenMap(
            {
                n: Scheduler(SchedulerKind.WEIGHTED, weights[n], ABSENT)
                if n in weights
                else Scheduler(SchedulerKind.STRICT, shaper_bps=ABSENT)
                for n in range(8)
            }
        ),
        ingress_buffer=FrozenMap(buffers),
    )


def test_mlnx_qos_of_ofed_4_2_has_no_buffers(shared: Path) -> None:
    port = capture(shared, "mlnx_qos_ofed42_no-buffer_pfc_multi.txt").ports["netdev"]
    assert (port.cable_m, port.qos.pfc_rx) == (10, frozenset({0, 2, 6, 7}))
    assert (port.qos.ingress_buffer, port.qos.priority_to_priority_group) == (UNKNOWN, UNKNOWN)
    assert port.qos.priority_to_queue == {**IDENTITY, 0: 1, 1: 0}


def test_mlnx_qos_of_a_new_adapter_trusts_pcp(shared: Path) -> None:
    name = "mlnx_qos_cx5_default_trust_pcp_vendor_tsa.RECONSTRUCTED.txt"
    qos = capture(shared, name).ports["netdev"].qos
    assert (qos.trust, qos.pfc_tx, qos.dscp_to_priority) == (Trust.PCP, frozenset(), ABSENT)
    vendor = Scheduler(SchedulerKind.VENDOR, shaper_bps=ABSENT)
    assert qos.scheduler == dict.fromkeys(range(8), vendor)


def test_dcb_text_of_iproute2(shared: Path) -> None:
    qos = capture(shared, "dcb_iproute2-6.1_text.txt").ports["ens1f0np0"].qos
    assert (qos.pfc_rx, qos.dcbx_willing, qos.dcbx_mode) == (
        frozenset({3}),
        False,
        DcbxMode.HOST,
    )
    assert qos.dscp_to_priority == {24: 3, 26: 3, 48: 6}


def test_dcb_counts_pause_frames(shared: Path) -> None:
    values = counted(capture(shared, "dcb_iproute2-6.1_j_s_pfc.json"))
    assert (values["dcb_pfc_requests_3"], values["dcb_pfc_indications_3"]) == (1290418, 41927)


def test_global_pause_and_discards_of_a_cx5(shared: Path) -> None:
    found = capture(shared, "ethtool_S_mlx5_cx5_global_pause_discards.excerpt.txt")
    assert isinstance(found.counters, FrozenMap)
    loud = {
        (key.meaning, key.number): counter.value
        for key, counter in found.counters.items()
        if counter.kind is CounterClass.MUST_BE_ZERO and counter.value
    }
    assert loud == {
        (Meaning.PORT_INGRESS_DROP, -1): 58591428329,
        (Meaning.PRIORITY_INGRESS_DROP, 0): 58591314012,
        (Meaning.GLOBAL_PAUSE_TX, -1): 5745042,
    }


def test_everything_in_priority_0_shows(shared: Path) -> None:
    found = capture(shared, "ethtool_S_mlx5_prio0_only_mistagged.txt")
    assert isinstance(found.counters, FrozenMap)
    sent = {
        key.number
        for key, counter in found.counters.items()
        if key.meaning is Meaning.PRIORITY_TX_PACKETS and counter.value
    }
    assert sent == {0}
    assert {key for key in found.counters if key.meaning is Meaning.PFC_RX} == set()


def test_pause_of_an_e810_moves_on_all_priorities_of_a_class(shared: Path) -> None:
    found = capture(shared, "ethtool_S_ice_e810_pfc_tx_active.txt")
    assert isinstance(found.counters, FrozenMap)
    sent = {
        key.number: counter.value
        for key, counter in found.counters.items()
        if key.meaning is Meaning.PFC_TX
    }
    assert sent == {0: 6434, 1: 6434, 2: 14864, 3: 6434, 4: 0, 5: 6434, 6: 6434, 7: 6434}


def test_rdma_counters_of_mlx5(shared: Path) -> None:
    mistagged = counted(capture(shared, "hw_counters_mlx5_grep_mistagged_head.txt"))
    loaded = counted(capture(shared, "hw_counters_mlx5_loaded_real_values.txt"))
    assert (mistagged["local_ack_timeout_err"], mistagged["np_cnp_sent"]) == (2705, 1333)
    assert (loaded["out_of_sequence"], loaded["np_ecn_marked_roce_packets"]) == (44, 286733949)
    assert "lifespan" not in loaded


def test_rdma_statistic_of_two_links(shared: Path) -> None:
    found = capture(shared, "rdma_statistic_mlx5_two_links_with_errors.txt")
    assert isinstance(found.counters, FrozenMap)
    out = {
        key.port: counter.value
        for key, counter in found.counters.items()
        if key.meaning is Meaning.OUT_OF_BUFFER
    }
    assert out == {"mlx5_0": 135, "mlx5_1": 0}


def test_rdma_links_of_ionic(shared: Path) -> None:
    found = capture(shared, "rdma_link_j_ionic.json")
    assert {name: one.ports for name, one in found.rdma.items()} == {
        "ionic_0": ("benic8p1",),
        "ionic_1": ("benic7p1",),
        "ionic_2": ("benic5p1",),
        "ionic_3": ("benic6p1",),
    }


def test_ibv_devinfo_of_two_adapters(shared: Path) -> None:
    found = capture(shared, "ibv_devinfo_cx7_roce_mtu1024_and_down.txt")
    assert {
        name: (one.active_mtu, one.max_mtu, one.link_state, one.firmware)
        for name, one in found.rdma.items()
    } == {
        "mlx5_8": (1024, 4096, AdminState.UP, "28.43.3608"),
        "mlx5_9": (1024, 4096, AdminState.DOWN, "28.43.3608"),
    }


def gid(found: RdmaDevice, index: int) -> Gid:
    assert isinstance(found.gids, tuple)
    return next(one for one in found.gids if one.index == index)


def test_show_gids_in_all_four_layouts(shared: Path) -> None:
    three = capture(shared, "show_gids_mlx5_3nics.txt").rdma
    bond = capture(shared, "show_gids_mixed_huawei_bond_no_ipv4_gid.txt").rdma
    qedr = capture(shared, "show_gids_qedr_no_version_column.txt").rdma
    spaces = capture(shared, "show_gids_ib_and_roce_mixed_spaces.txt").rdma
    assert gid(three["mlx5_0"], 3) == Gid(3, "::ffff:10.110.0.33", GidType.ROCE_V2, "eth05")
    assert three["mlx5_2"].ports == ("eth03",)
    assert gid(bond["hrn3_bond_0"], 1) == Gid(1, "::ffff:27.105.180.3", GidType.ROCE_V2, "bond0")
    assert gid(qedr["qedr0"], 1) == Gid(1, "::ffff:192.168.10.100")
    assert gid(spaces["mlx5_1"], 0).netdev is UNKNOWN


def cases(shared: Path, folder: str) -> Device:
    files = sorted((shared / "cases" / folder).glob("*.txt"))
    return parse([Document(file.name, file.read_text()) for file in files], name="host")


def test_case_043_has_its_variable_and_its_gids(shared: Path) -> None:
    found = cases(shared, "043-host-gid-link-local")
    assert found.host.environment == {"NCCL_IB_GID_INDEX": "1"}
    kinds = [gid(found.rdma["rdma"], index).kind for index in range(4)]
    assert kinds == ["roce_v1", "roce_v2", "roce_v1", "roce_v2"]
    assert gid(found.rdma["rdma"], 1).address == "fe80::200:5eff:fe00:5301"


def test_case_045_is_read_whole(shared: Path) -> None:
    found = cases(shared, "045-host-spiderpool-priority5")
    rdma = found.rdma["mlx5_0"]
    assert (rdma.ports, rdma.traffic_class, rdma.rdma_cm_tos) == (("eth0",), 160, 160)
    assert rdma.congestion_control.notification_point == frozenset(range(8))
    assert rdma.congestion_control.cnp_dscp == 48
    assert found.ports["eth0"].qos.pfc_rx == frozenset({5})
    assert (found.defects, found.unread) == ((), ())


def test_case_047_has_a_traffic_class_that_is_not_forced(shared: Path) -> None:
    folder = shared / "cases" / "047-host-trust-dscp-but-no-pfc"
    text = (folder / "traffic_class_server.txt").read_text()
    document = Document("traffic_class_server.txt", text)
    assert parse([document], name="server").rdma["mlx5_2"].traffic_class is ABSENT
    client = Document("mlnx_qos_client.txt", (folder / "mlnx_qos_client.txt").read_text())
    qos = parse([client], name="client").ports["netdev"].qos
    assert (qos.trust, qos.pfc_rx, qos.scheduler) == (Trust.PCP, frozenset(), UNKNOWN)


def test_case_049_has_a_small_rdma_mtu(shared: Path) -> None:
    rdma = cases(shared, "049-host-active-mtu-1024").rdma["mlx5_0"]
    assert (rdma.active_mtu, rdma.max_mtu) == (1024, 4096)


def test_case_061_has_a_variable_on_infiniband(shared: Path) -> None:
    found = cases(shared, "061-ib-traffic-class-env-on-ib-link")
    assert {one.link_layer for one in found.rdma.values()} == {"infiniband"}
    assert found.host.environment == {"NVSHMEM_IB_TRAFFIC_CLASS": "106"}
    [recognised] = [
        recognise(Document(path.name, path.read_text()))
        for path in (shared / "cases" / "061-ib-traffic-class-env-on-ib-link").glob("env.txt")
    ]
    assert recognised is not None
    assert recognised.kind is DocumentKind.JOB
