// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * roc-bench-dma: take data from a DMA channel, check every byte and measure the rate.
 */
#include "bench.h"
#include "soak.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <roc/firmware.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "utils/common/numbers.h"
#include "utils/common/output.h"
#include "utils/common/tool.h"

#define AT(option_name, option_type, member)                                                       \
	.name = (option_name), .type = (option_type),                                              \
	.offset = offsetof(struct bench_options, member)
#define GIVEN(member) .given = offsetof(struct bench_options, member)
#define FLAG(option_name, member, text) FLAG_OPTION(struct bench_options, option_name, member, text)

static const struct option_spec options[] = {
	{AT("id", OPTION_TEXT, id), .arg = "ID",
	 .help = "Select the card; with --soak, use only this card"},
	{AT("dma-channel", OPTION_NUMBER, dma_channel), .arg = "N", .fallback = "0", .max = 255,
	 GIVEN(dma_channel_given), .help = "Select the DMA channel"},
	{AT("channel", OPTION_NUMBER, dma_channel), .arg = "N", .max = 255,
	 GIVEN(dma_channel_given), .help = "Alias of --dma-channel"},
	{AT("data-source", OPTION_CHOICE, source), .arg = "SOURCE", .fallback = "INTERNAL",
	 .choices = bench_source_names, .help = "Select the data source"},
	{AT("links", OPTION_LINKS, links), .arg = "LINKS",
	 .help = "Select the links, as 0-11 or 0,2,4-6 or 0xfff (default: all enabled)"},
	{AT("mode", OPTION_CHOICE, mode), .arg = "MODE", .fallback = "timer",
	 .choices = bench_mode_names, .help = "Select how finished superpages are detected"},
	FLAG("no-events", no_events, "Do not use the events of the card"),

	{AT("bytes", OPTION_SIZE, bytes), .arg = "SIZE", .fallback = "0",
	 .help = "Stop after receiving this many bytes, 0 = never"},
	{AT("time", OPTION_TIME, time), .arg = "TIME",
	 .help = "Stop after this time, as in 5h30m10s (default: never)"},
	{AT("stall-limit", OPTION_NUMBER, stall_limit), .arg = "SECONDS", .fallback = "10",
	 .help = "Fail if no superpage arrives within this time, 0 = never"},

	{AT("soak", OPTION_TIME, soak), .arg = "TIME",
	 .help = "Test all channels of all cards for this time, as in 24h; exit status 3 if interrupted"},
	{AT("verdict-every", OPTION_TIME, verdict_every), .with = "soak", .arg = "TIME",
	 .fallback = "60s", .min = 1, .max = 86400,
	 .help = "Soak: set the interval between two verdicts on each channel"},
	{AT("max-temperature", OPTION_NUMBER, max_temperature), .with = "soak", .arg = "DEGREES",
	 .fallback = "60", .max = 427,
	 .help = "Soak: stop if a card reaches this temperature in degrees Celsius"},
	{AT("max-errors", OPTION_SIZE, max_errors), .with = "soak", .arg = "N", .fallback = "0",
	 .help = "Soak: stop if a channel has more data errors"},
	{AT("max-dropped", OPTION_SIZE, max_dropped), .with = "soak", .arg = "N", .fallback = "0",
	 .help = "Soak: stop if a channel has more drops"},
	{AT("log", OPTION_TEXT, log), .with = "soak", .arg = "FILE",
	 .help = "Soak: append each verdict to a log, and continue the soak of an existing log"},
	{AT("plot", OPTION_TEXT, plot), .with = "soak", .arg = "FILE",
	 .help = "Soak: plot rate and temperature over time to an SVG file"},

	{AT("buffer-size", OPTION_SIZE, buffer_size), .arg = "SIZE", .fallback = "1Gi",
	 .help = "Set the size of the DMA buffer"},
	{AT("superpage-size", OPTION_SIZE, superpage_size), .arg = "SIZE", .fallback = "1Mi",
	 .help = "Set the size of a superpage, a multiple of 32 KiB"},
	{AT("page-size", OPTION_SIZE, page_size), .arg = "SIZE", .fallback = "8Ki", .min = 32,
	 .max = 1 << 20, GIVEN(page_size_given), .help = "Set the size of a DMA page"},
	FLAG("plain-memory", plain_memory,
	     "Use 4 KiB pages instead of hugepages; requires an IOMMU"),

	FLAG("no-errorcheck", no_errorcheck, "Do not check the data"),
	FLAG("fast-check", fast_check, "Check only the headers"),
	{AT("error-check-frequency", OPTION_NUMBER, frequency), .arg = "N", .fallback = "1",
	 .min = 1, .max = 255, .help = "Check the payload of every N-th page of a link"},
	FLAG("no-resync", no_resync, "Do not adopt the counters found after an error"),
	{AT("max-rdh-packetcount", OPTION_NUMBER, max_packet), .arg = "N", .fallback = "255",
	 .min = 1, .max = 255, .help = "Set the largest value of the packet counter"},
	{AT("timeframe-length", OPTION_NUMBER, tf_length), .arg = "ORBITS", .fallback = "256",
	 .min = 1, .max = 4095, .help = "Set the length of a time frame"},
	FLAG("no-tf-check", no_tf_check, "Do not check time frames"),

	{AT("pause-push", OPTION_NUMBER, pause_push), .arg = "US", .fallback = "1", .max = 1000000,
	 .help = "Busy mode: set the pause in us when there is nothing to push"},
	{AT("pause-read", OPTION_NUMBER, pause_read), .arg = "US", .fallback = "10", .max = 1000000,
	 .help = "Busy mode: set the pause in us when there is nothing to read"},
	FLAG("random-pause", random_pause, "Pause reading at random times and for random periods"),
	FLAG("buffer-full-check", buffer_full_check,
	     "Do not read, but measure how long the card takes to fill the buffer"),
	FLAG("bar-hammer", bar_hammer, "Read a register at the highest rate at the same time"),

	{AT("to-file-ascii", OPTION_TEXT, ascii_file), .arg = "FILE",
	 .help = "Write all data to a file as text"},
	{AT("to-file-bin", OPTION_TEXT, bin_file), .arg = "FILE",
	 .help = "Write all data to a file as received"},
	FLAG("print-sp-change", print_sp_change, "Print a line for each superpage"),
	FLAG("no-display", no_display, "Do not show the live line"),
	FLAG("no-temperature", no_temperature, "Do not read the temperature of the card"),
	FLAG("json", json, "Print the result as JSON"),

	FLAG("bypass-fw-check", bypass_fw_check, "Accept any firmware"),
	FLAG("stbrd", stbrd, "Open the front end with STBRD instead of RDYRX (C-RORC only)"),
	FLAG("no-rm-pages-file", no_rm_pages_file, "No effect; accepted for compatibility"),
};

