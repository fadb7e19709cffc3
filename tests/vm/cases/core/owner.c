// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Test the right to open nodes, the reported owner, and names of cards and links.
 */
#include "common/case.h"

#include <fcntl.h>
#include <grp.h>
#include <limits.h>
#include <sched.h>
#include <sys/prctl.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/time.h>
#include <unistd.h>

struct opener {
	volatile int open, leave, result;
};

static int hold(void *arg)
{
	struct opener *h = arg;
	int fd = node_open(EP0, 0);

	prctl(PR_SET_NAME, "the-opener");
	close(fd); /* under the new name */
	fd = node_open(EP0, 0);
	h->result = fd;
	h->open = 1;
	UNIT_WAIT(h->leave, 60000);
	return fd < 0;
}

static void second_opener(void)
{
	struct opener *h = shared_alloc(sizeof(*h));
	pid_t pid = child_start(AS_READER, hold, h);
	struct roc_channel *ch;
	char text[32], name[32];
	int owner;

	UNIT_NEED(UNIT_WAIT(h->open, 10000));
	CU_ASSERT(h->result >= 0);
	UNIT_EQ(node_open(EP0, 0), -EBUSY);
	snprintf(text, sizeof(text), "%d", pid);
	UNIT_STR(node_attr(EP0, 0, "owner_pid"), text);
	UNIT_STR(node_attr(EP0, 0, "owner_name"), "the-opener");
	UNIT_EQ(roc_channel_owner(EP0, 0, &owner, name, sizeof(name)), 0);
	UNIT_EQ(owner, pid);
	UNIT_STR(name, "the-opener");
	UNIT_EQ(roc_channel_open(EP0, 0, &ch), -EBUSY);
	CU_ASSERT_PTR_NOT_NULL(strstr(roc_error(), text));
	CU_ASSERT_PTR_NOT_NULL(strstr(roc_error(), "the-opener"));
	/* The card's other channel is free, and every process may open the endpoint. */
	UNIT_STR(node_attr(EP1, 0, "owner_pid"), "0");
	CU_ASSERT(node_open(EP1, -1) >= 0);
	CU_ASSERT(node_open(EP0, -1) >= 0);

	h->leave = 1;
	UNIT_EQ(child_wait(pid, 10000), 0);
	UNIT_STR(node_attr(EP0, 0, "owner_pid"), "0");
	UNIT_STR(node_attr(EP0, 0, "owner_name"), "");
	UNIT_EQ(roc_channel_owner(EP0, 0, &owner, name, sizeof(name)), -ENOENT);
	UNIT_EQ(roc_channel_open(EP0, 0, &ch), 0);
	roc_channel_close(ch);
	shared_free(h, sizeof(*h));
}

static int lock_card(int fd, unsigned int ms, int *owner)
{
	struct roc_card_lock arg = {.size = sizeof(arg)};
	int err;

	if (ms)
		arg.deadline = now_ns() + ms * 1000000ull;
	err = abi(fd, ROC_CARD_LOCK, &arg);
	if (owner)
		*owner = arg.owner;
	return err;
}

#define SHARED_NAME "shares-table"

/*
 * Open the channel and lock the card, then leave both to another process with the same descriptors.
 */
static int leave_to_another(void *arg)
{
	struct opener *h = arg;

	prctl(PR_SET_NAME, SHARED_NAME);
	h->result = node_open(EP0, 0) < 0 || lock_card(node_open(EP1, -1), 0, NULL);
	if (!syscall(SYS_clone, CLONE_FILES | SIGCHLD, NULL, NULL, NULL, NULL)) {
		h->open = getpid();
		UNIT_WAIT(h->leave, 60000);
		_exit(0);
	}
	UNIT_WAIT(h->open, 10000);
	return 0;
}

