/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * libroc, inside: what working on the registers of any card has in common.
 *
 * A block of registers is a table of struct libroc_value: which bits of which register are which
 * member of a structure. One engine (values.c) reads, compares, writes and verifies by such tables;
 * a configuration (changes.c) and its files (params.c, config_file.c) are tables as well.
 *
 * Accesses go through a struct libroc_pass, one pass over a card. It keeps the first error: after
 * it, reads give 0 and writes do nothing, so that a sequence is checked once, at its end.
 */
#ifndef LIBROC_PASS_H
#define LIBROC_PASS_H

#include <roc/config.h>
#include <roc/cru.h>

#include <stdio.h>

#define LIBROC_LOCK_MS 15000
#define LIBROC_PASS_CACHE 256

struct libroc_pass;
struct libroc_value;

struct libroc_where {
	unsigned int bar;
	uint32_t offset, mask;
};

struct libroc_pass_cached {
	uint8_t bar;
	uint32_t offset, value;
};

/* One pass over a card, on the stack of its function. */
struct libroc_pass {
	struct roc_endpoint *ep;
	/* Where a value is on this kind of card. */
	struct libroc_where (*where)(const struct libroc_pass *c, const struct libroc_value *v,
				     unsigned int link);
	unsigned int e; /* CRU: number of the endpoint */
	bool locked;	/* we took the card lock and give it back */
	int err;	/* first failure, -errno */
	unsigned int reads, writes;
	uint32_t links; /* CRU: mask of those the card has; base of each, once they were found */
	uint32_t base[ROC_CRU_LINKS];
	unsigned int cached;
	struct libroc_pass_cached cache[LIBROC_PASS_CACHE];
};

/* pass.c */

/*
 * Begin a pass: is it such a card? With @lock also take the card lock. @info may be NULL.
 */
int libroc_pass_begin(struct roc_endpoint *ep, struct libroc_pass *c, enum roc_card_type type,
		      bool lock, struct roc_ep_info *info);
/* End it: unlock; the pass's first error. */
int libroc_pass_end(struct libroc_pass *c);

uint32_t libroc_pass_read(struct libroc_pass *c, unsigned int bar, uint32_t offset);
/* The same, once a pass for each register. */
uint32_t libroc_pass_read_once(struct libroc_pass *c, unsigned int bar, uint32_t offset);
/*
 * A count of 64 bits that runs: both words, the low one first, of one moment. -EBADMSG: there is no
 * such moment.
 */
uint64_t libroc_pass_read_count(struct libroc_pass *c, unsigned int bar, uint32_t offset);
void libroc_pass_write(struct libroc_pass *c, unsigned int bar, uint32_t offset, uint32_t value);
/* The word found before. */
uint32_t libroc_pass_modify(struct libroc_pass *c, unsigned int bar, uint32_t offset, uint32_t mask,
			    uint32_t value);
/* Also after an error, which stays with its sentence: to take back what must not live on. */
void libroc_pass_modify_anyway(struct libroc_pass *c, unsigned int bar, uint32_t offset,
			       uint32_t mask, uint32_t value);
/* Bits to 1, then to 0. */
void libroc_pass_pulse(struct libroc_pass *c, unsigned int bar, uint32_t offset, uint32_t mask);
void libroc_pass_sleep(struct libroc_pass *c, unsigned int us);
void libroc_pass_fail(struct libroc_pass *c, int ret);
/* -EOPNOTSUPP if such a card's word of features lacks @feature, which the sentence ends with. */
int libroc_pass_need_feature(struct roc_endpoint *ep, enum roc_card_type type,
			     struct libroc_where feature, const char *lacks);
/* -EBUSY if a channel of the card runs. */
int libroc_pass_need_stopped(struct libroc_pass *c, const char *what);
/* The same after seconds of work: nothing keeps a channel from being started meanwhile. */
int libroc_pass_still_stopped(struct libroc_pass *c);

/* card_block.c */

