"""What OpenSM cannot express is refused by name; all of it is told."""

from dataclasses import replace

import pytest

from netcheck.model.errors import InputError, RefusalError
from netcheck.model.frozenmap import FrozenMap
from netcheck.model.known import UNKNOWN, Known
from netcheck.model.subnets import IbMatch, IbQosLevel, Subnet
from netcheck.platforms.capabilities import capabilities
from netcheck.platforms.opensm.dialects import family_builds, keys, known_keys, nearest
from netcheck.platforms.opensm.render import refusals, refused, render, render_subnet
from tests.platforms.opensm.opensm_subnets import BASE, IPOIB, fabric_of, levels, part, parts

OPTION = FrozenMap({"sm_prio": "5"})
FOREIGN = FrozenMap({"ar_sl_mask": "0xFFFF"})


def match(one: IbMatch, mtu_limit: Known[int] = UNKNOWN) -> Subnet:
    level = IbQosLevel("x", 1, matches=(one,), mtu_limit=mtu_limit)
    return replace(BASE, partitions=parts(IPOIB), qos_levels=levels(level))


@pytest.mark.parametrize(
    ("limit", "subnet"),
    [
        ("guid-unknown", replace(BASE, partitions=parts(part("a", 1, gpu99="full")))),
        ("guid-unknown", replace(BASE, roots=("spine99",))),
        ("guid-unknown", replace(BASE, io_nodes=("store01",))),
        ("guid-unknown", match(IbMatch(source=("gpu99",)))),
        ("pkey", replace(BASE, partitions=parts(part("a", 0x8000)))),
        ("ib-mtu", replace(BASE, partitions=parts(replace(IPOIB, mtu=9000)))),
        ("ib-rate", replace(BASE, partitions=parts(replace(IPOIB, rate="111G")))),
        ("ib-mtu", match(IbMatch(partition="Default"), mtu_limit=1500)),
        ("group-without-ipoib", replace(BASE, partitions=parts(replace(part("a", 1), sl=1)))),
        ("routing-engine", replace(BASE, routing=("fattree",))),
        ("routing-engine", replace(BASE, routing=("ar_updn",))),
        ("ftree-lmc", replace(BASE, routing=("updn", "ftree"), lmc=1)),
        ("adaptive-routing", replace(BASE, routing=("updn",), adaptive_routing=True)),
        ("option-unknown", replace(BASE, options=OPTION)),
        ("option-unknown", replace(BASE, options=FOREIGN)),
        ("partition-unknown", match(IbMatch(partition="nowhere"))),
        ("match-empty", match(IbMatch())),
        ("ulp-limits", match(IbMatch(ulp="ipoib"), mtu_limit=2048)),
        ("ulp-terms", match(IbMatch(ulp="any"))),
        ("ulp-terms", match(IbMatch(ulp="srp", partition="Default"))),
        ("ulp-terms", match(IbMatch(ulp="ipoib", source=("gpu01",)))),
    ],
)
def test_what_cannot_be_expressed_is_refused_by_name(limit: str, subnet: Subnet) -> None:
    fabric = fabric_of(subnet)
    assert limit in capabilities("opensm").limits
    assert limit in {refusal.limit for refusal in refused(fabric, "s")}
    with pytest.raises(RefusalError):
        render_subnet(fabric, "s")


def test_all_refusals_are_told_for_each_device_that_manages() -> None:
    partitions = parts(part("a", 1, gpu99="full"), part("b", 2, gpu98="full"))
    fabric = fabric_of(replace(BASE, partitions=partitions, options=OPTION))
    found = refusals(fabric.devices["gpu01"], fabric)
    assert [refusal.place for refusal in found] == [
        "s partition a",
        "s partition b",
        "s options.sm_prio",
    ]
    assert refusals(fabric.devices["gpu02"], fabric) == []


def test_a_message_names_the_option_that_was_meant() -> None:
    (refusal,) = refused(fabric_of(replace(BASE, options=OPTION)), "s")
    assert refusal.reason == "no build knows it; did you mean sm_priority"


def test_nvidias_build_takes_its_own_options_and_engines() -> None:
    subnet = replace(
        BASE, opensm_build="nvidia", routing=("updn",), adaptive_routing=True, options=FOREIGN
    )
    text = render_subnet(fabric_of(subnet), "s")["opensm.conf"]
    assert "routing_engine ar_updn\n" in text
    assert "ar_sl_mask 0xFFFF\n" in text
    assert text.startswith("# subnet s, subnet manager gpu01, build nvidia\n")


def test_each_manager_gets_its_own_priority_and_port() -> None:
    fabric = fabric_of(replace(BASE, subnet_managers=("gpu01", "gpu02")))
    found = [
        render(fabric.devices[name], fabric)["opensm.conf"].splitlines()[1:3]
        for name in ("gpu01", "gpu02")
    ]
    assert found == [
        ["guid 0x0002c90300100011", "sm_priority 14"],
        ["guid 0x0002c90300100021", "sm_priority 13"],
    ]


def test_a_manager_of_two_subnets_gets_a_folder_for_each() -> None:
    fabric = fabric_of(replace(BASE, partitions=parts(IPOIB)))
    other = replace(BASE, name="t")
    fabric = replace(fabric, subnets=FrozenMap({"s": fabric.subnets["s"], "t": other}))
    files = render(fabric.devices["gpu01"], fabric)
    assert sorted(files) == [
        "s/node-name-map.conf",
        "s/opensm.conf",
        "s/partitions.conf",
        "t/node-name-map.conf",
        "t/opensm.conf",
    ]
    assert "partition_config_file /etc/opensm/s/partitions.conf\n" in files["s/opensm.conf"]


def test_a_subnet_that_is_not_declared_is_an_error() -> None:
    with pytest.raises(InputError, match="subnet x: is not declared; there is s"):
        render_subnet(fabric_of(BASE), "x")


def test_the_option_table_is_that_of_the_measured_build() -> None:
    upstream = known_keys("upstream")
    assert len(upstream) == 161
    assert set(upstream) < set(known_keys("nvidia"))
    assert keys()["lmc"].is_restart
    assert not keys()["sm_priority"].is_restart


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("priority", "sm_priority"),
        ("partition_config", "partition_config_file"),
        ("routing_engin", "routing_engine"),
        ("frobnicate", ""),
    ],
)
def test_the_nearest_option_is_named(written: str, meant: str) -> None:
    assert nearest(written) == meant


def test_a_family_of_names_tells_its_build() -> None:
    assert family_builds("pfrn_new_thing") == ("nvidia",)
    assert family_builds("lmc") == ()
