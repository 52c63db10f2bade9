// SPDX-License-Identifier: GPL-2.0
/*
 * DCB settings for network devices whose driver has none (virtio, veth).
 *
 * The kernel's dcbnl keeps nothing itself; a driver does. This module is that
 * keeper: it attaches its operations to the devices named in "ifs", holds what
 * is set, checks what adapters check (sums, ranges, selectors), and refuses as
 * they do. No queue and no pause frame follows from it.
 */
#include <linux/dcbnl.h>
#include <linux/module.h>
#include <linux/netdevice.h>
#include <linux/rtnetlink.h>
#include <net/dcbnl.h>

#define MOST_DEVICES 4
#define MOST_IFS MOST_DEVICES
#define BUFFER_BYTES (1 << 20)
#define PRIORITIES IEEE_8021QAZ_MAX_TCS

struct held {
	struct net_device *dev;
	const struct dcbnl_rtnl_ops *before;
	struct ieee_ets ets;
	struct ieee_pfc pfc;
	struct ieee_maxrate maxrate;
	struct dcbnl_buffer buffer;
	u8 dcbx;
};

static struct held devices[MOST_DEVICES];
static char *ifs[MOST_IFS];
static int ifs_count;
module_param_array(ifs, charp, &ifs_count, 0444);
MODULE_PARM_DESC(ifs, "network devices that get DCB settings");

static struct held *held_by(struct net_device *dev)
{
	int i;

	for (i = 0; i < MOST_DEVICES; i++)
		if (devices[i].dev == dev)
			return &devices[i];
	return NULL;
}

static int getets(struct net_device *dev, struct ieee_ets *ets)
{
	*ets = held_by(dev)->ets;
	return 0;
}

static int setets(struct net_device *dev, struct ieee_ets *ets)
{
	struct held *held = held_by(dev);
	int i, sum = 0, weighted = 0;

	for (i = 0; i < PRIORITIES; i++) {
		if (ets->prio_tc[i] >= PRIORITIES)
			return -EINVAL;
		switch (ets->tc_tsa[i]) {
		case IEEE_8021QAZ_TSA_ETS:
			weighted = 1;
			sum += ets->tc_tx_bw[i];
			break;
		case IEEE_8021QAZ_TSA_STRICT:
		case IEEE_8021QAZ_TSA_VENDOR:
			break;
		default:
			return -EOPNOTSUPP;
		}
	}
	if (weighted && sum != 100)
		return -EINVAL;
	held->ets = *ets;
	held->ets.ets_cap = PRIORITIES;
	return 0;
}

static int getmaxrate(struct net_device *dev, struct ieee_maxrate *rate)
{
	*rate = held_by(dev)->maxrate;
	return 0;
}

static int setmaxrate(struct net_device *dev, struct ieee_maxrate *rate)
{
	held_by(dev)->maxrate = *rate;
	return 0;
}

static int getpfc(struct net_device *dev, struct ieee_pfc *pfc)
{
	*pfc = held_by(dev)->pfc;
	return 0;
}

static int setpfc(struct net_device *dev, struct ieee_pfc *pfc)
{
	struct held *held = held_by(dev);

	held->pfc.pfc_en = pfc->pfc_en;
	held->pfc.delay = pfc->delay;
	return 0;
}

static int setapp(struct net_device *dev, struct dcb_app *app)
{
	struct dcb_app old;
	u8 mask;

	if (app->priority >= PRIORITIES)
		return -EINVAL;
	if (app->selector != IEEE_8021QAZ_APP_SEL_DSCP)
		return dcb_ieee_setapp(dev, app);
	if (app->protocol > 63)
		return -EINVAL;
	/* An adapter has one priority for a DSCP: the new one takes its place. */
	old = *app;
	mask = dcb_ieee_getapp_mask(dev, &old);
	while (mask) {
		old.priority = __fls(mask);
		mask &= ~BIT(old.priority);
		if (old.priority != app->priority)
			dcb_ieee_delapp(dev, &old);
		else
			return 0;
	}
	return dcb_ieee_setapp(dev, app);
}

static int delapp(struct net_device *dev, struct dcb_app *app)
{
	return dcb_ieee_delapp(dev, app);
}

static int getbuffer(struct net_device *dev, struct dcbnl_buffer *buffer)
{
	*buffer = held_by(dev)->buffer;
	return 0;
}

static int setbuffer(struct net_device *dev, struct dcbnl_buffer *buffer)
{
	struct held *held = held_by(dev);
	u64 sum = 0;
	int i;

	for (i = 0; i < PRIORITIES; i++) {
		if (buffer->prio2buffer[i] >= DCBX_MAX_BUFFERS)
			return -EINVAL;
		sum += buffer->buffer_size[i];
	}
	if (sum > BUFFER_BYTES)
		return -EINVAL;
	held->buffer = *buffer;
	held->buffer.total_size = BUFFER_BYTES;
	return 0;
}

static u8 getdcbx(struct net_device *dev)
{
	return held_by(dev)->dcbx;
}

static u8 setdcbx(struct net_device *dev, u8 mode)
{
	if (mode & DCB_CAP_DCBX_VER_CEE || !(mode & DCB_CAP_DCBX_VER_IEEE))
		return 1;
	held_by(dev)->dcbx = mode;
	return 0;
}

static const struct dcbnl_rtnl_ops ops = {
	.ieee_getets = getets,
	.ieee_setets = setets,
	.ieee_getmaxrate = getmaxrate,
	.ieee_setmaxrate = setmaxrate,
	.ieee_getpfc = getpfc,
	.ieee_setpfc = setpfc,
	.ieee_setapp = setapp,
	.ieee_delapp = delapp,
	.dcbnl_getbuffer = getbuffer,
	.dcbnl_setbuffer = setbuffer,
	.getdcbx = getdcbx,
	.setdcbx = setdcbx,
};

static void fresh(struct held *held, struct net_device *dev)
{
	int i;

	held->dev = dev;
	held->before = dev->dcbnl_ops;
	held->ets.ets_cap = PRIORITIES;
	held->pfc.pfc_cap = PRIORITIES;
	held->buffer.buffer_size[0] = BUFFER_BYTES;
	held->buffer.total_size = BUFFER_BYTES;
	/* As adapters start: the firmware's word counts until the host takes over. */
	held->dcbx = DCB_CAP_DCBX_LLD_MANAGED | DCB_CAP_DCBX_VER_IEEE;
	for (i = 0; i < PRIORITIES; i++) {
		held->ets.tc_tsa[i] = IEEE_8021QAZ_TSA_VENDOR;
		held->ets.prio_tc[i] = i;
	}
}

static void detach(void)
{
	int i;

	rtnl_lock();
	for (i = 0; i < MOST_DEVICES; i++) {
		if (!devices[i].dev)
			continue;
		devices[i].dev->dcbnl_ops = devices[i].before;
		dev_put(devices[i].dev);
		devices[i].dev = NULL;
	}
	rtnl_unlock();
}

static int __init start(void)
{
	int i;

	for (i = 0; i < ifs_count; i++) {
		struct net_device *dev = dev_get_by_name(&init_net, ifs[i]);

		if (!dev) {
			detach();
			return -ENODEV;
		}
		rtnl_lock();
		fresh(&devices[i], dev);
		dev->dcbnl_ops = &ops;
		rtnl_unlock();
	}
	return 0;
}

static void __exit stop(void)
{
	detach();
}

module_init(start);
module_exit(stop);
MODULE_DESCRIPTION("DCB settings for network devices whose driver has none");
MODULE_LICENSE("GPL");
