"""Logins are references until the moment of use, and never show."""

from __future__ import annotations

import pickle
import subprocess
import sys
from pathlib import Path

import pytest

from netcheck.collect.ask import ask
from netcheck.collect.secrets import secret_server, served
from netcheck.collect.target import Secret, Target, fetch_secret, target_of
from netcheck.model.device import Device
from netcheck.model.errors import InputError
from netcheck.model.fabric import Credentials, Fabric
from netcheck.model.frozenmap import FrozenMap

MARKER = "marker-51cc-secret"


def test_a_secret_shows_itself_only_when_asked() -> None:
    secret = Secret(MARKER)
    assert secret.reveal() == MARKER
    assert f"{secret} {secret!r} {[secret]}" == "*** *** [***]"
    with pytest.raises(TypeError, match="cannot be stored"):
        pickle.dumps(secret)


def test_references_are_resolved_when_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NETCHECK_TEST_SECRET", MARKER)
    path = tmp_path / "secret"
    path.write_text(f"{MARKER}\n")
    for reference in (
        "env:NETCHECK_TEST_SECRET",
        f"file:{path}",
        f"command:cat {path}",
    ):
        assert fetch_secret(reference, "here").reveal() == MARKER


def test_a_vault_gives_one_key(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "vault-password").write_text("open")
    monkeypatch.setenv("ANSIBLE_VAULT_PASSWORD_FILE", str(tmp_path / "vault-password"))
    vault = tmp_path / "vault.yml"
    vault.write_text(f"leaf: {MARKER}\n")
    program = Path(sys.executable).with_name("ansible-vault")
    subprocess.run([program, "encrypt", vault], check=True, capture_output=True)
    assert MARKER not in vault.read_text()
    assert fetch_secret(f"vault:{vault}#leaf", "here").reveal() == MARKER
    with pytest.raises(InputError, match="has no text under spine"):
        fetch_secret(f"vault:{vault}#spine", "here")


@pytest.mark.parametrize(
    ("reference", "message"),
    [
        ("env:NETCHECK_TEST_UNSET", "here: environment variable NETCHECK_TEST_UNSET is not set"),
        ("file:/nowhere/at/all", "here: file /nowhere/at/all cannot be read"),
        ("command:false", "here: false failed with status 1"),
        ("command:no-such-program-here", "here: no-such-program-here did not answer"),
        (MARKER, "here: reference expected one of env:, file:, vault:, command:"),
        (f"plain:{MARKER}", "here: reference expected one of"),
        ("env:", "here: reference expected one of"),
    ],
)
def test_a_reference_without_a_secret_names_its_place(reference: str, message: str) -> None:
    with pytest.raises(InputError) as caught:
        fetch_secret(reference, "here")
    assert str(caught.value).startswith(message)
    assert MARKER not in str(caught.value)


def test_what_a_failing_command_printed_is_not_in_the_message() -> None:
    with pytest.raises(InputError) as caught:
        fetch_secret(f"command:sh -c 'echo {MARKER} >&2; exit 3'", "here")
    assert MARKER not in f"{caught.value!r}{caught.value.__cause__!r}"


def test_a_parent_serves_its_own_references_and_no_others(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("NETCHECK_TEST_SECRET", MARKER)
    target = Target("leaf01", "192.0.2.1", "admin", "linux", password="env:NETCHECK_TEST_SECRET")
    with secret_server([target.password]) as address:
        asked = served(target, address)
        assert fetch_secret(asked.password, "here").reveal() == MARKER
        with pytest.raises(InputError, match="not served by this run"):
            ask(f"{address}#env:HOME", "here")
        assert MARKER not in repr(asked)
    with pytest.raises(InputError, match="the run that serves its login has ended"):
        fetch_secret(asked.password, "here")


def test_a_target_comes_from_device_and_credentials() -> None:
    device = Device(
        "leaf01", platform="sonic", mgmt="192.0.2.7/24", mgmt_port=2022, credentials="lab"
    )
    login = Credentials("lab", "admin", password="env:X", key="file:~/.ssh/id_ed25519")
    fabric = Fabric("train", credentials=FrozenMap({"lab": login}))
    assert target_of(fabric, device) == Target(
        "leaf01",
        "192.0.2.7",
        "admin",
        "linux",
        port=2022,
        password="env:X",
        key="file:~/.ssh/id_ed25519",
    )


@pytest.mark.parametrize(
    ("device", "message"),
    [
        (Device("a", platform="sonic", credentials="lab"), "device a: mgmt"),
        (Device("a", mgmt="192.0.2.1", credentials="lab"), "device a: platform is not said"),
        (Device("a", platform="sonic", mgmt="192.0.2.1"), "device a: credentials are not said"),
        (
            Device("a", platform="sonic", mgmt="192.0.2.1", credentials="lap"),
            "device a: credentials lap unknown; there are: lab",
        ),
    ],
)
def test_what_is_missing_to_log_in_is_named(device: Device, message: str) -> None:
    login = Credentials("lab", "admin")
    with pytest.raises(InputError) as caught:
        target_of(Fabric("train", credentials=FrozenMap({"lab": login})), device)
    assert str(caught.value).startswith(message)
