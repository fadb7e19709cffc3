// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Test dma-bufs against removal and close, in both orders, and results that cannot be copied out.
 * Points in the module force the orders (kmod/core/points.h).
 */
#include "common/case.h"
#include "common/dmabuf.h"

#include <dirent.h>
#include <pthread.h>
#include <sys/mman.h>

#define PAGE 4096ul
#define LIMIT_MS 10000
#define MEET_MS 60 /* time for the second party to reach the lock that the first one has */

static int node;

/* A call that is held at a point. */
struct held_call {
	pthread_t thread;
	int fd;
	unsigned long nr;
	void *arg;
	int result;
	volatile bool over;
};

static void *call(void *arg)
{
	struct held_call *h = arg;

	h->result = h->nr ? abi(h->fd, h->nr, h->arg) : close(h->fd);
	h->over = true;
	return NULL;
}

/* Start an ioctl, or close() if @nr is 0, in another thread, and wait until it is at @point. */
static bool begin(struct held_call *h, const char *point, int fd, unsigned long nr, void *arg)
{
	*h = (struct held_call){.fd = fd, .nr = nr, .arg = arg};
	return !pthread_create(&h->thread, NULL, call, h) &&
	       (!point || point_reached(point, LIMIT_MS));
}

static int end(struct held_call *h)
{
	pthread_join(h->thread, NULL);
	return h->result;
}

static char address[ROC_TEXT_MAX];

static int unbind(void *unused)
{
	return -driver_unbind(address);
}

static unsigned int open_files(void)
{
	DIR *dir = opendir("/proc/self/fd");
	unsigned int n = 0;

	while (readdir(dir))
		n++;
	closedir(dir);
	return n;
}

static void load(void)
{
	if (!points_there()) {
		unit_skip("this module has no points");
		return;
	}
	node = dmabuf_open();
	strcpy(address, pci_address(EP0));
}

static bool ready(void)
{
	if (!points_there())
		unit_skip("this module has no points");
	return points_there();
}

/* Mapped during a removal: the removal waits for it, and undoes it. */
static void import_then_removal(void)
{
	struct roc_buf_import arg = {.size = sizeof(arg), .granule = MIB};
	struct held_call h;
	pid_t pid;
	int ch;

	if (!ready())
		return;
	ch = node_open(EP0, 0);
	arg.fd = dmabuf_make(node, 8 * MIB, DMABUF_DYNAMIC);
	point_hold("import", EP0);
	UNIT_NEED(begin(&h, "import", ch, ROC_BUF_IMPORT, &arg));
	pid = child_start(AS_ROOT, unbind, NULL);
	sleep_ms(MEET_MS);
	UNIT_EQ(dmabuf_in_use(node, arg.fd).mapped, 1);
	point_release("import");
	UNIT_EQ(end(&h), 0);
	UNIT_EQ(child_wait(pid, LIMIT_MS), 0);
	UNIT_EQ(dmabuf_in_use(node, arg.fd).attached, 0);
	UNIT_EQ(dmabuf_in_use(node, arg.fd).pinned, 0);
	UNIT_EQ(dmabuf_in_use(node, arg.fd).mapped, 0);
	UNIT_EQ(buffer_unregister(ch, arg.handle), -ENODEV);
	close(ch);
	close(arg.fd);
	UNIT_NEED(driver_bind(address));
}

static void removal_then_import(void)
{
	struct roc_buf_import arg = {.size = sizeof(arg), .granule = MIB};
	pid_t pid;
	int ch;

	if (!ready())
		return;
	ch = node_open(EP0, 0);
	arg.fd = dmabuf_make(node, 8 * MIB, DMABUF_DYNAMIC);
	point_hold("shut_epoch", EP0);
	pid = child_start(AS_ROOT, unbind, NULL);
	UNIT_NEED(point_reached("shut_epoch", LIMIT_MS));
	UNIT_EQ(abi(ch, ROC_BUF_IMPORT, &arg), -ENODEV);
	UNIT_EQ(dmabuf_in_use(node, arg.fd).attached, 0);
	point_release("shut_epoch");
	UNIT_EQ(child_wait(pid, LIMIT_MS), 0);
	close(ch);
	close(arg.fd);
	UNIT_NEED(driver_bind(address));
}

/* A channel with memory of 8 MiB registered. */
struct owner {
	void *memory;
	struct roc_buf_register reg;
	int64_t pins;
	int ch;
};

