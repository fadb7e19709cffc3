// SPDX-License-Identifier: GPL-2.0-only
/*
 * State, failure reason and owner of a channel, for readers that cannot wait for the channel lock:
 * a start or a stop holds it for long.
 */
#include <linux/pid.h>
#include <linux/sched/signal.h>

#include "core/roc.h"

/* A reader that sees @state also sees everything that was written before. */
void roc_set_state(struct roc_channel *ch, enum roc_ch_state state, enum roc_reason reason)
{
	lockdep_assert_held(&ch->lock);
	spin_lock(&ch->state_lock);
	ch->reason = state == ROC_CH_FAILED ? reason : ROC_REASON_NONE;
	/* Pairs with roc_state(). */
	smp_store_release(&ch->state, state);
	spin_unlock(&ch->state_lock);
}

/*
 * Record why a start was refused. The state does not change; @reason stays until the next change of
 * state or refusal.
 */
void roc_set_refused(struct roc_channel *ch, enum roc_reason reason)
{
	lockdep_assert_held(&ch->lock);
	spin_lock(&ch->state_lock);
	ch->reason = reason;
	spin_unlock(&ch->state_lock);
}

/*
 * Record that a start is in progress.
 *
 * A start reads the configuration of the card long before the channel runs, so it must be visible
 * before that read. A configuration program that writes a register and then sees no start in
 * progress may rely on later starts to read the new value. The card lock orders both, because
 * register ioctls write under it.
 */
void roc_set_starting(struct roc_channel *ch, bool starting)
{
	struct roc_card *card = ch->ep->card;
	int change = starting ? 1 : -1;

	mutex_lock(&card->lock);
	WRITE_ONCE(card->starting, card->starting + change);
	WRITE_ONCE(ch->starting, ch->starting + change);
	mutex_unlock(&card->lock);
}

/* Consumes the reference to @pid. */
void roc_set_owner(struct roc_channel *ch, struct pid *pid, const char *name)
{
	struct pid *old;

	spin_lock(&ch->state_lock);
	old = ch->owner;
	ch->owner = pid;
	strscpy(ch->owner_name, name, sizeof(ch->owner_name));
	spin_unlock(&ch->state_lock);
	put_pid(old);
}

/*
 * PID of the process in the namespace of the caller. Return: 0 if the process is outside of that
 * namespace, or has ended, because its number may have been reused.
 */
pid_t roc_pid_for_caller(struct pid *pid)
{
	struct task_struct *leader;
	pid_t number = 0;

	rcu_read_lock();
	leader = pid_task(pid, PIDTYPE_TGID);
	if (leader && !(READ_ONCE(leader->exit_state) && thread_group_empty(leader)))
		number = pid_vnr(pid);
	rcu_read_unlock();
	return number;
}

struct roc_channel_snapshot roc_channel_snapshot(struct roc_channel *ch)
{
	struct roc_channel_snapshot s;

	spin_lock(&ch->state_lock);
	s.state = ch->state;
	s.reason = ch->reason;
	s.owner = roc_pid_for_caller(ch->owner);
	strscpy(s.owner_name, ch->owner_name, sizeof(s.owner_name));
	spin_unlock(&ch->state_lock);
	return s;
}
