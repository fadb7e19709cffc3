// SPDX-License-Identifier: LGPL-2.1-or-later
/* Open, configure, start and stop a sub-unit, and query a card's sub-units without opening them. */
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "fragment.h"
#include "libroc.h"
#include "named.h"

LIBROC_NAMED_LAYOUT(roc_fr, sub);

static int fail_settings(const struct libroc_target *t, int err, const void *settings)
{
	const struct roc_fr_settings *arg = settings;

	switch (err) {
	case ERANGE:
		return roc_fail(
			ERANGE,
			"%s: the card rejected a setting (set 0x%x): links 0x%x, interrupt after %u fragments or %u ns, %u requests or %u ns: see roc_fr_settings",
			t->name, arg->set, arg->links, arg->data_count, arg->data_time,
			arg->done_count, arg->done_time);
	case EINVAL:
		return roc_fail(EINVAL, "%s: unknown settings in set 0x%x: see enum roc_fr_set",
				t->name, arg->set);
	default:
		return 0;
	}
}

static const struct libroc_named_type type = {
	.one = "sub-unit",
	.many = "sub-units",
	.title = "",
	.cap = ROC_CAP_FRAGMENTS,
	.lacks =
		"the card has no sub-units, because its channels are of another type: see roc-list-cards for the type of the card",
	.levels = "enum roc_fr_level",
	.mild = "ROC_FR_RESET_COUNTERS",
	.busy = "runs or is open in another process: stop it first and wait until it is closed",
	.handle_size = sizeof(struct roc_fragments),
	.info = ROC_FR_INFO,
	.info_size = sizeof(struct roc_fr_info),
	.settings = ROC_FR_SETTINGS,
	.settings_size = sizeof(struct roc_fr_settings),
	.settings_zero = offsetof(struct roc_fr_settings, reserved),
	.fail_settings = fail_settings,
	.reset = ROC_FR_RESET,
	.stop = ROC_FR_STOP,
};

int roc_card_fragments(struct roc_endpoint *ep, unsigned int sub, struct roc_fr_info *info)
{
	return libroc_named_info(libroc_target_card(&type, ep, sub), info);
}

int roc_card_fragments_find(struct roc_endpoint *ep, const char *name, unsigned int *sub)
{
	return libroc_named_find(&type, ep, name, sub);
}

int roc_fragments_open(const char *id, const char *sub, struct roc_fragments **f)
{
	struct roc_card card;
	int ret;

	ret = roc_find(id, &card);
	return ret ? ret : roc_fragments_open_card(&card, id, sub, f);
}

int roc_fragments_open_card(const struct roc_card *card, const char *id, const char *sub,
			    struct roc_fragments **f)
{
	struct libroc_named *c;
	struct roc_fr_info info;
	int ret;

	ret = libroc_named_open(card, id, sub, &type, &info, &c);
	if (ret)
		return ret;
	*f = (struct roc_fragments *)c;
	(*f)->links = info.links;
	return 0;
}

void roc_fragments_close(struct roc_fragments *f)
{
	if (!f)
		return;
	/*
	 * Close before unmapping: the driver stops the card when the opener's last descriptor is
	 * closed, mapped or not. In a forked child this stops nothing.
	 */
	close(f->c.node.fd);
	libroc_fragment_unmap(f);
	roc_fragment_index_free(f->index);
	free(f->card_pages);
	free(f->host_pages);
	free(f);
}

const char *roc_fragments_name(const struct roc_fragments *f)
{
	return f->c.own;
}

unsigned int roc_fragments_number(const struct roc_fragments *f)
{
	return f->c.number;
}

unsigned int roc_fragments_links(const struct roc_fragments *f)
{
	return f->links;
}

int roc_fragments_fd(const struct roc_fragments *f)
{
	return f->c.node.fd;
}

int roc_fragments_eventfd(struct roc_fragments *f, int eventfd)
{
	return libroc_eventfd(&f->c.node, f->c.name, eventfd);
}

int roc_fragments_settings(struct roc_fragments *f, struct roc_fr_settings *settings)
{
	return libroc_named_settings(libroc_target_own(&f->c), settings);
}

int roc_card_fragments_settings(struct roc_endpoint *ep, unsigned int sub,
				struct roc_fr_settings *settings)
{
	return libroc_named_settings(libroc_target_card(&type, ep, sub), settings);
}

int roc_fragments_reset(struct roc_fragments *f, enum roc_fr_level level)
{
	return libroc_named_reset(libroc_target_own(&f->c), level);
}

int roc_card_fragments_reset(struct roc_endpoint *ep, unsigned int sub, enum roc_fr_level level)
{
	return libroc_named_reset(libroc_target_card(&type, ep, sub), level);
}

static int fail_start(int err, const struct roc_fragments *f, const struct roc_fr_start *arg)
{
	if (arg->reason == ROC_REASON_CONTIGUITY)
		return roc_fail(
			err,
			"%s: a host page of %u bytes is not contiguous for the card: use hugepages (roc_memory_alloc() without plain pages), or smaller host pages",
			f->c.name, f->host_page_size);
	if (arg->reason)
		return roc_fail(err, "%s: cannot start (the limit is %llu): %s", f->c.name,
				(unsigned long long)arg->limit, roc_reason_text(arg->reason));
	return libroc_fail_start(err, f->c.name);
}

/*
 * Take over the positions of a failed start. Such a start may or may not have zeroed the rings. If
 * it did, it also set the user positions back, and the library must follow: in every other lap a
 * zeroed entry has the phase of a valid one. Outstanding requests will not complete.
 */
static void resync_after_failed_start(struct roc_fragments *f)
{
	uint32_t taken = __atomic_load_n(&f->user->descriptors, __ATOMIC_RELAXED);
	uint32_t done = __atomic_load_n(&f->user->completions, __ATOMIC_RELAXED);

	if (taken == f->taken && done == f->done)
		return;
	f->start = taken;
	f->taken = taken;
	f->done = done;
}

int roc_fragments_start(struct roc_fragments *f)
{
	struct roc_fr_start arg = {.size = sizeof(arg)};
	int ret;

	ret = f->pages ? libroc_need_fragment_rings(f) : roc_fragments_rings(f, 0, 0, 0, 0);
	if (ret)
		return ret;
	ret = libroc_node_ioctl(&f->c.node, ROC_FR_START, &arg);
	if (ret) {
		resync_after_failed_start(f);
		return fail_start(-ret, f, &arg);
	}
	libroc_fragment_forget(f);
	libroc_fragment_begin(f, arg.start);
	return roc_fragments_flush(f);
}

int roc_fragments_stop(struct roc_fragments *f, bool now)
{
	struct roc_fr_stop arg = {.size = sizeof(arg), .flags = now ? ROC_FR_STOP_NOW : 0};

	/* Report queued requests, so that the card completes them if the stop leaves it time. */
	if (!now)
		roc_fragments_flush(f);
	return libroc_named_stop(&f->c, &arg);
}

bool roc_fragments_running(const struct roc_fragments *f)
{
	return f->pages && libroc_is_opener(&f->c.node) &&
	       !(__atomic_load_n(&f->kernel->flags, __ATOMIC_RELAXED) & ROC_FR_STOPPED);
}
