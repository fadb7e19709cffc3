// SPDX-License-Identifier: GPL-2.0-only
/*
 * Device nodes and the ioctl contract.
 *
 * An endpoint's structure outlives its hardware: it is freed with the last reference to its
 * struct device, which open files and the channels hold. Whoever wants the hardware goes through
 * roc_enter(), which compares the file's epoch with the endpoint's.
 *
 * All openers of an endpoint share the mapping of one private inode, whatever node they opened
 * (mknod, containers), so that removal can revoke every BAR mapping at once.
 */
#include <linux/fs.h>
#include <linux/idr.h>
#include <linux/module.h>
#include <linux/mount.h>
#include <linux/pseudo_fs.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

#include "core/roc.h"

static dev_t roc_devt;
static DEFINE_IDA(roc_minors);
static struct vfsmount *roc_mount;

static struct class roc_class = {
	.name = "roc",
};

/* The largest ioctl structure, so that dispatch can use its stack. */
union roc_arg {
	u32 size;
	struct roc_ep_info ep_info;
	struct roc_bar_info bar_info;
	struct roc_reg reg;
	struct roc_card_lock card_lock;
	struct roc_ch_info ch_info;
	struct roc_ch_rings rings;
	struct roc_ch_configure configure;
	struct roc_ch_control control;
	struct roc_ch_wait wait;
	struct roc_ch_eventfd eventfd;
	struct roc_ch_command command;
	struct roc_ch_mode mode;
	struct roc_buf_register buf_register;
	struct roc_buf_unregister buf_unregister;
};

static const struct roc_ioctl *roc_ioctl_find(unsigned int cmd, const struct roc_ioctl *table,
					      unsigned int count)
{
	unsigned int i;

	for (i = 0; i < count; i++)
		if (table[i].nr == cmd)
			return &table[i];
	return NULL;
}

/* With the hardware there, unless the handler sees to that itself. */
static int roc_ioctl_call(struct file *file, const struct roc_ioctl *call, struct roc_endpoint *ep,
			  u32 epoch, void *arg)
{
	int err, idx;

	if (call->enters)
		return call->handler(file, arg);
	if (!roc_enter(ep, epoch, &idx))
		return -ENODEV;
	err = call->handler(file, arg);
	roc_leave(ep, idx);
	return err;
}

/*
 * Number to structure: read the size word, take what we know of the structure, refuse bytes we do
 * not know, call, and write back what the caller knows. Replies go back with errors too: some
 * carry the reason. A structure may grow: what an older caller does not have is 0.
 *
 * What the caller cannot be told must not have happened. So the structure is written back as it
 * came before anything happens, and what is worse than useless to a caller that does not know of it
 * (a lock, a handle) is settled afterwards, in case that somebody took the memory away meanwhile.
 *
 * The caller's memory may be somebody else's to provide (userfaultfd, FUSE), who may never do so:
 * it is touched with nothing held that a removal waits for.
 */
long roc_ioctl_dispatch(struct file *file, unsigned int cmd, unsigned long arg,
			struct roc_endpoint *ep, u32 epoch, const struct roc_ioctl *table,
			unsigned int count)
{
	const struct roc_ioctl *call = roc_ioctl_find(cmd, table, count);
	void __user *user = (void __user *)arg;
	union roc_arg u = {};
	u32 size, known;
	bool told;
	int err;

	if (!call)
		return -ENOIOCTLCMD;
	if (get_user(size, (u32 __user *)user))
		return -EFAULT;
	if (size < call->first)
		return -EINVAL;
	if (size > PAGE_SIZE)
		return -E2BIG;
	known = min(size, call->size);
	err = copy_struct_from_user(&u, call->size, user, size);
	if (err)
		return err;
	if (copy_to_user(user, &u, known))
		return -EFAULT;
	err = roc_ioctl_call(file, call, ep, epoch, &u);
	told = !copy_to_user(user, &u, known);
	if (!err && call->settle)
		call->settle(file, &u, told);
	return told ? err : -EFAULT;
}

bool roc_enter(struct roc_endpoint *ep, u32 epoch, int *idx)
{
	*idx = srcu_read_lock(&ep->srcu);
	if (READ_ONCE(ep->epoch) == epoch && epoch)
		return true;
	srcu_read_unlock(&ep->srcu, *idx);
	return false;
}

void roc_leave(struct roc_endpoint *ep, int idx)
{
	srcu_read_unlock(&ep->srcu, idx);
}

static void roc_endpoint_release(struct device *dev)
{
	struct roc_endpoint *ep = container_of(dev, struct roc_endpoint, dev);

	iput(ep->inode);
	ida_free(&roc_minors, ep->minor);
	cleanup_srcu_struct(&ep->srcu);
	mutex_destroy(&ep->sample_lock);
	kfree(ep);
}

static void roc_channel_release(struct device *dev)
{
	struct roc_channel *ch = container_of(dev, struct roc_channel, dev);

	kfree(ch->priv);
	mutex_destroy(&ch->lock);
	put_device(&ch->ep->dev);
}

static const struct device_type roc_endpoint_type = {
	.name = "endpoint",
	.groups = roc_endpoint_groups,
	.release = roc_endpoint_release,
};

static const struct device_type roc_channel_type = {
	.name = "channel",
	.groups = roc_channel_groups,
	.release = roc_channel_release,
};

