"""A prediction as text and as JSON."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence

from netcheck.lossless.predict import Event, Prediction
from netcheck.model.fabric import PortRef

SHOWN = 8


def as_json(found: Prediction) -> str:
    """Give everything that was predicted; times in seconds, null where nothing started."""
    marks, pause = found.closed_form
    whole = {
        "version": 1,
        "incast": {
            "senders": [_end(end) for end in found.senders],
            "receiver": _end(found.receiver),
            "class": found.traffic_class,
            "duration_s": found.duration_s,
        },
        "marking": _started(found.marking),
        "pausing": _started(found.pausing),
        "spread": {
            "ports": len(found.pausing),
            "switches": len({event.device for event in found.pausing}),
            "paused_senders": [_end(end) for end in found.paused],
        },
        "dropped": {"packets": found.dropped, "places": [_event(one) for one in found.dropping]},
        "closed_form": {"kmin_reached_s": marks, "first_pause_s": pause},
        "assumed": dict(found.assumed),
        "samples": [
            {
                "at_s": one.at_s,
                "queue_bytes": one.queue_bytes,
                "paused_ports": one.paused_ports,
                "dropped": one.dropped,
            }
            for one in found.samples
        ],
        "basis": "simulated",
    }
    return json.dumps(whole, indent=2) + "\n"


def _end(end: PortRef) -> dict[str, str]:
    return {"device": end.device, "port": end.port}


def _started(events: Sequence[Event]) -> dict[str, object]:
    first = events[0].at_s if events else None
    return {"starts_s": first, "places": [_event(one) for one in events]}


def _event(event: Event) -> dict[str, object]:
    found: dict[str, object] = {
        "at_s": event.at_s,
        "device": event.device,
        "port": event.port,
        "number": event.number,
    }
    return found | ({"packets": event.amount} if event.amount else {})


def as_text(found: Prediction) -> str:
    """Give the prediction as a person reads it."""
    return "\n".join(_lines(found)) + "\n"


def _lines(found: Prediction) -> Iterator[str]:
    yield (
        f"incast {len(found.senders)}:1 to {found.receiver}, class {found.traffic_class}, "
        f"{_time(found.duration_s)}  (simulated)"
    )
    yield f"  marking   {_first(found.marking, 'queue')}"
    yield f"  pausing   {_first(found.pausing, 'PFC priority')}"
    yield f"  spread    {_spread(found)}"
    yield f"  dropped   {_dropped(found)}"
    marks, pause = found.closed_form
    if pause is not None:
        kmin = "" if marks is None else f"kmin after {_time(marks)}, "
        yield f"  if nobody slows down: {kmin}first pause after {_time(pause)}"
    events = found.pausing[:SHOWN]
    if events:
        yield "pauses sent by:"
        yield from (f"  {_time(one.at_s):>10}  {one.device} {one.port}" for one in events)
        more = len(found.pausing) - len(events)
        if more:
            yield f"  and {more} more"
    if found.assumed:
        yield "assumed, as the intent does not say it:"
        yield from (f"  {what}: {value}" for what, value in found.assumed)


def _first(events: Sequence[Event], word: str) -> str:
    if not events:
        return "never"
    one = events[0]
    return f"from {_time(one.at_s)} on, first at {one.device} {one.port} {word} {one.number}"


def _spread(found: Prediction) -> str:
    if not found.pausing:
        return "nothing is paused"
    switches = len({event.device for event in found.pausing})
    ports, total = len(found.pausing), len(found.senders)
    return (
        f"{ports} {_many('port', ports)} of {switches} {_many('switch', switches, 'es')} pause; "
        f"{len(found.paused)} of {total} {_many('sender', total)} are paused"
    )


def _dropped(found: Prediction) -> str:
    if not found.dropping:
        return "nothing"
    one = found.dropping[0]
    first = f"first after {_time(one.at_s)} at {one.device} {one.port}"
    return f"{found.dropped} {_many('packet', found.dropped)}, {first}"


def _many(word: str, count: int, ending: str = "s") -> str:
    return word if count == 1 else word + ending


def _time(seconds: float) -> str:
    return f"{seconds * 1e3:.3g} ms" if seconds >= 1e-3 else f"{seconds * 1e6:.1f} us"  # noqa: PLR2004 -- a millisecond
