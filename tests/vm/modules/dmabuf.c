// SPDX-License-Identifier: GPL-2.0-only
/*
 * roc-test-dmabuf.ko: the node.
 */
#include <linux/fs.h>
#include <linux/miscdevice.h>
#include <linux/module.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

#include "core/compat/dma_buf.h"
#include "dmabuf.h"

ROC_IMPORT_DMA_BUF_NS;

union dmabuf_arg {
	struct dmabuf_export export;
	struct dmabuf_use use;
	struct dmabuf_alive alive;
	struct dmabuf_attach attach;
	struct dmabuf_import import;
	struct dmabuf_copy copy;
};

static int dmabuf_open(struct inode *inode, struct file *file)
{
	struct dmabuf_file *f = kzalloc(sizeof(*f), GFP_KERNEL);

	if (!f)
		return -ENOMEM;
	mutex_init(&f->lock);
	xa_init_flags(&f->imports, XA_FLAGS_ALLOC1);
	file->private_data = f;
	return 0;
}

static int dmabuf_close(struct inode *inode, struct file *file)
{
	struct dmabuf_file *f = file->private_data;

	dmabuf_detach_all(f);
	xa_destroy(&f->imports);
	kfree(f);
	return 0;
}

static int dmabuf_alive(struct dmabuf_alive *arg)
{
	arg->exports = atomic_read(&dmabuf_exports_alive);
	arg->imports = atomic_read(&dmabuf_imports_alive);
	return 0;
}

static int dmabuf_call(struct dmabuf_file *f, unsigned int cmd, union dmabuf_arg *arg)
{
	switch (cmd) {
	case DMABUF_EXPORT:
		return dmabuf_export(&arg->export);
	case DMABUF_USE:
		return dmabuf_use(&arg->use);
	case DMABUF_ALIVE:
		return dmabuf_alive(&arg->alive);
	case DMABUF_ATTACH:
		return dmabuf_attach(f, &arg->attach);
	case DMABUF_DETACH:
		return dmabuf_detach(f, &arg->import);
	case DMABUF_MAP:
		return dmabuf_map(f, &arg->import);
	case DMABUF_UNMAP:
		return dmabuf_unmap(f, &arg->import);
	case DMABUF_STATE:
		return dmabuf_state(f, &arg->import);
	case DMABUF_COPY:
		return dmabuf_copy(f, &arg->copy);
	default:
		return -ENOTTY;
	}
}

static long dmabuf_ioctl(struct file *file, unsigned int cmd, unsigned long arg)
{
	struct dmabuf_file *f = file->private_data;
	void __user *user = (void __user *)arg;
	union dmabuf_arg a = {};
	int err;

	if (_IOC_SIZE(cmd) > sizeof(a))
		return -ENOTTY;
	if (_IOC_DIR(cmd) & _IOC_WRITE && copy_from_user(&a, user, _IOC_SIZE(cmd)))
		return -EFAULT;
	mutex_lock(&f->lock);
	err = dmabuf_call(f, cmd, &a);
	mutex_unlock(&f->lock);
	if (!err && _IOC_DIR(cmd) & _IOC_READ && copy_to_user(user, &a, _IOC_SIZE(cmd)))
		return -EFAULT;
	return err;
}

static const struct file_operations dmabuf_fops = {
	.owner = THIS_MODULE,
	.open = dmabuf_open,
	.release = dmabuf_close,
	.unlocked_ioctl = dmabuf_ioctl,
};

static struct miscdevice dmabuf_misc = {
	.minor = MISC_DYNAMIC_MINOR,
	.name = "roc-test-dmabuf",
	.fops = &dmabuf_fops,
	.mode = 0600,
};

module_misc_device(dmabuf_misc);

MODULE_AUTHOR("roc developers");
MODULE_DESCRIPTION("dma-bufs for tests: exporters of all kinds and a second device");
MODULE_LICENSE("GPL");
