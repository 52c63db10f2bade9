# ruff: noqa: E501, W291 -- lines as the tools print them
"""Outputs of a small subnet, synthetic: two leaves, a spine and three hosts, one with two ports."""

TOPOLOGY = """\
#
# Topology file: generated on Mon Jan  5 10:00:00 2026
#
# Initiated from node 00000000000000a0 port 00000000000000a1

vendid=0x2c9
devid=0xd2f0
sysimgguid=0x10
switchguid=0x10(10)
Switch	8 "S-0000000000000010"		# "MF0;leaf1:MQM8700/U1" enhanced port 0 lid 4 lmc 0
[1]	"H-00000000000000a0"[1](a1) 		# "gpu1 mlx5_0" lid 1 4xHDR
[2]	"H-00000000000000b0"[1](b1) 		# "gpu2 mlx5_0" lid 2 4xHDR
[5]	"S-0000000000000030"[1]		# "spine1" lid 6 4xHDR

vendid=0x2c9
devid=0xd2f0
sysimgguid=0x20
switchguid=0x20(20)
Switch	8 "S-0000000000000020"		# "leaf2" enhanced port 0 lid 5 lmc 0
[1]	"H-00000000000000c0"[2](c2) 		# "gpu3 mlx5_0" lid 8 1xHDR
[5]	"S-0000000000000030"[2]		# "spine1" lid 6 4xEDR

vendid=0x2c9
devid=0xd2f0
sysimgguid=0x30
switchguid=0x30(30)
Switch	8 "S-0000000000000030"		# "spine1" base port 0 lid 6 lmc 0
[1]	"S-0000000000000010"[5]		# "MF0;leaf1:MQM8700/U1" lid 4 4xHDR
[2]	"S-0000000000000020"[5]		# "leaf2" lid 5 4xEDR

vendid=0x2c9
devid=0x101b
sysimgguid=0xa0
caguid=0xa0
Ca	1 "H-00000000000000a0"		# "gpu1 mlx5_0"
[1](a1) 	"S-0000000000000010"[1]		# lid 1 lmc 0 "MF0;leaf1:MQM8700/U1" lid 4 4xHDR

vendid=0x2c9
devid=0x101b
sysimgguid=0xb0
caguid=0xb0
Ca	1 "H-00000000000000b0"		# "gpu2 mlx5_0"
[1](b1) 	"S-0000000000000010"[2]		# lid 2 lmc 0 "MF0;leaf1:MQM8700/U1" lid 4 4xHDR

vendid=0x2c9
devid=0x101b
sysimgguid=0xc0
caguid=0xc0
Ca	2 "H-00000000000000c0"		# "gpu3 mlx5_0"
[2](c2) 	"S-0000000000000020"[1]		# lid 8 lmc 1 "leaf2" lid 5 1xHDR
"""

PORTS = """\
CA     1  1 0x00000000000000a1 4x HDR - SW     4  1 0x0000000000000010 ( 'gpu1 mlx5_0' - 'leaf1' )
SW     4  1 0x0000000000000010 4x HDR - CA     1  1 0x00000000000000a1 ( 'leaf1' - 'gpu1 mlx5_0' )
SW     4  2 0x0000000000000010 4x SDR                                    'leaf1'
"""

NODES = """\
Ca	: 0x00000000000000a0 ports 1 devid 0x101b vendid 0x2c9 "gpu1 mlx5_0"
Switch	: 0x0000000000000010 ports 8 devid 0xd2f0 vendid 0x2c9 "leaf1" enhanced port 0 lid 4 lmc 0
"""

LINKS = """\
CA: gpu1 mlx5_0:
      0x00000000000000a1      1    1[  ] ==( 4X        53.125 Gbps Active/  LinkUp)==>       4    1[  ] "leaf1" ( )
Switch: 0x0000000000000010 leaf1:
           4    1[  ] ==( 4X        53.125 Gbps Active/  LinkUp)==>       1    1[  ] "gpu1 mlx5_0" ( )
           4    5[  ] ==( 4X        25.78125 Gbps Active/  LinkUp)==>       6    1[  ] "spine1" (Could be 53.125 Gbps)
           4    7[  ] ==(                Down/ Polling)==>             [  ] "" ( )
Switch: 0x0000000000000030 spine1:
           6    1[  ] ==( 4X        25.78125 Gbps Active/  LinkUp)==>       4    5[  ] "leaf1" (Could be 53.125 Gbps)
"""

