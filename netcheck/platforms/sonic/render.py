"""Render the part of CONFIG_DB that netcheck owns, as one ``config_db.json``.

A table is written when anything in it is said, and is then whole: what is said
to be absent leaves an empty table. What is not said is not written.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from functools import cache, lru_cache
from json.encoder import encode_basestring_ascii
from typing import TYPE_CHECKING, Final, TypeVar

from netcheck.model.device import Device, Port
from netcheck.model.errors import RefusalError
from netcheck.model.fabric import Fabric
from netcheck.model.known import ABSENT, is_known
from netcheck.platforms.platform import Refusal
from netcheck.platforms.sonic.rendered import buffers, maps, queues, watchdog
from netcheck.platforms.sonic.rendered.limits import find_refusals
from netcheck.platforms.sonic.rendered.names import port_order
from netcheck.platforms.switch import Switch, any_said, switch_of
from netcheck.platforms.templates import templates_of

if TYPE_CHECKING:
    import jinja2

FILE: Final = "config_db.json"
# The name under which SONiC keeps what holds for the whole switch; buffermgrd
# and the upstream templates know no other.
DEVICE_WIDE: Final = "AZURE"
_ANY_PORT: Final = "\0"  # stands for a port's name, and is in no name

RowT = TypeVar("RowT", bound=Hashable)
Fields = tuple[tuple[str, object], ...]
Row = tuple[str, Fields]


def refusals(device: Device, fabric: Fabric) -> list[Refusal]:  # noqa: ARG001 -- all limits are the switch's own
    """Give everything in the device's policy that CONFIG_DB cannot express."""
    return list(find_refusals(switch_of(device, port_order)))


def render(device: Device, fabric: Fabric) -> Mapping[str, str]:  # noqa: ARG001 -- as above
    """Give ``config_db.json`` with the owned tables, byte-stable.

    Raises:
        RefusalError: Something cannot be expressed; ``refusals`` gives all of it.
    """
    switch = switch_of(device, port_order)
    for refusal in find_refusals(switch):
        raise RefusalError(refusal.limit, f"{refusal.place}: {refusal.reason}")
    return {FILE: config_text(switch)}


def config_text(switch: Switch) -> str:
    """Give the owned tables, in the order of the templates, as JSON indented by four."""
    tables = "".join(
        _environment().get_template(f"{name}.j2").render(variables)
        for name, variables in _topics(switch).items()
    )
    # each table ends with a comma, also the last
    return f"{{\n{tables[:-2]}\n}}\n" if tables else "{}\n"


def _topics(switch: Switch) -> dict[str, dict[str, object]]:
    """Give ``template -> its variables``; None stands for a table that is not said."""
    maps_held, marks = maps.map_names(switch), queues.wred_names(switch)
    bound = {side: buffers.bound_profiles(switch, side) for side in buffers.Side}
    return {
        "ports": {
            "metadata": _metadata(switch),
            "ports": _ports(switch),
            "cables": _cables(switch),
        },
        "maps": {"maps": maps.map_tables(switch, maps_held)},
        "bindings": {"bindings": _bindings(switch, maps_held)},
        "queues": {
            "schedulers": queues.scheduler_rows(switch),
            "markings": queues.wred_rows(switch, marks),
            "queues": _queues(switch, marks),
        },
        "buffers": {
            "pattern": _pattern(switch),
            "defaults": _lossless_defaults(switch),
            "pools": buffers.pool_rows(switch),
            "profiles": buffers.profile_rows(switch, bound),
            "priority_groups": _accounts(switch, buffers.Side.INGRESS, bound),
            "buffer_queues": _accounts(switch, buffers.Side.EGRESS, bound),
        },
        "watchdog": {"watchdogs": _watchdogs(switch)},
        "counters": {"counters": watchdog.counter_groups(switch)},
    }


def _of_ports(switch: Switch, macro: str, rows: Iterable[RowT | None]) -> list[str]:
    """Give the rows of every port in one table as texts; None is a port without one.

    Args:
        macro: Which macro of ``rows.j2`` writes them.
        rows: What it writes for each of ``switch.kinds``.
    """
    texts = ["" if row is None else _of_port(macro, row) for row in rows]
    return [
        text.replace(_ANY_PORT, _in_quotes(port.name))
        for port, text in switch.for_each_port(texts)
        if text
    ]


@lru_cache(maxsize=4096)
def _in_quotes(name: str) -> str:
    return encode_basestring_ascii(name)[1:-1]


