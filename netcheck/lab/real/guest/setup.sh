# Process 1 of a lab machine; what differs from machine to machine is in the file it reads.
. /etc/netcheck-lab/machine
export PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C.UTF-8
set -eu

# Queues of a switch port: priority N is band 7 - N. The netem on top stands for the cable.
queues() {
  ip netns exec switch tc -batch - <<EOF
qdisc add dev $1 clsact
filter add dev $1 ingress pref 1 protocol ip flower ip_tos 0x68/0xfc action skbedit priority 3
qdisc add dev $1 root handle 10: netem limit 20000
qdisc add dev $1 parent 10:1 handle 1: tbf rate 10gbit burst 256k limit 4m
qdisc add dev $1 parent 1:1 handle 2: ets bands 8 strict 4 quanta 12000 1500 1500 4000 priomap 7 6 5 4 3 2 1 0
qdisc add dev $1 parent 2:1 handle 21: pfifo
qdisc add dev $1 parent 2:2 handle 22: pfifo
qdisc add dev $1 parent 2:3 handle 23: pfifo
qdisc add dev $1 parent 2:4 handle 24: pfifo
qdisc add dev $1 parent 2:5 handle 25: red limit 4000000 min 60000 max 180000 avpkt 4200 burst 40 bandwidth 40mbit probability 0.2 ecn
qdisc add dev $1 parent 2:6 handle 26: pfifo
qdisc add dev $1 parent 2:7 handle 27: pfifo
qdisc add dev $1 parent 2:8 handle 28: pfifo
EOF
}

hostname "$NAME"
mkdir -p /dev/pts /dev/shm /run/sshd /run/netns /run/lock
mount -t devpts -o gid=5,mode=620 pts /dev/pts
mount -t tmpfs run /dev/shm
chmod 1777 /tmp /var/tmp /dev/shm
ulimit -l unlimited
ip link set lo up
ip link set eth0 up
ip address add 10.0.2.15/24 dev eth0
if [ "$IS_SWITCH" = yes ]; then
  # The other machine's cable ends in the switch; this machine's own cable is a veth pair.
  modprobe -a bridge veth
  ip netns add switch
  ip link add rail0 address "$MAC" type veth peer name swp2 netns switch
  ip link set eth1 name swp1
  ip link set swp1 netns switch
  ip -n switch link add br0 type bridge
  for port in swp1 swp2; do
    ip -n switch link set "$port" mtu "$MTU" master br0 up
    queues "$port"
  done
  ip -n switch link set br0 up
  socat TCP-LISTEN:2222,fork,reuseaddr EXEC:'ip netns exec switch /usr/sbin/sshd -i' &
else
  ip link set eth1 name rail0
  ethtool -s rail0 speed 10000 duplex full
fi
# A slow processor is no loss: queues of the machine itself are longer than what is on its way.
echo 100000 > /proc/sys/net/core/netdev_max_backlog
ip link set rail0 txqueuelen 10000
# And none of them marks or drops, as the default of Debian's kernel does (fq_codel).
tc qdisc replace dev rail0 root pfifo limit 10000
ip link set rail0 mtu "$MTU" up
ip address add "$ADDRESS/24" dev rail0
ip neighbour replace "$PEER" lladdr "$PEER_MAC" dev rail0
# What the adapter would count: packets by the priority that their DSCP stands for.
tc -batch - <<EOF
qdisc add dev rail0 clsact
filter add dev rail0 ingress pref 1 handle 1 protocol ip flower ip_tos 0x68/0xfc action skbedit priority 3
filter add dev rail0 ingress pref 2 handle 2 protocol ip flower action skbedit priority 0
filter add dev rail0 egress pref 1 handle 1 protocol ip flower ip_tos 0x68/0xfc action skbedit priority 3
filter add dev rail0 egress pref 2 handle 2 protocol ip flower action skbedit priority 0
EOF
modprobe -a rdma_ucm ib_uverbs crc32_generic rdma_rxe
modprobe netcheck_dcb ifs=rail0
rdma link add rxe0 type rxe netdev rail0
/usr/sbin/sshd
read -r up rest < /proc/uptime
echo "netcheck-lab ready $up" > /dev/console
exec sleep infinity
