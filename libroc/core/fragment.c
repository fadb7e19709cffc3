// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * An open sub-unit: which one, its settings, start, stop; and what can be asked of a card's
 * sub-units without opening them.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "asked.h"
#include "fragment.h"
#include "libroc.h"

static int name_of(struct roc_endpoint *ep, unsigned int number, char name[ROC_TEXT_MAX]);

static const struct libroc_kind kind = {
	.one = "sub-unit",
	.many = "sub-units",
	.cap = ROC_CAP_FRAGMENTS,
	.lacks = "the card keeps no fragments, its channels are of another kind: see "
		 "roc-list-cards for what it is",
	.levels = "enum roc_fr_level",
	.mild = "ROC_FR_RESET_COUNTERS",
	.busy = "runs, or has the settings of who has it open: stop it first, wait for its end",
	.name = name_of,
};

static struct libroc_asked endpoint(struct roc_endpoint *ep)
{
	return (struct libroc_asked){.kind = &kind, .ep = ep, .name = ep->name};
}

static struct libroc_asked itself(const struct roc_fragments *f)
{
	return (struct libroc_asked){.kind = &kind, .node = &f->node, .name = f->name};
}

static int get_info(struct libroc_asked a, unsigned int sub, struct roc_fr_info *info)
{
	*info = (struct roc_fr_info){.size = sizeof(*info), .sub = sub};
	return libroc_ask(&a, ROC_FR_INFO, info);
}

static int name_of(struct roc_endpoint *ep, unsigned int number, char name[ROC_TEXT_MAX])
{
	struct roc_fr_info info;
	int ret = get_info(endpoint(ep), number, &info);

	if (!ret)
		snprintf(name, ROC_TEXT_MAX, "%.*s", ROC_TEXT_MAX - 1, info.name);
	return ret;
}

int roc_card_fragments(struct roc_endpoint *ep, unsigned int sub, struct roc_fr_info *info)
{
	struct libroc_asked a = endpoint(ep);
	struct roc_fr_info arg;
	int ret = get_info(a, sub, &arg);

	if (ret)
		return libroc_fail_asked(&a, -ret, sub, "cannot ask for a sub-unit's state");
	*info = arg;
	return 0;
}

int roc_card_fragments_find(struct roc_endpoint *ep, const char *name, unsigned int *sub)
{
	return libroc_find_named(&kind, ep, name, sub);
}

int roc_fragments_open(const char *id, const char *sub, struct roc_fragments **f)
{
	struct roc_card card;
	int ret;

	ret = roc_find(id, &card);
	return ret ? ret : roc_fragments_open_card(&card, id, sub, f);
}

/* Which sub-unit, and what it is called. */
static int find(const struct roc_card *card, const char *id, const char *sub,
		struct roc_fragments *f)
{
	struct roc_endpoint *ep;
	struct roc_fr_info info;
	int ret;

	ret = roc_open_card(card, id, &ep);
	if (ret)
		return ret;
	ret = roc_card_fragments_find(ep, sub, &f->number);
	if (!ret)
		ret = roc_card_fragments(ep, f->number, &info);
	if (!ret) {
		snprintf(f->sub, sizeof(f->sub), "%.*s", ROC_TEXT_MAX - 1, info.name);
		snprintf(f->name, sizeof(f->name), "%s %s", ep->name, f->sub);
		f->links = info.links;
	}
	roc_close(ep);
	return ret;
}

int roc_fragments_open_card(const struct roc_card *card, const char *id, const char *sub,
			    struct roc_fragments **f)
{
	struct roc_fragments *new;
	int ret;

	new = calloc(1, sizeof(*new));
	if (!new)
		return libroc_fail_text(ENOMEM, "no memory for a sub-unit's handle");
	ret = find(card, id, sub, new);
	if (ret)
		goto fail;
	ret = libroc_open_channel(card, new->number, new->name, kind.one, &new->node);
	if (ret)
		goto fail;
	*f = new;
	return 0;

fail:
	free(new);
	return ret;
}

void roc_fragments_close(struct roc_fragments *f)
{
	if (!f)
		return;
	/*
	 * First: with the opener's last descriptor the driver stops the card, mapped or not. In a
	 * forked child this stops nothing.
	 */
	close(f->node.fd);
	libroc_fragment_unmap(f);
	roc_fragment_index_free(f->index);
	free(f->card_pages);
	free(f->host_pages);
	free(f);
}

const char *roc_fragments_name(const struct roc_fragments *f)
{
	return f->sub;
}

unsigned int roc_fragments_number(const struct roc_fragments *f)
{
	return f->number;
}

unsigned int roc_fragments_links(const struct roc_fragments *f)
{
	return f->links;
}

int roc_fragments_fd(const struct roc_fragments *f)
{
	return f->node.fd;
}

