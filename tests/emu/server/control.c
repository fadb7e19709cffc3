// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The commands of the control socket. Each command stops the whole card while it runs, except quit.
 */
#include "emu.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WORDS 8
#define LINE 512
#define ALL_ONES "all-ones"
#define VANISH "vanish"
#define FOREIGN "foreign"
#define FORGETS "forgets"

struct request {
	struct emu *emu;
	char *word[WORDS];
	unsigned int count;
	unsigned int at;	  /* next word to parse */
	unsigned int first, last; /* selected endpoints: first..last-1 */
	struct json *out;
	char error[CARD_ERR + 80];
};

__attribute__((format(printf, 2, 3))) static int refuse(struct request *r, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(r->error, sizeof(r->error), fmt, ap);
	va_end(ap);
	return -1;
}

static const char *next(struct request *r)
{
	return r->at < r->count ? r->word[r->at++] : NULL;
}

/* Parse an endpoint if the next word is one, else select all. Returns true if there was one. */
static bool endpoints(struct request *r)
{
	const char *word = r->at < r->count ? r->word[r->at] : "";

	r->first = 0;
	r->last = r->emu->ops->functions;
	if (!strcmp(word, "all")) {
		r->at++;
		return true;
	}
	if (word[0] < '0' || word[0] >= '0' + (int)r->emu->ops->functions || word[1])
		return false;
	r->first = word[0] - '0';
	r->last = r->first + 1;
	r->at++;
	return true;
}

static int one_endpoint(struct request *r)
{
	if (!endpoints(r) || r->last - r->first != 1)
		return refuse(r, "endpoint is missing: 0%s",
			      r->emu->ops->functions > 1 ? " or 1" : "");
	return 0;
}

static int number(struct request *r, const char *what, uint64_t *value)
{
	const char *word = next(r);
	char *end;

	*value = 0;
	if (!word)
		return refuse(r, "%s is missing", what);
	errno = 0;
	*value = strtoull(word, &end, 0);
	if (*end || errno || word[0] == '-')
		return refuse(r, "%s '%.40s' is not a number", what, word);
	return 0;
}

static int no_more(struct request *r)
{
	if (r->at < r->count)
		return refuse(r, "'%.40s' is one word too many", r->word[r->at]);
	return 0;
}

static int do_info(struct request *r)
{
	struct emu *emu = r->emu;
	const struct card_key *key;
	char text[CARD_TEXT];
	unsigned int e;

	if (no_more(r))
		return -1;
	json_string(r->out, "card", emu->ops->name);
	json_uint(r->out, "endpoints", emu->ops->functions);
	json_object(r->out, "keys");
	for (key = emu->ops->keys; key->name; key++) {
		if (!key->per_function) {
			key->get(emu->card, 0, text, sizeof(text));
			json_string(r->out, key->name, text);
			continue;
		}
		json_array(r->out, key->name);
		for (e = 0; e < emu->ops->functions; e++) {
			key->get(emu->card, e, text, sizeof(text));
			json_string(r->out, NULL, text);
		}
		json_end_array(r->out);
	}
	json_end_object(r->out);
	return 0;
}

static const struct card_key *find_key(struct request *r)
{
	const char *name = next(r);
	const struct card_key *key = name ? emu_key(r->emu, name) : NULL;

	if (!key)
		refuse(r, "unknown key '%.40s'", name ? name : "");
	return key;
}

static int do_get(struct request *r)
{
	bool one = endpoints(r) && r->last - r->first == 1;
	const struct card_key *key = find_key(r);
	char text[CARD_TEXT];
	unsigned int e;

	if (!key || no_more(r))
		return -1;
	json_string(r->out, "key", key->name);
	if (one || !key->per_function) {
		key->get(r->emu->card, r->first, text, sizeof(text));
		json_string(r->out, "value", text);
		return 0;
	}
	json_array(r->out, "value");
	for (e = r->first; e < r->last; e++) {
		key->get(r->emu->card, e, text, sizeof(text));
		json_string(r->out, NULL, text);
	}
	json_end_array(r->out);
	return 0;
}

