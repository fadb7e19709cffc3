// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The only file that calls libfabric. It loads the symbol versions that a program built with any
 * libfabric 1.x is bound to, so that a newer library uses the same structures.
 */
#include "fabric.h"

#include <rdma/fi_errno.h>

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "shm.h"

#define LIBRARY "libfabric.so.1"
#define API FI_VERSION(1, 11)
#define CQ_ENTRIES 4096
#define SENDS 512 /* pending operations of an endpoint */
#define RECEIVES 256
#define SPIN_NS 20000 /* polling interval of a provider without a descriptor */
/* Polling interval with a descriptor: layered providers do not signal each step of progress. */
#define POLL_NS 1000000

static struct {
	pthread_mutex_t lock; /* guards loading; nothing changes once strerror is set */
	void *handle;
	int (*getinfo)(uint32_t version, const char *node, const char *service, uint64_t flags,
		       const struct fi_info *hints, struct fi_info **info);
	void (*freeinfo)(struct fi_info *info);
	struct fi_info *(*dupinfo)(const struct fi_info *info);
	int (*fabric)(struct fi_fabric_attr *attr, struct fid_fabric **fabric, void *context);
	const char *(*strerror)(int err);
} lib = {.lock = PTHREAD_MUTEX_INITIALIZER};

static void *function(const char *name, const char *version)
{
	return dlvsym(lib.handle, name, version);
}

/*
 * By default, layered providers (rxm) use 85 MiB and 0.1 s per endpoint, for messages of 16 KiB.
 * Messages of this library have 4 KiB, and data bypass the message buffers. The default queue for
 * 256 peers grows to 12 MiB, but an endpoint has one peer. Variables that the user has set are
 * kept.
 */
static const char *const less[][2] = {
	{"FI_OFI_RXM_BUFFER_SIZE", "4352"}, {"FI_OFI_RXM_TX_SIZE", "256"},
	{"FI_OFI_RXM_RX_SIZE", "256"},	    {"FI_OFI_RXM_MSG_TX_SIZE", "128"},
	{"FI_OFI_RXM_MSG_RX_SIZE", "64"},   {"FI_UNIVERSE_SIZE", "16"},
};

/* With this variable, the number of a write can complete before its data. */
#define ZEROCOPY "FI_TCP_ZEROCOPY_SIZE"

void fabric_environment(void)
{
	size_t i;

	for (i = 0; i < sizeof(less) / sizeof(less[0]); i++)
		setenv(less[i][0], less[i][1], 0);
	unsetenv(ZEROCOPY);
}

static int load_locked(char reason[FABRIC_REASON])
{
	if (lib.strerror)
		return 0;
	if (!lib.handle)
		lib.handle = dlopen(LIBRARY, RTLD_NOW | RTLD_LOCAL);
	if (!lib.handle)
		return fabric_fail(
			reason, ENOENT,
			"libfabric is not installed (%s): apt-get install libfabric1, or on Fedora and RHEL dnf install libfabric.",
			LIBRARY);
	*(void **)&lib.getinfo = function("fi_getinfo", "FABRIC_1.3");
	*(void **)&lib.freeinfo = function("fi_freeinfo", "FABRIC_1.3");
	*(void **)&lib.dupinfo = function("fi_dupinfo", "FABRIC_1.3");
	*(void **)&lib.fabric = function("fi_fabric", "FABRIC_1.1");
	*(void **)&lib.strerror = function("fi_strerror", "FABRIC_1.0");
	if (!lib.getinfo || !lib.freeinfo || !lib.dupinfo || !lib.fabric || !lib.strerror) {
		lib.strerror = NULL;
		return fabric_fail(
			reason, ENOENT,
			"The installed libfabric is not supported: 1.11 or a later 1.x or 2.x is needed.");
	}
	return 0;
}

static int load(char reason[FABRIC_REASON])
{
	int ret;

	pthread_mutex_lock(&lib.lock);
	ret = load_locked(reason);
	pthread_mutex_unlock(&lib.lock);
	return ret;
}

/*
 * For the callers, -EINVAL and -ENOSPC mean an impossible configuration, which libfabric's codes do
 * not: return -EIO for these.
 */
static int fail(char reason[FABRIC_REASON], int ret, const char *what)
{
	bool known = -ret > 0 && -ret < FI_ERRNO_OFFSET && ret != -FI_EINVAL && ret != -FI_ENOSPC;

	return fabric_fail(reason, known ? -ret : EIO, "libfabric: %s: %s.", what,
			   lib.strerror(-ret));
}

