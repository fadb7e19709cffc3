// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Test ioctls on user memory with faults.
 *
 * Page faults that never complete (userfaultfd here; a FUSE mapping does the same for ordinary
 * users): removal, reset and sysfs do not wait for them, and the driver undoes the call when it
 * ends. Results that cannot be copied out: the driver undoes the call.
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
#define LIMIT_MS 10000 /* time limit; without a blocked call a fraction of it is enough */

/* An ioctl in a thread of its own. */
struct call {
	pthread_t thread;
	int fd;
	unsigned long nr;
	void *arg;
	volatile pid_t tid;
	volatile int result; /* set before over */
	volatile bool over;
};

static void *call_it(void *arg)
{
	struct call *c = arg;

	c->tid = gettid();
	c->result = abi(c->fd, c->nr, c->arg);
	c->over = true;
	return NULL;
}

static void call_start(struct call *c, int fd, unsigned long nr, void *arg)
{
	*c = (struct call){.fd = fd, .nr = nr, .arg = arg};
	if (pthread_create(&c->thread, NULL, call_it, c))
		abort();
}

/* It has read its argument, and waits for the awaited event. */
static bool call_waits(struct call *c)
{
	return UNIT_WAIT(c->tid && child_sleeps(c->tid), 1000) && !c->over;
}

static int call_end(struct call *c)
{
	CU_ASSERT(UNIT_WAIT(c->over, LIMIT_MS));
	pthread_join(c->thread, NULL);
	return c->result;
}

