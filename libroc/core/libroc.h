/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Internal interfaces of libroc. Nothing here is exported; the prefix libroc_ avoids name clashes
 * in programs that link the static library.
 *
 * "Sets the error text" means that roc_error() describes the failure afterwards.
 */
#ifndef LIBROC_H
#define LIBROC_H

#include <roc/mep.h>
#include <roc/roc.h>

/* error.c */

/* Set the error text to a constant string, without copying it. Return -@err. */
int libroc_fail_text(int err, const char *text);

/* ioctl() that returns -errno and sets neither errno nor the error text */
int libroc_ioctl(int fd, unsigned long request, void *arg);

/* Set the error text of a failed ioctl. @err: errno; @name: the card; @what: "cannot ...". */
int libroc_fail_ioctl(int err, const char *name, const char *what);

/* The same for a failed mmap() of rings that the driver has made, which happens once per open. */
int libroc_fail_map(int err, const char *name, const char *what);

/* sysfs.c */

#define LIBROC_CLASS_PATH "/sys/class/roc"

/* Read a file of a sysfs directory without its line end. Return 0 or -errno; sets errno. */
int libroc_sysfs_read(int dir, const char *name, char *text, size_t size);

/*
 * Check that the file contains the address of @card. Return 0; -ENODEV if not; -errno. Sets errno.
 */
int libroc_sysfs_is(int dir, const char *name, const struct roc_card *card);

/*
 * Check that rocN is still the card that had this number. Return 0, or -ENODEV with the error text
 * set. An open node keeps its number, so call this after the open.
 */
int libroc_same_card(const struct roc_card *card, const char *name);

/* Replace all but printable ASCII by '?', which is safe for terminals and parsers. */
void libroc_program_name(char *name);

/* node.c */

/* The open node of a channel */
struct libroc_node {
	int fd;
	uint32_t process; /* number of the process that opened it */
};

/* Number of this process; 0 in a child of fork() that has not opened a channel yet */
extern uint32_t *libroc_process;

static inline bool libroc_is_opener(const struct libroc_node *node)
{
	return __atomic_load_n(libroc_process, __ATOMIC_RELAXED) == node->process;
}

/* Record that this process has opened @node. Return 0, or -errno with the error text set. */
int libroc_node_belongs(struct libroc_node *node, const char *name);
/* Set the error text and return -EPERM. */
int libroc_fail_opener(const char *name);

/* In a child of the process that opened @node, set the error text and return -EPERM. */
static inline int libroc_need_opener(const struct libroc_node *node, const char *name)
{
	return libroc_is_opener(node) ? 0 : libroc_fail_opener(name);
}

/* libroc_ioctl() that returns -EPERM in a child of the opener */
int libroc_node_ioctl(const struct libroc_node *node, unsigned long request, void *arg);
/*
 * Map memory that the driver has made. On failure return NULL and set *@err to the errno value;
 * errno itself is preserved.
 */
void *libroc_node_map(const struct libroc_node *node, uint64_t length, uint64_t offset, int prot,
		      int *err);
/* Unmap memory that the opener of @node has mapped; @at may be NULL. */
void libroc_node_unmap(const struct libroc_node *node, volatile const void *at, size_t length);
int libroc_eventfd(const struct libroc_node *node, const char *name, int eventfd);

/*
 * Unmap memory that process @pid has mapped; @at may be NULL. The mapping is not inherited by a
 * child of fork(), which may have other memory at the address, so nothing is unmapped there. @pid
 * is 0 if a program that was built with an older header copied the structure without it.
 */
void libroc_unmap(volatile const void *at, size_t length, int pid);

/* Open a device node of this card read-write. Sets the error text, except for -EBUSY. */
int libroc_open_node(const struct roc_card *card, const char *name, const char *node);

/* channel.c */

/*
 * Return -EBUSY with an error text that names the owner of @channel of the card at @address. @rule
 * states why the owner matters, @otherwise an alternative to ending it.
 */
int libroc_fail_owned(const char *address, unsigned int channel, const char *text, const char *rule,
		      const char *otherwise);
/* Open the node of a channel. @name and @what, such as "channel", describe it in error texts. */
int libroc_open_channel(const struct roc_card *card, unsigned int channel, const char *name,
			const char *what, struct libroc_node *node);
