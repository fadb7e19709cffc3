// SPDX-License-Identifier: GPL-2.0-only
/*
 * /dev/rocN: information, registers and BAR mappings of an endpoint, for any number of openers.
 */
#include <linux/fs.h>
#include <linux/mm.h>
#include <linux/nospec.h>
#include <linux/poll.h>
#include <linux/slab.h>

#include "core/compat/compat.h"
#include "core/roc.h"
#include "core/shared_memory.h"

/*
 * An open file of /dev/rocN. Owned by the file, and by the mappings made through it.
 * @locked: the card whose advisory lock this file has
 * @committed: the result was copied to the caller; before that, the lock cannot be released
 * @lock: serialises lock and unlock through this file
 */
struct roc_endpoint_file {
	struct roc_endpoint *ep;
	u32 epoch;
	struct mutex lock;
	struct roc_card *locked;
	bool committed;
};

/* mmap offset of BAR n; opaque to users, fits the 44 bits of a 32-bit caller. */
#define ROC_BAR_COOKIE_SHIFT 32
#define ROC_BAR_COOKIE(bar) ((u64)((bar) + 1) << ROC_BAR_COOKIE_SHIFT)

static int roc_endpoint_open(struct inode *inode, struct file *file)
{
	struct roc_endpoint *ep = container_of(inode->i_cdev, struct roc_endpoint, cdev);
	struct roc_endpoint_file *ef;
	u32 epoch = READ_ONCE(ep->epoch);

	if (!epoch)
		return -ENODEV;
	ef = kzalloc(sizeof(*ef), GFP_KERNEL_ACCOUNT);
	if (!ef)
		return -ENOMEM;
	ef->ep = ep;
	ef->epoch = epoch;
	mutex_init(&ef->lock);
	get_device(&ep->dev);
	file->private_data = ef;
	file->f_mapping = ep->inode->i_mapping;
	return nonseekable_open(inode, file);
}

static int roc_endpoint_release(struct inode *inode, struct file *file)
{
	struct roc_endpoint_file *ef = file->private_data;

	if (ef->locked)
		roc_card_unlock(ef->locked, ef);
	put_device(&ef->ep->dev);
	mutex_destroy(&ef->lock);
	kfree(ef);
	return 0;
}

static int roc_ep_info(struct file *file, void *arg)
{
	struct roc_endpoint_file *ef = file->private_data;
	struct roc_endpoint *ep = ef->ep;
	struct roc_ep_info *info = arg;

	if (info->flags)
		return -EINVAL;
	*info = (struct roc_ep_info){
		.size = info->size,
		.card_type = ep->ops->type,
		.minor = ep->minor,
		.serial = ep->serial,
		.endpoint = ep->number,
		.numa_node = dev_to_node(&ep->pdev->dev),
		.channels = ep->ops->channels,
		.fifo_depth = ep->fifo_depth,
		.features = ep->features,
		.chip_id = ep->chip_id,
		.caps = ep->caps | (ep->translated ? ROC_CAP_IOMMU : 0),
		.vendor = ep->pdev->vendor,
		.device = ep->pdev->device,
	};
	if (ep->ops->channel_type->describe)
		ep->ops->channel_type->describe(ep, info);
	strscpy(info->pci_address, pci_name(ep->pdev), sizeof(info->pci_address));
	strscpy(info->firmware, ep->firmware, sizeof(info->firmware));
	strscpy(info->user_logic, ep->user_logic, sizeof(info->user_logic));
	return 0;
}

static int roc_bar_info(struct file *file, void *arg)
{
	struct roc_endpoint_file *ef = file->private_data;
	struct roc_bar_info *info = arg;
	unsigned int bar;

	if (info->flags)
		return -EINVAL;
	if (info->bar >= ROC_BARS)
		return -ENOENT;
	bar = array_index_nospec(info->bar, ROC_BARS);
	if (!ef->ep->bar[bar])
		return -ENOENT;
	info->access = roc_bar_access(ef->ep, bar);
	info->length = ef->ep->bar_length[bar];
	info->mmap_offset = ROC_BAR_COOKIE(bar);
	return 0;
}

static int roc_reg_read(struct file *file, void *arg)
{
	struct roc_endpoint_file *ef = file->private_data;

	return roc_reg_access(ef->ep, _IOC_NR(ROC_REG_READ), arg);
}

