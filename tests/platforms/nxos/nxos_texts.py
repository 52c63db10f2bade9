"""Made-up NX-OS texts in the vendor's formats; all synthetic."""

from __future__ import annotations

import json
from typing import Any

from netcheck.model.device import Device
from netcheck.model.document import Document
from netcheck.platforms.nxos.parse import parse

CONFIG = """\
!Command: show running-config
version 10.3(4a) Bios:version 05.47
hostname leaf7
feature lldp

banner motd #
hostname not-this-one
#
priority-flow-control watch-dog-interval on
priority-flow-control watch-dog interval 200
priority-flow-control watch-dog shutdown-multiplier 2
class-map type qos match-any ROCE
  match dscp af31,24
class-map type qos match-any CNP
  match dscp cs6
policy-map type network-qos NET
  class type network-qos c-8q-nq3
    pause pfc-cos 3
    mtu 9216
  class type network-qos c-8q-nq-default
    mtu 9216
policy-map type qos IN
  class ROCE
    set qos-group 3
  class CNP
    set qos-group 7
  class class-default
    set qos-group 0
policy-map type queuing OUT
  class type queuing c-out-8q-q7
    priority level 1
  class type queuing c-out-8q-q3
    bandwidth remaining percent 60
    random-detect minimum-threshold 150 kbytes maximum-threshold 3 mbytes drop-probability 7 ecn
  class type queuing c-out-8q-q-default
    bandwidth remaining percent 40
policy-map type queuing PAUSES
  class type queuing c-in-q3
    pause buffer-size 101920 pause-threshold 46800 resume-threshold 34320
system qos
  service-policy type network-qos NET
  service-policy type queuing output OUT

interface port-channel5
  service-policy type qos input IN
  priority-flow-control mode on send-tlv

interface Ethernet1/1
  speed 100000
  mtu 9216
  priority-flow-control mode on
  priority-flow-control watch-dog-interval on disable-action
  service-policy type qos input IN
  service-policy type queuing input PAUSES
  no shutdown

interface Ethernet1/2-3
  channel-group 5 mode active
  mtu 9216

interface Ethernet1/4
  flowcontrol receive on
  shutdown
"""

PFC = """\
leaf7# show interface priority-flow-control
============================================================
Port               Mode Oper(VL bmap)  RxPPP      TxPPP
============================================================

Ethernet1/1        On   On  (8)        12         34
Ethernet1/2        Auto Off            0          0
Ethernet1/3/1      On   On  (18)       5          6
Vethernet9547      Auto Off            0          0
"""

QUEUING = """\

slot  1
=======


Egress Queuing for Ethernet1/1 [System]
------------------------------------------------------------------------------
QoS-Group# Bandwidth% PrioLevel                Shape                   QLimit
                                   Min          Max        Units
------------------------------------------------------------------------------
      7             -         1           -            -     -            9(D)
      3            60         -           -            -     -            9(D)
      0            40         -           -            -     -            9(D)
+-------------------------------------------------------------+
|                         QOS GROUP 0                         |
+-------------------------------------------------------------+
|                           |  Unicast       |Multicast       |
+-------------------------------------------------------------+
|                   Tx Pkts |             100|               7|
|                   Tx Byts |           64000|             700|
| WRED/AFD & Tail Drop Pkts |               4|               0|
+-------------------------------------------------------------+
|                         QOS GROUP 3                         |
+-------------------------------------------------------------+
|                           |  Unicast       |Multicast       |
+-------------------------------------------------------------+
|                   Tx Pkts |             900|               0|
|                   Tx Byts |         3600000|               0|
| WRED/AFD & Tail Drop Pkts |               0|               0|
+-------------------------------------------------------------+

Port Egress Statistics
--------------------------------------------------------
WRED Drop Pkts                              9

Ingress Queuing for Ethernet1/1
------------------------------------------------------------------------------
QoS-Group#                 Pause                        QLimit
           Buff Size       Pause Th      Resume Th
------------------------------------------------------------------------------
      7              -            -            -           10(D)
      3         101920        46800        34320           10(D)

Port Ingress Statistics
--------------------------------------------------------
Ingress MMU Drop Pkts                         11
Ingress MMU Drop Bytes                      1024

PFC Statistics
------------------------------------------------------------------------------
TxPPP:                    34,   RxPPP:                    12
------------------------------------------------------------------------------
 COS QOS Group        PG   TxPause   TxCount         RxPause         RxCount
   0         -         -  Inactive         0        Inactive               0
   3         3         3    Active        34        Inactive              12
------------------------------------------------------------------------------
"""

