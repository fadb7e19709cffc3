// SPDX-License-Identifier: LGPL-2.1-or-later
/* Open, configure, start, stop and reset a DMA channel. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "libroc.h"

int libroc_fail_owned(const char *address, unsigned int channel, const char *text, const char *rule,
		      const char *otherwise)
{
	char name[64] = "";
	int pid;

	/* The owner may have closed the channel between the failed open and this query. */
	if (roc_channel_owner(address, channel, &pid, name, sizeof(name)))
		return roc_fail(EBUSY, "%s was in use during the open, and is free now: try again",
				text);
	if (!pid)
		return roc_fail(
			EBUSY,
			"%s is in use by %s, whose PID is not visible here: it runs in another container, or it has ended and another process shares its descriptors: %s; end that program%s",
			text, name, rule, otherwise);
	return roc_fail(EBUSY, "%s is in use by PID %d (%s): %s; end that program (kill %d)%s",
			text, pid, name[0] ? name : "name unknown", rule, pid, otherwise);
}

int libroc_open_channel(const struct roc_card *card, unsigned int channel, const char *name,
			const char *what, struct libroc_node *node)
{
	char path[48], rule[48], otherwise[48];
	int ret;

	/* Before the open: a node that was opened must be usable. */
	ret = libroc_node_belongs(node, name);
	if (ret)
		return ret;
	snprintf(path, sizeof(path), "%sch%u", card->node, channel);
	ret = libroc_open_node(card, name, path);
	if (ret >= 0) {
		node->fd = ret;
		return 0;
	}
	if (ret != -EBUSY)
		return ret;
	snprintf(rule, sizeof(rule), "a %s has one owner", what);
	snprintf(otherwise, sizeof(otherwise), " or open another %s", what);
	return libroc_fail_owned(card->pci_address, channel, name, rule, otherwise);
}

int roc_channel_open(const char *id, unsigned int channel, struct roc_channel **ch)
{
	struct roc_card card;
	int ret;

	ret = roc_find(id, &card);
	return ret ? ret : roc_channel_open_card(&card, id, channel, ch);
}

int roc_channel_open_card(const struct roc_card *card, const char *id, unsigned int channel,
			  struct roc_channel **ch)
{
	char name[ROC_CARD_NAME_MAX];
	struct roc_channel *new;
	int ret;

	roc_card_name(card, id, name, sizeof(name));
	if (card->channels < 0 || channel >= (unsigned int)card->channels)
		return roc_fail(ENOENT, "%s has no channel %u: it has %d, from 0", name, channel,
				card->channels);
	new = calloc(1, sizeof(*new));
	if (!new)
		return libroc_fail_text(ENOMEM, "cannot allocate the handle of a channel");
	snprintf(new->name, sizeof(new->name), "%s channel %u", name, channel);
	ret = libroc_open_channel(card, channel, new->name, "channel", &new->node);
	if (ret) {
		free(new);
		return ret;
	}
	new->type = card->type;
	*ch = new;
	return 0;
}

void roc_channel_close(struct roc_channel *ch)
{
	if (!ch)
		return;
	if (ch->have_rings) {
		libroc_node_unmap(&ch->node, ch->rings.user, ch->made.user_length);
		libroc_node_unmap(&ch->node, ch->rings.kernel, ch->made.kernel_length);
	}
	close(ch->node.fd);
	free(ch);
}

int roc_channel_fd(const struct roc_channel *ch)
{
	return ch->node.fd;
}

const char *roc_channel_name(const struct roc_channel *ch)
{
	return ch->name;
}

enum roc_card_type roc_channel_card_type(const struct roc_channel *ch)
{
	return ch->type;
}

int roc_channel_info(struct roc_channel *ch, struct roc_ch_info *info)
{
	struct roc_ch_info arg = {.size = sizeof(arg)};
	int ret = libroc_node_ioctl(&ch->node, ROC_CH_INFO, &arg);

	if (ret < 0)
		return libroc_fail_ioctl(-ret, ch->name, "cannot get the channel's state");
	*info = arg;
	return 0;
}

int roc_channel_losses(struct roc_channel *ch, struct roc_ch_losses *losses)
{
	struct roc_ch_losses arg = {.size = sizeof(arg)};
	uint32_t size = losses->size;
	int ret;

	if (size < sizeof(arg))
		return roc_fail(EINVAL, "%s: struct roc_ch_losses has at least %zu bytes, not %u",
				ch->name, sizeof(arg), size);
	ret = libroc_node_ioctl(&ch->node, ROC_CH_LOSSES, &arg);
	if (ret < 0)
		return libroc_fail_ioctl(-ret, ch->name, "cannot get the channel's losses");
	memset(losses, 0, size);
	*losses = arg;
	losses->size = size;
	return 0;
}