const char *fabric_provider(const char *name)
{
	if (!strcmp(name, "tcp"))
		return "tcp;ofi_rxm";
	if (!strcmp(name, "verbs"))
		return "verbs;ofi_rxm";
	return name;
}

/*
 * If a connection ends in the middle of a write with a number, rxm over tcp (1.17 to 2.1) gets a
 * completion of a write without an owner and crashes. So over tcp, data are written without a
 * number. An empty write, which cannot be cut, follows with the number.
 */
static bool is_tcp(const char *provider)
{
	return !strncmp(provider, "tcp", 3);
}

/* Provider shm has no internet addresses, and no descriptor for poll(). */
static bool is_shm(const char *provider)
{
	return !strcmp(provider, "shm");
}

static int fail_provider(char reason[FABRIC_REASON], const char *provider, int ret)
{
	const char *only = getenv("FI_PROVIDER");

	if (only && *only && !strstr(only, provider))
		return fabric_fail(
			reason, ENODEV,
			"libfabric offers no provider \"%s\" (%s). FI_PROVIDER=%.100s limits the choice: unset it, or add \"%s\".",
			provider, lib.strerror(-ret), only, fabric_provider(provider));
	return fabric_fail(
		reason, ENODEV,
		"libfabric has no provider \"%s\" with the required features here (%s): fi_info lists the available ones.",
		provider, lib.strerror(-ret));
}

int fabric_usage(const char *provider, char reason[FABRIC_REASON])
{
	/* It writes only to memory that is bound to an endpoint (FI_MR_ENDPOINT). */
	if (!strncmp(provider, "cxi", 3))
		return fabric_fail(reason, EINVAL,
				   "Provider cxi is not supported: use tcp, shm, verbs or efa.");
	return 0;
}

int fabric_open(struct fabric *f, const char *provider, const char *node,
		char reason[FABRIC_REASON])
{
	struct fi_info *hints;
	int ret;

	*f = (struct fabric){0};
	ret = fabric_usage(provider, reason);
	if (ret)
		return ret;
	if (is_tcp(provider) && getenv(ZEROCOPY))
		return fabric_fail(reason, EINVAL,
				   "The environment has " ZEROCOPY
				   ", which breaks the order of writes: unset it.");
	ret = load(reason);
	if (ret)
		return ret;
	hints = lib.dupinfo(NULL);
	if (!hints)
		return fabric_fail(reason, ENOMEM, "Cannot allocate the hints for libfabric.");
	hints->caps = FI_MSG | FI_RMA;
	hints->mode = FI_CONTEXT | FI_CONTEXT2;
	hints->ep_attr->type = FI_EP_RDM;
	hints->domain_attr->mr_mode =
		FI_MR_LOCAL | FI_MR_VIRT_ADDR | FI_MR_ALLOCATED | FI_MR_PROV_KEY;
	hints->domain_attr->resource_mgmt = FI_RM_ENABLED;
	hints->domain_attr->threading = FI_THREAD_DOMAIN;
	hints->fabric_attr->prov_name = strdup(fabric_provider(provider));
	if (is_tcp(provider)) {
		hints->tx_attr->msg_order = FI_ORDER_WAW;
		hints->rx_attr->msg_order = FI_ORDER_WAW;
	}
	f->shm = is_shm(provider);
	if (f->shm) {
		node = NULL;
		shm_remove_stale();
	}
	ret = lib.getinfo(API, node, NULL, node ? FI_SOURCE : 0, hints, &f->info);
	lib.freeinfo(hints);
	if (ret)
		return fail_provider(reason, provider, ret);
	if (f->info->tx_attr->size > SENDS)
		f->info->tx_attr->size = SENDS;
	if (f->info->rx_attr->size > RECEIVES)
		f->info->rx_attr->size = RECEIVES;
	f->virt = f->info->domain_attr->mr_mode & FI_MR_VIRT_ADDR;
	f->wait_fd = !is_shm(provider);
	f->number_separate = is_tcp(provider);
	f->iov_limit = f->info->tx_attr->iov_limit < FABRIC_IOV
			       ? (unsigned int)f->info->tx_attr->iov_limit
			       : FABRIC_IOV;
	f->rma_limit = f->info->tx_attr->rma_iov_limit < FABRIC_IOV
			       ? (unsigned int)f->info->tx_attr->rma_iov_limit
			       : FABRIC_IOV;
	/*
	 * A provider without a limit reads one piece. shm reports four, but takes 15 times as long
	 * for two pieces of 64 KiB as for one after the other.
	 */
	if (!f->rma_limit || is_shm(provider))
		f->rma_limit = 1;
	ret = lib.fabric(f->info->fabric_attr, &f->fabric, NULL);
	if (ret)
		return fail(reason, ret, "cannot open the fabric");
	ret = fi_domain(f->fabric, f->info, &f->domain, NULL);
	return ret ? fail(reason, ret, "cannot open the domain") : 0;
}

