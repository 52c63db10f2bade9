"""Behaviour that nobody would guess, named and sourced."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from netcheck.platforms.opensm.dialects import keys

# One word that OpenSM cannot read drops all of the file. Source: measured on 3.3.23.
FAILS_OPEN = ("partitions.conf", "qos-policy.conf")
# A start script of RHEL runs one subnet manager for each opensm.conf* that it finds.
# Source: linux-rdma/opensm issue 41.
BACKUP_FOLDER = "/var/lib/netcheck/opensm"


def restart_keys(changed: Iterable[str]) -> list[str]:
    """Give the changed options that a running subnet manager does not take on SIGHUP.

    Source: measured on 3.3.23, one SIGHUP a key.

    Example:
        >>> restart_keys(["sweep_interval", "lmc"])
        ['lmc']
    """
    known = keys()
    return [key for key in changed if key in known and known[key].is_restart]


def needs_second_sweep(old: Mapping[str, str], new: Mapping[str, str]) -> bool:
    """Tell whether SL2VL is right only after the second heavy sweep.

    The first sweep after ``max_op_vls`` was lowered still masks by the old number of lanes.

    Source: measured on 3.3.23.
    """
    before, after = (int(each.get("max_op_vls", "5"), 0) for each in (old, new))
    return after < before
