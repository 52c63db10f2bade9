"""Two readings of a subnet's counters, as rates: bit errors, recoveries, and time spent waiting."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from netcheck.compare.subnet_pages import made
from netcheck.lossless.link_quality import LARGEST_BER, bit_error_rate, wait_share
from netcheck.model.counters import (
    Counter,
    CounterKey,
    Meaning,
    counter_delta,
    reading_of,
)
from netcheck.model.document import Evidence
from netcheck.model.finding import Finding, Place
from netcheck.model.infiniband import IbNode, IbPort, IbSubnet
from netcheck.model.known import UNKNOWN, Known, is_known

BIT_ERRORS = "link-bit-errors"
RECOVERIES = "link-recovers-often"
WAITING = "port-waits-long"
# A link that trains again this often stops traffic for a moment each time.
MOST_RECOVERIES_PER_HOUR = 10.0
# Share of the time above which a port that waits is worth a line.
LONG_SHARE = 0.1
HOUR_S = 3600.0

Counters = Mapping[CounterKey, Counter]
Ends = Mapping[str, tuple[IbNode, IbPort]]


def rates_between(
    subnet: IbSubnet, first: Known[Counters], last: Known[Counters], seconds: float
) -> Iterator[Finding]:
    """Yield a finding for each port that does worse than a link may, over the time between.

    A few errors in a short time are no rate: what the largest allowed rate would
    hardly make even once is left to those who look whether a counter moved.
    """
    if not is_known(first) or not is_known(last) or seconds <= 0:
        return
    ends = _ends(subnet)
    for key in sorted({*first, *last}):
        grown = _grown(first, last, key)
        if not is_known(grown) or grown <= 0:
            continue
        place = _place(key)
        if key.name == "SymbolErrorCounter":
            yield from _bit_errors(ends, key, place, grown, seconds)
        elif key.meaning is Meaning.LINK_RECOVERY:
            yield from _recoveries(place, key, grown, seconds)
        elif key.meaning is Meaning.TRANSMIT_WAIT and key.number < 0:
            yield from _waiting(ends, key, place, grown, seconds)


def _grown(first: Counters, last: Counters, key: CounterKey) -> Known[int]:
    old, new = first.get(key), last.get(key)
    old, new = reading_of(first, key, new), reading_of(last, key, old)
    return counter_delta(old, new) if old and new else UNKNOWN


def _ends(subnet: IbSubnet) -> Ends:
    """Node and port by what counters call them."""
    return {
        f"{place.device} {place.port}": (node, port)
        for node in subnet.nodes.values()
        for number, port in node.ports.items()
        if (place := node.place(number))
    }


def _place(key: CounterKey) -> Place:
    device, _, port = key.port.rpartition(" ")
    return Place(device, port)


def _bit_errors(
    ends: Ends, key: CounterKey, place: Place, grown: int, seconds: float
) -> Iterator[Finding]:
    rate = ends[key.port][1].rate_bps if key.port in ends else UNKNOWN
    if not is_known(rate):
        return
    found = bit_error_rate(grown, seconds=seconds, rate_bps=rate)
    if found > LARGEST_BER and grown > 1:
        yield _finding(
            BIT_ERRORS,
            place,
            key,
            f"bit error rate above {LARGEST_BER:.0e}",
            expected=f"at most {LARGEST_BER:.0e}",
            found=f"{found:.1e} ({grown} errors in {seconds:.0f} s)",
        )


def _recoveries(place: Place, key: CounterKey, grown: int, seconds: float) -> Iterator[Finding]:
    rate = grown / seconds * HOUR_S
    if rate > MOST_RECOVERIES_PER_HOUR and grown > 1:
        yield _finding(
            RECOVERIES,
            place,
            key,
            "the link trains again and again",
            expected=f"at most {MOST_RECOVERIES_PER_HOUR:g} an hour",
            found=f"{rate:.3g} an hour ({grown} in {seconds:.0f} s)",
        )


def _waiting(
    ends: Ends, key: CounterKey, place: Place, grown: int, seconds: float
) -> Iterator[Finding]:
    if key.port not in ends:
        return
    node, port = ends[key.port]
    if not (is_known(port.rate_bps) and is_known(port.width) and is_known(node.device_id)):
        return
    share = wait_share(
        grown,
        seconds=seconds,
        rate_bps=port.rate_bps,
        device_id=node.device_id,
        width=port.width,
    )
    if share is not None and share > LONG_SHARE:
        yield _finding(
            WAITING,
            place,
            key,
            "the port had packets and could not send",
            expected=f"at most {LONG_SHARE:.0%} of the time",
            found=f"{share:.0%} of {seconds:.0f} s",
        )


def _finding(
    slug: str, place: Place, key: CounterKey, message: str, *, expected: str, found: str
) -> Finding:
    made_of = made(slug, [place], message, expected=expected, found=found, command="")
    return replace(made_of, evidence=(Evidence(counter=key.name),))
