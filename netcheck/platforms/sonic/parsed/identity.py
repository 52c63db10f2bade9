"""What runs on the switch: its release, and which boot this is."""

from __future__ import annotations

import re
from typing import Final

from netcheck.model.known import UNKNOWN, Known

_RELEASE: Final = re.compile(
    r"^(?:SONiC Software Version: *|build_version: *['\"]?)(?P<release>[\w.+-]+)", re.MULTILINE
)
_BOOT: Final = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")


def read_release(text: str) -> Known[str]:
    """Give the release out of ``sonic_version.yml`` or ``show version``.

    Example:
        >>> read_release("build_version: 'SONiC.202311.1'")
        'SONiC.202311.1'
    """
    match = _RELEASE.search(text)
    return match["release"] if match else UNKNOWN


def read_boot_id(text: str) -> Known[str]:
    """Give the boot id; UNKNOWN when the text is no whole one."""
    match = _BOOT.fullmatch(text.strip())
    return match[0] if match else UNKNOWN
