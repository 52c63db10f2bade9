"""JSON that others wrote: whatever is wrong with it is a ValueError."""

from __future__ import annotations

import json
from typing import Any


def load_json(text: str) -> Any:  # Any: whatever the text says
    """Read a JSON text.

    Raises:
        ValueError: It is no JSON, or nested too deeply to be read.

    Example:
        >>> load_json('{"a": [1]}')
        {'a': [1]}
    """
    try:
        return json.loads(text)
    except RecursionError:
        raise ValueError("nested too deeply") from None
