// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Query both ends of a C-RORC's link. The test replaces roc_channel_command() and passes the
 * commands to the emulated card like the driver (--wrap).
 */
#include "libroc_crorc_card.h"

static struct roc_channel channel = {
	.node = {.fd = -1}, .type = ROC_CARD_CRORC, .name = "3b:00.0 channel 3"};
static unsigned int commands;
static uint32_t spoil; /* XOR mask for the next reply */

int __wrap_roc_channel_command(struct roc_channel *ch, uint32_t command, uint32_t *reply,
			       unsigned int *count);

int __wrap_roc_channel_command(struct roc_channel *ch, uint32_t command, uint32_t *reply,
			       unsigned int *count)
{
	const struct card_ops *o = &crorc_card;
	unsigned int n, i;

	commands++;
	if ((command & 0xf) == 2 && o->read(host.card, 0, 3, 0x010) & 0x2000)
		return roc_fail(ENOLINK, "the link is down");
	o->write(host.card, 0, 3, 0x018, command);
	for (n = 0; n < *count; n++) {
		for (i = 0; i < 100 && !(o->read(host.card, 0, 3, 0x010) & 0x800000); i++)
			host.now += 1000000;
		if (i == 100) {
			*count = n;
			return roc_fail(ETIME, "no answer");
		}
		reply[n] = o->read(host.card, 0, 3, 0x01c);
	}
	reply[0] ^= spoil;
	spoil = 0;
	return 0;
}

static void both_ends(void)
{
	struct roc_crorc_siu siu;

	card_begin();
	UNIT_EQ(roc_crorc_siu_read(&channel, &siu), 0);
	CU_ASSERT_TRUE(siu.has_diu);
	CU_ASSERT_TRUE(siu.has_siu);
	UNIT_EQ(siu.siu & 0xffff, 0x20c2);
	UNIT_EQ(siu.diu & 0x70ff, 0x20c1);
	UNIT_STR(roc_crorc_port_state(ROC_CRORC_SIU, siu.siu), "online");
	UNIT_STR(roc_crorc_port_state(ROC_CRORC_DIU, siu.diu), "online");
	UNIT_STR(roc_crorc_remote_state(siu.diu), "online");
	/* The label keeps its columns, but not the trailing blanks. */
	UNIT_EQ(strncmp(siu.hardware_id, "SIU2   2.0 Ch03", 15), 0);
	UNIT_EQ(strncmp(siu.hardware_id + 28, "S/N: ", 5), 0);
	UNIT_EQ(strlen(siu.hardware_id), 38);
	UNIT_EQ(commands, 2 + 64);
	card_end();
}

/* The near end still reports its status. */
static void link_down(void)
{
	struct roc_crorc_siu siu;

	card_begin();
	key(0, "link-state", "down");
	UNIT_EQ(roc_crorc_siu_read(&channel, &siu), -ENOLINK);
	CU_ASSERT_TRUE(siu.has_diu);
	CU_ASSERT_FALSE(siu.has_siu);
	UNIT_STR(roc_crorc_port_state(ROC_CRORC_DIU, siu.diu), "offline, no signal");
	UNIT_STR(roc_crorc_remote_state(siu.diu), "no signal");
	UNIT_STR(siu.hardware_id, "");
	UNIT_EQ(crorc_card.fault_set(host.card, 0, "ddl-stuck", 0x3f), true);
	UNIT_EQ(roc_crorc_siu_read(&channel, &siu), -ETIME);
	CU_ASSERT_FALSE(siu.has_diu);
	card_end();
}

static void strange_answers(void)
{
	static const uint32_t wrong[] = {0x1, 0x40, 0xf};
	struct roc_crorc_siu siu;
	size_t i;

	card_begin();
	for (i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		spoil = wrong[i];
		UNIT_EQ(roc_crorc_siu_read(&channel, &siu), -EPROTO);
		ERROR_HAS("3b:00.0 channel 3: invalid reply");
		CU_ASSERT_FALSE(siu.has_diu);
	}
	channel.type = ROC_CARD_CRU;
	UNIT_EQ(roc_crorc_siu_read(&channel, &siu), -EOPNOTSUPP);
	ERROR_HAS("3b:00.0 channel 3 belongs to a CRU");
	channel.type = ROC_CARD_CRORC;
	card_end();
}

/* Most bits have different meanings at the two ends. */
static void bits(void)
{
	unsigned int bit, named[3] = {0};

	for (bit = 0; bit < 40; bit++) {
		named[ROC_CRORC_DIU] += !!roc_crorc_end_bit(ROC_CRORC_DIU, bit);
		named[ROC_CRORC_SIU] += !!roc_crorc_end_bit(ROC_CRORC_SIU, bit);
	}
	UNIT_EQ(named[ROC_CRORC_DIU], 12);
	UNIT_EQ(named[ROC_CRORC_SIU], 17);
	UNIT_STR(roc_crorc_end_bit(ROC_CRORC_DIU, 30), "loop-back mode");
	UNIT_STR(roc_crorc_end_bit(ROC_CRORC_SIU, 16), "loop-back mode");
	CU_ASSERT_PTR_NULL(roc_crorc_end_bit(ROC_CRORC_DIU, 16));
	UNIT_STR(roc_crorc_end_bit(ROC_CRORC_SIU, 15), "a transaction of the front end is open");
	UNIT_STR(roc_crorc_port_state(ROC_CRORC_DIU, 7 << 12), "test mode");
	UNIT_STR(roc_crorc_port_state(ROC_CRORC_SIU, 7 << 12), "unknown");
	UNIT_STR(roc_crorc_port_state(ROC_CRORC_SIU, 1 << 12), "offline");
	UNIT_STR(roc_crorc_remote_state(6 << 15), "no optical signal");
}

UNIT_MAIN("libroc_crorc_siu", {"both ends", both_ends}, {"link down", link_down},
	  {"invalid replies", strange_answers}, {"texts of the bits", bits})