LINKS_IN_LINES = """\
0x00000000000000a1 "                   gpu1 mlx5_0"      1    1[  ] ==( 2X        106.25 Gbps Active/  LinkUp)==>  0x0000000000000010      4    1[  ] "leaf1" (Could be 4X )
0x0000000000000010 "                         leaf1"      4    1[  ] ==( 2X        106.25 Gbps Active/  LinkUp)==>  0x00000000000000a1      1    1[  ] "gpu1 mlx5_0" (Could be 4X )
0x0000000000000010 "                         leaf1"      4    2[  ] ==( 4X 10.0 Gbps (FDR10)   Init/  LinkUp)==>  0x00000000000000b1      2    1[  ] "gpu2 mlx5_0" ( )
"""

ROUTES = """\
Unicast lids [0x0-0x9] of switch Lid 4 guid 0x0000000000000010 (MF0;leaf1:MQM8700/U1):
  Lid  Out   Destination
       Port     Info 
0x0001 001 : (Channel Adapter portguid 0x00000000000000a1: 'gpu1 mlx5_0')
0x0002 002 : (Channel Adapter portguid 0x00000000000000b1: 'gpu2 mlx5_0')
0x0004 000 : (Switch portguid 0x0000000000000010: 'MF0;leaf1:MQM8700/U1')
0x0006 005 : (Switch portguid 0x0000000000000030: 'spine1')
0x0008 005 : (Channel Adapter portguid 0x00000000000000c2: 'gpu3 mlx5_0')
5 valid lids dumped 
"""

MULTICAST = """\
Multicast mlids [0xc000-0xc3ff] of switch Lid 4 guid 0x0000000000000010 (leaf1):
            0                   1   
     Ports: 0 1 2 3 4 5 6 7 8 9 0 1 
 MLid
0xc000      x   x     x         x   
1 valid mlids dumped 
"""

ERRORS = """\
Errors for 0x10 "MF0;leaf1:MQM8700/U1"
   GUID 0x10 port ALL: [SymbolErrorCounter == 3] [PortXmitDiscards == 255] [PortXmitWait == 7]
   GUID 0x10 port 5: [SymbolErrorCounter == 3] [PortXmitDiscards == 70000 (68.359K)] [PortXmitWait == 7]
Errors for 0x20 "leaf2"
   GUID 0x20 port ALL: [LinkDownedCounter == 2]
Errors for "gpu3 mlx5_0"
   GUID 0xc2 port 2: [VL15Dropped == 1]

## Summary: 6 nodes checked, 3 bad nodes found
##          14 ports checked, 2 ports have errors beyond threshold
## Thresholds: [SymbolErrorCounter = 2]
## Suppressed: PortRcvSwitchRelayErrors
"""

COUNTERS = """\
# Port counters: Lid 4 port 5 (CapMask: 0x1300)
PortSelect:......................5
CounterSelect:...................0x0000
SymbolErrorCounter:..............0
PortXmitDiscards:................65535
PortXmitWait:....................12
"""

PORT_INFO = """\
# Port info: Lid 1 port 1
Mkey:............................<not displayed>
GidPrefix:.......................0xfe80000000000001
Lid:.............................1
SMLid:...........................2
CapMask:.........................0x2651e848
				IsSM
LMC:.............................1
LinkWidthEnabled:................1X or 4X
LinkWidthSupported:..............1X or 2X or 4X
LinkWidthActive:.................4X
LinkSpeedSupported:..............2.5 Gbps or 5.0 Gbps or 10.0 Gbps
LinkState:.......................Active
PhysLinkState:...................LinkUp
LinkSpeedActive:.................10.0 Gbps
LinkSpeedEnabled:................2.5 Gbps or 5.0 Gbps or 10.0 Gbps
NeighborMTU:.....................4096
VLCap:...........................VL0-3
VLHighLimit:.....................4
MtuCap:..........................4096
HoqLife:.........................18
OperVLs:.........................VL0-1
LinkSpeedExtActive:..............25.78125 Gbps
LinkSpeedExtSupported:...........14.0625 Gbps or 25.78125 Gbps or 53.125 Gbps
LinkSpeedExtEnabled:.............14.0625 Gbps or 25.78125 Gbps
"""

LANES = """\
# SL2VL table: Lid 4
#                 SL: | 0| 1| 2| 3| 4| 5| 6| 7| 8| 9|10|11|12|13|14|15|
ports: in  0, out  5: | 0| 1| 2| 3| 0| 0| 0| 0| 0| 0| 0| 0| 0| 0| 0|15|
ports: in  1, out  5: | 1| 1| 2| 3| 0| 0| 0| 0| 0| 0| 0| 0| 0| 0| 0|15|
"""

