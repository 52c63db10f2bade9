"""Outputs in the formats that MLNX-OS prints, written for tests. Synthetic.

Formats: ``show ib partition`` of releases before and since 3.6.8010 as captured in
Teradata/stacki; the others as the NVIDIA MLNX-OS user manual has them.
"""

CONFIG = """\
##
## Running database "initial"
## Generated at 2026/11/30 20:14:03 +0000
## Hostname: ibsw01
##

##
## Running-config temporary prefix mode setting
##
no cli default prefix-modes enable

##
## Interface InfiniBand configuration
##
   interface ib 1/1 speed hdr
   interface ib 1/2 shutdown

##
## Other IP configuration
##
   hostname ibsw01
   ip domain-list example.net

##
## Subnet Manager configuration
##
   ib sm sm-priority 14
   ib sm subnet-prefix 0xfe80000000000001
   ib sm lmc 1
   ib sm routing-engines ftree updn
   ib sm root-guid 0x0002c90200300010
   ib sm max-op-vls 4
   ib partition Default defmember limited force
   ib partition tenant-a pkey 0x0A01 force
   ib partition tenant-a ipoib force
   ib partition tenant-a mtu 4K force
   ib partition tenant-a rate 200 force
   ib partition tenant-a sl 1 force
   ib partition tenant-a member E4:1D:2D:03:00:15:6E:80 type full force
   ib partition tenant-a member e4:1d:2d:03:00:15:6e:90 force
   ib smnode ibsw01 create
   ib smnode ibsw01 enable
   ib smnode ibsw02 sm-priority 3

##
## Network management configuration
##
   ntp server 192.0.2.1
"""
PARTITIONS = """\

Default:
  PKey : 0x7FFF
  ipoib: yes

  members:
    GUID='ALL' member='full'
    GUID='SELF' member='full'

tenant-a:
  PKey : 0x0A01
  ipoib: yes

  members:
    GUID='e4:1d:2d:03:00:15:6e:80' member='limited'
"""
OLD_PARTITIONS = """\
  Default
    PKey      = 0x7FFF
    ipoib     = yes
  members
    GUID='ALL' member='full'
    GUID='e4:1d:2d:03:00:15:6e:80' member='limited'
"""
VERSION = """\
Product name:      MLNX-OS
Product release:   3.11.3002
Build ID:          #1-dev
Target arch:       x86_64
Product model:     x86onie
Uptime:            3d 5h 12m 1.120s
"""