/* Undone by put_device(), also after an error. */
static int roc_init_channel(struct roc_endpoint *ep, unsigned int number)
{
	struct roc_channel *ch = &ep->channels[number];

	ch->ep = ep;
	ch->number = number;
	ch->suspect = true;
	mutex_init(&ch->lock);
	spin_lock_init(&ch->owner_lock);
	ch->mode = -1;
	device_initialize(&ch->dev);
	ch->dev.class = &roc_class;
	ch->dev.type = &roc_channel_type;
	ch->dev.groups = ep->ops->channel_groups;
	ch->dev.parent = &ep->dev;
	ch->dev.devt = ep->dev.devt + 1 + number;
	get_device(&ep->dev);
	cdev_init(&ch->cdev, &roc_channel_fops);
	ch->cdev.owner = THIS_MODULE;
	ch->priv = kzalloc(ep->ops->channel_size, GFP_KERNEL);
	return ch->priv ? 0 : -ENOMEM;
}

static void roc_put_channels(struct roc_endpoint *ep, unsigned int count)
{
	while (count--)
		put_device(&ep->channels[count].dev);
}

/* Open files may keep it, and its channels, for longer. */
void roc_endpoint_put(struct roc_endpoint *ep)
{
	roc_put_channels(ep, ep->ops->channels);
	put_device(&ep->dev);
}

/* An endpoint with its channels, not yet visible. Undone by roc_endpoint_put(). */
struct roc_endpoint *roc_endpoint_alloc(struct pci_dev *pdev, const struct roc_card_ops *ops)
{
	struct roc_endpoint *ep;
	unsigned int i;
	int err;

	ep = kzalloc(sizeof(*ep), GFP_KERNEL);
	if (!ep)
		return ERR_PTR(-ENOMEM);
	ep->pdev = pdev;
	ep->ops = ops;
	init_waitqueue_head(&ep->gone);
	mutex_init(&ep->sample_lock);
	err = init_srcu_struct(&ep->srcu);
	if (err)
		goto err_free;
	ep->minor = ida_alloc_max(&roc_minors, ROC_ENDPOINTS_MAX - 1, GFP_KERNEL);
	if (ep->minor < 0) {
		err = ep->minor;
		goto err_srcu;
	}
	ep->inode = alloc_anon_inode(roc_mount->mnt_sb);
	if (IS_ERR(ep->inode)) {
		err = PTR_ERR(ep->inode);
		goto err_minor;
	}
	device_initialize(&ep->dev);
	ep->dev.class = &roc_class;
	ep->dev.type = &roc_endpoint_type;
	ep->dev.parent = &pdev->dev;
	ep->dev.groups = ops->groups;
	ep->dev.devt = roc_devt + ep->minor * ROC_MINORS;
	cdev_init(&ep->cdev, &roc_endpoint_fops);
	ep->cdev.owner = THIS_MODULE;
	for (i = 0; i < ops->channels; i++) {
		err = roc_init_channel(ep, i);
		if (err)
			goto err_channels;
	}
	return ep;

err_channels:
	roc_put_channels(ep, i + 1);
	put_device(&ep->dev);
	return ERR_PTR(err);
err_minor:
	ida_free(&roc_minors, ep->minor);
err_srcu:
	cleanup_srcu_struct(&ep->srcu);
err_free:
	kfree(ep);
	return ERR_PTR(err);
}

static int roc_publish_channel(struct roc_channel *ch)
{
	int err;

	err = dev_set_name(&ch->dev, "roc%dch%u", ch->ep->minor, ch->number);
	if (err)
		return err;
	return cdev_device_add(&ch->cdev, &ch->dev);
}

static void roc_unpublish_channels(struct roc_endpoint *ep, unsigned int count)
{
	while (count--)
		cdev_device_del(&ep->channels[count].cdev, &ep->channels[count].dev);
}

/* Make the nodes appear. The hardware must be ready: an open may follow at once. */
int roc_endpoint_publish(struct roc_endpoint *ep)
{
	unsigned int i;
	int err;

	err = dev_set_name(&ep->dev, "roc%d", ep->minor);
	if (err)
		return err;
	err = cdev_device_add(&ep->cdev, &ep->dev);
	if (err)
		return err;
	for (i = 0; i < ep->ops->channels; i++) {
		err = roc_publish_channel(&ep->channels[i]);
		if (err)
			goto err_channels;
	}
	return 0;

err_channels:
	roc_unpublish_channels(ep, i);
	cdev_device_del(&ep->cdev, &ep->dev);
	return err;
}

void roc_endpoint_unpublish(struct roc_endpoint *ep)
{
	roc_unpublish_channels(ep, ep->ops->channels);
	cdev_device_del(&ep->cdev, &ep->dev);
}

static int roc_fs_init_context(struct fs_context *fc)
{
	return init_pseudo(fc, 0x726f6366) ? 0 : -ENOMEM;
}

/* No owner: our own mount would pin the module for ever. It is never mounted by others. */
static struct file_system_type roc_fs = {
	.name = "roc",
	.init_fs_context = roc_fs_init_context,
	.kill_sb = kill_anon_super,
};

int roc_chardev_init(void)
{
	int err;

	roc_mount = kern_mount(&roc_fs);
	if (IS_ERR(roc_mount))
		return PTR_ERR(roc_mount);
	err = alloc_chrdev_region(&roc_devt, 0, ROC_ENDPOINTS_MAX * ROC_MINORS, "roc");
	if (err)
		goto err_mount;
	err = class_register(&roc_class);
	if (err)
		goto err_region;
	return 0;

err_region:
	unregister_chrdev_region(roc_devt, ROC_ENDPOINTS_MAX * ROC_MINORS);
err_mount:
	kern_unmount(roc_mount);
	return err;
}

void roc_chardev_exit(void)
{
	class_unregister(&roc_class);
	unregister_chrdev_region(roc_devt, ROC_ENDPOINTS_MAX * ROC_MINORS);
	kern_unmount(roc_mount);
	ida_destroy(&roc_minors);
}
