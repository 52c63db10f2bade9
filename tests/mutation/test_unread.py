"""A leaf of the model is read by a rule, or stands in the table with the reason why not."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from pathlib import Path

import yaml

import netcheck
from netcheck.model import device, qos

PACKAGE = Path(netcheck.__file__).parent
TABLE: dict[str, str] = yaml.safe_load(Path(__file__).with_name("unread.yaml").read_text("utf-8"))
# what runs rules, and what fills the data plane, reads facts and judges none
NO_RULES = {"engine.py", "gather.py", "settle.py", "catalogue.py", "filled.py", "predict.py"}
RECORDS = [
    one
    for module in (qos, device)
    for one in vars(module).values()
    if isinstance(one, type) and is_dataclass(one) and one.__module__ == module.__name__
]
LEAVES = {f"{record.__name__}.{leaf.name}" for record in RECORDS for leaf in fields(record)}


def _sources() -> Iterator[Path]:
    yield from (PACKAGE / "rules").rglob("*.py")
    yield from (PACKAGE / "lossless").glob("*.py")
    # views turn some facts into others: a map of PCP into lossless classes
    yield PACKAGE / "model" / "view.py"
    yield PACKAGE / "model" / "cables.py"


def _read() -> set[str]:
    """Names that the code of rules asks a record for, by itself or as a word."""
    found: set[str] = set()
    for path in _sources():
        if path.name in NO_RULES:
            continue
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Attribute):
                found.add(node.attr)
            elif isinstance(node, ast.Constant) and isinstance(node.value, str):
                found.add(node.value)
    return found


def test_a_leaf_that_no_rule_reads_is_in_the_table_and_no_other() -> None:
    read = _read()
    unread = {leaf for leaf in LEAVES if leaf.rpartition(".")[2] not in read}
    assert unread == set(TABLE)


def test_every_row_says_why() -> None:
    assert [leaf for leaf, reason in TABLE.items() if len(reason.split()) < 5] == []
