"""The JSON file of perftest, in every form it has had.

Before 24.01 keys and words have no quotes and lists end with a comma, and
``--output`` still leaves an empty field, so that no JSON reader takes them. The
file is read line by line instead. It does not say whether bandwidth is in Gb/s
or in MiB/s; message rate times message size tells.

Source: linux-rdma/perftest src/perftest_resources.c (print_report_bw,
    print_report_lat, out_json), tags 4.5-0.17, 24.01 and 24.07.
"""

from __future__ import annotations

import re
from contextlib import suppress

from netcheck.model.known import UNKNOWN, Known
from netcheck.perf.perftest import PerftestResult, parse_perftest

_FIELD = re.compile(r'^\s*"?([A-Za-z_][\w.]*?)"?\s*:\s*"?([^",{}]*?)"?\s*,?\s*$')
_TEST = re.compile(r'"?test_info"?\s*:')
UNITS_BPS = (1e9, 8 * 2**20, 8e6)
AGREES_SHARE = 0.02
ROUNDING = 0.006  # bandwidth has two decimals


def is_perftest_json(text: str) -> bool:
    """Tell whether a text is perftest's JSON file and not what it prints."""
    return text.lstrip().startswith("{") and _TEST.search(text) is not None


def parse_perftest_json(text: str) -> PerftestResult:
    """Give what the file says; figures that are not there, or contradict each other, are UNKNOWN.

    With several message sizes perftest keeps the last one alone. Never raises on content.
    """
    fields = {match[1]: match[2].strip() for match in map(_FIELD.match, text.splitlines()) if match}
    rate = _number(fields, "MsgRate")
    size = _number(fields, "MsgSize")
    average = _number(fields, "BW_average")
    count = _number(fields, "n_iterations")
    mtu = _number(fields, "Mtu")
    return PerftestResult(
        bandwidth_bps=_bandwidth(average, rate, size),
        message_rate_pps=UNKNOWN if rate is None else rate * 1e6,
        latency_us=_known(_number(fields, "t_typical")),
        percentile_99_us=_known(_number(fields, "percentile_99")),
        percentile_999_us=_known(_number(fields, "percentile_99.9")),
        rdma_mtu=UNKNOWN if mtu is None else int(mtu),
        iterations=UNKNOWN if count is None else int(count),
    )


def read_perftest(text: str) -> PerftestResult:
    """Give what a test gave, from what it printed or from its JSON file."""
    return parse_perftest_json(text) if is_perftest_json(text) else parse_perftest(text)


def _number(fields: dict[str, str], name: str) -> float | None:
    with suppress(KeyError, ValueError):
        return float(fields[name])
    return None


def _known(value: float | None) -> Known[float]:
    return UNKNOWN if value is None else value


def _bandwidth(average: float | None, rate: float | None, size: float | None) -> Known[float]:
    """Bandwidth in the unit in which it agrees with the messages sent."""
    if average is None or rate is None or size is None:
        return UNKNOWN
    sent = rate * 1e6 * size * 8
    for unit in UNITS_BPS:
        # the rate has six decimals, the average two
        slack = max(AGREES_SHARE * sent, ROUNDING * unit, 8 * size)
        if abs(average * unit - sent) <= slack:
            return average * unit
    return UNKNOWN