STUCK = """\
Ethernet1/1 Interface PFC watchdog: [Enabled]
Disable-action                     : Yes
PFC watch-dog interface-multiplier : 0
+----------------------------------------------------+
| QOS GROUP 3 [Active] PFC [YES] PFC-COS [3]
+----------------------------------------------------+
|                               |  Stats             |
+----------------------------------------------------+
|                       Shutdown|                   1|
|                       Restored|                   2|
|             Total pkts dropped|                   4|
+----------------------------------------------------+
"""


def queuing_json(ports: int = 1) -> dict[str, Any]:  # Any: JSON of a device
    """``show queuing interface | json`` of some ports; one row is an object, several are a list."""
    rows = [row for number in range(1, ports + 1) for row in _sides(f"Ethernet1/{number}")]
    module = {"module_number": "1", "TABLE_queuing_interface": {"ROW_queuing_interface": rows}}
    return {"TABLE_module": {"ROW_module": module}}


def _sides(port: str) -> list[dict[str, Any]]:
    stats = [
        {"eq-stat-type": "Tx", "eq-stat-units": "Pkts", "eq-uc-stat-value": "900"},
        {"eq-stat-type": "Tx", "eq-stat-units": "Byts", "eq-uc-stat-value": "3600000"},
        {"eq-stat-type": "ECN", "eq-stat-units": "Pkts", "eq-uc-stat-value": "5"},
    ]
    group = {
        "eq-qosgrp": "3",
        "TABLE_qosgrp_egress_stats_entry": {"ROW_qosgrp_egress_stats_entry": stats},
    }
    drops = {
        "ip-stat-type": "Ingress MMU Drop",
        "ip-stat-units": "Pkts",
        "ip-stat-value": "11",
    }
    sizes = {
        "qosgrp": "3",
        "buffer-size": "101920",
        "pause-threshold": "46800",
        "resume-threshold": "34320",
    }
    paused = {"cos": "3", "pfc-qosgrp": "3", "pfc-pg": "3", "tx-pause-state": "Active"}
    counted = {"tx-pause-count": "34", "rx-pause-state": "Inactive", "rx-pause-count": "12"}
    return [
        {
            "dir": "Egress",
            "if_name_str": port,
            "TABLE_qosgrp_egress_stats": {"ROW_qosgrp_egress_stats": group},
        },
        {
            "dir": "Ingress",
            "if_name_str": port,
            "TABLE_qosgrp_cfg": {"ROW_qosgrp_cfg": sizes},
            "TABLE_ingress_stats_entry": {"ROW_ingress_stats_entry": drops},
            "TABLE_pfc_stats": {"ROW_pfc_stats": paused | counted},
        },
    ]


INTERFACE = {
    "interface": "Ethernet1/1",
    "state": "up",
    "admin_state": "up",
    "eth_mtu": "9216",
    "eth_speed": "400 Gb/s",
    "eth_inucast": "10",
    "eth_outucast": "20",
    "eth_indiscard": "3",
    "eth_crc": "1",
}


def read(text: str, command: str = "", name: str = "output.txt") -> Device:
    """What the parser makes of one text."""
    return parse([Document(name, text, command=command)], name="leaf7")


def read_json(data: object) -> Device:
    """What the parser makes of one JSON output."""
    return read(json.dumps(data), name="output.json")
