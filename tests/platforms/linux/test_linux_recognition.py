"""Texts are told by what they hold, never by their names."""

import pytest

from netcheck.model.document import Document, DocumentKind
from netcheck.platforms.linux.parse import parse
from netcheck.platforms.linux.recognise import recognise
from tests.platforms.linux import linux_texts as texts

FORMS = {
    "mlnx_qos": texts.QOS,
    "sysfs": texts.ECN,
    "hw_counters": texts.HW_COUNTERS,
    "ibv_devinfo": texts.DEVINFO,
    "ethtool": texts.ETHTOOL,
    "ethtool_a": texts.PAUSE,
    "ethtool_S": texts.STATISTICS,
    "rdma_link": texts.RDMA_LINK,
    "ip_link": texts.IP_LINK,
    "side_by_side": "     rx_prio0_packets: 49\t|\t     rx_prio0_packets: 50     DIFF: 1\n",
    "mlxreg": "roce_adp_retrans_en                     | 0x00000001\n",
    "mlxconfig": "                ROCE_CC_PRIO_MASK_P1                        255\n",
    "unit": "# ours\n[Unit]\nDescription=x\n",
    "nccl_log": "net.cc: NCCL WARN Call to ibv_modify_qp failed with error Connection timed out\n",
    "ibstatus": "Infiniband device 'mlx5_0' port 1 status:\n\tlink_layer:\t InfiniBand\n",
}


@pytest.mark.parametrize("form", FORMS)
def test_each_form_is_told_by_its_content(form: str) -> None:
    found = recognise(Document("notes.dat", FORMS[form]))
    assert found is not None
    assert (found.platform, found.form) == ("linux", form)


@pytest.mark.parametrize("text", ["", "\0\0", "hostname leaf1\n!\ninterface Ethernet1\n", "{}"])
def test_other_texts_are_left_to_others(text: str) -> None:
    assert recognise(Document("mlnx_qos_rail0.txt", text)) is None


def test_two_columns_are_recognised_and_honestly_not_read() -> None:
    found = parse([Document("d", FORMS["side_by_side"])], name="h")
    assert (len(found.unread), found.defects) == (1, ())


def test_a_text_about_a_named_port_has_it_as_its_object() -> None:
    named = recognise(Document("x", texts.QOS, "mlnx_qos -i rail0"))
    nameless = recognise(Document("x", texts.QOS))
    assert named is not None
    assert nameless is not None
    assert (named.objects, nameless.objects) == (frozenset({"rail0"}), frozenset({"mlnx_qos"}))
    assert named.kind is DocumentKind.STATE


def test_a_file_name_adds_the_port_unless_it_is_the_devices() -> None:
    document = Document("a/mlnx_qos_server.txt", texts.QOS)
    assert list(parse([document], name="gpu01").ports) == ["server"]
    assert list(parse([document], name="server").ports) == ["netdev"]


def test_a_transcript_is_read_command_by_command() -> None:
    text = (
        "# cat /sys/class/infiniband/mlx5_2/tc/1/traffic_class\nGlobal tclass=96\n"
        f"[root@gpu01 ~]# mlnx_qos -i eth2\n{texts.QOS}"
        "$ nvidia-smi\nnothing to see\n"
    )
    found = parse([Document("session.txt", text)], name="h")
    assert found.rdma["mlx5_2"].traffic_class == 96
    assert found.ports["eth2"].cable_m == 5
    assert found.find_evidence("port eth2", "cable_m").line == 18
    assert found.defects == ()


def test_a_summary_script_is_read_line_by_line() -> None:
    text = (
        "======== show configuration for device eth0 / mlx5_0========\n"
        "Priority trust state: dscp\n"
        "ECN Enabled for priority 3: /sys/class/net/eth0/ecn/roce_np/enable/3 = 1\n"
        "QOS for CNP: /sys/class/net/eth0/ecn/roce_np/cnp_dscp = 46\n"
        "cma_roce_tos: 160\n"
        "QOS for rdma: /sys/class/infiniband/mlx5_0/tc/1/traffic_class = Global tclass=160\n"
    )
    found = parse([Document("qos.txt", text)], name="h")
    rdma = found.rdma["mlx5_0"]
    assert (rdma.ports, rdma.rdma_cm_tos, rdma.traffic_class) == (("eth0",), 160, 160)
    assert rdma.congestion_control.cnp_dscp == 46
    assert found.defects == ()
