from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import netcheck
from netcheck.lab.faults import fault_kinds

PACKAGE = Path(netcheck.__file__).parent


def imports(folder: Path) -> Iterator[tuple[Path, str]]:
    for path in sorted(folder.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.ImportFrom) and node.module:
                yield from ((path, f"{node.module}.{alias.name}") for alias in node.names)
            elif isinstance(node, ast.Import):
                yield from ((path, alias.name) for alias in node.names)


def test_simulated_devices_import_no_platform_and_no_policy() -> None:
    forbidden = ("netcheck.platforms", "netcheck.model", "netcheck.intent", "netcheck.rules")
    found = [row for row in imports(PACKAGE / "lab/devices") if row[1].startswith(forbidden)]
    assert found == []


def test_the_data_plane_imports_nothing_of_netcheck_but_itself() -> None:
    found = [
        row
        for row in imports(PACKAGE / "lossless/dataplane")
        if row[1].startswith("netcheck.") and not row[1].startswith("netcheck.lossless.dataplane")
    ]
    assert found == []


def test_the_data_plane_and_the_devices_know_no_fault_by_name() -> None:
    for folder in ("lossless/dataplane", "lab/devices"):
        for path in (PACKAGE / folder).rglob("*.py"):
            text = path.read_text("utf-8")
            assert [name for name in fault_kinds() if name in text] == []