/* Shapes and units: struct roc_p40_status, struct roc_robinnp_status. */
struct libroc_card_block {
	uint64_t chip_id;
	uint64_t cycles;
	double temperature;
	uint32_t clock;
	uint32_t features;
	uint32_t units;
	uint32_t source;
	int32_t serial;
	char firmware[ROC_TEXT_MAX];
	char hash[ROC_TEXT_MAX];
	char date[24];
};

void libroc_card_block_read(struct libroc_pass *c, unsigned int bar, uint32_t base,
			    struct libroc_card_block *b);

/* values.c */

enum libroc_kind {
	LIBROC_U32,
	LIBROC_BOOL, /* any bit set */
};

struct libroc_value {
	const char *name;
	unsigned int place; /* of the card's own list */
	uint32_t offset;    /* of the register, from the place */
	uint32_t mask;
	size_t member; /* offset in the structure */
	enum libroc_kind kind;
	unsigned int flags; /* the block's own */
	unsigned int first; /* smallest value; the largest is the mask's, or this: */
	uint32_t last;
};

/* The five that each has, then .kind = LIBROC_BOOL and the like. */
#define LIBROC_VALUE(name_, place_, offset_, mask_, ...)                                           \
	{                                                                                          \
		.name = (name_), .place = (place_), .offset = (offset_), .mask = (mask_),          \
		.member = __VA_ARGS__                                                              \
	}

#define LIBROC_COUNT(a) (sizeof(a) / sizeof((a)[0]))

uint32_t libroc_value_get(const struct libroc_value *v, const void *from);
void libroc_value_put(const struct libroc_value *v, void *to, uint32_t value);
/* Largest value that fits. */
uint32_t libroc_value_max(const struct libroc_value *v);
/* All values of a table into a structure; one read a register and pass. */
void libroc_values_read(struct libroc_pass *c, const struct libroc_value *table, size_t n,
			unsigned int link, void *to);
/* -ERANGE and a sentence that begins with @what. */
int libroc_values_check(const char *what, const struct libroc_value *table, size_t n,
			const void *from);
/* Whole registers, in the table's order, each read back. */
void libroc_values_write(struct libroc_pass *c, const char *what, const struct libroc_value *table,
			 size_t n, const void *from);

/* Bits of a word moved to where the mask is, and back. */
static inline uint32_t libroc_to_mask(uint32_t mask, uint32_t value)
{
	return mask ? value << __builtin_ctz(mask) & mask : 0;
}

static inline uint32_t libroc_from_mask(uint32_t mask, uint32_t word)
{
	return mask ? (word & mask) >> __builtin_ctz(mask) : 0;
}

/* params.c: parameters as files name them */

struct libroc_param {
	const char *key;
	enum {
		LIBROC_P_BOOL,
		LIBROC_P_NAME,
		LIBROC_P_DEC,
		LIBROC_P_HEX
	} kind;
	size_t member; /* in the structure of the section */
	uint32_t last;
	const char *const *names; /* LIBROC_P_NAME: indexed by value, NULL: no such value */
	bool optional;		  /* a file's section may be without it */
};

/* What each has, then .names = ... and the like. */
#define LIBROC_PARAM(key_, kind_, type, member_, last_, ...)                                       \
	{                                                                                          \
		.key = (key_), .kind = (kind_), .member = offsetof(struct type, member_),          \
		.last = (last_), __VA_ARGS__                                                       \
	}
/* The parameters of one kind of section. */
struct libroc_params {
	const struct libroc_param *list;
	size_t count;
};

uint32_t libroc_param_get(const struct libroc_param *p, const void *from);
void libroc_param_put(const struct libroc_param *p, void *to, uint32_t value);
void libroc_param_text(const struct libroc_param *p, uint32_t value, char *text, size_t size);
/* NULL: no such key. */
const struct libroc_param *libroc_param_find(const struct libroc_params *params, const char *key);
/* -EINVAL or -ERANGE, and what is wrong in @reason. */
int libroc_param_parse(const struct libroc_param *p, const char *text, uint32_t *value,
		       char *reason, size_t size);
