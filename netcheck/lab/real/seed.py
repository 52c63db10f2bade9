"""The files that only one machine has: its name and addresses, its login, its keys."""

from __future__ import annotations

import io
import tarfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from netcheck.lab.real.image import GUEST

_USERS: Final = (
    "root:x:0:0:root:/root:/bin/bash\n"
    "{login}:x:1000:1000::/home/{login}:/bin/bash\n"
    "sshd:x:100:65534::/run/sshd:/usr/sbin/nologin\n"
    "nobody:x:65534:65534::/nonexistent:/usr/sbin/nologin\n"
)
_GROUP: Final = "root:x:0:\ntty:x:5:\n{login}:x:1000:\nnogroup:x:65534:\n"
_SSHD: Final = (
    "HostKey /etc/ssh/host_key\n"
    "UsePAM no\n"
    "UseDNS no\n"
    "PrintMotd no\n"
    "MaxStartups 100\n"
    "MaxSessions 100\n"
    "Subsystem sftp internal-sftp\n"
)
_PAM: Final = (
    "auth sufficient pam_permit.so\n"
    "account sufficient pam_permit.so\n"
    "password sufficient pam_permit.so\n"
    "session optional pam_permit.so\n"
)


@dataclass(frozen=True, slots=True)
class Machine:
    """One virtual machine.

    Attributes:
        address: IPv4 address of its RDMA port, without a length.
        is_switch: Whether the switch is in it, too.
        mtu: IP MTU of its ports and of the switch's.
    """

    name: str
    address: str
    mac: str
    peer_address: str
    peer_mac: str
    is_switch: bool
    mtu: int


@dataclass(frozen=True, slots=True)
class Secrets:
    """What a lab's machines let in: one login, and the key they are known by.

    Attributes:
        password_hash: As in ``/etc/shadow``.
        host_key: Private key in OpenSSH's form.
    """

    login: str
    password_hash: str
    host_key: str


def write_seed(path: Path, machine: Machine, secrets: Secrets) -> None:
    """Write the archive that a machine unpacks over its root; only its owner may read it."""
    path.touch(mode=0o600)
    with tarfile.open(path, "w") as archive:
        for name, mode, text in _files(machine, secrets):
            data = text.encode()
            entry = tarfile.TarInfo(name)
            entry.size, entry.mode = len(data), mode
            archive.addfile(entry, io.BytesIO(data))
        home = tarfile.TarInfo(f"home/{secrets.login}")
        home.type, home.mode, home.uid, home.gid = tarfile.DIRTYPE, 0o755, 1000, 1000
        archive.addfile(home)


def _files(machine: Machine, secrets: Secrets) -> Iterator[tuple[str, int, str]]:
    settings = {
        "NAME": machine.name,
        "ADDRESS": machine.address,
        "MAC": machine.mac,
        "PEER": machine.peer_address,
        "PEER_MAC": machine.peer_mac,
        "IS_SWITCH": "yes" if machine.is_switch else "no",
        "MTU": str(machine.mtu),
    }
    login = secrets.login
    text = "".join(f"{key}={value}\n" for key, value in settings.items())
    yield "etc/netcheck-lab/machine", 0o644, text
    yield "etc/netcheck-lab/setup.sh", 0o644, (GUEST / "setup.sh").read_text("utf-8")
    for name in ("systemctl", "udevadm"):
        yield f"usr/local/bin/{name}", 0o755, (GUEST / f"{name}.sh").read_text("utf-8")
    yield "etc/passwd", 0o644, _USERS.format(login=login)
    yield "etc/group", 0o644, _GROUP.format(login=login)
    yield "etc/shadow", 0o600, f"root:!:1::::::\n{login}:{secrets.password_hash}:19000::::::\n"
    yield "etc/hosts", 0o644, f"127.0.0.1 localhost\n{machine.address} {machine.name}\n"
    yield "etc/nsswitch.conf", 0o644, "passwd: files\ngroup: files\nshadow: files\nhosts: files\n"
    yield "etc/sudoers", 0o440, f'Defaults secure_path="{_PATH}"\n{_SUDO.format(login=login)}'
    for service in ("sudo", "other"):
        yield f"etc/pam.d/{service}", 0o644, _PAM
    yield "etc/ssh/sshd_config", 0o644, _SSHD
    yield "etc/ssh/host_key", 0o600, secrets.host_key
    yield "etc/security/limits.conf", 0o644, ""
    yield "etc/profile", 0o644, f"export PATH={_PATH} LC_ALL=C.UTF-8\nPS1='\\u@\\h:\\w\\$ '\n"


_PATH: Final = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
_SUDO: Final = "root ALL=(ALL) ALL\n{login} ALL=(ALL) NOPASSWD: ALL\n"
