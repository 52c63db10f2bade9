"""What to send to the maintainers after an internal error."""

from __future__ import annotations

import platform
import tempfile
import traceback
from collections.abc import Sequence
from pathlib import Path

from netcheck.report.tool import NAME, VERSION


def write_crash(error: BaseException, args: Sequence[str]) -> Path:
    """Write the traceback with versions and arguments to a file; give its path."""
    text = "\n".join(
        [
            f"{NAME} {VERSION}, Python {platform.python_version()}, {platform.platform()}",
            f"arguments: {' '.join(args)}",
            "",
            *traceback.format_exception(error),
        ]
    )
    with tempfile.NamedTemporaryFile(
        "w", encoding="utf-8", prefix="netcheck-crash-", suffix=".txt", delete=False
    ) as out:
        out.write(text)
    return Path(out.name)
