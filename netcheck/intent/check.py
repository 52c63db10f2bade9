"""Walks nodes along the JSON Schema and says everything that does not fit.

Reads the part of JSON Schema 2020-12 that ``schema.json`` uses; a test holds
it to the jsonschema package, which is not imported here because it alone
takes half the time that ``lint`` of a small intent may take.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from functools import cache
from typing import Any

from netcheck.intent.complaint import Complaints, suggest
from netcheck.intent.nodes import Node, kind_of
from netcheck.lossless.packaged import packaged_text
from netcheck.model.document import Evidence
from netcheck.model.frozen import frozen

MAX_COMPLAINTS = 500

Schema = dict[str, Any]  # Any: JSON Schema is JSON

_KINDS: dict[str, str] = {
    "object": "a mapping",
    "array": "a list",
    "string": "a string",
    "integer": "a whole number",
    "number": "a number",
    "boolean": "true or false",
    "null": "nothing",
}


@cache
def schema() -> Schema:
    """Give the JSON Schema of the intent."""
    loaded: Schema = json.loads(packaged_text("netcheck.intent", "schema.json"))
    return loaded


def check(node: Node, complaints: Complaints) -> None:
    """Add a complaint for everything in ``node`` that the schema does not allow.

    After the first few hundred the rest is left out, which is said.
    """
    for number, (at, message) in enumerate(_walk(_Spot(node, "", node.at), schema())):
        if number == MAX_COMPLAINTS:
            complaints.add(at, f"more than {MAX_COMPLAINTS} complaints; the rest is left out")
            return
        complaints.add(at, message)


@frozen
class _Spot:
    """A node, its path for messages, and the place to point at."""

    node: Node
    path: str
    at: Evidence
    is_secret: bool = False

    def say(self, message: str) -> tuple[Evidence, str]:
        return self.at, f"{self.path}: {message}" if self.path else message

    @property
    def found(self) -> str:
        """The value as text; never that of a secret."""
        value = self.node.value
        if self.is_secret or isinstance(value, (dict, list)) or value is None:
            return kind_of(self.node)
        text = str(value).lower() if isinstance(value, bool) else str(value)
        limit = 60
        return text if len(text) <= limit else f"{text[:limit]}..."


Said = Iterator[tuple[Evidence, str]]


def _resolve(rule: Schema) -> Schema:
    """The rule with what it refers to; each is put together once."""
    if "$ref" not in rule:
        return rule
    # by identity: the rules outlive the process's only schema
    found = _resolved().get(id(rule))
    if found is None:
        target = _resolve(schema()["$defs"][rule["$ref"].rpartition("/")[2]])
        own = {key: value for key, value in rule.items() if key != "$ref"}
        found = _resolved()[id(rule)] = {**target, **own}
    return found


@cache
def _resolved() -> dict[int, Schema]:
    return {}


def _walk(spot: _Spot, rule: Schema) -> Said:
    rule = _resolve(rule)
    if rule.get("writeOnly"):
        spot = _Spot(spot.node, spot.path, spot.at, is_secret=True)
    said = list(_type(spot, rule))
    if said:
        yield from said
        return
    for keyword, follow in _KEYWORDS.items():
        if keyword in rule:
            yield from follow(spot, rule)


def _is_kind(node: Node, kind: str) -> bool:
    value = node.value
    if isinstance(value, bool):
        return kind == "boolean"
    if isinstance(value, float):
        return kind == "number" or (kind == "integer" and value.is_integer())
    types: dict[str, type | tuple[type, ...]] = {
        "object": dict,
        "array": list,
        "string": str,
        "integer": int,
        "number": int,
        "null": type(None),
        "boolean": (),
    }
    return isinstance(value, types[kind])


def _type(spot: _Spot, rule: Schema) -> Said:
    allowed = rule.get("type", list(_KINDS))
    kinds = [allowed] if isinstance(allowed, str) else allowed
    if any(_is_kind(spot.node, kind) for kind in kinds):
        return
    is_number = isinstance(spot.node.value, (int, float)) and not isinstance(spot.node.value, bool)
    if is_number and "unit" in rule.get("patternErrorMessage", ""):
        yield spot.say(f"{rule['patternErrorMessage']}; found the bare number {spot.found}")
    elif "patternErrorMessage" in rule and kinds == ["string"]:
        yield spot.say(_with_found(spot, rule["patternErrorMessage"]))
    else:
        words = " or ".join(_KINDS[kind] for kind in kinds if kind != "null")
        hint = "; put it in quotes" if is_number and kinds == ["string"] else ""
        yield spot.say(f"expected {words}, found {_described(spot)}{hint}")


def _described(spot: _Spot) -> str:
    kind = kind_of(spot.node)
    return kind if spot.found == kind else f"{kind} ({spot.found})"


def _with_found(spot: _Spot, message: str) -> str:
    return message if spot.is_secret else f"{message}; found {spot.found}"


def _const(spot: _Spot, rule: Schema) -> Said:
    if type(spot.node.value) is not type(rule["const"]) or spot.node.value != rule["const"]:
        yield spot.say(f"expected {rule['const']}, found {spot.found}")


def _enum(spot: _Spot, rule: Schema) -> Said:
    value, allowed = spot.node.value, rule["enum"]
    if isinstance(value, (dict, list, bool)) or value not in allowed:
        if "patternErrorMessage" in rule:
            yield spot.say(_with_found(spot, rule["patternErrorMessage"]))
            return
        words = ", ".join(str(word) for word in allowed)
        hint = suggest(str(value), [str(word) for word in allowed])
        near = hint if "did you mean" in hint else ""
        yield spot.say(f"expected one of {words}; found {spot.found}{near}")


def _pattern(spot: _Spot, rule: Schema) -> Said:
    value = spot.node.value
    if isinstance(value, str) and not re.search(rule["pattern"], value):
        yield spot.say(_with_found(spot, rule["patternErrorMessage"]))


def _bounds(spot: _Spot, rule: Schema) -> Said:
    value = spot.node.value
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return
    low, high = rule.get("minimum"), rule.get("maximum")
    if (low is not None and value < low) or (high is not None and value > high):
        limits = f"{low} to {high}" if high is not None else f"at least {low}"
        yield spot.say(f"expected {limits}, found {spot.found}")


def _length(spot: _Spot, rule: Schema) -> Said:
    value = spot.node.value
    if not isinstance(value, str):
        return
    if len(value) < rule.get("minLength", 0):
        yield spot.say("expected a text, found an empty one")
    elif len(value) > rule.get("maxLength", len(value)):
        yield spot.say(f"expected at most {rule['maxLength']} characters, found {len(value)}")


def _items(spot: _Spot, rule: Schema) -> Said:
    for number, item in enumerate(spot.node.items):
        yield from _walk(_Spot(item, f"{spot.path}[{number}]", item.at), rule["items"])


def _min_items(spot: _Spot, rule: Schema) -> Said:
    if isinstance(spot.node.value, list) and len(spot.node.items) < rule["minItems"]:
        yield spot.say(f"expected at least {rule['minItems']} element, found none")


def _properties(spot: _Spot, rule: Schema) -> Said:
    """Known keys by their own rule; others by ``additionalProperties``."""
    known = rule.get("properties", {})
    other = rule.get("additionalProperties", True)
    for key, value in spot.node.mapping.items():
        key_at = spot.node.key_at[key]
        path = f"{spot.path}.{key}" if spot.path else key
        if key in known:
            yield from _walk(_Spot(value, path, value.at), known[key])
        elif other is False:
            yield key_at, f"{path}: unknown key{suggest(key, known)}"
        elif isinstance(other, dict):
            yield from _walk(_Spot(value, path, value.at), other)


def _property_names(spot: _Spot, rule: Schema) -> Said:
    for key in spot.node.mapping:
        at = spot.node.key_at[key]
        path = f"{spot.path}.{key}" if spot.path else key
        yield from _walk(_Spot(Node(key, at), path, at), rule["propertyNames"])


def _required(spot: _Spot, rule: Schema) -> Said:
    if isinstance(spot.node.value, dict):
        for key in rule["required"]:
            if key not in spot.node.mapping:
                stated = rule.get("properties", {}).get(key, {}).get("const")
                hint = f"; expected {key}: {stated}" if stated is not None else ""
                yield spot.say(f"has no {key}{hint}")


def _if(spot: _Spot, rule: Schema) -> Said:
    fits = next(_walk(spot, rule["if"]), None) is None
    yield from _walk(spot, rule.get("then" if fits else "else", {}))


_KEYWORDS: dict[str, Callable[[_Spot, Schema], Said]] = {
    "const": _const,
    "enum": _enum,
    "pattern": _pattern,
    "minimum": _bounds,
    "minLength": _length,
    "items": _items,
    "minItems": _min_items,
    "required": _required,
    "propertyNames": _property_names,
    "additionalProperties": _properties,
    "if": _if,
}
