"""Builds of OpenSM: which knows which option and routing engine, as ``keys.yaml`` states."""

from __future__ import annotations

import difflib
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Any, Final

from netcheck.lossless.packaged import packaged_yaml
from netcheck.model.known import Known, is_known

UPSTREAM, NVIDIA, ONYX = "upstream", "nvidia", "onyx"
BUILDS: Final = (UPSTREAM, NVIDIA, ONYX)
# a distribution's package is upstream's
ALIASES: Final = {"inbox": UPSTREAM}
NO_FALLBACK: Final = "no_fallback"
UNSET: Final = "(null)"
LONGEST_KEY: Final = 64  # more is no misspelling of an option


@dataclass(frozen=True, slots=True)
class Key:
    """One option of ``opensm.conf``.

    Attributes:
        kind: boolean, text, or a number such as uint8.
        default: As the file writes it.
        is_restart: A running subnet manager takes a new value at its next start only.
        bounds: Checked; else the default is kept.
        fits: Not checked by anyone, and wrong outside.
        builds: Builds that know it.
    """

    name: str
    kind: str
    default: str
    is_restart: bool
    bounds: tuple[int, int] | None
    fits: tuple[int, int] | None
    builds: tuple[str, ...]
    since: str = ""


@cache
def keys() -> dict[str, Key]:
    """Give every option that some build knows, by name, in the order of the table."""
    table = _table()
    both = (UPSTREAM, NVIDIA)
    found = {name: _key(name, row, both) for name, row in table["upstream"].items()}
    return found | {name: _key(name, row, (NVIDIA,)) for name, row in table["nvidia"].items()}


def known_keys(build: Known[str]) -> list[str]:
    """Give the options of one build; of all where none is said."""
    name = build_name(build)
    return [key.name for key in keys().values() if name is None or name in key.builds]


def build_name(build: Known[str]) -> str | None:
    """Give the build's own name; None where none is said."""
    return ALIASES.get(build, build) if is_known(build) else None


def family_builds(key: str) -> tuple[str, ...]:
    """Give the builds that alone have names of this family."""
    families: dict[str, list[str]] = _table()["families"]
    return tuple(build for build, starts in families.items() if key.startswith(tuple(starts)))


@lru_cache(maxsize=256)
def nearest(key: str) -> str:
    """Give the option that was probably meant; empty where none is near.

    Example:
        >>> nearest("partition_config"), nearest("priority"), nearest("ROUTING_ENGINE")
        ('partition_config_file', 'sm_priority', 'routing_engine')
    """
    if len(key) > LONGEST_KEY:
        return ""
    lower = key.lower()
    longer = [name for name in keys() if lower in name.split("_") or name.startswith(f"{lower}_")]
    ending = [name for name in keys() if name.endswith(f"_{lower}")]
    near = difflib.get_close_matches(lower, keys(), n=1, cutoff=0.75)
    return next(iter([*near, *ending, *longer]), "")


@cache
def engine_builds() -> dict[str, tuple[str, ...]]:
    """Give ``routing engine -> builds that know it``; NVIDIA's knows upstream's too."""
    engines: dict[str, list[str]] = _table()["engines"]
    found: dict[str, list[str]] = {}
    for build, names in engines.items():
        for name in names:
            found.setdefault(name, []).append(build)
            if build == UPSTREAM:
                found[name].append(NVIDIA)
    return {name: tuple(builds) for name, builds in found.items()}


@cache
def _table() -> dict[str, Any]:  # Any: the shape of the data file
    loaded: dict[str, Any] = packaged_yaml("netcheck.platforms", "opensm/keys.yaml")
    return loaded


def _key(name: str, row: dict[str, Any], builds: tuple[str, ...]) -> Key:  # Any: as _table
    bounds, fits, default = row.get("range"), row.get("fits"), row["default"]
    return Key(
        name,
        row["type"],
        UNSET if default is None else str(default),
        is_restart=bool(row.get("restart")),
        bounds=(bounds[0], bounds[1]) if bounds else None,
        fits=(fits[0], fits[1]) if fits else None,
        builds=builds,
        since=str(row.get("since", "")),
    )
