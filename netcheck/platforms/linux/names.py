"""Finds the port and the RDMA device that a document is about."""

from __future__ import annotations

import re
from functools import lru_cache

from netcheck.model.document import Document

_PORT = re.compile(
    r"(?:mlnx_qos|lldptool) .*?i (?P<a>[\w.\-]+)|ethtool (?:-\w )?(?P<b>\w[\w.\-]*)|"
    r"\bdev (?P<c>[\w.\-]+)|"
    r"/sys/class/net/(?P<d>[\w.\-]+)/|roce/(?P<e>[\w.\-]+)\.sh|netcheck-roce@(?P<f>\S+?)\.service"
)
_RDMA = re.compile(
    r"/sys/class/infiniband/(?P<a>[\w.\-]+)/|-d (?P<b>[\w.\-]+)|link (?P<c>[\w.\-]+)/\d"
)
_TEXT_PORT = re.compile(
    r"^(?:Pause parameters for|Settings for) (?P<a>[\w.\-]+):|"
    r"^# netcheck: device \S+, port (?P<b>[\w.\-]+)|"
    r"^=+ show configuration for device (?P<c>\S+) /",
    re.MULTILINE,
)
_TEXT_RDMA = re.compile(
    r"^# netcheck: device \S+, port \S+, rdma (?P<a>[\w.\-]+)|"
    r"^=+ show configuration for device \S+ / (?P<b>\S+?)=+$",
    re.MULTILINE,
)
# "mlnx_qos_rail0.txt": what follows the tool's name, where it can be a netdev's name.
_FILE_PORT = re.compile(r"(?:mlnx_qos|ethtool(?:_[aS])?|ecn)_(?P<a>[A-Za-z][\w.\-]{0,14})\.txt")
_FILE_RDMA = re.compile(
    r"(?:traffic_class|ibv_devinfo|gids|hw_counters|cma_roce_tos|cma_roce_mode)_"
    r"(?P<a>(?:mlx5|bnxt_re|irdma|ionic|roce|rocep|rxe|ibp)\w*)\.txt"
)


def _first(match: re.Match[str] | None) -> str:
    return next((group for group in match.groups() if group), "") if match else ""


@lru_cache(maxsize=4096)
def _named_by(command: str) -> tuple[str, str]:
    return _first(_PORT.search(command)), _first(_RDMA.search(command))


def names_of(document: Document) -> tuple[str, str]:
    """Give ``(port, RDMA device)`` as the command or the text names them; empty where not."""
    if document.command:
        return _named_by(document.command)
    return _first(_TEXT_PORT.search(document.text)), _first(_TEXT_RDMA.search(document.text))


@lru_cache(maxsize=4096)
def names_from_file(path: str, device: str) -> tuple[str, str]:
    """Give the names that a file's name adds: the part that is not the device's own name."""
    name = path.rpartition("/")[2]
    port = _first(_FILE_PORT.fullmatch(name))
    rdma = _first(_FILE_RDMA.fullmatch(name))
    return ("" if port == device else port), rdma
