"""Services as ``qos-policy.conf``: ULP rules, port groups, levels and match rules."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from netcheck.model.known import is_known, known_or
from netcheck.model.subnets import IbMatch, IbQosLevel
from netcheck.platforms.ib_codes import mtu_code, rate_code
from netcheck.platforms.opensm.rendered.tables import default_level, default_sl
from netcheck.platforms.sm_subject import LOW_15, Subject, guid_text

Block = list[tuple[str, str]]
DEFAULT = "DEFAULT"
PORTED = frozenset({"sdp", "rds", "iser"})


@dataclass(slots=True)
class Content:
    """What the template places: ``rule -> SL``, and blocks of ``key: value`` lines."""

    ulps: list[tuple[str, int]] = field(default_factory=list)
    groups: list[Block] = field(default_factory=list)
    levels: list[Block] = field(default_factory=list)
    rules: list[Block] = field(default_factory=list)


def content_of(subject: Subject) -> Content | None:
    """Give the content of the policy; None where no service is said."""
    levels = subject.subnet.qos_levels
    if not levels:
        return None
    content = Content()
    default = default_level(subject.subnet)
    for one in levels.values():
        name = DEFAULT if one is default else one.name
        content.levels.append([("name", name), *_limits(subject, one)])
        for number, match in enumerate(one.matches, 1):
            _add_match(subject, content, one, name, match, number)
    if default is None:
        content.levels.insert(0, [("name", DEFAULT), ("sl", "0")])
    if content.ulps:
        content.ulps.append(("default", default_sl(subject.subnet)))
    return content


def _limits(subject: Subject, one: IbQosLevel) -> Iterator[tuple[str, str]]:
    place = f"qos {one.name}"
    yield "sl", str(one.sl)
    if is_known(one.mtu_limit):
        code = mtu_code(one.mtu_limit)
        if code is None:
            subject.refuse("ib-mtu", place, f"{one.mtu_limit} bytes is no InfiniBand MTU")
        yield "mtu-limit", str(code)
    if is_known(one.rate_limit):
        code = rate_code(one.rate_limit)
        if code is None:
            subject.refuse("ib-rate", place, f"{one.rate_limit} is no InfiniBand rate")
        yield "rate-limit", str(code)
    if is_known(one.packet_life):
        yield "packet-life", str(one.packet_life)


def _add_match(
    subject: Subject, content: Content, one: IbQosLevel, name: str, match: IbMatch, number: int
) -> None:
    place = f"qos {one.name} match {number}"
    pkey = _pkey(subject, match, place)
    if is_known(match.ulp):
        rule = _ulp_rule(subject, match, pkey, place)
        limits = (one.mtu_limit, one.rate_limit, one.packet_life)
        if any(is_known(each) for each in limits):
            subject.refuse("ulp-limits", place, "a ULP rule gives an SL and no limits")
        content.ulps.append((rule, one.sl))
        return
    block: Block = [("use", f"{one.name} {number}")]
    if is_known(match.qos_classes):
        block.append(("qos-class", ",".join(match.qos_classes)))
    for key, names in (("source", match.source), ("destination", match.destination)):
        if is_known(names):
            group = f"{one.name}-{number}-{key}"
            guids = subject.ports(names, place)
            content.groups.append(
                [("name", group), ("port-guid", ", ".join(map(guid_text, guids)))]
            )
            block.append((key, group))
    if is_known(match.service_ids):
        block.append(("service-id", ", ".join(match.service_ids)))
    if pkey:
        block.append(("pkey", pkey))
    if len(block) == 1:
        subject.refuse("match-empty", place, "a match says what it takes")
    content.rules.append([*block, ("qos-level-name", name)])


def _ulp_rule(subject: Subject, match: IbMatch, pkey: str, place: str) -> str:
    """Give the words before the colon; a rule takes one term besides the protocol."""
    ulp = known_or(match.ulp, "any")
    terms = [f"pkey {pkey}"] if pkey else []
    if is_known(match.port_numbers):
        terms.append(f"port-num {','.join(match.port_numbers)}")
    if is_known(match.service_ids):
        terms.append(f"service-id {','.join(match.service_ids)}")
    if is_known(match.destination):
        guids = subject.ports(match.destination, place)
        terms.append(f"target-port-guid {','.join(map(guid_text, guids))}")
    if is_known(match.source) or is_known(match.qos_classes) or not _fits(ulp, terms):
        found = ", ".join(terms) or "no term"
        subject.refuse("ulp-terms", place, f"a rule of {ulp} takes {_takes(ulp)}; found {found}")
    return ", ".join([ulp, *terms])


_TERMS = {"any": ("pkey", "service-id", "target-port-guid"), "ipoib": ("pkey",)}
_BARE = frozenset({"sdp", "rds", "iser", "ipoib"})


def _allowed(ulp: str) -> tuple[str, ...]:
    if ulp in PORTED:
        return ("port-num",)
    return _TERMS.get(ulp, ("target-port-guid",))


def _fits(ulp: str, terms: list[str]) -> bool:
    if not terms:
        return ulp in _BARE
    return len(terms) == 1 and terms[0].split()[0] in _allowed(ulp)


def _takes(ulp: str) -> str:
    return "one of " + ", ".join(_allowed(ulp))


def _pkey(subject: Subject, match: IbMatch, place: str) -> str:
    if not is_known(match.partition):
        return ""
    found = subject.subnet.partitions.get(match.partition)
    if found is None:
        subject.refuse("partition-unknown", place, f"partition {match.partition} is not declared")
        return ""
    return f"0x{found.pkey & LOW_15:04x}"