static int do_set(struct request *r)
{
	const struct card_key *key;
	const char *value;
	char err[CARD_ERR] = "";
	unsigned int e;

	endpoints(r);
	key = find_key(r);
	if (!key)
		return -1;
	if (key->startup_only)
		return refuse(r, "%s can only be set on the command line", key->name);
	value = next(r);
	if (!value)
		return refuse(r, "a value is missing: %s", key->help);
	if (no_more(r))
		return -1;
	if (!key->per_function)
		r->last = r->first + 1;
	for (e = r->first; e < r->last; e++) {
		if (key->set(r->emu->card, e, value, err))
			return refuse(r, "%s: %s", key->name, err);
	}
	return 0;
}

static int do_counts(struct request *r)
{
	struct emu *emu = r->emu;
	uint64_t run, idle;
	unsigned int e, bar;
	char name[24];

	endpoints(r);
	if (no_more(r))
		return -1;
	json_uint(r->out, "now_ns", emu_now());
	json_array(r->out, "ep");
	for (e = r->first; e < r->last; e++) {
		struct function *f = &emu->fn[e];

		function_engine_times(f, &run, &idle);
		json_object(r->out, NULL);
		json_uint(r->out, "endpoint", e);
		json_uint(r->out, "engine_run_ns", run);
		json_uint(r->out, "engine_idle_ns", idle);
		json_uint(r->out, "mmio_reads", f->log.reads);
		json_uint(r->out, "mmio_writes", f->log.writes);
		for (bar = 0; bar < CARD_BARS; bar++) {
			if (!emu->ops->bar_size[bar])
				continue;
			snprintf(name, sizeof(name), "bar%u_writes", bar);
			json_uint(r->out, name, mmio_log_writes(&f->log, bar));
		}
		json_uint(r->out, "bad_access", f->log.bad);
		json_uint(r->out, "mappings", f->dma.count);
		json_uint(r->out, "memory_lost", f->dma.files.lost - f->lost_before);
		json_uint(r->out, "messages_outside", f->nowhere - f->nowhere_before);
		json_uint(r->out, "reset_accesses", f->reset_hits - f->reset_hits_before);
		emu->ops->counts(emu->card, e, r->out);
		json_end_object(r->out);
	}
	json_end_array(r->out);
	return 0;
}

static int do_clear(struct request *r)
{
	unsigned int e;

	endpoints(r);
	if (no_more(r))
		return -1;
	for (e = r->first; e < r->last; e++) {
		struct function *f = &r->emu->fn[e];

		mmio_log_clear(&f->log);
		f->lost_before = f->dma.files.lost;
		f->nowhere_before = f->nowhere;
		f->reset_hits_before = f->reset_hits;
		r->emu->ops->clear(r->emu->card, e);
	}
	return 0;
}

static int do_mmio(struct request *r)
{
	if (one_endpoint(r) || no_more(r))
		return -1;
	mmio_log_show(&r->emu->fn[r->first].log, r->out);
	return 0;
}

static int do_trace(struct request *r)
{
	struct mmio_log *log;
	const char *what;

	if (one_endpoint(r))
		return -1;
	what = next(r);
	if (no_more(r))
		return -1;
	log = &r->emu->fn[r->first].log;
	if (what && !strcmp(what, "start"))
		return mmio_log_trace_start(log, emu_now()) ? 0 : refuse(r, "out of memory");
	if (!what || strcmp(what, "stop"))
		return refuse(r, "trace is followed by start or stop");
	if (!log->trace)
		return refuse(r, "no trace was started");
	mmio_log_trace_stop(log, r->out);
	return 0;
}

static int place(struct request *r, uint64_t *bar, uint64_t *off)
{
	uint32_t size;

	if (one_endpoint(r) || number(r, "the BAR", bar) || number(r, "the offset", off))
		return -1;
	size = *bar < CARD_BARS ? r->emu->ops->bar_size[*bar] : 0;
	if (!size)
		return refuse(r, "there is no BAR %llu", (unsigned long long)*bar);
	if (*off % 4 || *off >= size)
		return refuse(r, "there is no register at 0x%llx", (unsigned long long)*off);
	return 0;
}

