"""How well an InfiniBand link does: bit errors for each bit, and the time it had to wait."""

from __future__ import annotations

from typing import Final

# Most bit errors that a link may have, for each bit.
# Source: InfiniBand Architecture Specification volume 2: a bit error rate of 10^-12 or better.
LARGEST_BER: Final = 1e-12
# Bytes that a port could have sent in the time of one tick of PortXmitWait: of the port, or of
# each of its lanes. By the device's identifier; other devices tell it in PortSamplesControl only.
# Source: NVIDIA ibdiagnet user manual, Congestion Assessment on InfiniBand Links (Quantum: 8 bytes
# a port; SwitchX, Switch-IB: 32 bytes a lane); identifiers: pci.ids, vendor 15b3.
_TICK_OF_PORT: Final = {0xD2F0: 8, 0xD2F2: 8, 0xD2F4: 8}
_TICK_OF_LANE: Final = {0xC738: 32, 0xCB20: 32, 0xCF08: 32}
_BITS: Final = 8


def bit_error_rate(errors: int, *, seconds: float, rate_bps: int) -> float:
    """Errors for each bit that the link carried in the time, whether busy or idle.

    Args:
        errors: Symbols that were not understood; each holds at least one bit error.

    Raises:
        ValueError: The time or the rate is not positive.

    Example:
        >>> bit_error_rate(200, seconds=1000, rate_bps=200_000_000_000)
        1e-12
    """
    if seconds <= 0 or rate_bps <= 0:
        raise ValueError(f"expected a time and a rate above 0, found {seconds} s, {rate_bps} bps")
    return errors / (seconds * rate_bps)


def errors_to_see(*, seconds: float, rate_bps: int) -> float:
    """How many errors the largest allowed rate makes in the time: below 1 nothing can be said."""
    return LARGEST_BER * seconds * rate_bps


def wait_share(
    ticks: int,
    *,
    seconds: float,
    rate_bps: int,
    device_id: int,
    width: int,
    tick: int | None = None,
) -> float | None:
    """Share of the time in which a port had packets and could not send, 0 to 1.

    Args:
        ticks: Growth of PortXmitWait in the time.
        width: Lanes of the link.
        tick: What PortSamplesControl of the port says: the symbol times of a tick, less
            one; a symbol time is that of one byte on one lane.

    Returns:
        None for devices whose tick is not known.

    Raises:
        ValueError: The time or the rate is not positive.

    Example:
        >>> wait_share(
        ...     312_500_000, seconds=1, rate_bps=200_000_000_000, device_id=0xD2F0, width=4
        ... )
        0.1
    """
    if seconds <= 0 or rate_bps <= 0:
        raise ValueError(f"expected a time and a rate above 0, found {seconds} s, {rate_bps} bps")
    size = _TICK_OF_PORT.get(device_id)
    if size is None:
        lane = _TICK_OF_LANE.get(device_id, 0 if tick is None else tick + 1)
        if not lane:
            return None
        size = lane * width
    return min(1.0, ticks * size * _BITS / (seconds * rate_bps))