int roc_channel_configure(struct roc_channel *ch, const struct roc_channel_config *config)
{
	struct roc_ch_configure arg = {
		.size = sizeof(arg),
		.flags = config->flags,
		.source = config->source,
		.mode = config->mode,
		.links = config->links,
		.page_size = config->page_size,
	};
	int ret = libroc_node_ioctl(&ch->node, ROC_CH_CONFIGURE, &arg);

	switch (-ret) {
	case 0:
		ch->mode = config->mode;
		return 0;
	case EBUSY:
		return roc_fail(EBUSY, "%s: cannot configure while running: stop it first",
				ch->name);
	case EOPNOTSUPP:
		return roc_fail(
			EOPNOTSUPP,
			"%s: the card does not have source %u, mode %u, page size %u or flags 0x%x: roc_info() returns the supported values in caps and page_size",
			ch->name, arg.source, arg.mode, arg.page_size, arg.flags);
	case ENOLINK:
		return roc_fail(
			ENOLINK,
			"%s: not all links of mask 0x%x are enabled in the card: enable them there first, or select the enabled links with mask 0",
			ch->name, arg.links);
	case EINVAL:
		return roc_fail(
			EINVAL,
			"%s: cannot configure: unknown source %u, unknown mode %u, unknown flags 0x%x, or links 0x%x beyond the card's",
			ch->name, arg.source, arg.mode, arg.flags, arg.links);
	default:
		return libroc_fail_ioctl(-ret, ch->name, "cannot configure the channel");
	}
}

int roc_channel_mode(struct roc_channel *ch, enum roc_mode mode)
{
	struct roc_ch_mode arg = {.size = sizeof(arg), .mode = mode};
	int ret = libroc_node_ioctl(&ch->node, ROC_CH_MODE, &arg);

	switch (-ret) {
	case 0:
		ch->mode = mode;
		return 0;
	case EOPNOTSUPP:
		return roc_fail(
			EOPNOTSUPP,
			"%s: the card does not support ROC_MODE_EVENT: use ROC_MODE_TIMER or ROC_MODE_BUSY",
			ch->name);
	case EINVAL:
		return roc_fail(EINVAL, "%s: there is no mode %u: see enum roc_mode", ch->name,
				arg.mode);
	default:
		return libroc_fail_ioctl(-ret, ch->name, "cannot change the mode");
	}
}

static int fail_link_down(const struct roc_channel *ch, const char *what)
{
	return roc_fail(
		ENOLINK,
		"%s: %s: the link is down: check that the front end is on, the fibre plugged in and the laser on (roc-config); roc-status shows the optical power",
		ch->name, what);
}

static int fail_silent(const struct roc_channel *ch, const char *what)
{
	return roc_fail(
		ETIME,
		"%s: %s: the far end of the link did not answer in time: try roc-reset --reset=INTERNAL_SIU; roc-siu-status shows its status",
		ch->name, what);
}

/* The driver keeps the failure reason until the next start. */
static int fail_start(const struct roc_channel *ch)
{
	struct roc_ch_info info = {.size = sizeof(info)};

	if (libroc_node_ioctl(&ch->node, ROC_CH_INFO, &info) || !info.reason)
		return libroc_fail_ioctl(EIO, ch->name, "cannot start");
	return roc_fail(EIO, "%s: cannot start: %s", ch->name, roc_reason_text(info.reason));
}

int roc_channel_start(struct roc_channel *ch)
{
	struct roc_ch_control arg = {.size = sizeof(arg)};
	int ret;

	if (!ch->have_rings) {
		ret = roc_channel_rings(ch, 0, 0);
		if (ret)
			return ret;
	}
	ret = libroc_node_ioctl(&ch->node, ROC_CH_START, &arg);
	switch (-ret) {
	case 0:
		return 0;
	case EBUSY:
		return roc_fail(EBUSY, "%s: cannot start while running: stop it first", ch->name);
	case ENOLINK:
		if (ch->type == ROC_CARD_CRORC)
			return fail_link_down(ch, "cannot start");
		return roc_fail(
			ENOLINK,
			"%s: no links are enabled in the card: enable at least one (CRU: the link bits of the endpoint's datapath enable register in BAR 2, with roc-reg-modify), then start again",
			ch->name);
	case EPIPE:
		return roc_fail(EPIPE, "%s: cannot start without rings", ch->name);
	case ETIME:
		return fail_silent(ch, "cannot start");
	case EIO:
		return fail_start(ch);
	default:
		return libroc_fail_ioctl(-ret, ch->name, "cannot start");
	}
}

