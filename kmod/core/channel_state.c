// SPDX-License-Identifier: GPL-2.0-only
/*
 * What a channel says of itself to who looks without its lock, which a start or a stop holds for
 * long: how it is and why, and whose it is.
 */
#include <linux/pid.h>
#include <linux/sched/signal.h>

#include "core/roc.h"

/* Whoever sees @state sees all that came before, too. */
void roc_set_state(struct roc_channel *ch, enum roc_ch_state state, enum roc_reason reason)
{
	lockdep_assert_held(&ch->lock);
	spin_lock(&ch->state_lock);
	ch->reason = state == ROC_CH_FAILED ? reason : ROC_REASON_NONE;
	/* Pairs with roc_state(). */
	smp_store_release(&ch->state, state);
	spin_unlock(&ch->state_lock);
}

/* A start was refused, which changes no state: @reason stays until the next one. */
void roc_set_refused(struct roc_channel *ch, enum roc_reason reason)
{
	lockdep_assert_held(&ch->lock);
	spin_lock(&ch->state_lock);
	ch->reason = reason;
	spin_unlock(&ch->state_lock);
}

/*
 * Note that a start is in progress. A start reads the card's configuration long before the channel
 * runs, so it must be visible before that read: a configurator that writes a register and then sees
 * no start knows that a later start reads the new word. The card lock orders the two, because the
 * configurator writes under it.
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

/* Takes the reference to @pid. */
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
 * The number of process @pid as the caller sees it. 0 if the process is outside of the caller's
 * namespace or has ended: its number may be another process's by now.
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
