from __future__ import annotations

from typing import Any

from netcheck.intent.check import schema
from netcheck.intent.pages import reference


def keys_of(rule: object) -> set[str]:
    """Every key that the schema lets an intent say."""
    found: set[str] = set()
    if isinstance(rule, dict):
        found |= set(rule.get("properties", {}))
        for inner in rule.values():
            found |= keys_of(inner)
    return found


def test_the_reference_page_has_every_key_of_the_schema() -> None:
    cells = {line.split("`")[1] for line in reference().splitlines() if line.startswith("| `")}
    shown = {part for cell in cells for part in cell.replace("[]", "").split(".")}
    assert keys_of(schema()) <= shown


def test_every_link_of_the_reference_page_has_its_section() -> None:
    page = reference()
    targets = {part.split(")")[0] for part in page.split("](#")[1:]}
    assert all(f'<a id="{target}"></a>' in page for target in targets)


def undescribed(rule: dict[str, Any]) -> list[str]:  # Any: JSON Schema is JSON
    return [
        key
        for key, inner in rule.get("properties", {}).items()
        if "description" not in inner and "$ref" not in inner
    ]


def test_every_key_says_what_it_means() -> None:
    bare = {name: undescribed(rule) for name, rule in schema()["$defs"].items()}
    assert {name: keys for name, keys in bare.items() if keys} == {}
    assert undescribed(schema()) == []