/* A PID must never name an ended process, because another process may have it by now. */
static void owner_ended(void)
{
	struct opener *h = shared_alloc(sizeof(*h));
	struct roc_endpoint *ep;
	struct roc_channel *ch;
	int fd, owner = -1;

	UNIT_EQ(child_run(AS_READER, leave_to_another, h, 20000), 0);
	UNIT_EQ(h->result, 0);
	UNIT_EQ(node_open(EP0, 0), -EBUSY);
	UNIT_STR(node_attr(EP0, 0, "owner_pid"), "0");
	UNIT_STR(node_attr(EP0, 0, "owner_name"), SHARED_NAME);
	UNIT_EQ(roc_channel_open(EP0, 0, &ch), -EBUSY);
	CU_ASSERT_PTR_NOT_NULL(strstr(roc_error(), "in use by " SHARED_NAME));
	CU_ASSERT_PTR_NOT_NULL(strstr(roc_error(), "it has ended and another process"));
	fd = node_open(EP0, -1);
	UNIT_EQ(lock_card(fd, 0, &owner), -EBUSY);
	UNIT_EQ(owner, 0);
	UNIT_NEED(!roc_open(EP0, &ep));
	UNIT_EQ(roc_card_lock(ep, 0), -EBUSY);
	CU_ASSERT_PTR_NOT_NULL(strstr(roc_error(), "a process that has ended"));
	roc_close(ep);
	h->leave = 1;
	CU_ASSERT(UNIT_WAIT(!*node_attr(EP0, 0, "owner_name"), 10000));
	UNIT_EQ(lock_card(fd, limit_ms(5000), NULL), 0);
	close(fd);
	UNIT_EQ(roc_channel_open(EP0, 0, &ch), 0);
	roc_channel_close(ch);
	shared_free(h, sizeof(*h));
}

#define OPENERS 6

static char channel_path[48];

static int race(void *arg)
{
	volatile unsigned int *inside = arg;
	unsigned int round, bad = 0;

	for (round = 0; round < 200; round++) {
		int fd = open_rw(channel_path);

		if (fd < 0) {
			bad |= fd != -EBUSY;
			continue;
		}
		bad |= __atomic_add_fetch(inside, 1, __ATOMIC_SEQ_CST) != 1;
		__atomic_add_fetch(inside + 1, 1, __ATOMIC_SEQ_CST);
		__atomic_sub_fetch(inside, 1, __ATOMIC_SEQ_CST);
		close(fd);
	}
	return bad;
}

/* Never two owners at a time, and never none because two openers refuse each other. */
static void racing_openers(void)
{
	unsigned int *inside = shared_alloc(2 * sizeof(*inside));
	pid_t pids[OPENERS];
	int i;

	strcpy(channel_path, node_path(EP0, 0));
	for (i = 0; i < OPENERS; i++)
		pids[i] = child_start(AS_READER, race, inside);
	for (i = 0; i < OPENERS; i++)
		UNIT_EQ(child_wait(pids[i], 20000), 0);
	CU_ASSERT(inside[1] >= OPENERS);
	shared_free(inside, 2 * sizeof(*inside));
}

static int unlock_card(int fd)
{
	struct roc_card_lock arg = {.size = sizeof(arg)};

	return abi(fd, ROC_CARD_UNLOCK, &arg);
}

static int hold_lock(void *arg)
{
	struct opener *h = arg;
	int fd = node_open(EP1, -1);

	h->result = lock_card(fd, 0, NULL);
	h->open = 1;
	UNIT_WAIT(h->leave, 60000);
	return unlock_card(fd);
}

