"""Codes that InfiniBand uses in the place of quantities.

Source: InfiniBand Architecture Specification 1.4, PortInfo and PathRecord; for
rates above 120 Gb/s linux-rdma/rdma-core ``ib_rate``. Codes above 21 are unverified.
"""

from __future__ import annotations

from types import MappingProxyType
from typing import Final

MTU: Final = MappingProxyType({256: 1, 512: 2, 1024: 3, 2048: 4, 4096: 5})
RATE_GBPS: Final = MappingProxyType(
    {
        "2.5": 2,
        "5": 5,
        "10": 3,
        "14": 11,
        "20": 6,
        "25": 15,
        "28": 19,
        "30": 4,
        "40": 7,
        "50": 20,
        "56": 12,
        "60": 8,
        "80": 9,
        "100": 16,
        "112": 13,
        "120": 10,
        "168": 14,
        "200": 17,
        "300": 18,
        "400": 21,
        "600": 22,
        "800": 23,
        "1200": 24,
    }
)
# max_op_vls: how many VLs carry data (VL15 is management)
DATA_VLS: Final = MappingProxyType({1: 1, 2: 2, 4: 3, 8: 4, 15: 5})
_RATES: Final = {code: f"{text}G" for text, code in RATE_GBPS.items()}
_MTUS: Final = {code: size for size, code in MTU.items()}
_VLS: Final = {code: count for count, code in DATA_VLS.items()}


def mtu_code(size_bytes: int) -> int | None:
    """Give the code of an MTU; None where there is none.

    Example:
        >>> mtu_code(4096), mtu_code(9000)
        (5, None)
    """
    return MTU.get(size_bytes)


def mtu_bytes(code: int) -> int | None:
    """Give the MTU of a code in bytes; None where the code is none."""
    return _MTUS.get(code)


def rate_code(rate: str) -> int | None:
    """Give the code of a rate such as ``200G``; None where there is none.

    Example:
        >>> rate_code("200G"), rate_code("2.5G"), rate_code("111G")
        (17, 2, None)
    """
    return RATE_GBPS.get(rate.removesuffix("Gb/s").removesuffix("G").strip())


def rate_bps(code: int) -> int | None:
    """Give the rate of a code in bits per second; None where the code is none.

    Example:
        >>> rate_bps(17)
        200000000000
    """
    found = _RATES.get(code)
    return None if found is None else int(float(found.removesuffix("G")) * 1_000_000_000)


def data_vls(code: int) -> int | None:
    """Give how many VLs carry data under a code of ``max_op_vls``; None where it is none."""
    return _VLS.get(code)
