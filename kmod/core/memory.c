// SPDX-License-Identifier: GPL-2.0-only
/*
 * Lending: who makes memory outlive its owner is charged for it as a user, as by io_uring. The
 * limit that a process was charged against ends with the process.
 */
#include <linux/capability.h>
#include <linux/cred.h>
#include <linux/mm.h>
#include <linux/mutex.h>
#include <linux/sched/signal.h>
#include <linux/sched/user.h>

#include "core/memory.h"

/* @lender and @loans of all memory; no lock is taken under it. */
static DEFINE_MUTEX(roc_lending);

static int roc_memory_charge(struct roc_memory *memory, struct roc_buf_export *arg)
{
	unsigned long pages = memory->length >> PAGE_SHIFT;
	unsigned long limit = rlimit(RLIMIT_MEMLOCK) >> PAGE_SHIFT;
	struct user_struct *user = current_user();
	long locked;

	locked = atomic_long_add_return(pages, &user->locked_vm);
	if (locked > limit && !capable(CAP_IPC_LOCK)) {
		atomic_long_sub(pages, &user->locked_vm);
		arg->why = ROC_WHY_MEMLOCK;
		arg->limit = rlimit(RLIMIT_MEMLOCK);
		arg->pinned = (u64)(locked - pages) << PAGE_SHIFT;
		return -ENOMEM;
	}
	memory->lender = get_current_cred();
	return 0;
}

int roc_memory_lend(struct roc_memory *memory, struct roc_buf_export *arg)
{
	int err = 0;

	mutex_lock(&roc_lending);
	if (!memory->loans)
		err = roc_memory_charge(memory, arg);
	if (!err) {
		memory->loans++;
		roc_memory_get(memory);
	}
	mutex_unlock(&roc_lending);
	return err;
}

void roc_memory_return(struct roc_memory *memory)
{
	mutex_lock(&roc_lending);
	if (!--memory->loans) {
		atomic_long_sub(memory->length >> PAGE_SHIFT, &memory->lender->user->locked_vm);
		put_cred(memory->lender); /* free_uid() is not exported before Linux 6.2 */
	}
	mutex_unlock(&roc_lending);
	roc_memory_put(memory);
}

static void roc_memory_last(struct kref *refs)
{
	struct roc_memory *memory = container_of(refs, struct roc_memory, refs);

	memory->free(memory);
}

void roc_memory_put(struct roc_memory *memory)
{
	kref_put(&memory->refs, roc_memory_last);
}
