"""RESULTS.md by sections: a benchmark writes its own and leaves the others as they are."""

from __future__ import annotations

import os
import platform
from collections.abc import Iterable
from pathlib import Path

RESULTS = Path(__file__).resolve().parent / "RESULTS.md"
TITLE = "# Results\n\nEach section is written by the benchmark that its title names.\n"


def machine() -> str:
    """The machine in a line, with its load: other work makes wall times longer."""
    system = f"{platform.system()} {platform.release()}, Python {platform.python_version()}"
    load = os.getloadavg()[0]
    return f"{platform.machine()}, {os.cpu_count()} cores, {system}, load average {load:.1f}"


def put(title: str, lines: Iterable[str]) -> None:
    """Write one section anew."""
    text = RESULTS.read_text() if RESULTS.exists() else TITLE
    head, *sections = text.split("\n## ")
    kept = {one.partition("\n")[0]: one for one in sections}
    kept[title] = "\n".join([title, "", *lines, ""])
    RESULTS.write_text("\n## ".join([head.rstrip("\n") + "\n", *(kept[each] for each in kept)]))
    print(f"## {kept[title]}")
