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

#include "fragment.h"
#include "libroc.h"

#define SUBS_MAX 16 /* of a card */

static int fail_no_subs(const char *name)
{
	return roc_fail(EOPNOTSUPP,
			"%s: the card keeps no fragments, its channels are of another kind: see "
			"roc-list-cards for what it is",
			name);
}

/*
 * Who is asked: the endpoint, or the sub-unit's own node. An endpoint with other channels may not
 * know the question (-ENOTTY), as an old module does not know it anywhere.
 */
struct asked {
	struct roc_endpoint *ep; /* NULL: the sub-unit */
	int fd;
	const char *name;
};

static int ask(const struct asked *a, unsigned long request, void *arg)
{
	struct roc_ep_info info = {.size = sizeof(info)};
	int ret;

	if (!a->ep)
		return libroc_ioctl(a->fd, request, arg);
	ret = a->ep->backend->ioctl(a->ep, request, arg);
	if (ret == -ENOTTY && !a->ep->backend->ioctl(a->ep, ROC_EP_INFO, &info) &&
	    !(info.caps & ROC_CAP_FRAGMENTS))
		return -EOPNOTSUPP;
	return ret;
}

static struct asked endpoint(struct roc_endpoint *ep)
{
	return (struct asked){.ep = ep, .name = ep->name};
}

static struct asked itself(const struct roc_fragments *f)
{
	return (struct asked){.fd = f->fd, .name = f->name};
}

static int get_info(struct asked a, unsigned int sub, struct roc_fr_info *info)
{
	*info = (struct roc_fr_info){.size = sizeof(*info), .sub = sub};
	return ask(&a, ROC_FR_INFO, info);
}

int roc_card_fragments(struct roc_endpoint *ep, unsigned int sub, struct roc_fr_info *info)
{
	struct roc_fr_info arg;
	int ret = get_info(endpoint(ep), sub, &arg);

	switch (-ret) {
	case 0:
		*info = arg;
		return 0;
	case ENOENT:
		return roc_fail(ENOENT, "%s: the card has no sub-unit %u", ep->name, sub);
	case EOPNOTSUPP:
		return fail_no_subs(ep->name);
	default:
		return libroc_fail_ioctl(-ret, ep->name, "cannot ask for a sub-unit's state");
	}
}

int roc_card_fragments_find(struct roc_endpoint *ep, const char *name, unsigned int *sub)
{
	char list[SUBS_MAX * (ROC_TEXT_MAX + 2)] = "", *end;
	unsigned long wanted = strtoul(name, &end, 10);
	struct roc_fr_info info;
	unsigned int i;
	size_t used = 0;
	int ret = 0;

	for (i = 0; i < SUBS_MAX; i++) {
		ret = get_info(endpoint(ep), i, &info);
		if (ret)
			break;
		if ((*name && !*end && wanted == i) || !strncmp(name, info.name, ROC_TEXT_MAX)) {
			*sub = i;
			return 0;
		}
		used += snprintf(list + used, sizeof(list) - used, "%s%.*s", i ? ", " : "",
				 ROC_TEXT_MAX, info.name);
	}
	if (ret == -EOPNOTSUPP)
		return fail_no_subs(ep->name);
	if (ret && ret != -ENOENT)
		return libroc_fail_ioctl(-ret, ep->name, "cannot ask for its sub-units");
	return roc_fail(ENOENT, "%s: the card has no sub-unit '%s'; it has %s", ep->name, name,
			used ? list : "none");
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
	char node[48];
	int ret;

	new = calloc(1, sizeof(*new));
	if (!new)
		return libroc_fail_text(ENOMEM, "no memory for a sub-unit's handle");
	ret = find(card, id, sub, new);
	if (ret)
		goto fail;
	snprintf(node, sizeof(node), "%sch%u", card->node, new->number);
	ret = libroc_open_node(new->name, node);
	if (ret == -EBUSY)
		ret = libroc_fail_owned(card, new->number, new->name, "sub-unit");
	if (ret < 0)
		goto fail;
	new->fd = ret;
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
	/* First: the driver stops the card. */
	close(f->fd);
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
	return f->fd;
}

