"""What a host tells of its InfiniBand ports: rdma link, ibstat, ibstatus."""

from __future__ import annotations

import pytest

from netcheck.model.device import AdminState, LinkLayer, RdmaDevice
from netcheck.model.document import Document
from netcheck.model.known import UNKNOWN
from netcheck.platforms.linux.parse import parse
from netcheck.platforms.linux.recognise import recognise

RDMA_LINK = """\
link mlx5_0/1 subnet_prefix fe80:0000:0000:0001 lid 3 sm_lid 1 lmc 0 state ACTIVE physical_state LINK_UP
link mlx5_1/1 subnet_prefix fe80:0000:0000:0001 lid 65535 sm_lid 0 lmc 0 state DOWN physical_state DISABLED
link mlx5_2/1 state ACTIVE physical_state LINK_UP netdev eth2
"""  # noqa: E501 -- lines as the tool prints them
RDMA_LINK_JSON = """\
[{"ifindex":0,"ifname":"mlx5_0","port":1,"subnet_prefix":"fe80:0000:0000:0001","lid":3,"sm_lid":1,
"lmc":0,"state":"ACTIVE","physical_state":"LINK_UP"}]
"""
IBSTAT = """\
CA 'mlx5_0'
\tCA type: MT4129
\tNumber of ports: 1
\tFirmware version: 28.39.1002
\tHardware version: 0
\tNode GUID: 0xb83fd2030091a100
\tSystem image GUID: 0xb83fd2030091a100
\tPort 1:
\t\tState: Active
\t\tPhysical state: LinkUp
\t\tRate: 400
\t\tBase lid: 2011
\t\tLMC: 0
\t\tSM lid: 102
\t\tCapability mask: 0xa751e848
\t\tPort GUID: 0xb83fd2030091a101
\t\tLink layer: InfiniBand
"""
IBSTATUS = """\
Infiniband device 'mlx5_0' port 1 status:
\tdefault gid:\t fe80:0000:0000:0000:0000:0000:0000:0001
\tbase lid:\t 0x7db
\tsm lid:\t\t 0x66
\tstate:\t\t 4: ACTIVE
\tphys state:\t 5: LinkUp
\trate:\t\t 400 Gb/sec (4X NDR)
\tlink_layer:\t InfiniBand
"""


def adapter(text: str, name: str = "mlx5_0") -> RdmaDevice:
    device = parse([Document("a.txt", text)], name="gpu1")
    assert device.defects == ()
    return device.rdma[name]


@pytest.mark.parametrize(
    ("text", "form"),
    [
        (RDMA_LINK, "rdma_link"),
        (RDMA_LINK_JSON, "rdma_link"),
        (IBSTAT, "ibstat"),
        (IBSTATUS, "ibstatus"),
    ],
)
def test_outputs_are_told_by_what_they_hold(text: str, form: str) -> None:
    found = recognise(Document("a.txt", text))
    assert found is not None
    assert found.form == form


@pytest.mark.parametrize("text", [RDMA_LINK, RDMA_LINK_JSON])
def test_rdma_link_tells_addresses_and_states(text: str) -> None:
    found = adapter(text)
    assert (found.link_layer, found.link_state) == (LinkLayer.INFINIBAND, AdminState.UP)
    assert (found.lid, found.sm_lid, found.physical_state) == (3, 1, "LINK_UP")


def test_a_port_that_nobody_serves_is_down_without_an_address() -> None:
    found = adapter(RDMA_LINK, "mlx5_1")
    assert (found.link_state, found.lid, found.sm_lid) == (AdminState.DOWN, 65535, 0)
    assert found.physical_state == "DISABLED"


def test_an_ethernet_port_beside_them_has_a_netdev_and_no_address() -> None:
    found = adapter(RDMA_LINK, "mlx5_2")
    assert (found.ports, found.lid, found.link_layer) == (("eth2",), UNKNOWN, UNKNOWN)


def test_ibstat_tells_guids_and_firmware() -> None:
    found = adapter(IBSTAT)
    assert (found.node_guid, found.port_guid) == (0xB83FD2030091A100, 0xB83FD2030091A101)
    assert (found.firmware, found.lid, found.sm_lid) == ("28.39.1002", 2011, 102)
    assert (found.link_layer, found.link_state) == (LinkLayer.INFINIBAND, AdminState.UP)


def test_only_the_first_port_of_an_adapter_is_taken() -> None:
    second = IBSTAT.partition("\tPort 1:")[2].replace("2011", "9").replace("Active", "Down")
    found = adapter(IBSTAT + "\tPort 2:" + second)
    assert (found.lid, found.link_state) == (2011, AdminState.UP)


def test_ibstatus_tells_addresses_in_hexadecimal() -> None:
    found = adapter(IBSTATUS)
    assert (found.lid, found.sm_lid, found.link_layer) == (0x7DB, 0x66, LinkLayer.INFINIBAND)


def test_a_damaged_address_is_told_and_not_guessed() -> None:
    device = parse([Document("a.txt", IBSTAT.replace("2011", "20zz"))], name="gpu1")
    assert device.rdma["mlx5_0"].lid is UNKNOWN
    assert [one.found for one in device.defects] == ["20zz"]
