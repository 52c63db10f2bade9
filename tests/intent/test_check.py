"""Our walk along the schema finds what the jsonschema package finds."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from netcheck.intent.check import check, schema
from netcheck.intent.complaint import Complaints
from netcheck.intent.nodes import plain, read_nodes

ROOT = Path(__file__).parents[2]
VALIDATOR = Draft202012Validator(schema())
WHOLE: dict[str, Any] = {  # Any: an intent is JSON
    "netcheck": 1,
    "name": "x",
    "include": ["a.yaml"],
    "roce": {
        "policy": "p",
        "policies": {
            "p": {
                "trust": "dscp",
                "l2_mtu": "9216B",
                "roce_version": 2,
                "watchdog": {"detection": "200ms", "action": "drop"},
                "classes": {
                    "rdma": {"dscp": [26], "priority": 3, "bandwidth": "50%", "ecn": "auto"},
                    "cnp": {"dscp": 48, "ecn": {"kmin": "1MB"}},
                },
            },
            "q": {"watchdog": "off"},
        },
    },
    "infiniband": {
        "subnets": {
            "s": {
                "subnet_prefix": "0xfe80",
                "routing": ["ftree"],
                "partitions": {"d": {"pkey": "0x7fff", "members": {"all": "full"}}},
                "options": {"log_flags": 3, "qos": True},
            }
        }
    },
    "credentials": {"c": {"username": "u", "password": "env:X"}},
    "roles": {"leaf": {"platform": "sonic"}},
    "devices": {
        "leaf[1-2]": {"role": "leaf", "mgmt_port": 22, "ports": {"e[0-1]": {"speed": "400G"}}},
        "gpu1": {"rdma": {"mlx5_0": {"port": "r0", "traffic_class": "none"}}, "pod": 1},
        "spine1": None,
    },
    "links": [{"a": "leaf1:e0", "b": "gpu1:r0", "cable": "5m"}, {"csv": "x.csv"}],
    "jobs": {"nccl": {"NCCL_IB_TC": "auto", "X": 1}},
    "expect": {"bandwidth": "97%", "incast": 2},
    "rules": {"pfc-path-gap": "off"},
    "suppress": [{"rule": "x", "reason": "y", "until": "2027-01-31"}],
}


def complaints_about(document: object) -> list[str]:
    complaints = Complaints()
    check(read_nodes(json.dumps(document), "x.yaml", complaints), complaints)
    return [str(complaint) for complaint in complaints]


def paths(value: object, path: tuple[str | int, ...] = ()) -> list[tuple[str | int, ...]]:
    found = [path]
    items: list[tuple[str | int, Any]] = []  # Any: JSON
    items += value.items() if isinstance(value, dict) else ()
    items += enumerate(value) if isinstance(value, list) else ()
    for key, inner in items:
        found += paths(inner, (*path, key))
    return found


def with_value(document: object, path: tuple[str | int, ...], value: object) -> Any:  # Any: JSON
    if not path:
        return value
    copy: Any = dict(document) if isinstance(document, dict) else list(document)  # type: ignore[call-overload] # a list, by the path
    copy[path[0]] = with_value(copy[path[0]], path[1:], value)
    return copy


def test_the_schema_itself_is_valid() -> None:
    Draft202012Validator.check_schema(schema())


def test_an_intent_that_says_everything_has_no_complaint() -> None:
    assert complaints_about(WHOLE) == []


VALUES = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-2, 100_000),
    st.floats(allow_nan=False, allow_infinity=False, width=16),
    st.sampled_from(
        [
            "",
            "x",
            "off",
            "none",
            "auto",
            "5m",
            "400G",
            "env:X",
            "0x1",
            "dscp",
            "a b",
            "a:b",
            "[1-2]",
        ]
    ),
    st.lists(st.sampled_from([1, "x", 99]), max_size=2),
    st.dictionaries(st.sampled_from(["csv", "a", "speed", "zzz", "a b"]), st.just("x"), max_size=2),
)


@given(path=st.sampled_from(paths(WHOLE)), value=VALUES)
@settings(max_examples=150, deadline=None)
def test_a_changed_intent_is_refused_exactly_where_jsonschema_refuses_it(
    path: tuple[str | int, ...], value: object
) -> None:
    changed = with_value(WHOLE, path, value)
    text = json.dumps(changed)
    if not changed or text == "null":
        return
    as_read = plain(read_nodes(text, "x.yaml", Complaints()))
    assert bool(complaints_about(changed)) == (not VALIDATOR.is_valid(as_read))


@pytest.mark.parametrize("name", sorted(path.name for path in (ROOT / "examples").glob("*.yaml")))
def test_every_example_fits_the_schema(name: str) -> None:
    text = (ROOT / "examples" / name).read_text("utf-8")
    VALIDATOR.validate(plain(read_nodes(text, name, Complaints())))


def test_the_published_schema_is_the_packaged_one() -> None:
    published = ROOT / "schema" / "intent.schema.json"
    assert json.loads(published.read_text("utf-8")) == schema()


def descriptions_missing(rule: dict[str, Any], path: str) -> list[str]:
    """Every pattern has to come with the message that users read."""
    missing = [path] if "pattern" in rule and "patternErrorMessage" not in rule else []
    for key, inner in rule.items():
        if isinstance(inner, dict):
            missing += descriptions_missing(inner, f"{path}/{key}")
    return missing


def test_every_pattern_has_a_message_for_people() -> None:
    assert descriptions_missing(schema(), "") == []


def test_every_definition_of_the_schema_is_used() -> None:
    text = json.dumps(schema())
    unused = [name for name in schema()["$defs"] if f'"#/$defs/{name}"' not in text]
    assert unused == []
