"""A prediction as a picture: the hot queue over time, and how many ports pause."""

from __future__ import annotations

from pathlib import Path

from netcheck.lossless.predict import Prediction
from netcheck.model.errors import InputError

ENDINGS = (".svg", ".png")


def draw(found: Prediction, path: str) -> None:
    """Write an SVG or PNG file, as its name ends; the same prediction gives the same SVG.

    Raises:
        InputError: Another ending, no matplotlib, or a file that cannot be written.
    """
    check(path)
    try:
        import matplotlib as mpl  # noqa: PLC0415 -- heavy, an extra, and only for pictures
        from matplotlib.figure import Figure  # noqa: PLC0415 -- as above
    except ImportError as error:
        raise InputError(
            f"{path}: needs matplotlib: pip install '.[report]' in the checkout"
        ) from error
    figure = Figure(figsize=(8, 5), layout="constrained")
    above, below = figure.subplots(2, 1, sharex=True, height_ratios=(2, 1))
    times = [one.at_s * 1e3 for one in found.samples]
    above.plot(times, [one.queue_bytes / 1e6 for one in found.samples], label="hot queue")
    above.set_ylabel("MB")
    starts = (("first mark", found.marking), ("first pause", found.pausing))
    for colour, (label, events) in enumerate((*starts, ("first drop", found.dropping)), 1):
        if events:
            above.axvline(events[0].at_s * 1e3, color=f"C{colour}", linestyle="--", label=label)
    above.legend(loc="lower right")
    above.set_title(f"{len(found.senders)}:1 to {found.receiver}, class {found.traffic_class}")
    below.plot(times, [one.paused_ports for one in found.samples], color="C2")
    below.set_ylabel("ports that pause")
    below.set_xlabel("ms")
    metadata = {"Date": None} if path.endswith(".svg") else {}
    try:
        with mpl.rc_context({"svg.hashsalt": "netcheck"}):
            figure.savefig(path, metadata=metadata)
    except OSError as error:
        raise InputError(f"{path}: {error.strerror}") from error


def check(path: str) -> None:
    """Refuse a file whose name says no kind of picture.

    Raises:
        InputError: The name ends in another way.
    """
    if Path(path).suffix not in ENDINGS:
        raise InputError(f"-o {path}: expected a name that ends in {' or '.join(ENDINGS)}")
