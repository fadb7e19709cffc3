// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Finding a CRU, and going on until a signal.
 */
#include "cru_tool.h"

#include <roc/cru.h>

#include "kmod/cards/cru/cru_regs.h"
#include <errno.h>
#include <math.h>
#include <signal.h>
#include <time.h>

#include "utils/cards.h"
#include "utils/tool.h"

static volatile sig_atomic_t asked;

int cru_open(const char *id, struct roc_card *card, struct roc_endpoint **ep)
{
	int err = roc_find(id, card);

	if (err)
		return tool_fail_card(err);
	if (card->type != ROC_CARD_CRU)
		return tool_fail("%s is a %s; this tool is for a CRU.", card_called(card, id),
				 roc_card_type_name(card->type));
	if (roc_open_card(card, id, ep))
		return tool_fail("%s", roc_error());
	return TOOL_OK;
}

double cru_temperature(struct roc_endpoint *ep)
{
	uint32_t raw;

	if (roc_reg_read(ep, CRU_BAR_CARD, CRU_TEMPERATURE, &raw))
		return NAN;
	raw &= CRU_TEMPERATURE_RAW;
	return raw ? raw * 693.0 / 1024.0 - 265.0 : NAN;
}

static void on_signal(int number)
{
	asked = 1;
}

void stop_on_signals(void)
{
	/* Not restarting: a sleep must end. */
	struct sigaction action = {.sa_handler = on_signal};

	sigaction(SIGINT, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
}

bool stop_asked(void)
{
	return asked;
}

bool stop_sleep(double seconds)
{
	struct timespec end;

	clock_gettime(CLOCK_MONOTONIC, &end);
	end.tv_sec += (time_t)seconds;
	end.tv_nsec += (long)((seconds - (double)(time_t)seconds) * 1e9);
	if (end.tv_nsec >= 1000000000) {
		end.tv_sec++;
		end.tv_nsec -= 1000000000;
	}
	/* EINTR without our signal: a debugger or SIGCONT; sleep on. */
	while (!asked && clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &end, NULL) == EINTR)
		;
	return asked;
}