static bool owner_open(struct owner *o)
{
	o->pins = pins();
	o->memory = memory_make(8 * MIB, HUGE, LAYOUT_ASCENDING);
	memset(o->memory, 0x21, 8 * MIB);
	o->ch = node_open(EP0, 0);
	return !buffer_register(o->ch, o->memory, 8 * MIB, MIB, &o->reg);
}

static void owner_close(struct owner *o)
{
	if (o->ch >= 0)
		close(o->ch);
	munmap(o->memory, 8 * MIB);
	CU_ASSERT(UNIT_WAIT(pins() == o->pins, LIMIT_MS));
}

/* A dma-buf without a descriptor yet is revoked like all others. */
static void export_then_removal(void)
{
	struct roc_buf_export arg = {.size = sizeof(arg)};
	struct owner o;
	struct held_call h;
	pid_t pid;

	if (!ready())
		return;
	UNIT_NEED(owner_open(&o));
	arg.handle = o.reg.handle;
	point_hold("export", EP0);
	UNIT_NEED(begin(&h, "export", o.ch, ROC_BUF_EXPORT, &arg));
	pid = child_start(AS_ROOT, unbind, NULL);
	sleep_ms(MEET_MS);
	point_release("export");
	UNIT_EQ(end(&h), 0);
	UNIT_EQ(child_wait(pid, LIMIT_MS), 0);
	UNIT_EQ(dmabuf_take(node, pci_address(OTHER_EP0), arg.fd, true), -ENODEV);
	UNIT_EQ(pins() - o.pins, 8 * MIB / PAGE);
	close(arg.fd);
	UNIT_NEED(driver_bind(address));
	owner_close(&o);
}

/* A revoked export must not affect an import for another card. */
static void revoked_then_import(void)
{
	struct roc_buf_import import = {.size = sizeof(import), .granule = MIB};
	struct roc_buf_export arg = {.size = sizeof(arg), .flags = ROC_EXPORT_WRITE};
	struct rig r = {.id = OTHER_EP0, .source = ROC_SOURCE_DDG};
	struct owner o;

	if (!ready())
		return;
	emu_normal(CARD1, FOUR_LINKS);
	UNIT_NEED(owner_open(&o));
	arg.handle = o.reg.handle;
	UNIT_EQ(abi(o.ch, ROC_BUF_EXPORT, &arg), 0);
	UNIT_EQ(driver_unbind(address), 0);
	UNIT_NEED(rig_open(&r));
	import.fd = arg.fd;
	UNIT_EQ(abi(rig_fd(&r), ROC_BUF_IMPORT, &import), -EOPNOTSUPP);
	UNIT_EQ(import.reason, ROC_REASON_EXPORTER);
	UNIT_EQ(import.error, ENODEV);
	/* The channel is unchanged. */
	rig_push(&r, RIG_MAX);
	CU_ASSERT(rig_start(&r) && rig_run(&r, 20, LIMIT_MS));
	RIG_OK(&r);
	rig_close(&r);
	close(arg.fd);
	UNIT_NEED(driver_bind(address));
	owner_close(&o);
}

/*
 * The removal is about to revoke: a new importer still gets it and is notified, and an importer may
 * detach.
 */
static void removal_and_importers(void)
{
	struct roc_buf_export arg = {.size = sizeof(arg)}, other;
	const char *device = strdup(pci_address(OTHER_EP0));
	uint8_t *view = malloc(PAGE);
	struct held_call leaving;
	struct owner o;
	pid_t pid;
	int id;

	if (!ready())
		return;
	UNIT_NEED(owner_open(&o));
	arg.handle = o.reg.handle;
	UNIT_EQ(abi(o.ch, ROC_BUF_EXPORT, &arg), 0);
	UNIT_EQ(buffer_export(o.ch, o.reg.handle, 0, &other), 0);
	point_hold("revoke", EP0);
	pid = child_start(AS_ROOT, unbind, NULL);
	UNIT_NEED(point_reached("revoke", LIMIT_MS));
	id = dmabuf_take(node, device, arg.fd, true);
	CU_ASSERT(id > 0);
	UNIT_EQ(dmabuf_map_for(node, id), 0);
	UNIT_EQ(dmabuf_read(node, id, MIB, view, PAGE), 0);
	UNIT_EQ(view[PAGE - 1], 0x21);
	CU_ASSERT(begin(&leaving, NULL, other.fd, 0, NULL));
	sleep_ms(MEET_MS);
	UNIT_EQ(dmabuf_moves(node, id), 0);
	point_release("revoke");
	UNIT_EQ(end(&leaving), 0);
	UNIT_EQ(child_wait(pid, LIMIT_MS), 0);
	UNIT_EQ(dmabuf_moves(node, id), 1);
	UNIT_EQ(dmabuf_read(node, id, MIB, view, PAGE), -ENODEV);
	dmabuf_drop(node, id);
	close(arg.fd);
	UNIT_NEED(driver_bind(address));
	owner_close(&o);
	free(view);
	free((void *)device);
}

