"""Intent files to an intended Fabric; what is not said stays UNKNOWN."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path

from netcheck.intent.builder import Builder
from netcheck.intent.bundles import by_members
from netcheck.intent.cabling import build_links
from netcheck.intent.complaint import Complaints
from netcheck.intent.devices import (
    build_aggregates,
    count_devices,
    device_fields,
)
from netcheck.intent.fields import Fields, Layer
from netcheck.intent.files import IntentFiles, read_files
from netcheck.intent.policies import build_policies
from netcheck.intent.references import (
    check_automatic,
    check_names,
    check_references,
)
from netcheck.intent.settings import (
    build_credentials,
    build_expectations,
    build_jobs,
    build_severities,
    build_suppressions,
)
from netcheck.intent.subnets import build_subnets
from netcheck.model.device import Device, Port
from netcheck.model.document import Evidence
from netcheck.model.fabric import Aggregate, Fabric, Link, Policy, PortRef
from netcheck.model.frozenmap import FrozenMap
from netcheck.model.known import UNKNOWN, Known, first_known, known_or


def load_intent(paths: str | Path | Sequence[str | Path], *, deployable: bool = False) -> Fabric:
    """Give the Fabric that one or several intent files describe.

    Args:
        paths: Files, merged in order with what they include.
        deployable: Whether everything that deployment needs has to be said.

    Raises:
        InputError: A file is missing, binary or enormous.
        IntentError: Carries everything that is wrong in the files.
    """
    loading = Loading(paths, deployable=deployable)
    loading.check()
    loading.complaints.raise_if_any()
    return loading.fabric


class Loading:
    """What intent files say, before it is known that every name in them is declared.

    Attributes:
        complaints: What is wrong so far.
    """

    def __init__(self, paths: str | Path | Sequence[str | Path], *, deployable: bool) -> None:
        self.complaints = Complaints()
        given = [paths] if isinstance(paths, (str, Path)) else paths
        files = read_files(given, self.complaints)
        self.fabric = _build(files, self.complaints)
        self._root = files.merged
        self._is_deployable = deployable

    def check(self) -> None:
        """Add a complaint for everything that is named and not declared."""
        check_names(self._root, self.complaints)
        check_automatic(self._root, self.complaints)
        check_references(self.fabric, self.complaints, deployable=self._is_deployable)


def _build(files: IntentFiles, complaints: Complaints) -> Fabric:
    count_devices(files.merged, complaints)
    root = Fields([Layer(files.merged, key_at=Evidence(files.names[0], 1))], complaints, "")
    roce = root.child("roce")
    policies = build_policies(roce)
    policy = _default_policy(roce, policies)
    fields = device_fields(root)
    aggregates = [one for name, inner in fields.items() for one in build_aggregates(name, inner)]
    links = build_links(_by_file(files, "links", complaints))
    links = by_members(links, aggregates, complaints)
    fabric = Fabric(
        name=known_or(root.verbatim("name"), Path(files.names[0]).stem),
        devices=_devices(fields, policy, links, aggregates),
        links=tuple(links),
        aggregates=tuple(aggregates),
        policies=policies,
        policy=policy,
        subnets=build_subnets(root.child("infiniband")),
        credentials=build_credentials(root),
        jobs=build_jobs(root),
        expect=build_expectations(root),
        severities=build_severities(root),
        suppressions=build_suppressions(_by_file(files, "suppress", complaints).layers, root),
        sources=files.names,
    )
    inventories = _by_file(files, "inventory", complaints)
    if not inventories.layers:
        return fabric
    from netcheck.intent.inventory import apply_inventories  # noqa: PLC0415 -- few intents have one

    return apply_inventories(fabric, inventories)


def _by_file(files: IntentFiles, key: str, complaints: Complaints) -> Fields:
    layers = [
        Layer(root.mapping[key], key=key, key_at=root.key_at[key])
        for root in files.roots
        if key in root.mapping
    ]
    return Fields(layers, complaints, key)


def _default_policy(roce: Fields, policies: FrozenMap[str, Policy]) -> Known[str]:
    """The fabric's policy as said, else the only one there is."""
    stated = roce.name("policy")
    only = next(iter(policies)) if len(policies) == 1 else UNKNOWN
    return only if stated is UNKNOWN else stated


def _devices(
    fields: dict[str, Fields],
    policy: Known[str],
    links: Iterable[Link],
    aggregates: Iterable[Aggregate],
) -> FrozenMap[str, Device]:
    linked: dict[str, dict[str, None]] | None = None
    builder = Builder()
    members = {(one.device, port): one.name for one in aggregates for port in one.members}
    devices = {}
    for name, inner in fields.items():
        device = builder.device(name, inner, policy)
        ports = device.ports
        if not ports:
            if linked is None:
                linked = _ports_by_device(end for link in links for end in (link.a, link.b))
            here = first_known(inner.name("policy"), policy)
            ports = FrozenMap({port: Port(port, policy=here) for port in linked.get(name, ())})
        ports = _with_aggregates(name, ports, members)
        devices[name] = device if ports is device.ports else replace(device, ports=ports)
    return FrozenMap(devices)


def _ports_by_device(ends: Iterable[PortRef]) -> dict[str, dict[str, None]]:
    found: dict[str, dict[str, None]] = {}
    for end in ends:
        found.setdefault(end.device, {})[end.port] = None
    return found


def _with_aggregates(
    device: str, ports: FrozenMap[str, Port], members: dict[tuple[str, str], str]
) -> FrozenMap[str, Port]:
    if not members:
        return ports
    return FrozenMap(
        {
            name: replace(port, aggregate=members.get((device, name), UNKNOWN))
            for name, port in ports.items()
        }
    )
