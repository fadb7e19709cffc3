// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * roc-bar-stress: access one register as often as possible, from one or several processes. The BAR
 * is mapped, so an operation is one bus access without a system call.
 */
#include "registers.h"

#include <roc/roc.h>

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "utils/common/card.h"
#include "utils/common/clock.h"
#include "utils/common/numbers.h"
#include "utils/common/output.h"
#include "utils/common/tool.h"

struct values {
	struct common_options common;
	const char *id;
	const char *value;
	uint32_t bar;
	uint32_t address;
	uint32_t processes;
	uint64_t cycles;
	uint64_t seconds;
	bool no_display;
	bool json;
};

#define CYCLES_DEFAULT 100

static const struct option_spec options[] = {
	FULL_ID_OPTION(struct values),
	{.name = "channel",
	 .full = true,
	 .type = OPTION_NUMBER,
	 .offset = offsetof(struct values, bar),
	 .arg = "N",
	 .required = true,
	 .max = 5,
	 .help = "Select the BAR"},
	{.name = "address",
	 .full = true,
	 .type = OPTION_HEX,
	 .offset = offsetof(struct values, address),
	 .arg = "HEX",
	 .required = true,
	 .help = "Set the byte offset of the register, hexadecimal with or without 0x"},
	{.name = "value",
	 .full = true,
	 .type = OPTION_TEXT,
	 .offset = offsetof(struct values, value),
	 .arg = "NUMBER",
	 .help = "Write this value in each cycle before the read (default: only read)"},
	{.name = "cycles",
	 .type = OPTION_SIZE,
	 .offset = offsetof(struct values, cycles),
	 .arg = "N",
	 .min = 1,
	 .max = UINT32_MAX,
	 .help = "Set the cycles of each process (default 100; with --time: no limit)"},
	{.name = "time",
	 .type = OPTION_TIME,
	 .offset = offsetof(struct values, seconds),
	 .arg = "TIME",
	 .help = "Stop all processes after this time, as in 10s (default: never)"},
	{.name = "processes",
	 .type = OPTION_NUMBER,
	 .offset = offsetof(struct values, processes),
	 .arg = "N",
	 .fallback = "1",
	 .min = 1,
	 .max = BAR_STRESS_PROCESSES_MAX,
	 .help = "Set the number of concurrent processes"},
	FLAG_OPTION(struct values, "no-display", no_display, "Do not show the live line"),
	JSON_OPTION(struct values),
};

/*
 * Written by one process and read by all. It has its own cache line, so that counting does not slow
 * down other processes.
 */
struct progress {
	_Atomic uint64_t ops;
} __attribute__((aligned(64)));

/* Shared by parent and children; the parent unmaps it. */
struct shared {
	_Atomic unsigned int ready;
	_Atomic bool go, stop;
	_Atomic bool finished; /* set by the first one, which records the shares */
	char reason[BAR_STRESS_PROCESSES_MAX][256]; /* message of a process that failed */
	struct progress progress[BAR_STRESS_PROCESSES_MAX];
	struct bar_stress_worker workers[BAR_STRESS_PROCESSES_MAX];
};

struct stress {
	const struct roc_card *card;
	const char *id; /* name of the card as given by the user */
	struct roc_endpoint *ep;
	uint32_t bar;
	uint32_t address;
	bool write;
	uint32_t value;
	uint64_t cycles;
	uint64_t seconds; /* 0: no limit */
	unsigned int processes;
	bool no_display;
	struct shared *shared;
};

static void count_op(struct bar_stress_ops *ops, uint64_t ns)
{
	ops->count++;
	ops->total_ns += ns;
	if (ns > ops->max_ns)
		ops->max_ns = ns;
}

/*
 * Record the operations of all processes at the end of the first one. The shares are computed from
 * these.
 */
static void record_shares(const struct stress *s)
{
	unsigned int i;

	if (atomic_exchange(&s->shared->finished, true))
		return;
	for (i = 0; i < s->processes; i++)
		s->shared->workers[i].at_first = atomic_load(&s->shared->progress[i].ops);
}

