// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Beats: a node without other messages sends them so that its peer does not time out.
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
	/* A step that began before the last message sends no beat. */
	UNIT_EQ(pair_alive(&bad_peer.pair, before, SILENCE_NS), 0);
	UNIT_EQ(bad_peer.pair.calls, calls);
	UNIT_EQ(pair_alive(&bad_peer.pair, bad_peer.pair.sent_at + SILENCE_NS / 15, SILENCE_NS), 0);
	UNIT_EQ(bad_peer.pair.calls, calls + 1);
	close_both();
}

UNIT_MAIN("beats of event building", {"beat after an interval without messages", one_beat})
