// SPDX-License-Identifier: GPL-2.0-only
/*
 * Allocation of endpoints and channels, and their device nodes.
 *
 * The structure of an endpoint outlives its hardware: open files and channels hold references to
 * its struct device, and the last reference frees it.
 *
 * All openers of an endpoint share the mapping of one private inode, whatever node they opened
 * (mknod, containers), so that removal can revoke all BAR mappings at once.
 */
#include <linux/fs.h>
#include <linux/module.h>
#include <linux/mount.h>
#include <linux/pseudo_fs.h>
#include <linux/slab.h>

#include "core/roc.h"

static dev_t roc_devt;
static struct vfsmount *roc_mount;

/*
 * Assignment of N in /dev/rocN to a PCI address. It persists until the module is unloaded: a node
 * that was copied or kept open must not reach another card after removal and rescan.
 */
struct roc_number {
	bool used;
	u8 bus;
	u8 devfn;
	int domain;
};

static DEFINE_MUTEX(roc_numbers_lock);
static struct roc_number roc_numbers[ROC_ENDPOINTS_MAX];

static struct class roc_class = {
	.name = "roc",
};

static void roc_endpoint_release(struct device *dev)
{
	struct roc_endpoint *ep = container_of(dev, struct roc_endpoint, dev);

	iput(ep->inode);
	cleanup_srcu_struct(&ep->srcu);
	mutex_destroy(&ep->sample_lock);
	mutex_destroy(&ep->exports_lock);
	kfree(ep);
}

static void roc_channel_release(struct device *dev)
{
	struct roc_channel *ch = container_of(dev, struct roc_channel, dev);

	kfree(ch->priv);
	kfree(ch->type_priv);
	mutex_destroy(&ch->lock);
	put_device(&ch->ep->dev);
}

static const struct device_type roc_endpoint_device_type = {
	.name = "endpoint",
	.groups = roc_endpoint_groups,
	.release = roc_endpoint_release,
};

static const struct device_type roc_channel_device_type = {
	.name = "channel",
	.groups = roc_channel_groups,
	.release = roc_channel_release,
};

static void roc_add_groups(struct roc_channel *ch, const struct attribute_group **groups)
{
	const struct attribute_group **at = ch->groups;

	while (*at)
		at++;
	for (; groups && *groups; groups++) {
		if (WARN_ON_ONCE(at == &ch->groups[ROC_GROUPS_MAX]))
			return;
		*at++ = *groups;
	}
}

/* Undone by put_device(), also after an error. */
static int roc_init_channel(struct roc_endpoint *ep, unsigned int number)
{
	const struct roc_channel_type *type = ep->ops->channel_type;
	struct roc_channel *ch = &ep->channels[number];

	ch->ep = ep;
	ch->number = number;
	ch->type = type;
	ch->unquiesced = true;
	roc_irqs_clear_vectors(ch);
	mutex_init(&ch->lock);
	INIT_LIST_HEAD(&ch->deferred);
	spin_lock_init(&ch->state_lock);
	spin_lock_init(&ch->run_lock);
	device_initialize(&ch->dev);
	ch->dev.class = &roc_class;
	ch->dev.type = &roc_channel_device_type;
	roc_add_groups(ch, type->groups);
	roc_add_groups(ch, ep->ops->channel_groups);
	ch->dev.groups = ch->groups;
	ch->dev.parent = &ep->dev;
	ch->dev.devt = ep->dev.devt + 1 + number;
	get_device(&ep->dev);
	cdev_init(&ch->cdev, &roc_channel_fops);
	ch->cdev.owner = THIS_MODULE;
	ch->priv = kzalloc(ep->ops->channel_size, GFP_KERNEL);
	ch->type_priv = kzalloc(type->channel_size, GFP_KERNEL);
	return ch->priv && ch->type_priv ? 0 : -ENOMEM;
}

static void roc_put_channels(struct roc_endpoint *ep, unsigned int count)
{
	while (count--)
		put_device(&ep->channels[count].dev);
}

/* Open files may keep the endpoint and its channels for longer. */
void roc_endpoint_put(struct roc_endpoint *ep)
{
	roc_put_channels(ep, ep->ops->channels);
	put_device(&ep->dev);
}

/* Return: the number that is assigned to the address of @pdev, else the lowest free one. */
static int roc_number_of(struct pci_dev *pdev)
{
	struct roc_number at = {
		.used = true,
		.bus = pdev->bus->number,
		.devfn = pdev->devfn,
		.domain = pci_domain_nr(pdev->bus),
	};
	int i;

	mutex_lock(&roc_numbers_lock);
	for (i = 0; i < ROC_ENDPOINTS_MAX && roc_numbers[i].used; i++)
		if (roc_numbers[i].domain == at.domain && roc_numbers[i].bus == at.bus &&
		    roc_numbers[i].devfn == at.devfn)
			break;
	if (i < ROC_ENDPOINTS_MAX)
		roc_numbers[i] = at;
	mutex_unlock(&roc_numbers_lock);
	return i < ROC_ENDPOINTS_MAX ? i : -ENOSPC;
}

/*
 * Allocate an endpoint with its channels, not yet visible to users. Undone by roc_endpoint_put().
 */
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
	init_waitqueue_head(&ep->gone_wait);
	init_rwsem(&ep->registers);
	init_waitqueue_head(&ep->reset_wait);
	mutex_init(&ep->sample_lock);
	mutex_init(&ep->exports_lock);
	INIT_LIST_HEAD(&ep->exports);
	err = init_srcu_struct(&ep->srcu);
	if (err)
		goto err_free;
	ep->minor = roc_number_of(pdev);
	if (ep->minor < 0) {
		err = ep->minor;
		goto err_srcu;
	}
	ep->inode = alloc_anon_inode(roc_mount->mnt_sb);
	if (IS_ERR(ep->inode)) {
		err = PTR_ERR(ep->inode);
		goto err_srcu;
	}
	device_initialize(&ep->dev);
	ep->dev.class = &roc_class;
	ep->dev.type = &roc_endpoint_device_type;
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
	err = cdev_device_add(&ch->cdev, &ch->dev);
	if (err || !roc_point_fails(ch->ep, ROC_POINT_PUBLISH))
		return err;
	cdev_device_del(&ch->cdev, &ch->dev);
	return -ENOMEM;
}

static void roc_unpublish_channels(struct roc_endpoint *ep, unsigned int count)
{
	while (count--)
		cdev_device_del(&ep->channels[count].cdev, &ep->channels[count].dev);
}

/* Create the nodes. The hardware must be ready, because users may open them immediately. */
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

/* No owner: the driver's own mount would pin the module forever. Nothing else mounts it. */
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
}
