// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Control commands: each command, its refusals and its effects.
 */
#include "emu_control.h"

static bool has(const char *text)
{
	bool found = reply.text && strstr(reply.text, text);

	if (!found)
		unit_note("not in the reply: %s; it was %.300s", text, reply.text);
	return found;
}

static void info(void)
{
	begin();
	run("info");
	CU_ASSERT(has("{\"ok\":true,\"card\":\"cru\",\"endpoints\":2,"));
	CU_ASSERT(has("\"keys\":{"));
	CU_ASSERT(has("\"serial\":\"0245\""));
	CU_ASSERT(has("\"pci-id\":\"10dc:0034\""));
	CU_ASSERT(has("\"rate\":[\"0\",\"0\"]"));
	CU_ASSERT(has("\"temperature\":\"44.96\""));
	end();
}

static void set_and_get(void)
{
	begin();
	UNIT_STR(run("set 1 rate 5000"), OK);
	UNIT_STR(run("get rate"), "{\"ok\":true,\"key\":\"rate\",\"value\":[\"0\",\"5000\"]}");
	UNIT_STR(run("get 1 rate"), "{\"ok\":true,\"key\":\"rate\",\"value\":\"5000\"}");
	UNIT_STR(run("set rate 7"), OK);
	UNIT_STR(run("get all rate"), "{\"ok\":true,\"key\":\"rate\",\"value\":[\"7\",\"7\"]}");
	UNIT_STR(run("set temperature 30"), OK);
	UNIT_STR(run("get temperature"),
		 "{\"ok\":true,\"key\":\"temperature\",\"value\":\"30.07\"}");
	UNIT_STR(run("set links-enabled 0x3"), OK);
	UNIT_EQ(rd(0, 2, CRU_DATAPATH(1)), 3);
	end();
}

static void refused(void)
{
	static const char *const lines[] = {
		"",
		"nonsense",
		"get",
		"get nonsense",
		"get rate rate",
		"set",
		"set rate",
		"set rate fast",
		"set rate 1 2",
		"set 2 rate 1",
		"set serial 1",
		"set pci-id 10dc:0034",
		"counts 2",
		"counts nonsense",
		"clear 3",
		"mmio",
		"mmio all",
		"trace",
		"trace 0",
		"trace 0 pause",
		"trace 0 stop",
		"peek",
		"peek 0",
		"peek 0 1 0",
		"peek 0 0",
		"peek 0 0 2",
		"peek 0 0 0x10000",
		"peek 0 0 x",
		"peek 0 7 0",
		"config 0",
		"config 0 0x41",
		"config 0 0x1000",
		"config 0 0x40 0x100000000",
		"config 0 0x40 1 1",
		"poke 0 0 0x410",
		"poke 0 0 0x410 0x100000000",
		"poke 0 0 0x400 1",
		"poke 0 0 0x410 1 1",
		"fault",
		"fault 0",
		"fault 0 nonsense",
		"fault stall",
		"fault 0 late-completion",
		"fault 0 late-completion x",
		"fault 0 stall 1",
		"fault 0 clear nonsense",
		"faults 1",
		"info 1",
		"quit 1",
		"one two three four five six seven eight nine",
	};
	char before[4096], longest[1000];
	unsigned int i;

	begin();
	snprintf(before, sizeof(before), "%s", run("info"));
	for (i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
		run(lines[i]);
		if (!has("{\"ok\":false,\"error\":\""))
			unit_note("the line was: %s", lines[i]);
		CU_ASSERT(!strncmp(reply.text, "{\"ok\":false,\"error\":\"", 21));
		CU_ASSERT(reply.len > 35);
	}
	memset(longest, 'x', sizeof(longest) - 1);
	longest[sizeof(longest) - 1] = '\0';
	run(longest);
	CU_ASSERT(has("\"ok\":false"));
	UNIT_STR(run("info"), before);
	UNIT_EQ(emu->quit_requested, false);
	end();
}