static void cycles(const struct stress *s, unsigned int number, volatile uint32_t *reg)
{
	struct bar_stress_worker *w = &s->shared->workers[number];
	uint32_t expected = s->value, got;
	uint64_t start, before, after, n;

	atomic_fetch_add(&s->shared->ready, 1);
	while (!atomic_load(&s->shared->go) && !atomic_load(&s->shared->stop))
		usleep(100);
	start = before = now_ns();
	for (n = 0; n < s->cycles && !atomic_load_explicit(&s->shared->stop, memory_order_relaxed);
	     n++) {
		if (s->write) {
			*reg = s->value;
			after = now_ns();
			count_op(&w->writes, after - before);
			before = after;
		}
		got = *reg;
		after = now_ns();
		count_op(&w->reads, after - before);
		before = after;
		if (!s->write && !n)
			expected = got;
		w->wrong += got != expected;
		atomic_store_explicit(&s->shared->progress[number].ops,
				      w->reads.count + w->writes.count, memory_order_relaxed);
	}
	w->duration_ns = before - start;
	record_shares(s);
}

/* Exit code of a process whose access raised SIGBUS; no exit code of a tool. */
#define BUS_ERROR 64

static void on_bus_error(int number)
{
	_exit(BUS_ERROR);
}

/*
 * Run one child process; return its exit code. A BAR mapping is not inherited, so each process maps
 * the BAR itself.
 */
static int work(const struct stress *s, unsigned int number)
{
	char *reason = s->shared->reason[number];
	struct roc_endpoint *ep;
	struct roc_bar bar;

	snprintf(reason, sizeof(s->shared->reason[0]), "killed by a signal");
	signal(SIGBUS, on_bus_error);
	if (roc_open_card(s->card, s->id, &ep) || roc_bar_map(ep, s->bar, s->write, &bar)) {
		snprintf(reason, sizeof(s->shared->reason[0]), "%s", roc_error());
		return TOOL_FAILED;
	}
	cycles(s, number, bar.regs + s->address / 4);
	return TOOL_OK;
}

static void show_progress(const struct stress *s)
{
	double all = (double)s->cycles * s->processes * (s->write ? 2 : 1);
	uint64_t done = 0;
	unsigned int i;

	for (i = 0; i < s->processes; i++)
		done += atomic_load_explicit(&s->shared->progress[i].ops, memory_order_relaxed);
	if (s->seconds)
		output_live(stderr, "%" PRIu64 " operations", done);
	else
		output_live(stderr, "%" PRIu64 " of %.0f operations (%.0f%%)", done, all,
			    100.0 * (double)done / all);
}

/* SIGBUS has two causes: the card was removed, or the page contains a protected register. */
static void explain_bus_error(const struct stress *s, unsigned int number)
{
	char *reason = s->shared->reason[number];
	uint32_t value;

	if (s->write && !roc_reg_read(s->ep, s->bar, s->address, &value))
		snprintf(
			reason, sizeof(s->shared->reason[0]),
			"register 0x%x of BAR %u cannot be written through a mapping, because its page has a protected register: use roc-reg-write",
			s->address, s->bar);
	else
		snprintf(reason, sizeof(s->shared->reason[0]), "%s does not respond",
			 card_called(s->card, s->id));
}

/* Wait for all children; after a signal let them stop. */
static void wait_for(const struct stress *s, const pid_t *pids, unsigned int started)
{
	bool live = output_is_live(stderr) && !s->no_display;
	uint64_t end = s->seconds ? now_ns() + s->seconds * UINT64_C(1000000000) : UINT64_MAX;
	unsigned int left = started, i;
	bool reaped[BAR_STRESS_PROCESSES_MAX] = {false};
	int status = 0;
	pid_t pid;

	while (left) {
		/*
		 * 50 ms: short enough for the live line, long enough not to disturb the
		 * measurement.
		 */
		if (stop_sleep(0.05)) {
			atomic_store(&s->shared->stop, true);
			usleep(1000);
		}
		if (now_ns() >= end) {
			record_shares(s);
			atomic_store(&s->shared->stop, true);
		}
		for (i = 0; i < started; i++) {
			pid = reaped[i] ? 0 : waitpid(pids[i], &status, WNOHANG);
			if (!pid)
				continue;
			reaped[i] = true;
			left--;
			if (pid < 0 || !WIFEXITED(status) || WEXITSTATUS(status))
				s->shared->workers[i].failed = true;
			if (pid > 0 && WIFEXITED(status) && WEXITSTATUS(status) == BUS_ERROR)
				explain_bus_error(s, i);
		}
		if (live)
			show_progress(s);
	}
	if (live)
		output_live(stderr, "%s", "");
}

