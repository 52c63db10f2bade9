"""Opening the SSH channel of a session through Netmiko."""

from __future__ import annotations

import io
import os
import socket
from contextlib import suppress
from functools import cache
from typing import TYPE_CHECKING, Any, Final

from netcheck.collect.target import AGENT, Target, fetch_secret
from netcheck.model.errors import TransportError

if TYPE_CHECKING:
    import paramiko

CONNECT_S: Final = 15.0
_GLANCE_S: Final = 1.0  # between two looks at a login whether to go on waiting
_LOOK_UP_S: Final = 60.0  # the same in an open session
KNOWN_HOSTS: Final = "NETCHECK_KNOWN_HOSTS"
"""Variable that names a file of host keys; with it, no other key is accepted."""


def connect(target: Target) -> Any:  # Any: a Netmiko class chosen by name
    """Open the channel to a device; nothing is read from it yet.

    Raises:
        TransportError: The device does not answer or refuses the login.
        InputError: The login's secret cannot be fetched.
    """
    from netmiko.exceptions import NetmikoBaseException  # noqa: PLC0415 -- 0.4 s that only a session pays
    from paramiko.ssh_exception import SSHException  # noqa: PLC0415 -- as above

    place = f"{target.device} {target.host}:{target.port}"
    login = _login(target)
    try:
        connection = _quick(target.netmiko)(
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
            **_host_keys(),
        )
        connection.establish_connection()
    except (NetmikoBaseException, SSHException, OSError, EOFError) as error:
        raise TransportError(f"{place}: {_reason(error)}") from None
    _be_quiet(connection)
    return connection


@cache
def _quick(name: str) -> Any:  # Any: a Netmiko class chosen by name
    """Give a Netmiko class whose connections offer quick ciphers first."""
    import netmiko  # noqa: PLC0415 -- as in ``connect``

    kind: Any = netmiko.ssh_dispatcher(name)

    class Quick(kind):  # type: ignore[misc]  # as above
        def _connect_params_dict(self) -> dict[str, Any]:  # Any: Paramiko's arguments
            return {**super()._connect_params_dict(), "transport_factory": _transport}

    return Quick


def _transport(*args: Any, **more: Any) -> paramiko.Transport:  # Any: Paramiko's arguments
    """Give a transport that asks for AES-GCM before all other ciphers, and waits in peace.

    With any other, Paramiko checks every packet's MAC byte by byte in Python, a
    quarter of what a short session costs. Servers without GCM choose as before.
    """
    import paramiko  # noqa: PLC0415 -- only with Netmiko

    transport = paramiko.Transport(*args, **more)
    transport.sock.settimeout(_GLANCE_S)
    options = transport.get_security_options()
    options.ciphers = tuple(sorted(options.ciphers, key=lambda name: "-gcm" not in name))
    return transport


def _reason(error: Exception) -> str:
    """Give the line of Netmiko's page-long messages that says what happened."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    telling = (line for line in lines if not line.endswith(":"))
    return next(telling, type(error).__name__)


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


def _host_keys() -> dict[str, Any]:  # Any: Netmiko's keyword arguments
    file = os.environ.get(KNOWN_HOSTS)
    return {"ssh_strict": True, "alt_host_keys": True, "alt_key_file": file} if file else {}


def _private_key(target: Target, place: str) -> paramiko.PKey:
    import paramiko  # noqa: PLC0415 -- only with Netmiko

    text = fetch_secret(target.key, place).reveal()
    for kind in (paramiko.Ed25519Key, paramiko.ECDSAKey, paramiko.RSAKey):
        try:
            return kind.from_private_key(io.StringIO(text))
        except (paramiko.SSHException, ValueError):
            continue
    raise TransportError(f"{place}: not a private key without a passphrase")


def disconnect(connection: Any) -> None:  # Any: as ``connect`` gives it
    """End a connection; safe to repeat."""
    client = connection.remote_conn_pre
    transport = client.get_transport() if client is not None else None
    if transport is None:
        return
    # Its thread waits on the socket: it learns of the end from that alone, and at once.
    with suppress(OSError):
        transport.sock.shutdown(socket.SHUT_RD)
    client.close()


def _be_quiet(connection: Any) -> None:  # Any: as above
    """Let the connection's thread sleep while nothing comes.

    Paramiko wakes it ten times a second to see whether somebody closed it: 1 ms of
    processor time a second, each second that a session is kept for its next use.
    """
    connection.remote_conn_pre.get_transport().sock.settimeout(_LOOK_UP_S)


def transfer_errors() -> tuple[type[Exception], ...]:
    """Give what file transfers raise."""
    import paramiko  # noqa: PLC0415 -- only with Netmiko

    return (OSError, EOFError, paramiko.SSHException, paramiko.SFTPError)
