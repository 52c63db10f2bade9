"""How each setting is taken back, and which held settings are the switch's defaults.

Source: batfish/batfish testconfigs/arista_interface_show_run_all (forms with `no`
and `default` as EOS prints them).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

from netcheck.platforms.eos.parsed.config import Section, Settings
from netcheck.platforms.eos.parsed.grammar import Timer, Value, Word

_PFC: Final = "priority-flow-control"
# key -> the line that takes the setting back; two defaults are set by a line of their own
_UNSET: Final[Mapping[str, str]] = {
    "trust": "default qos trust",
    "cos": "no qos cos",
    "dscp": "no qos dscp",
    "pfc": f"no {_PFC}",
    "watchdog": f"{_PFC} pause watchdog",
    "watchdog action": f"no {_PFC} pause watchdog port action",
    "watchdog timer": f"no {_PFC} pause watchdog port timer",
    "shape": "no shape rate",
    "mtu": "no mtu",
    "dcbx": "no dcbx mode",
    "pause tx": "no flowcontrol send",
    "pause rx": "no flowcontrol receive",
    "profile": "no service-profile",
    "priority": "priority strict",
    "bandwidth": "no bandwidth percent",
    "guaranteed": "no bandwidth guaranteed",
    "count": "no random-detect ecn count",
    "ecn": "no random-detect ecn",
    "drop": "no random-detect drop",
}
# Settings that say what the switch does anyway.
_DEFAULTS: Final[Mapping[str, tuple[Value | Word, ...]]] = {
    "pfc": (Word.NO,),
    "watchdog": (True,),
    "watchdog action": (Word.NO,),
    "watchdog timer": (Word.NO,),
    "cos": (0, Word.NO),
    "dscp": (0, Word.NO),
    "shape": (Word.NO,),
    "dcbx": (Word.NO,),
    "pause tx": (Word.NO, "off"),
    "pause rx": (Word.NO, "off"),
    "profile": (Word.NO,),
    "mtu": (Word.NO,),
    "priority": ("strict",),
    "bandwidth": (Word.NO,),
    "guaranteed": (Word.NO,),
    "count": (Word.NO,),
    "ecn": (Word.NO,),
    "drop": (Word.NO,),
}


def plain(settings: Settings) -> dict[str, Value | Word]:
    """Give the settings that differ from what the switch does anyway."""
    return {
        key: _forced(said.value)
        for key, said in settings.items()
        if said.value is not Word.DEFAULT and not _is_default(key, said.value)
    }


def _forced(value: Value | Word) -> Value | Word:
    return Timer(*value) if isinstance(value, Timer) else value


def _is_default(key: str, value: Value | Word) -> bool:
    if re.fullmatch("pfc [0-7]", key):
        return value != "no-drop"
    # `True in (1,)` holds, so that types are compared as well
    return any(type(one) is type(value) and one == value for one in _DEFAULTS.get(key, ()))


def unset_line(key: str, value: Value | Word) -> str:
    """Give the line that takes a setting back."""
    if key.startswith("pfc "):
        return f"no {_PFC} priority {key.removeprefix('pfc ')}"
    if key == "classifier":
        return f"no service-policy type qos input {value}"
    return _UNSET[key]


def queues_of(section: Section) -> dict[int, dict[str, Value | Word]]:
    """Give the settings of each queue that differ from the defaults."""
    found = {queue: plain(settings) for queue, settings in section.queues.items()}
    return {queue: settings for queue, settings in found.items() if settings}