static void size_text(uint64_t size, char *text, size_t length)
{
	if (size && size % (1 << 20) == 0)
		snprintf(text, length, "%" PRIu64 " MiB", size >> 20);
	else if (size && size % (1 << 10) == 0)
		snprintf(text, length, "%" PRIu64 " KiB", size >> 10);
	else
		snprintf(text, length, "%" PRIu64 " bytes", size);
}

static int check_firmware(struct bench *b)
{
	struct roc_firmware_list *list;
	int ret;

	if (b->opt->bypass_fw_check)
		return 0;
	ret = roc_firmware_open(NULL, &list);
	if (!ret) {
		ret = roc_firmware_check(list, (enum roc_card_type)b->info.card_type,
					 b->info.firmware);
		roc_firmware_close(list);
	}
	if (ret)
		bench_fail(b, "%s: %s (--bypass-fw-check skips this)",
			   card_called(&b->card, b->opt->id), roc_error());
	return ret;
}

static int check_sizes(struct bench *b)
{
	uint64_t size = b->opt->superpage_size, align = b->info.superpage_align;
	char given[40], unit[40], most[40];

	size_text(size, given, sizeof(given));
	size_text(align, unit, sizeof(unit));
	size_text(b->info.superpage_max, most, sizeof(most));
	if (size % align || size > b->info.superpage_max) {
		bench_fail(
			b,
			"Invalid --superpage-size of %s: it must be a multiple of %s and at most %s.",
			given, unit, most);
		return -EINVAL;
	}
	if (b->opt->page_size != b->info.page_size) {
		size_text(b->info.page_size, unit, sizeof(unit));
		bench_fail(b, "The card has only DMA pages of %s: omit --page-size.", unit);
		return -EINVAL;
	}
	b->superpage = (uint32_t)size;
	b->count = (uint32_t)(b->opt->buffer_size / size);
	return 0;
}

