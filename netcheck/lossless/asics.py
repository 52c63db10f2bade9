"""Facts about switch ASICs, from ``data/asics.yaml``; adding one edits no code."""

from __future__ import annotations

import re
from dataclasses import dataclass, fields
from functools import cache
from typing import Any

from netcheck.lossless.packaged import packaged_yaml
from netcheck.model.errors import InputError
from netcheck.model.known import UNKNOWN, Known


@dataclass(frozen=True, slots=True)
class Asic:
    """One ASIC; fields as described in ``data/asics.yaml``."""

    name: str
    law: str
    cell_bytes: int
    source: str
    pipeline_latency_kib: float = 0.0
    mac_phy_delay_kib: float = 0.0
    peer_response_kib: float = 0.0
    has_tile: bool = False
    extra_headroom_kib: int = 0
    port_reserved_shp_cells: int = 0
    port_max_shp_cells: int = 0
    mmu_bytes: int = 0
    lossless_limit: int = 0
    w: float = 0.0
    base_bytes: int = 0
    fixed_ns: int = 0
    margin: float = 1.0
    error_percent: float = 0.0


@cache
def _data() -> dict[str, Any]:  # Any: the shape of the data file
    loaded: dict[str, Any] = packaged_yaml("netcheck.lossless", "data/asics.yaml")
    return loaded


@cache
def asic_names() -> tuple[str, ...]:
    """Names of all ASICs in the data, sorted."""
    return tuple(sorted(_data()["asics"]))


@cache
def find_asic(name: str) -> Asic:
    """Give the facts of one ASIC.

    Raises:
        InputError: No such ASIC; the message names the nearest.
    """
    rows = _data()["asics"]
    if name not in rows:
        import difflib  # noqa: PLC0415 -- only for a name that is not there

        near = difflib.get_close_matches(name, rows, n=1)
        hint = f"; did you mean {near[0]}" if near else f"; known: {', '.join(asic_names())}"
        raise InputError(f"ASIC {name}: unknown{hint}")
    row = {**_data()["defaults"].get(rows[name]["law"], {}), **rows[name]}
    names = {field.name for field in fields(Asic)}
    return Asic(name=name, **{key: value for key, value in row.items() if key in names})


def asic_of_model(model: str) -> Known[str]:
    """Name of the ASIC in a device model or HWSKU; UNKNOWN where the data has none.

    Example:
        >>> asic_of_model("Mellanox-SN5600-V256")
        'spectrum-4'
    """
    for row in _data()["models"]:
        if re.search(row["pattern"], model, re.IGNORECASE):
            asic: str = row["asic"]
            return asic
    return UNKNOWN


@cache
def pause_quanta(speed_bps: int, *, is_careful: bool = False) -> Known[int]:
    """Quanta (64 bytes each) a port may need to stop after a pause frame.

    ``is_careful`` takes 1810 at 800G, where SONiC's script repeats the value of
    400G; the tables shipped for SN6600 and SN6810 need 1810.

    Source: sonic-net/sonic-swss cfgmgr/buffer_headroom_mellanox.lua.
    """
    table = _data()["pause_quanta"]
    gbps = speed_bps / 1e9
    careful = table["careful_gbps"].get(gbps) if is_careful else None
    found = careful or table["gbps"].get(gbps)
    return UNKNOWN if found is None else int(found)