int fabric_register(struct fabric *f, void *addr, size_t length, bool remote,
		    char reason[FABRIC_REASON])
{
	return fabric_register_for(f, addr, length, remote ? FI_REMOTE_WRITE : FI_WRITE, reason);
}

int fabric_register_for(struct fabric *f, void *addr, size_t length, uint64_t access,
			char reason[FABRIC_REASON])
{
	static _Atomic uint64_t keys;
	unsigned int i = f->region_count;
	int ret;

	if (i == FABRIC_REGIONS)
		return fabric_fail(reason, ENOSPC,
				   "The memory has more than %d pieces to register.",
				   FABRIC_REGIONS);
	ret = fi_mr_reg(f->domain, addr, length, access, 0, ++keys, 0, &f->mr[i], NULL);
	if (ret)
		return fabric_fail(
			reason, ENOMEM,
			"libfabric: cannot register %zu bytes: %s. Check the limit of locked memory (ulimit -l).",
			length, lib.strerror(-ret));
	f->regions[i] = (struct iovec){.iov_base = addr, .iov_len = length};
	f->region_count++;
	return 0;
}

/* Close @fid. The first failure stays in *@ret and @reason. */
static void close_fid(struct fid *fid, const char *what, int *ret, char reason[FABRIC_REASON])
{
	int err = fi_close(fid);

	if (err && !*ret)
		*ret = fabric_fail(reason, EIO, "libfabric: cannot close %s: %s.", what,
				   lib.strerror ? lib.strerror(-err) : strerror(-err));
}

int fabric_close(struct fabric *f, char reason[FABRIC_REASON])
{
	int ret = 0;

	while (f->region_count)
		close_fid(&f->mr[--f->region_count]->fid, "registered memory", &ret, reason);
	if (f->domain)
		close_fid(&f->domain->fid, "the domain", &ret, reason);
	if (f->fabric)
		close_fid(&f->fabric->fid, "the fabric", &ret, reason);
	if (f->info)
		lib.freeinfo(f->info);
	*f = (struct fabric){0};
	return ret;
}

uint64_t fabric_key(const struct fabric *f, unsigned int i)
{
	return fi_mr_key(f->mr[i]);
}

uint64_t fabric_base(const struct fabric *f, unsigned int i)
{
	return f->virt ? (uintptr_t)f->regions[i].iov_base : 0;
}

static int open_queue(struct fabric *f, struct fabric_end *e)
{
	struct fi_cq_attr attr = {
		.size = CQ_ENTRIES, .format = FI_CQ_FORMAT_DATA, .wait_obj = FI_WAIT_FD};
	int ret;

	e->fd = -1;
	if (f->wait_fd) {
		ret = fi_cq_open(f->domain, &attr, &e->cq, NULL);
		if (!ret && !fi_control(&e->cq->fid, FI_GETWAIT, &e->fd))
			return 0;
		if (!ret)
			fi_close(&e->cq->fid); /* it cannot fail: no endpoint is bound to it */
		e->cq = NULL;
		e->fd = -1;
		f->wait_fd = false;
	}
	attr.wait_obj = FI_WAIT_NONE;
	return fi_cq_open(f->domain, &attr, &e->cq, NULL);
}

