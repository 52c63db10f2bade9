"""Changes nothing: a subnet is configured by its manager."""

from __future__ import annotations

from collections.abc import Mapping

from netcheck.model.device import Device
from netcheck.platforms.platform import Change, Command


def holdings(_device: Device) -> tuple[Command, ...]:
    """Nothing has to be seen."""
    return ()


def plan(_device: Device, _rendered: Mapping[str, str], _held: Mapping[str, str]) -> Change:
    """Give the empty change."""
    return Change()
