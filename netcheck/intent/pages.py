"""The reference page of the intent language, written from its JSON Schema."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from netcheck.intent.check import Schema, schema
from netcheck.intent.units import (
    LENGTH_M,
    PERCENT,
    SIZE_BYTES,
    SPEED_BPS,
    TIME_NS,
)

QUANTITIES: Final = {
    "speed": SPEED_BPS,
    "length": LENGTH_M,
    "time": TIME_NS,
    "size": SIZE_BYTES,
    "percent": PERCENT,
}
# definitions that are a table of keys of their own, in reading order
OBJECTS: Final = {
    "policy": "A policy",
    "class": "A traffic class",
    "role_settings": "A role",
    "device": "A device",
    "port": "A port",
    "rdma": "An RDMA device",
    "aggregate": "An aggregate",
    "buffers": "Buffers",
    "host": "A host",
    "link": "A link",
    "csv_columns": "Columns of a cabling plan",
    "credentials": "Credentials",
    "subnet": "An InfiniBand subnet",
    "partition": "A partition",
    "ib_level": "An InfiniBand service",
    "ib_match": "A match of an InfiniBand service",
}
HEAD: Final = """\
# The intent

Generated from the JSON Schema (`netcheck schema`). Every file starts with `netcheck: 1`; every
other key is optional, and what is not said is not judged. Scalars follow YAML 1.2: `on`, `off`,
`yes` and `no` are strings, `10:20` too. Unknown and repeated keys are errors.

**Quantities carry their unit**; a bare number is an error.

{units}

**Ranges** stand in names and values: `leaf[01-16]`, `Ethernet[0-504:8]`, `e[1,3,5-8]`. A range in a
value runs in lockstep with the nearest range of its length: first those of its own key, then those
of the device. Two ranges of one length in one value take the first and the second of them. Both
ends of a link pair by length; where they do not, both are counted through in order, the last range
fastest. `leaf01` beside `leaf[01-16]` wins key by key.

**Nearest wins**: `policy` of a port, else of its device, its role, the fabric. `none` ends RDMA
there.
"""


def reference() -> str:
    """Give the page as Markdown."""
    units = "\n".join(
        f"- {quantity.noun}: `{quantity.example}` ({', '.join(quantity.units)})"
        for quantity in QUANTITIES.values()
    )
    parts = [HEAD.format(units=units), *_section("The file", schema())]
    for name, title in OBJECTS.items():
        parts += _section(title, schema()["$defs"][name], name)
    return "\n".join(parts) + "\n"


def _section(title: str, rule: Schema, name: str = "") -> Iterator[str]:
    anchor = f'<a id="{name}"></a>\n' if name else ""
    yield f"\n{anchor}## {title}\n"
    if name and "description" in rule:
        yield f"{rule['description']}\n"
    yield "| key | value | meaning |\n|---|---|---|"
    required = rule.get("required", ())
    for key, inner in _keys(rule, ""):
        must = " (required)" if key in required else ""
        yield f"| `{key}`{must} | {_value(inner)} | {_meaning(inner)} |"


def _keys(rule: Schema, path: str) -> Iterator[tuple[str, Schema]]:
    """Keys of an object, those of objects written in place beneath theirs."""
    for key, inner in rule["properties"].items():
        yield f"{path}{key}", inner
        body = inner.get("additionalProperties")
        if "properties" in inner:
            yield from _keys(inner, f"{path}{key}.")
        elif isinstance(body, dict) and "properties" in body:
            yield from _keys(body, f"{path}{key}.NAME.")
        elif "properties" in inner.get("items", {}):
            yield from _keys(inner["items"], f"{path}{key}[].")


def _value(rule: Schema) -> str:
    if "$ref" in rule:
        return _named(rule["$ref"].rpartition("/")[2])
    if "const" in rule or "enum" in rule:
        return _words(rule.get("enum", [rule.get("const")]))
    body = rule.get("additionalProperties")
    if "properties" not in rule and isinstance(body, dict):
        return f"mapping of names to {_value(body)}"
    if "items" in rule and "$ref" in rule["items"]:
        return f"{_kinds(rule)} of {_value(rule['items'])}"
    words = f" ({_words(rule['then']['enum'])})" if "then" in rule else ""
    return f"{_kinds(rule)}{words}{_limits(rule)}"


def _named(name: str) -> str:
    if name in QUANTITIES:
        return QUANTITIES[name].noun
    if name in OBJECTS:
        title = OBJECTS[name].removeprefix("An ").removeprefix("A ")
        return f"[{title}](#{name})"
    rule = schema()["$defs"][name]
    if name == "reference":
        return "`env:NAME`, `file:PATH`, `vault:NAME`, `command:LINE` or `agent`"
    if "examples" in rule:
        return _words(rule["examples"])
    return _value(rule)


def _words(words: list[object]) -> str:
    return ", ".join(f"`{word}`" for word in words)


def _kinds(rule: Schema) -> str:
    names = {"object": "mapping", "array": "list", "string": "text", "integer": "whole number"}
    kinds = rule.get("type", [])
    kinds = [kinds] if isinstance(kinds, str) else kinds
    return " or ".join(names.get(kind, kind) for kind in kinds if kind != "null")


def _limits(rule: Schema) -> str:
    low, high = rule.get("minimum"), rule.get("maximum")
    return f" {low}-{high}" if low is not None and high is not None else ""


def _meaning(rule: Schema) -> str:
    if "description" in rule:
        return str(rule["description"])
    target = schema()["$defs"].get(rule.get("$ref", "").rpartition("/")[2], {})
    return str(target.get("description", ""))
