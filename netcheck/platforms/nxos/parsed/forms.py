"""Which kind of NX-OS text a document is."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Final

from netcheck.model.document import Document
from netcheck.platforms.nxos.quirks import rows


class Form(StrEnum):
    """Kinds of texts; the value is the form's name in a Recognition."""

    CONFIG = "running-config"
    PFC = "show interface priority-flow-control"
    QUEUING = "show queuing interface"
    SUMMARY = "show queuing summary"
    PFC_QUEUE = "show queuing pfc-queue"
    POLICY = "show policy-map interface"
    DCBX = "show lldp dcbx"
    UPTIME = "show system uptime"
    VERSION = "show version"
    INTERFACE = "show interface"
    NEIGHBOURS = "show lldp neighbors detail"
    TABULAR = "show queuing tabular"
    DCBX_INFO = "show qos dcbxp info"


@dataclass(frozen=True, slots=True)
class Shape:
    """The form of a text and, where it is JSON, what it holds."""

    form: Form
    data: Any = None  # Any: JSON of a device


# Lines that only NX-OS has; OS10 writes `service-policy input type qos`, EOS has no `type` there.
_CONFIG: Final = re.compile(
    r"^ *(?:(?:policy|class)-map type (?:network-qos|control-plane) .*"
    r"|class type (?:network-qos|queuing) \S+|service-policy type (?:qos|queuing|network-qos) .*"
    r"|pause pfc-cos .*|(?:policy|class)-map type qos match-(?:any|all) .*"
    r"|priority-flow-control (?:watch-dog-interval (?:on|off)|watch-dog \S+ \d+|mode .*send-tlv)"
    r"|boot (?:nxos|kickstart|system) .*|feature (?:nxapi|interface-vlan|lldp|lacp|vpc)"
    r"|!RANCID-CONTENT-TYPE: cisco-nx)$",
    re.MULTILINE,
)
_FOREIGN: Final = re.compile(
    r"^(?:! *Command: show startup-config|service-policy input type|trust-map dscp|transceiver qsfp"
    r"|set interfaces |[ ]*qos-map|.*ets mode on$|qos (?:map|profile) | +(?:uc-|mc-)?tx-queue )",
    re.MULTILINE,
)
_HOST: Final = re.compile(r"^(?:hostname|switchname) ", re.MULTILINE)
_TEXTS: Final[tuple[tuple[re.Pattern[str], Form], ...]] = tuple(
    (re.compile(pattern, re.MULTILINE), form)
    for pattern, form in (
        (r"^Port +Mode +Oper ?\((?:VL bmap|sobm)\) +RxPPP +TxPPP", Form.PFC),
        (r"^ *Admin Mode: \w+[\s\S]{0,60}VL bitmap: ", Form.PFC),
        (
            r"Interface PFC watchdog:|^\|? *QOS GROUP \d \[\w+\] PFC|Global PFC watchdog",
            Form.PFC_QUEUE,
        ),
        (
            r"^ *(?:Ingress|Egress) Queuing for |queuing information:$|QOS GROUP \d +\|",
            Form.QUEUING,
        ),
        (r"^QoS-Group# +Bandwidth% +PrioLevel", Form.SUMMARY),
        (r"^ *Service-policy \((?:qos|queuing|network-qos)\) (?:input|output):", Form.POLICY),
        (r"^\S+ +Detected: *(?:CIN|CEE|IEEE)", Form.DCBX),
        (r"^System start time: ", Form.UPTIME),
    )
)
_KEYS: Final[Mapping[str, Form]] = {
    "sys_st_time": Form.UPTIME,
    "nxos_ver_str": Form.VERSION,
    "kickstart_ver_str": Form.VERSION,
    "TABLE_interface": Form.INTERFACE,
    "TABLE_nbor_detail": Form.NEIGHBOURS,
    "TABLE_dcbxp": Form.DCBX_INFO,
    "glb-wd-status": Form.PFC_QUEUE,
    "TABLE_pfc_interface": Form.PFC,
}
_COMMANDS: Final = re.compile(
    r"sh(?:ow?)? (?:(?P<config>run\S*)|.*?(?P<pfc>priority-flow-control)"
    r"|que\S* (?P<queue>pfc-queue)|que\S* (?P<tabular>tabular)|que\S* (?P<summary>summary)"
    r"|(?P<queuing>que\S*)|system (?P<uptime>uptime)|(?P<version>version)|lldp (?P<dcbx>dcbx)"
    r"|lldp (?P<neighbours>neighbors)|(?P<policy>policy-map)|(?P<interface>interface)).*"
)
_BY_COMMAND: Final = {
    "config": Form.CONFIG,
    "pfc": Form.PFC,
    "queue": Form.PFC_QUEUE,
    "tabular": Form.TABULAR,
    "summary": Form.SUMMARY,
    "queuing": Form.QUEUING,
    "uptime": Form.UPTIME,
    "version": Form.VERSION,
    "dcbx": Form.DCBX,
    "neighbours": Form.NEIGHBOURS,
    "policy": Form.POLICY,
    "interface": Form.INTERFACE,
}


def shape_of(document: Document) -> Shape | None:
    """Give the form of a text; None where it is none of NX-OS."""
    text = document.text
    if text.lstrip()[:1] in {"{", "["}:
        return _json_shape(text)
    if document.command.startswith("show running-config") and _HOST.search(text):
        return Shape(Form.CONFIG)
    for pattern, form in _TEXTS:
        if pattern.search(text):
            return Shape(form)
    if _CONFIG.search(text) and not _FOREIGN.search(text):
        return Shape(Form.CONFIG)
    return None


def commanded_form(command: str) -> Form | None:
    """The form that a command prints, whatever came of it.

    Example:
        >>> commanded_form("show queuing interface | json")
        <Form.QUEUING: 'show queuing interface'>
    """
    match = _COMMANDS.fullmatch(command)
    found = match.lastgroup if match else None
    return _BY_COMMAND[found] if found else None


def _json_shape(text: str) -> Shape | None:
    try:
        data = json.loads(text)
    except (ValueError, RecursionError):
        return _broken_shape(text)
    body = _body(data)
    if not isinstance(body, Mapping):
        return None
    form = _form_in(body)
    return Shape(form, body) if form else None


def _broken_shape(text: str) -> Shape | None:
    """Form of a JSON text that breaks off: told by its keys, and it says nothing else."""
    for key, form in _KEYS.items():
        if f'"{key}"' in text:
            return Shape(form)
    return Shape(Form.QUEUING) if '"TABLE_queuing_interface"' in text else None


def _body(data: Any) -> Any:  # Any: JSON of a device
    """What a command printed, out of the envelopes that NX-API puts around it."""
    for path in (("ins_api", "outputs", "output", "body"), ("result", "body"), ("body",)):
        found = data
        for key in path:
            found = found.get(key) if isinstance(found, Mapping) else None
        if found is not None:
            return found
    return data


def _form_in(body: Mapping[str, Any]) -> Form | None:
    found = next((form for key, form in _KEYS.items() if key in body), None)
    if found is not None:
        return found
    inner = [body, *rows(body, "module")]
    if any("TABLE_pfc_interface" in each for each in inner):
        return Form.PFC
    queuing = next((row for each in inner for row in rows(each, "queuing_interface")), None)
    if queuing is None:
        is_queuing = any("TABLE_queuing_interface" in each for each in inner)
        return Form.QUEUING if is_queuing else None
    is_tabular = any(key.startswith("tx_uc_") for key in queuing)
    return Form.TABULAR if is_tabular else Form.QUEUING
