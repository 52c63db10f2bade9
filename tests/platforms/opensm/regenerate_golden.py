"""Write the golden files again: ``python -m tests.platforms.opensm.regenerate_golden``."""

from pathlib import Path

from netcheck.platforms.opensm.render import render_subnet
from tests.platforms.opensm.opensm_subnets import VARIED, fabric_of

GOLDEN = Path(__file__).with_name("golden")
KINDS = ("everything", "services_by_protocol", "services_by_ends", "ftree_with_nodes")


def golden() -> dict[str, str]:
    """Give ``kind/file -> text``."""
    return {
        f"{kind}/{name}": text
        for kind in KINDS
        for name, text in render_subnet(fabric_of(VARIED[kind]), "s").items()
    }


if __name__ == "__main__":
    for name, text in golden().items():
        path = GOLDEN / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
