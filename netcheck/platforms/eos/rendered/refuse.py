"""How a limit of ``capabilities.yaml`` becomes a refusal."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from netcheck.model.known import Known, Missing
from netcheck.platforms.capabilities import Scalar, capabilities
from netcheck.platforms.platform import Refusal


def refuse(limit: str, place: str, found: object) -> Refusal:
    """Say which limit is hit where, and by what."""
    return capabilities("eos").limit(limit).refusal(place, found)


def outside(limit: str, place: str, values: Iterable[Known[Scalar]]) -> Iterator[Refusal]:
    """Refuse each known value that the limit does not permit."""
    bound = capabilities("eos").limit(limit)
    for value in values:
        if not isinstance(value, Missing) and not bound.permits(value):
            yield bound.refusal(place, value)
