"""Write the golden configurations again: ``python -m tests.platforms.eos.regenerate_golden``.

They prove nothing until a person has read what changed.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

from netcheck.intent import load_intent
from netcheck.intent.complete import complete
from netcheck.platforms.eos.render import render

HERE: Final = Path(__file__).resolve().parent
ROOT: Final = HERE.parents[2]
# golden file -> intent and device
GOLDEN: Final = {
    "small-leaf01.cfg": (ROOT / "examples" / "lab-small-eos.yaml", "leaf01"),
    "jericho-leaf01.cfg": (HERE / "golden" / "jericho.yaml", "leaf01"),
}


def rendered(name: str) -> str:
    """What the renderer gives today for one golden file."""
    intent, device = GOLDEN[name]
    fabric = complete(load_intent([intent], deployable=True))
    return render(fabric.devices[device], fabric)["running-config.txt"]


def main() -> None:
    """Write every golden file."""
    for name in GOLDEN:
        (HERE / "golden" / name).write_text(rendered(name), encoding="utf-8")


if __name__ == "__main__":
    main()