static int roc_reg_write(struct file *file, void *arg)
{
	struct roc_endpoint_file *ef = file->private_data;

	return roc_reg_access(ef->ep, _IOC_NR(ROC_REG_WRITE), arg);
}

static int roc_reg_modify(struct file *file, void *arg)
{
	struct roc_endpoint_file *ef = file->private_data;

	return roc_reg_access(ef->ep, _IOC_NR(ROC_REG_MODIFY), arg);
}

static int roc_lock(struct file *file, void *arg)
{
	struct roc_endpoint_file *ef = file->private_data;
	struct roc_card_lock *lock = arg;
	int err;

	if (lock->flags || lock->owner || lock->reserved)
		return -EINVAL;
	if (mutex_lock_interruptible(&ef->lock))
		return -ERESTARTNOHAND;
	err = roc_card_lock(ef->ep, ef->epoch, ef, lock);
	if (!err)
		ef->locked = ef->ep->card;
	mutex_unlock(&ef->lock);
	return err;
}

static void roc_lock_commit(struct file *file, const void *arg, bool copied)
{
	struct roc_endpoint_file *ef = file->private_data;

	mutex_lock(&ef->lock);
	ef->committed = copied;
	if (!copied) {
		roc_card_unlock(ef->locked, ef);
		ef->locked = NULL;
	}
	mutex_unlock(&ef->lock);
}

static int roc_unlock(struct file *file, void *arg)
{
	struct roc_endpoint_file *ef = file->private_data;
	struct roc_card_lock *lock = arg;
	int err = -EPERM;

	if (lock->flags || lock->owner || lock->reserved || lock->deadline)
		return -EINVAL;
	if (mutex_lock_interruptible(&ef->lock))
		return -ERESTARTNOHAND;
	if (ef->committed) {
		err = roc_card_unlock(ef->locked, ef);
		ef->locked = NULL;
		ef->committed = false;
	}
	mutex_unlock(&ef->lock);
	return err;
}

static const struct roc_ioctl roc_endpoint_calls[] = {
	ROC_IOCTL(ROC_EP_INFO, roc_ep_info, user_logic, roc_ep_info),
	ROC_IOCTL(ROC_BAR_INFO, roc_bar_info, mmap_offset, roc_bar_info),
	ROC_IOCTL(ROC_REG_READ, roc_reg, reserved, roc_reg_read, .registers = true),
	ROC_IOCTL(ROC_REG_WRITE, roc_reg, reserved, roc_reg_write, .registers = true),
	ROC_IOCTL(ROC_REG_MODIFY, roc_reg, reserved, roc_reg_modify, .registers = true),
	ROC_IOCTL(ROC_CARD_LOCK, roc_card_lock, deadline, roc_lock, .commit = roc_lock_commit),
	ROC_IOCTL(ROC_CARD_UNLOCK, roc_card_lock, deadline, roc_unlock),
};

static const struct roc_ioctl_table roc_endpoint_ioctls = ROC_IOCTL_TABLE(roc_endpoint_calls);

static long roc_endpoint_ioctl(struct file *file, unsigned int cmd, unsigned long arg)
{
	struct roc_endpoint_file *ef = file->private_data;
	const struct roc_channel_type *type = ef->ep->ops->channel_type;
	const struct roc_ioctl *call = roc_ioctl_find(cmd, &roc_endpoint_ioctls);

	if (!call)
		call = roc_ioctl_find(cmd, type->card_ioctls);
	return roc_ioctl_dispatch(file, call, arg, ef->ep, ef->epoch);
}

/* For handlers of a channel type. */
struct roc_endpoint *roc_endpoint_of(struct file *file)
{
	struct roc_endpoint_file *ef = file->private_data;

	return ef->ep;
}

/* Offset in the BAR of the faulting page. */
static u64 roc_bar_place(const struct vm_fault *vmf, unsigned int *bar)
{
	*bar = (vmf->vma->vm_pgoff >> (ROC_BAR_COOKIE_SHIFT - PAGE_SHIFT)) - 1;
	return ((u64)vmf->pgoff << PAGE_SHIFT) - ROC_BAR_COOKIE(*bar);
}

/*
 * Pages are inserted one by one on first access, inside the SRCU read side. Removal waits for
 * faults in progress and zaps the mappings afterwards, so no page is inserted later. A start that
 * resets the function does the same with @registers.
 */
