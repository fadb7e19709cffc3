// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A page fault that nobody answers (userfaultfd here; a FUSE mapping does the same for ordinary
 * users) under an ioctl: removal, reset and sysfs do not wait for it, and what it left is taken
 * back when it ends.
 */
#include "common/case.h"

#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <poll.h>
#include <pthread.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#define PAGE 4096ul
#define LIMIT_MS 10000 /* for what takes a fraction of that when nobody waits */

/* A page that is there when we say so, and the thread that needs it. */
struct hole {
	int uffd;
	char *page;
	/* of the thread */
	pthread_t thread;
	int fd;
	unsigned long nr;
	void *arg;
	int result;
	volatile bool entered, over;
};

static bool hole_make(struct hole *h)
{
	struct uffdio_api api = {.api = UFFD_API};
	struct uffdio_register reg = {.mode = UFFDIO_REGISTER_MODE_MISSING};

	memset(h, 0, sizeof(*h));
	h->uffd = syscall(SYS_userfaultfd, O_CLOEXEC | O_NONBLOCK);
	h->page = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (h->uffd < 0 || h->page == MAP_FAILED || ioctl(h->uffd, UFFDIO_API, &api))
		return false;
	reg.range = (struct uffdio_range){.start = (uintptr_t)h->page, .len = PAGE};
	return !ioctl(h->uffd, UFFDIO_REGISTER, &reg);
}

/* From now on it is there. */
static bool hole_fill(struct hole *h, const void *content, size_t size)
{
	static char page[PAGE] __attribute__((aligned(PAGE)));
	struct uffdio_copy copy = {.dst = (uintptr_t)h->page, .src = (uintptr_t)page, .len = PAGE};

	memset(page, 0, sizeof(page));
	memcpy(page, content, size);
	return !ioctl(h->uffd, UFFDIO_COPY, &copy);
}

static void *hole_call(void *arg)
{
	struct hole *h = arg;

	h->result = abi(h->fd, h->nr, h->arg);
	h->over = true;
	return NULL;
}

/* Does the call of the thread need the page, within a while? */
static bool hole_entered(struct hole *h)
{
	struct pollfd p = {.fd = h->uffd, .events = POLLIN};
	int64_t end = now_ms() + LIMIT_MS;

	while (!h->over && !h->entered && now_ms() < end)
		h->entered = poll(&p, 1, 10) == 1;
	return h->entered;
}

static void hole_call_start(struct hole *h, int fd, unsigned long nr, void *arg)
{
	h->fd = fd;
	h->nr = nr;
	h->arg = arg;
	if (pthread_create(&h->thread, NULL, hole_call, h))
		abort();
}

static void hole_close(struct hole *h)
{
	close(h->uffd); /* wakes whoever is still in it */
	pthread_join(h->thread, NULL);
	munmap(h->page, PAGE);
}

static char address[ROC_TEXT_MAX], reset[96], mode[96];

static int read_mode(void *unused)
{
	char text[32] = "";
	int fd = open(mode, O_RDONLY | O_CLOEXEC);

	return read(fd, text, sizeof(text) - 1) > 0 && !strcmp(text, "timer\n") ? 0 : 1;
}

static int write_mode(void *unused)
{
	return -put_text(mode, "busy");
}

static int read_owner(void *unused)
{
	return node_attr(EP0, 0, "owner_pid")[0] ? 0 : 1;
}

static int reset_function(void *unused)
{
	return -put_text(reset, "1");
}

static int unbind(void *unused)
{
	return -driver_unbind(address);
}

static pid_t hung; /* not to be killed: it waits for the page */

static void in_time(const char *what, int (*fn)(void *unused))
{
	pid_t pid;
	int status;

	if (hung)
		return;
	pid = child_start(AS_ROOT, fn, NULL);
	if (!UNIT_WAIT(waitpid(pid, &status, WNOHANG) == pid, LIMIT_MS)) {
		unit_note("%s hangs", what);
		CU_FAIL("hangs");
		hung = pid;
		return;
	}
	if (status)
		unit_note("%s: status 0x%x", what, status);
	UNIT_EQ(status, 0);
}

static void prepare(void)
{
	emu_normal(CARD0, FOUR_LINKS);
	strcpy(address, pci_address(EP0));
	snprintf(reset, sizeof(reset), "/sys/bus/pci/devices/%s/reset", address);
	snprintf(mode, sizeof(mode), "/sys/class/roc/%s/mode", strrchr(node_path(EP0, 0), '/') + 1);
}

/* All that somebody else may want from the card, and then its end. */
static void others_go_on(bool channel)
{
	if (channel) {
		in_time("reading the mode", read_mode);
		in_time("writing the mode", write_mode);
		in_time("reading the owner", read_owner);
	}
	if (!access(reset, W_OK))
		in_time("a function reset", reset_function);
	in_time("unbind", unbind);
}

