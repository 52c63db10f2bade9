"""What is rendered reads as what was meant, for every subnet that OpenSM can express."""

from dataclasses import replace

from hypothesis import HealthCheck, given, settings

from netcheck.model.document import Document
from netcheck.model.errors import RefusalError
from netcheck.model.finding import Severity
from netcheck.model.frozenmap import FrozenMap
from netcheck.model.known import ABSENT, UNKNOWN, Known, is_known, known_or
from netcheck.model.subnet_manager import SmConfig, SmPartition
from netcheck.model.subnets import Partition, Subnet
from netcheck.platforms.ib_codes import DATA_VLS, MTU, mtu_code, rate_code
from netcheck.platforms.opensm.parse import parse
from netcheck.platforms.opensm.recognise import recognise
from netcheck.platforms.opensm.render import render_subnet
from netcheck.platforms.placeholders import references
from tests.platforms.opensm.opensm_subnets import fabric_of, subnets

SLOW = settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
WORDS = {
    "all": "ALL",
    "all_cas": "ALL_CAS",
    "all_switches": "ALL_SWITCHES",
    "all_routers": "ALL_ROUTERS",
    "sm": "SELF",
}
HOSTS = [f"0x{0x0002C90300100001 + 16 * number:016x}" for number in range(1, 17)]


def rendered(subnet: Subnet) -> dict[str, str]:
    return render_subnet(fabric_of(subnet), "s")


def read_back(subnet: Subnet) -> SmConfig:
    if "p0" not in subnet.partitions:  # services match it
        levels = {
            name: replace(one, matches=tuple(m for m in one.matches if m.partition is UNKNOWN))
            for name, one in subnet.qos_levels.items()
        }
        subnet = replace(subnet, qos_levels=FrozenMap(levels))
    documents = [Document(name, text) for name, text in rendered(subnet).items()]
    assert [recognise(document) for document in documents].count(None) == 0
    device = parse(documents, name="gpu01")
    assert device.unread == ()
    config = device.subnet_manager
    assert is_known(config)
    return config


def number(config: SmConfig, key: str) -> Known[int]:
    assert is_known(config.options)
    found = config.options.get(key)
    return int(found.value) if found else UNKNOWN


@SLOW
@given(subnets())
def test_options_read_as_they_were_meant(subnet: Subnet) -> None:
    config = read_back(subnet)
    assert [one for one in config.misreadings if one.severity is not Severity.INFO] == []
    said = {
        "subnet_prefix": subnet.subnet_prefix,
        "lmc": subnet.lmc,
        "sminfo_polling_timeout": subnet.poll_ms,
        "polling_retry_number": subnet.poll_retries,
        "m_key_lease_period": subnet.m_key_lease_s,
        "m_key_protection_level": subnet.m_key_protection,
        "qos_high_limit": subnet.high_limit,
        "max_op_vls": DATA_VLS[subnet.data_vls] if is_known(subnet.data_vls) else UNKNOWN,
        "guid": 0x0002C90300100011,
    }
    assert {key: number(config, key) for key in said} == said
    assert is_known(config.options)
    for key, reference in (("m_key", subnet.m_key), ("sm_key", subnet.sm_key)):
        secret = config.options.get(key)
        assert (references(secret.value)[0] if secret else UNKNOWN) == reference
    routing = config.options.get("routing_engine")
    engines = ",".join(subnet.routing) if is_known(subnet.routing) else None
    assert (routing.value if routing else None) == engines


@SLOW
@given(subnets())
def test_lanes_read_as_they_were_meant(subnet: Subnet) -> None:
    config = read_back(subnet)
    assert is_known(config.options)
    if is_known(subnet.sl_to_vl):
        found = config.options["qos_sl2vl"].value.split(",")
        assert tuple(map(int, found)) == subnet.sl_to_vl
    for key, table in (("qos_vlarb_high", subnet.vl_high), ("qos_vlarb_low", subnet.vl_low)):
        if is_known(table):
            pairs = (entry.split(":") for entry in config.options[key].value.split(","))
            assert {int(vl): int(weight) for vl, weight in pairs} == table
    has_keys = any(key.startswith("qos_") for key in config.options)
    has_levels = any(known_or(one.sl, 0) > 0 for one in subnet.partitions.values())
    assert ("qos" in config.options) is (has_keys or has_levels)


