"""The programs that a simulated subnet is made of, and how to get them."""

from __future__ import annotations

import shutil
import sysconfig
from dataclasses import dataclass
from pathlib import Path

from netcheck.model.errors import InputError

PACKAGES = ("opensm", "ibsim-utils", "infiniband-diags")
PROGRAMS = {"opensm": "opensm", "ibsim": "ibsim-utils", "smpquery": "infiniband-diags"}
PRELOAD = "umad2sim/libumad2sim.so"
# sbin is in nobody's path but root's
PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"


class MissingToolsError(InputError):
    """OpenSM, ibsim or infiniband-diags is not installed here."""


@dataclass(frozen=True, slots=True)
class Tools:
    """Where the programs are.

    Attributes:
        preload: Library that makes a program talk to ibsim in place of the kernel.
    """

    ibsim: str
    opensm: str
    preload: str


def missing_packages() -> tuple[str, ...]:
    """Names of the Debian packages that are not installed, in the order to install them."""
    lacking = {package for program, package in PROGRAMS.items() if not _find(program)}
    if not _preload():
        lacking.add("ibsim-utils")
    return tuple(package for package in PACKAGES if package in lacking)


def find_tools() -> Tools:
    """Find the programs.

    Raises:
        MissingToolsError: Says which packages to install.
    """
    missing = missing_packages()
    if missing:
        raise MissingToolsError(
            f"a subnet manager cannot be rehearsed here: {', '.join(missing)} not installed\n"
            f"On Debian and Ubuntu: sudo apt-get install {' '.join(PACKAGES)}"
        )
    return Tools(_find("ibsim"), _find("opensm"), _preload())


def _find(program: str) -> str:
    return shutil.which(program, path=PATH) or shutil.which(program) or ""


def _preload() -> str:
    multiarch = sysconfig.get_config_var("MULTIARCH") or ""
    folders = (f"/usr/lib/{multiarch}", "/usr/lib64", "/usr/lib", "/usr/local/lib")
    found = (Path(folder, PRELOAD) for folder in folders)
    return next((str(path) for path in found if path.is_file()), "")
