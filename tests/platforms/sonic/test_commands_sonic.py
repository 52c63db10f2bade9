"""The commands that read a SONiC device, and what the allow-list refuses."""

import pytest

from netcheck.model.device import Device
from netcheck.model.document import DocumentKind
from netcheck.platforms.sonic.commands import commands, is_read_only


def test_every_command_is_on_the_allow_list() -> None:
    assert [c.line for c in commands(Device("leaf01")) if not is_read_only(c.line)] == []


def test_every_output_has_its_own_file() -> None:
    files = [c.file for c in commands(Device("leaf01"))]
    assert len(files) == len(set(files))


def test_perf_reads_only_the_counters_and_the_boot_id() -> None:
    lines = [c.line for c in commands(Device("l")) if c.kind is DocumentKind.COUNTERS]
    assert lines == ["cat /proc/sys/kernel/random/boot_id", "sonic-db-dump -n COUNTERS_DB -y"]


@pytest.mark.parametrize(
    "line",
    [
        "show pfc counters --history",
        "show queue counters Ethernet8 --json",
        "sonic-db-cli COUNTERS_DB HGETALL COUNTERS_PORT_NAME_MAP",
        "sonic-db-cli CONFIG_DB HGETALL 'PORT_QOS_MAP|Ethernet0'",
        "cat /usr/share/sonic/device/x86_64-nvidia_sn5600-r0/ACS-SN5600/pg_profile_lookup.ini",
    ],
)
def test_reading_commands_are_allowed(line: str) -> None:
    assert is_read_only(line)


@pytest.mark.parametrize(
    "line",
    [
        "",
        "config reload -y",
        "sudo config qos reload",
        "show ecn; config qos clear",
        "show ecn && reboot",
        "show ecn | tee /etc/sonic/config_db.json",
        "show ecn > /etc/sonic/config_db.json",
        "show ecn\nreboot",
        "show ecn\n",
        "show interfaces counters $(reboot)",
        "show interfaces counters `reboot`",
        "sonic-db-cli CONFIG_DB HSET 'PORT|Ethernet0' mtu 1500",
        "sonic-db-cli CONFIG_DB FLUSHDB",
        'sonic-db-dump -n COUNTERS_DB -k "$(reboot)" -y',
        "sonic-db-cli CONFIG_DB HGETALL PORT|reboot",
        "sonic-clear pfccounters",
        "cat /etc/shadow",
        "cat /usr/share/sonic/device/../../pg_profile_lookup.ini",
        "docker exec swss rm /usr/share/sonic/hwsku/pg_profile_lookup.ini",
        "ecnconfig -p AZURE_LOSSLESS -gmin 1",
    ],
)
def test_anything_else_is_refused(line: str) -> None:
    assert not is_read_only(line)
