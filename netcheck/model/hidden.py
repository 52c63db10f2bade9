"""What stands in the place of a secret that was taken out of a device's text."""

from __future__ import annotations

from typing import Final

HIDDEN: Final = "***"