/* One lock for both endpoints; it ends with its owner, in whatever way. */
static void card_lock(void)
{
	struct opener *h = shared_alloc(sizeof(*h));
	int fd = node_open(EP0, -1), same = node_open(EP0, -1), owner;
	int64_t begin;
	uint32_t v;
	pid_t pid;

	UNIT_EQ(unlock_card(fd), -EPERM);
	UNIT_EQ(lock_card(fd, 0, &owner), 0);
	UNIT_EQ(lock_card(fd, 0, &owner), -EDEADLK);
	UNIT_EQ(owner, getpid());
	/* The lock belongs to the open file, not to the process. */
	UNIT_EQ(lock_card(same, 0, &owner), -EBUSY);
	UNIT_EQ(owner, getpid());
	UNIT_EQ(unlock_card(same), -EPERM);
	UNIT_EQ(unlock_card(fd), 0);
	UNIT_EQ(unlock_card(fd), -EPERM);

	pid = child_start(AS_READER, hold_lock, h);
	UNIT_NEED(UNIT_WAIT(h->open, 10000));
	UNIT_EQ(h->result, 0);
	begin = now_ms();
	UNIT_EQ(lock_card(fd, 200, &owner), -EBUSY);
	CU_ASSERT(now_ms() - begin >= 200 && took_less(begin, 3000));
	UNIT_EQ(owner, pid);
	UNIT_EQ(reg_read(fd, CRU_BAR_CARD, CRU_FW_HASH, &v), 0); /* advisory */
	close(same);
	same = node_open(OTHER_EP0, -1);
	UNIT_EQ(lock_card(same, 0, NULL), 0); /* another card */
	/* Wait for its release. */
	h->leave = 1;
	UNIT_EQ(lock_card(fd, limit_ms(5000), NULL), 0);
	UNIT_EQ(child_wait(pid, 5000), 0);
	UNIT_EQ(unlock_card(fd), 0);

	memset(h, 0, sizeof(*h));
	pid = child_start(AS_READER, hold_lock, h);
	UNIT_NEED(UNIT_WAIT(h->open, 10000));
	UNIT_EQ(lock_card(fd, 0, NULL), -EBUSY);
	child_kill(pid);
	UNIT_EQ(lock_card(fd, 0, NULL), 0);
	/* The last close releases it. */
	close(fd);
	fd = node_open(EP1, -1);
	UNIT_EQ(lock_card(fd, 0, NULL), 0);
	close(fd);
	close(same);
	shared_free(h, sizeof(*h));
}

static void on_alarm(int number)
{
}

/* A signal interrupts a wait for the lock, which is not taken then. */
static void interrupted_lock(void)
{
	/* More than one signal: the first one may come before the wait. */
	struct itimerval soon = {{0, 200000}, {0, 200000}}, never = {.it_value = {0}};
	struct sigaction action = {.sa_handler = on_alarm}, old;
	struct opener *h = shared_alloc(sizeof(*h));
	int fd = node_open(EP0, -1), owner;
	pid_t pid = child_start(AS_READER, hold_lock, h);

	UNIT_NEED(UNIT_WAIT(h->open, 10000));
	UNIT_EQ(h->result, 0);
	sigaction(SIGALRM, &action, &old);
	setitimer(ITIMER_REAL, &soon, NULL);
	UNIT_EQ(lock_card(fd, limit_ms(5000), &owner), -EINTR);
	UNIT_EQ(owner, 0);
	setitimer(ITIMER_REAL, &never, NULL);
	sigaction(SIGALRM, &old, NULL);
	UNIT_EQ(unlock_card(fd), -EPERM);
	h->leave = 1;
	UNIT_EQ(child_wait(pid, 5000), 0);
	close(fd);
	shared_free(h, sizeof(*h));
}

static int open_both(void *arg)
{
	int ep = node_open(EP0, -1), ch = node_open(EP0, 0), want = *(int *)arg;

	if (want)
		return ep == want && ch == want ? 0 : 1;
	return ep >= 0 && ch >= 0 ? 0 : 1;
}

static void modes(void)
{
	struct group *group = getgrnam("roc");
	int refused = -EACCES, fine = 0, channel;
	struct stat st;

	UNIT_NEED(group);
	for (channel = -1; channel < 1; channel++) {
		UNIT_NEED(!stat(node_path(EP0, channel), &st));
		CU_ASSERT(S_ISCHR(st.st_mode));
		UNIT_EQ(st.st_mode & 07777, 0660);
		UNIT_EQ(st.st_uid, 0);
		UNIT_EQ(st.st_gid, group->gr_gid);
	}
	UNIT_EQ(child_run(AS_READER, open_both, &fine, 5000), 0);
	UNIT_EQ(child_run(AS_STRANGER, open_both, &refused, 5000), 0);
}