int fabric_end_open(struct fabric *f, struct fabric_end *e, char reason[FABRIC_REASON])
{
	struct fi_av_attr av = {.type = FI_AV_UNSPEC, .count = 1};
	int ret;

	*e = (struct fabric_end){.fd = -1, .peer = FI_ADDR_UNSPEC};
	ret = f->shm ? shm_check_room(reason) : 0;
	if (ret)
		return ret;
	ret = fi_av_open(f->domain, &av, &e->av, NULL);
	if (!ret)
		ret = open_queue(f, e);
	if (!ret)
		ret = fi_endpoint(f->domain, f->info, &e->ep, NULL);
	if (!ret)
		ret = fi_ep_bind(e->ep, &e->av->fid, 0);
	if (!ret)
		ret = fi_ep_bind(e->ep, &e->cq->fid, FI_TRANSMIT | FI_RECV);
	if (!ret)
		ret = fi_enable(e->ep);
	e->name_bytes = sizeof(e->name);
	if (!ret)
		ret = fi_getname(&e->ep->fid, e->name, &e->name_bytes);
	if (!ret && f->shm)
		ret = shm_reserve(e->name, e->name_bytes, reason);
	if (!ret)
		return 0;
	/* This keeps the message of shm_reserve(). */
	ret = fail(reason, ret, "cannot open an endpoint");
	fabric_end_close(e, reason);
	return ret;
}

int fabric_end_peer(struct fabric_end *e, const unsigned char *name, size_t bytes,
		    char reason[FABRIC_REASON])
{
	/* Providers read the length of their own names; some names are strings. */
	unsigned char whole[FABRIC_NAME + 1] = {0};

	if (bytes > FABRIC_NAME)
		return fabric_fail(
			reason, EPROTO,
			"The endpoint address of the peer has %zu bytes, at most %d are supported.",
			bytes, FABRIC_NAME);
	memcpy(whole, name, bytes);
	if (fi_av_insert(e->av, whole, 1, &e->peer, 0, NULL) != 1)
		return fabric_fail(reason, EPROTO,
				   "libfabric rejects the endpoint address of the peer.");
	return 0;
}

int fabric_end_close(struct fabric_end *e, char reason[FABRIC_REASON])
{
	int ret = 0;

	if (e->ep)
		close_fid(&e->ep->fid, "an endpoint", &ret, reason);
	if (e->cq)
		close_fid(&e->cq->fid, "the completion queue", &ret, reason);
	if (e->av)
		close_fid(&e->av->fid, "the address vector", &ret, reason);
	*e = (struct fabric_end){.fd = -1};
	return ret;
}

static void *descriptor(const struct fabric *f, const void *addr)
{
	unsigned int i;

	for (i = 0; i < f->region_count; i++) {
		const char *base = f->regions[i].iov_base;

		if ((const char *)addr >= base && (const char *)addr < base + f->regions[i].iov_len)
			return fi_mr_desc(f->mr[i]);
	}
	return NULL;
}

/* Convert the result of posting an operation. */
static int handed(ssize_t ret)
{
	if (!ret || ret == -FI_EAGAIN)
		return ret ? -EAGAIN : 0;
	return ret < 0 && -ret < FI_ERRNO_OFFSET ? (int)ret : -EIO;
}

/* Post the number of the write that was posted before. Return -EAGAIN if it is still pending. */
static int flush_number(struct fabric_end *e)
{
	struct iovec nothing = {.iov_base = (void *)(uintptr_t)e->unsent.head};
	struct fi_rma_iov to = {.addr = e->unsent.to, .key = e->unsent.key};
	struct fi_msg_rma message = {
		.msg_iov = &nothing,
		.desc = &e->unsent_desc,
		.iov_count = 1,
		.addr = e->peer,
		.rma_iov = &to,
		.rma_iov_count = 1,
		.context = e->unsent.context,
		.data = e->unsent.number,
	};
	int ret = handed(
		fi_writemsg(e->ep, &message,
			    FI_REMOTE_CQ_DATA | FI_COMPLETION | (e->unsent.more ? FI_MORE : 0)));

	if (ret != -EAGAIN)
		e->has_unsent = false;
	return ret;
}

int fabric_end_gather(const struct fabric *f, struct fabric_end *e, const struct iovec *pieces,
		      unsigned int count, const struct fabric_write *w)
{
	struct fi_rma_iov to = {.addr = w->to, .key = w->key};
	bool separate = f->number_separate;
	void *desc[FABRIC_IOV];
	struct fi_msg_rma message = {
		.msg_iov = pieces,
		.desc = desc,
		.iov_count = count,
		.addr = e->peer,
		.rma_iov = &to,
		.rma_iov_count = 1,
		.context = separate ? NULL : w->context,
		.data = w->number,
	};
	unsigned int i;
	int ret;

	ret = e->has_unsent ? flush_number(e) : 0;
	if (ret)
		return ret;
	for (i = 0; i < count; i++) {
		desc[i] = descriptor(f, pieces[i].iov_base);
		to.len += pieces[i].iov_len;
	}
	ret = handed(fi_writemsg(e->ep, &message,
				 FI_COMPLETION | (separate ? 0 : FI_REMOTE_CQ_DATA) |
					 (separate || w->more ? FI_MORE : 0)));
	if (ret || !separate)
		return ret;
	e->unsent = *w;
	e->unsent.head = pieces[0].iov_base;
	e->unsent_desc = desc[0];
	e->has_unsent = true;
	ret = flush_number(e);
	return ret == -EAGAIN ? 0 : ret;
}

