"""Secrets in texts: put in for the device, taken out of what comes from it."""

import pytest

from netcheck.model.errors import InputError
from netcheck.platforms.placeholders import (
    filled,
    hidden,
    is_placeholder,
    is_reference,
    placeholder,
    references,
)

VALUES = {"env:A": "0x00000000000000ab", "command:pass show sm": "171", "file:x": "hunter2"}
RENDERED = f"qos TRUE\nm_key {placeholder('env:A')}\nsm_key {placeholder('command:pass show sm')}\n"
FILLED = "qos TRUE\nm_key 0x00000000000000ab\nsm_key 0x00000000000000ab\n"


def secret(reference: str) -> str:
    return VALUES[reference]


def test_a_text_is_filled_with_keys_of_64_bits() -> None:
    assert filled(RENDERED, secret) == FILLED


def test_references_come_back_as_they_were_said() -> None:
    assert references(RENDERED) == ("env:A", "command:pass show sm")
    assert not {" ", "#"} & set(placeholder("command:pass show #1"))


def test_what_is_behind_a_reference_and_no_key_is_refused_without_being_told() -> None:
    with pytest.raises(InputError) as told:
        filled(f"m_key {placeholder('file:x')}\n", secret)
    assert "secret file:x: expected a number of 64 bits" in str(told.value)
    assert "hunter2" not in str(told.value)


def test_what_a_device_holds_is_compared_and_hidden() -> None:
    assert hidden(FILLED, "opensm", rendered=RENDERED, secret=secret) == RENDERED
    other = FILLED.replace("ab", "ac")
    assert hidden(other, "opensm", rendered=RENDERED, secret=secret) == (
        "qos TRUE\nm_key secret:another\nsm_key secret:another\n"
    )


def test_the_same_value_in_another_way_of_writing_is_the_same() -> None:
    assert hidden("m_key\t171 # ours\n", "opensm", rendered=RENDERED, secret=secret) == (
        "m_key\tsecret:env:A # ours\n"
    )


def test_two_values_that_are_no_keys_are_not_the_same() -> None:
    rendered = f"m_key {placeholder('file:x')}\n"
    shown = hidden("m_key nonsense\n", "opensm", rendered=rendered, secret=secret)
    assert shown == "m_key secret:another\n"


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("m_key 0xab\nlmc 1\n", "m_key ***\nlmc 1\n"),
        ("lmc 1\n\n\n  m_key 0xab\n", "lmc 1\n\n\n  m_key ***\n"),
        ("  sa_key   0xab", "  sa_key   ***"),
        ("m_key_lease_period 60\n", "m_key_lease_period 60\n"),
        ("m_key secret:env:A\n", "m_key secret:env:A\n"),
        ("# m_key is a secret\n", "# m_key is a secret\n"),
    ],
)
def test_without_anything_to_compare_with_it_is_only_hidden(text: str, shown: str) -> None:
    assert hidden(text, "opensm") == shown


def test_keys_of_a_switch_stand_within_commands() -> None:
    text = "ib sm m-key 0xab\nib sm lmc 1\n"
    assert hidden(text, "onyx") == "ib sm m-key ***\nib sm lmc 1\n"


def test_platforms_without_secrets_are_left_as_they_are() -> None:
    assert hidden("m_key 0xab\n", "sonic") == "m_key 0xab\n"


def test_what_stands_for_a_secret_is_told_from_one() -> None:
    assert all(map(is_placeholder, ("***", "secret:another", "secret:env:A")))
    assert not any(map(is_placeholder, ("0xab", "secret", "env:A")))
    assert is_reference("vault:keys.yml#m_key")
    assert not is_reference("0xab")