WEIGHTS = """\
# VLArbitration tables: Lid 4 port 5 LowCap 4 HighCap 4
# Low priority VL Arbitration Table:
VL    : |0x0 |0x3 |0x0 |0x0 |
WEIGHT: |0x40|0x20|0x0 |0x0 |
# High priority VL Arbitration Table:
VL    : |0x1 |0x2 |0x0 |0x0 |
WEIGHT: |0x40|0x20|0x0 |0x0 |
"""

KEYS = """\
   0: 0xffff 0x8a01 0x0b02 0x0000 0x0000 0x0000 0x0000 0x0000 
8 pkeys capacity for this port
"""

MANAGERS = """\
SMInfoRecord dump:
		RID
		LID...................1
		SMInfo dump:
		GUID..................0x00000000000000a1
		SM_Key................0x0000000000000000
		ActCount..............12
		Priority..............15
		SMState...............3
SMInfoRecord dump:
		RID
		LID...................2
		SMInfo dump:
		GUID..................0x00000000000000b1
		SM_Key................0x0000000000000000
		ActCount..............9
		Priority..............14
		SMState...............2
"""

PATHS = """\
PathRecord dump:
		service_id..............0x0000000000000000
		dgid....................fe80::c2
		sgid....................fe80::a1
		dlid....................8
		slid....................1
		pkey....................0x8A01
		sl......................0x1
		mtu.....................0x85
		rate....................0x91
		pkt_life................0x92
PathRecord dump:
		service_id..............0x0000000000000000
		dlid....................0
		slid....................0
"""

GROUPS = """\
MCMemberRecord group dump:
		MGID....................ff12:401b:ffff::ffff:ffff
		Mlid....................0xC000
		Mtu.....................0x84
		pkey....................0xFFFF
		Rate....................0x90
		SL......................0x2
"""

LOG = """\
Jan 05 10:00:01 000001 [D64F4740] 0x80 -> Entering DISCOVERING state
Jan 05 10:00:01 000002 [D34ED6C0] 0x01 -> ucast_mgr_route: updn: cannot build lid matrices
Jan 05 10:00:01 000003 [D34ED6C0] 0x02 -> osm_ucast_mgr_process: minhop tables configured on all switches
Jan 05 10:00:01 000004 [D34ED6C0] 0x02 -> SUBNET UP
"""

SUBNET_LIST = """\
{ CA-SM Ports:01 SystemGUID:00000000000000a0 NodeGUID:00000000000000a0 PortGUID:00000000000000a1 VenID:0002C9 DevID:101B Rev:000000A1 {gpu1 mlx5_0} LID:0001 PN:01 } { SW Ports:08 SystemGUID:0000000000000010 NodeGUID:0000000000000010 PortGUID:0000000000000010 VenID:000002C9 DevID:D2F00000 Rev:000000A1 {leaf1} LID:0004 PN:0A } PHY=4x LOG=ACT SPD=50
"""

FDBS = """\
dump_ucast_routes: Switch 0x0000000000000010
LID    : Port : Hops : Optimal
0x0001 : 001  : 01   : yes
0x0002 : UNREACHABLE
0x0004 : 000  : 00   : yes
"""

SCHEDULER = """\
# made by hand
SwitchName=leaf1 Nodes=gpu[1-2]
SwitchName=leaf2 LinkSpeed=1 Nodes=gpu3
switchname=top Switches=leaf[1-2]
"""

ALL = {
    "ibnetdiscover": TOPOLOGY,
    "port_list": PORTS,
    "node_list": NODES,
    "iblinkinfo": LINKS,
    "iblinkinfo ": LINKS_IN_LINES,
    "routes": ROUTES,
    "multicast_routes": MULTICAST,
    "ibqueryerrors": ERRORS,
    "perfquery": COUNTERS,
    "smpquery": PORT_INFO,
    "smpquery ": LANES,
    "smpquery  ": WEIGHTS,
    "smpquery   ": KEYS,
    "saquery": MANAGERS,
    "saquery ": PATHS,
    "saquery  ": GROUPS,
    "opensm_log": LOG,
    "subnet_list": SUBNET_LIST,
    "fdbs": FDBS,
    "slurm_topology": SCHEDULER,
}
