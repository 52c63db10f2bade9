"""A measurement in a file, and a later one against it.

What is kept are verdict, rates and latencies, by round, tool and pair. A later
run is judged by the same pairs in the same rounds: what is slower by more than
the tolerance is a finding, and so is a verdict that was better before.
"""

from __future__ import annotations

import csv
import io
import json
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final

from netcheck.model.errors import InputError
from netcheck.model.finding import Basis, Finding, Place, RunResult
from netcheck.model.known import UNKNOWN, Known, is_known
from netcheck.perf.found import perf_finding
from netcheck.perf.observe import FlowResult, RoundResult
from netcheck.perf.options import PerfOptions
from netcheck.perf.verdict import PerfVerdict
from netcheck.report.csv import inert

VERSION: Final = 1
KIND: Final = "netcheck measurement"
TOLERANCE_PERCENT: Final = 5.0
RANKS: Final = (RunResult.LOSSLESS, RunResult.NOT_PROVEN, RunResult.NOT_LOSSLESS)

Pair = tuple[str, str, str, str, str]
"""Round, tool, traffic class, sender and receiver, each ``host port``."""


@dataclass(frozen=True, slots=True)
class Figures:
    """What one flow reached: payload rate in bit/s, typical and 99 % latency in us."""

    bandwidth_bps: Known[float] = UNKNOWN
    latency_us: Known[float] = UNKNOWN
    percentile_99_us: Known[float] = UNKNOWN


@dataclass(frozen=True, slots=True)
class Measurement:
    """One run as it is kept.

    Attributes:
        basis: Measured or simulated; empty where an older file does not say.
        settings: Options that rates depend on, as text.
    """

    fabric: str
    run: RunResult
    pairs: Mapping[Pair, Figures]
    basis: str = ""
    settings: Mapping[str, str] = field(default_factory=dict)


def settings_of(options: PerfOptions) -> dict[str, str]:
    """Options that rates and latencies depend on."""
    return {
        "duration": f"{options.duration_s} s",
        "queue pairs": str(options.queue_pairs),
        "memory": options.memory.value,
        "connections": "rdma_cm" if options.rdma_cm else "TCP",
        "pinned": "yes" if options.is_pinned else "no",
    }


def measurement_of(
    results: Sequence[RoundResult],
    found: PerfVerdict,
    fabric: str,
    settings: Mapping[str, str] = MappingProxyType({}),
) -> Measurement:
    """Take from a run what a later one is held against; tests that failed have no figures."""
    pairs = {
        (
            result.round.name,
            result.tool,
            result.traffic_class,
            str(one.sender.ref),
            str(one.receiver.ref),
        ): _figures(one)
        for result in results
        for one in (*result.flows, *result.victims)
    }
    verdict = found.verdict
    return Measurement(fabric, verdict.run, pairs, verdict.basis.value, dict(settings))


def _figures(one: FlowResult) -> Figures:
    if one.result.error:
        return Figures()
    return Figures(one.result.bandwidth_bps, one.result.latency_us, one.result.percentile_99_us)


def as_text(one: Measurement) -> str:
    """Give the text of a file, the same for the same measurement."""
    rows = [
        {
            "round": pair[0],
            "tool": pair[1],
            "class": pair[2],
            "sender": pair[3],
            "receiver": pair[4],
            **{
                name: getattr(figures, name)
                for name in Figures.__slots__
                if is_known(getattr(figures, name))
            },
        }
        for pair, figures in sorted(one.pairs.items())
    ]
    head = {"kind": KIND, "version": VERSION, "fabric": one.fabric, "run": one.run.value}
    head |= {"basis": one.basis, "settings": dict(one.settings)}
    return json.dumps({**head, "flows": rows}, indent=1) + "\n"


