// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Beats: who has nothing to say for long says that he is there.
 */
#include "tests/unit/libroc/evb/evb_bad_peer.h"

#define SILENCE_NS (60000 * MS)

static void one_beat(void)
{
	struct evb_message m = {.type = EVB_BEAT};
	uint64_t before, calls;

	start_builder(ROC_EVB_PUSH);
	greet();
	before = fabric_now() - 1;
	bad_peer_send(pair_message(&bad_peer.pair), &m);
	calls = bad_peer.pair.calls;
	/* In the same turn, which began before. */
	UNIT_EQ(pair_alive(&bad_peer.pair, before, SILENCE_NS), 0);
	UNIT_EQ(bad_peer.pair.calls, calls);
	UNIT_EQ(pair_alive(&bad_peer.pair, bad_peer.pair.sent_at + SILENCE_NS / 15, SILENCE_NS), 0);
	UNIT_EQ(bad_peer.pair.calls, calls + 1);
	close_both();
}

UNIT_MAIN("beats of event building", {"one for a silence", one_beat})