@SLOW
@given(subnets())
def test_partitions_read_as_they_were_meant(subnet: Subnet) -> None:
    config = read_back(subnet)
    if not subnet.partitions:
        assert config.partitions is UNKNOWN
        return
    assert is_known(config.partitions)
    wanted = list(subnet.partitions.values())
    assert [one.name for one in config.partitions] == [one.name for one in wanted]
    for found, meant in zip(config.partitions, wanted, strict=True):
        assert facts(found) == meant_facts(meant)
        assert {one.name: one.membership for one in found.members} == meant_members(meant)


def facts(one: SmPartition) -> list[object]:
    numbers = [one.sl, one.scope, one.q_key, one.traffic_class, one.flow_label]
    codes = [one.mtu_code, one.rate_code]
    return [one.pkey, one.is_ipoib, one.is_first, one.default_membership, *codes, *numbers]


def meant_facts(one: Partition) -> list[object]:
    codes = [
        mtu_code(one.mtu) if is_known(one.mtu) else UNKNOWN,
        rate_code(one.rate) if is_known(one.rate) else UNKNOWN,
    ]
    numbers = [one.sl, one.scope, one.q_key, one.traffic_class, one.flow_label]
    flags = [one.is_ipoib is True, one.is_first is True]
    return [one.pkey & 0x7FFF, *flags, one.default_membership, *codes, *numbers]


def meant_members(one: Partition) -> dict[str, str]:
    """Wide names first, single ports last: the narrower name wins."""
    found: dict[str, str] = {}
    for name, membership in one.members.items():
        if name in WORDS:
            found[WORDS[name]] = membership
    for name in ("host", "gpu01", "gpu03", "gpu04", "gpu02:mlx5_0", "0x0002c90300100099"):
        if name in one.members:
            ports = HOSTS if name == "host" else [port_of(name)]
            found |= dict.fromkeys(ports, one.members[name])
    return found


def port_of(name: str) -> str:
    return name if name.startswith("0x") else HOSTS[int(name[3:5]) - 1]


@SLOW
@given(subnets())
def test_services_read_as_they_were_meant(subnet: Subnet) -> None:
    config = read_back(subnet)
    if not subnet.qos_levels:
        assert config.policy is UNKNOWN
        return
    assert is_known(config.policy)
    levels = {one.name: one for one in config.policy.levels}
    for one in subnet.qos_levels.values():
        found = levels["DEFAULT" if one.name == "default" else one.name]
        limits = [found.sl, found.mtu_code, found.rate_code, found.packet_life]
        mtu = MTU[one.mtu_limit] if is_known(one.mtu_limit) else UNKNOWN
        rate = rate_code(one.rate_limit) if is_known(one.rate_limit) else UNKNOWN
        assert limits == [one.sl, mtu, rate, one.packet_life]
    declared = [match for one in subnet.qos_levels.values() for match in one.matches]
    matches = [m for m in declared if m.partition is UNKNOWN or m.partition in subnet.partitions]
    by_protocol = [match for match in matches if is_known(match.ulp)]
    assert len(config.policy.rules) == len(matches) - len(by_protocol)
    assert len(config.policy.ulps) == len(by_protocol) + bool(by_protocol)


@SLOW
@given(subnets())
def test_guid_files_read_as_they_were_meant_and_texts_are_stable(subnet: Subnet) -> None:
    files = rendered_or_none(subnet)
    if files is None:
        return
    assert files == rendered(subnet)
    config = read_back(subnet)
    spines = (0x0002C90200300010, 0x0002C90200300020)
    meant: dict[Known[tuple[str, ...]], object] = {
        UNKNOWN: UNKNOWN,
        ("spine",): spines,
        ("spine01", "0x0002c90200300099"): (spines[0], 0x0002C90200300099),
    }
    roots = config.roots.guids if is_known(config.roots) else config.roots
    assert roots == meant[subnet.roots]
    assert (config.io_nodes is UNKNOWN) is (subnet.io_nodes is UNKNOWN)
    nodes = config.compute_nodes.guids if is_known(config.compute_nodes) else ()
    assert [f"0x{guid:016x}" for guid in nodes] == (
        [] if subnet.compute_nodes is UNKNOWN else HOSTS
    )
    assert config.names is not ABSENT
    assert is_known(config.names)
    assert config.names[0x0002C90200300010] == "spine01"


def rendered_or_none(subnet: Subnet) -> dict[str, str] | None:
    try:
        return rendered(subnet)
    except RefusalError:
        return None
