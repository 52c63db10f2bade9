"""Write the golden files again: ``python -m tests.platforms.cumulus.regenerate_golden``.

They prove nothing until a person has read what changed.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

from netcheck.platforms.cumulus.render import render
from tests.platforms.cumulus.cumulus_switch import BORDER_QOS, FABRIC, leaf, port

HERE: Final = Path(__file__).resolve().parent
GOLDEN: Final = {
    "leaf-5.17.yaml": leaf(
        port("swp1"), port("swp10", cable_m=40), port("swp2"), port("swp3s0", qos=BORDER_QOS)
    ),
    "leaf-5.14.yaml": leaf(port("swp1"), os_version="5.14.0"),
}


def rendered(name: str) -> str:
    """What the renderer gives today for one golden file."""
    return render(GOLDEN[name], FABRIC)["startup.yaml"]


def main() -> None:
    """Write every golden file."""
    for name in GOLDEN:
        (HERE / "golden" / name).write_text(rendered(name), encoding="utf-8")


if __name__ == "__main__":
    main()