static int run_processes(const struct stress *s)
{
	pid_t pids[BAR_STRESS_PROCESSES_MAX];
	pid_t parent = getpid();
	unsigned int started, i;
	int code = TOOL_OK;

	fflush(stdout);
	/* With SIGCHLD ignored, waitpid() gets no exit status. */
	signal(SIGCHLD, SIG_DFL);
	for (started = 0; started < s->processes; started++) {
		pids[started] = fork();
		if (!pids[started]) {
			/* Only the parent stops the children, so they must die with it. */
			prctl(PR_SET_PDEATHSIG, SIGKILL);
			_exit(getppid() == parent ? work(s, started) : TOOL_FAILED);
		}
		if (pids[started] < 0) {
			code = tool_fail("Cannot start process %u: %s.", started, strerror(errno));
			atomic_store(&s->shared->stop, true);
			break;
		}
	}
	/* Start all together, else the first processes have the card for themselves. */
	for (i = 0; !code && i < 10000 && atomic_load(&s->shared->ready) < started; i++)
		usleep(100);
	atomic_store(&s->shared->go, true);
	wait_for(s, pids, started);
	for (i = 0; i < started; i++) {
		if (s->shared->workers[i].failed)
			code = tool_fail("Process %u: %s.", i, s->shared->reason[i]);
	}
	return code;
}

static int stress(const struct values *v, struct stress *s, struct roc_endpoint *ep)
{
	struct bar_stress_report report = {
		.pci_address = s->card->pci_address,
		.bar = v->bar,
		.address = v->address,
		.write = s->write,
		.processes = s->processes,
	};
	struct roc_bar bar;
	uint64_t wrong = 0;
	unsigned int i;
	size_t length;
	int code;

	/* Check that the BAR can be mapped before anything is started. */
	if (roc_bar_map(ep, v->bar, s->write, &bar))
		return tool_fail("%s", roc_error());
	length = bar.length;
	roc_bar_unmap(&bar);
	if ((uint64_t)v->address + 4 > length)
		return tool_fail("--address: 0x%x is beyond the end of BAR %u (0x%zx bytes).",
				 v->address, v->bar, length);
	s->shared = mmap(NULL, sizeof(*s->shared), PROT_READ | PROT_WRITE,
			 MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (s->shared == MAP_FAILED)
		return tool_fail("Cannot allocate the shared memory of the processes (%zu bytes).",
				 sizeof(*s->shared));
	stop_on_signals();
	code = run_processes(s);
	if (code)
		goto free_shared;
	report.workers = s->shared->workers;
	if (v->json)
		bar_stress_json(stdout, &report);
	else
		bar_stress_text(stdout, &report);
	for (i = 0; i < s->processes; i++)
		wrong += s->shared->workers[i].wrong;
	if (wrong)
		code = tool_fail("%" PRIu64 " reads did not return the value that %s.", wrong,
				 s->write ? "was written" : "was read first");
	else if (stop_requested())
		code = tool_fail("Interrupted.");
free_shared:
	munmap(s->shared, sizeof(*s->shared));
	return code;
}

static int run(const void *p)
{
	const struct values *v = p;
	struct stress s = {
		.bar = v->bar,
		.address = v->address,
		.write = v->value,
		.cycles = v->cycles,
		.seconds = v->seconds,
		.processes = v->processes,
		.no_display = v->no_display,
	};
	struct roc_endpoint *ep;
	const char *wrong;
	struct roc_card card;
	int code, err;

	if (v->value) {
		wrong = number_value32(v->value, &s.value);
		if (wrong)
			return tool_usage("--value: \"%s\" %s.", v->value, wrong);
	}
	if (!s.cycles)
		s.cycles = s.seconds ? UINT64_MAX : CYCLES_DEFAULT;
	if (v->address % 4)
		return tool_usage("--address: 0x%x is not a multiple of 4.", v->address);
	/* Any card type: every card has BARs. */
	err = roc_find(v->id, &card);
	if (!err)
		err = roc_open_card(&card, v->id, &ep);
	if (err)
		return tool_fail_card(err);
	s.card = &card;
	s.id = v->id;
	s.ep = ep;
	code = stress(v, &s, ep);
	roc_close(ep);
	return code;
}

const struct tool tool_bar_stress = {
	.name = "bar-stress",
	.summary = "Access a register at the highest rate and measure the accesses",
	.example = "--id=3b:00.0 --channel=2 --address=0x4 --cycles=10k --processes=4",
	TOOL_OPTIONS(options, struct values),
	.run = run,
};
