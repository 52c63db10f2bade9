"""Names of the objects that ports share: maps, WRED profiles, buffer profiles.

Equal contents have one name, which follows the policy that asks for them, so
that tuning a policy changes an object in place and binds nothing anew. Where
one policy leads to several contents on one switch, the port's speed tells them
apart, else a digest of the content.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Hashable, Iterable, Mapping
from functools import lru_cache
from typing import Final, TypeVar

from netcheck.model.frozen import frozen
from netcheck.model.known import UNKNOWN, Known, is_known

DEFAULT_BASE: Final = "netcheck"
# sonic-net/sonic-buildimage sonic-dscp-tc-map.yang and its sisters: names of
# maps and WRED profiles start with a letter or digit and have up to 32 characters.
LONGEST: Final = 32
_GBPS: Final = 1_000_000_000

ContentT = TypeVar("ContentT", bound=Hashable)


@frozen
class Use:
    """One place that needs an object: which policy asks, on a port of which speed."""

    policy: Known[str] = UNKNOWN
    speed_bps: Known[int] = UNKNOWN


def safe_name(text: str, *, suffix: str = "") -> str:
    """Give a legal object name that is the text itself wherever that is legal.

    Example:
        >>> safe_name("backend", suffix="_q3")
        'backend_q3'
    """
    clean = re.sub(r"[^-A-Za-z0-9_]", "_", text)
    if not clean[:1].isalnum():
        clean = f"n{clean}"
    if clean == text and len(clean) + len(suffix) <= LONGEST:
        return clean + suffix
    mark = f"_{_digest(text)}{suffix}"
    return clean[: LONGEST - len(mark)] + mark


def shared_names(
    uses: Mapping[ContentT, Iterable[Use]], *, suffix: str = ""
) -> dict[ContentT, str]:
    """Give each content its name; the same uses give the same names, in any order."""
    by_base: dict[str, list[ContentT]] = defaultdict(list)
    for content, places in uses.items():
        by_base[_base(places)].append(content)
    names: dict[ContentT, str] = {}
    for base, contents in by_base.items():
        for content in contents:
            mark = _mark(content, contents, uses) if len(contents) > 1 else ""
            names[content] = safe_name(base, suffix=f"{suffix}{mark}")
    held = Counter(names.values())
    for content in [each for each, name in names.items() if held[name] > 1]:
        # a policy is called what another one's mark leads to
        names[content] = safe_name(_base(uses[content]), suffix=f"{suffix}_{_digest(content)}")
    return names


def _base(places: Iterable[Use]) -> str:
    policies = sorted(place.policy for place in places if is_known(place.policy))
    return policies[0] if policies else DEFAULT_BASE


def _mark(
    content: ContentT, contents: Iterable[ContentT], uses: Mapping[ContentT, Iterable[Use]]
) -> str:
    """What tells a content from the others of its policy."""
    own = {place.speed_bps for place in uses[content]}
    others = {place.speed_bps for other in contents if other != content for place in uses[other]}
    speed = next(iter(own)) if len(own) == 1 else UNKNOWN
    if is_known(speed) and speed not in others and speed % _GBPS == 0:
        return f"_{speed // _GBPS}g"
    return f"_{_digest(content)}"


def _digest(content: Hashable) -> str:
    from hashlib import sha256  # noqa: PLC0415 -- loads OpenSSL; most names need no digest

    items = sorted(content.items()) if isinstance(content, Mapping) else content
    return sha256(repr(items).encode()).hexdigest()[:8]


@lru_cache(maxsize=4096)
def port_order(name: str) -> tuple[str, int, str]:
    """Sort key under which Ethernet8 comes before Ethernet16."""
    match = re.fullmatch(r"(\D*)(\d+)(.*)", name)
    return (match[1], int(match[2]), match[3]) if match else (name, -1, "")


def ranges(numbers: Iterable[int]) -> list[tuple[int, int]]:
    """Give runs of successive numbers, as SONiC writes keys of queues and priority groups.

    Example:
        >>> ranges([6, 3, 4])
        [(3, 4), (6, 6)]
    """
    runs: list[tuple[int, int]] = []
    for number in sorted(numbers):
        if runs and runs[-1][1] == number - 1:
            runs[-1] = (runs[-1][0], number)
        else:
            runs.append((number, number))
    return runs


def range_word(run: tuple[int, int]) -> str:
    """Give a run as keys name it: ``3`` or ``3-4``."""
    low, high = run
    return str(low) if low == high else f"{low}-{high}"


def range_key(port: str, run: tuple[int, int]) -> str:
    """Give the key of a run: ``Ethernet0|3`` or ``Ethernet0|3-4``."""
    return f"{port}|{range_word(run)}"