static void check_link(const char *link, const char *id, int channel)
{
	char target[PATH_MAX];
	const char *got = realpath(link, target);

	if (!got || strcmp(got, node_path(id, channel)))
		unit_note("%s -> %s", link, got ? got : strerror(errno));
	CU_ASSERT(got && !strcmp(got, node_path(id, channel)));
}

static void links(void)
{
	static const char *const ids[] = {EP0, EP1, OTHER_EP0, OTHER_EP1};
	char link[96];
	size_t i;

	for (i = 0; i < N(ids); i++) {
		snprintf(link, sizeof(link), "/dev/roc/by-serial/%s", ids[i]);
		check_link(link, ids[i], -1);
		snprintf(link, sizeof(link), "/dev/roc/by-serial/%sch0", ids[i]);
		check_link(link, ids[i], 0);
		snprintf(link, sizeof(link), "/dev/roc/by-path/pci-%s", pci_address(ids[i]));
		check_link(link, ids[i], -1);
		snprintf(link, sizeof(link), "/dev/roc/by-path/pci-%s-ch0", pci_address(ids[i]));
		check_link(link, ids[i], 0);
	}
}

/* sysfs attributes of an endpoint have the card's values. */
static void attributes(void)
{
	char text[32];

	UNIT_STR(node_attr(EP1, -1, "card_type"), "cru");
	UNIT_STR(node_attr(EP1, -1, "serial"), "245");
	UNIT_STR(node_attr(EP1, -1, "endpoint"), "1");
	UNIT_STR(node_attr(EP1, -1, "channels"), "1");
	UNIT_STR(node_attr(EP1, -1, "pci_address"), pci_address(EP1));
	snprintf(text, sizeof(text), "%x", emu_peek(CARD0, 1, CRU_BAR_CARD, CRU_FW_HASH));
	UNIT_STR(node_attr(EP1, -1, "firmware"), text);
	snprintf(text, sizeof(text), "%x", emu_peek(CARD0, 1, CRU_BAR_CARD, CRU_UL_HASH));
	UNIT_STR(node_attr(EP1, -1, "user_logic"), text);
	UNIT_STR(node_attr(EP0, -1, "numa_node"), "0");
	UNIT_STR(node_attr(OTHER_EP0, -1, "numa_node"), "1");
	UNIT_STR(node_attr(EP1, 0, "state"), "stopped");
}

/* Valid and invalid names of cards. */
static void names(void)
{
	struct roc_card card, same;
	const char *address;

	UNIT_NEED(!roc_find("245", &card));
	UNIT_EQ(card.endpoint, 0);
	UNIT_EQ(card.serial, 245);
	UNIT_EQ(card.type, ROC_CARD_CRU);
	address = pci_address(EP1);
	UNIT_EQ(roc_find(address, &same), 0);
	UNIT_EQ(same.endpoint, 1);
	UNIT_EQ(roc_find(address + strlen("0000:"), &same), 0);
	UNIT_EQ(same.endpoint, 1);
	UNIT_EQ(roc_find("#0", &same), 0);
	UNIT_EQ(same.sequence, 0);
	UNIT_EQ(roc_find("#4", &same), 0);
	UNIT_EQ(roc_find("#5", &same), -ENOENT);
	UNIT_EQ(roc_find("999", &same), -ENOENT);
	UNIT_EQ(roc_find("245:2", &same), -ENOENT);
	UNIT_EQ(roc_find("zz:00.0", &same), -EINVAL);
	UNIT_EQ(roc_find("", &same), -EINVAL);
}

UNIT_MAIN("owner", {"second opener", second_opener}, {"owner ended", owner_ended},
	  {"racing openers", racing_openers}, {"card lock", card_lock},
	  {"interrupted lock", interrupted_lock}, {"modes", modes}, {"links", links},
	  {"attributes", attributes}, {"names", names})
