"""Facts about switch ASICs, from ``data/asics.yaml``; adding one edits no code."""

from __future__ import annotations

import re
from dataclasses import fields
from functools import cache, lru_cache
from typing import Any

from netcheck.lossless.packaged import packaged_yaml
from netcheck.model.errors import InputError
from netcheck.model.frozen import frozen
from netcheck.model.known import UNKNOWN, Known


@frozen
class FitPart:
    """One part of a fitted law, for ports of up to ``to_gbps``."""

    to_gbps: float
    w: float
    base_bytes: int
    fixed_ns: int
    error_percent: float
    steps_gbps: tuple[float, ...] = ()


@frozen
class Fit:
    """A law fitted to one shipped table; fields as described in ``data/asics.yaml``."""

    name: str
    source: str
    by_speed: tuple[FitPart, ...]

    def part(self, gbps: float) -> FitPart:
        """Part of the law for that speed: the first that reaches it, else the last."""
        reaching = (part for part in self.by_speed if gbps <= part.to_gbps)
        return next(reaching, self.by_speed[-1])


@frozen
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
    fits: tuple[Fit, ...] = ()


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
        hint += " (unknown gives a cautious estimate)"
        raise InputError(f"ASIC {name}: unknown{hint}")
    row = {**_data()["defaults"].get(rows[name]["law"], {}), **rows[name]}
    names = {field.name for field in fields(Asic)} - {"fits"}
    facts = {key: value for key, value in row.items() if key in names}
    return Asic(name=name, fits=_fits(row.get("fits", {})), **facts)


def _fits(rows: dict[str, Any]) -> tuple[Fit, ...]:  # Any: as the data file
    return tuple(
        Fit(
            name,
            row["source"],
            tuple(
                FitPart(**{"w": row["w"], **part, "steps_gbps": tuple(part.get("steps_gbps", ()))})
                for part in row["by_speed"]
            ),
        )
        for name, row in rows.items()
    )


@lru_cache(maxsize=1024)
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
