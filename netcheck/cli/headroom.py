"""``netcheck headroom``."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator, Sequence
from itertools import product
from typing import NamedTuple

import click

from netcheck.cli.output import say
from netcheck.intent.units import LENGTH_M, PERCENT, SIZE_BYTES, SPEED_BPS, Quantity, parse_quantity
from netcheck.lossless.headroom import (
    Headroom,
    HeadroomQuestion,
    headroom,
    parameter_names,
    parameter_sets,
)
from netcheck.model.errors import InputError
from netcheck.model.finding import ExitCode

_COLUMNS = (
    "asic",
    "speed_bps",
    "cable_m",
    "headroom_bytes",
    "xon_bytes",
    "size_bytes",
    "model",
    "error_percent",
)


class Row(NamedTuple):
    """One combination and its headroom."""

    question: HeadroomQuestion
    answer: Headroom


@click.command(name="headroom")
@click.option("--asic", metavar="NAME", help="ASIC, such as spectrum-4.")
@click.option("--speed", metavar="SPEEDS", help="Port speeds, such as 100G,400G.")
@click.option("--cable", metavar="LENGTHS", help="Cable lengths, such as 5m,40m,300m.")
@click.option("--l2-mtu", metavar="SIZE", help="Largest frame of the port.  [default: 9216B]")
@click.option("--lossless-mtu", metavar="SIZE", help="Assumed frame of the lossless class.")
@click.option("--small-packets", metavar="SHARE", help="Share of 64-byte packets, such as 50%.")
@click.option(
    "--parameters",
    metavar="NAME",
    help="Parameter set, or shipped table that a law was fitted to.  [default: the present one]",
)
@click.option(
    "--list-parameters",
    is_flag=True,
    help="List the parameter sets, with --asic those of that ASIC.",
)
@click.option(
    "--format",
    "form",
    type=click.Choice(["text", "json", "csv"]),
    default="text",
    show_default=True,
    help="Format of the result.",
)
def headroom_command(form: str, *, list_parameters: bool, **given: str | None) -> ExitCode:
    """Compute PFC headroom, with its terms.

    One row for each combination of speed and cable. A named parameter set
    gives MTU, small-packet share and the rest; an option overrides it.
    """
    if list_parameters:
        asic = given["asic"]
        names = list(parameter_names(asic) if asic else parameter_sets())
        say(json.dumps(names) + "\n" if form == "json" else "\n".join(names) + "\n")
        return ExitCode.CLEAN
    rows = [Row(question, headroom(question)) for question in _questions(given)]
    writers = {"text": _text, "json": _json, "csv": _csv}
    say(writers[form](rows))
    return ExitCode.CLEAN


def _questions(given: dict[str, str | None]) -> Iterator[HeadroomQuestion]:
    missing = [name for name in ("asic", "speed", "cable") if not given[name]]
    if missing:
        raise InputError(f"headroom: missing {', '.join(f'--{name}' for name in missing)}")
    speeds = _several("speed", given, SPEED_BPS)
    cables = _several("cable", given, LENGTH_M)
    sizes = {
        name: int(_quantity(f"--{name.replace('_', '-')}", text, unit))
        for name, unit in (
            ("l2_mtu", SIZE_BYTES),
            ("lossless_mtu", SIZE_BYTES),
            ("small_packets", PERCENT),
        )
        if (text := given[name]) is not None
    }
    for speed, cable in product(speeds, cables):
        yield HeadroomQuestion(
            str(given["asic"]),
            int(speed),
            cable,
            parameters=given["parameters"] or "present",
            l2_mtu=sizes.get("l2_mtu"),
            lossless_mtu=sizes.get("lossless_mtu"),
            small_packet_percent=sizes.get("small_packets"),
        )


def _several(name: str, given: dict[str, str | None], unit: Quantity) -> list[float]:
    parts = [part.strip() for part in (given[name] or "").split(",")]
    return [_quantity(f"--{name}", part, unit) for part in parts]


def _quantity(option: str, text: str, unit: Quantity) -> float:
    try:
        return float(parse_quantity(text, unit))
    except ValueError as error:
        raise InputError(f"headroom {option}: {error}") from error


def _length(cable_m: float) -> float:
    """Whole metres as a whole number."""
    return int(cable_m) if cable_m == int(cable_m) else cable_m


def _values(row: Row) -> tuple[object, ...]:
    question, answer = row
    return (
        question.asic,
        question.speed_bps,
        _length(question.cable_m),
        answer.headroom_bytes,
        answer.xon_bytes,
        answer.size_bytes,
        answer.model,
        answer.error_percent,
    )


def _json(rows: Sequence[Row]) -> str:
    objects = [
        {
            **dict(zip(_COLUMNS, _values(row), strict=True)),
            "terms": [{"name": name, "bytes": size} for name, size in row.answer.terms],
        }
        for row in rows
    ]
    return json.dumps(objects, indent=2) + "\n"


def _csv(rows: Sequence[Row]) -> str:
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(_COLUMNS)
    writer.writerows(map(_values, rows))
    return out.getvalue()


def _text(rows: Sequence[Row]) -> str:
    return "\n\n".join("\n".join(_lines(row)) for row in rows) + "\n"


def _lines(row: Row) -> Iterator[str]:
    question, answer = row
    error = f", {answer.error_percent:g} % mean error" if answer.error_percent else ""
    speed = f"{question.speed_bps / 1e9:g}G"
    yield f"{question.asic} {speed} {question.cable_m:g} m  ({answer.model}{error})"
    totals = {
        "headroom (xoff)": answer.headroom_bytes,
        "XON threshold": answer.xon_bytes,
        "size without shared headroom": answer.size_bytes,
    }
    width = max(len(name) for name in (*totals, *(f"  {name}" for name, _ in answer.terms)))
    for name, size in totals.items():
        yield f"  {name:<{width}}  {size:>10} B"
        if name.startswith("headroom"):
            for term, part in answer.terms:
                yield f"  {'  ' + term:<{width}}  {part:>10} B"
