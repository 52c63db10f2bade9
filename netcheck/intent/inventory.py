"""Addresses and logins from Ansible inventory files, YAML or INI."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import product
from pathlib import Path

from netcheck.intent.complaint import Complaints, IntentError
from netcheck.intent.fields import Fields
from netcheck.intent.files import read_bytes
from netcheck.intent.nodes import Node, decode, read_nodes
from netcheck.model.device import Device
from netcheck.model.errors import InputError
from netcheck.model.fabric import Credentials, Fabric
from netcheck.model.frozenmap import FrozenMap
from netcheck.model.known import UNKNOWN, Known, first_known, is_known

_RANGE = re.compile(r"\[([0-9]+|[a-zA-Z]):([0-9]+|[a-zA-Z])(?::([0-9]+))?\]")
_LOOKUP = re.compile(
    r"""\{\{\s*(?:lookup|query)\(\s*['"](?:ansible\.builtin\.)?env['"]\s*,\s*['"](\w+)['"]\s*\).*\}\}"""
)
MAX_HOSTS = 200_000
ADDRESS = ("ansible_host", "ansible_ssh_host")
PORT = ("ansible_port", "ansible_ssh_port")
USER = ("ansible_user", "ansible_ssh_user")
PASSWORD = ("ansible_password", "ansible_ssh_pass", "ansible_ssh_password")
KEY = ("ansible_ssh_private_key_file", "ansible_private_key_file")


@dataclass(slots=True)
class Group:
    """One inventory group: its variables, hosts with theirs, and child groups."""

    variables: dict[str, str] = field(default_factory=dict)
    hosts: dict[str, dict[str, str]] = field(default_factory=dict)
    children: list[str] = field(default_factory=list)


Groups = dict[str, Group]


def apply_inventories(fabric: Fabric, section: Fields) -> Fabric:
    """Fill addresses and logins that the intent does not state from its inventories.

    Only hosts that are devices of the intent count. Names for credentials that
    come from here are ``inventory-USER`` or, where they differ by host,
    ``inventory-HOST``.
    """
    for layer in section.layers:
        for node in layer.node.items or [layer.node]:
            path = Path(node.at.file).parent / str(node.value)
            try:
                hosts = read_inventory(path)
            except IntentError:
                raise
            except InputError as error:
                section.complaints.add(node.at, f"inventory: {error}")
                continue
            fabric = _applied(fabric, hosts, node, section.complaints)
    return fabric


def read_inventory(path: Path) -> dict[str, dict[str, str]]:
    """Give ``host -> variables``; what is nearer to the host wins.

    Raises:
        InputError: The file is missing, is no text or no inventory.
    """
    text = decode(read_bytes(path), str(path))
    if path.suffix in {".yml", ".yaml", ".json"}:
        groups = _yaml_groups(text, str(path))
    else:
        groups = _ini_groups(text, str(path))
    return _resolved(groups)


def _yaml_groups(text: str, name: str) -> Groups:
    complaints = Complaints()
    root = read_nodes(text, name, complaints, any_tag=True)
    complaints.raise_if_any()
    groups: Groups = {}
    for group, node in root.mapping.items():
        _yaml_group(groups, group, node)
    return groups


def _yaml_group(groups: Groups, name: str, node: Node) -> None:
    group = groups.setdefault(name, Group())
    group.variables |= _yaml_variables(node.mapping.get("vars"))
    for pattern, host in _mapping(node, "hosts"):
        for one in expand_hosts(pattern):
            group.hosts.setdefault(one, {}).update(_yaml_variables(host))
    for child, inner in _mapping(node, "children"):
        group.children.append(child)
        _yaml_group(groups, child, inner)


def _mapping(node: Node, key: str) -> list[tuple[str, Node]]:
    inner = node.mapping.get(key)
    return list(inner.mapping.items()) if inner else []


def _yaml_variables(node: Node | None) -> dict[str, str]:
    items = node.mapping.items() if node else ()
    return {key: str(one.value) for key, one in items if isinstance(one.value, (str, int))}


def _ini_groups(text: str, name: str) -> Groups:
    groups: Groups = {"ungrouped": Group()}
    group, kind = "ungrouped", "hosts"
    for number, raw in enumerate(text.splitlines(), 1):
        line = raw.strip()
        if not line or line[0] in "#;":
            continue
        if line.startswith("["):
            header = re.fullmatch(r"\[([^\]:]+)(?::(vars|children|hosts))?\]\s*([#;].*)?", line)
            if header is None:
                raise InputError(f"{name}:{number}: not a section header: {line[:60]}")
            group, kind = header.group(1), header.group(2) or "hosts"
            groups.setdefault(group, Group())
        else:
            _ini_line(groups[group], kind, line, f"{name}:{number}")
    return groups


def _ini_line(group: Group, kind: str, line: str, place: str) -> None:
    if kind == "vars":
        key, equals, value = line.partition("=")
        if not equals:
            raise InputError(f"{place}: expected name=value")
        group.variables[key.strip()] = _unquoted(value.strip())
    elif kind == "children":
        group.children.append(line.split(maxsplit=1)[0])
    else:
        try:
            pattern, *pairs = shlex.split(line, comments=True)
        except ValueError as error:
            raise InputError(f"{place}: {error}") from error
        variables = dict(pair.split("=", 1) for pair in pairs if "=" in pair)
        for host in expand_hosts(pattern):
            group.hosts.setdefault(host, {}).update(variables)


def _unquoted(value: str) -> str:
    is_quoted = len(value) > 1 and value[0] == value[-1] and value[0] in "'\""
    return value[1:-1] if is_quoted else value


def expand_hosts(pattern: str) -> list[str]:
    """Give the hosts of an Ansible pattern such as ``leaf[01:16]``.

    Raises:
        InputError: It stands for too many hosts.

    Example:
        >>> expand_hosts("leaf[08:10]")
        ['leaf08', 'leaf09', 'leaf10']
    """
    pieces = _RANGE.split(pattern)
    columns = [_column(*pieces[n : n + 3]) for n in range(1, len(pieces), 4)]
    literals = pieces[::4]
    count = 1
    for column in columns:
        count *= len(column)
    if count > MAX_HOSTS:
        raise InputError(f"{pattern}: stands for more than {MAX_HOSTS} hosts")
    return [
        literals[0] + "".join(map("".join, zip(chosen, literals[1:], strict=True)))
        for chosen in product(*columns)
    ]


def _column(first: str, last: str, step: str | None) -> list[str]:
    stride = max(1, int(step or 1))
    if first.isdigit() != last.isdigit():
        return []
    if first.isdigit():
        width = len(first) if first.startswith("0") else 0
        low, high = int(first), min(int(last), int(first) + MAX_HOSTS * stride + 1)
        return [str(number).zfill(width) for number in range(low, high + 1, stride)]
    return [chr(code) for code in range(ord(first), ord(last) + 1, stride)]


def _resolved(groups: Groups) -> dict[str, dict[str, str]]:
    """Variables of each host: of ``all``, then of groups from outer to inner, then its own."""
    found: dict[str, dict[str, str]] = {}
    for name in _outer_first(groups):
        for host in _hosts_below(groups, name, set()):
            found.setdefault(host, {}).update(groups[name].variables)
    for group in groups.values():
        for host, variables in group.hosts.items():
            found.setdefault(host, {}).update(variables)
    everyone = groups["all"].variables if "all" in groups else {}
    return {host: {**everyone, **variables} for host, variables in found.items()}


def _outer_first(groups: Groups) -> list[str]:
    depth = dict.fromkeys(groups, 0)
    for _ in groups:
        for name, group in groups.items():
            for child in group.children:
                if depth.get(child, 0) <= depth[name] < len(groups):
                    depth[child] = depth[name] + 1
    return sorted((name for name in groups if name != "all"), key=lambda name: depth[name])


def _hosts_below(groups: Groups, name: str, seen: set[str]) -> Iterator[str]:
    if name in seen or name not in groups:
        return
    seen.add(name)
    yield from groups[name].hosts
    for child in groups[name].children:
        yield from _hosts_below(groups, child, seen)


def _applied(
    fabric: Fabric, hosts: Mapping[str, Mapping[str, str]], node: Node, complaints: Complaints
) -> Fabric:
    devices: dict[str, Device] = {}
    logins: dict[str, Credentials] = {}
    for name, device in fabric.devices.items():
        variables = hosts.get(name)
        if variables is None:
            continue
        login = (
            UNKNOWN if is_known(device.credentials) else _login(name, variables, node, complaints)
        )
        if is_known(login):
            logins[login.name] = login
        port = _first(variables, PORT)
        devices[name] = replace(
            device,
            mgmt=first_known(device.mgmt, _first(variables, ADDRESS)),
            mgmt_port=first_known(device.mgmt_port, _number(port)),
            credentials=login.name if is_known(login) else device.credentials,
        )
    return replace(
        fabric,
        devices=fabric.devices.with_items(devices),
        credentials=FrozenMap({**logins, **fabric.credentials}),
    )


def _first(variables: Mapping[str, str], names: tuple[str, ...]) -> Known[str]:
    return next((variables[name] for name in names if name in variables), UNKNOWN)


def _number(text: Known[str]) -> Known[int]:
    return int(text) if is_known(text) and text.isdigit() else UNKNOWN


def _login(
    host: str, variables: Mapping[str, str], node: Node, complaints: Complaints
) -> Known[Credentials]:
    user = _first(variables, USER)
    if not is_known(user):
        return UNKNOWN
    password = _first(variables, PASSWORD)
    key = _first(variables, KEY)
    reference: Known[str] = UNKNOWN
    if is_known(password):
        match = _LOOKUP.fullmatch(password.strip())
        if match is None:
            complaints.add(
                node.at,
                f"inventory: {host}: its password is a plain or encrypted value; expected"
                " lookup('env', NAME), or credentials in the intent",
            )
            return UNKNOWN
        reference = f"env:{match.group(1)}"
    key_file: Known[str] = f"file:{key}" if is_known(key) else UNKNOWN
    parts = [user, *(str(one) for one in (reference, key_file) if is_known(one))]
    name = "inventory-" + "-".join(re.sub(r"[^A-Za-z0-9_.-]+", "_", part) for part in parts)
    return Credentials(name, user, reference, key_file)
