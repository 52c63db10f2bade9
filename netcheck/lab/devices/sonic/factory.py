"""What a switch holds when it comes out of its box.

Like an SN5600 with a few ports in use. The pools are smaller than a real
switch's (ACS-SN5600: 52 MB), so that a small incast fills them within the
milliseconds that are stepped through.
"""

from __future__ import annotations

from netcheck.lab.topology import LabDevice

Row = dict[str, str]
Tables = dict[str, dict[str, Row]]

LOSSLESS_POOL_BYTES = 13_945_824
LOSSY_POOL_BYTES = 4_580_864
EGRESS_POOL_BYTES = 27_891_648
MMU_BYTES = 158_229_504
PLATFORM = "x86_64-nvidia_sn5600-r0"
HWSKU = "ACS-SN5600"
CELL_BYTES = 192
# (highest speed in Mb/s, lanes): as SN5600 breakouts are
LANES = ((100_000, 1), (200_000, 2), (400_000, 4))
VERSION = "version_4_0_6"


def factory_tables(device: LabDevice, mac: str, index: int) -> Tables:
    """Give CONFIG_DB as it is before anybody configures the switch."""
    ports = [port.name for port in device.ports]
    return {
        "BGP_NEIGHBOR": {f"10.255.{index}.1": {"asn": "65100", "name": "ARISTA01T2"}},
        "BUFFER_PG": {f"{port}|0": {"profile": "ingress_lossy_profile"} for port in ports},
        "BUFFER_POOL": _pools(),
        "BUFFER_PORT_EGRESS_PROFILE_LIST": {
            port: {"profile_list": "egress_lossless_profile,egress_lossy_profile"} for port in ports
        },
        "BUFFER_PORT_INGRESS_PROFILE_LIST": {
            port: {"profile_list": "ingress_lossless_profile,ingress_lossy_profile"}
            for port in ports
        },
        "BUFFER_PROFILE": _profiles(),
        "BUFFER_QUEUE": {
            f"{port}|{queues}": {"profile": f"egress_{kind}_profile"}
            for port in ports
            for queues, kind in (("0-2", "lossy"), ("3-4", "lossless"), ("5-6", "lossy"))
        },
        "DEVICE_METADATA": {
            "localhost": {
                "bgp_asn": str(65000 + index % 500),
                "buffer_model": "traditional",
                "default_bgp_status": "up",
                "default_pfcwd_status": "disable",
                "hostname": device.name,
                "hwsku": HWSKU,
                "mac": mac,
                "platform": PLATFORM,
                "type": "LeafRouter" if device.role == "leaf" else "SpineRouter",
            }
        },
        "FLEX_COUNTER_TABLE": {
            name: {"FLEX_COUNTER_STATUS": "enable"}
            for name in ("PG_WATERMARK", "PORT", "QUEUE", "QUEUE_WATERMARK")
        },
        "LOOPBACK_INTERFACE": {"Loopback0": {}, f"Loopback0|10.254.{index}.1/32": {}},
        "PORT": {
            port.name: _port(port.name, port.speed_bps, place)
            for place, port in enumerate(device.ports)
        },
        "VERSIONS": {"DATABASE": {"VERSION": VERSION}},
    }


def _pools() -> dict[str, Row]:
    sizes = {
        "egress_lossless_pool": EGRESS_POOL_BYTES,
        "egress_lossy_pool": LOSSY_POOL_BYTES,
        "ingress_lossless_pool": LOSSLESS_POOL_BYTES,
        "ingress_lossy_pool": LOSSY_POOL_BYTES,
    }
    return {
        name: {"mode": "dynamic", "size": str(size), "type": name.partition("_")[0]}
        for name, size in sizes.items()
    }


def _profiles() -> dict[str, Row]:
    """Profiles that ports begin with.

    Source: sonic-net/sonic-buildimage device/mellanox/x86_64-mlnx_msn2700-r0 buffers_defaults.
    """
    thresholds = {
        "egress_lossless_profile": "7",
        "egress_lossy_profile": "7",
        "ingress_lossless_profile": "7",
        "ingress_lossy_profile": "3",
    }
    return {
        name: {
            "dynamic_th": threshold,
            "pool": name.replace("_profile", "_pool"),
            "size": "9216" if name == "egress_lossy_profile" else "0",
        }
        for name, threshold in thresholds.items()
    }


def _port(name: str, speed_bps: int, place: int) -> Row:
    speed = speed_bps // 1_000_000
    lanes = next((count for highest, count in LANES if speed <= highest), 8)
    digits = "".join(character for character in name if character.isdigit())
    first = int(digits or place * lanes) + 1
    return {
        "admin_status": "up",
        "alias": f"etp{place + 1}",
        "fec": "rs",
        "index": str(place + 1),
        "lanes": ",".join(str(first + lane) for lane in range(lanes)),
        "mtu": "9100",
        "speed": str(speed),
    }


def default_qos(ports: list[str]) -> Tables:
    """Give what ``config qos reload`` writes.

    Source: sonic-net/sonic-buildimage files/build_templates/qos_config.j2.
    """
    special = {3: 3, 4: 4, 5: 2, 8: 0, 46: 5, 48: 6}
    groups = {3: 3, 4: 4, 7: 7}
    same = {str(number): str(number) for number in range(8)}
    wred = {"ecn": "ecn_all"}
    for colour in ("green", "yellow", "red"):
        wred |= {
            f"wred_{colour}_enable": "true",
            f"{colour}_min_threshold": "1048576",
            f"{colour}_max_threshold": "2097152",
            f"{colour}_drop_probability": "5",
        }
    bindings = {
        "dscp_to_tc_map": "AZURE",
        "pfc_enable": "3,4",
        "pfc_to_pg_map": "AZURE",
        "pfc_to_queue_map": "AZURE",
        "pfcwd_sw_enable": "3,4",
        "tc_to_pg_map": "AZURE",
        "tc_to_queue_map": "AZURE",
    }
    return {
        "DSCP_TO_TC_MAP": {"AZURE": {str(dscp): str(special.get(dscp, 1)) for dscp in range(64)}},
        "MAP_PFC_PRIORITY_TO_QUEUE": {"AZURE": same},
        "PFC_PRIORITY_TO_PRIORITY_GROUP_MAP": {"AZURE": {"3": "3", "4": "4"}},
        "PORT_QOS_MAP": {port: dict(bindings) for port in ports},
        "QUEUE": {
            f"{port}|{queue}": {"scheduler": f"scheduler.{int(queue in (3, 4))}"}
            | ({"wred_profile": "AZURE_LOSSLESS"} if queue in (3, 4) else {})
            for port in ports
            for queue in range(7)
        },
        "SCHEDULER": {
            "scheduler.0": {"type": "DWRR", "weight": "14"},
            "scheduler.1": {"type": "DWRR", "weight": "15"},
        },
        "TC_TO_PRIORITY_GROUP_MAP": {"AZURE": {str(tc): str(groups.get(tc, 0)) for tc in range(8)}},
        "TC_TO_QUEUE_MAP": {"AZURE": same},
        "WRED_PROFILE": {"AZURE_LOSSLESS": wred},
    }
