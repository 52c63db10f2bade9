"""What holds for the whole switch: pools, the watchdog's interval, how headroom is sized."""

from __future__ import annotations

from typing import Final

from netcheck.model.frozenmap import FrozenMap
from netcheck.model.known import ABSENT, UNKNOWN, Known, is_known
from netcheck.model.qos import BufferPool, DeviceQos, PoolKind
from netcheck.platforms.cumulus.parsed.port_qos import watchdog_times
from netcheck.platforms.cumulus.parsed.settings import ALL_PORTS, Objects, Settings

# pool of ours -> traffic pools of NVUE; the second name holds where RoCE is on
POOLS: Final = {
    "ingress_lossless_pool": ("default-lossless", "roce-lossless"),
    "ingress_lossy_pool": ("default-lossy",),
}
_NUMBERS: Final = ("port-buffer", "xoff-threshold", "xon-threshold")


def read_device(settings: Settings) -> DeviceQos:
    """Give what a configuration says of the whole switch."""
    poll, _ = watchdog_times(settings)
    return DeviceQos(
        pools=_pools(settings),
        oversubscription=_oversubscription(settings),
        is_headroom_computed=_is_computed(settings),
        watchdog_poll_ms=poll,
    )


def _pools(settings: Settings) -> Known[FrozenMap[str, BufferPool]]:
    section = settings.section("traffic-pool")
    if not section.is_there:
        return _default_pools(settings)
    found = {}
    for name, theirs in POOLS.items():
        shares = (section.number(one, "memory-percent") for one in theirs)
        share = next((one for one in shares if isinstance(one, int)), None)
        if share is not None:
            found[name] = _pool(share)
    return FrozenMap(found) if found else UNKNOWN


def _default_pools(settings: Settings) -> Known[FrozenMap[str, BufferPool]]:
    """Out of the box, all of the buffer is lossy; one-click RoCE makes its own pools."""
    if not settings.is_whole or settings.roce_mode:
        return UNKNOWN
    return FrozenMap({"ingress_lossy_pool": _pool(100)})


def _pool(share: int) -> BufferPool:
    return BufferPool(PoolKind.INGRESS, is_dynamic=True, size_percent=share)


def _oversubscription(settings: Settings) -> Known[int]:
    feature = "advance-buffer-config"
    ratio = settings.profile(feature, ALL_PORTS).number("shared-headroom", "oversubscription-ratio")
    if is_known(ratio):
        return ratio
    return ABSENT if settings.is_whole else UNKNOWN


def _is_computed(settings: Settings) -> Known[bool]:
    section = settings.section("pfc")
    profiles = [Objects((node,)) for one in section.nodes for node in one.parts.values()]
    own = {any(one.text(leaf) for leaf in _NUMBERS) for one in profiles}
    if not own:
        return True if settings.roce_mode or settings.is_whole else UNKNOWN
    return UNKNOWN if len(own) > 1 else own == {False}
