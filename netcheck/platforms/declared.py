"""``capabilities.yaml`` of a platform as it stands, read once for all who read parts of it."""

from __future__ import annotations

from functools import cache
from typing import Any

from netcheck.lossless.packaged import packaged_yaml


@cache
def declared(platform: str) -> Any:  # Any: what a YAML file holds, before anyone has looked
    """Give the contents of the platform's ``capabilities.yaml``; nobody may change them.

    Raises:
        InputError: There is no such file.
        yaml.YAMLError: The file is no YAML.
    """
    return packaged_yaml("netcheck.platforms", f"{platform}/capabilities.yaml")