static void works(void)
{
	struct rig r = {.id = EP0, .source = ROC_SOURCE_DDG, .count = 8};

	if (hung)
		child_wait(hung, LIMIT_MS);
	hung = 0;
	driver_unbind(address);
	UNIT_NEED(driver_bind(address));
	CU_ASSERT(rig_once(&r, 20, 5000));
	RIG_OK(&r);
	rig_close(&r);
}

static void argument_that_never_comes(void)
{
	struct roc_ch_info info = {.size = sizeof(info)};
	struct hole h;
	int fd;

	prepare();
	fd = node_open(EP0, 0);
	UNIT_NEED(fd >= 0 && hole_make(&h));
	hole_call_start(&h, fd, ROC_CH_INFO, h.page);
	CU_ASSERT(hole_entered(&h));
	others_go_on(true);
	CU_ASSERT(hole_fill(&h, &info, sizeof(info)));
	CU_ASSERT(UNIT_WAIT(h.over, LIMIT_MS));
	UNIT_EQ(h.result, -ENODEV);
	hole_close(&h);
	close(fd);
	works();
}

/* The page is there for the argument, and taken away while the call sleeps. */
static void answer_that_cannot_be_written(void)
{
	struct roc_card_lock lock = {.size = sizeof(lock)};
	struct hole h;
	int holder, fd;

	prepare();
	holder = node_open(EP0, -1);
	fd = node_open(EP0, -1);
	UNIT_NEED(holder >= 0 && fd >= 0 && hole_make(&h));
	UNIT_EQ(abi(holder, ROC_CARD_LOCK, &lock), 0);
	lock = (struct roc_card_lock){.size = sizeof(lock), .deadline = now_ns() + 1000000000};
	CU_ASSERT(hole_fill(&h, &lock, sizeof(lock)));
	hole_call_start(&h, fd, ROC_CARD_LOCK, h.page);
	sleep_ms(300);
	UNIT_EQ(madvise(h.page, PAGE, MADV_DONTNEED), 0);
	CU_ASSERT(hole_entered(&h));
	others_go_on(false);
	CU_ASSERT(hole_fill(&h, &lock, sizeof(lock)));
	CU_ASSERT(UNIT_WAIT(h.over, LIMIT_MS));
	UNIT_EQ(h.result, -EBUSY);
	hole_close(&h);
	close(fd);
	close(holder);
	works();
}

static void buffer_that_never_comes(void)
{
	struct roc_buf_register b = {.size = sizeof(b), .length = PAGE};
	int64_t before;
	struct hole h;
	int fd;

	prepare();
	before = pins();
	fd = node_open(EP0, 0);
	UNIT_NEED(fd >= 0 && hole_make(&h));
	b.addr = (uintptr_t)h.page;
	hole_call_start(&h, fd, ROC_BUF_REGISTER, &b);
	if (!hole_entered(&h) && h.over && h.result == -EFAULT && b.why == ROC_WHY_PIN) {
		unit_skip("this kernel does not wait for pages that it pins");
		hole_close(&h);
		close(fd);
		return;
	}
	others_go_on(true);
	CU_ASSERT(hole_fill(&h, "", 1));
	CU_ASSERT(UNIT_WAIT(h.over, LIMIT_MS));
	UNIT_EQ(h.result, -ENODEV);
	UNIT_EQ(b.handle, 0);
	/* The card went meanwhile: the pages are not kept, nor charged. */
	UNIT_EQ(pins(), before);
	UNIT_EQ(pinned_by(0), 0);
	hole_close(&h);
	close(fd);
	works();
}

static int register_for_ever(void *arg)
{
	struct roc_buf_register b = {.size = sizeof(b), .length = PAGE};
	struct hole *h = arg;
	int fd = node_open(EP0, 0);

	if (fd < 0 || !hole_make(h))
		return 1;
	b.addr = (uintptr_t)h->page;
	hole_call_start(h, fd, ROC_BUF_REGISTER, &b);
	hole_entered(h);
	sleep_ms(LIMIT_MS);
	return 2;
}

/* Whoever hangs so can be killed, and the channel is free. */
static void killed_in_it(void)
{
	struct hole *h = shared_alloc(sizeof(*h));
	int64_t before = pins();
	pid_t pid;
	int fd;

	prepare();
	pid = child_start(AS_ROOT, register_for_ever, h);
	if (!UNIT_WAIT(h->entered || h->over, LIMIT_MS) || h->over)
		unit_note("the memory was not waited for");
	child_kill(pid);
	CU_ASSERT(UNIT_WAIT((fd = node_open(EP0, 0)) >= 0, LIMIT_MS));
	close(fd);
	UNIT_EQ(pins(), before);
	shared_free(h, sizeof(*h));
}

UNIT_MAIN("stuck", {"argument that never comes", argument_that_never_comes},
	  {"answer that cannot be written", answer_that_cannot_be_written},
	  {"buffer that never comes", buffer_that_never_comes}, {"killed in it", killed_in_it})
