"""What kinds of numbers a platform takes: the part ``knobs`` of its ``capabilities.yaml``.

Shape of the part, all of it optional::

    knobs:
      headroom: device      # sizes headroom itself and takes no numbers; else explicit
      thresholds: static    # ingress accounts are limited in bytes; else dynamic (a share)
      cable: link           # takes no cable length; the links alone know it
      cable: pfc            # takes a cable length only where a port pauses
      restoration: device   # its watchdog restores by a time of its own and takes none
      poll: device          # its watchdog picks how often it looks; else as said or 200 ms
      groups: device        # gives no-drop priorities groups of their own number, takes no map
"""

from __future__ import annotations

from functools import cache

from netcheck.model.frozen import frozen
from netcheck.model.known import Known, is_known
from netcheck.platforms.declared import declared
from netcheck.platforms.platform import platform_names


@frozen
class Knobs:
    """What an intent can say to devices of one platform.

    Attributes:
        is_headroom_own: The device sizes headroom itself.
        has_static_thresholds: Ingress accounts are limited in bytes.
        is_cable_unknown: The device takes no cable length; only the links know it.
        is_cable_of_pfc: The device takes a cable length only for ports with PFC.
        is_restoration_own: The PFC watchdog takes no restoration time.
        is_poll_own: The PFC watchdog picks by itself how often it looks.
        are_groups_own: The device assigns priority groups itself.
    """

    is_headroom_own: bool = False
    has_static_thresholds: bool = False
    is_cable_unknown: bool = False
    is_cable_of_pfc: bool = False
    is_restoration_own: bool = False
    is_poll_own: bool = False
    are_groups_own: bool = False

    @property
    def hidden(self) -> frozenset[str]:
        """Facts that the device sets by itself, in the model's words; it need not show them."""
        buffers = {"headroom_bytes", "egress_buffer"} if self.is_headroom_own else set()
        return frozenset(buffers | ({"cable_m"} if self.is_cable_unknown else set()))


@cache
def knobs(platform: Known[str]) -> Knobs:
    """Give the knobs of the platform; those of a platform without such a part where unsaid."""
    if not is_known(platform) or platform not in platform_names():
        return Knobs()
    part = declared(platform).get("knobs", {})
    return Knobs(
        is_headroom_own=part.get("headroom") == "device",
        has_static_thresholds=part.get("thresholds") == "static",
        is_cable_unknown=part.get("cable") == "link",
        is_cable_of_pfc=part.get("cable") == "pfc",
        is_restoration_own=part.get("restoration") == "device",
        is_poll_own=part.get("poll") == "device",
        are_groups_own=part.get("groups") == "device",
    )
