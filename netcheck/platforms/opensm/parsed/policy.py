"""``qos-policy.conf``: its rules and levels, and what makes OpenSM drop it.

Measured on OpenSM 3.3.23, and read in osm_qos_parser_y.y (linux-rdma/opensm): one
word that it does not know drops the whole policy, and all traffic gets SL 0.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Final

from netcheck.model.document import Document, Evidence
from netcheck.model.frozenmap import FrozenMap
from netcheck.model.known import UNKNOWN, Known
from netcheck.model.subnet_manager import (
    SmGroup,
    SmLevel,
    SmMatch,
    SmMistake,
    SmPolicy,
)
from netcheck.platforms.sm_reading import Reading, at_line, c_number

DROPPED: Final = "the whole policy is dropped: every path gets SL 0"
_KEYWORD: Final = re.compile(
    r"(?<![\w-])(?:end-)?"
    r"(?:qos-ulps|port-groups?|qos-setup|qos-levels?|qos-match-rules?)(?![\w:-])"
)
_SECTIONS: Final = {
    "qos-ulps": "",
    "port-groups": "port-group",
    "qos-levels": "qos-level",
    "qos-match-rules": "qos-match-rule",
    "qos-setup": "",
}
_FIELDS: Final = {
    "port-group": frozenset(
        {"name", "use", "port-guid", "port-name", "pkey", "partition", "node-type"}
    ),
    "qos-level": frozenset(
        {"name", "use", "sl", "mtu-limit", "rate-limit", "packet-life", "path-bits", "pkey"}
    ),
    "qos-match-rule": frozenset(
        {
            "use",
            "qos-class",
            "source",
            "destination",
            "service-id",
            "pkey",
            "qos-level-name",
        }
    ),
}
_NEEDED: Final = {
    "port-group": ("name",),
    "qos-level": ("name", "sl"),
    "qos-match-rule": ("qos-level-name",),
}
_NUMBERS: Final = frozenset({"port-guid", "pkey", "service-id", "qos-class", "path-bits"})
_LIMITS: Final = {"sl": range(16), "mtu-limit": range(1, 6), "rate-limit": range(2, 25)}
_NODE_TYPES: Final = frozenset({"CA", "SWITCH", "ROUTER", "SELF", "ALL"})
_RANGE: Final = re.compile(r"(0[xX][0-9a-fA-F]+|\d+)(?:\s*-\s*(0[xX][0-9a-fA-F]+|\d+))?")
# terms that a rule of qos-ulps takes; None is a rule without any
_ULPS: Final[dict[str, tuple[str | None, ...]]] = {
    "default": (None,),
    "any": (
        "service-id",
        "pkey",
        "target-port-guid",
        "source-port-guid",
        "source-target-port-guid",
    ),
    "sdp": (None, "port-num"),
    "rds": (None, "port-num"),
    "iser": (None, "port-num"),
    "srp": ("target-port-guid",),
    "ipoib": (None, "pkey"),
}


class _RefusedError(Exception):
    """OpenSM drops the policy; ``args`` are what was expected, what was written, and where."""


@dataclass(slots=True)
class _Block:
    kind: str
    at: Evidence
    terms: dict[str, tuple[str, ...]] = field(default_factory=dict)
    places: dict[str, Evidence] = field(default_factory=dict)


@dataclass(slots=True)
class _Found:
    ulps: list[SmMatch] = field(default_factory=list)
    levels: list[SmLevel] = field(default_factory=list)
    rules: list[SmMatch] = field(default_factory=list)
    groups: list[SmGroup] = field(default_factory=list)
    has_setup: bool = False
    setup: Evidence = field(default_factory=Evidence)


def read_policy(document: Document, reading: Reading) -> None:
    """Read one ``qos-policy.conf``; one that OpenSM drops leaves the policy UNKNOWN."""
    try:
        found = _read(document)
        _validate(found, at_line(document, 1))
    except _RefusedError as error:
        expected, written, at = error.args
        reading.misread(
            SmMistake.POLICY_REFUSED,
            "qos_policy_file",
            expected=expected,
            written=written,
            effect=DROPPED,
            at=at,
        )
        return
    _tell_ignored(found, reading)
    reading.policy = SmPolicy(
        tuple(found.ulps),
        tuple(found.levels),
        tuple(found.rules),
        tuple(found.groups),
        found.has_setup,
        at_line(document, 1),
        found.setup,
    )


def _lines(document: Document) -> Iterator[tuple[str, Evidence]]:
    """Yield the pieces of the text: keywords stand alone, everything else line by line."""
    for number, line in enumerate(document.text.splitlines(), 1):
        text = line.partition("#")[0]
        start = 0
        for match in _KEYWORD.finditer(text):
            if text[start : match.start()].strip():
                yield text[start : match.start()].strip(), at_line(document, number)
            yield match[0], at_line(document, number, match.start() + 1)
            start = match.end()
        if text[start:].strip():
            yield text[start:].strip(), at_line(document, number)


def _read(document: Document) -> _Found:
    found = _Found()
    section, block = "", None
    at = at_line(document, 1)
    for text, at in _lines(document):
        if not section:
            section = _open_section(text, at)
            if section == "qos-setup":
                found.has_setup, found.setup = True, at
        elif text == f"end-{section}":
            if block is not None:
                raise _RefusedError(f"end-{block.kind}", text, at)
            section = ""
        elif section == "qos-ulps":
            found.ulps.append(_ulp(text, at))
        elif section != "qos-setup":
            block = _in_blocks(found, section, block, text, at)
    if section:
        raise _RefusedError(f"end-{section}", "the end of the file", at)
    return found


def _open_section(text: str, at: Evidence) -> str:
    if text not in _SECTIONS:
        raise _RefusedError(f"a section ({', '.join(_SECTIONS)})", text, at)
    return text


def _in_blocks(
    found: _Found, section: str, block: _Block | None, text: str, at: Evidence
) -> _Block | None:
    kind = _SECTIONS[section]
    if block is None:
        if text != kind:
            raise _RefusedError(f"{kind} or end-{section}", text, at)
        return _Block(kind, at)
    if text == f"end-{kind}":
        _close(found, block, at)
        return None
    _field(block, text, at)
    return block


def _field(block: _Block, text: str, at: Evidence) -> None:
    key, colon, value = (each.strip() for each in text.partition(":"))
    if not colon or key not in _FIELDS[block.kind]:
        fields = ", ".join(sorted(_FIELDS[block.kind]))
        raise _RefusedError(f"a field of {block.kind} ({fields}) and a colon", text, at)
    values = tuple(each.strip() for each in value.split(",") if each.strip())
    if key in _NUMBERS and not all(_RANGE.fullmatch(each) for each in values):
        raise _RefusedError(f"{key}: numbers or ranges", value, at)
    if key in _LIMITS and c_number(value) not in _LIMITS[key]:
        limits = _LIMITS[key]
        raise _RefusedError(f"{key} of {limits[0]} to {limits[-1]}", value, at)
    if key == "packet-life" and c_number(value) is None:
        raise _RefusedError("packet-life: a number", value, at)
    if key == "node-type" and not _NODE_TYPES.issuperset(values):
        raise _RefusedError(f"node-type: {', '.join(sorted(_NODE_TYPES))}", value, at)
    block.terms[key] = (value,) if key in {"name", "use", "qos-level-name"} else values
    block.places[key] = at


def _close(found: _Found, block: _Block, at: Evidence) -> None:
    for key in _NEEDED[block.kind]:
        if key not in block.terms:
            raise _RefusedError(f"{key} in {block.kind}", "none", at)
    _CLOSING[block.kind](found, block)


def _close_level(found: _Found, block: _Block) -> None:
    found.levels.append(
        SmLevel(
            block.terms["name"][0],
            sl=_number(block, "sl"),
            mtu_code=_number(block, "mtu-limit"),
            rate_code=_number(block, "rate-limit"),
            packet_life=_number(block, "packet-life"),
            evidence=block.places["name"],
        )
    )


def _close_group(found: _Found, block: _Block) -> None:
    terms = {key: said for key, said in block.terms.items() if key not in {"name", "use"}}
    found.groups.append(
        SmGroup(block.terms["name"][0], FrozenMap(terms), block.at, FrozenMap(block.places))
    )


def _close_rule(found: _Found, block: _Block) -> None:
    left = {"use", "qos-level-name"}
    terms = {key: said for key, said in block.terms.items() if key not in left}
    level = block.terms["qos-level-name"][0]
    places = FrozenMap(block.places)
    found.rules.append(SmMatch(FrozenMap(terms), level=level, evidence=block.at, places=places))


_CLOSING: Final[dict[str, Callable[[_Found, _Block], None]]] = {
    "port-group": _close_group,
    "qos-level": _close_level,
    "qos-match-rule": _close_rule,
}


def _number(block: _Block, key: str) -> Known[int]:
    number = c_number(block.terms[key][0]) if key in block.terms else None
    return UNKNOWN if number is None else number


def _ulp(text: str, at: Evidence) -> SmMatch:
    rule, colon, written = (each.strip() for each in text.rpartition(":"))
    name, *rest = (each.strip() for each in rule.split(",", 1))
    if not colon or name not in _ULPS:
        raise _RefusedError(f"one of {', '.join(_ULPS)}, a colon and an SL", text, at)
    sl = c_number(written)
    if sl not in _LIMITS["sl"]:
        raise _RefusedError("an SL of 0 to 15", written, at)
    terms: dict[str, tuple[str, ...]] = {"ulp": (name,)}
    term, _, values = rest[0].partition(" ") if rest else ("", "", "")
    if (term or None) not in _ULPS[name]:
        takes = ", ".join(each or "nothing" for each in _ULPS[name])
        raise _RefusedError(f"{name} with {takes}", rule, at)
    if term:
        listed = tuple(each.strip() for each in values.split(",") if each.strip())
        if not listed or not all(_RANGE.fullmatch(each) for each in listed):
            raise _RefusedError(f"{term}: numbers or ranges", values, at)
        terms[term] = listed
    return SmMatch(FrozenMap(terms), sl=sl if sl is not None else UNKNOWN, evidence=at)


def _validate(found: _Found, at: Evidence) -> None:
    """What OpenSM looks at once the file is read."""
    has_default = any(one.name.lower() == "default" for one in found.levels) or any(
        one.terms["ulp"] == ("default",) for one in found.ulps
    )
    if not has_default:
        raise _RefusedError("a level DEFAULT or a rule default", "none", at)
    levels = {one.name for one in found.levels}
    groups = {one.name for one in found.groups}
    for rule in found.rules:
        if rule.level not in levels and rule.level.lower() != "default":
            at = rule.places["qos-level-name"]
            raise _RefusedError(f"a level of {_listed(levels)}", rule.level, at)
        for key in ("source", "destination"):
            for name in rule.terms.get(key, ()):
                if name not in groups:
                    raise _RefusedError(
                        f"a port group of {_listed(groups)}", name, rule.places[key]
                    )


def _listed(names: set[str]) -> str:
    return ", ".join(sorted(names)) or "none"


def _tell_ignored(found: _Found, reading: Reading) -> None:
    seen: dict[str, Evidence] = {}
    for level in found.levels:
        first = seen.setdefault(level.name, level.evidence)
        if first != level.evidence:
            _ignored(
                reading,
                level.name,
                "each level once",
                f"{level.name}, as in line {first.line}",
                "one of the two is never used",
                level.evidence,
            )
    for key, text, at in _ranges(found):
        low, high = (c_number(each.strip()) or 0 for each in text.split("-"))
        if low > high:
            _ignored(reading, key, "a range from low to high", text, "it matches nothing", at)


def _ignored(
    reading: Reading, key: str, expected: str, written: str, effect: str, at: Evidence
) -> None:
    kind = SmMistake.POLICY_RULE_IGNORED
    reading.misread(kind, key, expected=expected, written=written, effect=effect, at=at)


def _ranges(found: _Found) -> Iterator[tuple[str, str, Evidence]]:
    terms: list[SmMatch | SmGroup] = [*found.ulps, *found.rules, *found.groups]
    for one in terms:
        for key, values in one.terms.items():
            if key in _NUMBERS or key.endswith(("guid", "port-num")):
                at = one.places.get(key, one.evidence)
                yield from ((key, text, at) for text in values if "-" in text)
