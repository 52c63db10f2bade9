"""The ASIC as it is built: a Tomahawk 5 with a small share of its buffer.

The pool is smaller than a real switch's (165 MB), so that a small incast fills
it within the milliseconds that are stepped through. EOS gives a priority that
is no-drop headroom of its own accord and documents no amount; here it is
enough for 100 m of cable at the port's speed.
"""

from __future__ import annotations

MODEL = "DCS-7060X6-64PE"
VERSION = "4.32.2F"
CELL_BYTES = 254  # Source: sonic-net/sonic-buildimage, Tomahawk 5 of z9864f
INGRESS_POOL = "ingress"
EGRESS_POOL = "egress"
INGRESS_BYTES = 14_000_000
EGRESS_BYTES = 28_000_000
FORWARDING_S = 800e-9
LOSSLESS_ALPHA = 1.0
LOSSY_GROUP_ALPHA = 8.0
LOSSY_QUEUE_ALPHA = 1.0
XON_OFFSET_BYTES = 18_288
# Ethernet and VLAN header, which an MTU of the IP layer does not count
HEADER_BYTES = 18
SWITCHED_BYTES = 9236
SEGMENT_BYTES = 208  # Source: arista.com/en/um-eos, Quality of Service (segments of 208 bytes)
_BASE_BYTES = 20_480
_RESPONSE_NS = 2_160
_CABLE_NS = 1_000


def headroom_bytes(speed_bps: int) -> int:
    """Bytes that the switch reserves for a no-drop priority of a port.

    Source: the law of lossless tables for Tomahawk 5 (base and response time,
        sonic-net/sonic-buildimage z9864f), with 100 m of cable both ways.
    """
    return _BASE_BYTES + (_RESPONSE_NS + _CABLE_NS) * speed_bps // 8_000_000_000
