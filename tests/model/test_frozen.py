"""Records behave as the frozen, slotted dataclasses that they stand for."""

from __future__ import annotations

import copy
import pickle
from dataclasses import FrozenInstanceError, dataclass, field, fields, replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from netcheck.model.frozen import frozen


class _Shape:
    """Class body that both decorators are given."""

    first: int
    second: str = "x"
    parts: tuple[object, ...] = field(default_factory=tuple)
    note: str = field(default="", compare=False)
    secret: str = field(default="hidden", repr=False)


def _body(name: str) -> type:
    space = {key: value for key, value in vars(_Shape).items() if not key.startswith("__dict__")}
    space.pop("__weakref__", None)
    return type(name, (), {**space, "__qualname__": name})


Ours: Any = frozen(_body("Ours"))
Theirs: Any = dataclass(frozen=True, slots=True)(_body("Theirs"))
Empty: Any = frozen(type("Empty", (), {"__annotations__": {}}))

VALUES = st.tuples(
    st.integers(0, 2), st.sampled_from("xy"), st.tuples(st.booleans()), st.sampled_from(["", "n"])
)


@given(VALUES, VALUES)
def test_equality_and_hash_are_those_of_a_dataclass(one: tuple[Any], other: tuple[Any]) -> None:
    assert (Ours(*one) == Ours(*other)) == (Theirs(*one) == Theirs(*other))
    assert (hash(Ours(*one)) == hash(Ours(*other))) == (hash(Theirs(*one)) == hash(Theirs(*other)))


@given(VALUES)
def test_representation_is_that_of_a_dataclass(values: tuple[Any]) -> None:
    assert repr(Ours(*values)) == repr(Theirs(*values)).replace("Theirs", "Ours")
    assert "hidden" not in repr(Ours(*values))


def test_fields_defaults_slots_and_matching_are_those_of_a_dataclass() -> None:
    assert [one.name for one in fields(Ours)] == [one.name for one in fields(Theirs)]
    assert Ours.__slots__ == Theirs.__slots__
    assert Ours.__match_args__ == Theirs.__match_args__
    made = Ours(1)
    assert (made.second, made.parts, made.note, made.secret) == ("x", (), "", "hidden")
    assert Ours(1, parts=(2,)).parts == (2,)


def test_records_of_two_classes_are_never_equal() -> None:
    assert Ours(1) != Theirs(1)
    assert Ours(1) != 1
    assert Empty() == Empty()
    assert hash(Empty()) == hash(Empty())


@pytest.mark.parametrize("name", ["first", "unheard_of"])
def test_a_record_cannot_be_changed(name: str) -> None:
    made = Ours(1)
    with pytest.raises(FrozenInstanceError):
        setattr(made, name, 2)
    with pytest.raises(FrozenInstanceError):
        delattr(made, name)
    assert made.first == 1


def test_a_changed_copy_is_made_by_replace() -> None:
    assert replace(Ours(1, "y"), first=2) == Ours(2, "y")


@frozen
class Kept:
    """A record that other processes can be sent."""

    name: str
    inner: tuple[int, ...] = ()


@frozen
class Longer(Kept):
    """A record with the fields of another."""

    more: int = 0


@pytest.mark.parametrize("made", [Kept("a", (1,)), Longer("b", (), 3)])
def test_a_record_survives_pickle_and_copy(made: Kept) -> None:
    assert pickle.loads(pickle.dumps(made)) == made  # noqa: S301 -- our own
    assert copy.deepcopy(made) == made
    assert Longer("b") != Kept("b")


def test_wrong_arguments_are_refused() -> None:
    with pytest.raises(TypeError, match="first"):
        Ours()
    with pytest.raises(TypeError, match="unheard_of"):
        Ours(1, unheard_of=2)


def test_a_class_that_could_not_work_is_refused() -> None:
    with pytest.raises(TypeError, match="__post_init__"):
        frozen(type("Late", (), {"__post_init__": print}))
    with pytest.raises(TypeError, match="default"):
        frozen(type("Mixed", (), {"__annotations__": {"a": "int", "b": "int"}, "a": 1}))