int roc_fragments_eventfd(struct roc_fragments *f, int eventfd)
{
	return libroc_eventfd(f->fd, f->name, eventfd);
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

static int change_settings(struct asked a, unsigned int sub, struct roc_fr_settings *settings)
{
	struct roc_fr_settings arg = *settings;
	int ret;

	arg.size = sizeof(arg);
	arg.flags = 0;
	arg.sub = sub;
	arg.reserved = 0;
	ret = ask(&a, ROC_FR_SETTINGS, &arg);
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
	case EOPNOTSUPP:
		return fail_no_subs(a.name);
	case ENOENT:
		return roc_fail(ENOENT, "%s: the card has no sub-unit %u", a.name, sub);
	case EINVAL:
		return roc_fail(EINVAL, "%s: unknown settings in set 0x%x: see enum roc_fr_set",
				a.name, arg.set);
	case EBUSY:
		return roc_fail(EBUSY, "%s: sub-unit %u is in use: who has it changes its settings",
				a.name, sub);
	default:
		return libroc_fail_ioctl(-ret, a.name, "cannot change the sub-unit's settings");
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

static int reset(struct asked a, unsigned int sub, enum roc_fr_level level)
{
	struct roc_fr_reset arg = {.size = sizeof(arg), .sub = sub, .level = level};
	int ret = ask(&a, ROC_FR_RESET, &arg);

	switch (-ret) {
	case 0:
		return 0;
	case EBUSY:
		return roc_fail(EBUSY,
				"%s: cannot reset so much of a sub-unit that runs: stop it first, "
				"or take ROC_FR_RESET_COUNTERS",
				a.name);
	case EINVAL:
		return roc_fail(EINVAL, "%s: there is no reset level %u: see enum roc_fr_level",
				a.name, arg.level);
	case ENOENT:
		return roc_fail(ENOENT, "%s: the card has no sub-unit %u", a.name, sub);
	case EOPNOTSUPP:
		return fail_no_subs(a.name);
	case EIO:
		return roc_fail(EIO,
				"%s: the card answers all ones, or the reset does not show: it is "
				"off the bus, or load its firmware anew",
				a.name);
	default:
		return libroc_fail_ioctl(-ret, a.name, "cannot reset");
	}
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
	switch (err) {
	case EBUSY:
		return roc_fail(EBUSY, "%s: is running already: stop it first", f->name);
	case EIO:
		return roc_fail(EIO,
				"%s: the card does not do as it is told, or is off the bus: start "
				"again; if it comes back, load the card's firmware anew",
				f->name);
	default:
		return libroc_fail_ioctl(err, f->name, "cannot start");
	}
}

int roc_fragments_start(struct roc_fragments *f)
{
	struct roc_fr_start arg = {.size = sizeof(arg)};
	int ret;

	if (!f->pages) {
		ret = roc_fragments_rings(f, 0, 0, 0, 0);
		if (ret)
			return ret;
	}
	ret = libroc_ioctl(f->fd, ROC_FR_START, &arg);
	if (ret)
		return fail_start(-ret, f, &arg);
	libroc_fragment_forget(f);
	libroc_fragment_begin(f, arg.start);
	return roc_fragments_flush(f);
}

int roc_fragments_stop(struct roc_fragments *f, bool now)
{
	struct roc_fr_stop arg = {.size = sizeof(arg), .flags = now ? ROC_FR_STOP_NOW : 0};
	int ret;

	/* What was requested is done, if there is time for that. */
	if (!now)
		roc_fragments_flush(f);
	ret = libroc_ioctl(f->fd, ROC_FR_STOP, &arg);
	if (ret == -EALREADY)
		return roc_fail(EALREADY, "%s: is not running: there is nothing to stop", f->name);
	if (ret == -EIO)
		return roc_fail(EIO,
				"%s: the card broke its contract before it was stopped: "
				"roc_fragments_info() says how",
				f->name);
	return ret ? libroc_fail_ioctl(-ret, f->name, "cannot stop") : 0;
}

bool roc_fragments_running(const struct roc_fragments *f)
{
	return f->pages && !(__atomic_load_n(&f->kernel->flags, __ATOMIC_RELAXED) & ROC_FR_STOPPED);
}
