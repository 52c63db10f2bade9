"""What the Hypothesis strategies of all platforms are built of."""

from __future__ import annotations

from typing import TypeVar

from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st

from netcheck.model.frozenmap import FrozenMap
from netcheck.model.known import UNKNOWN, Known, Missing

ValueT = TypeVar("ValueT")

# Without shrinking: it takes minutes on switches, and the failing case is printed anyway.
RELAXED = settings(
    deadline=None,
    derandomize=True,
    phases=(Phase.explicit, Phase.reuse, Phase.generate),
    suppress_health_check=[
        HealthCheck.too_slow,
        HealthCheck.data_too_large,
        HealthCheck.function_scoped_fixture,
    ],
)


def maybe(values: st.SearchStrategy[ValueT]) -> st.SearchStrategy[Known[ValueT]]:
    """A fact that is said or not."""
    return st.one_of(st.just(UNKNOWN), values)


def said_or_absent(values: st.SearchStrategy[ValueT]) -> st.SearchStrategy[Known[ValueT]]:
    """A fact that is said, said to be absent, or not said."""
    return st.one_of(st.sampled_from(Missing), values)


def maps(
    keys: st.SearchStrategy[int], values: st.SearchStrategy[ValueT], most: int = 8
) -> st.SearchStrategy[FrozenMap[int, ValueT]]:
    """A map with entries."""
    return st.dictionaries(keys, values, min_size=1, max_size=most).map(FrozenMap)
