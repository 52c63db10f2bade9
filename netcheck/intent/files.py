"""Intent files: reading, includes, and merging several into one tree."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from netcheck.intent.check import check
from netcheck.intent.complaint import Complaints, IntentError
from netcheck.intent.nodes import MAX_BYTES, Node, decode, read_nodes
from netcheck.model.document import Evidence
from netcheck.model.errors import InputError
from netcheck.model.frozen import frozen

# kept for each file, because their paths are relative to it or their order counts
BY_FILE = ("include", "inventory", "links", "suppress")
MAX_FILES = 10_000


@frozen
class IntentFiles:
    """All files of an intent: the merged tree, and each file's own tree."""

    merged: Node
    roots: tuple[Node, ...]
    names: tuple[str, ...]


def read_files(paths: Iterable[str | Path], complaints: Complaints) -> IntentFiles:
    """Read files with what they include, check each by the schema, and merge them.

    Raises:
        InputError: A file is missing, no text, or enormous.
        IntentError: A file is no YAML or not a mapping.
    """
    waiting = [Path(path) for path in paths]
    seen: set[Path] = set()
    roots: list[Node] = []
    names: list[str] = []
    while waiting:
        path = waiting.pop(0)
        if path.resolve() in seen:
            continue
        seen.add(path.resolve())
        if len(seen) > MAX_FILES:
            raise InputError(f"{path}: more than {MAX_FILES} files are included")
        root = _read(path, complaints)
        roots.append(root)
        names.append(str(path))
        waiting = _included(root, path, complaints) + waiting
    if not roots:
        raise InputError("no intent given; expected at least one file")
    merged = roots[0]
    for root in roots[1:]:
        merged = _merge(merged, root, "", complaints)
    return IntentFiles(merged, tuple(roots), tuple(names))


def read_bytes(path: Path) -> bytes:
    """Give a file's bytes, one more than an intent may have at most.

    Raises:
        InputError: There is no such readable file.
    """
    try:
        with path.open("rb") as file:
            return file.read(MAX_BYTES + 1)
    except OSError as error:
        raise InputError(f"{path}: {error.strerror or error}") from error


def _read(path: Path, complaints: Complaints) -> Node:
    root = read_nodes(decode(read_bytes(path), str(path)), str(path), complaints)
    check(root, complaints)
    if not isinstance(root.value, dict):
        raise IntentError(complaints)
    return root


def _included(root: Node, path: Path, complaints: Complaints) -> list[Path]:
    node = root.mapping.get("include")
    found = []
    for one in (node.items or [node]) if node else []:
        targets = _files(path.parent, str(one.value))
        found += targets
        if not targets:
            target = path.parent / str(one.value)
            complaints.add(one.at, f"include: {target}: No such file or directory")
    return found


def _files(folder: Path, name: str) -> list[Path]:
    """The file of that name, else the files that match it as a glob, sorted."""
    if (folder / name).is_file():
        return [folder / name]
    is_glob = any(letter in name for letter in "*?[") and not Path(name).is_absolute()
    return sorted(path for path in folder.glob(name) if path.is_file()) if is_glob else []


def _merge(first: Node, second: Node, path: str, complaints: Complaints) -> Node:
    """Both trees in one; the same key with two values is a complaint."""
    if not (isinstance(first.value, dict) and isinstance(second.value, dict)):
        if _same(first, second):
            return first
        where = _line(first.at)
        complaints.add(second.at, f"{path}: said differently in {where}")
        return first
    merged = Node(dict(first.value), first.at, dict(first.key_at), first.size + second.size)
    for key, node in second.value.items():
        if key in BY_FILE and not path:
            continue
        inner = f"{path}.{key}" if path else key
        if key in first.value:
            merged.mapping[key] = _merge(first.value[key], node, inner, complaints)
        else:
            merged.mapping[key] = node
            merged.key_at[key] = second.key_at[key]
    return merged


def _same(first: Node, second: Node) -> bool:
    if isinstance(first.value, list) and isinstance(second.value, list):
        same_length = len(first.value) == len(second.value)
        return same_length and all(map(_same, first.value, second.value))
    return type(first.value) is type(second.value) and first.value == second.value


def _line(at: Evidence) -> str:
    return f"{at.file}:{at.line}"
