// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Match memory slots with patterns. The first group of a pattern is the socket, the other groups
 * are the channel. The locator of a slot is tried first, then its bank.
 */
#include "check.h"

#include <regex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define GROUPS 4

/*
 * If a manufacturer numbers all slots consecutively, the channel cannot be found without the number
 * of channels. For these and for other labels the limits have memoryLocators.
 */
static const char *const patterns[] = {
	"^P([0-9]+)[-_]DIMM([A-Z])[0-9]$",			   /* P1-DIMMA1 */
	"^CPU([0-9]+)[-_ ]DIMM[-_ ]?([A-Z])[0-9]?$",		   /* CPU1_DIMM_A1 */
	"^DIMM[-_]P([0-9]+)[-_]([A-Z])[0-9]$",			   /* DIMM_P0_A0 */
	"^P([0-9]+)[-_ ]CHANNEL ?([A-Z])$",			   /* P0 CHANNEL A */
	"^P([0-9]+)_Node([0-9]+)_Channel([0-9]+)_Dimm[0-9]+$",	   /* P0_Node0_Channel0_Dimm0 */
	"^Node ?([0-9]+)[-_ ]Channel ?([0-9]+)[-_ ]Dimm ?[0-9]+$", /* NODE 0 CHANNEL 0 DIMM 0 */
	"^CPU([0-9]+)[-_ ]Channel ?([0-9]+)[-_ ]DIMM ?[0-9]+$",	   /* CPU0_Channel0_DIMM0 */
};

#define PATTERNS (sizeof(patterns) / sizeof(patterns[0]))

static void set_slot(const char *text, const regmatch_t *match, size_t groups, struct slot *slot)
{
	size_t i, used = 0;

	snprintf(slot->socket, sizeof(slot->socket), "%.*s", (int)(match[1].rm_eo - match[1].rm_so),
		 text + match[1].rm_so);
	slot->channel[0] = '\0';
	for (i = 2; i <= groups && used < sizeof(slot->channel); i++)
		if (match[i].rm_so >= 0)
			used += (size_t)snprintf(slot->channel + used, sizeof(slot->channel) - used,
						 "%s%.*s", used ? "." : "",
						 (int)(match[i].rm_eo - match[i].rm_so),
						 text + match[i].rm_so);
}

static bool fits(const char *pattern, const char *text, struct slot *slot)
{
	regmatch_t match[GROUPS];
	size_t groups;
	regex_t regex;
	bool found;

	if (regcomp(&regex, pattern, REG_EXTENDED | REG_ICASE))
		return false;
	groups = regex.re_nsub < GROUPS ? regex.re_nsub : GROUPS - 1;
	found = !regexec(&regex, text, GROUPS, match, 0) && match[1].rm_so >= 0;
	if (found)
		set_slot(text, match, groups, slot);
	regfree(&regex);
	return found;
}

static bool fits_module(const char *pattern, const struct dmi_module *module, struct slot *slot)
{
	return fits(pattern, module->locator, slot) || fits(pattern, module->bank, slot);
}

/*
 * Convert a slot number to a channel: the slots are numbered through all channels, then through all
 * channels again.
 */
static void wrap(struct slot *slot, int64_t channels)
{
	char *end;
	long number = strtol(slot->channel, &end, 10);

	if (channels && number > 0 && !*end && number < 10000)
		snprintf(slot->channel, sizeof(slot->channel), "%d",
			 (int)((number - 1) % (int)channels) + 1);
}

bool locator_read(const struct dmi_module *module, const struct limits *limits, struct slot *slot)
{
	const struct limits_texts *own = &limits->memory_locators;
	size_t i;

	for (i = 0; i < own->count; i++) {
		if (!fits_module(own->text[i], module, slot))
			continue;
		wrap(slot, limits->memory_channels);
		return true;
	}
	for (i = 0; i < PATTERNS; i++)
		if (fits_module(patterns[i], module, slot))
			return true;
	return false;
}
