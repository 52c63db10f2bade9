"""Opening the SSH channel of a session through Netmiko."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING, Any, Final

from netcheck.collect.target import AGENT, Target, fetch_secret
from netcheck.model.errors import TransportError

if TYPE_CHECKING:
    import paramiko

CONNECT_S: Final = 15.0


def connect(target: Target) -> Any:  # Any: a Netmiko class chosen by name
    """Open the channel to a device; nothing is read from it yet.

    Raises:
        TransportError: The device does not answer or refuses the login.
        InputError: The login's secret cannot be fetched.
    """
    import netmiko  # noqa: PLC0415 -- 0.4 s that only a session pays
    from netmiko.exceptions import NetmikoBaseException  # noqa: PLC0415 -- as above
    from paramiko.ssh_exception import SSHException  # noqa: PLC0415 -- as above

    place = f"{target.device} {target.host}:{target.port}"
    login = _login(target)
    try:
        connection = netmiko.ConnectHandler(
            device_type=target.netmiko,
            host=target.host,
            port=target.port,
            username=target.username,
            conn_timeout=CONNECT_S,
            auth_timeout=CONNECT_S,
            banner_timeout=CONNECT_S,
            fast_cli=True,
            auto_connect=False,
            **login,
        )
        connection.establish_connection()
    except (NetmikoBaseException, SSHException, OSError, EOFError) as error:
        reason = str(error).strip().partition("\n")[0]
        raise TransportError(f"{place}: {reason or type(error).__name__}") from None
    return connection


def _login(target: Target) -> dict[str, Any]:  # Any: Netmiko's keyword arguments
    place = f"device {target.device}"
    login: dict[str, Any] = {}
    if AGENT in (target.password, target.key):
        login |= {"allow_agent": True, "use_keys": False}
    if target.password not in ("", AGENT):
        login["password"] = fetch_secret(target.password, f"{place} password").reveal()
    if target.key.startswith("file:"):
        login |= {"use_keys": True, "key_file": target.key.removeprefix("file:")}
    elif target.key not in ("", AGENT):
        login |= {"use_keys": True, "pkey": _private_key(target, f"{place} key")}
    return login


def _private_key(target: Target, place: str) -> paramiko.PKey:
    import paramiko  # noqa: PLC0415 -- only with Netmiko

    text = fetch_secret(target.key, place).reveal()
    for kind in (paramiko.Ed25519Key, paramiko.ECDSAKey, paramiko.RSAKey):
        try:
            return kind.from_private_key(io.StringIO(text))
        except (paramiko.SSHException, ValueError):
            continue
    raise TransportError(f"{place}: not a private key without a passphrase")


def transfer_errors() -> tuple[type[Exception], ...]:
    """Give what file transfers raise."""
    import paramiko  # noqa: PLC0415 -- only with Netmiko

    return (OSError, EOFError, paramiko.SSHException, paramiko.SFTPError)
