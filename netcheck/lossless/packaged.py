"""Data files that the package carries.

Read by ``pkgutil``: ``importlib.resources`` brings in archives, temporary files
and random numbers, a tenth of the time that ``lint`` of a small intent takes.
"""

from __future__ import annotations

import pkgutil
from typing import Any

import yaml

from netcheck.model.errors import InputError

# libyaml is in every wheel of PyYAML and ten times as fast as its Python twin.
_Loader: type[yaml.CSafeLoader | yaml.SafeLoader] = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


def packaged_text(package: str, path: str) -> str:
    """Give the text of one file of a package.

    Args:
        package: Dotted name of the package that holds the file.
        path: Place below the package's folder, with ``/``.

    Raises:
        InputError: There is no such file.
    """
    try:
        data = pkgutil.get_data(package, path)
    except OSError:
        data = None
    if data is None:
        raise InputError(f"{package}: has no {path}")
    return data.decode()


def load_yaml(text: str) -> Any:  # Any: the shape is the document's own
    """Give a YAML text as dictionaries, lists and scalars.

    Raises:
        yaml.YAMLError: The text is no YAML.
    """
    return yaml.load(text, Loader=_Loader)  # noqa: S506 -- both are safe loaders


def packaged_yaml(package: str, path: str) -> Any:  # Any: as load_yaml
    """Give the contents of one YAML file of a package.

    Raises:
        InputError: There is no such file.
    """
    return load_yaml(packaged_text(package, path))
