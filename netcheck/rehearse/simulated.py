"""What a rehearsal reads back of an intent, knob by knob, and what it cannot show."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from netcheck.compare.subnet import LIFETIMES
from netcheck.model.known import is_known, known_or
from netcheck.model.subnets import Subnet
from netcheck.platforms.opensm.dialects import UPSTREAM, keys


class Why(StrEnum):
    """Why a knob of the intent is not compared."""

    NOT_SIMULATED = "not simulated, though the intent says it"
    SET_HERE = "set otherwise for the rehearsal"
    NOT_SHOWN = "rendered, and shown by no tool"


@dataclass(frozen=True, slots=True)
class Knob:
    """One thing an intent says.

    Attributes:
        words: What it is called.
        rules: Findings that tell where it differs; none where it is not read back.
        why: Why it is not.
    """

    words: str
    rules: tuple[str, ...] = ()
    why: Why | None = None


def _read(words: str, *rules: str) -> Knob:
    return Knob(words, rules)


def _simulated(words: str) -> Knob:
    return Knob(words, why=Why.NOT_SIMULATED)


_MANAGERS: Final = ("manager-missing", "manager-not-preferred")
_TIMERS: Final = Knob("failover timers", why=Why.SET_HERE)
_WEIGHTS: Final = _read("VL arbitration", "vl-weights-differ")
_MEMBERS: Final = _read(
    "partitions",
    "partition-keys-differ",
    "switch-keys-differ",
    "path-missing",
    "path-across-partitions",
)
_GROUP: Final = _read("IPoIB groups", "group-differs")
_SERVICE: Final = _read("services of paths", "path-on-other-sl")
_LIMITS: Final = _read("limits of services", "path-above-limit")

# Source: linux-rdma/ibsim 0.10 ibsim/sim_mad.c: what a SET of PortInfo keeps.
SUBNET: Final[Mapping[str, Knob]] = {
    "subnet_prefix": _read("subnet prefix", "subnet-prefix-differs"),
    "lmc": _read("LMC", "lmc-differs"),
    "routing": _read(
        "routing engine", "routing-engine-differs", "ib-credit-loop", "ib-route-missing"
    ),
    "subnet_managers": _read("managers", *_MANAGERS),
    "priorities": _read("SM priorities", "manager-not-preferred"),
    "sl_to_vl": _read("SL2VL", "sl-on-other-vl"),
    "vl_high": _WEIGHTS,
    "vl_low": _WEIGHTS,
    "data_vls": _read("data lanes", "data-vls-differ"),
    "poll_ms": _TIMERS,
    "poll_retries": _TIMERS,
    "high_limit": _simulated("VL high limit"),
    "m_key": _simulated("M_Key"),
    "m_key_lease_s": _simulated("M_Key lease"),
    "m_key_protection": _simulated("M_Key protection"),
    "sm_key": _simulated("SM_Key"),
    "sa_key": Knob("SA_Key", why=Why.NOT_SHOWN),
    "adaptive_routing": _simulated("adaptive routing"),
    "roots": Knob("roots of the routing engine", why=Why.NOT_SHOWN),
    "io_nodes": Knob("I/O nodes of the routing engine", why=Why.NOT_SHOWN),
    "compute_nodes": Knob("compute nodes of the routing engine", why=Why.NOT_SHOWN),
}
PARTITION: Final[Mapping[str, Knob]] = {
    "members": _MEMBERS,
    # each member says its own
    "default_membership": Knob("default membership", why=Why.NOT_SHOWN),
    "is_first": _read("first P_Key", "partition-key-not-first"),
    "is_ipoib": _GROUP,
    "mtu": _GROUP,
    "rate": _GROUP,
    "sl": _GROUP,
    "q_key": _GROUP,
    "traffic_class": _GROUP,
    "flow_label": _GROUP,
    "scope": _GROUP,
}
LEVEL: Final[Mapping[str, Knob]] = {
    "sl": _SERVICE,
    "vl": _read("SL2VL", "sl-on-other-vl"),
    "weight": _WEIGHTS,
    "is_high": _WEIGHTS,
    "mtu_limit": _LIMITS,
    "rate_limit": _LIMITS,
    "packet_life": _LIMITS,
    "matches": _SERVICE,
}
EXPECTED: Final[Mapping[str, Knob]] = {
    "width": _read("width of links", "ib-link-width-speed"),
    "speed": _read("speed of links", "ib-link-width-speed"),
    "firmware": _simulated("firmware"),
    "are_cables_stated": _read("cables", "ib-topology-vs-intent"),
}
_LIFETIME: Final = _read("head-of-queue lifetime", "packet-lifetime-differs")
OPTIONS: Final[Mapping[str, Knob]] = {
    **dict.fromkeys(LIFETIMES.values(), _LIFETIME),
    "part_enforce": _simulated("P_Key enforcement bits"),
    "subnet_timeout": _simulated("subnet timeout"),
    "vl_stall_count": _simulated("VL stall count"),
    "leaf_vl_stall_count": _simulated("VL stall count at hosts"),
    "qos_high_limit": _simulated("VL high limit"),
    "max_wire_smps": Knob("max_wire_smps", why=Why.SET_HERE),
    "sweep_interval": Knob("sweep_interval", why=Why.SET_HERE),
}
ALWAYS: Final = (
    "P_Key enforcement bits, MTU above 2048 bytes, more than 8 data lanes, speeds above HDR"
)


def knobs(subnet: Subnet) -> Iterator[Knob]:
    """Yield what an intent says of a subnet, in a fixed order; equal ones once."""
    said = [*_said(subnet, SUBNET)]
    for table, records in (
        (PARTITION, subnet.partitions.values()),
        (LEVEL, subnet.qos_levels.values()),
        (EXPECTED, (subnet.expect,)),
    ):
        said += [knob for one in records for knob in _said(one, table)]
    own = unknown_keys(subnet)
    for key in sorted(subnet.options):
        unknown = Knob(f"key {key}", why=Why.NOT_SIMULATED if key in own else Why.NOT_SHOWN)
        said.append(OPTIONS.get(key, unknown))
    yield from dict.fromkeys(said)


def _said(record: object, table: Mapping[str, Knob]) -> Iterator[Knob]:
    """Knobs of one record that are said; ``on`` is, ``off`` is what is there anyhow."""
    for name, knob in table.items():
        value = getattr(record, name)
        if is_known(value) and value is not False and value not in ((), {}):
            yield knob


def compared(subnet: Subnet) -> str:
    """Give a line for what the intent says and the rehearsal reads back."""
    words = dict.fromkeys(knob.words for knob in knobs(subnet) if knob.rules)
    return f"compared with the intent: {', '.join(words) or 'nothing that it says'}"


def not_simulated(subnet: Subnet) -> list[str]:
    """Give a line for each reason why knobs are not shown, and one for what never is."""
    said = [*knobs(subnet)]
    lines = []
    for why in Why:
        words = dict.fromkeys(knob.words for knob in said if knob.why is why)
        lines += [f"{why}: {', '.join(words)}"] if words else []
    return [*lines, f"never simulated: {ALWAYS}"]


def unknown_keys(subnet: Subnet) -> frozenset[str]:
    """Keys of the intent that the rehearsing build does not know, and another does."""
    build = known_or(subnet.opensm_build, UPSTREAM)
    if build in {UPSTREAM, "inbox"}:
        return frozenset()
    known = keys()
    return frozenset(
        key for key in subnet.options if key in known and UPSTREAM not in known[key].builds
    )
