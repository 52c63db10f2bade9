"""Texts in the forms of EOS, made up for the tests (synthetic)."""

from __future__ import annotations

import json
from typing import Any, Final

HEADER: Final = (
    "! Command: show running-config\n! device: leaf01 (DCS-7060X6-64PE, EOS-4.33.1F)\n!\n"
)
ROCE: Final = (
    HEADER
    + """hostname leaf01
!
qos map dscp 24 26 to traffic-class 3
qos map traffic-class 6 to tx-queue 5
!
qos profile ROCE
   qos trust dscp
   priority-flow-control on
   priority-flow-control priority 3 no-drop
   priority-flow-control pause watchdog port action drop
   priority-flow-control pause watchdog port timer timeout 0.20 polling-interval auto \
recovery-time 0.40
   !
   uc-tx-queue 3
      bandwidth percent 60
      no priority
      bandwidth guaranteed percent 5
      random-detect ecn minimum-threshold 256 kbytes maximum-threshold 2 mbytes \
max-mark-probability 20
   !
   uc-tx-queue 5
      shape rate 5000 kbps
!
interface Port-Channel7
   no switchport
   service-profile ROCE
!
interface Ethernet1/1
   description gpu01
   mtu 9202
   speed 400g-4
   no switchport
   flowcontrol receive on
   service-profile ROCE
   !
   uc-tx-queue 3
      random-detect ecn count
!
interface Ethernet2/1
   shutdown
   error-correction encoding reed-solomon
   dcbx mode cee
!
interface Ethernet3/1
   channel-group 7 mode active
!
interface Management1
   mtu 1500
!
end
"""
)
# Own lines of a port go before its profile, a policy map before the DSCP map.
OWN_LINES: Final = (
    HEADER
    + """hostname leaf01
!
qos profile ROCE
   qos trust dscp
   priority-flow-control on
   priority-flow-control priority 3 no-drop
!
class-map type qos match-any RDMA
   match dscp 24-26
!
policy-map type quality-of-service CLASSIFY
   class RDMA
      set traffic-class 3
   !
   class class-default
      set traffic-class 0
!
interface Ethernet1/1
   no switchport
   qos trust cos
   no priority-flow-control
   service-profile ROCE
!
interface Ethernet2/1
   no switchport
   service-policy type qos input CLASSIFY
   service-profile ROCE
!
interface Ethernet3/1
   no switchport
   service-policy type qos input NOWHERE
!
interface Ethernet4/1
   service-profile NOWHERE
!
"""
)
QUEUES: Final = """\
Port      TxQ      Counter/pkts      Counter/bytes      Drop/pkts      Drop/bytes
--------  -----  --------------  -----------------  -------------  --------------
Et1/1     UC3          1,200,000      4915200000               7           28672
Et1/1     UC6                 10            1000               0               0
Et1/1     MC0                  5             500               1             100
"""
QOS_MAPS: Final = """\
   Number of Traffic Classes supported: 8
   Number of Transmit Queues supported: 8

   Cos-tc map:
     cos:  0 1 2 3 4 5 6 7
     ---------------------
     tc:   1 0 2 3 4 5 6 7

   Dscp-tc map:
     d1 :  d2 0 1 2 3 4 5 6 7 8 9
     ----------------------------
      0 :     0 0 0 0 0 0 0 0 0 0
      1 :     0 0 0 0 0 0 0 0 0 0
      2 :     0 0 0 0 0 0 3 0 0 0
      3 :     0 0 0 0 0 0 0 0 0 0
      4 :     0 0 0 0 0 0 0 0 6 0
      5 :     0 0 0 0 0 0 0 0 0 0
      6 :     0 0 0 0

   Tc-uc-tx-queue map:
     tc:          0 1 2 3 4 5 6 7
     -----------------------------
     uc-tx-queue: 0 1 2 3 4 5 6 7
"""
PFC: Final = """\
Port          Enabled  Priorities  Active  Note
------------  -------  ----------  ------  -------------
Ethernet1/1   Yes      3 4         Yes     DCBX disabled
Ethernet2/1   No       3           No      DCBX disabled
Et3/1         Yes      None        No
"""
ECN: Final = """\
Tx-Queue  Threshold  ECN Min     ECN Max
          Unit       Threshold   Threshold
--------  ---------  ---------   ---------
3         kbytes     256         512
4         segments   100         200
"""
_OUTPUTS: dict[str, Any] = {  # Any: JSON
    "version": {
        "modelName": "DCS-7060X6-64PE-F",
        "version": "4.33.1F",
        "bootupTimestamp": 1767225600.25,
    },
    "interfaces": {
        "interfaces": {
            "Ethernet1/1": {
                "forwardingModel": "routed",
                "lineProtocolStatus": "up",
                "interfaceStatus": "connected",
                "mtu": 9202,
                "bandwidth": 400000000000,
                "interfaceCounters": {"inUcastPkts": 5, "outUcastPkts": 6, "inDiscards": 1},
            },
            "Ethernet2/1": {
                "forwardingModel": "bridged",
                "lineProtocolStatus": "down",
                "interfaceStatus": "disabled",
                "mtu": 9214,
                "bandwidth": 0,
            },
            "Loopback0": {"forwardingModel": "routed", "mtu": 65535},
        }
    },
    "lldp": {
        "lldpNeighbors": [
            {"port": "Ethernet1/1", "neighborDevice": "gpu01", "neighborPort": "rail0", "ttl": 120},
            {"port": "Management1", "neighborDevice": "mgmt", "neighborPort": "1", "ttl": 120},
        ]
    },
    "discards": {"interfaces": {"Ethernet1/1": {"inDiscards": 4, "outDiscards": 9}}},
    "errors": {
        "interfaceErrorCounters": {
            "Ethernet1/1": {"fcsErrors": 2, "alignmentErrors": 0, "symbolErrors": 1}
        }
    },
    "pfc": {
        "interfaces": {
            "Ethernet1/1": {
                "priorities": {
                    "3": {"rxFrames": 11, "txFrames": 12},
                    "4": {"rxFrames": 0, "txFrames": 0},
                }
            }
        }
    },
    "ecn": {"intfQueueCounters": {"Ethernet1/1": {"queueCounters": {"3": "77", "4": "-"}}}},
    "queues": {
        "egressQueueCounters": {
            "interfaces": {
                "Ethernet1/1": {
                    "ucastQueues": {
                        "trafficClasses": {
                            "TC3": {
                                "dropPrecedences": {
                                    "DP0": {"droppedPackets": 3, "enqueuedPackets": 40},
                                    "DP1": {"droppedPackets": 2, "enqueuedPackets": 2},
                                }
                            }
                        }
                    },
                    "mcastQueues": {
                        "trafficClasses": {
                            "TC3": {"dropPrecedences": {"DP0": {"droppedPackets": 8}}}
                        }
                    },
                }
            }
        }
    },
    "watchdog": {
        "interfaces": {"Ethernet1/1": {"txQueues": {"3": {"stuckCount": 2, "recoveryCount": 1}}}}
    },
    "chip": {
        "ethernet": {"Ethernet1/1": {"count": {"drop": {"rxMmuDrop": 6, "wredDropPktCounter": 0}}}}
    },
    "pause": {"interfaceFlowControls": {"Ethernet1/1": {"txPause": 1, "rxPause": 2}}},
    "voq": {
        "interfaces": {
            "Ethernet1/1": {
                "trafficClasses": {
                    "TC3": {
                        "ingressVoqCounters": {"countersSum": {"droppedPackets": 5}},
                        "egressQueueCounters": {"countersSum": {"droppedPackets": 0}},
                    }
                }
            }
        }
    },
}
OUTPUTS: Final = {name: json.dumps(data, indent=1) for name, data in _OUTPUTS.items()}