def as_csv(one: Measurement) -> str:
    """Give the rows of flows for a spreadsheet; a cell is empty where nothing was measured."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(["round", "tool", "class", "sender", "receiver", *Figures.__slots__])
    for pair, figures in sorted(one.pairs.items()):
        values = (getattr(figures, name) for name in Figures.__slots__)
        cells = (value if is_known(value) else "" for value in values)
        writer.writerow([*map(inert, pair), *cells])
    return out.getvalue()


def check_alike(path: Path, before: Measurement, fabric: str, basis: Basis) -> None:
    """See whether an earlier run can be compared with one of this fabric.

    Raises:
        InputError: It is of another fabric, or was simulated and this one is not (or so round).
    """
    if before.fabric != fabric:
        raise InputError(f"{path}: is a measurement of {before.fabric}, this is {fabric}")
    if before.basis not in {"", basis.value}:
        raise InputError(f"{path}: that run was {before.basis}, this one is {basis.value}")


def unlike(now: Measurement, before: Measurement) -> Iterator[str]:
    """In words, options that the two runs do not share."""
    for name, value in now.settings.items():
        was = before.settings.get(name, value)
        if was != value:
            yield f"compared with a run that had {name}: {was} (now {value})"


def check_place(path: Path) -> None:
    """See whether a measurement could be kept there, before hours are spent on one.

    Raises:
        InputError: It is a folder, or in one that cannot be written.
    """
    try:
        if path.is_dir():
            raise InputError(f"{path}: cannot be written: it is a folder")
        is_replaced = path.is_file() or not path.exists()
        above = (one for one in path.absolute().parents if one.exists())
        place = next(above) if is_replaced else path
    except OSError as error:  # a name that is too long
        raise InputError(f"{path}: cannot be written: {error.strerror}") from error
    if not os.access(place, os.W_OK) or (is_replaced and not place.is_dir()):
        raise InputError(f"{path}: cannot be written: no way to write to {place}")


def read_measurement(path: Path) -> Measurement:
    """Read what ``as_text`` gave.

    Raises:
        InputError: There is no such file, or it is none of a measurement, or damaged.
    """
    try:
        data: Any = json.loads(path.read_text("utf-8"))  # JSON, checked below
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror}") from error
    except ValueError as error:
        raise InputError(f"{path}: is no measurement: {error}") from error
    if not isinstance(data, dict) or data.get("kind") != KIND or data.get("version") != VERSION:
        raise InputError(f"{path}: expected a measurement of version {VERSION} (netcheck perf -o)")
    try:
        pairs = dict(map(_row, data["flows"]))
        settings = {str(name): str(value) for name, value in data.get("settings", {}).items()}
        run, basis = RunResult(data["run"]), str(data.get("basis", ""))
        return Measurement(str(data["fabric"]), run, pairs, basis, settings)
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise InputError(f"{path}: damaged measurement: {error!r}") from error


def _row(row: Mapping[str, Any]) -> tuple[Pair, Figures]:
    pair = (row["round"], row["tool"], row["class"], row["sender"], row["receiver"])
    figures = {name: float(row[name]) for name in Figures.__slots__ if name in row}
    return pair, Figures(**figures)


def against(
    now: Measurement, before: Measurement, tolerance_percent: float = TOLERANCE_PERCENT
) -> Iterator[Finding]:
    """Everything that was better before; pairs that only one run has are counted, not judged."""
    if RANKS.index(now.run) > RANKS.index(before.run):
        words = [run.value.replace("_", " ") for run in (before.run, now.run)]
        yield perf_finding(
            "worse-than-baseline",
            Place(now.fabric),
            f"verdict expected {words[0]} as before, found {words[1]}",
            expected=words[0],
            found=words[1],
        )
    for pair, old in sorted(before.pairs.items()):
        new = now.pairs.get(pair)
        if new is not None:
            yield from _slower(pair, old, new, tolerance_percent)
    gone = len(before.pairs.keys() - now.pairs.keys())
    if gone:
        yield perf_finding(
            "baseline-not-measured",
            Place(now.fabric),
            f"pairs of the earlier run that this one measured too: expected {len(before.pairs)},"
            f" found {len(before.pairs) - gone}",
            expected=str(len(before.pairs)),
            found=str(len(before.pairs) - gone),
        )


def _slower(pair: Pair, old: Figures, new: Figures, tolerance_percent: float) -> Iterator[Finding]:
    part = tolerance_percent / 100
    if is_known(old.bandwidth_bps) and is_known(new.bandwidth_bps):
        least = old.bandwidth_bps * (1 - part)
        if new.bandwidth_bps < least:
            yield _worse(pair, f">= {least / 1e9:.1f} Gb/s", f"{new.bandwidth_bps / 1e9:.1f} Gb/s")
    for name in ("latency_us", "percentile_99_us"):
        was, now = getattr(old, name), getattr(new, name)
        if is_known(was) and is_known(now) and now > was * (1 + part):
            yield _worse(pair, f"<= {was * (1 + part):.2f} us", f"{now:.2f} us")


def _worse(pair: Pair, expected: str, found: str) -> Finding:
    host, _, port = pair[3].partition(" ")
    return perf_finding(
        "worse-than-baseline",
        Place(host, port),
        f"{pair[1]} to {pair[4]}, {pair[0]}: expected {expected}, found {found}",
        expected=expected,
        found=found,
    )
