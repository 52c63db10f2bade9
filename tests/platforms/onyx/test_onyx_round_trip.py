"""The subnet manager embedded in MLNX-OS: commands, read back as they were meant."""

from dataclasses import replace

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from netcheck.model.document import Document
from netcheck.model.frozenmap import FrozenMap
from netcheck.model.known import UNKNOWN, is_known
from netcheck.model.subnet_manager import SmConfig
from netcheck.model.subnets import Partition, Subnet
from netcheck.platforms.ib_codes import DATA_VLS, MTU, RATE_GBPS, mtu_code, rate_code
from netcheck.platforms.onyx.parse import parse
from netcheck.platforms.onyx.recognise import recognise
from netcheck.platforms.onyx.render import refused, render_subnet
from tests.platforms.opensm.opensm_subnets import BASE, SL2VL, VARIED, fabric_of, known

TEXT = """\
ib sm
ib sm sm-priority 14
ib sm subnet-prefix 0xfe80000000000001
ib sm routing-engines ftree updn
ib sm root-guid 0x0002c90200300010
ib sm root-guid 0x0002c90200300020
ib partition Default pkey 0x7fff force
ib partition Default ipoib force
ib partition Default mtu 4K force
ib partition Default rate 100 force
ib partition Default member ALL type limited force
ib partition Default member SELF type full force
ib partition a pkey 0x0a01
ib partition a member 00:02:c9:03:00:10:00:11 type full
"""
MEMBERS = st.dictionaries(
    st.sampled_from(["all", "sm", "gpu01", "gpu02", "0x0002c90300100099"]),
    st.sampled_from(["full", "limited", "both"]),
    max_size=4,
)


@st.composite
def subnets(draw: st.DrawFn) -> Subnet:
    partitions = {}
    for key in draw(st.lists(st.integers(1, 0x7FFF), max_size=3, unique=True)):
        is_ipoib = draw(st.booleans())
        partitions[f"p{key}"] = Partition(
            f"p{key}",
            key,
            FrozenMap(draw(MEMBERS)),
            is_ipoib=is_ipoib or UNKNOWN,
            mtu=draw(known(st.sampled_from(list(MTU)))) if is_ipoib else UNKNOWN,
            rate=f"{draw(st.sampled_from(list(RATE_GBPS)))}G" if is_ipoib else UNKNOWN,
            sl=draw(known(st.just(0))) if is_ipoib else UNKNOWN,
        )
    return Subnet(
        "s",
        subnet_managers=("leaf01",),
        subnet_prefix=draw(known(st.integers(1, 2**64 - 1))),
        lmc=draw(known(st.integers(0, 7))),
        priorities=FrozenMap({"leaf01": draw(st.integers(0, 15))}),
        routing=draw(st.sampled_from([UNKNOWN, ("updn",), ("minhop", "updn")])),
        roots=draw(st.sampled_from([UNKNOWN, ("spine",)])),
        data_vls=draw(known(st.sampled_from(list(DATA_VLS)))),
        partitions=FrozenMap(partitions),
    )


def read_back(subnet: Subnet) -> SmConfig:
    (text,) = render_subnet(fabric_of(subnet), "s").values()
    document = Document("running-config.txt", text)
    assert recognise(document) is not None
    device = parse([document], name="leaf01")
    assert device.unread == ()
    assert is_known(device.subnet_manager)
    return device.subnet_manager


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(subnets())
def test_commands_read_as_they_were_meant(subnet: Subnet) -> None:
    config = read_back(subnet)
    assert is_known(config.options)
    values = {key: one.value for key, one in config.options.items()}
    meant = {
        "sm_priority": subnet.priorities["leaf01"],
        "sm": "TRUE",
        "subnet_prefix": subnet.subnet_prefix,
        "lmc": subnet.lmc,
        "max_op_vls": DATA_VLS[subnet.data_vls] if is_known(subnet.data_vls) else UNKNOWN,
        "routing_engine": ",".join(subnet.routing) if is_known(subnet.routing) else UNKNOWN,
    }
    said = {key: str(value) for key, value in meant.items() if is_known(value)}
    assert {key: values[key] for key in said} == said
    found = config.partitions if is_known(config.partitions) else ()
    wanted = list(subnet.partitions.values())
    assert [one.pkey for one in found] == [one.pkey for one in wanted]
    for one, meant_one in zip(found, wanted, strict=True):
        assert len(one.members) == len(meant_one.members)
        codes = [
            mtu_code(meant_one.mtu) if is_known(meant_one.mtu) else UNKNOWN,
            rate_code(meant_one.rate) if is_known(meant_one.rate) else UNKNOWN,
        ]
        assert [one.mtu_code, one.rate_code, one.sl] == [*codes, meant_one.sl]
    assert is_known(config.roots) is is_known(subnet.roots)


def test_a_running_configuration_is_read_among_other_lines() -> None:
    text = '##\n## Running database "initial"\n##\nhostname leaf01\n' + TEXT
    document = Document("leaf01.cfg", text)
    found = recognise(document)
    assert found is not None
    assert found.platform == "onyx"
    assert (found.device, found.is_whole) == ("leaf01", True)
    device = parse([document], name="leaf01")
    config = device.subnet_manager
    assert is_known(config)
    assert is_known(config.partitions)
    assert [one.name for one in config.partitions] == ["Default", "a"]
    assert [str(one.name) for one in config.partitions[0].members] == ["ALL", "SELF"]
    assert [one.name for one in config.partitions[1].members] == ["0x0002c90300100011"]
    assert device.unread == ()


@pytest.mark.parametrize(
    "subnet",
    [
        replace(BASE, adaptive_routing=True),
        replace(BASE, io_nodes=("gpu16",)),
        replace(BASE, sl_to_vl=SL2VL),
        replace(BASE, options=FrozenMap({"sweep_interval": "5"})),
        VARIED["lanes_of_services"],
        VARIED["default_partition"],
    ],
)
def test_what_has_no_command_is_refused(subnet: Subnet) -> None:
    found = refused(fabric_of(subnet), "s")
    assert {refusal.limit for refusal in found} <= {"onyx-only", "routing-engine"}
    assert "onyx-only" in {refusal.limit for refusal in found}


@pytest.mark.parametrize("name", ["members", "Members", "two words"])
def test_a_name_that_would_not_read_back_as_one_is_refused(name: str) -> None:
    partitions = FrozenMap({name: Partition(name, 0x0A01)})
    [refusal] = refused(fabric_of(replace(BASE, partitions=partitions)), "s")
    assert (refusal.limit, name in refusal.place) == ("partition-name", True)
