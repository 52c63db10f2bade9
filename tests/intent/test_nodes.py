from __future__ import annotations

import pytest

from netcheck.intent.complaint import Complaints, IntentError
from netcheck.intent.nodes import Node, plain, read_nodes, resolve_scalar
from netcheck.model.document import Evidence


def read(text: str) -> Node:
    complaints = Complaints()
    node = read_nodes(text, "x.yaml", complaints)
    complaints.raise_if_any()
    return node


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("on", "on"),
        ("off", "off"),
        ("yes", "yes"),
        ("no", "no"),
        ("10:20", "10:20"),
        ("0x1f", 31),
        ("0o17", "0o17"),
        ("0123", 123),
        ("1_000", "1_000"),
        ("true", True),
        ("~", None),
        ("1e3", 1000.0),
        (".5", 0.5),
        ("2027-01-31", "2027-01-31"),
        ("-7", -7),
        (".inf", ".inf"),
    ],
)
def test_scalars_follow_yaml_1_2(text: str, expected: object) -> None:
    value = resolve_scalar(text)
    assert (value, type(value)) == (expected, type(expected))


def test_a_quoted_number_is_a_string() -> None:
    assert plain(read("a: '7'")) == {"a": "7"}


def test_keys_keep_their_own_text() -> None:
    assert plain(read("{007: a, on: b, 0x10: c}")) == {"007": "a", "on": "b", "0x10": "c"}


def test_every_key_and_value_knows_its_place() -> None:
    node = read("a:\n  bc: [1,\n    2]\n").mapping["a"]
    places = [node.key_at["bc"], node.mapping["bc"].at, node.mapping["bc"].items[1].at]
    assert places == [Evidence("x.yaml", 2, 3), Evidence("x.yaml", 2, 7), Evidence("x.yaml", 3, 5)]


def test_a_merged_mapping_gives_way_to_what_is_said_beside_it() -> None:
    text = "base: &base {a: 1, b: 2}\nmore: {<<: *base, b: 3}\n"
    assert plain(read(text))["more"] == {"a": 1, "b": 3}


def test_an_alias_repeats_what_its_anchor_marks() -> None:
    assert plain(read("a: &x [1]\nb: *x\n")) == {"a": [1], "b": [1]}


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("{leaf[1-2]: 1}", "leaf[1-2]"),
        ("[x, leaf[1-2]/x[3,4]]", "leaf[1-2]/x[3,4]"),
        ("- {a: gpu[01-02]:rail0, b: 1}", "gpu[01-02]:rail0"),
        ("a: {\n  é, leaf[1-2]: 1}", "leaf[1-2]"),
        ("{b: 1 [2]}", ""),  # no name before it
        ('{"x"[1]: 2}', ""),
        ("{leaf[1: 2}", ""),  # never closed
        ("[x, " + "y " * 50_000, ""),
    ],
)
def test_a_name_with_brackets_that_needs_quotes_is_shown_with_them(text: str, name: str) -> None:
    with pytest.raises(IntentError, match="not YAML") as caught:
        read_nodes(text, "x.yaml", Complaints())
    _, _, hint = str(caught.value).partition("; a name with brackets is quoted here: ")
    assert hint == (f'"{name}"' if name else "")