/*
 * Return -EALREADY with an error text that @name does not run, and with the failure reason if its
 * last run failed (@state), otherwise with @remedy.
 */
int libroc_fail_idle(const char *name, uint32_t state, uint32_t reason, const char *remedy);
/* Set the error text of a failed stop; for EALREADY use libroc_fail_idle(). */
int libroc_fail_stop(int err, const char *name);
#define LIBROC_NOTHING_TO_STOP "there is nothing to stop"

/* mep.c */

/* Check that an MFP belongs to a block: block number, first event and number of events. */
bool libroc_mfp_of_block(const struct roc_mfp *head, const struct roc_mep *mep);

/* wait.c */

/* CLOCK_MONOTONIC in ns, now and after a timeout; -1: no timeout */
uint64_t libroc_now(void);
uint64_t libroc_deadline(int timeout_ms);

/* id.c */

enum libroc_id_kind {
	LIBROC_ID_PCI,
	LIBROC_ID_SERIAL,
	LIBROC_ID_SEQUENCE,
};

struct libroc_id {
	enum libroc_id_kind kind;
	long domain; /* -1 any */
	unsigned int bus, device, function;
	int serial;
	int endpoint; /* -1 any */
	int sequence;
};

int libroc_id_parse(const char *text, struct libroc_id *id);
bool libroc_id_matches(const struct libroc_id *id, const struct roc_card *card);

/* card.c */

/* Return an attribute of one device without line end; NULL if there is none. */
typedef const char *(*libroc_attr_fn)(void *context, const char *name);

/* Return N of "rocN"; -1 if the name is not that of an endpoint. */
int libroc_card_minor(const char *sysname);
int libroc_card_identify(const char *sysname, libroc_attr_fn attr, void *context,
			 struct roc_card *card);
int libroc_card_parse(const char *sysname, libroc_attr_fn attr, void *context,
		      struct roc_card *card);
void libroc_cards_sort(struct roc_card *cards, size_t count);
int libroc_card_choose(const char *id, const struct roc_card *cards, size_t count,
		       struct roc_card *card);
/* Format a card as "#0 CRU 245:0 at 0000:3b:00.0". */
void libroc_card_text(const struct roc_card *card, char *text, size_t size);

/* hugepages.c */

/* Read the number of hugepages of one size on a node from sysfs; node -1: on all nodes. */
int libroc_hugepages(int node, size_t page_size, unsigned long *total, unsigned long *nr_free);
int libroc_fail_hugepages(size_t length, size_t page_size, int node);
const char *libroc_size_text(size_t size, char *text, size_t text_size);

/*
 * Operations behind an endpoint's handle: the driver, or a model of a card in unit tests. They
 * return -errno; only running() sets the error text.
 */
struct libroc_backend {
	int (*ioctl)(struct roc_endpoint *ep, unsigned long request, void *arg);
	void (*sleep)(struct roc_endpoint *ep, unsigned int us);
	int (*running)(struct roc_endpoint *ep); /* 1 if any channel of the card runs, else 0 */
};

extern const struct libroc_backend libroc_driver;

/* Handle of roc_open(). It has no lock: one thread at a time. */
struct roc_endpoint {
	const struct libroc_backend *backend;
	int fd;
	char node[32];
	char name[ROC_CARD_NAME_MAX]; /* of the card, for error texts */
};

/* Handle of roc_channel_open(). It has no lock: one thread at a time. */
struct roc_channel {
	struct libroc_node node;
	enum roc_card_type type;
	struct roc_ch_rings made; /* rings that the driver has made; size 0: none */
	enum roc_mode mode;	  /* last mode set by this handle */
	bool have_rings;	  /* the rings are mapped */
	struct roc_rings rings;	  /* valid if have_rings */

	char name[ROC_CARD_NAME_MAX + 24]; /* of the card and the channel, for error texts */
};

/*
 * Check that the rings exist. -EPIPE: no rings yet; -EPERM: child of the opener. Sets the error
 * text.
 */
int libroc_need_rings(const struct roc_channel *ch);
/* libroc_fail_idle() for a channel with a pool */
int libroc_channel_idle(const struct roc_channel *ch, const char *remedy);

#endif /* LIBROC_H */
