/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * libroc, inside: what its files offer to each other. Nothing here is exported; the prefix
 * libroc_ keeps the static library out of the way of its users.
 */
#ifndef LIBROC_H
#define LIBROC_H

#include <roc/mep.h>
#include <roc/roc.h>

/* error.c */

/* roc_fail() of a constant text, which is kept and not copied. */
int libroc_fail_text(int err, const char *text);

/* ioctl() that returns -errno and sets no sentence. */
int libroc_ioctl(int fd, unsigned long request, void *arg);

/* The sentences that fit every ioctl: err as errno, name of the card, what "cannot ...". */
int libroc_fail_ioctl(int err, const char *name, const char *what);

/* The same of a mmap() of what the driver has made, which happens once per open. */
int libroc_fail_map(int err, const char *name, const char *what);

/* sysfs.c */

#define LIBROC_CLASS_PATH "/sys/class/roc"

/* A file of a directory in sysfs, without its line end. 0 or -errno; sets errno. */
int libroc_sysfs_read(int dir, const char *name, char *text, size_t size);

/* Is this file the address of this card? 0; -ENODEV: it is not; -errno. Sets errno. */
int libroc_sysfs_is(int dir, const char *name, const struct roc_card *card);

/*
 * Is rocN still the card that had this number? 0, or -ENODEV and the sentence. A node that is open
 * keeps its number: who asks after the open knows whose it is.
 */
int libroc_same_card(const struct roc_card *card, const char *name);

/* What is not printable ASCII becomes '?': nothing that a terminal or a parser trips over. */
void libroc_program_name(char *name);

/* node.c */

/* The open node of a channel. */
struct libroc_node {
	int fd;
	uint32_t process; /* that opened it */
};

/* Number of this process; 0 in a child of fork() that has opened nothing yet. */
extern uint32_t *libroc_process;

static inline bool libroc_is_opener(const struct libroc_node *node)
{
	return __atomic_load_n(libroc_process, __ATOMIC_RELAXED) == node->process;
}

/* This process has opened @node. 0, or -errno and the sentence. */
int libroc_node_belongs(struct libroc_node *node, const char *name);
/* -EPERM and the sentence. */
int libroc_fail_opener(const char *name);

/* -EPERM and the sentence in a child of the process that opened @node. */
static inline int libroc_need_opener(const struct libroc_node *node, const char *name)
{
	return libroc_is_opener(node) ? 0 : libroc_fail_opener(name);
}

/* libroc_ioctl(); -EPERM in a child. */
int libroc_node_ioctl(const struct libroc_node *node, unsigned long request, void *arg);
/* Map what the driver has made. NULL: *@err is the reason as errno, which itself is restored. */
void *libroc_node_map(const struct libroc_node *node, uint64_t length, uint64_t offset, int prot,
		      int *err);
/* What the process that opened @node has mapped, or NULL. */
void libroc_node_unmap(const struct libroc_node *node, volatile const void *at, size_t length);
int libroc_eventfd(const struct libroc_node *node, const char *name, int eventfd);

/*
 * What process @pid has mapped, or NULL. In its children there was a hole, and may be their own
 * memory by now: it is left alone. 0: it is not known who, because a program that was built with an
 * older header has copied the structure without it.
 */
void libroc_unmap(volatile const void *at, size_t length, int pid);

/* Open a device node of this card read-write; the sentence for every reason but EBUSY. */
int libroc_open_node(const struct roc_card *card, const char *name, const char *node);

/* channel.c */

/*
 * -EBUSY: the sentence names the process that has @channel of the card at @address open. @rule says
 * why that matters, @otherwise what to do instead of ending the process.
 */
int libroc_fail_owned(const char *address, unsigned int channel, const char *text, const char *rule,
		      const char *otherwise);
/* Open a channel's node, which @name is in sentences and a @what. */
int libroc_open_channel(const struct roc_card *card, unsigned int channel, const char *name,
			const char *what, struct libroc_node *node);
/*
 * -EALREADY: @name does not run. If its last run failed (@state) the sentence has the reason, else
 * @remedy.
 */
int libroc_fail_idle(const char *name, uint32_t state, uint32_t reason, const char *remedy);
/* Of a stop; EALREADY is libroc_fail_idle()'s. */
int libroc_fail_stop(int err, const char *name);
#define LIBROC_NOTHING_TO_STOP "there is nothing to stop"

/* mep.c */

/* Is this MFP a part of this block: its number, first event and number of events? */
bool libroc_mfp_of_block(const struct roc_mfp *head, const struct roc_mep *mep);

/* wait.c */

/* CLOCK_MONOTONIC ns; that far from now, -1: never. */
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

/* Text of an attribute of one device, without line end; NULL if there is none. */
typedef const char *(*libroc_attr_fn)(void *context, const char *name);

/* Of "rocN"; -1 if this is no endpoint's name. */
int libroc_card_minor(const char *sysname);
int libroc_card_identify(const char *sysname, libroc_attr_fn attr, void *context,
			 struct roc_card *card);
int libroc_card_parse(const char *sysname, libroc_attr_fn attr, void *context,
		      struct roc_card *card);
void libroc_cards_sort(struct roc_card *cards, size_t count);
int libroc_card_choose(const char *id, const struct roc_card *cards, size_t count,
		       struct roc_card *card);
/* "#0 CRU 245:0 at 0000:3b:00.0" */
void libroc_card_text(const struct roc_card *card, char *text, size_t size);

/* hugepages.c */

/* Hugepages of one size on one node, as sysfs has them; node -1: of all nodes. */
int libroc_hugepages(int node, size_t page_size, unsigned long *total, unsigned long *nr_free);
int libroc_fail_hugepages(size_t length, size_t page_size, int node);
const char *libroc_size_text(size_t size, char *text, size_t text_size);

/*
 * What an endpoint's handle reaches: the driver, or in unit tests a model of a card. They
 * return -errno; running() alone sets a sentence.
 */
struct libroc_backend {
	int (*ioctl)(struct roc_endpoint *ep, unsigned long request, void *arg);
	void (*sleep)(struct roc_endpoint *ep, unsigned int us);
	int (*running)(struct roc_endpoint *ep); /* 1; 0 no channel of the card does */
};

extern const struct libroc_backend libroc_driver;

/* An open endpoint. Owned by the caller of roc_open(); no lock, one thread at a time. */
struct roc_endpoint {
	const struct libroc_backend *backend;
	int fd;
	char node[32];
	char name[ROC_CARD_NAME_MAX]; /* of the card, for sentences */
};

/* An open channel. Owned by the caller of roc_channel_open(); no lock, one thread at a time. */
struct roc_channel {
	struct libroc_node node;
	enum roc_card_type type;
	struct roc_ch_rings made; /* what the driver has made; size 0: nothing */
	enum roc_mode mode;	  /* as this handle configured it */
	bool have_rings;	  /* they are mapped */
	struct roc_rings rings;	  /* valid if have_rings */

	char name[ROC_CARD_NAME_MAX + 24]; /* of the card and the channel, for sentences */
};

/* -EPIPE: the rings do not exist yet; -EPERM: in a child of the opener. With a sentence. */
int libroc_need_rings(const struct roc_channel *ch);
/* libroc_fail_idle() of a channel with a pool. */
int libroc_channel_idle(const struct roc_channel *ch, const char *remedy);

#endif /* LIBROC_H */
