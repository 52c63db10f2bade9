"""InfiniBand subnets as the intent states them."""

from __future__ import annotations

from netcheck.intent.fields import Fields
from netcheck.intent.ranges import RangeError, expand
from netcheck.intent.units import SIZE_BYTES
from netcheck.model.frozenmap import FrozenMap
from netcheck.model.known import is_known, known_or
from netcheck.model.subnets import IbQosLevel, Partition, Subnet


def build_subnets(infiniband: Fields) -> FrozenMap[str, Subnet]:
    """Give the subnets by name."""
    return FrozenMap(
        {name: _subnet(name, inner) for name, inner in infiniband.children("subnets").items()}
    )


def _subnet(name: str, fields: Fields) -> Subnet:
    partitions = fields.children("partitions")
    levels = fields.children("qos")
    return Subnet(
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
    )


def _options(fields: Fields) -> dict[str, str]:
    found = {}
    for layer in fields.child("options").layers:
        for key, node in layer.node.mapping.items():
            value = node.value
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
    )