static int check_options(struct bench *b)
{
	const char *name;

	if (roc_info(b->ep, &b->info)) {
		bench_fail(b, "%s", roc_error());
		return -EIO;
	}
	name = roc_card_type_name(b->info.card_type);
	b->type = card_type_find(b->info.card_type);
	if (!b->type) {
		bench_fail(
			b,
			"%s has a card type that these tools do not support: install newer tools.",
			card_called(&b->card, b->opt->id));
		return -EOPNOTSUPP;
	}
	if (b->info.caps & ROC_CAP_STREAMS) {
		bench_fail(b, "The channels of a %s are streams: use roc-stream follow.", name);
		return -EOPNOTSUPP;
	}
	if (b->info.caps & ROC_CAP_FRAGMENTS) {
		bench_fail(b, "The channels of a %s are sub-units: use roc-fragment run.", name);
		return -EOPNOTSUPP;
	}
	if (b->type->data[b->opt->source] == CHECK_NONE) {
		bench_fail(b, "A %s has no data source %s.", name,
			   bench_source_names[b->opt->source]);
		return -EOPNOTSUPP;
	}
	if (b->opt->stbrd && !(b->info.caps & ROC_CAP_DDL)) {
		bench_fail(b, "A %s cannot send STBRD: --stbrd is only for a C-RORC.", name);
		return -EOPNOTSUPP;
	}
	if (b->opt->bar_hammer && !b->type->hammer) {
		bench_fail(b, "A %s does not support --bar-hammer.", name);
		return -EOPNOTSUPP;
	}
	if (check_firmware(b))
		return -EPERM;
	return check_sizes(b);
}

static FILE *open_dump(struct bench *b, const char *path)
{
	FILE *file = fopen(path, "we");

	if (!file)
		bench_fail(b, "Cannot open %s: %s.", path, strerror(errno));
	return file;
}

static int open_dumps(struct bench *b)
{
	if (b->opt->ascii_file && !(b->ascii = open_dump(b, b->opt->ascii_file)))
		return -EIO;
	if (b->opt->bin_file && !(b->bin = open_dump(b, b->opt->bin_file)))
		return -EIO;
	return 0;
}

static void close_dump(struct bench *b, FILE *file, const char *path)
{
	if (file && fclose(file))
		bench_fail(b, "Cannot write %s: %s.", path, strerror(errno));
}

static void init_checker(struct bench *b)
{
	const struct bench_options *o = b->opt;
	struct check_config config = bench_check_config(o);

	config.data = b->type->data[o->source];
	config.any_link = b->type->any_link;
	config.page_size = (uint32_t)o->page_size;
	b->errors.path = ERROR_LOG_FILE;
	b->errors.card = b->info.pci_address;
	check_init(&b->checker, &config, &b->errors);
}

static unsigned int memory_flags(const struct bench *b)
{
	if (b->opt->plain_memory)
		return ROC_MEMORY_PLAIN;
	return b->info.caps & ROC_CAP_IOMMU ? ROC_MEMORY_PLAIN_OK : 0;
}

static void count_gaps(struct bench *b, const struct roc_ch_info *before,
		       const struct roc_ch_info *after)
{
	unsigned int i;

	b->counts.retries = after->retries - before->retries;
	for (i = 0; i < ROC_GAPS; i++)
		b->counts.gaps[i] = after->gaps[i] - before->gaps[i];
}

/*
 * After the stop, compare the counts of this tool with those of the driver, which come from the
 * card.
 */
static void compare_counts(struct bench *b, const struct roc_ch_info *before)
{
	struct roc_ch_losses losses = {.size = sizeof(losses)};
	struct roc_ch_info after = {0};
	int ret = roc_channel_losses(b->ch, &losses);

	/* Modules before 0.4.0 lack this ioctl. */
	if (ret == -ENOTTY)
		ret = 0;
	if (ret || roc_channel_info(b->ch, &after)) {
		bench_fail(b, "%s", roc_error());
		return;
	}
	b->counts.lost = losses.lost;
	count_gaps(b, before, &after);
	b->counts.dropped = counter32_since(before->dropped, after.dropped);
	if (after.completed == b->counts.superpages && after.bytes == b->counts.bytes)
		return;
	error_log_add(&b->errors,
		      "driver: counted %" PRIu64 " superpages and %" PRIu64 " bytes, but %" PRIu64
		      " superpages and %" PRIu64 " bytes were received",
		      (uint64_t)after.completed, (uint64_t)after.bytes, b->counts.superpages,
		      b->counts.bytes);
}

/* Run the channel, which is configured and has its buffer. */
static void take_data(struct bench *b)
{
	struct roc_ch_info before = {0};

	if (roc_channel_info(b->ch, &before)) {
		bench_fail(b, "%s", roc_error());
		return;
	}
	bench_reader_fill(b);
	if (roc_channel_start(b->ch)) {
		bench_fail(b, "%s", roc_error());
		return;
	}
	if (b->opt->bar_hammer && hammer_start(&b->hammer, &b->card, b->opt->id))
		bench_fail(b, "%s", b->hammer.error);
	b->live = output_is_live(stdout) && !b->opt->no_display && !b->opt->json;
	bench_reader_run(b);
	bench_live_end(b);
	/* A run of less than a second has not read the temperature yet. */
	if (isnan(b->temperature))
		bench_temperature(b);
	if (b->opt->bar_hammer)
		hammer_stop(&b->hammer);
	bench_reader_stop(b);
	bench_reader_drain(b);
	compare_counts(b, &before);
}

