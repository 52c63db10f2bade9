"""Facts read from a view: a plain value, or an error that says what is missing and where.

``Read`` is a typed descriptor. A view wraps one record of the model; reading
``view.trust`` gives the value, raises ``UnknownFactError`` where there is no
evidence, and gives the stated empty value (or raises ``AbsentFactError``)
where the fact is known not to be there. In a view of what was intended, an
UNKNOWN is something the intent does not say: ``NotGivenError``.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from operator import attrgetter
from typing import Any, Generic, TypeVar, cast, overload

from netcheck.model.errors import NetcheckError
from netcheck.model.finding import Place
from netcheck.model.frozenmap import FrozenMap
from netcheck.model.known import ABSENT, UNKNOWN, AbsentFactError, UnknownFactError

T = TypeVar("T")
V = TypeVar("V", bound="View")


class NotGivenError(NetcheckError, LookupError):
    """A whole view was never given (no peer, no intent, or the intent is silent).

    Attributes:
        view: Name of what was not given.
    """

    def __init__(self, view: str) -> None:
        self.view = view
        super().__init__(f"{view}: not given")


class UnknownAtError(UnknownFactError):
    """A fact without evidence, with the view it was read from."""

    def __init__(self, fact: str, view: View) -> None:
        self.view = view
        super().__init__(fact, str(view.place))


Gap = UnknownFactError | AbsentFactError | NotGivenError


class View:
    """One record of the model as rules see it.

    Attributes:
        subject: The record.
        place: Where it is.
        owner: View that this one is part of; itself for whole ports and devices.
        reads: Facts that were read, shared with the owner.
        gaps: What could not be read inside ``attempt``, shared with the owner.
        is_intended: It shows what was declared, not what was seen.
        parts: Views of nested records that were made, by fact.
    """

    __slots__ = ("gaps", "is_intended", "owner", "parts", "place", "reads", "subject")

    def __init__(
        self, subject: object, place: Place, *, owner: View | None = None, is_intended: bool = False
    ) -> None:
        self.subject = subject
        self.place = place
        self.owner: View = owner or self
        self.reads: set[str] = owner.reads if owner else set()
        self.gaps: list[Gap] = owner.gaps if owner else []
        self.is_intended: bool = owner.is_intended if owner else is_intended
        self.parts: dict[str, Any] = {}  # Any: the type is the descriptor's

    def take(self, fact: str, via: str = "") -> Any:  # Any: the type is the descriptor's
        """Give the stored fact, UNKNOWN having raised."""
        record = getattr(self.subject, via) if via else self.subject
        value = getattr(record, fact)
        if value is UNKNOWN:
            raise self.missing(fact)
        self.reads.add(fact)
        return value

    def missing(self, fact: str) -> NotGivenError | UnknownAtError:
        """What to raise for a fact that is UNKNOWN."""
        return NotGivenError(f"intended {fact}") if self.is_intended else UnknownAtError(fact, self)

    @contextmanager
    def attempt(self) -> Iterator[None]:
        """Go on after a fact that is missing: the gap is kept for the engine."""
        try:
            yield
        except (UnknownFactError, AbsentFactError, NotGivenError) as gap:
            self.gaps.append(without_frames(gap))


def without_frames(gap: Gap) -> Gap:
    """Give a gap to be kept; its traceback would keep every frame that it came through."""
    return gap.with_traceback(None)


class Read(Generic[T]):
    """A fact of a view.

    Args:
        absent: Value that stands for ABSENT; without it, ABSENT raises.
        via: Field of the record that holds the fact, where it is nested.
    """

    def __init__(self, *, absent: T | None = None, via: str = "") -> None:
        self.absent = absent
        self.via = via
        self.name = ""
        self._value_of: attrgetter[Any] = attrgetter("name")  # Any: as for ``View.take``

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name
        self._value_of = attrgetter(f"{self.via}.{name}" if self.via else name)

    @overload
    def __get__(self, view: None, owner: type) -> Read[T]: ...
    @overload
    def __get__(self, view: View, owner: type) -> T: ...
    def __get__(self, view: View | None, owner: type) -> T | Read[T]:
        if view is None:
            return self
        # as ``View.take``, without a call: rules read facts more often than anything else
        value = self._value_of(view.subject)
        if value is UNKNOWN:
            raise view.missing(self.name)
        view.reads.add(self.name)
        if value is not ABSENT:
            return cast("T", value)
        if self.absent is None:
            raise AbsentFactError(self.name, str(view.place))
        return self.absent


class ReadViews(Generic[V]):
    """A map of records, given as ``key -> view``; ABSENT is the empty map.

    Args:
        kind: View of one record.
        word: What a key is called in places (``queue``, ``priority group``).
    """

    def __init__(self, kind: type[V], word: str, *, via: str = "") -> None:
        self.kind = kind
        self.word = word
        self.via = via
        self.name = ""

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name

    @overload
    def __get__(self, view: None, owner: type) -> ReadViews[V]: ...
    @overload
    def __get__(self, view: View, owner: type) -> Mapping[Any, V]: ...
    def __get__(self, view: View | None, owner: type) -> ReadViews[V] | Mapping[Any, V]:
        if view is None:
            return self
        value = view.take(self.name, self.via)
        found: Mapping[Any, V] | None = view.parts.get(self.name)
        if found is None:
            records: Mapping[Any, object] = FrozenMap() if value is ABSENT else value
            found = view.parts[self.name] = {
                key: self.kind(record, self._place(view.place, key), owner=view)
                for key, record in records.items()
            }
        return found

    def _place(self, here: Place, key: object) -> Place:
        return Place(here.device, here.port, f"{self.word} {key}".strip())


class ReadView(Generic[V]):
    """A nested record, given as its view; ABSENT raises."""

    def __init__(self, kind: type[V], *, via: str = "") -> None:
        self.kind = kind
        self.via = via
        self.name = ""

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name

    @overload
    def __get__(self, view: None, owner: type) -> ReadView[V]: ...
    @overload
    def __get__(self, view: View, owner: type) -> V: ...
    def __get__(self, view: View | None, owner: type) -> V | ReadView[V]:
        if view is None:
            return self
        value = view.take(self.name, self.via)
        if value is ABSENT:
            raise AbsentFactError(self.name, str(view.place))
        found: V | None = view.parts.get(self.name)
        if found is None:
            found = view.parts[self.name] = self.kind(value, view.place, owner=view)
        return found


def is_absent(view: View, fact: str) -> bool:
    """Tell whether a fact is known not to be there.

    Raises:
        UnknownFactError: There is no evidence.
        NotGivenError: The intent does not say.
    """
    descriptor = getattr(type(view), fact)
    return view.take(fact, descriptor.via) is ABSENT


def is_readable(view: View, fact: str) -> bool:
    """Tell whether reading a fact gives a value: for choosing between sources, not for passing."""
    try:
        getattr(view, fact)
    except (UnknownFactError, AbsentFactError, NotGivenError):
        return False
    return True