static void counts_and_clear(void)
{
	const char *second;

	begin();
	rd(0, 0, CRU_FEATURES);
	rd(0, 2, CRU_SERIAL);
	wr(0, 0, CRU_SCRATCH, 1);
	run("counts 0");
	CU_ASSERT(has("\"ep\":[{\"endpoint\":0,\"engine_run_ns\":") &&
		  has("\"mmio_reads\":2,\"mmio_writes\":1,"));
	CU_ASSERT(has("\"links\":[{\"link\":0,\"superpages\":0,"));
	CU_ASSERT(has("{\"link\":15,"));
	CU_ASSERT_PTR_NULL(strstr(reply.text, "\"endpoint\":1"));
	run("counts");
	second = strstr(reply.text, "\"endpoint\":1,\"engine_run_ns\":");
	CU_ASSERT(second && strstr(second, "\"mmio_reads\":0,\"mmio_writes\":0,"));
	UNIT_STR(run("clear"), OK);
	run("counts 0");
	CU_ASSERT(has("\"mmio_reads\":0,\"mmio_writes\":0,"));
	UNIT_EQ(rd(0, 0, CRU_SCRATCH), 1);
	end();
}

static void mmio(void)
{
	begin();
	UNIT_STR(run("mmio 0"), "{\"ok\":true,\"bar0\":{},\"bar2\":{}}");
	rd(0, 0, CRU_FEATURES);
	rd(0, 0, CRU_FEATURES);
	wr(0, 0, CRU_SCRATCH, 1);
	rd(0, 2, CRU_SERIAL);
	UNIT_STR(
		run("mmio 0"),
		"{\"ok\":true,\"bar0\":{\"0x41c\":[2,0],\"0x410\":[0,1]},\"bar2\":{\"0x30818\":[1,0]}}");
	UNIT_STR(run("mmio 1"), "{\"ok\":true,\"bar0\":{},\"bar2\":{}}");
	run("clear 0");
	rd(0, 0, CRU_FEATURES);
	UNIT_STR(run("mmio 0"), "{\"ok\":true,\"bar0\":{\"0x41c\":[1,0]},\"bar2\":{}}");
	end();
}

static void trace(void)
{
	unsigned int i;

	begin();
	rd(0, 0, CRU_FEATURES);
	UNIT_STR(run("trace 0 start"), OK);
	wr(0, 0, CRU_SCRATCH, 0x2a);
	rd(0, 2, CRU_SERIAL);
	rd(1, 0, CRU_FEATURES);
	run("trace 0 stop");
	CU_ASSERT(has("{\"ok\":true,\"trace\":[[\"w\",0,\"0x410\",\"0x2a\","));
	CU_ASSERT(has("],[\"r\",2,\"0x30818\",\"0x35343230\","));
	CU_ASSERT_PTR_NULL(strstr(reply.text, "0x41c"));
	CU_ASSERT(has("\"lost\":0}"));
	run("trace 1 start");
	for (i = 0; i < 65536 + 10; i++)
		rd(1, 0, CRU_SCRATCH);
	run("trace 1 stop");
	CU_ASSERT(has("\"lost\":10}"));
	end();
}

static void peek_and_poke(void)
{
	char clock[64];

	begin();
	UNIT_STR(run("peek 1 0 0x500"), "{\"ok\":true,\"value\":\"0x11111111\"}");
	UNIT_STR(run("poke 0 0 0x800 0xfffffff0"), OK);
	UNIT_EQ(rd(0, 0, CRU_SP_READY(0)), 0xfffffff0);
	UNIT_STR(run("poke 0 2 0x60001c 9"), OK);
	UNIT_EQ(rd(1, 2, 0x60001c), 9);
	/* peek has no side effect where a read has one. */
	run("peek 0 2 0x40000c");
	strcpy(clock, reply.text);
	UNIT_STR(run("peek 0 2 0x40000c"), clock);
	/* Not counted. */
	run("mmio 0");
	CU_ASSERT(has("{\"0x800\":[1,0]},\"bar2\":{}}"));
	end();
}

