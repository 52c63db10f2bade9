"""Frozen dataclasses as JSON and back, by their annotations, so that plans can be stored.

UNKNOWN and ABSENT become ``{"missing": ...}``; dataclasses become objects of
their fields that differ from the default; maps whose keys are no text and
sets become lists; members of a union of dataclasses carry their class's name.
"""

from __future__ import annotations

import types
from collections.abc import Callable, Mapping
from dataclasses import MISSING, Field, fields, is_dataclass
from enum import Enum
from functools import cache
from typing import Any, Literal, Union, get_args, get_origin

from netcheck.model.errors import InputError
from netcheck.model.frozenmap import FrozenMap
from netcheck.model.hints import field_types
from netcheck.model.known import ABSENT, UNKNOWN, Missing

_MISSING = "missing"
_CLASS = "class"
_SCALARS = (str, int, float, bool, type(None))


def encode(value: object) -> Any:  # Any: JSON
    """Give a value of the model as JSON data.

    Raises:
        TypeError: The value is of a kind that the model does not use.
    """
    if isinstance(value, Missing):
        return {_MISSING: value.value}
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, _SCALARS):
        return value
    return _encode_object(value) if is_dataclass(value) else _encode_container(value)


def _encode_container(value: object) -> list[Any]:  # Any: JSON
    if isinstance(value, Mapping):
        return [[encode(key), encode(item)] for key, item in value.items()]
    if isinstance(value, frozenset):
        return sorted((encode(item) for item in value), key=repr)
    if isinstance(value, tuple):
        return [encode(item) for item in value]
    raise TypeError(f"{type(value).__name__} cannot be stored")


def decode(kind: Any, data: Any, place: str) -> Any:  # Any: a type form, JSON, and its value
    """Give the value of type ``kind`` that ``data`` stands for.

    Raises:
        InputError: ``data`` is not such a value; the message begins with ``place``.
    """
    try:
        return _decode(kind, data)
    except (KeyError, TypeError, ValueError, AttributeError, IndexError) as error:
        raise InputError(f"{place}: not a stored {kind.__name__} ({error})") from error


def _encode_object(value: Any) -> dict[str, Any]:  # Any: a dataclass, JSON
    shown = {_CLASS: type(value).__name__}
    return shown | {
        field.name: encode(getattr(value, field.name))
        for field in fields(value)
        if not _is_default(field, getattr(value, field.name))
    }


def _is_default(field: Field[Any], value: object) -> bool:  # Any: of a field of any type
    if field.default is not MISSING:
        return bool(type(value) is type(field.default) and value == field.default)
    if field.default_factory is not MISSING:
        return bool(value == field.default_factory())
    return False


def _decode(kind: Any, data: Any) -> Any:  # Any: as decode
    if isinstance(data, dict) and set(data) == {_MISSING}:
        return ABSENT if data[_MISSING] == ABSENT.value else UNKNOWN
    origin = get_origin(kind)
    if origin in (Union, types.UnionType):
        return _decode_union(get_args(kind), data)
    if origin is not None:
        return _decode_container(origin, get_args(kind), data)
    if is_dataclass(kind):
        return _decode_object(kind, data)
    if issubclass(kind, Enum):
        return kind(data)
    return _decode_scalar(kind, data)


def _decode_scalar(kind: type, data: object) -> object:
    if kind is float and isinstance(data, int) and not isinstance(data, bool):
        return float(data)
    if type(data) is not kind:
        raise TypeError(f"{kind.__name__} expected, found {data!r}")
    return data


def _decode_union(members: tuple[Any, ...], data: Any) -> Any:  # Any: as decode
    chosen = [member for member in members if get_origin(member) is not Literal]
    if isinstance(data, dict):
        chosen = [member for member in chosen if member.__name__ == data.get(_CLASS)]
    for member in chosen:
        try:
            return _decode(member, data)
        except (TypeError, ValueError):
            if member is chosen[-1]:
                raise
    raise TypeError(f"one of {members} expected, found {data!r}")


def _decode_container(origin: Any, inner: tuple[Any, ...], data: Any) -> Any:  # Any: as decode
    if not isinstance(data, list):
        raise TypeError(f"list expected, found {data!r}")
    if isinstance(origin, type) and issubclass(origin, Mapping):
        items = {_hashable(_decode(inner[0], k)): _decode(inner[1], v) for k, v in data}
        return FrozenMap(items)
    if origin is frozenset:
        return frozenset(_decode(inner[0], item) for item in data)
    if origin is tuple and inner[-1] is not Ellipsis:
        return tuple(_decode(kind, item) for kind, item in zip(inner, data, strict=True))
    return tuple(_decode(inner[0], item) for item in data)


def _hashable(key: Any) -> Any:  # Any: a key of any map
    hash(key)
    return key


def _decode_object(kind: Any, data: Any) -> Any:  # Any: as decode
    if data[_CLASS] != kind.__name__:
        raise TypeError(f"{kind.__name__} expected, found {data[_CLASS]}")
    hints = _hints(kind)
    return kind(**{name: _decode(hints[name], v) for name, v in data.items() if name != _CLASS})


@cache
def _hints(kind: Callable[..., object]) -> dict[str, Any]:  # Any: type forms
    return field_types(kind)
