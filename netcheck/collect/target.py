"""Where and how to log in to a device; secrets are fetched at use and never shown."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import yaml

from netcheck.model.device import Device
from netcheck.model.errors import InputError
from netcheck.model.fabric import Credentials, Fabric
from netcheck.model.known import is_known, known_or
from netcheck.platforms.capabilities import SHELL, SessionFacts, capabilities

SSH_PORT: Final = 22
AGENT: Final = "agent"
_COMMAND_TIMEOUT_S: Final = 30.0


class Secret:
    """A value that shows itself only when asked; every text form of it is ``***``."""

    __slots__ = ("_value",)

    def __init__(self, value: str) -> None:
        self._value = value

    def reveal(self) -> str:
        """Give the value itself."""
        return self._value

    def __repr__(self) -> str:
        return "***"

    __str__ = __repr__

    def __reduce__(self) -> str:
        raise TypeError("a secret cannot be stored")


@dataclass(frozen=True, slots=True)
class Target:
    """How to reach one device; holds references to secrets, never a secret.

    Attributes:
        host: Address or name.
        netmiko: Netmiko device type.
        password, key: References (``env:``, ``file:``, ``vault:``, ``command:``,
            ``agent``); empty where there is none.
        session: How the login speaks.
    """

    device: str
    host: str
    username: str
    netmiko: str
    port: int = SSH_PORT
    password: str = ""
    key: str = ""
    session: SessionFacts = SHELL


def target_of(fabric: Fabric, device: Device) -> Target:
    """Give how to reach a device of a fabric.

    Raises:
        InputError: Address, platform or credentials are not said.
    """
    place = f"device {device.name}"
    if not is_known(device.mgmt):
        raise InputError(f"{place}: mgmt (management address) is not said")
    if not is_known(device.platform):
        raise InputError(f"{place}: platform is not said")
    login = _credentials(fabric, device, place)
    known = capabilities(device.platform)
    return Target(
        device=device.name,
        host=device.mgmt.partition("/")[0],
        username=login.username,
        netmiko=known.netmiko,
        port=known_or(device.mgmt_port, SSH_PORT),
        password=known_or(login.password, ""),
        key=known_or(login.key, ""),
        session=known.session,
    )


def _credentials(fabric: Fabric, device: Device, place: str) -> Credentials:
    if not is_known(device.credentials):
        raise InputError(f"{place}: credentials are not said")
    login = fabric.credentials.get(device.credentials)
    if login is None:
        known = ", ".join(sorted(fabric.credentials)) or "none"
        raise InputError(f"{place}: credentials {device.credentials} unknown; there are: {known}")
    return login


def fetch_secret(reference: str, place: str) -> Secret:
    """Fetch the secret that a reference names; messages begin with ``place``.

    Raises:
        InputError: The reference has no known kind, or there is nothing
            behind it. The message never holds what was found.
    """
    kind, colon, rest = reference.partition(":")
    fetch = _FETCHERS.get(kind)
    if fetch is None or not colon or not rest:
        kinds = ", ".join(f"{name}:" for name in _FETCHERS)
        raise InputError(f"{place}: reference expected one of {kinds} {AGENT}; found another")
    return Secret(fetch(rest, place))


def _from_environment(name: str, place: str) -> str:
    value = os.environ.get(name)
    if not value:
        raise InputError(f"{place}: environment variable {name} is not set")
    return value


def _from_file(name: str, place: str) -> str:
    path = Path(name).expanduser()
    try:
        return path.read_text(encoding="utf-8").rstrip("\r\n")
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or "not text"
        raise InputError(f"{place}: file {path} cannot be read ({reason})") from None


def _from_command(line: str, place: str) -> str:
    return _output_of(shlex.split(line), place).rstrip("\r\n")


def _from_vault(rest: str, place: str) -> str:
    """Read ``FILE#KEY`` of a file encrypted with ansible-vault, or the whole of ``FILE``.

    The vault's own password comes from where ansible-vault looks for it
    (``ANSIBLE_VAULT_PASSWORD_FILE``).
    """
    name, _, key = rest.partition("#")
    vault = str(Path(sys.executable).with_name("ansible-vault"))
    text = _output_of([vault, "view", str(Path(name).expanduser())], place)
    if not key:
        return text.rstrip("\r\n")
    try:
        values = yaml.safe_load(text)
    except yaml.YAMLError:
        raise InputError(f"{place}: vault {name} does not hold YAML") from None
    if not isinstance(values, Mapping) or not isinstance(values.get(key), str):
        raise InputError(f"{place}: vault {name} has no text under {key}")
    return str(values[key])


def _output_of(arguments: list[str], place: str) -> str:
    program = arguments[0] if arguments else "(none)"
    try:
        done = subprocess.run(  # noqa: S603 -- the user's own intent names the program
            arguments,
            capture_output=True,
            check=True,
            text=True,
            timeout=_COMMAND_TIMEOUT_S,
            stdin=subprocess.DEVNULL,
        )
    except subprocess.CalledProcessError as error:
        raise InputError(f"{place}: {program} failed with status {error.returncode}") from None
    except (OSError, subprocess.TimeoutExpired, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or type(error).__name__
        raise InputError(f"{place}: {program} did not answer ({reason})") from None
    return done.stdout


def _from_server(rest: str, place: str) -> str:
    """Ask the netcheck process that started this one; see ``deploy.secrets``."""
    from netcheck.collect.ask import ask  # noqa: PLC0415 -- only children of a run need it

    return ask(rest, place)


_FETCHERS: Final[Mapping[str, Callable[[str, str], str]]] = {
    "env": _from_environment,
    "file": _from_file,
    "vault": _from_vault,
    "command": _from_command,
    "served": _from_server,
}
