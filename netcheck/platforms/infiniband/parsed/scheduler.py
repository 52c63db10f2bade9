"""Reads Slurm's ``topology.conf``: a tree of switches with hosts at its leaves.

Source: Slurm topology.conf(5).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from netcheck.model.infiniband import SchedulerSwitch
from netcheck.platforms.infiniband.parsed.book import Book, Page

_FIELD: Final = re.compile(r"(\w+)\s*=\s*(\S+)")
_PART: Final = re.compile(r"[^,\[]*(?:\[[^\]]*\][^,\[]*)*")
_RANGE: Final = re.compile(r"(\d+)-(\d+)")
MAX_NAMES: Final = 1_000_000


def read_scheduler(page: Page, book: Book) -> None:
    """Read every ``SwitchName=`` line; upper and lower case are one in keys."""
    found = list(book.scheduler or ())
    for number, line in page.numbered():
        text = line.partition("#")[0].strip()
        if not text:
            continue
        fields = {name.lower(): value for name, value in _FIELD.findall(text)}
        at = page.at(number)
        try:
            hosts = tuple(expand(fields.get("nodes", "")))
            below = tuple(expand(fields.get("switches", "")))
        except ValueError as error:
            book.complain(at, "a list of hosts such as gpu[01-16]", str(error))
            continue
        if "switchname" in fields and (hosts or below):
            found.append(SchedulerSwitch(fields["switchname"], hosts, below, at))
        elif "blockname" not in fields:
            book.complain(at, "SwitchName with Nodes or Switches", text)
    book.scheduler = found


def expand(text: str) -> Iterator[str]:
    """Give the names of a list as Slurm writes it.

    Raises:
        ValueError: A range is damaged, or there are more than a million names.

    Example:
        >>> list(expand("gpu[01-03,7],login"))
        ['gpu01', 'gpu02', 'gpu03', 'gpu7', 'login']
    """
    count = 0
    for part in filter(None, _PART.findall(text)):
        for name in _expanded(part):
            count += 1
            if count > MAX_NAMES:
                raise ValueError(f"more than {MAX_NAMES} names")
            yield name


def _expanded(text: str) -> Iterator[str]:
    stem, bracket, rest = text.partition("[")
    if not bracket:
        yield text
        return
    inner, _, tail = rest.partition("]")
    for one in inner.split(","):
        run = _RANGE.fullmatch(one)
        if run is None and not one.isdecimal():
            raise ValueError(text[:60])
        first, last = (run[1], run[2]) if run else (one, one)
        if int(last) - int(first) > MAX_NAMES:
            raise ValueError(f"more than {MAX_NAMES} names")
        for number in range(int(first), int(last) + 1):
            for after in _expanded(tail):
                yield f"{stem}{number:0{len(first)}}{after}"