static void find_failures(struct bench *b)
{
	const struct bench_counts *n = &b->counts;

	if (b->end == BENCH_END_STALL)
		bench_fail(
			b,
			"No superpage arrived for %u s (--stall-limit): check the trigger, the links and the data source.",
			b->opt->stall_limit);
	else if (b->end == BENCH_END_TIME && !n->superpages)
		bench_fail(b, "The card sent no data within --time.");
	if (n->damaged || n->short_)
		bench_fail(
			b,
			"Of %" PRIu64 " superpages, the card flagged %" PRIu64
			" as damaged and returned %" PRIu64
			" with missing data for no known reason: check the card with roc-status.",
			n->superpages, n->damaged, n->short_);
	if (b->hammer.error[0])
		bench_fail(b, "%s", b->hammer.error);
	if (b->hammer.wrong)
		bench_fail(b, "%" PRIu64 " register reads returned a wrong value.",
			   b->hammer.wrong);
}

static int result(struct bench *b)
{
	find_failures(b);
	if (b->opt->json)
		bench_report_json(stdout, b);
	else
		bench_report_text(stdout, b);
	if (b->failure[0])
		return tool_fail("%s", b->failure);
	return error_log_verdict(&b->errors);
}

static int bench_run(const void *values)
{
	const struct bench_options *o = values;
	struct roc_channel_config config = {
		.source = (enum roc_source)o->source,
		.mode = (enum roc_mode)o->mode,
		.links = o->links,
		.page_size = (uint32_t)o->page_size,
		.flags = (o->stbrd ? ROC_CONFIGURE_STBRD : 0) |
			 (o->no_events ? ROC_CONFIGURE_PLAIN : 0),
	};
	struct bench b = {.opt = o, .temperature = NAN};
	bool ran = false;
	int err;

	if (bench_check_usage(o))
		return TOOL_USAGE;
	if (o->soak)
		return soak_run(o);
	err = roc_find(o->id, &b.card);
	if (!err)
		err = roc_open_card(&b.card, o->id, &b.ep);
	if (err)
		return tool_fail_card(err);
	if (check_options(&b))
		goto close_endpoint;
	init_checker(&b);
	if (roc_channel_open_card(&b.card, o->id, o->dma_channel, &b.ch)) {
		bench_fail(&b, "%s", roc_error());
		goto close_endpoint;
	}
	if (roc_channel_configure(b.ch, &config) ||
	    roc_memory_alloc(o->buffer_size, b.info.numa_node, memory_flags(&b), &b.memory)) {
		bench_fail(&b, "%s", roc_error());
		goto close_channel;
	}
	b.memory_page = b.memory.page_size;
	if (roc_buffer_register(b.ch, b.memory.addr, b.memory.length, b.superpage, &b.handle)) {
		bench_fail(&b, "%s", roc_error());
		goto free_memory;
	}
	if (open_dumps(&b) || bench_reader_prepare(&b))
		goto close_dumps;
	if (o->no_rm_pages_file && o->common.verbose)
		tool_note("--no-rm-pages-file has no effect: the memory has no file.");
	/* The pauses of the busy mode are shorter than the default timer slack of 50 us. */
	prctl(PR_SET_TIMERSLACK, 1000UL, 0, 0, 0);
	stop_on_first_signals();
	stop_not_by_readers();
	take_data(&b);
	ran = b.counts.start != 0;
close_dumps:
	close_dump(&b, b.ascii, o->ascii_file);
	close_dump(&b, b.bin, o->bin_file);
	bench_reader_release(&b);
free_memory:
	/* Close the channel first, because it pins the memory. */
	roc_channel_close(b.ch);
	b.ch = NULL;
	roc_memory_free(&b.memory);
close_channel:
	if (b.ch)
		roc_channel_close(b.ch);
close_endpoint:
	roc_close(b.ep);
	error_log_close(&b.errors);
	return ran ? result(&b) : tool_fail("%s", b.failure);
}

const struct tool tool_bench_dma = {
	.name = "bench-dma",
	.summary = "Read data from a card, check all of them and measure the rate",
	.example = "--id=3b:00.0 --bytes=10Gi",
	TOOL_OPTIONS(options, struct bench_options),
	.run = bench_run,
};