/* A page that appears when the test fills it. */
struct hole {
	int uffd;
	char *page;
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

/* From now on the page is there. */
static bool hole_fill(struct hole *h, const void *content, size_t size)
{
	static char page[PAGE] __attribute__((aligned(PAGE)));
	struct uffdio_copy copy = {.dst = (uintptr_t)h->page, .src = (uintptr_t)page, .len = PAGE};

	memset(page, 0, sizeof(page));
	memcpy(page, content, size);
	return !ioctl(h->uffd, UFFDIO_COPY, &copy);
}

/* Wait until the thread's call needs the page, with a limit. */
static bool hole_entered(struct hole *h, struct call *c)
{
	struct pollfd p = {.fd = h->uffd, .events = POLLIN};
	int64_t end = now_ms() + limit_ms(LIMIT_MS);

	while (!c->over && !h->entered && now_ms() < end)
		h->entered = poll(&p, 1, 10) == 1;
	h->over = c->over;
	return h->entered;
}

static void hole_close(struct hole *h)
{
	close(h->uffd); /* wakes the call that still waits for it */
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

static pid_t hung; /* uninterruptible: it waits for the page */

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

/* Other processes' operations on the card, and then its removal. */
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

static void argument_never_present(void)
{
	struct roc_ch_info info = {.size = sizeof(info)};
	struct call c;
	struct hole h;
	int fd;

	prepare();
	fd = node_open(EP0, 0);
	UNIT_NEED(fd >= 0 && hole_make(&h));
	call_start(&c, fd, ROC_CH_INFO, h.page);
	CU_ASSERT(hole_entered(&h, &c));
	others_go_on(true);
	CU_ASSERT(hole_fill(&h, &info, sizeof(info)));
	UNIT_EQ(call_end(&c), -ENODEV);
	hole_close(&h);
	close(fd);
	works();
}

/* The page is there for the argument, and removed while the call sleeps. */
static void result_never_present(void)
{
	struct roc_card_lock lock = {.size = sizeof(lock)};
	struct call c;
	struct hole h;
	int holder, fd;

	prepare();
	holder = node_open(EP0, -1);
	fd = node_open(EP0, -1);
	UNIT_NEED(holder >= 0 && fd >= 0 && hole_make(&h));
	UNIT_EQ(abi(holder, ROC_CARD_LOCK, &lock), 0);
	lock = (struct roc_card_lock){.size = sizeof(lock),
				      .deadline = now_ns() + limit_ms(3000) * 1000000ull};
	CU_ASSERT(hole_fill(&h, &lock, sizeof(lock)));
	call_start(&c, fd, ROC_CARD_LOCK, h.page);
	CU_ASSERT(call_waits(&c));
	UNIT_EQ(madvise(h.page, PAGE, MADV_DONTNEED), 0);
	CU_ASSERT(hole_entered(&h, &c));
	others_go_on(false);
	CU_ASSERT(hole_fill(&h, &lock, sizeof(lock)));
	UNIT_EQ(call_end(&c), -EBUSY);
	hole_close(&h);
	close(fd);
	close(holder);
	works();
}

static void buffer_never_present(void)
{
	struct roc_buf_register b = {.size = sizeof(b), .length = PAGE};
	int64_t before;
	struct call c;
	struct hole h;
	int fd;

	prepare();
	before = pins();
	fd = node_open(EP0, 0);
	UNIT_NEED(fd >= 0 && hole_make(&h));
	b.addr = (uintptr_t)h.page;
	call_start(&c, fd, ROC_BUF_REGISTER, &b);
	if (!hole_entered(&h, &c) && c.over && c.result == -EFAULT && b.reason == ROC_REASON_PIN) {
		unit_skip("this kernel does not wait for pages that it pins");
		call_end(&c);
		hole_close(&h);
		close(fd);
		return;
	}
	others_go_on(true);
	CU_ASSERT(hole_fill(&h, "", 1));
	UNIT_EQ(call_end(&c), -ENODEV);
	UNIT_EQ(b.handle, 0);
	/* The card was removed meanwhile: the pages are neither pinned nor charged. */
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
	struct call c;
	int fd = node_open(EP0, 0);

	if (fd < 0 || !hole_make(h))
		return 1;
	b.addr = (uintptr_t)h->page;
	call_start(&c, fd, ROC_BUF_REGISTER, &b);
	hole_entered(h, &c);
	sleep_ms(limit_ms(LIMIT_MS));
	return 2;
}

/* A process in such a call can be killed, and the channel is free. */
static void killed_in_it(void)
{
	struct hole *h = shared_alloc(sizeof(*h));
	int64_t before = pins();
	pid_t pid;
	int fd;

	prepare();
	pid = child_start(AS_ROOT, register_for_ever, h);
	if (!UNIT_WAIT(h->entered || h->over, LIMIT_MS) || h->over)
		unit_note("the call did not wait for the memory");
	child_kill(pid);
	CU_ASSERT(UNIT_WAIT((fd = node_open(EP0, 0)) >= 0, LIMIT_MS));
	close(fd);
	UNIT_EQ(pins(), before);
	shared_free(h, sizeof(*h));
}

/* A page that can only be read. */
static void *only_to_read(const void *content, size_t size)
{
	void *page = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	UNIT_NEED(page != MAP_FAILED);
	memcpy(page, content, size);
	UNIT_EQ(mprotect(page, PAGE, PROT_READ), 0);
	return page;
}

/* The card's lock must be free. */
static void lock_is_free(int fd)
{
	struct roc_card_lock lock = {.size = sizeof(lock)};

	UNIT_EQ(abi(fd, ROC_CARD_LOCK, &lock), 0);
	lock = (struct roc_card_lock){.size = sizeof(lock)};
	UNIT_EQ(abi(fd, ROC_CARD_UNLOCK, &lock), 0);
}

static void answer_that_cannot_be_written(void)
{
	int ep = node_open(EP0, -1), other = node_open(EP0, -1), fd = node_open(EP0, 0);
	struct roc_card_lock lock = {.size = sizeof(lock)};
	struct roc_ch_rings rings = {.size = sizeof(rings)};
	struct roc_reg reg = {.size = sizeof(reg), .bar = CRU_BAR_DMA, .offset = CRU_SCRATCH};
	struct roc_buf_register b = {.size = sizeof(b), .length = PAGE};
	int64_t before = pins();
	void *page;

	prepare();
	UNIT_NEED(ep >= 0 && other >= 0 && fd >= 0);
	page = only_to_read(&lock, sizeof(lock));
	UNIT_EQ(abi(ep, ROC_CARD_LOCK, page), -EFAULT);
	munmap(page, PAGE);
	lock_is_free(other);
	lock_is_free(ep);

	UNIT_EQ(reg_write(ep, CRU_BAR_DMA, CRU_SCRATCH, 0), 0);
	reg.mask = reg.value = 0xff;
	page = only_to_read(&reg, sizeof(reg));
	UNIT_EQ(abi(ep, ROC_REG_MODIFY, page), -EFAULT);
	munmap(page, PAGE);
	UNIT_EQ(reg_read(ep, CRU_BAR_DMA, CRU_SCRATCH, &reg.value), 0);
	UNIT_EQ(reg.value, 0);

	b.addr = (uintptr_t)mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1,
				 0);
	page = only_to_read(&b, sizeof(b));
	UNIT_EQ(abi(fd, ROC_BUF_REGISTER, page), -EFAULT);
	munmap(page, PAGE);
	UNIT_EQ(pinned_by(0), 0);
	UNIT_EQ(pins(), before);
	munmap((void *)(uintptr_t)b.addr, PAGE);

	page = only_to_read(&rings, sizeof(rings));
	UNIT_EQ(abi(fd, ROC_CH_RINGS, page), -EFAULT);
	munmap(page, PAGE);
	UNIT_EQ(abi(fd, ROC_CH_RINGS, &rings), 0);
	UNIT_EQ(abi(fd, ROC_CH_RINGS, &rings), -EBUSY);
	close(fd);
	close(other);
	close(ep);
}

/* It was writable when the call began. */
static void lock_undone(void)
{
	int holder = node_open(EP0, -1), fd = node_open(EP0, -1);
	struct roc_card_lock lock = {.size = sizeof(lock)};
	struct call c;
	void *page;

	prepare();
	UNIT_NEED(holder >= 0 && fd >= 0);
	UNIT_EQ(abi(holder, ROC_CARD_LOCK, &lock), 0);
	lock = (struct roc_card_lock){.size = sizeof(lock),
				      .deadline = now_ns() + limit_ms(LIMIT_MS) * 1000000ull};
	page = only_to_read(&lock, sizeof(lock));
	UNIT_EQ(mprotect(page, PAGE, PROT_READ | PROT_WRITE), 0);
	call_start(&c, fd, ROC_CARD_LOCK, page);
	CU_ASSERT(call_waits(&c));
	UNIT_EQ(mprotect(page, PAGE, PROT_READ), 0);
	lock = (struct roc_card_lock){.size = sizeof(lock)};
	UNIT_EQ(abi(holder, ROC_CARD_UNLOCK, &lock), 0);
	UNIT_EQ(call_end(&c), -EFAULT);
	lock_is_free(holder);
	lock_is_free(fd);
	munmap(page, PAGE);
	close(fd);
	close(holder);
}

static void buffer_undone(void)
{
	struct roc_buf_register b = {.size = sizeof(b), .length = PAGE};
	int64_t before = pins();
	struct hole h;
	struct call c;
	void *page;
	int fd;

	prepare();
	fd = node_open(EP0, 0);
	UNIT_NEED(fd >= 0 && hole_make(&h));
	b.addr = (uintptr_t)h.page;
	page = only_to_read(&b, sizeof(b));
	UNIT_EQ(mprotect(page, PAGE, PROT_READ | PROT_WRITE), 0);
	call_start(&c, fd, ROC_BUF_REGISTER, page);
	if (!hole_entered(&h, &c)) {
		unit_skip("this kernel does not wait for pages that it pins");
		UNIT_EQ(call_end(&c), -EFAULT);
	} else {
		UNIT_EQ(mprotect(page, PAGE, PROT_READ), 0);
		CU_ASSERT(hole_fill(&h, "", 1));
		UNIT_EQ(call_end(&c), -EFAULT);
		UNIT_EQ(buffer_unregister(fd, 1), -ENOENT);
		UNIT_EQ(pinned_by(0), 0);
		UNIT_EQ(pins(), before);
		/* The buffer's place is free, and so is the page. */
		UNIT_EQ(buffer_register(fd, h.page, PAGE, 0, &b), 0);
		UNIT_EQ(b.handle, 1);
	}
	munmap(page, PAGE);
	hole_close(&h);
	close(fd);
	UNIT_EQ(pins(), before);
}

/* It is in the kernel and does not run: it waits for its timeout, or for a lock. */
static bool call_rests(struct call *c)
{
	return UNIT_WAIT(c->over || (c->tid && child_rests(c->tid)), 1000) && !c->over;
}

/* A reset keeps the channel busy for a while: the rings are made when the page is gone. */
static bool rings_made_late(void)
{
	struct roc_ch_control control = {.size = sizeof(control), .level = ROC_RESET_INTERNAL};
	struct roc_ch_rings rings = {.size = sizeof(rings)};
	int fd = node_open(EP0, 0), second;
	struct call reset_it, make;
	bool late;
	void *page;

	UNIT_NEED(fd >= 0);
	page = only_to_read(&rings, sizeof(rings));
	UNIT_EQ(mprotect(page, PAGE, PROT_READ | PROT_WRITE), 0);
	call_start(&reset_it, fd, ROC_CH_RESET, &control);
	call_rests(&reset_it);
	call_start(&make, fd, ROC_CH_RINGS, page);
	call_rests(&make);
	UNIT_EQ(mprotect(page, PAGE, PROT_READ), 0);
	UNIT_EQ(call_end(&reset_it), 0);
	late = call_end(&make) == -EFAULT;
	second = abi(fd, ROC_CH_RINGS, &rings);
	UNIT_EQ(second, late ? 0 : -EBUSY);
	munmap(page, PAGE);
	close(fd);
	return late && !second;
}

static void rings_undone(void)
{
	int tries;

	prepare();
	for (tries = 0; tries < 10; tries++)
		if (rings_made_late())
			return;
	CU_FAIL("the page was never removed in time");
}

UNIT_MAIN("stuck", {"argument page never present", argument_never_present},
	  {"result page never present", result_never_present},
	  {"buffer page never present", buffer_never_present}, {"killed in it", killed_in_it},
	  {"answer that cannot be written", answer_that_cannot_be_written},
	  {"lock undone if the result cannot be copied out", lock_undone},
	  {"buffer undone if the result cannot be copied out", buffer_undone},
	  {"rings undone if the result cannot be copied out", rings_undone})