int roc_fragments_eventfd(struct roc_fragments *f, int eventfd)
{
	return libroc_eventfd(&f->node, f->name, eventfd);
}

int roc_fragments_info(struct roc_fragments *f, struct roc_fr_info *info)
{
	struct roc_fr_info arg;
	int ret = get_info(itself(f), f->number, &arg);

	if (ret)
		return libroc_fail_ioctl(-ret, f->name, "cannot get the sub-unit's state");
	*info = arg;
	return 0;
}

static int change_settings(struct libroc_asked a, unsigned int sub,
			   struct roc_fr_settings *settings)
{
	struct roc_fr_settings arg = *settings;
	int ret;

	arg.size = sizeof(arg);
	arg.flags = 0;
	arg.sub = sub;
	arg.reserved = 0;
	ret = libroc_ask(&a, ROC_FR_SETTINGS, &arg);
	switch (-ret) {
	case 0:
		*settings = arg;
		return 0;
	case ERANGE:
		return roc_fail(ERANGE,
				"%s: the card does not take a setting (set 0x%x): links 0x%x, "
				"interrupt after %u fragments or %u ns, %u requests or %u ns: see "
				"roc_fr_settings",
				a.name, arg.set, arg.links, arg.data_count, arg.data_time,
				arg.done_count, arg.done_time);
	case EINVAL:
		return roc_fail(EINVAL, "%s: unknown settings in set 0x%x: see enum roc_fr_set",
				a.name, arg.set);
	default:
		return libroc_fail_asked(&a, -ret, sub, "cannot change the sub-unit's settings");
	}
}

int roc_fragments_settings(struct roc_fragments *f, struct roc_fr_settings *settings)
{
	return change_settings(itself(f), f->number, settings);
}

int roc_card_fragments_settings(struct roc_endpoint *ep, unsigned int sub,
				struct roc_fr_settings *settings)
{
	return change_settings(endpoint(ep), sub, settings);
}

static int reset(struct libroc_asked a, unsigned int sub, enum roc_fr_level level)
{
	struct roc_fr_reset arg = {.size = sizeof(arg), .sub = sub, .level = level};

	return libroc_reset_asked(&a, ROC_FR_RESET, &arg, sub, level);
}

int roc_fragments_reset(struct roc_fragments *f, enum roc_fr_level level)
{
	return reset(itself(f), f->number, level);
}

int roc_card_fragments_reset(struct roc_endpoint *ep, unsigned int sub, enum roc_fr_level level)
{
	return reset(endpoint(ep), sub, level);
}

static int fail_start(int err, const struct roc_fragments *f, const struct roc_fr_start *arg)
{
	if (arg->why == ROC_WHY_CONTIGUITY)
		return roc_fail(err,
				"%s: a host page of %u bytes is not contiguous for the card: take "
				"hugepages (roc_memory_alloc() without plain pages), or smaller "
				"host pages",
				f->name, f->host_page_size);
	if (arg->why)
		return roc_fail(err, "%s: cannot start (the limit is %llu): %s", f->name,
				(unsigned long long)arg->limit, roc_why_text(arg->why));
	return libroc_fail_start(err, f->name);
}

/*
 * A start that fails may have zeroed the rings, or not have come so far. It sets back what we have
 * said that we took: then we do so, too, because in every other lap a zeroed entry has the phase of
 * one that is there. What is outstanding will not be done.
 */
static void look_where_it_failed(struct roc_fragments *f)
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
	ret = libroc_node_ioctl(&f->node, ROC_FR_START, &arg);
	if (ret) {
		look_where_it_failed(f);
		return fail_start(-ret, f, &arg);
	}
	libroc_fragment_forget(f);
	libroc_fragment_begin(f, arg.start);
	return roc_fragments_flush(f);
}

int roc_fragments_stop(struct roc_fragments *f, bool now)
{
	struct roc_fr_stop arg = {.size = sizeof(arg), .flags = now ? ROC_FR_STOP_NOW : 0};
	struct roc_fr_info info;
	int ret;

	/* What was requested is done, if there is time for that. */
	if (!now)
		roc_fragments_flush(f);
	ret = libroc_node_ioctl(&f->node, ROC_FR_STOP, &arg);
	if (ret == -EALREADY) {
		if (get_info(itself(f), f->number, &info))
			info.state = ROC_CH_STOPPED;
		return libroc_fail_idle(f->name, info.state, info.why, LIBROC_NOTHING_TO_STOP);
	}
	return ret ? libroc_fail_stop(-ret, f->name) : 0;
}

bool roc_fragments_running(const struct roc_fragments *f)
{
	return f->pages && libroc_is_opener(&f->node) &&
	       !(__atomic_load_n(&f->kernel->flags, __ATOMIC_RELAXED) & ROC_FR_STOPPED);
}
