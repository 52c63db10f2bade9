"""Types of a record's fields, for whoever builds records from data."""

from __future__ import annotations

from typing import Any, get_type_hints


def field_types(kind: Any) -> dict[str, Any]:  # Any: type forms
    """Give ``field name -> type`` of a record, its annotations resolved.

    Records of InfiniBand are named in annotations of others that load without them.
    """
    from netcheck.model import infiniband, subnet_manager  # noqa: PLC0415 -- a RoCE fabric needs neither

    later = {
        "IbSubnet": infiniband.IbSubnet,
        "SmConfig": subnet_manager.SmConfig,
    }
    return get_type_hints(kind, localns=later)