/* The channel's last descriptor is closed while one of its calls makes the dma-buf. */
static void export_then_close(void)
{
	struct roc_buf_export arg = {.size = sizeof(arg)};
	struct owner o;
	struct held_call h;
	uint8_t *p;

	if (!ready())
		return;
	UNIT_NEED(owner_open(&o));
	arg.handle = o.reg.handle;
	point_hold("export", EP0);
	UNIT_NEED(begin(&h, "export", o.ch, ROC_BUF_EXPORT, &arg));
	close(o.ch);
	point_release("export");
	UNIT_EQ(end(&h), 0);
	o.ch = node_open(EP0, 0);
	CU_ASSERT(o.ch >= 0);
	UNIT_EQ(pins() - o.pins, 8 * MIB / PAGE);
	p = mmap(NULL, 8 * MIB, PROT_READ, MAP_SHARED, arg.fd, 0);
	UNIT_NEED(p != MAP_FAILED);
	UNIT_EQ(p[8 * MIB - 1], 0x21);
	munmap(p, 8 * MIB);
	close(arg.fd);
	owner_close(&o);
}

/* The result cannot be copied out: the call has no effect. */
static void result_not_copied(void)
{
	void *page = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	unsigned int files;
	struct owner o;
	struct held_call h;
	int fd;

	if (!ready())
		return;
	fd = dmabuf_make(node, 8 * MIB, DMABUF_DYNAMIC);
	UNIT_NEED(owner_open(&o));
	files = open_files();
	*(struct roc_buf_export *)page = (struct roc_buf_export){
		.size = sizeof(struct roc_buf_export), .handle = o.reg.handle};
	point_hold("export", EP0);
	UNIT_NEED(begin(&h, "export", o.ch, ROC_BUF_EXPORT, page));
	mprotect(page, PAGE, PROT_READ);
	point_release("export");
	UNIT_EQ(end(&h), -EFAULT);
	UNIT_EQ(open_files(), files);
	mprotect(page, PAGE, PROT_READ | PROT_WRITE);
	*(struct roc_buf_import *)page = (struct roc_buf_import){
		.size = sizeof(struct roc_buf_import), .fd = fd, .granule = MIB};
	point_hold("import", EP0);
	UNIT_NEED(begin(&h, "import", o.ch, ROC_BUF_IMPORT, page));
	mprotect(page, PAGE, PROT_READ);
	point_release("import");
	UNIT_EQ(end(&h), -EFAULT);
	UNIT_EQ(dmabuf_in_use(node, fd).attached, 0);
	UNIT_EQ(dmabuf_in_use(node, fd).mapped, 0);
	munmap(page, PAGE);
	close(fd);
	/* Only the buffer is left; the close of its channel frees it. */
	UNIT_EQ(buffer_unregister(o.ch, o.reg.handle), 0);
	CU_ASSERT(UNIT_WAIT(pins() == o.pins, LIMIT_MS));
	owner_close(&o);
}

static void nothing_left(void)
{
	struct dmabuf_alive alive;

	if (!ready())
		return;
	alive = dmabuf_living(node);
	UNIT_EQ(alive.exports, 0);
	UNIT_EQ(alive.imports, 0);
	close(node);
	UNIT_EQ(dmabuf_unload(), 0);
}

UNIT_MAIN("dmabuf_orders", {"begin", load}, {"import, then removal", import_then_removal},
	  {"removal, then import", removal_then_import},
	  {"export, then removal", export_then_removal},
	  {"revoked, then import", revoked_then_import},
	  {"removal and importers", removal_and_importers},
	  {"export, then close", export_then_close},
	  {"results that cannot be copied out", result_not_copied},
	  {"nothing is left", nothing_left})