static int do_peek(struct request *r)
{
	uint64_t bar, off;

	if (place(r, &bar, &off) || no_more(r))
		return -1;
	json_hex(r->out, "value", r->emu->ops->peek(r->emu->card, r->first, bar, off));
	return 0;
}

static int do_poke(struct request *r)
{
	uint64_t bar, off, value = 0;

	if (place(r, &bar, &off) || number(r, "the value", &value) || no_more(r))
		return -1;
	if (value > UINT32_MAX)
		return refuse(r, "registers have 32 bits");
	if (!r->emu->ops->poke(r->emu->card, r->first, bar, off, value))
		return refuse(r, "nothing is stored at 0x%llx", (unsigned long long)off);
	return 0;
}

/*
 * The word that the host reads. With a value, change that word: a card with an unusual
 * configuration space.
 */
static int do_config(struct request *r)
{
	struct config_space *c;
	uint64_t off, value;
	uint8_t word[4];

	if (one_endpoint(r) || number(r, "the offset", &off))
		return -1;
	if (off % 4 || off >= VU_CONFIG_SIZE)
		return refuse(r, "there is no word at 0x%llx", (unsigned long long)off);
	c = &r->emu->fn[r->first].config;
	if (r->at < r->count) {
		if (number(r, "the value", &value) || no_more(r))
			return -1;
		if (value > UINT32_MAX)
			return refuse(r, "words have 32 bits");
		config_poke(c, off, value);
	}
	config_read(c, off, word, sizeof(word));
	json_hex(r->out, "value", word[0] | word[1] << 8 | word[2] << 16 | (uint32_t)word[3] << 24);
	return 0;
}

/* Faults of the server, which every card has. */
static const struct card_fault server_faults[] = {
	{.name = ALL_ONES}, {.name = VANISH}, {.name = FOREIGN, .arg = "SEED"},
	{.name = FORGETS},  {.name = NULL},
};

static const struct card_fault *find_fault(const struct card_fault *fault, const char *name)
{
	while (fault->name && strcmp(fault->name, name))
		fault++;
	return fault->name ? fault : NULL;
}

static void set_server_fault(struct function *f, const char *name, uint64_t arg)
{
	if (!strcmp(name, ALL_ONES))
		f->all_ones = true;
	if (!strcmp(name, VANISH))
		vfio_user_vanish(f);
	if (!strcmp(name, FORGETS))
		f->forgets = true;
	if (!strcmp(name, FOREIGN)) {
		f->foreign = true;
		f->foreign_seed = arg;
	}
}

static int clear_fault(struct request *r)
{
	const char *name = next(r);
	unsigned int e;

	if (no_more(r))
		return -1;
	for (e = r->first; e < r->last; e++) {
		struct function *f = &r->emu->fn[e];

		if (!name || !strcmp(name, ALL_ONES))
			f->all_ones = false;
		if (!name || !strcmp(name, VANISH))
			f->vanished = false;
		if (!name || !strcmp(name, FORGETS))
			f->forgets = false;
		if (!name || !strcmp(name, FOREIGN))
			f->foreign = false;
		if (name && find_fault(server_faults, name))
			continue;
		if (!r->emu->ops->fault_clear(r->emu->card, e, name))
			return refuse(r, "unknown fault '%.40s'", name);
	}
	return 0;
}

static int do_fault(struct request *r)
{
	const struct card_fault *fault, *server;
	uint64_t arg = 1, low;
	const char *name;
	unsigned int e;

	if (!endpoints(r))
		return refuse(r, "endpoint is missing: 0, 1 or all");
	name = next(r);
	if (!name)
		return refuse(r, "fault name is missing: the command faults lists all names");
	if (!strcmp(name, "clear"))
		return clear_fault(r);
	server = find_fault(server_faults, name);
	fault = server ?: find_fault(r->emu->ops->faults, name);
	if (!fault)
		return refuse(r, "unknown fault '%.40s'", name);
	if (fault->arg && number(r, fault->arg, &arg))
		return -1;
	if (server && arg > UINT32_MAX)
		return refuse(r, "registers have 32 bits");
	if (fault->low_arg) {
		if (number(r, fault->low_arg, &low))
			return -1;
		if (arg > UINT32_MAX || low > UINT32_MAX)
			return refuse(r, "registers have 32 bits");
		arg = arg << 32 | low;
	}
	if (no_more(r))
		return -1;
	for (e = r->first; e < r->last; e++) {
		if (server)
			set_server_fault(&r->emu->fn[e], name, arg);
		else
			r->emu->ops->fault_set(r->emu->card, e, name, arg);
	}
	return 0;
}

