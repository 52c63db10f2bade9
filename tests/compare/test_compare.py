"""Intended against observed, fact by fact."""

from dataclasses import replace

import pytest

from netcheck.compare.compare import compare
from netcheck.model.device import CongestionControl, Device, Port, RdmaDevice
from netcheck.model.fabric import Fabric
from netcheck.model.finding import Place, Verdict
from netcheck.model.frozenmap import FrozenMap
from netcheck.model.known import ABSENT, UNKNOWN
from netcheck.model.qos import Buffer, Dynamic, Ecn, PortQos, Trust

QOS = PortQos(
    trust=Trust.DSCP,
    dscp_to_priority=FrozenMap({26: 3, 48: 6}),
    pfc_rx=frozenset({3}),
    pfc_tx=frozenset({3}),
    ecn=FrozenMap({3: Ecn(kmin_bytes=1000, kmax_bytes=2000)}),
    ingress_buffer=FrozenMap(
        {3: Buffer(headroom_bytes=90_000, threshold=Dynamic(1.0), profile="a")}
    ),
)
RDMA = RdmaDevice(
    "mlx5_0", ("rail0",), traffic_class=106, congestion_control=CongestionControl(cnp_dscp=48)
)


def fabric(qos: PortQos = QOS, rdma: RdmaDevice = RDMA, mtu: int = 9216) -> Fabric:
    device = Device(
        "leaf01",
        ports=FrozenMap({"Ethernet0": Port("Ethernet0", l2_mtu=mtu, qos=qos)}),
        rdma=FrozenMap({"mlx5_0": rdma}),
    )
    return Fabric("x", devices=FrozenMap({"leaf01": device}))


def told(observed: Fabric) -> list[tuple[str, str, str, str, str]]:
    return [
        (f.verdict.value, str(f.where[0]), next(iter(f.facts), ""), f.expected, f.found)
        for f in compare(fabric(), observed)
    ]


def test_equal_fabrics_do_not_differ() -> None:
    assert told(fabric()) == []


def test_names_of_profiles_are_the_device_own_business() -> None:
    other = replace(QOS.ingress_buffer[3], profile="b")  # type: ignore[index]  # a map here
    assert told(fabric(replace(QOS, ingress_buffer=FrozenMap({3: other})))) == []


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        ({"pfc_rx": frozenset()}, ("fail", "leaf01 Ethernet0", "pfc_rx", "{3}", "{}")),
        ({"pfc_rx": ABSENT}, ("fail", "leaf01 Ethernet0", "pfc_rx", "{3}", "absent")),
        ({"pfc_rx": UNKNOWN}, ("unverified", "leaf01 Ethernet0", "pfc_rx", "{3}", "no evidence")),
        (
            {"dscp_to_priority": FrozenMap({26: 0, 48: 6})},
            ("fail", "leaf01 Ethernet0 26", "dscp_to_priority", "3", "0"),
        ),
        (
            {"dscp_to_priority": FrozenMap({48: 6})},
            ("fail", "leaf01 Ethernet0 26", "dscp_to_priority", "3", "absent"),
        ),
        (
            {"ecn": FrozenMap({3: Ecn(kmin_bytes=1000, kmax_bytes=3000)})},
            ("fail", "leaf01 Ethernet0 3", "ecn", "2000", "3000"),
        ),
        (
            {"ecn": FrozenMap({3: Ecn(kmin_bytes=1000)})},
            ("unverified", "leaf01 Ethernet0 3", "ecn", "2000", "no evidence"),
        ),
        ({"trust": Trust.PCP}, ("fail", "leaf01 Ethernet0", "trust", "dscp", "pcp")),
    ],
)
def test_a_changed_fact_is_named_with_its_place(
    change: dict[str, object], expected: tuple[str, ...]
) -> None:
    assert told(fabric(replace(QOS, **change))) == [expected]  # type: ignore[arg-type]  # by name


def test_what_the_device_has_beyond_the_intent_is_not_judged() -> None:
    more = replace(QOS, dscp_to_priority=FrozenMap({26: 3, 48: 6, 1: 0}))
    assert told(fabric(more)) == []


def test_mtu_and_congestion_control_are_compared_too() -> None:
    rdma = replace(RDMA, congestion_control=CongestionControl(cnp_dscp=46))
    assert told(fabric(rdma=rdma, mtu=1500)) == [
        ("fail", "leaf01 Ethernet0", "l2_mtu", "9216", "1500"),
        ("fail", "leaf01 rail0", "cnp_dscp", "48", "46"),
    ]


def test_a_device_that_was_not_read_is_unverified() -> None:
    (found,) = compare(fabric(), Fabric("x"))
    assert (found.verdict, found.where) == (Verdict.UNVERIFIED, (Place("leaf01"),))


def test_a_device_that_was_asked_and_gave_nothing_is_told_with_the_reason() -> None:
    (found,) = compare(fabric(), Fabric("x"), unread={"leaf01": "timeout"})
    assert found.message == "leaf01: nothing was read from this device (timeout)"
