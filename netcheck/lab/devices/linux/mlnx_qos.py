"""The ``mlnx_qos`` program: options, refusals and output of its upstream script.

Source: Mellanox/mlnx-tools python/mlnx_qos (version 1.2).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from netcheck.lab.devices.linux.adapter import BUFFER_BYTES, DSCPS, PRIORITIES, Adapter
from netcheck.lab.devices.options import UnknownOptionError, split_options
from netcheck.lab.devices.shell import Call, Program

LONGEST_CABLE_M = 65535
DSCPS_A_LINE = 8
_LONG = {
    "interface": "i",
    "pfc": "f",
    "specific_pfc": "F",
    "get_pfc": "P",
    "prio_tc": "p",
    "tsa": "s",
    "tcbw": "t",
    "ratelimit": "r",
    "dcbx": "d",
}
_ORDER = ("d", "f", "F", "p", "s", "r", "buffer", "trust", "dscp2prio", "cable_len")


class RefusedError(Exception):
    """What the program prints before it exits with 1."""


def program(adapters: Mapping[str, Adapter]) -> Program:
    """Give the program for a host's adapters."""

    def mlnx_qos(call: Call) -> int:
        try:
            options, changes = _options(call)
        except UnknownOptionError as error:
            return call.fail(
                f"Usage:\nmlnx_qos -i <interface> [options]\n\nmlnx_qos: error: {error}", 2
            )
        adapter = adapters.get(options.get("i", ""))
        if "i" not in options:
            call.out("Interface name is required\n")
            return 1
        if adapter is None:
            call.out(f"Interface does not exist: {options['i']}\n")
            return 1
        return _run(call, adapter, options, changes)

    return mlnx_qos


def _options(call: Call) -> tuple[dict[str, str], list[str]]:
    """Options under their short names, and the values of all --dscp2prio."""
    changes: list[str] = []
    rest: list[str] = []
    words = list(call.arguments)
    while words:
        word = words.pop(0)
        if word == "--dscp2prio":
            if not words:
                raise UnknownOptionError(word, "option requires an argument")
            changes.append(words.pop(0))
        elif word.startswith("--dscp2prio="):
            changes.append(word.partition("=")[2])
        else:
            rest.append(word)
    long = [*(f"{name}=" for name in _LONG), "trust=", "cable_len=", "prio2buffer=", "buffer_size="]
    options, operands = split_options(rest, flags="ah", valued="ifFPpstrd", long=long)
    if operands:
        raise UnknownOptionError(operands[0], "unexpected argument")
    return {_LONG.get(name, name): value for name, value in options.items()}, changes


def _run(call: Call, adapter: Adapter, options: dict[str, str], changes: list[str]) -> int:
    wants = set(options) - {"i", "a", "P"}
    try:
        if (wants or changes) and not call.is_root:
            raise RefusedError("Operation not permitted")  # noqa: TRY301 -- one way out
        if "P" in options:
            call.out(f"{int(adapter.pfc[_number(options['P'], PRIORITIES)])}\n")
            return 0
        # settings before the refused pair stay applied, as upstream leaves them
        for name in _ORDER:
            if name in options and name in _SETTERS:
                _SETTERS[name](adapter, options[name])
        if "trust" in options and changes:
            message = "--trust and --dscp2prio cannot be used together"
            raise RefusedError(message)  # noqa: TRY301 -- one way out
        _set_trust(adapter, options, changes)
        _set_buffers(adapter, options)
    except RefusedError as error:
        call.out(f"{error}\n")
        return 1
    if "F" not in options:
        call.out(shown(adapter, every_tc="a" in options))
    return 0


def _numbers(text: str, name: str, *, high: int, exact: bool = True) -> list[int]:
    parts = text.split(",")
    if (exact and len(parts) != PRIORITIES) or len(parts) > PRIORITIES:
        raise RefusedError(f"{name} list must have {PRIORITIES} items")
    return [_number(part, high) for part in parts]


def _number(text: str, high: int) -> int:
    if not text.strip().isdigit() or int(text) >= high:
        raise RefusedError(f"invalid value {text}: expected 0..{high - 1}")
    return int(text)


def _set_pfc(adapter: Adapter, text: str) -> None:
    adapter.set_pfc([bool(bit) for bit in _numbers(text, "pfc", high=2)])


def _set_some_pfc(adapter: Adapter, text: str) -> None:
    parts = text.split(",")
    if len(parts) != PRIORITIES:
        raise RefusedError(f"pfc list must have {PRIORITIES} items")
    adapter.set_pfc(
        [
            adapter.pfc[priority] if part == "x" else bool(_number(part, 2))
            for priority, part in enumerate(parts)
        ]
    )


def _set_tcs(adapter: Adapter, text: str) -> None:
    adapter.tc_of = _numbers(text, "prio_tc", high=PRIORITIES)


def _set_rates(adapter: Adapter, text: str) -> None:
    parts = text.split(",")
    if len(parts) != PRIORITIES:
        raise RefusedError(f"ratelimit list must have {PRIORITIES} items")
    try:
        adapter.rates_gbps = [float(part) for part in parts]
    except ValueError:
        raise RefusedError(f"invalid rate in {text}") from None


def _set_cable(adapter: Adapter, text: str) -> None:
    adapter.cable_m = _number(text, LONGEST_CABLE_M + 1)


def _set_dcbx(adapter: Adapter, text: str) -> None:
    if text not in ("fw", "os", "get"):
        raise RefusedError("dcbx mode should be one of fw, os, get")
    if text != "get":
        adapter.dcbx = text


_SETTERS: dict[str, Callable[[Adapter, str], None]] = {
    "f": _set_pfc,
    "F": _set_some_pfc,
    "p": _set_tcs,
    "r": _set_rates,
    "cable_len": _set_cable,
    "d": _set_dcbx,
}


