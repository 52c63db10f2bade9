"""Synthetic SONiC texts for the reader's tests: one small switch, whole and in parts."""

from __future__ import annotations

import json
from typing import Any

from netcheck.model.device import Device
from netcheck.model.document import Document
from netcheck.platforms.sonic.parse import parse

Tables = dict[str, dict[str, dict[str, str]]]

LOOKUP = """\
# PG lossless profiles.
# speed cable size    xon    xoff   threshold
 100000    5m 65536  18432   47104   0
 400000   40m 303104 19456  283648   0
"""


def config() -> Tables:
    """A traditional switch with two lossless 400G ports and one 100G port without RDMA."""
    same = {str(n): str(n) for n in range(8)}
    return {
        "DEVICE_METADATA": {
            "localhost": {
                "hostname": "leaf1",
                "hwsku": "ACS-SN5600",
                "mac": "02:00:00:00:00:01",
                "buffer_model": "traditional",
            }
        },
        "PORT": {
            "Ethernet0": _port("400000", "1,2,3,4,5,6,7,8"),
            "Ethernet8": _port("400000", "9,10,11,12,13,14,15,16"),
            "Ethernet16": _port("100000", "17,18,19,20"),
        },
        "CABLE_LENGTH": {"AZURE": {"Ethernet0": "40m", "Ethernet8": "40m", "Ethernet16": "0m"}},
        "DSCP_TO_TC_MAP": {"ROCE": {str(n): {26: "3", 48: "6"}.get(n, "0") for n in range(64)}},
        "TC_TO_QUEUE_MAP": {"ROCE": same},
        "TC_TO_PRIORITY_GROUP_MAP": {"ROCE": {k: "3" if k == "3" else "0" for k in same}},
        "MAP_PFC_PRIORITY_TO_QUEUE": {"ROCE": same},
        "PORT_QOS_MAP": {
            "global": {"dscp_to_tc_map": "ROCE"},
            "Ethernet0": _binding(),
            "Ethernet8": _binding(),
        },
        "SCHEDULER": {
            "half": {"type": "DWRR", "weight": "50"},
            "strict": {"type": "STRICT"},
        },
        "WRED_PROFILE": {
            "ROCE": {
                "ecn": "ecn_all",
                "wred_green_enable": "true",
                "green_min_threshold": "150000",
                "green_max_threshold": "1500000",
                "green_drop_probability": "100",
            }
        },
        "QUEUE": {
            f"{port}|{queue}": fields
            for port in ("Ethernet0", "Ethernet8")
            for queue, fields in (
                ("0", {"scheduler": "half"}),
                ("3", {"scheduler": "half", "wred_profile": "ROCE"}),
                ("6", {"scheduler": "strict"}),
            )
        },
        "BUFFER_POOL": {
            "ingress_lossless_pool": {"type": "ingress", "mode": "dynamic", "size": "52161690"},
            "egress_lossless_pool": {"type": "egress", "mode": "dynamic", "size": "158229504"},
        },
        "BUFFER_PROFILE": {
            "ingress_lossy_profile": _profile("ingress_lossless_pool", "0", "3"),
            "egress_lossless_profile": _profile("egress_lossless_pool", "0", "7"),
            "pg_lossless_400000_40m_profile": {
                **_profile("ingress_lossless_pool", "303104", "0"),
                "xon": "19456",
                "xoff": "283648",
            },
        },
        "BUFFER_PG": {
            "Ethernet0|0": {"profile": "ingress_lossy_profile"},
            "Ethernet0|3": {"profile": "pg_lossless_400000_40m_profile"},
            "Ethernet8|3": {"profile": "pg_lossless_400000_40m_profile"},
        },
        "BUFFER_QUEUE": {
            "Ethernet0|3-4": {"profile": "egress_lossless_profile"},
            "Ethernet8|3-4": {"profile": "egress_lossless_profile"},
        },
        "PFC_WD": {
            "GLOBAL": {"POLL_INTERVAL": "200"},
            "Ethernet0": _watchdog(),
            "Ethernet8": _watchdog(),
        },
        "FLEX_COUNTER_TABLE": {"WRED_ECN_QUEUE": {"FLEX_COUNTER_STATUS": "enable"}},
    }


def _port(speed: str, lanes: str) -> dict[str, str]:
    return {"speed": speed, "lanes": lanes, "mtu": "9216", "admin_status": "up", "fec": "rs"}


def _binding() -> dict[str, str]:
    return {
        "dscp_to_tc_map": "ROCE",
        "tc_to_queue_map": "ROCE",
        "tc_to_pg_map": "ROCE",
        "pfc_to_queue_map": "ROCE",
        "pfc_enable": "3",
        "pfcwd_sw_enable": "3",
    }


def _profile(pool: str, size: str, alpha: str) -> dict[str, str]:
    return {"pool": pool, "size": size, "dynamic_th": alpha}


def _watchdog() -> dict[str, str]:
    return {"action": "drop", "detection_time": "200", "restoration_time": "400"}


def part(*names: str) -> Tables:
    """Only some tables of the switch."""
    whole = config()
    return {name: whole[name] for name in names}


def text_of(tables: Any) -> str:  # Any: whatever JSON a test wants to see read
    """JSON as sonic-cfggen prints it."""
    return json.dumps(tables, indent=4)


def read_tables(tables: Any, *more: Document) -> Device:  # Any: as above
    """Read one JSON text as a file, and what else is given."""
    return parse([Document("config_db.json", text_of(tables)), *more], name="leaf1")


def read_text(text: str, command: str = "", name: str = "text") -> Device:
    """Read one text."""
    return parse([Document(name, text, command)], name="leaf1")


def dump(hashes: dict[str, dict[str, str]]) -> str:
    """Hashes as ``sonic-db-dump -y`` prints them."""
    wrapped = {
        key: {"expireat": 1.5, "ttl": -0.001, "type": "hash", "value": value}
        for key, value in hashes.items()
    }
    return json.dumps(wrapped, indent=2, sort_keys=True)
