"""Configuration lines that the switch takes, by mode, in the order of its running-config.

Maps and queues show what was typed even where it is the default, as the published
configurations do.

Source: arista.com/en/um-eos; ranges and keywords as in aristanetworks/avd, schema of
eos_cli_config_gen.
"""

from __future__ import annotations

import re

from netcheck.lab.devices.cli.config import Section
from netcheck.lab.devices.cli.console import Check, Console, Grammar, Rule
from netcheck.lab.devices.cli.grammar import Match, Pattern
from netcheck.lab.devices.eos.refusals import says

_ETHERNET = re.compile(r"et(?:h(?:ernet)?)?(\d+(?:/\d+)*)", re.IGNORECASE)
_OTHERS = {"ma": "Management", "lo": "Loopback", "po": "Port-Channel", "vl": "Vlan"}
_OTHER = re.compile(r"([a-z]{2})[a-z-]*(\d+)", re.IGNORECASE)
_UNITS = "(bytes|kbytes|mbytes|segments|milliseconds)"
_PROTECTED = 7


def interface(word: str) -> str | None:
    """Give the full name of an interface; None where the word is none."""
    if found := _ETHERNET.fullmatch(word):
        return f"Ethernet{found[1]}"
    found = _OTHER.fullmatch(word)
    kind = _OTHERS.get(found[1].lower()) if found else None
    return f"{kind}{found[2]}" if found and kind else None


def _word(word: str) -> str | None:
    return word


def _duration(word: str) -> str | None:
    return word if re.fullmatch(r"\d{1,2}:[0-5]?\d:[0-5]?\d", word) else None


def _address(word: str) -> str | None:
    return word if re.fullmatch(r"\d+(\.\d+){3}/\d+|[0-9a-fA-F:]+/\d+", word) else None


KINDS = {
    "PORT": interface,
    "NAME": _word,
    "DURATION": _duration,
    "ADDRESS": _address,
    "FILE": _word,
}


def _exists(console: Console, match: Match) -> str:
    name = match.values[0]
    has_it = not name.startswith("Ethernet") or console.device.has_port(name)
    return "" if has_it else says("no-such-interface")


def _is_movable(console: Console, match: Match) -> str:
    del console
    same = match.values[0] == match.values[-1]
    return says("traffic-class-seven") if str(_PROTECTED) in match.values and not same else ""


def _thresholds(console: Console, match: Match) -> str:
    del console
    words = match.words
    low = words.index("minimum-threshold") + 1
    high = words.index("maximum-threshold") + 1
    if words[low + 1] != words[high + 1]:
        return says("ecn-threshold-units")
    return says("ecn-threshold-order") if int(words[low]) > int(words[high]) else ""


def _map_many(section: Section, match: Match) -> None:
    """Hold ``qos map dscp 24 26 to traffic-class 3`` so that each code point has one class."""
    start = " ".join(match.words[:3])
    codes, target = match.values[:-1], match.values[-1]
    _unmap(section, start, codes)
    key = f"{start} to traffic-class {target}"
    held = _codes(section.line(key))
    together = " ".join(sorted({*held, *codes}, key=int))
    section.set(key, f"{start} {together} to traffic-class {target}", rank=1)


def _unmap_many(section: Section, match: Match) -> None:
    words = match.words
    codes = words[3 : words.index("to")] if "to" in words else words[3:]
    _unmap(section, " ".join(words[:3]), codes)


def _unmap(section: Section, start: str, codes: tuple[str, ...]) -> None:
    for key in [key for key in section.entries if key.startswith(f"{start} to ")]:
        text = section.line(key)
        left = [code for code in _codes(text) if code not in codes]
        if not left:
            section.drop(key)
        elif len(left) < len(_codes(text)):
            target = text.split()[-1]
            section.set(key, f"{start} {' '.join(left)} to traffic-class {target}", rank=1)


def _codes(line: str) -> list[str]:
    words = line.split()
    return words[3 : words.index("to")] if words else []


def _rule(
    pattern: str, key: str = "", *, default: bool = False, check: Check | None = None
) -> Rule:
    return Rule(Pattern(pattern), key=key, is_default=default, check=check)


_WATCHDOG = "priority-flow-control pause watchdog"
_DETECT = f"minimum-threshold <1-256000000> {_UNITS} maximum-threshold <1-256000000> {_UNITS}"

