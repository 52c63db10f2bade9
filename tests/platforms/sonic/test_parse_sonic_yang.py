"""SONiC's own YANG test cases against our reader: what SONiC refuses, we do not take in silence.

A case that upstream refuses must give a defect where the refused thing is a
malformed value, a missing mandatory field or a dangling reference in what we
read. Cases outside of that are listed below, each with its reason.
"""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from netcheck.model.device import Defect, DefectKind
from netcheck.model.document import Document
from netcheck.platforms.sonic.parse import parse

YANG = Path(__file__).resolve().parents[3].parent / "shared" / "yang" / "sonic"
pytestmark = pytest.mark.shared
WRONG = {
    DefectKind.MALFORMED_VALUE,
    DefectKind.MALFORMED_REFERENCE,
    DefectKind.DANGLING_REFERENCE,
    DefectKind.DUPLICATE_KEY,
}
# Families whose tables say nothing of how RDMA traffic is treated.
UNREAD = {"lldp"}
# Refused by YANG for something that this reader leaves to others.
NOT_OURS = {
    name: reason
    for reason, names in {
        "a field that decides nothing about RDMA traffic": """
            DEVICE_METADATA_TYPE_INCORRECT_PATTERN DEVICE_METADATA_INVALID_SUBTYPE
            DEVICE_METADATA_INVALID_PEER_SWITCH DEVICE_METADATA_INVALID_STORAGE_DEVICE
            DEVICE_METADATA_INCORRECT_VOQ_CONFIG DEVICE_METADATA_INVALID_DHCP_SERVER
            DEVICE_METADATA_SUPPRESS_PENDING_FIB_ENABLED_SYNCHRONOUS_MODE_DISABLED
            DEVICE_METADATA_INVALID_RACK_MGMT_MAP DEVICE_METADATA_INVALID_TIMEZONE
            DEVICE_METADATA_INVALID_CREATE_ONLY_CONFIG_DB_BUFFERS
            DEVICE_METADATA_INVALID_BGP_ROUTER_ID DEVICE_METADATA_VALID_T2_GROUP_ASNS_INVALID
            FLEX_COUNTER_TABLE_WITH_INVALID_POLL_INTERVAL
            FLEX_COUNTER_TABLE_WITH_INVALID_BULK_CHUNK_SIZE
            FLEX_COUNTER_TABLE_WITH_INVALID_ICMP_SESSION_POLL_INTERVAL_LOWER_BOUND
            FLEX_COUNTER_TABLE_WITH_INVALID_ICMP_SESSION_POLL_INTERVAL_UPPER_BOUND
            FLOW_COUNTER_ROUTE_PATTERN_TABLE_WITH_INVALID_MAX_MATCH_COUNT PORT_NEG_TEST
            PORT_INVLAID_MODE_TEST PORT_INVALID_ADVSPEEDS_TEST_1 PORT_INVALID_ADVSPEEDS_TEST_2
            PORT_INVALID_TYPE_TEST PORT_INVALID_ADVTYPES_TEST_1 PORT_INVALID_ADVTYPES_TEST_2
            PORT_INVALID_XCVR_FREQ_TEST PORT_INVALID_XCVR_TX_POWER_TEST
            PORT_INVALID_LINK_TRAINING_TEST PORT_INVALID_TPID_TEST PORT_INVALID_MUX_CABLE_TEST
            PORT_INVALID_MULTIASIC_TEST PORT_INVALID_SUBPORT_NUMBER PORT_INVALID_DOM_POLLING
            PORT_NO_LANES_NEGATIVE_TEST
        """,
        "the name of a row that is the only one of its table": """
            DEFAULT_LOSSLESS_BUFFER_PARAMETER_INVALID_NAME_TEST
            DEFAULT_LOSSLESS_BUFFER_PARAMETER_TOO_LONG_NAME_TEST
            LOSSLESS_TRAFFIC_PATTERN_INVALID_NAME_TEST LOSSLESS_TRAFFIC_PATTERN_TOO_LONG_NAME_TEST
        """,
        "two sound values that do not go together, which rules judge": """
            BUFFER_POOL_WRONG_PERCENTAGE_VALUE_WITH_SIZE PFC_WDOG_WITH_INVALID_DETECTION_TIME
            PFC_WDOG_WITH_INVALID_RESTORATION_TIME SCHEDULER_CBS_NO_CIR SCHEDULER_PIR_NO_CIR
            SCHEDULER_PIR_VS_CIR WRED_PROFILE_INVALID_GREEN_THRESHOLD
            WRED_PROFILE_INVALID_YELLOW_THRESHOLD WRED_PROFILE_INVALID_RED_THRESHOLD
        """,
        "a queue of another line card of a chassis": """
            VOQ_QUEUE_LOCAL_MISSING_PORT VOQ_QUEUE_LOCAL_BOGUS_PORT
            VOQ_QUEUE_MIXED_LOCAL_FAIL_REMOTE_PASS
        """,
    }.items()
    for name in names.split()
}


