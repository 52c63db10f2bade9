"""Frozen, slotted dataclasses that cost a third to define.

``dataclasses`` compiles six methods of each frozen class from text. A hundred
records are defined whenever a command starts, so only ``__init__`` is compiled
here and the others are shared code. Fields, slots, ``replace`` and pattern
matching are the standard library's.
"""

from __future__ import annotations

from dataclasses import MISSING, FrozenInstanceError, dataclass, field, fields
from operator import attrgetter
from typing import Any, TypeVar, dataclass_transform

C = TypeVar("C", bound=type)
_SET = object.__setattr__


@dataclass_transform(frozen_default=True, field_specifiers=(field,))
def frozen(cls: C) -> C:
    """Make a class what ``dataclass(frozen=True, slots=True)`` would make of it.

    Fields with ``compare=False`` take no part in equality and hash, those with
    ``repr=False`` none in the representation.

    Raises:
        TypeError: The class has ``__post_init__``, which nothing would call, or a
            field without a default follows one that has a default.

    Example:
        >>> @frozen
        ... class Length:
        ...     metres: float
        >>> Length(5.0), Length(5.0) == Length(5), hash(Length(5.0)) == hash(Length(5.0))
        (Length(metres=5.0), True, True)
    """
    if hasattr(cls, "__post_init__"):
        raise TypeError(f"{cls.__name__}: a frozen record has no __post_init__")
    made: Any = dataclass(init=False, slots=True, eq=False, repr=False)(cls)
    names = [each.name for each in fields(made) if each.compare]
    made.__init__ = _initialiser(made)
    made.__eq__, made.__hash__ = _comparison(attrgetter(*names) if names else type)
    made.__setattr__, made.__delattr__ = _refuse_setting, _refuse_deleting
    made.__getstate__, made.__setstate__ = _state, _restore
    if "__repr__" not in cls.__dict__:
        made.__repr__ = _representation
    return made  # type: ignore[no-any-return] # the class it was


def _initialiser(made: Any) -> Any:
    """Compile ``__init__``: the one method whose signature is the class's own.

    Slots are set directly: ``object.__setattr__`` would look each of them up.
    """
    space: dict[str, Any] = {"_missing": MISSING}
    parameters, lines = ["self"], []
    for one in fields(made):
        name, default = one.name, f"_default_{one.name}"
        value, tail = name, ""
        if one.default is not MISSING:
            space[default], tail = one.default, f"={default}"
        elif one.default_factory is not MISSING:
            space[default], tail = one.default_factory, "=_missing"
            value = f"{default}() if {name} is _missing else {name}"
        parameters.append(name + tail)
        space[f"_set_{name}"] = getattr(made, name).__set__
        lines.append(f" _set_{name}(self, {value})")
    text = "\n".join([f"def __init__({', '.join(parameters)}):", *(lines or [" pass"])])
    try:
        exec(text, space)  # noqa: S102 -- names of fields only, as dataclasses does
    except SyntaxError as error:
        raise TypeError(f"{error.msg}: {', '.join(parameters[1:])}") from None
    return space["__init__"]


def _comparison(content: Any) -> tuple[Any, Any]:
    """Equality and hash by what ``content`` gives of an object, between objects of one class."""

    def is_equal(self: object, other: object) -> object:
        if other.__class__ is self.__class__:
            return self is other or content(self) == content(other)
        return NotImplemented

    def hashed(self: object) -> int:
        return hash(content(self))

    return is_equal, hashed


def _refuse_setting(_self: object, name: str, _value: object) -> None:
    raise FrozenInstanceError(f"cannot assign to field {name!r}")


def _refuse_deleting(_self: object, name: str) -> None:
    raise FrozenInstanceError(f"cannot delete field {name!r}")


def _state(self: Any) -> list[object]:
    return [getattr(self, each.name) for each in fields(self)]


def _restore(self: Any, state: list[object]) -> None:
    for each, value in zip(fields(self), state, strict=True):
        _SET(self, each.name, value)


def _representation(self: Any) -> str:
    """Give the class and its fields, as ``dataclasses`` does."""
    shown = (each.name for each in fields(self) if each.repr)
    values = ", ".join(f"{name}={getattr(self, name)!r}" for name in shown)
    return f"{self.__class__.__qualname__}({values})"
