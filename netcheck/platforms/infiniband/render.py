"""Gives nothing: a subnet is configured by its manager, and switches take no files."""

from __future__ import annotations

from collections.abc import Mapping

from netcheck.model.device import Device
from netcheck.model.fabric import Fabric
from netcheck.platforms.platform import Refusal


def refusals(_device: Device, _fabric: Fabric) -> list[Refusal]:
    """There is nothing that could be refused."""
    return []


def render(_device: Device, _fabric: Fabric) -> Mapping[str, str]:
    """Give no file."""
    return {}
