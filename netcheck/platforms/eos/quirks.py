"""Behaviour of EOS that nobody would guess, named and sourced."""

from __future__ import annotations


def polling_is_substituted(*, poll_ms: int, detection_ms: int, restoration_ms: int) -> bool:
    """Tell whether EOS takes another polling interval than the one configured.

    It looks at least twice within the shorter of detection and restoration.

    Source: aristanetworks/avd priority_flow_control.schema.yml, polling_interval.

    Example:
        >>> polling_is_substituted(poll_ms=200, detection_ms=200, restoration_ms=400)
        True
    """
    return poll_ms > min(detection_ms, restoration_ms) // 2