static void faults(void)
{
	begin();
	UNIT_STR(run("fault 0 late-completion 12"), OK);
	UNIT_STR(run("fault all flip 3"), OK);
	UNIT_STR(run("fault 1 all-ones"), OK);
	UNIT_STR(run("fault 1 stall"), OK);
	run("faults");
	CU_ASSERT(has(
		"\"ep\":[{\"all-ones\":0,\"vanish\":0,\"foreign\":0,\"forgets\":0,\"stall\":0,\"late-completion\":12,"));
	CU_ASSERT(has(
		"{\"all-ones\":1,\"vanish\":0,\"foreign\":0,\"forgets\":0,\"stall\":1,\"late-completion\":0,"));
	UNIT_EQ(rd(1, 0, CRU_FEATURES), ~0u);
	UNIT_STR(run("fault 1 clear all-ones"), OK);
	UNIT_EQ(rd(1, 0, CRU_FEATURES), 0x40000000);
	UNIT_STR(run("fault all clear flip"), OK);
	run("faults");
	CU_ASSERT(has("\"late-completion\":12,"));
	CU_ASSERT_PTR_NULL(strstr(reply.text, "\"flip\":3"));
	UNIT_STR(run("fault 1 vanish"), OK);
	UNIT_STR(run("fault all clear"), OK);
	run("faults");
	CU_ASSERT_PTR_NULL(strstr(reply.text, "12"));
	CU_ASSERT_PTR_NULL(strstr(reply.text, ":1"));
	end();
}

/*
 * Fault foreign: a read changes the next value; writes are counted and reach no register of the
 * card.
 */
static void foreign(void)
{
	uint32_t first;

	begin();
	run("fault 0 foreign");
	CU_ASSERT(has("SEED is missing"));
	run("fault 0 foreign 0x100000000");
	CU_ASSERT(has("registers have 32 bits"));
	UNIT_STR(run("fault 0 foreign 7"), OK);
	first = rd(0, 0, 0x10);
	CU_ASSERT(first && first != rd(0, 0, 0x10));
	UNIT_EQ(rd(0, 0, CRU_FEATURES), 0);
	wr(0, 0, CRU_TIME_FRAME, 5);
	UNIT_STR(run("fault 0 foreign 0"), OK);
	UNIT_EQ(rd(0, 0, 0x10), 0);
	UNIT_STR(run("fault 0 foreign 0xffffffff"), OK);
	UNIT_EQ(rd(0, 0, 0x10), ~0u);
	run("counts 0");
	CU_ASSERT(has("\"mmio_reads\":5,\"mmio_writes\":1,"));
	UNIT_STR(run("fault 0 clear foreign"), OK);
	UNIT_EQ(rd(0, 0, CRU_FEATURES), 0x40000000);
	UNIT_EQ(rd(0, 0, CRU_TIME_FRAME),
		(uint32_t)CRU_TIME_FRAME_LENGTH_DEFAULT << CRU_TIME_FRAME_LENGTH_SHIFT);
	end();
}

#define PM_CONTROL (0x40 + PCI_PM_CTRL) /* where the emulated card has it */

static void sleep_and_wake(void)
{
	const uint16_t d3hot = PCI_PM_CTRL_NO_SOFT_RESET | 3, d0 = PCI_PM_CTRL_NO_SOFT_RESET;

	function_config_write(&emu->fn[0], PM_CONTROL, &d3hot, sizeof(d3hot));
	function_config_write(&emu->fn[0], PM_CONTROL, &d0, sizeof(d0));
}

/* State that a card keeps over D3hot, and a card that loses its state there. */
static void forgets(void)
{
	const uint16_t memory = PCI_COMMAND_MEMORY;

	begin();
	wr(0, 0, CRU_SCRATCH, 0xa5);
	sleep_and_wake();
	UNIT_EQ(rd(0, 0, CRU_SCRATCH), 0xa5);
	UNIT_STR(run("fault 0 forgets"), OK);
	UNIT_EQ(rd(0, 0, CRU_SCRATCH), 0xa5);
	sleep_and_wake();
	function_config_write(&emu->fn[0], PCI_COMMAND, &memory, sizeof(memory));
	UNIT_EQ(rd(0, 0, CRU_SCRATCH), 0);
	UNIT_STR(run("fault 0 clear forgets"), OK);
	wr(0, 0, CRU_SCRATCH, 0xa5);
	/* A card whose power management does not promise to keep the state loses it, too. */
	run("config 0 0x44 0");
	sleep_and_wake();
	function_config_write(&emu->fn[0], PCI_COMMAND, &memory, sizeof(memory));
	UNIT_EQ(rd(0, 0, CRU_SCRATCH), 0);
	end();
}

