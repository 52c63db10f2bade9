"""Texts in NVIDIA's formats, made up for the tests (synthetic)."""

from typing import Final

STARTUP: Final = """\
- header:
    model: SN5600
    nvue-api-version: nvue_v1
    rev-id: 1.0
    version: Cumulus Linux 5.14.0
- set:
    bridge:
      domain:
        br_default: {}
    interface:
      eth0:
        ip:
          address:
            dhcp: {}
        type: eth
      swp1-2:
        link:
          mtu: 9100
          speed: 400G
        lldp:
          dcbx-pfc-tlv: on
        qos:
          mapping:
            profile: backend
          pfc:
            profile: backend
          pfc-watchdog:
            state: enable
        type: swp
      swp3:
        type: swp
    qos:
      congestion-control:
        default-global:
          traffic-class:
            3,4:
              ecn: enable
              min-threshold: 200000
              max-threshold: 800000
              probability: 40
            '0':
              ecn: disable
      egress-queue-mapping:
        default-global:
          switch-priority:
            '5':
              traffic-class: 4
      egress-scheduler:
        default-global:
          traffic-class:
            '3':
              bw-percent: 60
              mode: dwrr
            '6':
              mode: strict
      mapping:
        backend:
          trust: l3
          dscp:
            '24':
              switch-priority: 0
      pfc:
        backend:
          switch-priority:
            '3': {}
          tx: enable
          rx: enable
          cable-length: 40
          port-buffer: 120000
          xoff-threshold: 20000
          xon-threshold: 1000
      pfc-watchdog:
        polling-interval: 200
        robustness: 5
      traffic-pool:
        default-lossless:
          memory-percent: 60
        default-lossy:
          memory-percent: 40
    system:
      hostname: leaf07
"""
LINES: Final = """\
nv set interface swp1-4,swp6 qos pfc profile my_pfc
nv set qos pfc my_pfc switch-priority 3,5
nv set qos pfc my_pfc cable-length 40
nv set qos mapping default-global trust l3
nv set qos mapping default-global dscp 10,21,36 switch-priority 0
nv set qos egress-scheduler default-global traffic-class 2,6 mode dwrr
nv set qos egress-scheduler default-global traffic-class 2,6 bw-percent 30
nv set qos egress-scheduler default-global traffic-class 7 mode strict
nv unset qos egress-scheduler default-global traffic-class 6
nv config apply
"""
FEATURES: Final = """\
# comments say nothing: pfc.port_group_list = [other]
traffic.packet_priority_source_set = [802.1p,dscp]
traffic.port_default_priority = 0
traffic.cos_3.priority_source.dscp = [26]
traffic.cos_0.priority_source.dscp = [0-25,27-47, 49-63]
traffic.cos_6.priority_source.dscp = [48]
traffic.cos_3.priority_source.8021p = [3]
traffic.packet_priority_remark_set = [dscp]
traffic.cos_1.priority_remark.dscp = [40]
pfc.port_group_list = [backend]
pfc.backend.port_set = swp1-swp2,swp5
pfc.backend.cos_list = [3]
pfc.backend.port_buffer_bytes = 25000
pfc.backend.xoff_size = 10000
pfc.backend.xon_delta = 2000
pfc.backend.tx_enable = true
pfc.backend.rx_enable = false
pfc.backend.cable_length = 10
pfc_watchdog.port_group_list = [wd]
pfc_watchdog.wd.port_set = swp1
default_ecn_red_conf.egress_queue_list = [3]
default_ecn_red_conf.ecn_enable = true
default_ecn_red_conf.red_enable = false
default_ecn_red_conf.min_threshold_bytes = 40000
default_ecn_red_conf.max_threshold_bytes = 200000
default_ecn_red_conf.probability = 100
egress_sched.port_group_list = [list1]
egress_sched.list1.port_set = allports
egress_sched.list1.egr_queue_3.bw_percent = 70
egress_sched.list1.egr_queue_7.bw_percent = 0
cos_egr_queue.cos_3.uc = 4
hash_config.enable = true
"""
INFRA: Final = """\
ingress_service_pool.0.percent = 50
ingress_service_pool.1.percent = 50.0
ingress_service_pool.1.mode = 1
egress_service_pool.1.infinite_flag = TRUE
flow_control.ingress_service_pool = 1
flow_control.egress_service_pool = 1
port.service_pool.1.ingress_buffer.reserved = 0
"""
COUNTERS_TEXT: Final = """\
Ingress Buffer Statistics
============================
    priority-group  rx-frames  rx-buffer-discards  rx-shared-buffer-discards
    --------------  ---------  ------------------  -------------------------
    0               17         0 Bytes             0 Bytes
    3               4000       12 Bytes            1.20 KB

Egress Queue Statistics
==========================
    traffic-class  tx-frames  tx-bytes  tx-uc-buffer-discards  wred-discards
    -------------  ---------  --------  ---------------------  -------------
    0              5          640       0 Bytes                0
    3              900        1.10 MB   7 Bytes                2

PFC Statistics
=================
    switch-priority  rx-pause-frames  rx-pause-duration  tx-pause-frames  tx-pause-duration
    ---------------  ---------------  -----------------  ---------------  -----------------
    3                11               250                13               90

Qos Port Statistics
======================
    Counter             Receive  Transmit
    ------------------  -------  --------
    ecn-marked-packets  n/a      21
    pause-frames        4        5
"""
COUNTERS_JSON: Final = """\
{
  "egress-queue-stats": {
    "3": {"tx-frames": 900, "tx-bytes": 1100000, "tx-uc-buffer-discards": 7,
          "wred-discards": 2, "ecn-marked-frames": 21}
  },
  "ingress-buffer-stats": {"3": {"rx-frames": 4000, "rx-buffer-discards": 12}},
  "pfc-stats": {"3": {"rx-pause-frames": 11, "tx-pause-frames": "13"}}
}
"""
ETHTOOL: Final = """\
NIC statistics:
     HwIfInOctets: 21870
     HwIfInUcastPkts: 100
     HwIfInDiscards: 3
     HwIfInBufferDrops: 2
     HwIfInErrors: 1
     HwIfInPfc3Pkt: 8
     HwIfOutPfc3Pkt: 9
     HwIfOutQDrops: 4
     SoftInErrors: 0
"""
WATCHDOG: Final = """\
                 operational  applied
---------------  -----------  -------
state            enabled      enabled

PFC WD Status
===========================
    traffic-class  status    deadlock-count
    -------------  --------  --------------
    0              OK        0
    3              DEADLOCK  2
"""
ROCE: Final = """\
                    operational  applied
------------------  -----------  --------
state               enabled      enabled
mode                lossless     lossless
pfc
  pfc-priority      3
  rx-enabled        enabled
  tx-enabled        disabled
  cable-length      40
congestion-control
  congestion-mode   ECN
  enabled-tc        0,3
  min-threshold     146.48 KB
  max-threshold     1.43 MB
  probability       100
trust
  trust-mode        pcp,dscp

RoCE PCP/DSCP->SP mapping configurations
===========================================
       pcp  dscp  switch-prio
    -  ---  ----  -----------
    0  3    26    3

RoCE SP->TC mapping and ETS configurations
=============================================
       switch-prio  traffic-class  scheduler-weight
    -  -----------  -------------  ----------------
    0  3            3              DWRR-50%
    1  6            6              strict-priority

RoCE pool config
===================
       name                   mode     size  switch-priorities  traffic-class
    -  ---------------------  -------  ----  -----------------  -------------
    0  lossy-default-ingress  Dynamic  50%   0,1,2,4,5,6,7      -
    1  roce-reserved-ingress  Dynamic  50%   3                  -

Exception List
=================
       description
    -  ---------------------------------------------
    1  RoCE PFC Priority Mismatch. Expected pfc-priority: 3.
"""
GROUPS: Final = """\
{
  "0": {"headroom": 19456, "lossy-lossless": "Lossy", "shared-max": "ALPHA_8"},
  "3": {"headroom": 98304, "reserved-size": 0, "lossy-lossless": "Lossless",
        "shared-max": "ALPHA_1", "xon-threshold": 19456, "xoff-threshold": 0}
}
"""
INTERFACES: Final = """\
{
  "eth0": {"link": {"mtu": 1500, "state": {"up": {}}}, "type": "eth"},
  "swp1": {
    "link": {"mtu": 9216, "speed": "400G", "oper-status": "up", "admin-status": "up"},
    "lldp": {"neighbor": {"spine01": {"chassis": {"system-name": "spine01"},
                                      "port": {"name": "swp4", "type": "ifname"}}}},
    "type": "swp"
  },
  "swp2": {"link": {"mtu": 9216, "state": {"down": {}}}, "lldp": {"neighbor": {}}}
}
"""
BOOT_ID: Final = "3f1c2b4a-0d5e-4f60-8a7b-9c8d7e6f5a4b\n"
REVISIONS: Final = """\
Rev ID  State              Apply ID       Apply Date           Type  User     Reason         Message
------  -----------------  -------------  -------------------  ----  -------  -------------  -------
1       applied_and_saved  rev_1_apply_1  2024-04-26 11:24:50  CLI   root     Config update  first
7       applied            rev_7_apply_1  2024-04-26 16:06:14  CLI   cumulus  Config update  second
"""