static int do_faults(struct request *r)
{
	struct emu *emu = r->emu;
	const struct card_fault *fault;
	unsigned int e;

	if (no_more(r))
		return -1;
	json_array(r->out, "ep");
	for (e = 0; e < emu->ops->functions; e++) {
		json_object(r->out, NULL);
		json_uint(r->out, ALL_ONES, emu->fn[e].all_ones);
		json_uint(r->out, VANISH, emu->fn[e].vanished);
		json_uint(r->out, FOREIGN, emu->fn[e].foreign);
		json_uint(r->out, FORGETS, emu->fn[e].forgets);
		for (fault = emu->ops->faults; fault->name; fault++) {
			uint64_t arg = emu->ops->fault_get(emu->card, e, fault->name);

			if (fault->low_arg)
				json_hex(r->out, fault->name, arg);
			else
				json_uint(r->out, fault->name, arg);
		}
		json_end_object(r->out);
	}
	json_end_array(r->out);
	return 0;
}

/* A card that cut its own power stays off until this command restores it. */
static int do_power(struct request *r)
{
	const char *word = next(r);
	unsigned int e;

	if (word && strcmp(word, "on"))
		return refuse(r, "power, or power on");
	if (no_more(r))
		return -1;
	if (word && r->emu->ops->off && r->emu->ops->off(r->emu->card))
		return refuse(r, "it is too hot still");
	if (word && atomic_exchange(&r->emu->off, false)) {
		for (e = 0; e < r->emu->ops->functions; e++)
			function_power_on(&r->emu->fn[e]);
	}
	json_bool(r->out, "on", !atomic_load(&r->emu->off));
	return 0;
}

static int do_quit(struct request *r)
{
	if (no_more(r))
		return -1;
	atomic_store(&r->emu->quit_requested, true);
	return 0;
}

static const struct {
	const char *name;
	int (*run)(struct request *r);
} commands[] = {
	{"info", do_info},   {"get", do_get},	    {"set", do_set},	 {"counts", do_counts},
	{"clear", do_clear}, {"mmio", do_mmio},	    {"trace", do_trace}, {"peek", do_peek},
	{"poke", do_poke},   {"config", do_config}, {"fault", do_fault}, {"faults", do_faults},
	{"power", do_power}, {"quit", do_quit},
};

#define COMMANDS (sizeof(commands) / sizeof(commands[0]))

static int run(struct request *r)
{
	const char *name = next(r);
	unsigned int i;
	int rc;

	for (i = 0; name && i < COMMANDS; i++) {
		if (strcmp(commands[i].name, name))
			continue;
		emu_lock_all(r->emu);
		rc = commands[i].run(r);
		emu_unlock_all(r->emu, true);
		return rc;
	}
	return refuse(r, "unknown command '%.40s'", name ? name : "");
}

void control_run(struct emu *emu, const char *line, struct json *reply)
{
	struct request r = {.emu = emu, .out = reply};
	char text[LINE], *save, *word;
	int rc = 0;

	json_restart(reply);
	json_object(reply, NULL);
	json_bool(reply, "ok", true);
	if (strlen(line) >= sizeof(text)) {
		rc = refuse(&r, "a command line has at most %d characters", LINE - 1);
	} else {
		strcpy(text, line);
		for (word = strtok_r(text, " \t\r\n", &save); word && !rc;
		     word = strtok_r(NULL, " \t\r\n", &save)) {
			if (r.count == WORDS)
				rc = refuse(&r, "too many words");
			else
				r.word[r.count++] = word;
		}
	}
	if (!rc)
		rc = run(&r);
	if (rc) {
		json_restart(reply);
		json_object(reply, NULL);
		json_bool(reply, "ok", false);
		json_string(reply, "error", r.error);
	}
	json_end_object(reply);
}