/* -ERANGE and a sentence about section.key. */
int libroc_params_check(const char *section, const struct libroc_params *params, const void *from);
/* If they differ, one more in @diffs (which may be NULL) and *n. */
void libroc_param_differ(const char *section, const struct libroc_param *p, uint32_t target,
			 uint32_t have, struct roc_config_difference *diffs, unsigned int *n);

/* changes.c: bits that have to change, or, when forced, bits that have to be written */

struct libroc_change {
	struct libroc_where at;
	uint32_t target; /* in place */
	uint32_t before; /* word found, valid after the write */
	bool nonzero;	 /* any bit set will do */
	char name[48];
};

#define LIBROC_CHANGES_MAX 192

/* Those of one configuration. On the heap of its call. */
struct libroc_changes {
	struct libroc_pass *c;
	struct roc_config_result *result;
	unsigned int count;
	struct libroc_change list[LIBROC_CHANGES_MAX];
};

/* The checks before a pass: flags and firmware. */
int libroc_config_begin(struct roc_endpoint *ep, enum roc_card_type type, unsigned int flags);
/* The next of the result to be filled in. */
struct roc_config_difference *libroc_difference(struct roc_config_result *r);
/* @section and @params are for names and texts; the second are looked at after the first. */
void libroc_difference_add(struct roc_config_result *r, const char *section,
			   const struct libroc_params *first, const struct libroc_params *second,
			   const struct libroc_value *v, uint32_t target, uint32_t have);
void libroc_change_add(struct libroc_changes *changes, const char *section,
		       const struct libroc_value *v, unsigned int link, uint32_t target);
/* Returns how many were written, the one that failed included. */
unsigned int libroc_changes_apply(struct libroc_changes *changes);
/* The first @written back as they were, whatever the pass's error; true: all read back right. */
bool libroc_changes_restore(struct libroc_changes *changes, unsigned int written);
/*
 * Whether a failed pass that began with @writes register writes has something to put back, and may
 * do so. False: @outcome has the reason, and the result is filled in.
 */
bool libroc_changes_restorable(struct libroc_changes *changes, unsigned int writes, char *outcome,
			       size_t size);
/* After a failure: the sentence. @reason: the reason. @outcome: what became of the card. */
void libroc_changes_set_error(const struct libroc_changes *changes, const char *reason,
			      const char *outcome);

/* config_file.c: files of sections, INI and JSON */

#define LIBROC_SECTIONS_MAX 32

/* What is in the files for one kind of card. Sections have numbers from 0. */
struct libroc_config_format {
	enum roc_card_type type;
	const char *card;     /* "CRU" */
	const char *sections; /* "there are [cru], [links], ..." */
	const char *example;  /* "cru" */
	size_t size;	      /* of the configuration */
	/* -1: no such section. */
	int (*section)(const char *name);
	const struct libroc_params *(*params)(unsigned int section);
	void (*put)(void *config, unsigned int section, const struct libroc_param *p,
		    uint32_t value);
	/* The section is in a wrong place: -EINVAL and a sentence that begins with file and line;
	 * or NULL. @seen: bit per section before.
	 */
	int (*order)(const char *file, unsigned int line, unsigned int section, uint32_t seen);
	int (*check)(const void *config);
};

/*
 * Read a file for the card of @format; @formats: of all cards, and NULL. @missing: which optional
 * keys the file did not have, bit per parameter of section 0, as in its table.
 */
int libroc_config_load(const struct libroc_config_format *format,
		       const struct libroc_config_format *const *formats, const char *uri,
		       void *config, uint32_t *missing);
/* As roc_config_card(). */
int libroc_config_card(const struct libroc_config_format *const *formats, const char *uri,
		       enum roc_card_type *type);

/* Writes the sections of a configuration with libroc_config_section(). */
struct libroc_config_writer {
	FILE *file;
	bool json;
	bool any;
};

void libroc_config_section(struct libroc_config_writer *w, const char *name,
			   const struct libroc_params *params, const void *from);
int libroc_config_save(const char *uri, const void *config,
		       void (*write)(struct libroc_config_writer *w, const void *config));

#endif /* LIBROC_PASS_H */
