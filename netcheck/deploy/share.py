"""Where playbooks, roles and inventories are: beside the package, or inside it when installed."""

from __future__ import annotations

from pathlib import Path

from netcheck.model.errors import InputError


def shared(folder: str) -> Path:
    """Give the folder ``playbooks``, ``roles``, ``inventories`` or ``examples``.

    Raises:
        InputError: It is in neither place: the installation is damaged.
    """
    package = Path(__file__).resolve().parents[1]
    for place in (package / "share" / folder, package.parent / folder):
        if place.is_dir():
            return place
    raise InputError(f"{package}: folder {folder} is missing; install netcheck again")


def collections_path() -> Path:
    """Give what ANSIBLE_COLLECTIONS_PATH has to be for the collection netcheck.fabric."""
    return Path(__file__).resolve().parents[1] / "ansible"
