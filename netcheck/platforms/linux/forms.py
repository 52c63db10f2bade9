"""The forms of text this platform reads: how each is told, what it says, who reads it.

A command decides where it is known; else the content does. File names never do.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache

from netcheck.model.document import Document, DocumentKind
from netcheck.platforms.linux import (
    dcb,
    environment,
    ethtool,
    gids,
    ibv,
    ip_link,
    lldp,
    mlnx_qos,
    nic_template,
    rdma_tool,
    script,
    sysfs,
    tc,
    words,
)
from netcheck.platforms.linux.facts import Item, Page

Reader = Callable[[Page], Iterator[Item]]


@dataclass(frozen=True, slots=True)
class Form:
    """One form of text.

    Attributes:
        command: Matches the start of the command that prints it.
        content: Is found in the text where no command is known; None is never.
        reader: Gives what it says; ``unread`` where nothing in it can be used.
    """

    name: str
    kind: DocumentKind
    reader: Reader
    command: re.Pattern[str]
    content: Callable[[str], bool]


def unread(page: Page) -> Iterator[Item]:
    """Say of every line that it was recognised and not used."""
    yield from words.unread_lines(page)


def _found(pattern: str) -> Callable[[str], bool]:
    compiled = re.compile(pattern, re.MULTILINE)
    return lambda text: compiled.search(text) is not None


def _never(_: str) -> bool:
    return False


def _form(
    name: str,
    kind: DocumentKind,
    reader: Reader,
    command: str,
    content: str | Callable[[str], bool] = _never,
) -> Form:
    test = _found(content) if isinstance(content, str) else content
    return Form(name, kind, reader, re.compile(rf"(?:sudo )?(?:{command})"), test)


_CONFIG, _STATE = DocumentKind.CONFIG, DocumentKind.STATE
_COUNTERS, _JOB, _TABLE = DocumentKind.COUNTERS, DocumentKind.JOB, DocumentKind.TABLE

# Two columns that diff put side by side: neither column is whole.
_SIDE_BY_SIDE = r"^\s*[\w.]+: \d+\s+[|<>]\s+\S*"
_MLNX_QOS = (
    r"^DCBX mode: |^Priority trust state:|^Receive buffer size \(bytes\):|^\s*prio:[0-7] dscp:|"
    r"^tc: [0-7] ratelimit:"
)
_SCRIPT = (
    r"^# netcheck: device \S+, port |"
    r"^\s*(sudo )?(mlnx_qos .*(-i|--interface)[ =]\S+ .*-|cma_roce_tos .*-t |cma_roce_mode .*-m |"
    r"dcb (pfc|ets|app|dcbx) (set|add|replace|del|flush) dev |ethtool -A |"
    r"echo .*> */sys/class/(net/\S+/ecn|infiniband/\S+/tc)/)"
)
_SYSFS = r"^/sys/class/(infiniband|net)/\S+?(:| = |=)|^(gids|gid_attrs/\w+|hw_counters)/\w+:"
_RDMA_STATISTIC = (
    r"^\s*(link )?[\w.\-]+/\d+( [a-z]\w+ \d+)+\s*$|^link [\w.\-]+/\d+\s*\n\s+[a-z]\w+ \d+|"
    r'"ifname": ?"[^"]+", *\s*"port": ?\d+, *\s*"(?!state)[a-z]\w+": ?\d+'
)
_DCB_TEXT = (
    r"^(prio-pfc|tc-tsa|prio-tc|prio-buffer|buffer-size|dscp-prio) \S+:\S+|"
    r"^willing (on|off) ets-cap"
)
_DCB_JSON = (
    r'^\{"(pfc_cap|willing|prio_buffer|ethtype_prio|default_prio|dscp_prio|host|ieee|'
    r'tc_maxrate|dgram_port_prio)"'
)
_DCB_PRETTY = r'^ *"(prio_pfc|tc_tsa|prio_buffer|dscp_prio)": '
_ETHTOOL_S = (
    r"^NIC statistics:|^\s*[rt]x_(prio\d_(packets|bytes|pause|discards)|packets_phy|discards_phy|"
    r"priority_\d_xoff\.nic): \d*"
)
_HW_COUNTERS = (
    r"^\s*(local_ack_timeout_err|out_of_sequence|np_cnp_sent|rp_cnp_handled|packet_seq_err|"
    r"out_of_seq_request|rcvd_seq_err)[: ]+\d+"
)

FORMS: tuple[Form, ...] = (
    _form("side_by_side", _TABLE, unread, r"diff ", _SIDE_BY_SIDE),
    _form("mlnx_qos", _STATE, mlnx_qos.read_mlnx_qos, r"mlnx_qos -i \S+( -a)?$", _MLNX_QOS),
    _form("script", _CONFIG, script.read_script, r"cat /etc/netcheck/roce/", _SCRIPT),
    _form(
        "nic_template",
        _CONFIG,
        nic_template.read_nic_template,
        r"(?!)",
        r"^kind: NicConfigurationTemplate\s*$",
    ),
    _form("show_gids", _STATE, gids.read_show_gids, "show_gids", r"^DEV\s+PORT\s+INDEX\s+GID"),
    _form(
        "ibv_devinfo", _STATE, ibv.read_ibv_devinfo, "ibv_devinfo", r"^hca_id:|^\s*GID\[ *\d+\]:"
    ),
    _form("ibstat", _STATE, ibv.read_ibstat, r"ibstat(?!us)", r"^CA '[\w.\-]+'\s*$"),
    _form("ibstatus", _STATE, ibv.read_ibstatus, "ibstatus", r"^Infiniband device '\S+' port \d+"),
    _form("boot_id", _COUNTERS, sysfs.read_cat, r"cat /proc/sys/kernel/random/boot_id"),
    _form("sysfs_file", _STATE, sysfs.read_cat, r"cat /sys/\S+$"),
    _form(
        "hw_counters",
        _COUNTERS,
        sysfs.read_sysfs,
        r"grep -r?s?H \. /sys/class/infiniband/\S+counters",
        r"^/sys/class/infiniband/\S+?/(hw_)?counters/\w+[:=]",
    ),
    _form("sysfs", _STATE, sysfs.read_sysfs, r"grep -r?s?H \.", _SYSFS),
    _form("rdma_link", _COUNTERS, rdma_tool.read_links, r"rdma (-\w+ )*link", words.RDMA_LINK),
    _form(
        "rdma_statistic",
        _COUNTERS,
        rdma_tool.read_statistics,
        r"rdma (-\w+ )*stat",
        _RDMA_STATISTIC,
    ),
    _form("dcb", _STATE, dcb.read_dcb, r"dcb ", rf"{_DCB_TEXT}|{_DCB_JSON}|{_DCB_PRETTY}"),
    _form("ethtool_S", _COUNTERS, ethtool.read_statistics, r"ethtool -S", _ETHTOOL_S),
    _form("ethtool_a", _STATE, ethtool.read_pause, r"ethtool -a", r"^Pause parameters for "),
    _form("ethtool_i", _STATE, unread, r"ethtool -i", r"^driver: \w+\nversion: "),
    _form("ethtool", _STATE, ethtool.read_settings, r"ethtool \w", r"^Settings for \S+:"),
    _form("ip_link", _COUNTERS, ip_link.read_ip_link, r"ip (-\S+ )*link", words.IP_LINK),
    _form("tc_qdisc", _COUNTERS, tc.read_qdiscs, r"tc -s -j qdisc show dev "),
    _form("tc_filter", _COUNTERS, tc.read_filters, r"tc -s -j filter show dev "),
    _form("lldpctl", _STATE, lldp.read_lldpctl, r"lldpctl", r'^\{\s*"lldp": ?\{'),
    _form("hw_counter_list", _COUNTERS, words.read_counter_list, r"(?!)", _HW_COUNTERS),
    _form("cma_roce_tos", _STATE, words.read_cma_roce_tos, r"cma_roce_tos"),
    _form("cma_roce_mode", _STATE, words.read_cma_roce_mode, r"cma_roce_mode"),
    _form("lldpad", _STATE, words.read_process_count, r"pgrep -c -x lldpad"),
    _form("is_enabled", _STATE, words.read_is_enabled, r"systemctl is-enabled"),
    _form("unit", _CONFIG, words.read_nothing, r"cat \S+\.service$", r"^\[Unit\]"),
    _form(
        "udev_rules", _CONFIG, words.read_nothing, r"cat \S+\.rules$", r'^ACTION==.*SUBSYSTEM=="'
    ),
    _form(
        "mlxconfig",
        _STATE,
        unread,
        r"(mlx|mst)config",
        r"^\s*(\* +)?(ROCE_CC_PRIO_MASK_P1|CNP_DSCP_P1) ",
    ),
    _form("mlxreg", _STATE, unread, r"mlxreg", r"^roce_\w+ +\| 0x[0-9a-f]+"),
    _form(
        "lldptool",
        _STATE,
        lldp.read_lldptool,
        r"lldptool",
        r"^(PFC|ETS Configuration TLV)\n\s+[Ww]illing: ",
    ),
    _form(
        "rdma_modes",
        _STATE,
        unread,
        r"rdma statistic mode",
        r"^link \S+/\d+ (supported )?optional-counters ",
    ),
    _form("job", _JOB, environment.read_environment, r"(?!)", environment.is_job_text),
    _form("nccl_log", DocumentKind.LOG, unread, r"(?!)", r"\bNCCL (WARN|INFO) "),
    _form(
        "environment",
        _CONFIG,
        environment.read_environment,
        r"cat (/etc/nccl\.conf|/etc/profile\.d/)|env$|printenv",
        environment.is_environment,
    ),
)


@lru_cache(maxsize=4096)
def _by_command(command: str) -> Form | None:
    return next((form for form in FORMS if form.command.match(command)), None)


def form_of(document: Document) -> Form | None:
    """Give the form of a document, or None where it is not this platform's."""
    if document.command:
        form = _by_command(document.command)
        if form is not None:
            return form
    return next((form for form in FORMS if form.content(document.text)), None)
