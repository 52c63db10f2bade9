"""The ``dcb`` program of iproute2 6.1.

Source: iproute2/iproute2 dcb/*.c; JSON keys as that version prints them.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping

from netcheck.lab.devices.linux.adapter import BUFFER_BYTES, PRIORITIES, Adapter
from netcheck.lab.devices.shell import Call, Program

Tables = dict[str, object]


class RefusedError(Exception):
    """What the program prints before it exits with 1."""


def program(adapters: Mapping[str, Adapter]) -> Program:
    """Give the program for a host's adapters."""

    def dcb(call: Call) -> int:
        words = list(call.arguments)
        flags = ""
        while words and words[0].startswith("-"):
            flags += words.pop(0)[1:]
        try:
            return _run(call, adapters, flags, words)
        except RefusedError as error:
            if "j" in flags:
                call.out("\n")
            return call.fail(str(error))

    return dcb


def _run(call: Call, adapters: Mapping[str, Adapter], flags: str, words: list[str]) -> int:
    if not words:
        raise RefusedError("Usage: dcb [ OPTIONS ] OBJECT { COMMAND | help }")
    name, action, *rest = [*words, "help", "help"][: max(len(words), 2)]
    if name not in _OBJECTS:
        raise RefusedError(f'Object "{name}" is unknown, try "dcb help".')
    if rest[:1] != ["dev"] or len(rest) < 2:  # noqa: PLR2004 -- dev and its name
        raise RefusedError("Not enough information: device name is required")
    adapter = adapters.get(rest[1])
    if adapter is None:
        raise RefusedError(
            "Attribute read: Operation not supported"
            if rest[1] == "lo"
            else "Attribute read: No such device"
        )
    if action == "show":
        table = _OBJECTS[name](adapter)
        if name == "pfc" and "s" in flags:
            table["requests"] = [adapter.counters[f"tx_pause {p}"] for p in range(PRIORITIES)]
            table["indications"] = [adapter.counters[f"rx_pause {p}"] for p in range(PRIORITIES)]
        call.out(_printed(table, as_json="j" in flags))
        return 0
    if not call.is_root:
        raise RefusedError("Attribute write: Operation not permitted")
    _change(adapter, name, action, rest[2:])
    return 0


def _printed(table: Tables, *, as_json: bool) -> str:
    if as_json:
        return json.dumps(table, separators=(",", ":")) + "\n"
    lines = []
    for key, value in table.items():
        shown = value
        if isinstance(value, list):
            shown = " ".join(
                f"{row[0]}:{row[1]}" if isinstance(row, list) else f"{place}:{_word(row)}"
                for place, row in enumerate(value)
            )
        lines.append(f"{key.replace('_', '-')} {_word(shown)}")
    return "\n".join(lines) + "\n"


def _word(value: object) -> str:
    return ("on" if value else "off") if isinstance(value, bool) else str(value)


def _pfc(adapter: Adapter) -> Tables:
    return {
        "pfc_cap": PRIORITIES,
        "macsec_bypass": False,
        "delay": adapter.cable_m,
        "prio_pfc": list(adapter.pfc),
    }


def _ets(adapter: Adapter) -> Tables:
    zeros = [0] * PRIORITIES
    tsa = ["vendor" if kind == "vendor" else kind for kind in adapter.tsa]
    return {
        "willing": False,
        "ets_cap": PRIORITIES,
        "cbs": False,
        "tc_bw": list(adapter.weights),
        "pg_bw": zeros,
        "tc_tsa": tsa,
        "prio_tc": list(adapter.tc_of),
        "reco_tc_bw": zeros,
        "reco_tc_tsa": ["strict"] * PRIORITIES,
        "reco_prio_tc": zeros,
    }


def _app(adapter: Adapter) -> Tables:
    if adapter.trust != "dscp":
        return {}
    entries = adapter.dscp_entries or {code: code >> 3 for code in range(64)}
    return {"dscp_prio": [[dscp, priority] for dscp, priority in sorted(entries.items())]}


def _buffer(adapter: Adapter) -> Tables:
    return {
        "prio_buffer": list(adapter.buffer_of),
        "buffer_size": list(adapter.buffer_bytes),
        "total_size": BUFFER_BYTES,
    }


def _maxrate(adapter: Adapter) -> Tables:
    # the kernel holds kbit/s, which this version shows as if they were bytes
    return {"tc_maxrate": [round(rate * 1e6) for rate in adapter.rates_gbps]}


def _dcbx(adapter: Adapter) -> Tables:
    return {"host": True, "ieee": True} if adapter.dcbx == "os" else {"lld_managed": True}


_OBJECTS: dict[str, Callable[[Adapter], Tables]] = {
    "pfc": _pfc,
    "ets": _ets,
    "app": _app,
    "buffer": _buffer,
    "maxrate": _maxrate,
    "dcbx": _dcbx,
}
_PARAMETERS = ("prio-pfc", "delay", "tc-tsa", "tc-bw", "prio-tc", "dscp-prio", "prio-buffer")


def _change(adapter: Adapter, name: str, action: str, words: list[str]) -> None:
    if action not in ("set", "add", "replace", "del", "flush"):
        raise RefusedError(f"Object {name} has no command {action}")
    parameter = ""
    for word in words:
        if word in (*_PARAMETERS, "willing", "macsec-bypass", "buffer-size", "host", "ieee"):
            parameter = word
            continue
        _set(adapter, action, parameter, word)
    if action == "flush":
        adapter.dscp_entries = {}
        adapter.trust = "pcp"


def _set(adapter: Adapter, action: str, parameter: str, word: str) -> None:
    key, _, value = word.partition(":")
    places = range(PRIORITIES) if key == "all" else [_index(key, 64)]
    for place in places:
        if parameter == "dscp-prio":
            _set_dscp(adapter, action, place, value)
        elif parameter == "prio-pfc":
            enabled = list(adapter.pfc)
            enabled[place] = value == "on"
            adapter.set_pfc(enabled)
        elif parameter == "tc-tsa":
            adapter.tsa[place] = value
        elif parameter == "tc-bw":
            adapter.weights[place] = _index(value, 101)
        elif parameter == "prio-tc":
            adapter.tc_of[place] = _index(value, PRIORITIES)
        elif parameter == "prio-buffer":
            adapter.buffer_of[place] = _index(value, PRIORITIES)
        elif parameter == "delay":
            adapter.cable_m = place


def _set_dscp(adapter: Adapter, action: str, dscp: int, value: str) -> None:
    if action == "del":
        adapter.dscp_entries.pop(dscp, None)
    else:
        adapter.dscp_entries[dscp] = _index(value, PRIORITIES)
        adapter.trust = "dscp"


def _index(text: str, high: int) -> int:
    if not text.isdigit() or int(text) >= high:
        raise RefusedError(f"Invalid value {text}")
    return int(text)