_QUEUE = (
    _rule("bandwidth percent = <1-100>"),
    _rule("bandwidth guaranteed = (percent <1-100>|<1-400000000> [kbps])"),
    _rule("no priority", "priority"),
    _rule("priority strict", "priority"),
    _rule("shape rate = <1-400000000> [kbps|pps|percent]"),
    _rule(
        f"random-detect ecn {_DETECT} [max-mark-probability <1-100>] [weight <0-15>]",
        "random-detect ecn",
        check=_thresholds,
    ),
    _rule(
        f"random-detect drop [drop-precedence <0-2>] {_DETECT} "
        "drop-probability <1-100> [weight <0-15>]",
        "random-detect drop",
        check=_thresholds,
    ),
    _rule("no random-detect ecn", "random-detect ecn", default=True),
    _rule("no random-detect drop", "random-detect drop", default=True),
    _rule("random-detect ecn count"),
)
# What a port and a profile of ports have in common.
_PORT_QOS = (
    _rule("qos trust = (dscp|cos)"),
    _rule("no qos trust", "qos trust"),
    _rule("qos cos = <0-7>"),
    _rule("qos dscp = <0-63>"),
    _rule("shape rate = <1-400000000> [kbps|percent]"),
    _rule("service-policy type qos input = NAME"),
    *(
        Rule(Pattern(f"{kind} <0-7>"), opens="queue", suffix="txq-{}")
        for kind in ("tx-queue", "uc-tx-queue", "mc-tx-queue")
    ),
    _rule("priority-flow-control = on", "priority-flow-control"),
    _rule("no priority-flow-control", "priority-flow-control", default=True),
    _rule("priority-flow-control priority <0-7> = (no-drop|drop)"),
    _rule(_WATCHDOG, _WATCHDOG, default=True),
    _rule(f"no {_WATCHDOG}", _WATCHDOG),
    _rule(f"{_WATCHDOG} port action = (drop|notify-only)"),
    _rule(
        f"{_WATCHDOG} port timer = timeout <0.01-60> polling-interval (auto|<0.005-30>) "
        "recovery-time <0.01-60> [forced]"
    ),
)

GRAMMAR: Grammar = {
    "config": (
        _rule("hostname = NAME"),
        Rule(
            Pattern("qos map dscp <0-63>... = to traffic-class <0-7>"),
            keeps=_map_many,
            drops=_unmap_many,
        ),
        Rule(
            Pattern("qos map cos <0-7>... = to traffic-class <0-7>"),
            keeps=_map_many,
            drops=_unmap_many,
        ),
        _rule("qos map traffic-class <0-7> to tx-queue = <0-7>", check=_is_movable),
        _rule("qos map traffic-class <0-7>... to dscp = <0-63>"),
        _rule("qos map traffic-class <0-7>... to cos = <0-7>"),
        _rule("qos rewrite (dscp|cos)"),
        _rule("qos random-detect ecn allow non-ect [chip-based]"),
        Rule(Pattern("qos profile NAME"), opens="profile", suffix="qos-profile-{}"),
        _rule(f"{_WATCHDOG} default timeout = <0.01-60>"),
        _rule(f"{_WATCHDOG} default recovery-time = <0.01-60> [forced]"),
        _rule(f"{_WATCHDOG} default polling-interval = <0.005-30>"),
        _rule(f"{_WATCHDOG} action = (drop|no-drop)"),
        _rule(f"{_WATCHDOG} override action drop"),
        _rule("priority-flow-control all off"),
        _rule("hardware counter feature ecn out"),
        Rule(Pattern("interface PORT"), opens="interface", suffix="if-{}", check=_exists),
        _rule("ip routing"),
        _rule("lldp run", "lldp run", default=True),
        _rule("no lldp run", "lldp run"),
        _rule("router bgp = <1-4294967295>"),
    ),
    "profile": _PORT_QOS,
    "interface": (
        _rule("description = LINE"),
        _rule("shutdown"),
        _rule("no shutdown", "shutdown", default=True),
        _rule("mtu = <68-9214>"),
        _rule("l2 mtu = <68-9236>"),
        _rule("speed = NAME"),
        _rule("error-correction encoding = NAME"),
        _rule("no switchport", "switchport"),
        _rule("switchport", "switchport", default=True),
        _rule("flowcontrol send = (on|off)"),
        _rule("flowcontrol receive = (on|off)"),
        _rule("dcbx mode = (ieee|cee)"),
        _rule("no dcbx mode", "dcbx mode", default=True),
        _rule("ip address = ADDRESS"),
        _rule("channel-group = <1-2000> mode (on|active|passive)"),
        _rule("service-profile = NAME"),
        *_PORT_QOS,
    ),
    "queue": _QUEUE,
}
