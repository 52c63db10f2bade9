"""The programs that the real lab is made with, and how to get them."""

from __future__ import annotations

import shutil
from typing import Final

from netcheck.model.errors import InputError

PROGRAMS: Final = {
    "qemu-system-x86_64": "qemu-system-x86",
    "busybox": "busybox-static",
    "sqfstar": "squashfs-tools",
    "cpio": "cpio",
    "xz": "xz-utils",
    "depmod": "kmod",
    "make": "make",
    "gcc-12": "gcc-12",
    "apt-get": "apt",
    "dpkg-deb": "dpkg",
}
# sbin is in nobody's path but root's
PATH: Final = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"


class MissingToolsError(InputError):
    """A program that the real lab needs is not installed here."""


def missing_packages() -> tuple[str, ...]:
    """Names of the Debian packages that are not installed, in the order to install them."""
    found = (package for program, package in PROGRAMS.items() if not find(program))
    return tuple(dict.fromkeys(found))


def require() -> None:
    """Do nothing where everything is there.

    Raises:
        MissingToolsError: Says which packages to install.
    """
    missing = missing_packages()
    if missing:
        raise MissingToolsError(
            f"the real lab cannot be started here: {', '.join(missing)} not installed\n"
            f"On Debian 12: sudo apt-get install --no-install-recommends {' '.join(missing)}"
        )


def find(program: str) -> str:
    """Give the path of a program; empty where it is not installed."""
    return shutil.which(program, path=PATH) or shutil.which(program) or ""
