"""InfiniBand subnets as the intent states them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from netcheck.intent.fields import Fields, Layer
from netcheck.intent.ranges import RangeError, expand
from netcheck.intent.units import SIZE_BYTES, TIME_NS
from netcheck.model.frozenmap import FrozenMap
from netcheck.model.known import UNKNOWN, Known, is_known, known_or
from netcheck.model.subnets import IbExpectations, IbMatch, IbQosLevel, Partition, Subnet
from netcheck.platforms.placeholders import is_reference, secret_keys

NO_REFERENCE = (
    "expected a reference (env:NAME, file:PATH, vault:NAME or command:LINE), found a plain value"
)
NS_PER_MS = 1_000_000
NS_PER_S = 1_000_000_000


def build_subnets(infiniband: Fields) -> FrozenMap[str, Subnet]:
    """Give the subnets by name."""
    return FrozenMap(
        {name: _subnet(name, inner) for name, inner in infiniband.children("subnets").items()}
    )


def _subnet(name: str, fields: Fields) -> Subnet:
    partitions = fields.children("partitions")
    levels = fields.children("qos")
    subnet = Subnet(
        name=name,
        subnet_prefix=fields.integer("subnet_prefix"),
        routing=fields.texts("routing"),
        subnet_managers=fields.texts("subnet_managers"),
        opensm_build=fields.child("opensm").text("build"),
        opensm_version=fields.child("opensm").text("version"),
        lmc=fields.integer("lmc"),
        partitions=FrozenMap({name: _partition(name, one) for name, one in partitions.items()}),
        qos_levels=FrozenMap({name: _level(name, one) for name, one in levels.items()}),
        options=FrozenMap(_options(fields)),
        evidence=fields.at,
    )
    if is_known(fields.verbatim("fabric")):
        from netcheck.intent.discovery import discovered  # noqa: PLC0415 -- few intents name one

        port_guids, node_guids = discovered(fields)
        subnet = replace(subnet, port_guids=port_guids, node_guids=node_guids)
    return _with_lanes(_with_routing(_with_managers(subnet, fields), fields), fields)


def _with_managers(subnet: Subnet, fields: Fields) -> Subnet:
    failover = fields.child("failover")
    return replace(
        subnet,
        priorities=FrozenMap(_priorities(fields)),
        poll_ms=failover.whole("poll", TIME_NS, NS_PER_MS),
        poll_retries=failover.integer("retries"),
        m_key=fields.verbatim("m_key"),
        m_key_lease_s=fields.whole("m_key_lease", TIME_NS, NS_PER_S),
        m_key_protection=fields.integer("m_key_protection"),
        sm_key=fields.verbatim("sm_key"),
        sa_key=fields.verbatim("sa_key"),
    )


def _with_routing(subnet: Subnet, fields: Fields) -> Subnet:
    expect = fields.child("expect")
    return replace(
        subnet,
        roots=fields.texts("roots"),
        io_nodes=fields.texts("io_nodes"),
        compute_nodes=fields.texts("compute_nodes"),
        adaptive_routing=fields.flag("adaptive_routing"),
        expect=IbExpectations(
            width=expect.integer("width"),
            speed=expect.text("speed"),
            firmware=FrozenMap(dict(_plain(expect.child("firmware")))),
            are_cables_stated=expect.flag("cables"),
        ),
    )


def _with_lanes(subnet: Subnet, fields: Fields) -> Subnet:
    arbitration = fields.child("vlarb")
    found = fields.find("sl2vl")
    listed = tuple(int(str(one.value)) for one in found[0].items) if found else ()
    return replace(
        subnet,
        sl_to_vl=listed or UNKNOWN,
        vl_high=_weights(arbitration, "high"),
        vl_low=_weights(arbitration, "low"),
        high_limit=arbitration.integer("limit"),
        data_vls=fields.integer("vls"),
    )


def _weights(fields: Fields, key: str) -> Known[FrozenMap[int, int]]:
    found = {int(vl): int(weight) for vl, weight in _plain(fields.child(key))}
    return FrozenMap(found) if found or fields.find(key) else UNKNOWN


def _priorities(fields: Fields) -> dict[str, int]:
    """SM priority by device; the keys may hold ranges."""
    found: dict[str, int] = {}
    for key, value in _plain(fields.child("priorities")):
        try:
            found |= dict.fromkeys((name for name, _ in expand(key)), int(value))
        except RangeError as error:
            fields.complain("priorities", str(error))
    return found


def _plain(fields: Fields) -> Iterator[tuple[str, str]]:
    """Yield keys and values of a section as texts."""
    for layer in fields.layers:
        yield from ((str(key), str(node.value)) for key, node in layer.node.mapping.items())


def _options(fields: Fields) -> dict[str, str]:
    found = {}
    secret = secret_keys("opensm")
    for layer in fields.child("options").layers:
        for key, node in layer.node.mapping.items():
            value = node.value
            if key in secret and not is_reference(str(value)):
                fields.complaints.add(node.at, f"{fields.path}.options.{key}: {NO_REFERENCE}")
                continue
            found[key] = str(value).upper() if isinstance(value, bool) else str(value)
    return found


def _partition(name: str, fields: Fields) -> Partition:
    pkey = fields.integer("pkey")
    largest = 0xFFFF
    if is_known(pkey) and pkey > largest:
        fields.complain("pkey", f"expected at most {largest:#x}, found {pkey:#x}")
    return Partition(
        name=name,
        pkey=known_or(pkey, 0),
        members=FrozenMap(_members(fields)),
        is_ipoib=fields.flag("ipoib"),
        mtu=fields.whole("mtu", SIZE_BYTES),
        rate=fields.text("rate"),
        sl=fields.integer("sl"),
        q_key=fields.integer("q_key"),
        traffic_class=fields.integer("tclass"),
        flow_label=fields.integer("flow_label"),
        scope=fields.integer("scope"),
        default_membership=fields.text("default"),
        is_first=fields.flag("index0"),
        evidence=fields.at,
    )


def _members(fields: Fields) -> dict[str, str]:
    found: dict[str, str] = {}
    for layer in fields.child("members").layers:
        for key, node in layer.node.mapping.items():
            try:
                found |= dict.fromkeys((name for name, _ in expand(key)), str(node.value))
            except RangeError as error:
                fields.complaints.add(layer.node.key_at[key], str(error))
    return found


def _level(name: str, fields: Fields) -> IbQosLevel:
    return IbQosLevel(
        name=name,
        sl=known_or(fields.integer("sl"), 0),
        vl=fields.integer("vl"),
        weight=fields.integer("weight"),
        is_high=fields.flag("high"),
        mtu_limit=fields.whole("mtu_limit", SIZE_BYTES),
        rate_limit=fields.text("rate_limit"),
        packet_life=fields.integer("packet_life"),
        matches=tuple(_matches(fields)),
        evidence=fields.at,
    )


def _matches(fields: Fields) -> Iterator[IbMatch]:
    found = fields.find("match")
    for number, node in enumerate(found[0].items if found else ()):
        path = f"{fields.path}.match[{number}]"
        one = Fields([Layer(node, key_at=node.at)], fields.complaints, path)
        yield IbMatch(
            ulp=one.text("ulp"),
            port_numbers=one.texts("ports"),
            service_ids=one.texts("service_ids"),
            partition=one.text("partition"),
            source=one.texts("source"),
            destination=one.texts("destination"),
            qos_classes=one.texts("qos_class"),
        )
