"""Imports go one way only, and what must be independent is."""

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import networkx as nx
import pytest

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "netcheck"
# Inner layers first; a layer imports itself and what stands before it.
LAYERS = (
    {"model"},
    {"lossless"},
    {"rules", "compare", "intent", "platforms"},
    {"report", "deploy", "perf", "collect", "lab"},
    {"cli", "ansible", "api", "chain", "observed", "rehearse"},
)


def modules() -> Iterator[tuple[str, Path]]:
    for path in sorted(PACKAGE.rglob("*.py")):
        name = ".".join(path.relative_to(ROOT).with_suffix("").parts)
        if "ansible_collections" not in name:
            yield name.removesuffix(".__init__"), path


def imports_of(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and node.level == 0:
            is_submodule = all((ROOT / node.module / f"{a.name}.py").exists() for a in node.names)
            if node.module != "netcheck" or not is_submodule:
                yield node.module
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


@cache
def edges() -> tuple[tuple[str, str], ...]:
    known = dict(modules())
    return tuple(
        (name, target)
        for name, path in known.items()
        for target in imports_of(path)
        if target in known and target != name
    )


def part(module: str) -> str:
    words = module.split(".")
    return words[1] if len(words) > 1 else ""


def layer(module: str) -> int:
    return next((n for n, names in enumerate(LAYERS) if part(module) in names), -1)


def test_every_part_has_its_layer() -> None:
    unplaced = {part(name) for name, _ in modules() if part(name) and layer(name) < 0}
    assert unplaced == set()


def test_imports_point_inward() -> None:
    outward = [(a, b) for a, b in edges() if layer(a) < layer(b)]
    assert outward == []


def test_nothing_imports_the_package_root() -> None:
    assert [(a, b) for a, b in edges() if b == "netcheck"] == []


def test_there_is_no_cycle() -> None:
    components = nx.strongly_connected_components(nx.DiGraph(edges()))
    assert [sorted(found) for found in components if len(found) > 1] == []


@pytest.mark.parametrize(
    ("inner", "forbidden"),
    [
        ("netcheck.lab.devices", ("netcheck.platforms", "netcheck.intent", "netcheck.rules")),
        ("netcheck.lossless.dataplane", ("netcheck.model", "netcheck.platforms", "netcheck.lab")),
        ("netcheck.perf", ("netcheck.lab", "netcheck.lossless.dataplane")),
        ("netcheck.rules", ("netcheck.platforms", "netcheck.lab")),
        ("netcheck.compare", ("netcheck.platforms", "netcheck.lab")),
        ("netcheck.lab", ("netcheck.deploy", "netcheck.rules", "netcheck.compare")),
    ],
)
def test_what_must_be_independent_is(inner: str, forbidden: tuple[str, ...]) -> None:
    crossing = [(a, b) for a, b in edges() if a.startswith(inner) and b.startswith(forbidden)]
    assert crossing == []


def test_a_platform_never_imports_another() -> None:
    def platform(name: str) -> str:
        words = name.split(".")
        return words[2] if len(words) > 3 and words[1] == "platforms" else ""

    crossing = [(a, b) for a, b in edges() if platform(a) and platform(b) not in ("", platform(a))]
    assert crossing == []


def test_the_checks_see_the_imports_they_judge() -> None:
    assert ("netcheck.perf.verdict", "netcheck.model.finding") in edges()
    assert layer("netcheck.cli.main") > layer("netcheck.perf.verdict") > layer("netcheck.model.qos")
