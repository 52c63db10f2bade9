"""``netcheck predict``."""

from __future__ import annotations

import re

import click

from netcheck.cli.options import INTENT, out_option
from netcheck.cli.output import say
from netcheck.intent.units import TIME_NS, parse_quantity
from netcheck.model.errors import InputError
from netcheck.model.finding import ExitCode

_INCAST = re.compile(r"(?P<senders>[0-9]{1,5}):1@(?P<host>[^:\s]+)(?::(?P<port>\S+))?")


@click.command()
@INTENT
@click.option(
    "--incast",
    required=True,
    metavar="N:1@HOST[:PORT]",
    help="How many NICs send to which one, such as 8:1@gpu001 or 8:1@gpu001:mlx5_0.",
)
@click.option(
    "--duration", default="2ms", show_default=True, metavar="TIME", help="How long they send."
)
@click.option(
    "--class", "name", default="", metavar="NAME", help="Class.  [default: the lossless one]"
)
@out_option(required=False, what="file")
@click.option(
    "--format",
    "form",
    type=click.Choice(["text", "json"]),
    default="text",
    show_default=True,
    help="Format of the result.",
)
def predict(intent: tuple[str, ...], output: str | None, form: str, **asked: str) -> ExitCode:
    """Predict an incast: when it marks and pauses, how far, what is lost.

    Simulated, on the fabric as the intent completes it. What the intent does not
    say, such as buffer pools, is assumed and listed. -o draws it, as SVG or PNG.
    Exits 1 when packets are dropped.
    """
    senders, host, port = _incast(asked["incast"])
    duration_s = _duration_s(asked["duration"])
    from netcheck import api  # noqa: PLC0415 -- options are checked without it
    from netcheck.lossless.predict import Question, receiver_of  # noqa: PLC0415 -- as above
    from netcheck.lossless.predict import predict as play  # noqa: PLC0415 -- as above
    from netcheck.report import prediction, prediction_plot  # noqa: PLC0415 -- as above

    if output:
        prediction_plot.check(output)
    fabric = api.load_completed(intent)
    question = Question(senders, receiver_of(fabric, host, port), duration_s, asked["name"])
    found = play(fabric, question)
    if output:
        prediction_plot.draw(found, output)
    say(prediction.as_json(found) if form == "json" else prediction.as_text(found))
    return ExitCode.FINDINGS if found.dropping else ExitCode.CLEAN


def _incast(text: str) -> tuple[int, str, str]:
    found = _INCAST.fullmatch(text)
    if found is None or not int(found["senders"]):
        raise InputError(f"--incast {text}: expected N:1@HOST, such as 8:1@gpu001")
    return int(found["senders"]), found["host"], found["port"] or ""


def _duration_s(text: str) -> float:
    try:
        return float(parse_quantity(text, TIME_NS)) * 1e-9
    except ValueError as error:
        raise InputError(f"--duration: {error}") from error
