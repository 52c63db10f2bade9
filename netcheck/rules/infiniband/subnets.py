"""Subnets that were read, for rules on a whole fabric."""

from __future__ import annotations

from collections.abc import Iterator

from netcheck.lossless.seen import Seen, seen_at
from netcheck.model.fact import NotGivenError
from netcheck.model.known import is_known
from netcheck.model.view import FabricView


def seen_subnets(fabric: FabricView) -> Iterator[Seen]:
    """Give every subnet that outputs show.

    Raises:
        NotGivenError: There is none.
    """
    is_any = False
    for device in fabric.record.devices.values():
        if is_known(device.seen_subnet) and device.seen_subnet.nodes:
            is_any = True
            yield seen_at(device.name, device.seen_subnet)
    if not is_any:
        raise NotGivenError("InfiniBand subnet")


def has_plan(fabric: FabricView) -> bool:
    """Whether there is an intent at all."""
    try:
        _ = fabric.plan
    except NotGivenError:
        return False
    return True
