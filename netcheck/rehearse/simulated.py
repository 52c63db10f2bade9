"""What a rehearsal cannot show: knobs of the intent that ibsim keeps no state for."""

from __future__ import annotations

from typing import Final

from netcheck.model.known import is_known, known_or
from netcheck.model.subnets import Subnet
from netcheck.platforms.opensm.dialects import UPSTREAM, keys

# Source: linux-rdma/ibsim 0.10 ibsim/sim_mad.c: what a SET of PortInfo keeps.
KNOBS: Final = {
    "high_limit": "VL high limit",
    "m_key": "M_Key",
    "m_key_lease_s": "M_Key lease",
    "m_key_protection": "M_Key protection",
    "sm_key": "SM_Key",
    "adaptive_routing": "adaptive routing",
}
ALWAYS: Final = (
    "P_Key enforcement bits, MTU above 2048 bytes, more than 8 data lanes, speeds above HDR"
)
MOST_SIMULATED_VLS: Final = 8
OPTIONS: Final = {
    "part_enforce": "P_Key enforcement bits",
    "subnet_timeout": "subnet timeout",
    "vl_stall_count": "VL stall count",
    "leaf_vl_stall_count": "VL stall count at hosts",
    "qos_high_limit": "VL high limit",
}


def not_simulated(subnet: Subnet) -> list[str]:
    """Give a line for the knobs that are said and not shown, and one for what never is."""
    said = [
        words
        for field, words in KNOBS.items()
        if is_known(getattr(subnet, field)) and getattr(subnet, field) is not False
    ]
    said += [words for key, words in OPTIONS.items() if key in subnet.options]
    said += [f"key {key}" for key in sorted(unknown_keys(subnet))]
    lines = (
        [f"not simulated, though the intent says it: {', '.join(dict.fromkeys(said))}"]
        if said
        else []
    )
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
