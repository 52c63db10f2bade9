"""Behaviour of EOS that nobody would guess, named and sourced."""

from __future__ import annotations

from typing import Final

# A completed session keeps its name, and EOS refuses to delete one that is not there:
# sessions are named for their change, and nothing is cleaned up.
# Source: Arista EOS User Manual, `show configuration sessions`.
SESSION_NAMES_ARE_USED_ONCE: Final = True


def polling_is_substituted(*, poll_ms: int, detection_ms: int, restoration_ms: int) -> bool:
    """Tell whether EOS takes another polling interval than the one configured.

    It looks at least twice within the shorter of detection and restoration.

    Source: aristanetworks/avd priority_flow_control.schema.yml, polling_interval.

    Example:
        >>> polling_is_substituted(poll_ms=200, detection_ms=200, restoration_ms=400)
        True
    """
    return poll_ms > min(detection_ms, restoration_ms) // 2
