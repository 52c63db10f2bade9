"""InfiniBand subnets as an intent writes them."""

from __future__ import annotations

from collections.abc import Mapping

from netcheck.intent.inferred.layout import Tree
from netcheck.intent.inferred.said import flag, milliseconds, number, said, size, value, word, words
from netcheck.model.frozenmap import FrozenMap
from netcheck.model.subnets import IbExpectations, IbMatch, IbQosLevel, Partition, Subnet

PKEY_DIGITS = 4


def infiniband(subnets: Mapping[str, Subnet]) -> Tree:
    """Give the section of the subnets; nothing where there is none."""
    return said(subnets={name: _subnet(one) for name, one in subnets.items()})


def _subnet(one: Subnet) -> Tree:
    build = said(build=word(one.opensm_build), version=word(one.opensm_version))
    failover = said(poll=milliseconds(one.poll_ms), retries=word(one.poll_retries))
    vlarb = said(
        high=value(one.vl_high, _weights),
        low=value(one.vl_low, _weights),
        limit=word(one.high_limit),
    )
    return said(
        opensm=build,
        subnet_prefix=number(one.subnet_prefix),
        routing=words(one.routing),
        lmc=word(one.lmc),
        subnet_managers=words(one.subnet_managers),
        priorities=dict(one.priorities),
        failover=failover,
        m_key=word(one.m_key),
        m_key_lease=value(one.m_key_lease_s, lambda seconds: f"{seconds}s"),
        m_key_protection=word(one.m_key_protection),
        sm_key=word(one.sm_key),
        sa_key=word(one.sa_key),
        roots=words(one.roots),
        io_nodes=words(one.io_nodes),
        compute_nodes=words(one.compute_nodes),
        adaptive_routing=flag(one.adaptive_routing),
        vls=word(one.data_vls),
        sl2vl=value(one.sl_to_vl, list),
        vlarb=vlarb,
        expect=_expect(one.expect),
        partitions={name: _partition(part) for name, part in one.partitions.items()},
        qos={name: _level(level) for name, level in one.qos_levels.items()},
        options=dict(one.options),
    )


def _weights(weights: FrozenMap[int, int]) -> Tree:
    return {str(lane): weight for lane, weight in weights.items()}


def _expect(one: IbExpectations) -> Tree:
    return said(
        width=word(one.width),
        speed=word(one.speed),
        firmware=dict(one.firmware),
        cables=flag(one.are_cables_stated),
    )


def _partition(one: Partition) -> Tree:
    return said(
        pkey=number(one.pkey, PKEY_DIGITS),
        members=dict(one.members),
        ipoib=flag(one.is_ipoib),
        mtu=size(one.mtu),
        rate=word(one.rate),
        sl=word(one.sl),
        q_key=number(one.q_key, 1),
        tclass=word(one.traffic_class),
        flow_label=word(one.flow_label),
        scope=word(one.scope),
        default=word(one.default_membership),
        index0=flag(one.is_first),
    )


def _level(one: IbQosLevel) -> Tree:
    return said(
        sl=one.sl,
        vl=word(one.vl),
        weight=word(one.weight),
        high=flag(one.is_high),
        mtu_limit=size(one.mtu_limit),
        rate_limit=word(one.rate_limit),
        packet_life=word(one.packet_life),
        match=[_match(match) for match in one.matches],
    )


def _match(one: IbMatch) -> Tree:
    return said(
        ulp=word(one.ulp),
        ports=words(one.port_numbers),
        service_ids=words(one.service_ids),
        partition=word(one.partition),
        source=words(one.source),
        destination=words(one.destination),
        qos_class=words(one.qos_classes),
    )
