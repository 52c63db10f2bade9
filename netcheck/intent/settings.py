"""Credentials, jobs, expectations, severities and suppressions as the intent states them."""

from __future__ import annotations

from collections.abc import Iterable

from netcheck.intent.fields import Fields, Layer
from netcheck.intent.units import PERCENT, TIME_NS
from netcheck.model.fabric import Credentials, Expectations, Suppression
from netcheck.model.frozenmap import FrozenMap
from netcheck.model.known import UNKNOWN, is_known, known_or


def build_credentials(root: Fields) -> FrozenMap[str, Credentials]:
    """Give the credentials by name; secrets stay references."""
    found = {}
    for name, fields in root.children("credentials").items():
        username = known_or(fields.verbatim("username"), "")
        found[name] = Credentials(
            name, username, fields.verbatim("password"), fields.verbatim("key")
        )
    return FrozenMap(found)


def build_jobs(root: Fields) -> FrozenMap[str, FrozenMap[str, str]]:
    """Give ``family -> variable -> value``; ``auto`` is left to completion."""
    jobs = root.child("jobs")
    families = dict.fromkeys(family for layer in jobs.layers for family in layer.node.mapping)
    return FrozenMap({family: FrozenMap(_variables(jobs.child(family))) for family in families})


def _variables(fields: Fields) -> dict[str, str]:
    return {
        name: str(node.value)
        for layer in fields.layers
        for name, node in layer.node.mapping.items()
    }


def build_expectations(root: Fields) -> Expectations:
    """Give what measurements have to reach."""
    fields = root.child("expect")
    latency = fields.exact("latency", TIME_NS)
    return Expectations(
        bandwidth_percent=fields.exact("bandwidth", PERCENT),
        latency_us=latency / 1000 if is_known(latency) else UNKNOWN,
        incast=fields.integer("incast"),
    )


def build_severities(root: Fields) -> FrozenMap[str, str]:
    """Give ``rule -> off|info|warning|error``."""
    return FrozenMap(_variables(root.child("rules")))


def build_suppressions(sections: Iterable[Layer], root: Fields) -> tuple[Suppression, ...]:
    """Give the findings that are accepted, in declared order."""
    found = []
    for section in sections:
        for number, entry in enumerate(section.node.items):
            path = f"suppress[{number}]"
            fields = Fields([Layer(entry, key_at=entry.at)], root.complaints, path)
            found.append(
                Suppression(
                    rule=known_or(fields.verbatim("rule"), ""),
                    where=known_or(fields.verbatim("where"), "*"),
                    reason=known_or(fields.verbatim("reason"), ""),
                    until=fields.verbatim("until"),
                    evidence=entry.at,
                )
            )
    return tuple(found)
