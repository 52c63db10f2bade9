"""Render the part of CONFIG_DB that netcheck owns, as one ``config_db.json``.

A table is written when anything in it is said, and is then whole: what is said
to be absent leaves an empty table. What is not said is not written.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from functools import cache
from json.encoder import encode_basestring_ascii
from typing import TYPE_CHECKING, Any, Final

from netcheck.model.device import Device, Port
from netcheck.model.errors import RefusalError
from netcheck.model.fabric import Fabric
from netcheck.model.known import ABSENT, is_known
from netcheck.platforms.platform import Refusal
from netcheck.platforms.sonic.rendered import buffers, maps, queues, watchdog
from netcheck.platforms.sonic.rendered.facts import any_said, device_qos, ordered_ports
from netcheck.platforms.sonic.rendered.limits import find_refusals

if TYPE_CHECKING:
    import jinja2

FILE: Final = "config_db.json"
# The name under which SONiC keeps what holds for the whole switch; buffermgrd
# and the upstream templates know no other.
DEVICE_WIDE: Final = "AZURE"

Row = tuple[str, Mapping[str, object]]
Tables = dict[str, dict[str, dict[str, str]]]


def refusals(device: Device, fabric: Fabric) -> list[Refusal]:  # noqa: ARG001 -- all limits are the switch's own
    """Give everything in the device's policy that CONFIG_DB cannot express."""
    return list(find_refusals(device))


def render(device: Device, fabric: Fabric) -> Mapping[str, str]:
    """Give ``config_db.json`` with the owned tables, byte-stable.

    Raises:
        RefusalError: Something cannot be expressed; ``refusals`` gives all of it.
    """
    for refusal in refusals(device, fabric):
        raise RefusalError(refusal.limit, f"{refusal.place}: {refusal.reason}")
    return {FILE: indented(render_tables(device)) + "\n"}


def indented(tables: Mapping[str, object], margin: str = "") -> str:
    """Give nested mappings as ``json.dumps(tables, indent=4)`` does, several times faster."""
    if not tables:
        return "{}"
    inner = f"{margin}    "
    lines = [
        f"{inner}{encode_basestring_ascii(key)}: "
        + (
            indented(value, inner)
            if isinstance(value, dict)
            else encode_basestring_ascii(str(value))
        )
        for key, value in tables.items()
    ]
    return "{\n" + ",\n".join(lines) + f"\n{margin}}}"


def render_tables(device: Device) -> Tables:
    """Give the owned tables as nested mappings, in the order of the templates."""
    tables: Tables = {}
    for name, variables in _topics(device).items():
        text = _environment().get_template(f"{name}.j2").render(variables)
        for table in _objects(text):
            tables.update(table)
    return tables


def _topics(device: Device) -> dict[str, dict[str, object]]:
    """Give ``template -> its variables``; None stands for a table that is not said."""
    return {
        "ports": {
            "metadata": _metadata(device),
            "ports": _ports(device),
            "cables": _cables(device),
        },
        "maps": {"maps": maps.map_tables(device)},
        "bindings": {"bindings": maps.bindings(device)},
        "queues": {
            "schedulers": queues.scheduler_rows(device),
            "markings": queues.wred_rows(device),
            "queues": queues.queue_rows(device),
        },
        "buffers": {
            "pattern": _pattern(device),
            "defaults": _lossless_defaults(device),
            "pools": buffers.pool_rows(device),
            "profiles": buffers.profile_rows(device),
            "priority_groups": _accounts(device, buffers.Side.INGRESS),
            "buffer_queues": _accounts(device, buffers.Side.EGRESS),
        },
        "watchdog": {
            "poll_ms": watchdog.poll_ms(device),
            "watchdogs": watchdog.watchdog_rows(device),
        },
        "counters": {"counters": watchdog.counter_groups(device)},
    }


def _metadata(device: Device) -> list[Row] | None:
    is_computed = device_qos(device).is_headroom_computed
    if not is_known(is_computed):
        return None
    return [("localhost", {"buffer_model": "dynamic" if is_computed else "traditional"})]


def _ports(device: Device) -> list[Row] | None:
    """Rows of all ports: one without fields still says that it pauses nothing as a whole."""
    rows: list[Row] = [(port.name, _port_fields(port)) for port in ordered_ports(device)]
    is_said = any_said(device, lambda port: port.qos.global_pause_rx) or any_said(
        device, lambda port: port.qos.global_pause_tx
    )
    return rows if is_said or any(fields for _, fields in rows) else None


def _port_fields(port: Port) -> dict[str, object]:
    fields: dict[str, object] = {}
    if is_known(port.l2_mtu):
        fields["mtu"] = port.l2_mtu
    is_asymmetric = maps.is_asymmetric(port.qos)
    if is_asymmetric is not None:
        fields["pfc_asym"] = "on" if is_asymmetric else "off"
    return fields


def _cables(device: Device) -> list[Row] | None:
    if not any_said(device, lambda port: port.cable_m):
        return None
    cables = {
        port.name: f"{port.cable_m}m" for port in ordered_ports(device) if is_known(port.cable_m)
    }
    return [(DEVICE_WIDE, cables)] if cables else []


def _pattern(device: Device) -> list[Row] | None:
    qos = device_qos(device)
    if not is_known(qos.lossless_mtu_bytes) or not is_known(qos.small_packet_percent):
        return [] if ABSENT in {qos.lossless_mtu_bytes, qos.small_packet_percent} else None
    fields = {"mtu": qos.lossless_mtu_bytes, "small_packet_percentage": qos.small_packet_percent}
    return [(DEVICE_WIDE, fields)]


def _lossless_defaults(device: Device) -> list[Row] | None:
    qos = device_qos(device)
    if not is_known(qos.lossless_alpha_exponent):
        return [] if ABSENT in {qos.lossless_alpha_exponent, qos.oversubscription} else None
    ratio = qos.oversubscription if is_known(qos.oversubscription) else None
    fields = {"default_dynamic_th": qos.lossless_alpha_exponent, "over_subscribe_ratio": ratio}
    return [(DEVICE_WIDE, fields)]


def _accounts(device: Device, side: buffers.Side) -> list[Row] | None:
    rows = buffers.account_rows(device, side)
    return None if rows is None else [(key, {"profile": profile}) for key, profile in rows]


@cache
def _environment() -> jinja2.Environment:
    import jinja2  # noqa: PLC0415 -- lint renders nothing

    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("netcheck.platforms.sonic"),
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        autoescape=False,  # noqa: S701 -- the output is JSON, no page
    )
    environment.policies["json.dumps_kwargs"] = {"sort_keys": False}
    environment.filters["fields"] = _fields
    return environment


def _fields(values: Mapping[object, object]) -> str:
    """Give the JSON of one object: every value a string, none left out."""
    return json.dumps({str(key): str(value) for key, value in values.items() if value is not None})


def _objects(text: str) -> Iterator[Any]:
    """Give the JSON objects that a template wrote one after the other.

    Any: the templates' output is what json makes of it.
    """
    decoder, rest = json.JSONDecoder(), text.lstrip()
    while rest:
        found, end = decoder.raw_decode(rest)
        yield found
        rest = rest[end:].lstrip()
