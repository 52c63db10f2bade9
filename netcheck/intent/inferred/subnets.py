"""What files of subnet managers say, as the InfiniBand subnets of an intent.

Managers that say the same serve one subnet. Options that an intent has no word of
its own for go through ``options``; secrets and tables of QoS stay behind.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Final

from netcheck.model.device import Device
from netcheck.model.document import Evidence
from netcheck.model.frozenmap import FrozenMap
from netcheck.model.known import UNKNOWN, Known, is_known, known_or
from netcheck.model.subnet_manager import SmConfig, SmMember, SmPartition
from netcheck.model.subnets import Partition, Subnet
from netcheck.platforms.opensm.dialects import NO_FALLBACK, engine_builds, keys
from netcheck.platforms.opensm.rendered.options import FILE_KEYS
from netcheck.platforms.placeholders import secret_keys

NAME: Final = "subnet"
# Written by the manager's own fields of an intent, or made by it for each host.
OWN: Final = frozenset({"guid", "sm_priority", "allow_both_pkeys", *FILE_KEYS.values()})
# Options that a fact of the subnet tells.
TOLD: Final = {
    "lmc": "lmc",
    "subnet_prefix": "subnet_prefix",
    "routing_engine": "routing",
    "qos_sl2vl": "sl_to_vl",
    "qos_vlarb_high": "vl_high",
    "qos_vlarb_low": "vl_low",
}
LEVELS: Final = 16
# Words of partitions.conf for several ports, as an intent has them.
SEVERAL: Final = {
    "ALL": "all",
    "ALL_CAS": "all_cas",
    "ALL_SWITCHES": "all_switches",
    "ALL_ROUTERS": "all_routers",
    "SELF": "sm",
}


def subnets_of(devices: Iterable[Device]) -> FrozenMap[str, Subnet]:
    """Give the subnets that managers of a fabric serve, by name."""
    found: list[Subnet] = []
    for device in devices:
        if not is_known(device.subnet_manager):
            continue
        subnet = _subnet(device.name, device.subnet_manager)
        for place, other in enumerate(found):
            if _bare(other) == _bare(subnet):
                found[place] = _of_both(other, subnet)
                break
        else:
            found.append(subnet)
    names = [NAME if number == 1 else f"{NAME}-{number}" for number in range(1, len(found) + 1)]
    return FrozenMap(
        {name: replace(one, name=name) for name, one in zip(names, found, strict=True)}
    )


def left_of(config: SmConfig) -> Iterator[str]:
    """Yield what a manager's files hold and no intent is made of."""
    if is_known(config.policy):
        yield "qos-policy.conf"
    for one in known_or(config.partitions, ()):
        if not is_known(one.pkey):
            yield f"partition {one.name}"
    if is_known(config.options):
        if "guid" in config.options:
            yield "guid"
        yield from sorted(set(config.options) & set(secret_keys("opensm")))
        yield from sorted(key for key in config.options if key not in keys())


def _bare(subnet: Subnet) -> Subnet:
    return replace(subnet, subnet_managers=UNKNOWN, priorities=FrozenMap())


def _of_both(first: Subnet, second: Subnet) -> Subnet:
    managers = known_or(first.subnet_managers, ()) + known_or(second.subnet_managers, ())
    return replace(
        first,
        subnet_managers=managers,
        priorities=first.priorities.with_items(dict(second.priorities)),
    )


def _subnet(manager: str, config: SmConfig) -> Subnet:
    options = {key: one.value for key, one in known_or(config.options, FrozenMap()).items()}
    priority = _number(options.get("sm_priority"))
    subnet = Subnet(
        NAME,
        subnet_managers=(manager,),
        priorities=FrozenMap({manager: priority} if is_known(priority) else {}),
        opensm_build=config.build,
        subnet_prefix=_number(options.get("subnet_prefix")),
        lmc=_number(options.get("lmc")),
        routing=_engines(options.get("routing_engine")),
        roots=_guids(config),
        partitions=FrozenMap(dict(_partitions(known_or(config.partitions, ())))),
        sl_to_vl=_lanes(options.get("qos_sl2vl")),
        vl_high=_weights(options.get("qos_vlarb_high")),
        vl_low=_weights(options.get("qos_vlarb_low")),
    )
    return replace(subnet, options=FrozenMap(_others(options, subnet)))


def _number(text: str | None) -> Known[int]:
    try:
        return int(text, 0) if text is not None else UNKNOWN
    except ValueError:
        return UNKNOWN


def _engines(text: str | None) -> Known[tuple[str, ...]]:
    """Engines that some build knows; the manager falls back from others as well."""
    known = {*engine_builds(), NO_FALLBACK}
    names = tuple(one for each in (text or "").split(",") if (one := each.strip()) in known)
    return names or UNKNOWN


def _lanes(text: str | None) -> Known[tuple[int, ...]]:
    """The lane of each service level; UNKNOWN where it is not said for all 16."""
    try:
        lanes = tuple(int(one) for one in text.split(",")) if text else ()
    except ValueError:
        return UNKNOWN
    return lanes if len(lanes) == LEVELS else UNKNOWN


def _weights(text: str | None) -> Known[FrozenMap[int, int]]:
    """Weights by lane; UNKNOWN where a lane has several or an entry is none."""
    pairs = [one.partition(":") for one in text.split(",")] if text else []
    try:
        weights = {int(lane): int(weight) for lane, _, weight in pairs}
    except ValueError:
        return UNKNOWN
    return FrozenMap(weights) if weights and len(weights) == len(pairs) else UNKNOWN


def _guids(config: SmConfig) -> Known[tuple[str, ...]]:
    if not is_known(config.roots) or not config.roots.guids:
        return UNKNOWN
    return tuple(f"0x{guid:016x}" for guid in config.roots.guids)


def _others(options: dict[str, str], subnet: Subnet) -> dict[str, str]:
    """Options that say something else than the build does by itself, and the subnet does not."""
    told = {key for key, fact in TOLD.items() if getattr(subnet, fact) is not UNKNOWN}
    table, said = keys(), {*OWN, *told, *secret_keys("opensm")}
    return {
        key: text
        for key, text in options.items()
        if key in table and key not in said and text != table[key].default
    }


def _partitions(partitions: Iterable[SmPartition]) -> Iterator[tuple[str, Partition]]:
    for one in partitions:
        if is_known(one.pkey):
            yield one.name, _partition(one)


def _partition(one: SmPartition) -> Partition:
    return Partition(
        one.name,
        one.pkey if is_known(one.pkey) else 0,
        members=FrozenMap({_member(member): member.membership for member in one.members}),
        is_ipoib=one.is_ipoib or UNKNOWN,
        mtu=one.mtu_bytes,
        sl=one.sl,
        q_key=one.q_key,
        traffic_class=one.traffic_class,
        flow_label=one.flow_label,
        scope=one.scope,
        is_first=one.is_first or UNKNOWN,
        evidence=Evidence(),
    )


def _member(member: SmMember) -> str:
    return SEVERAL.get(member.name.upper(), member.name)
