#!/bin/sh
# netcheck: device gpu01, port rail1, rdma mlx5_1
# Written by netcheck; changes made here are lost. Run again at will: it sets, it does not add.
set -eu

# MTU
ip link set dev rail1 mtu 9000

# Pause for the whole link; old tools fail when nothing changes
ethtool -A rail1 rx off tx off || true

# Who decides, and which mark counts
mlnx_qos -i rail1 --dcbx os
mlnx_qos -i rail1 --trust dscp

# PFC, and the cable length in metres
mlnx_qos -i rail1 --cable_len 5 --pfc 0,0,0,1,0,0,0,0

# Priorities: queues and DSCPs
mlnx_qos -i rail1 --prio_tc 0,0,0,3,0,0,6,0
mlnx_qos -i rail1 --dscp2prio set,26,3
mlnx_qos -i rail1 --dscp2prio set,48,6

# Queues
mlnx_qos -i rail1 --tsa ets,strict,strict,ets,strict,strict,strict,strict --tcbw 50,0,0,50,0,0,0,0

# Receive buffers
mlnx_qos -i rail1 --buffer_size 20016,0,0,161024,0,0,0,0
mlnx_qos -i rail1 --prio2buffer 0,0,0,3,0,0,0,0

# DCQCN
echo 0 > /sys/class/net/rail1/ecn/roce_np/enable/0
echo 0 > /sys/class/net/rail1/ecn/roce_np/enable/1
echo 0 > /sys/class/net/rail1/ecn/roce_np/enable/2
echo 1 > /sys/class/net/rail1/ecn/roce_np/enable/3
echo 0 > /sys/class/net/rail1/ecn/roce_np/enable/4
echo 0 > /sys/class/net/rail1/ecn/roce_np/enable/5
echo 0 > /sys/class/net/rail1/ecn/roce_np/enable/6
echo 0 > /sys/class/net/rail1/ecn/roce_np/enable/7
echo 0 > /sys/class/net/rail1/ecn/roce_rp/enable/0
echo 0 > /sys/class/net/rail1/ecn/roce_rp/enable/1
echo 0 > /sys/class/net/rail1/ecn/roce_rp/enable/2
echo 1 > /sys/class/net/rail1/ecn/roce_rp/enable/3
echo 0 > /sys/class/net/rail1/ecn/roce_rp/enable/4
echo 0 > /sys/class/net/rail1/ecn/roce_rp/enable/5
echo 0 > /sys/class/net/rail1/ecn/roce_rp/enable/6
echo 0 > /sys/class/net/rail1/ecn/roce_rp/enable/7
echo 48 > /sys/class/net/rail1/ecn/roce_np/cnp_dscp
echo 6 > /sys/class/net/rail1/ecn/roce_np/cnp_802p_prio

# Marks of RDMA traffic
cma_roce_mode -d mlx5_1 -p 1 -m 2
cma_roce_tos -d mlx5_1 -p 1 -t 106
echo 106 > /sys/class/infiniband/mlx5_1/tc/1/traffic_class
