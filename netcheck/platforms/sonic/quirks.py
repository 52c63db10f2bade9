"""Behaviour that differs by release or that nobody would guess, named and sourced."""

from __future__ import annotations

import re
from typing import Final

from netcheck.model.digits import number_of
from netcheck.model.known import Missing
from netcheck.platforms.sonic.parsed.tables import Tables

_NUMBERED: Final = re.compile(r"version_(\d+)_(\d+)_(\d+)")
BARE_REFERENCES: Final = (3, 0, 3)
OWN_WATCHDOG_FIELD: Final = (3, 0, 5)


def schema_version(tables: Tables) -> tuple[int, int, int] | None:
    """Give the schema version while it was still counted as ``version_3_0_2``.

    Later ones carry a branch (``version_202305_01``) and are newer than any.

    Source: sonic-net/sonic-utilities scripts/db_migrator.py.
    """
    cell = tables.cell("VERSIONS", "DATABASE", "VERSION")
    if isinstance(cell, Missing):
        return None
    match = _NUMBERED.fullmatch(cell.text)
    return (number_of(match[1]), number_of(match[2]), number_of(match[3])) if match else None


def takes_bracket_references(tables: Tables) -> bool | None:
    """Tell whether the schema wants references as ``[TABLE|name]``; None where no version is said.

    Bare names came with version_3_0_3.

    Source: sonic-net/sonic-utilities scripts/db_migrator.py,
        migrate_qos_fieldval_reference_format.
    """
    if isinstance(tables.cell("VERSIONS", "DATABASE", "VERSION"), Missing):
        return None
    version = schema_version(tables)
    return version is not None and version < BARE_REFERENCES


def watchdog_follows_pfc(tables: Tables) -> bool:
    """Tell whether the watchdog guards what PFC is on for, having no field of its own.

    Source: sonic-net/sonic-utilities scripts/db_migrator.py, version_3_0_4 to
        version_3_0_5 copies pfc_enable into pfcwd_sw_enable.
    """
    version = schema_version(tables)
    return version is not None and version < OWN_WATCHDOG_FIELD


def egress_profile_is_lossless(profile: str, pool: str) -> bool | None:
    """Tell by name whether an egress profile is for lossless queues; None when names are silent.

    Nothing but the name tells: lossy queues may draw on the lossless pool. The
    profile's own name goes before that of its pool.

    Source: sonic-net/sonic-buildimage files/build_templates/buffers_config.j2.

    Example:
        >>> egress_profile_is_lossless("egress_lossy_profile", "egress_lossless_pool")
        False
    """
    for name in (profile, pool):
        if "zero" in name:
            return False
        if "lossless" in name:
            return True
        if "lossy" in name:
            return False
    return None


def is_zero_profile(*, size: int, dynamic_th: int | None, static_th: int | None) -> bool:
    """Tell whether a profile takes away all buffer, as unused ports are given.

    Source: sonic-net/sonic-buildimage device/mellanox
        buffers_defaults_objects.j2 (zero profiles of inactive ports).
    """
    return size == 0 and (dynamic_th == -8 or static_th == 0)  # noqa: PLR2004 -- the smallest alpha
