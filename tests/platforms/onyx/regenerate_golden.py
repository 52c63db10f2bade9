"""Write the golden configurations again: ``python -m tests.platforms.onyx.regenerate_golden``.

They prove nothing until a person has read what changed.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

from netcheck.intent import load_intent
from netcheck.intent.complete import complete
from netcheck.platforms.onyx.render import FILE, render

HERE: Final = Path(__file__).resolve().parent
INTENT: Final = HERE / "golden" / "managed.yaml"
# golden file -> device
GOLDEN: Final = {"managed-ibsw01.cfg": "ibsw01", "managed-ibsw02.cfg": "ibsw02"}


def rendered(name: str) -> str:
    """What the renderer gives today for one golden file."""
    fabric = complete(load_intent([INTENT], deployable=True))
    return render(fabric.devices[GOLDEN[name]], fabric)[FILE]


def main() -> None:
    """Write every golden file."""
    for name in GOLDEN:
        (HERE / "golden" / name).write_text(rendered(name), encoding="utf-8")


if __name__ == "__main__":
    main()