int libroc_fail_idle(const char *name, uint32_t state, uint32_t reason, const char *remedy)
{
	if (state == ROC_CH_FAILED)
		return roc_fail(EALREADY, "%s: the run has failed: %s", name,
				roc_reason_text(reason));
	return roc_fail(EALREADY, "%s: not running: %s", name, remedy);
}

int libroc_channel_idle(const struct roc_channel *ch, const char *remedy)
{
	struct roc_ch_info info = {.size = sizeof(info)};

	if (libroc_node_ioctl(&ch->node, ROC_CH_INFO, &info))
		info.state = ROC_CH_STOPPED;
	return libroc_fail_idle(ch->name, info.state, info.reason, remedy);
}

int libroc_fail_stop(int err, const char *name)
{
	if (err == EIO)
		return roc_fail(
			EIO,
			"%s: cannot stop: the run has failed because the card answers all ones or violated its protocol, or the card did not stop and may still write: see the kernel log",
			name);
	return libroc_fail_ioctl(err, name, "cannot stop");
}

int roc_channel_stop(struct roc_channel *ch, unsigned int *reclaimed)
{
	struct roc_ch_control arg = {.size = sizeof(arg)};
	int ret = libroc_node_ioctl(&ch->node, ROC_CH_STOP, &arg);

	if (ret == -EALREADY)
		return libroc_channel_idle(ch, LIBROC_NOTHING_TO_STOP);
	if (ret < 0)
		return libroc_fail_stop(-ret, ch->name);
	if (reclaimed)
		*reclaimed = arg.count;
	return 0;
}

static const char *level_name(unsigned int level)
{
	static const char *const names[] = {
		[ROC_RESET_NOTHING] = "NOTHING",
		[ROC_RESET_INTERNAL] = "INTERNAL",
		[ROC_RESET_INTERNAL_SIU] = "INTERNAL_SIU",
	};

	return level < sizeof(names) / sizeof(names[0]) ? names[level] : "of this number";
}

int roc_channel_reset(struct roc_channel *ch, enum roc_reset_level level)
{
	struct roc_ch_control arg = {.size = sizeof(arg), .level = level};
	int ret = libroc_node_ioctl(&ch->node, ROC_CH_RESET, &arg);

	switch (-ret) {
	case 0:
		return 0;
	case EBUSY:
		return roc_fail(EBUSY, "%s: cannot reset while running: stop it first", ch->name);
	case EOPNOTSUPP:
		return roc_fail(EOPNOTSUPP,
				"%s: the card does not support reset level %s: use a lower level",
				ch->name, level_name(arg.level));
	case EINVAL:
		return roc_fail(EINVAL, "%s: there is no reset level %u: see enum roc_reset_level",
				ch->name, arg.level);
	case ENOLINK:
		return fail_link_down(ch, "cannot reset the far end");
	case ETIME:
		return fail_silent(ch, "cannot reset the far end");
	default:
		return libroc_fail_ioctl(-ret, ch->name, "cannot reset");
	}
}

int roc_channel_command(struct roc_channel *ch, uint32_t command, uint32_t *reply,
			unsigned int *count)
{
	struct roc_ch_command arg = {.size = sizeof(arg), .command = command, .count = *count};
	char what[40];
	int ret;

	if (*count > ROC_COMMAND_REPLIES)
		return roc_fail(EINVAL, "%s: a command has at most %u replies, not %u", ch->name,
				ROC_COMMAND_REPLIES, *count);
	ret = libroc_node_ioctl(&ch->node, ROC_CH_COMMAND, &arg);
	if (!ret || ret == -ETIME) {
		*count = arg.count;
		if (arg.count)
			memcpy(reply, arg.reply, arg.count * sizeof(*reply));
	}
	snprintf(what, sizeof(what), "command 0x%x", command);
	switch (-ret) {
	case 0:
		return 0;
	case EOPNOTSUPP:
		return roc_fail(EOPNOTSUPP, "%s: %s: the card has no link that accepts commands",
				ch->name, what);
	case EBUSY:
		return roc_fail(EBUSY, "%s: %s: not while the channel runs: stop it first",
				ch->name, what);
	case ENOLINK:
		return fail_link_down(ch, what);
	case ETIME:
		return fail_silent(ch, what);
	default:
		return libroc_fail_ioctl(-ret, ch->name, what);
	}
}
