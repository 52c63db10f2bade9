"""``capabilities.yaml`` is data with a shape; what does not fit is named."""

from __future__ import annotations

import pytest

from netcheck.model.errors import InputError
from netcheck.platforms.capabilities import SessionFacts, capabilities, read_capabilities
from netcheck.platforms.declared import declared
from netcheck.platforms.knobs import knobs
from netcheck.platforms.platform import Refusal, platform_names

TEXT = """
title: Example
netmiko: linux
versions: ["1.0"]
drivers: {mlx5: {status: supported}}
owned:
  MAP: {}
  PORT: {fields: [mtu]}
  PROFILE: {keys: ["ours_*"]}
limits:
  weight: {minimum: 1, maximum: 100, reason: weight is 1 to 100, source: example.yang}
  action: {allowed: [drop, alert], reason: action is drop or alert, source: example.yang}
"""
EXAMPLE = read_capabilities("example", TEXT)


@pytest.mark.parametrize(("value", "permitted"), [(0, False), (1, True), (100, True), (101, False)])
def test_bounds_of_a_limit_are_included(value: int, *, permitted: bool) -> None:
    assert EXAMPLE.limit("weight").permits(value) is permitted


@pytest.mark.parametrize(("value", "permitted"), [("drop", True), ("forward", False)])
def test_a_choice_permits_only_what_it_lists(value: str, *, permitted: bool) -> None:
    assert EXAMPLE.limit("action").permits(value) is permitted


def test_a_refusal_carries_the_name_of_the_limit_and_what_was_found() -> None:
    found = EXAMPLE.limit("weight").refusal("leaf1 Ethernet0 queue 3", 0)
    assert found == Refusal("weight", "leaf1 Ethernet0 queue 3", "weight is 1 to 100; found 0")


@pytest.mark.parametrize(
    ("table", "key", "field", "is_owned"),
    [
        ("MAP", "any", "any", True),
        ("PORT", "Ethernet0", "mtu", True),
        ("PORT", "Ethernet0", "speed", False),
        ("PROFILE", "ours_1", None, True),
        ("PROFILE", "theirs_1", None, False),
    ],
)
def test_ownership_is_by_object_and_by_field(
    table: str, key: str, field: str | None, *, is_owned: bool
) -> None:
    assert EXAMPLE.owned[table].holds(key, field) is is_owned


def test_a_limit_that_is_not_declared_is_an_error_with_its_name() -> None:
    with pytest.raises(InputError, match="limit colour is not declared"):
        EXAMPLE.limit("colour")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "expected a mapping, found NoneType"),
        ("title: x", "lacks netmiko"),
        ("title: x\nnetmiko: linux\nowned: [PORT]", "owned: expected a mapping, found list"),
        ("title: x\nnetmiko: linux\nowned: {PORT: mtu}", "owned.PORT: expected a mapping"),
        ("title: x\nnetmiko: linux\nlimits: {a: {reason: b}}", "lacks source"),
        ("title: x\nnetmiko: linux\nversions: 1", "expected a list, found 1"),
        ("title: [", "capabilities.yaml: while parsing"),
        (
            "title: x\nnetmiko: x\nsession: {kind: telnet}",
            "session.kind: expected one of shell, cli",
        ),
        (
            "title: x\nnetmiko: x\nsession: {kind: cli, refused: ['(']}",
            "capabilities.yaml: missing",
        ),
        ("title: x\nnetmiko: x\nsession: {kind: cli, setup: x}", "expected a list, found 'x'"),
    ],
)
def test_what_does_not_have_the_shape_is_named(text: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        read_capabilities("example", text)


def test_a_platform_without_the_file_is_an_error() -> None:
    with pytest.raises(InputError, match=r"has no nowhere/capabilities\.yaml"):
        capabilities("nowhere")


@pytest.mark.parametrize("name", platform_names())
def test_every_limit_of_every_platform_has_reason_and_source(name: str) -> None:
    limits = capabilities(name).limits
    assert limits
    assert all(limit.reason and limit.source for limit in limits.values())


def test_a_session_is_a_shell_unless_the_file_says_otherwise() -> None:
    text = "title: x\nnetmiko: y\n"
    said = "session: {kind: cli, setup: [terminal length 0], refused: ['^% ']}\n"
    assert read_capabilities("example", text).session == SessionFacts("shell")
    expected = SessionFacts("cli", ("terminal length 0",), ("^% ",))
    assert read_capabilities("example", text + said).session == expected
    more = said.replace("kind: cli", "kind: cli, prompt: '> ?', answers: {'sure: ?$': 'yes'}")
    found = read_capabilities("example", text + more).session
    assert (found.prompt, found.answers) == ("> ?", (("sure: ?$", "yes"),))


def test_one_reading_of_the_file_serves_knobs_and_capabilities() -> None:
    for each in (declared, knobs, capabilities):
        each.cache_clear()
    assert knobs("sonic") is knobs("sonic")
    assert capabilities("sonic").limits
    assert declared.cache_info().misses == 1
