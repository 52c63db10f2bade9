"""Outputs of a host in the tools' formats, written for these tests (synthetic)."""

QOS = """\
****** WARNING: lldpad service is running and may overwrite your settings ******
DCBX mode: OS controlled
Priority trust state: dscp
dscp2prio mapping:
\tprio:0 dscp:07,06,05,04,03,02,01,00,
\tprio:1 dscp:15,14,13,12,11,10,09,08,
\tprio:2 dscp:23,22,21,20,19,18,17,16,
\tprio:3 dscp:31,30,29,28,27,26,25,24,
\tprio:4 dscp:39,38,37,36,35,34,33,32,
\tprio:5 dscp:47,46,45,44,43,42,41,40,
\tprio:6 dscp:55,54,53,52,51,50,49,48,
\tprio:7 dscp:63,62,61,60,59,58,57,56,
default priority:
Receive buffer size (bytes): 20016,170016,0,0,0,0,0,0,max_buffer_size=4151520
Cable len: 5
PFC configuration:
\tpriority    0   1   2   3   4   5   6   7
\tenabled     0   0   0   1   0   0   0   0   \n\
\tbuffer      0   0   0   1   0   0   0   0   \n\
tc: 3 ratelimit: 10.0 Gbps, tsa: ets, bw: 50%
\t priority:  3
tc: 0 ratelimit: unlimited, tsa: ets, bw: 50%
\t priority:  0
\t priority:  1
\t priority:  2
\t priority:  4
\t priority:  5
\t priority:  7
tc: 6 ratelimit: unlimited, tsa: strict
\t priority:  6
"""

ECN = "".join(
    f"/sys/class/net/rail0/ecn/roce_{point}/enable/{n}:{int(n == 3)}\n"
    for point in ("np", "rp")
    for n in range(8)
) + (
    "/sys/class/net/rail0/ecn/roce_np/cnp_dscp:48\n"
    "/sys/class/net/rail0/ecn/roce_np/cnp_802p_prio:6\n"
    "/sys/class/net/rail0/ecn/roce_np/min_time_between_cnps:4\n"
)

GIDS = """\
/sys/class/infiniband/mlx5_0/ports/1/gids/0:fe80:0000:0000:0000:0200:00ff:fe00:0001
/sys/class/infiniband/mlx5_0/ports/1/gids/3:0000:0000:0000:0000:0000:ffff:c000:0201
/sys/class/infiniband/mlx5_0/ports/1/gids/4:0000:0000:0000:0000:0000:0000:0000:0000
/sys/class/infiniband/mlx5_0/ports/1/gid_attrs/types/0:IB/RoCE v1
/sys/class/infiniband/mlx5_0/ports/1/gid_attrs/types/3:RoCE v2
/sys/class/infiniband/mlx5_0/ports/1/gid_attrs/ndevs/0:rail0
/sys/class/infiniband/mlx5_0/ports/1/gid_attrs/ndevs/3:rail0
"""

DEVINFO = """\
hca_id:\tmlx5_0
\ttransport:\t\t\tInfiniBand (0)
\tfw_ver:\t\t\t\t28.43.1014
\tphys_port_cnt:\t\t\t1
\t\tport:\t1
\t\t\tstate:\t\t\tPORT_ACTIVE (4)
\t\t\tmax_mtu:\t\t4096 (5)
\t\t\tactive_mtu:\t\t4096 (5)
\t\t\tlink_layer:\t\tEthernet
"""

ETHTOOL = """\
Settings for rail0:
\tSpeed: 400000Mb/s
\tLanes: 4
\tDuplex: Full
\tAuto-negotiation: on
\tPort: Direct Attach Copper
\tLink detected: yes
"""

PAUSE = """\
Pause parameters for rail0:
Autonegotiate:\toff
RX:\t\toff
TX:\t\toff
"""

STATISTICS = """\
NIC statistics:
     rx_packets_phy: 900
     rx_discards_phy: 0
     rx_prio3_packets: 800
     tx_prio3_packets: 700
     rx_prio3_discards: 0
     rx_prio3_pause: 41
     rx_prio3_pause_duration: 8
     tx_prio3_pause: 12
     rx0_packets: 5
     outbound_pci_stalled_rd: 2
"""

RDMA_LINK = """\
[{"ifindex":0,"ifname":"mlx5_0","port":1,"state":"ACTIVE","physical_state":"LINK_UP",
  "netdev":"rail0","netdev_index":3}]
"""

IP_LINK = """\
[{"ifindex":3,"ifname":"rail0","flags":["BROADCAST","UP","LOWER_UP"],"mtu":9000,
  "operstate":"UP","stats64":{"rx":{"bytes":1,"packets":2,"errors":0,"dropped":3},
  "tx":{"bytes":4,"packets":5,"errors":0,"dropped":0}}}]
"""

HW_COUNTERS = "".join(
    f"/sys/class/infiniband/mlx5_0/ports/1/hw_counters/{name}:{value}\n"
    for name, value in (
        ("out_of_sequence", 44),
        ("local_ack_timeout_err", 38),
        ("np_cnp_sent", 10_284_520),
        ("lifespan", 12),
    )
)