def _set_trust(adapter: Adapter, options: dict[str, str], changes: list[str]) -> None:
    if "s" in options or "t" in options:
        _set_ets(adapter, options)
    if "trust" in options:
        if options["trust"] not in ("pcp", "dscp"):
            raise RefusedError("trust state should be either pcp or dscp")
        adapter.trust = options["trust"]
        adapter.dscp_entries = {}
    for change in changes:
        _set_dscp(adapter, change)


def _set_ets(adapter: Adapter, options: dict[str, str]) -> None:
    tsa = adapter.tsa
    if "s" in options:
        tsa = options["s"].split(",")
        if len(tsa) != PRIORITIES:
            raise RefusedError(f"tsa list must have {PRIORITIES} items")
        if unknown := set(tsa) - {"strict", "ets", "vendor"}:
            raise RefusedError(f"unknown tsa: {min(unknown)}")
    weights = adapter.weights
    if "t" in options:
        weights = _numbers(options["t"], "tcbw", high=101)
    shares = [weight for weight, kind in zip(weights, tsa, strict=True) if kind == "ets"]
    # the kernel driver refuses: mlx5e_dbcnl_validate_ets
    if shares and sum(shares) != 100:  # noqa: PLR2004 -- percent
        raise RefusedError("Netdev write: Invalid argument")
    if any(weight for weight, kind in zip(weights, tsa, strict=True) if kind != "ets"):
        if "t" in options:
            raise RefusedError("tcbw must be 0 for non-ets TCs")
        weights = [
            weight if kind == "ets" else 0 for weight, kind in zip(weights, tsa, strict=True)
        ]
    adapter.tsa, adapter.weights = list(tsa), list(weights)


def _set_dscp(adapter: Adapter, change: str) -> None:
    kind, *values = change.split(",")
    if kind == "flush":
        adapter.dscp_entries = {}
        adapter.trust = "pcp"
        return
    if kind not in ("set", "del") or len(values) != 2:  # noqa: PLR2004 -- DSCP and priority
        raise RefusedError(f"dscp2prio: invalid change {change}")
    dscp, priority = _number(values[0], DSCPS), _number(values[1], PRIORITIES)
    if kind == "set":
        if not adapter.dscp_entries:
            adapter.dscp_entries = {code: code >> 3 for code in range(DSCPS)}
        adapter.dscp_entries[dscp] = priority
        adapter.trust = "dscp"
        return
    adapter.dscp_entries.pop(dscp, None)
    if not adapter.dscp_entries:
        adapter.trust = "pcp"  # without entries the kernel falls back


def _set_buffers(adapter: Adapter, options: dict[str, str]) -> None:
    if "buffer_size" in options:
        sizes = [int(part) if part.isdigit() else -1 for part in options["buffer_size"].split(",")]
        if len(sizes) > PRIORITIES or min(sizes) < 0 or sum(sizes) > BUFFER_BYTES:
            raise RefusedError("Set buffer failed: Invalid argument")
        adapter.buffer_bytes = sizes + [0] * (PRIORITIES - len(sizes))
        adapter.has_manual_buffers = True
        return  # with both given, upstream applies the sizes alone
    if "prio2buffer" in options:
        found = _numbers(options["prio2buffer"], "prio2buffer", high=PRIORITIES, exact=False)
        adapter.buffer_of = found + adapter.buffer_of[len(found) :]
        adapter.has_manual_buffers = True


def shown(adapter: Adapter, *, every_tc: bool = False) -> str:
    """What the program prints."""
    lines = [
        f"DCBX mode: {'OS' if adapter.dcbx == 'os' else 'Firmware'} controlled",
        f"Priority trust state: {adapter.trust}",
    ]
    if adapter.trust == "dscp":
        lines += ["dscp2prio mapping:", *_dscp_lines(adapter)]
    sizes = ",".join(str(size) for size in adapter.buffer_bytes)
    numbers = "".join(f"{priority}   " for priority in range(PRIORITIES))
    lines += [
        "default priority:",
        f"Receive buffer size (bytes): {sizes},max_buffer_size={BUFFER_BYTES}",
        f"Cable len: {adapter.cable_m}",
        "PFC configuration:",
        f"\tpriority    {numbers.rstrip()}",
        "\tenabled     " + "".join(f"{int(on)}   " for on in adapter.pfc),
        "\tbuffer      " + "".join(f"{number}   " for number in adapter.buffer_of),
    ]
    return "\n".join([*lines, *_tc_lines(adapter, every_tc=every_tc)]) + "\n"


def _dscp_lines(adapter: Adapter) -> Iterator[str]:
    for priority in range(PRIORITIES):
        codes = [code for code in range(DSCPS) if adapter.priority_of(code) == priority]
        for place in range(0, len(codes), DSCPS_A_LINE):
            row = reversed(codes[place : place + DSCPS_A_LINE])
            yield f"\tprio:{priority} dscp:" + "".join(f"{code:02}," for code in row)


def _tc_lines(adapter: Adapter, *, every_tc: bool) -> Iterator[str]:
    for tc in range(PRIORITIES):
        priorities = [priority for priority in range(PRIORITIES) if adapter.tc_of[priority] == tc]
        if not priorities and not every_tc:
            continue
        rate = adapter.rates_gbps[tc]
        limit = f"{rate:.1f} Gbps" if rate else "unlimited"
        kind = adapter.tsa[tc]
        share = f", bw: {adapter.weights[tc]}%" if kind == "ets" else ""
        yield f"tc: {tc} ratelimit: {limit}, tsa: {kind}{share}"
        yield from (f"\t priority:  {priority}" for priority in priorities)