@lru_cache(maxsize=2048)
def _of_port(macro: str, row: Hashable, key: str = _ANY_PORT) -> str:
    """Give the rows of one port; equal ones are rendered once, on whatever switch they are."""
    text: str = getattr(_environment().get_template("rows.j2").module, macro)(key, row)
    return text


def _metadata(switch: Switch) -> list[Row] | None:
    is_computed = switch.qos.is_headroom_computed
    if not is_known(is_computed):
        return None
    return [("localhost", (("buffer_model", "dynamic" if is_computed else "traditional"),))]


def _ports(switch: Switch) -> list[str] | None:
    """Rows of all ports: one without fields still says that it pauses nothing as a whole."""
    rows = [_port_fields(port) for port in switch.kinds]
    is_said = any_said(switch, lambda port: port.qos.global_pause_rx) or any_said(
        switch, lambda port: port.qos.global_pause_tx
    )
    return _of_ports(switch, "port", rows) if is_said or any(rows) else None


def _port_fields(port: Port) -> Fields:
    is_asymmetric = maps.is_asymmetric(port.qos)
    return (
        *([("mtu", port.l2_mtu)] if is_known(port.l2_mtu) else []),
        *([("pfc_asym", "on" if is_asymmetric else "off")] if is_asymmetric is not None else []),
    )


def _cables(switch: Switch) -> list[Row] | None:
    if not any_said(switch, lambda port: port.cable_m):
        return None
    cables = tuple(
        (port.name, f"{port.cable_m}m") for port in switch.ports if is_known(port.cable_m)
    )
    return [(DEVICE_WIDE, cables)] if cables else []


def _bindings(switch: Switch, names: maps.MapNames) -> list[str] | None:
    if not maps.is_binding_said(switch):
        return None
    of_all = maps.global_binding(switch, names)
    return [
        *([] if of_all is None else [_of_port("binding", of_all, "global")]),
        *_of_ports(switch, "binding", [maps.binding(port, names) for port in switch.kinds]),
    ]


def _queues(switch: Switch, names: queues.WredNames) -> list[str] | None:
    if not queues.is_queue_said(switch):
        return None
    return _of_ports(switch, "queues", [queues.queue_rows(port, names) for port in switch.kinds])


def _accounts(
    switch: Switch, side: buffers.Side, bound: Mapping[buffers.Side, buffers.Bound]
) -> list[str] | None:
    if not any_said(switch, side.said):
        return None
    return _of_ports(switch, "accounts", map(buffers.account_rows, bound[side]))


def _watchdogs(switch: Switch) -> list[str] | None:
    if not watchdog.is_watchdog_said(switch):
        return None
    poll_ms = watchdog.poll_ms(switch)
    return [
        *([] if poll_ms is None else [_of_port("poll", poll_ms, "GLOBAL")]),
        *_of_ports(switch, "watchdog", map(watchdog.watchdog_row, switch.kinds)),
    ]


def _pattern(switch: Switch) -> list[Row] | None:
    qos = switch.qos
    if not is_known(qos.lossless_mtu_bytes) or not is_known(qos.small_packet_percent):
        return [] if ABSENT in {qos.lossless_mtu_bytes, qos.small_packet_percent} else None
    fields = (
        ("mtu", qos.lossless_mtu_bytes),
        ("small_packet_percentage", qos.small_packet_percent),
    )
    return [(DEVICE_WIDE, fields)]


def _lossless_defaults(switch: Switch) -> list[Row] | None:
    qos = switch.qos
    if not is_known(qos.lossless_alpha_exponent):
        return [] if ABSENT in {qos.lossless_alpha_exponent, qos.oversubscription} else None
    ratio = qos.oversubscription if is_known(qos.oversubscription) else None
    fields = (
        ("default_dynamic_th", qos.lossless_alpha_exponent),
        ("over_subscribe_ratio", ratio),
    )
    return [(DEVICE_WIDE, fields)]


@cache
def _environment() -> jinja2.Environment:
    return templates_of("sonic", quoted=encode_basestring_ascii, fields=_fields)


def _fields(values: Mapping[object, object] | Fields) -> str:
    """Give one row as JSON: every value a string, none left out."""
    items = values.items() if isinstance(values, Mapping) else values
    lines = [
        f"            {encode_basestring_ascii(str(key))}: {encode_basestring_ascii(str(value))}"
        for key, value in items
        if value is not None
    ]
    return "{\n" + ",\n".join(lines) + "\n        }" if lines else "{}"