static void quit(void)
{
	begin();
	UNIT_STR(run("quit"), OK);
	UNIT_EQ(emu->quit_requested, true);
	end();
}

static void json_escapes(void)
{
	static const struct {
		const char *line;
		unsigned int bytes; /* that are no UTF-8 */
	} bad[] = {
		{"a\xffz", 1},	       {"a\x80z", 1},	      {"a\xc3z", 1},
		{"a\xe2\x82z", 2},     {"a\xf0\x90\x8dz", 3}, {"a\xc0\xafz", 2},
		{"a\xe0\x80\xafz", 3}, {"a\xed\xa0\x80z", 3}, {"a\xf4\x90\x80\x80z", 4},
		{"a\xf5\x80z", 2},
	};
	unsigned int i;

	begin();
	run("nonsense\"\\\x01");
	CU_ASSERT(has("unknown command 'nonsense\\\"\\\\\\u0001'"));
	/* UTF-8 characters are returned unchanged, other bytes as the replacement character. */
	run("\x24\xc2\xa3\xe2\x82\xac\xed\x9f\xbf\xf0\x90\x8d\x88\xf4\x8f\xbf\xbf");
	CU_ASSERT(has("'\x24\xc2\xa3\xe2\x82\xac\xed\x9f\xbf\xf0\x90\x8d\x88\xf4\x8f\xbf\xbf'"));
	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		char text[64];
		size_t n;

		run(bad[i].line);
		strcpy(text, "'a");
		for (n = 0; n < bad[i].bytes; n++)
			strcat(text, "\\ufffd");
		CU_ASSERT(has(strcat(text, "z'")));
	}
	/* The name is cut in the middle of a character. */
	run("123456789012345678901234567890123456789\xc3\xa9");
	CU_ASSERT(has("9\\ufffd'"));
	end();
}

/* A card that is too hot has no power until it is cooler and the command power on restores it. */
static void power(void)
{
	begin();
	UNIT_STR(run("power"), "{\"ok\":true,\"on\":true}");
	wr(1, 0, CRU_SP_HIGH(0), 0x12345678);
	UNIT_STR(run("set temperature-cut 80"), OK);
	UNIT_EQ(rd(0, 2, CRU_FW_HASH), 0xf6b5d742);
	UNIT_STR(run("set temperature 81"), OK);
	UNIT_EQ(rd(0, 2, CRU_FW_HASH), ~0u);
	UNIT_EQ(rd(1, 0, CRU_DATA_SOURCE), ~0u);
	UNIT_STR(run("power"), "{\"ok\":true,\"on\":false}");
	CU_ASSERT_PTR_NOT_NULL(strstr(run("power on"), "too hot"));
	/* A lower temperature alone does not restore power. */
	UNIT_STR(run("set temperature 45"), OK);
	UNIT_EQ(rd(0, 2, CRU_FW_HASH), ~0u);
	UNIT_STR(run("power on"), "{\"ok\":true,\"on\":true}");
	/* Its functions are as after power-on: memory decoding is off. */
	UNIT_EQ(rd(0, 2, CRU_FW_HASH), ~0u);
	{
		uint16_t on = PCI_COMMAND_MEMORY;

		function_config_write(&emu->fn[0], PCI_COMMAND, &on, sizeof(on));
	}
	UNIT_EQ(rd(0, 2, CRU_FW_HASH), 0xf6b5d742);
	CU_ASSERT_PTR_NOT_NULL(strstr(run("power off"), "\"ok\":false"));
	end();
}

UNIT_MAIN("control commands", {"info", info}, {"set and get", set_and_get},
	  {"refused lines change nothing", refused}, {"counts and clear", counts_and_clear},
	  {"mmio", mmio}, {"trace", trace}, {"peek and poke", peek_and_poke}, {"faults", faults},
	  {"foreign", foreign}, {"forgets", forgets}, {"quit", quit},
	  {"strings are escaped", json_escapes}, {"power", power})
