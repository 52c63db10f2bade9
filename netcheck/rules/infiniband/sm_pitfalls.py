"""Settings that OpenSM takes as they are written, and that do harm."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from netcheck.model.fact import NotGivenError
from netcheck.model.finding import Place, Severity
from netcheck.model.known import is_known, known_or
from netcheck.model.subnet_manager import SmPartition
from netcheck.model.view import FabricView
from netcheck.rules.infiniband.managers import DEFAULT_PKEY, Manager, managers
from netcheck.rules.infiniband.sm_partitions import by_key
from netcheck.rules.rule import Fault, Scope, rule

SPECIFICATION: Final = "InfiniBand Architecture Specification 1.4"
INFINITE: Final = 0x14
WHOLE: Final = frozenset({"ALL", "ALL_CAS"})
# What has to be the same on master and standby: a failover would change it.
SHARED_OPTIONS: Final = (
    "m_key",
    "sm_key",
    "lmc",
    "routing_engine",
    "qos",
    "qos_sl2vl",
    "qos_vlarb_high",
    "qos_vlarb_low",
    "max_op_vls",
)


@rule(
    "sm-partition-mute",
    severity=Severity.ERROR,
    scope=Scope.FABRIC,
    source=f"{SPECIFICATION}, partitioning: two limited members do not communicate",
    is_proof=False,
)
def sm_partition_mute(fabric: FabricView) -> Iterator[Fault]:
    """All members of a partition are limited.

    Why: limited members reach full ones only, so that nobody reaches anybody.
    Bad: tenant=0x0a01 : 0x...01=limited, 0x...11=limited ;
    Good: at least one member that all others need, such as the store, is full.
    Fix: make the servers of the partition full members, or all of them.
    """
    for manager in managers(fabric):
        for pkey, found in by_key(manager).items():
            members = {one.name: one.membership for each in found for one in each.members}
            is_many = len(members) > 1 or bool(WHOLE & set(members))
            if pkey != DEFAULT_PKEY and is_many and set(members.values()) == {"limited"}:
                yield manager.fault(
                    f"partition {found[0].name}",
                    expected="at least one full member",
                    found=f"{len(members)} limited members",
                    effect="nobody reaches anybody",
                    at=found[0].evidence,
                )


@rule(
    "sm-default-open",
    severity=Severity.INFO,
    scope=Scope.FABRIC,
    source=f"{SPECIFICATION}, partitioning: full members of one partition communicate",
    is_proof=False,
)
def sm_default_open(fabric: FabricView) -> Iterator[Fault]:
    """All ports are full members of the default partition, beside partitions of tenants.

    Why: ports of all tenants reach one another by the default key; there is no isolation.
    Bad: Default=0x7fff : ALL=full ; and tenants beside it.
    Good: Default=0x7fff : ALL=limited, SELF=full ;
    Fix: make all ports limited members of it, the subnet manager a full one.
    """
    for manager in managers(fabric):
        keys = by_key(manager)
        for one in keys.get(DEFAULT_PKEY, ()) if len(keys) > 1 else ():
            if _is_open(one):
                yield manager.fault(
                    f"partition {one.name}",
                    expected="ALL=limited, SELF=full",
                    found="ALL=full",
                    effect="ports of all partitions reach one another by the default key",
                    at=one.evidence,
                )


def _is_open(one: SmPartition) -> bool:
    return any(each.name in WHOLE and each.membership == "full" for each in one.members)


@rule(
    "sm-m-key-lease-short",
    severity=Severity.WARNING,
    scope=Scope.FABRIC,
    source=f"{SPECIFICATION}, M_Key lease period",
    is_proof=False,
)
def sm_m_key_lease_short(fabric: FabricView) -> Iterator[Fault]:
    """The lease of the management key ends before the subnet manager comes round again.

    Why: ports take their protection off when the lease ends; anyone may then set them.
    Bad: m_key_lease_period 5, sweep_interval 10.
    Good: m_key_lease_period 60, sweep_interval 10.
    Fix: make the lease a few times the interval of sweeps.
    """
    for manager in managers(fabric):
        lease = manager.number("m_key_lease_period")
        sweep = manager.number("sweep_interval", 10)
        is_protected = manager.value("m_key_protection_level", "0") != "0"
        if is_protected and lease and (not sweep or lease <= sweep):
            yield manager.fault(
                "m_key_lease_period",
                expected=f"more than {sweep} s, with sweeps",
                found=f"{lease} s",
                effect="ports are open between two sweeps",
                at=manager.at("m_key_lease_period"),
            )


@rule(
    "sm-blind",
    severity=Severity.ERROR,
    scope=Scope.FABRIC,
    source="opensm(8): sweep_interval 0 disables sweeps; sweep_on_trap reacts to changes",
    is_proof=False,
)
def sm_blind(fabric: FabricView) -> Iterator[Fault]:
    """The subnet manager neither sweeps nor reacts to traps.

    Why: links that fail or come back are never noticed; traffic runs into dead ends.
    Bad: sweep_interval 0 and sweep_on_trap FALSE.
    Good: one of the two, better both.
    Fix: set sweep_interval to some seconds, or sweep_on_trap TRUE.
    """
    for manager in managers(fabric):
        is_deaf = manager.value("sweep_on_trap", "TRUE") == "FALSE"
        if is_deaf and manager.value("sweep_interval", "10") == "0":
            yield manager.fault(
                "sweep_interval",
                expected="above 0, or sweep_on_trap TRUE",
                found="0, and sweep_on_trap FALSE",
                effect="changes of the fabric are never noticed",
                at=manager.at("sweep_interval"),
            )


@rule(
    "sm-packets-held",
    severity=Severity.INFO,
    scope=Scope.FABRIC,
    source=f"{SPECIFICATION}, HOQLife: 20 and above never discards",
    is_proof=False,
)
def sm_packets_held(fabric: FabricView) -> Iterator[Fault]:
    """Packets may wait at the head of a queue for ever.

    Why: one receiver that has stopped blocks every path that shares a lane with it.
    Bad: leaf_head_of_queue_lifetime 0x14.
    Good: leaf_head_of_queue_lifetime 0x10.
    Fix: choose a code below 0x14.
    """
    for manager in managers(fabric):
        for key in ("head_of_queue_lifetime", "leaf_head_of_queue_lifetime"):
            found = manager.number(key)
            if found >= INFINITE:
                yield manager.fault(
                    key,
                    expected="a code below 0x14",
                    found=f"{found:#x}",
                    effect="a receiver that has stopped blocks all paths of its lane",
                    at=manager.at(key),
                )


@rule(
    "sm-lanes-differ-on-the-way",
    severity=Severity.WARNING,
    scope=Scope.FABRIC,
    source="opensm(8), QoS: options of CAs and of external switch ports",
    is_proof=False,
)
def sm_lanes_differ_on_the_way(fabric: FabricView) -> Iterator[Fault]:
    """Adapters and switches map service levels to different lanes.

    Why: a packet changes its lane at the first hop: shares and buffers planned for a lane do
        not hold, and routing engines that separate loops by lanes may lock up.
    Bad: qos_ca_sl2vl and qos_swe_sl2vl differ.
    Good: qos_sl2vl alone.
    Fix: map them alike.
    """
    for manager in managers(fabric):
        base = manager.value("qos_sl2vl")
        adapters = manager.value("qos_ca_sl2vl", base)
        switches = manager.value("qos_swe_sl2vl", base)
        if adapters != switches and adapters and switches:
            key = "qos_swe_sl2vl" if manager.value("qos_swe_sl2vl") else "qos_ca_sl2vl"
            yield manager.fault(
                key,
                expected=adapters if key == "qos_swe_sl2vl" else switches,
                found=switches if key == "qos_swe_sl2vl" else adapters,
                effect="packets change their lane at the first hop",
                at=manager.at(key),
            )


@rule(
    "sm-managers-differ",
    severity=Severity.WARNING,
    scope=Scope.FABRIC,
    source="derived: whoever is master programs the subnet by its own files",
    is_proof=False,
)
def sm_managers_differ(fabric: FabricView) -> Iterator[Fault]:
    """Two managers of one subnet have different files.

    Why: at a failover the subnet changes with its master: partitions, lanes, routes, keys.
    Bad: the standby lacks a partition.
    Good: the same files but for guid and sm_priority, and priorities of their own.
    Fix: render both from one intent.
    """
    for first, second in _pairs(fabric):
        for key in SHARED_OPTIONS:
            mine, other = first.value(key), second.value(key)
            if mine != other:
                expected = f"{mine or 'not said'}, as on {first.device.name}"
                yield _unlike(second, key, expected, other or "not said")
            elif first.token(key) != second.token(key):
                yield _unlike(second, key, f"the key of {first.device.name}", "another key")
        priorities = [each.value("sm_priority", "0") for each in (first, second)]
        if priorities[0] == priorities[1]:
            name = first.device.name
            yield _unlike(second, "sm_priority", f"another than {name}'s", priorities[1])
        if is_known(first.config.partitions) and is_known(second.config.partitions):
            mine_keys, other_keys = set(by_key(first)), set(by_key(second))
            if mine_keys != other_keys:
                yield _unlike(second, "partitions", _keys(mine_keys), _keys(other_keys))


def _pairs(fabric: FabricView) -> Iterator[tuple[Manager, Manager]]:
    """Yield each manager after the first of its subnet with the first."""
    first: dict[str, Manager] = {}
    for manager in managers(fabric):
        if is_known(manager.config.options):
            subnet = _subnet_of(manager)
            if subnet and first.setdefault(subnet, manager) is not manager:
                yield first[subnet], manager


def _subnet_of(manager: Manager) -> str:
    """The subnet by the intent, else by its prefix; empty where neither tells."""
    try:
        subnets = manager.view.plan.subnets
    except NotGivenError:
        return manager.value("subnet_prefix")
    named = (
        name
        for name, subnet in subnets.items()
        if manager.device.name in known_or(subnet.subnet_managers, ())
    )
    return next(named, manager.value("subnet_prefix"))


def _keys(keys: set[int]) -> str:
    return ", ".join(f"0x{key:04x}" for key in sorted(keys))


def _unlike(manager: Manager, key: str, expected: str, found: str) -> Fault:
    effect = "the subnet changes at a failover"
    return manager.fault(key, expected=expected, found=found, effect=effect, at=manager.at(key))


@rule(
    "sm-prefix-shared",
    severity=Severity.WARNING,
    scope=Scope.FABRIC,
    source="Open MPI FAQ, OpenFabrics: separate subnets need separate subnet prefixes",
    is_proof=False,
)
def sm_prefix_shared(fabric: FabricView) -> Iterator[Fault]:
    """Two subnets of the intent have one subnet prefix, said or by default.

    Why: MPI and UCX take ports of one prefix for one subnet, and connect ports that do not
        reach one another.
    Bad: two subnets without subnet_prefix.
    Good: a prefix of its own for each subnet.
    Fix: say subnet_prefix.
    """
    seen: dict[int, str] = {}
    for name, subnet in fabric.plan.subnets.items():
        prefix = known_or(subnet.subnet_prefix, 0xFE80000000000000)
        first = seen.setdefault(prefix, name)
        if first != name:
            yield Fault(
                fabric,
                ("subnet_prefix",),
                f"another than that of subnet {first}",
                f"0x{prefix:016x}",
                "MPI and UCX take both for one subnet",
                places=(Place(f"subnet {name}"),),
                evidence=subnet.evidence,
            )
