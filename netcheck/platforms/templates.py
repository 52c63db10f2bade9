"""Jinja2 as every platform uses it: strict, compiled once, and only loaded to render."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import jinja2


def templates_of(platform: str, **filters: Callable[..., object]) -> jinja2.Environment:
    """Give the environment of a platform's ``templates/``, with these filters.

    The files are part of the package and do not change while it runs, so that
    nobody looks for newer ones at every use.
    """
    import jinja2  # noqa: PLC0415 -- lint renders nothing

    environment = jinja2.Environment(
        loader=jinja2.PackageLoader(f"netcheck.platforms.{platform}"),
        undefined=jinja2.StrictUndefined,
        auto_reload=False,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        autoescape=False,  # noqa: S701 -- the output is a configuration, no page
    )
    environment.filters.update(filters)
    return environment
