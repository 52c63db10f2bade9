"""What is said of a subnet and its manager as the options of ``opensm.conf``."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from netcheck.model.guids import is_in
from netcheck.model.known import UNKNOWN, Known, is_known, known_or
from netcheck.platforms.opensm.dialects import (
    NO_FALLBACK,
    NVIDIA,
    engine_builds,
    keys,
    nearest,
)
from netcheck.platforms.opensm.rendered.tables import table_options
from netcheck.platforms.placeholders import placeholder, secret_keys
from netcheck.platforms.sm_subject import Subject, priority_of, secrets_of, uses_both

OPENSM: Final = "opensm.conf"
PARTITIONS: Final = "partitions.conf"
POLICY: Final = "qos-policy.conf"
ROOTS: Final = "root-guids.conf"
COMPUTE: Final = "compute-guids.conf"
IO: Final = "io-guids.conf"
NAMES: Final = "node-name-map.conf"
FILE_KEYS: Final = {
    PARTITIONS: "partition_config_file",
    POLICY: "qos_policy_file",
    ROOTS: "root_guid_file",
    COMPUTE: "cn_guid_file",
    IO: "io_guid_file",
    NAMES: "node_name_map_name",
}
ADAPTIVE: Final = {"updn": "ar_updn", "ftree": "ar_ftree", "dor": "ar_dor"}


def options_of(subject: Subject, files: frozenset[str]) -> list[tuple[str, str]]:
    """Give ``key, value`` of every option that is said, in the order of the option table."""
    subnet = subject.subnet
    said = dict(
        (
            *_identity(subject),
            *_routing(subject),
            *((key, subject.path(file)) for file, key in FILE_KEYS.items() if file in files),
            *table_options(subject),
        )
    )
    if uses_both(subject):
        said["allow_both_pkeys"] = "TRUE"
    # without qos TRUE every group and path gets SL 0, whatever its partition says
    has_levels = any(known_or(one.sl, 0) for one in subnet.partitions.values())
    if has_levels or POLICY in files or any(key.startswith("qos_") for key in said):
        said["qos"] = "TRUE"
    for key, value in subnet.options.items():
        _check_option(subject, key)
        said[key] = placeholder(value) if key in secret_keys("opensm") else value
    order = {key: number for number, key in enumerate(keys())}
    return sorted(said.items(), key=lambda pair: (order.get(pair[0], len(order)), pair[0]))


def _identity(subject: Subject) -> Iterator[tuple[str, str]]:
    subnet = subject.subnet
    priority = priority_of(subject)
    numbers: tuple[tuple[str, Known[int], str], ...] = (
        ("guid", _own_port(subject), "#018x"),
        ("m_key_lease_period", subnet.m_key_lease_s, "d"),
        ("m_key_protection_level", subnet.m_key_protection, "d"),
        ("subnet_prefix", subnet.subnet_prefix, "#018x"),
        ("lmc", subnet.lmc, "d"),
        ("sminfo_polling_timeout", subnet.poll_ms, "d"),
        ("polling_retry_number", subnet.poll_retries, "d"),
    )
    for key, value, form in numbers:
        if is_known(value):
            yield key, f"{value:{form}}"
    for key, reference in secrets_of(subnet):
        yield key, placeholder(reference)
    if is_known(priority):
        yield "sm_priority", str(priority)


def _own_port(subject: Subject) -> Known[int]:
    """The port to bind to, where the manager has one port in the subnet."""
    device = subject.fabric.devices.get(subject.manager)
    own = [
        rdma.port_guid
        for rdma in (device.rdma.values() if device else ())
        if is_in(subject.subnet, rdma, subject.fabric)
    ]
    return own[0] if len(own) == 1 else UNKNOWN


def _routing(subject: Subject) -> Iterator[tuple[str, str]]:
    subnet = subject.subnet
    is_adaptive = subnet.adaptive_routing is True
    if is_adaptive and subject.build != NVIDIA:
        reason = f"{subject.build} has no adaptive routing; opensm.build nvidia has"
        subject.refuse("adaptive-routing", "adaptive_routing", reason)
    if not is_known(subnet.routing):
        if is_adaptive:
            subject.refuse("adaptive-routing", "routing", "adaptive routing needs an engine")
        return
    if "ftree" in subnet.routing and known_or(subnet.lmc, 0) > 0:
        subject.refuse("ftree-lmc", "routing", "ftree routes with LMC 0 only, and fails silently")
    engines = [_engine(subject, name, is_adaptive=is_adaptive) for name in subnet.routing]
    yield "routing_engine", ",".join(engines)


def _engine(subject: Subject, name: str, *, is_adaptive: bool) -> str:
    engine = ADAPTIVE.get(name, name) if is_adaptive and subject.build == NVIDIA else name
    if engine != NO_FALLBACK and subject.build not in engine_builds().get(engine, ()):
        builds = ", ".join(engine_builds().get(engine, ())) or "no build"
        subject.refuse(
            "routing-engine", "routing", f"{subject.build} does not know {engine}; {builds} does"
        )
    return engine


def _check_option(subject: Subject, key: str) -> None:
    known = keys().get(key)
    if known is None:
        near = nearest(key)
        hint = f"; did you mean {near}" if near else ""
        subject.refuse("option-unknown", f"options.{key}", f"no build knows it{hint}")
    elif subject.build not in known.builds:
        builds = ", ".join(known.builds)
        subject.refuse(
            "option-unknown", f"options.{key}", f"{subject.build} does not know it; {builds} does"
        )
