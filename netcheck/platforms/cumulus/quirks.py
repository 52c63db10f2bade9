"""Behaviour that differs by release or that nobody would guess, named and sourced."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from netcheck.model.known import Known, Missing

NEW_WORDS: Final = (5, 15)
_RELEASE: Final = re.compile(r"(\d+)\.(\d+)")
# Words that mean on and off in any release.
ON: Final = frozenset({"on", "enable", "enabled", "yes", "true"})
OFF: Final = frozenset({"off", "disable", "disabled", "no", "false"})


@dataclass(frozen=True, slots=True)
class Words:
    """The words of one release for what is switched on or off.

    Attributes:
        ecn: Of ``congestion-control`` ``ecn`` and ``red``.
        tlv: Of the DCBX TLVs of ``lldp``.
        watchdog: Of ``pfc-watchdog state``.
        pfc: Of ``pfc tx`` and ``rx``; the same in all releases.
    """

    ecn: tuple[str, str]
    tlv: tuple[str, str]
    watchdog: tuple[str, str]
    pfc: tuple[str, str] = ("disable", "enable")


_OLD: Final = Words(("disable", "enable"), ("off", "on"), ("disable", "enable"))
_NEW: Final = Words(("disabled", "enabled"), ("disabled", "enabled"), ("disabled", "enabled"))


def words_of(os_version: Known[str]) -> Words:
    """Give the words of a release; those of 5.15 and later where no release is said.

    Source: CumulusNetworks/docs nvue-reference Set-and-Unset-Commands QoS.md
        (ecn, red, roce state) and LLDP.md (TLVs), cumulus-linux-514 and -517 Quality of
        Service (pfc-watchdog state disable, disabled; pfc tx enable in both).

    Example:
        >>> words_of("5.14.0").ecn
        ('disable', 'enable')
    """
    match = None if isinstance(os_version, Missing) else _RELEASE.search(os_version)
    if match is None:
        return _NEW
    return _OLD if (int(match[1]), int(match[2])) < NEW_WORDS else _NEW


def switched(word: str) -> bool | None:
    """Tell what a word of any release means; None for another word."""
    plain = word.strip().lower()
    if plain in ON:
        return True
    return False if plain in OFF else None


def xon_level(xoff: int, xon_threshold: int) -> int:
    """Give the fill level below which XON is sent: ``xon-threshold`` counts down from XOFF.

    Source: CumulusNetworks/docs cumulus-linux-514 Quality of Service, table "All PFC
        commands"; ``xon_delta`` of qos_features.conf has the same sense in its name.

    Example:
        >>> xon_level(20000, 1000)
        19000
    """
    return max(xoff - xon_threshold, 0)


def restoration_ms(polling_interval_ms: int) -> int:
    """Give the time after which the watchdog restores: one interval without pause frames.

    Source: CumulusNetworks/docs cumulus-linux-514 Quality of Service, PFC Watchdog.
    """
    return polling_interval_ms
