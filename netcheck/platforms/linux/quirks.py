"""Behaviour of adapters and tools that is not what one would expect, each with its source."""

from __future__ import annotations

from netcheck.model.frozenmap import FrozenMap

PRIORITIES = 8
DSCPS = 64


def identity_map(size: int) -> FrozenMap[int, int]:
    """Give ``0 -> 0, 1 -> 1, ...``: how mlx5 takes the PCP for the priority.

    Source: mlx5 has no PCP map to set; Mellanox/mlnx-tools python/mlnx_qos offers none.
    """
    return FrozenMap({number: number for number in range(size)})


def buffer_cell_bytes() -> int:
    """Give the unit of receive buffers that the driver adds to the least size.

    Source: torvalds/linux v6.12 drivers/net/ethernet/mellanox/mlx5/core/en/port_buffer.c;
        128 bytes on older adapters, 256 from ConnectX-6: the larger is asked.
    """
    return 256


def largest_frame_bytes(ip_mtu: int) -> int:
    """Give the frame that has to fit above XOFF: the port's MTU, at least 9216 bytes.

    Source: torvalds/linux v6.12 drivers/net/ethernet/mellanox/mlx5/core/en/port_buffer.c
        (``MLX5E_MIN_PORT_MTU`` aside, ``max(priv->netdev->mtu, 9216)``).
    """
    return max(ip_mtu, 9216)