int fabric_end_write(const struct fabric *f, struct fabric_end *e, const struct fabric_write *w)
{
	struct iovec pieces[2] = {
		{.iov_base = (void *)(uintptr_t)w->head, .iov_len = w->head_bytes},
		{.iov_base = (void *)(uintptr_t)w->data, .iov_len = w->data_bytes},
	};

	return fabric_end_gather(f, e, pieces, w->data_bytes ? 2 : 1, w);
}

int fabric_end_read(const struct fabric *f, struct fabric_end *e, void *into,
		    const struct fi_rma_iov *from, unsigned int count, void *context)
{
	struct iovec to = {.iov_base = into};
	void *desc = descriptor(f, into);
	struct fi_msg_rma message = {
		.msg_iov = &to,
		.desc = &desc,
		.iov_count = 1,
		.addr = e->peer,
		.rma_iov = from,
		.rma_iov_count = count,
		.context = context,
	};
	unsigned int i;

	for (i = 0; i < count; i++)
		to.iov_len += from[i].len;
	return handed(fi_readmsg(e->ep, &message, FI_COMPLETION));
}

int fabric_end_send(const struct fabric *f, struct fabric_end *e, const void *data, size_t bytes,
		    void *context)
{
	/* The number of the last write goes first. */
	int ret = e->has_unsent ? flush_number(e) : 0;

	if (ret)
		return ret;
	return handed(fi_send(e->ep, data, bytes, descriptor(f, data), e->peer, context));
}

int fabric_end_receive(const struct fabric *f, struct fabric_end *e, void *into, size_t bytes,
		       void *context)
{
	return handed(fi_recv(e->ep, into, bytes, descriptor(f, into), e->peer, context));
}

int fabric_end_events(struct fabric_end *e, struct fabric_event *events, unsigned int room,
		      char reason[FABRIC_REASON])
{
	struct fi_cq_data_entry entries[64];
	struct fi_cq_err_entry error = {0};
	unsigned int count = 0;
	ssize_t n, i;
	int ret;

	if (room > sizeof(entries) / sizeof(entries[0]))
		room = sizeof(entries) / sizeof(entries[0]);
	if (e->has_unsent) {
		ret = flush_number(e);
		if (ret && ret != -EAGAIN)
			return fabric_fail(reason, -ret, "The transfer over libfabric failed: %s.",
					   strerror(-ret));
	}
	/* Skipped entries may fill the queue, and events may follow them. */
	do {
		n = fi_cq_read(e->cq, entries, room - count);
		for (i = 0; i < n; i++) {
			bool theirs = entries[i].flags & FI_REMOTE_CQ_DATA;

			/* Data whose number follows: that completes both. */
			if (!theirs && !entries[i].op_context)
				continue;
			events[count++] = (struct fabric_event){
				.context = theirs ? NULL : entries[i].op_context,
				.data = entries[i].data,
				.received = entries[i].flags & FI_RECV && !theirs,
				.bytes = entries[i].len,
			};
		}
	} while (n > 0 && count < room);
	/* Return the events before an error first; the next call sees the error again. */
	if (count || n == -FI_EAGAIN)
		return (int)count;
	if (n == -FI_EAVAIL) {
		fi_cq_readerr(e->cq, &error, 0);
		return fabric_fail(reason, ECONNRESET, "The transfer over libfabric failed: %s.",
				   lib.strerror(error.err));
	}
	return n < 0 ? fail(reason, (int)n, "the completion queue failed") : 0;
}

void fabric_end_sleep(const struct fabric *f, struct fabric_end *e, struct roc_idle *idle)
{
	struct fid *fid = e->cq ? &e->cq->fid : NULL;

	if (!fid)
		return;
	if (e->fd < 0)
		roc_idle_ns(idle, SPIN_NS);
	else if (fi_trywait(f->fabric, &fid, 1))
		idle->ns = 0;
	else
		roc_idle_fd(idle, e->fd, POLLIN);
	roc_idle_ns(idle, POLL_NS);
}
