#!/bin/busybox sh
# First program of a lab machine: the shared root, a layer in memory over it, and its own files.
export PATH=/bin
/bin/busybox --install -s /bin
mount -t proc proc /proc
mount -t sysfs sys /sys
mount -t devtmpfs dev /dev
for module in failover net_failover virtio_blk squashfs overlay virtio_net; do
  insmod /modules/$module.ko
done
mount -t squashfs -o ro /dev/vda /lower
mount -t tmpfs -o size=60% memory /upper
mkdir /upper/files /upper/work
mount -t overlay -o lowerdir=/lower,upperdir=/upper/files,workdir=/upper/work all /root
tar -x -f /dev/vdb -C /root
for folder in dev proc sys; do mount --move /$folder /root/$folder; done
exec switch_root /root /bin/sh /etc/netcheck-lab/setup.sh