static vm_fault_t roc_bar_fault(struct vm_fault *vmf)
{
	struct vm_area_struct *vma = vmf->vma;
	struct roc_endpoint_file *ef = vma->vm_file->private_data;
	vm_fault_t ret = VM_FAULT_SIGBUS;
	unsigned int bar;
	u64 offset;
	int idx;

	offset = roc_bar_place(vmf, &bar);
	if (!roc_enter(ef->ep, ef->epoch, &idx))
		return ret;
	if (!down_read_trylock(&ef->ep->registers)) {
		roc_leave(ef->ep, idx);
		return roc_fault_retry();
	}
	ret = vmf_insert_pfn(vma, vmf->address, (ef->ep->bar_start[bar] + offset) >> PAGE_SHIFT);
	up_read(&ef->ep->registers);
	roc_leave(ef->ep, idx);
	return ret;
}

/*
 * First store to a page. Because this operation exists, mm maps every page read-only at first, also
 * after mprotect() and after a zap.
 */
static vm_fault_t roc_bar_mkwrite(struct vm_fault *vmf)
{
	struct roc_endpoint_file *ef = vmf->vma->vm_file->private_data;
	unsigned int bar;
	u64 offset;

	offset = roc_bar_place(vmf, &bar);
	return roc_page_protected(ef->ep, bar, offset) ? VM_FAULT_SIGBUS : 0;
}

static const struct vm_operations_struct roc_bar_vm_ops = {
	.fault = roc_bar_fault,
	.pfn_mkwrite = roc_bar_mkwrite,
};

static int roc_bar_mmap(struct roc_endpoint *ep, struct vm_area_struct *vma)
{
	unsigned long cookie = vma->vm_pgoff >> (ROC_BAR_COOKIE_SHIFT - PAGE_SHIFT);
	u64 offset = ((u64)vma->vm_pgoff << PAGE_SHIFT) & (BIT_ULL(ROC_BAR_COOKIE_SHIFT) - 1);
	u64 length = vma->vm_end - vma->vm_start;
	unsigned int bar = cookie - 1;
	u32 access;

	if (!cookie || bar >= ROC_BARS)
		return -EINVAL;
	bar = array_index_nospec(bar, ROC_BARS);
	if (!ep->bar[bar])
		return -EINVAL;
	if (length > ep->bar_length[bar] || offset > ep->bar_length[bar] - length)
		return -EINVAL;
	if (!(vma->vm_flags & VM_MAYSHARE))
		return -EINVAL;
	access = roc_bar_access(ep, bar);
	if (!roc_bar_writable(ep, bar, offset, length))
		access &= ~ROC_BAR_MMAP_WRITE;
	if (!(access & ROC_BAR_MMAP_READ))
		return -EPERM;
	if (!(access & ROC_BAR_MMAP_WRITE)) {
		if (vma->vm_flags & VM_WRITE)
			return -EPERM;
		vm_flags_clear(vma, VM_MAYWRITE);
	}
	vm_flags_set(vma, VM_IO | VM_PFNMAP | VM_DONTEXPAND | VM_DONTCOPY | VM_DONTDUMP);
	/* Registers are never encrypted, even if memory encryption is active. */
	vma->vm_page_prot = pgprot_decrypted(pgprot_noncached(vma->vm_page_prot));
	vma->vm_ops = &roc_bar_vm_ops;
	return 0;
}

static int roc_endpoint_mmap(struct file *file, struct vm_area_struct *vma)
{
	struct roc_endpoint_file *ef = file->private_data;
	int err, idx;

	if (!roc_enter(ef->ep, ef->epoch, &idx))
		return -ENODEV;
	err = roc_bar_mmap(ef->ep, vma);
	roc_leave(ef->ep, idx);
	return err;
}

/* poll() reports only that the hardware went away; there is nothing to read or write. */
static __poll_t roc_endpoint_poll(struct file *file, poll_table *pt)
{
	struct roc_endpoint_file *ef = file->private_data;

	poll_wait(file, &ef->ep->gone_wait, pt);
	return READ_ONCE(ef->ep->epoch) == ef->epoch ? 0 : EPOLLERR | EPOLLHUP;
}

const struct file_operations roc_endpoint_fops = {
	.owner = THIS_MODULE,
	.open = roc_endpoint_open,
	.release = roc_endpoint_release,
	.unlocked_ioctl = roc_endpoint_ioctl,
	.compat_ioctl = compat_ptr_ioctl,
	.poll = roc_endpoint_poll,
	.mmap = roc_endpoint_mmap,
};