def _list_keys() -> dict[str, list[str]]:
    """Keys of each YANG list, by its name."""
    found = {}
    for path in YANG.glob("*.yang"):
        text = re.sub(r"//.*", "", path.read_text())
        for match in re.finditer(
            r"\blist (\w+) *\{(?:(?!\blist\b).)*?\bkey \"([^\"]+)\"", text, re.DOTALL
        ):
            found[match[1]] = match[2].split()
    return found


def _config_db(case: dict[str, Any], keys: dict[str, list[str]]) -> dict[str, Any]:
    """CONFIG_DB as the switch would hold what the case says."""
    tables: dict[str, Any] = {}
    for module in case.values():
        for qualified, content in module.items():
            table = qualified.split(":")[-1]
            if table == "DEVICE_NEIGHBOR":
                continue  # its model is not among the reference material
            rows = tables.setdefault(table, {})
            for name, value in content.items():
                if isinstance(value, list):
                    for item in value:
                        rows.update(_row(item, keys[name], keys))
                else:
                    rows[name.split(":")[-1]] = _fields(value, keys)
    tables.setdefault("DEVICE_METADATA", {}).setdefault("localhost", {}).setdefault("hwsku", "test")
    tables.setdefault("PORT", {"Other": {"speed": "1000", "lanes": "1"}})
    return tables


def _row(item: dict[str, Any], key: list[str], keys: dict[str, list[str]]) -> dict[str, Any]:
    name = "|".join(str(item[part]) for part in key)
    return {name: _fields({k: v for k, v in item.items() if k not in key}, keys)}


def _fields(values: dict[str, Any], keys: dict[str, list[str]]) -> dict[str, str]:
    fields: dict[str, str] = {}
    for name, value in values.items():
        if isinstance(value, list) and value and isinstance(value[0], dict):
            (inner,) = keys[name]
            for item in value:
                (other,) = [v for k, v in item.items() if k != inner] or [""]
                fields[str(item[inner])] = str(other)
        else:
            fields[name] = ",".join(map(str, value)) if isinstance(value, list) else _text(value)
    return fields


def _text(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _cases() -> list[Any]:
    if not YANG.is_dir():
        return []
    found = []
    for path in sorted(YANG.glob("tests/*.cases.json")):
        family = path.name.removesuffix(".cases.json")
        if family not in UNREAD:
            found += [
                pytest.param(family, name, case, id=name)
                for name, case in json.loads(path.read_text()).items()
            ]
    return found


@pytest.fixture(scope="module")
def keys(shared: Path) -> dict[str, list[str]]:
    return _list_keys() if shared else {}


@pytest.fixture(scope="module")
def configs(shared: Path) -> dict[str, Any]:
    found = {}
    for path in shared.glob("yang/sonic/tests/*.config.json"):
        found[path.name.removesuffix(".config.json")] = json.loads(path.read_text())
    return found


def _defects(case: dict[str, Any], keys: dict[str, list[str]]) -> list[Defect]:
    text = json.dumps(_config_db(case, keys), indent=4)
    device = parse([Document("config_db.json", text)], name="switch")
    return [defect for defect in device.defects if defect.kind in WRONG]


def _is_refused(case: dict[str, Any]) -> bool:
    return bool(case.get("eStr")) or case.get("eStrKey") not in {None, "Verify"}


@pytest.mark.parametrize(("family", "name", "case"), _cases())
def test_reader_agrees_with_upstream(
    family: str,
    name: str,
    case: dict[str, Any],
    keys: dict[str, list[str]],
    configs: dict[str, Any],
) -> None:
    if family not in configs or name not in configs[family]:
        pytest.skip(f"upstream gives no configuration for {name}")
    defects = _defects(configs[family][name], keys)
    if not _is_refused(case):
        assert defects == []
    elif name in NOT_OURS:
        assert defects == [], f"listed as {NOT_OURS[name]}, but a defect is given"
    else:
        assert defects != []
