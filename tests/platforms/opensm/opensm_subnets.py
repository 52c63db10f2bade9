"""Subnets of many kinds on one fabric: two spines, four leaves, sixteen hosts."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import strategies as st

from netcheck.model.device import Device, LinkLayer, Port, RdmaDevice, Role
from netcheck.model.fabric import Fabric, Link, PortRef
from netcheck.model.frozenmap import FrozenMap
from netcheck.model.known import UNKNOWN, Known, is_known
from netcheck.model.subnets import IbExpectations, IbMatch, IbQosLevel, Partition, Subnet
from netcheck.platforms.ib_codes import DATA_VLS, MTU, RATE_GBPS

LEAVES, SPINES, HOSTS_OF_LEAF, UPLINKS = 4, 2, 4, 2
GUID = 0x0002C90300100000
RATES = [f"{text}G" for text in RATE_GBPS]


def host(number: int) -> Device:
    rdma = RdmaDevice(
        "mlx5_0",
        ports=("ib0",),
        link_layer=LinkLayer.INFINIBAND,
        node_guid=GUID + 16 * number,
        port_guid=GUID + 16 * number + 1,
    )
    ports = FrozenMap({"ib0": Port("ib0", link_layer=LinkLayer.INFINIBAND)})
    name = f"gpu{number:02}"
    return Device(name, role=Role.HOST, rdma=FrozenMap({"mlx5_0": rdma}), ports=ports)


def switch(name: str, role: Role, guid: int, ports: int) -> Device:
    made = {str(n): Port(str(n), link_layer=LinkLayer.INFINIBAND) for n in range(1, ports + 1)}
    return Device(name, role=role, node_guid=guid, ports=FrozenMap(made))


def fabric_of(subnet: Subnet) -> Fabric:
    """The fabric with one subnet."""
    hosts = [host(number) for number in range(1, LEAVES * HOSTS_OF_LEAF + 1)]
    count = HOSTS_OF_LEAF + SPINES * UPLINKS
    leaves = [
        switch(f"leaf{n:02}", Role.LEAF, 0x0002C90200200000 + 16 * n, count)
        for n in range(1, LEAVES + 1)
    ]
    spines = [
        switch(f"spine{n:02}", Role.SPINE, 0x0002C90200300000 + 16 * n, LEAVES * UPLINKS)
        for n in range(1, SPINES + 1)
    ]
    devices = FrozenMap({device.name: device for device in (*spines, *leaves, *hosts)})
    return Fabric("f", devices=devices, links=tuple(links()), subnets=FrozenMap({"s": subnet}))


def links() -> list[Link]:
    found = []
    for leaf in range(1, LEAVES + 1):
        for port in range(1, HOSTS_OF_LEAF + 1):
            name = f"gpu{(leaf - 1) * HOSTS_OF_LEAF + port:02}"
            found.append(Link(PortRef(f"leaf{leaf:02}", str(port)), PortRef(name, "ib0")))
        for spine in range(1, SPINES + 1):
            for uplink in range(1, UPLINKS + 1):
                own = HOSTS_OF_LEAF + (spine - 1) * UPLINKS + uplink
                far = PortRef(f"spine{spine:02}", str((leaf - 1) * UPLINKS + uplink))
                found.append(Link(PortRef(f"leaf{leaf:02}", str(own)), far))
    return found


def parts(*said: Partition) -> FrozenMap[str, Partition]:
    return FrozenMap({one.name: one for one in said})


def part(name: str, pkey: int, **members: str) -> Partition:
    return Partition(name, pkey, FrozenMap(members))


def levels(*said: IbQosLevel) -> FrozenMap[str, IbQosLevel]:
    return FrozenMap({one.name: one for one in said})


DEFAULT = part("Default", 0x7FFF, all="limited", all_switches="full", sm="full")
IPOIB = replace(DEFAULT, is_ipoib=True, mtu=2048, rate="10G")
TENANTS = parts(
    IPOIB,
    replace(part("a", 0x0A01, gpu01="full", gpu02="full", gpu05="limited"), is_ipoib=True, sl=1),
    part("b", 0x0A02, gpu03="full", gpu04="full"),
)
BASE = Subnet("s", subnet_managers=("gpu01",))
TREE = replace(BASE, routing=("updn",), roots=("spine",))
SL2VL = (0, 1, 2, 3, *([0] * 11), 15)
TWO = levels(IbQosLevel("default", 0, vl=0, weight=64), IbQosLevel("bulk", 1, vl=1, weight=32))


def served(*matches: IbMatch, name: str = "bulk") -> Subnet:
    level = IbQosLevel(name, 1, matches=matches)
    return replace(BASE, partitions=TENANTS, qos_levels=levels(level))


VARIED: dict[str, Subnet] = {
    "nothing_said": BASE,
    "prefix_and_lmc": replace(BASE, subnet_prefix=0xFE80000000000001, lmc=2),
    "two_managers": replace(BASE, subnet_managers=("gpu01", "gpu02"), poll_ms=500, poll_retries=3),
    "priorities": replace(BASE, priorities=FrozenMap({"gpu01": 9})),
    "management_keys": replace(BASE, m_key="env:M_KEY", m_key_lease_s=60, m_key_protection=1),
    "keys_of_managers": replace(BASE, sm_key="env:SM_KEY", sa_key="command:pass show sa"),
    "updn_with_roots": TREE,
    "ftree_then_updn": replace(TREE, routing=("ftree", "updn")),
    "ftree_with_nodes": replace(
        TREE, routing=("ftree",), compute_nodes=("host",), io_nodes=("gpu16",)
    ),
    "minhop": replace(BASE, routing=("minhop",)),
    "dfsssp_with_qos": replace(BASE, routing=("dfsssp",), options=FrozenMap({"qos": "TRUE"})),
    "lash_with_qos": replace(BASE, routing=("lash",), options=FrozenMap({"qos": "TRUE"})),
    "nue_with_qos": replace(
        BASE, routing=("nue",), options=FrozenMap({"qos": "TRUE", "nue_max_num_vls": "4"})
    ),
    "default_partition": replace(BASE, partitions=parts(DEFAULT)),
    "ipoib_group": replace(BASE, partitions=parts(IPOIB)),
    "group_with_every_flag": replace(
        BASE,
        partitions=parts(replace(IPOIB, sl=0, q_key=0xB1B, traffic_class=8, flow_label=5, scope=2)),
    ),
    "tenants": replace(BASE, partitions=TENANTS),
    "default_membership": replace(
        BASE,
        partitions=parts(
            DEFAULT, replace(part("a", 0x0A01, gpu01="full"), default_membership="limited")
        ),
    ),
    "first_index": replace(
        BASE, partitions=parts(DEFAULT, replace(part("a", 0x0A01, host="full"), is_first=True))
    ),
    "both_memberships": replace(BASE, partitions=parts(DEFAULT, part("a", 0x0A01, gpu03="both"))),
    "roles_and_narrower_names": replace(
        BASE, partitions=parts(DEFAULT, part("a", 0x0A01, host="limited", gpu03="full"))
    ),
    "no_members": replace(BASE, partitions=parts(DEFAULT, part("later", 0x0A09))),
    "lanes_as_said": replace(
        BASE,
        data_vls=8,
        sl_to_vl=SL2VL,
        vl_high=FrozenMap({1: 64}),
        vl_low=FrozenMap({0: 64, 2: 32, 3: 32}),
        high_limit=4,
    ),
    "lanes_of_services": replace(BASE, qos_levels=TWO),
    "services_by_partition": served(IbMatch(partition="a")),
    "services_by_protocol": served(
        IbMatch(ulp="ipoib"),
        IbMatch(ulp="ipoib", partition="b"),
        IbMatch(ulp="sdp", port_numbers=("10000-20000",)),
        IbMatch(ulp="rds"),
        IbMatch(ulp="iser", port_numbers=("900",)),
        IbMatch(ulp="srp", destination=("gpu16",)),
        IbMatch(ulp="any", service_ids=("0x1234",)),
        IbMatch(ulp="any", destination=("gpu15", "gpu16")),
    ),
    "services_by_ends": served(
        IbMatch(source=("gpu01",), destination=("host",)),
        IbMatch(qos_classes=("7-9", "11"), service_ids=("0x10", "0x20-0x2f")),
    ),
    "services_with_limits": replace(
        BASE,
        partitions=TENANTS,
        qos_levels=levels(
            IbQosLevel(
                "slow",
                2,
                mtu_limit=1024,
                rate_limit="100G",
                packet_life=18,
                matches=(IbMatch(partition="b"),),
            )
        ),
    ),
    "lifetimes_and_links": replace(
        BASE,
        options=FrozenMap(
            {"head_of_queue_lifetime": "0x11", "leaf_head_of_queue_lifetime": "0x0f"}
        ),
        expect=IbExpectations(width=4, speed="HDR", are_cables_stated=True),
    ),
    "further_options": replace(
        BASE,
        options=FrozenMap({"sweep_interval": "30", "part_enforce": "out", "max_wire_smps": "16"}),
    ),
    "everything": replace(
        TREE,
        subnet_prefix=0xFE80000000000001,
        subnet_managers=("gpu01", "gpu02"),
        routing=("dfsssp", "updn"),
        lmc=1,
        partitions=TENANTS,
        qos_levels=levels(
            *TWO.values(),
            IbQosLevel("fast", 2, vl=2, weight=64, is_high=True, matches=(IbMatch(partition="a"),)),
        ),
        data_vls=8,
        high_limit=8,
        poll_ms=1000,
    ),
}


def known(values: st.SearchStrategy[int]) -> st.SearchStrategy[Known[int]]:
    return st.just(UNKNOWN) | values


SECRETS: st.SearchStrategy[Known[str]] = st.just(UNKNOWN) | st.sampled_from(
    ["env:KEY", "command:pass show #1", "file:~/key of ours"]
)
NAMES = st.sampled_from(["gpu01", "gpu02:mlx5_0", "gpu03", "gpu04", "host", "0x0002c90300100099"])
WIDE = st.sampled_from(["all", "all_cas", "all_switches", "all_routers", "sm"])
ENGINES = ["updn", "ftree", "minhop", "dfsssp"]
MEMBERSHIPS = st.sampled_from(["full", "limited", "both"])


@st.composite
def partitions(draw: st.DrawFn) -> FrozenMap[str, Partition]:
    """Partitions with keys of their own."""
    keys = draw(st.lists(st.integers(1, 0x7FFF), min_size=1, max_size=4, unique=True))
    found = {}
    for number, key in enumerate(keys):
        is_ipoib = draw(st.booleans())
        name = f"p{number}"
        one = Partition(
            name,
            key | draw(st.sampled_from([0, 0x8000])),
            FrozenMap(draw(st.dictionaries(NAMES | WIDE, MEMBERSHIPS, max_size=5))),
            is_ipoib=is_ipoib or UNKNOWN,
            default_membership=draw(st.just(UNKNOWN) | MEMBERSHIPS),
            is_first=draw(st.sampled_from([True, UNKNOWN])),
        )
        if is_ipoib:
            one = replace(
                one,
                mtu=draw(known(st.sampled_from(list(MTU)))),
                rate=draw(st.just(UNKNOWN) | st.sampled_from(RATES)),
                sl=draw(known(st.integers(0, 15))),
                q_key=draw(known(st.integers(1, 0xFFFF))),
                scope=draw(known(st.integers(1, 15))),
                traffic_class=draw(known(st.integers(0, 255))),
                flow_label=draw(known(st.integers(0, 0xFFFFF))),
            )
        found[name] = one
    return FrozenMap(found)


MATCHES = st.sampled_from(
    [
        IbMatch(partition="p0"),
        IbMatch(source=("gpu01",), destination=("host",), qos_classes=("1-3",)),
        IbMatch(service_ids=("0x10-0x1f", "0x30")),
        IbMatch(ulp="ipoib"),
        IbMatch(ulp="any", partition="p0"),
        IbMatch(ulp="sdp", port_numbers=("900", "1000-1100")),
        IbMatch(ulp="srp", destination=("gpu04",)),
    ]
)


@st.composite
def services(draw: st.DrawFn) -> FrozenMap[str, IbQosLevel]:
    """Services, the first of which may be the default one."""
    count = draw(st.integers(0, 4))
    found = {}
    for number in range(count):
        name = "default" if number == 0 and draw(st.booleans()) else f"q{number}"
        matches = tuple(draw(st.lists(MATCHES, max_size=3)))
        is_limited = all(match.ulp is UNKNOWN for match in matches)
        found[name] = IbQosLevel(
            name,
            number,
            vl=draw(known(st.integers(0, 7))),
            weight=draw(known(st.integers(0, 255))),
            is_high=draw(st.sampled_from([True, False, UNKNOWN])),
            mtu_limit=draw(known(st.sampled_from(list(MTU)))) if is_limited else UNKNOWN,
            rate_limit=draw(st.just(UNKNOWN) | st.sampled_from(RATES)) if is_limited else UNKNOWN,
            packet_life=draw(known(st.integers(0, 31))) if is_limited else UNKNOWN,
            matches=matches,
        )
    return FrozenMap(found)


@st.composite
def subnets(draw: st.DrawFn) -> Subnet:
    """A subnet of any kind that OpenSM can express."""
    weights = st.dictionaries(st.integers(0, 14), st.integers(0, 255), min_size=1, max_size=8)
    tables = st.just(UNKNOWN) | weights.map(FrozenMap)
    routing = draw(st.just(UNKNOWN) | st.lists(st.sampled_from(ENGINES), min_size=1).map(tuple))
    has_ftree = is_known(routing) and "ftree" in routing
    return Subnet(
        "s",
        subnet_prefix=draw(known(st.integers(1, 2**64 - 1))),
        routing=routing,
        subnet_managers=draw(st.sampled_from([("gpu01",), ("gpu01", "gpu02")])),
        lmc=draw(known(st.integers(0, 0 if has_ftree else 7))),
        partitions=draw(st.just(FrozenMap()) | partitions()),
        priorities=draw(
            st.just(FrozenMap()) | st.integers(0, 15).map(lambda n: FrozenMap({"gpu01": n}))
        ),
        poll_ms=draw(known(st.integers(1, 100_000))),
        poll_retries=draw(known(st.integers(1, 100))),
        m_key=draw(SECRETS),
        m_key_lease_s=draw(known(st.integers(0, 0xFFFF))),
        m_key_protection=draw(known(st.integers(0, 3))),
        sm_key=draw(SECRETS),
        roots=draw(st.sampled_from([UNKNOWN, ("spine",), ("spine01", "0x0002c90200300099")])),
        io_nodes=draw(st.sampled_from([UNKNOWN, ("gpu16",)])),
        compute_nodes=draw(st.sampled_from([UNKNOWN, ("host",)])),
        sl_to_vl=draw(
            st.just(UNKNOWN) | st.lists(st.integers(0, 15), min_size=16, max_size=16).map(tuple)
        ),
        vl_high=draw(tables),
        vl_low=draw(tables),
        high_limit=draw(known(st.integers(0, 255))),
        data_vls=draw(known(st.sampled_from(list(DATA_VLS)))),
        qos_levels=draw(services()),
    )
