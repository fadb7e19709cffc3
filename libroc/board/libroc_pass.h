/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Internal interface for register accesses to any card.
 *
 * A table of struct libroc_value describes a block of registers: which bits of which register are
 * which member of a structure. values.c reads, compares, writes and verifies registers by such
 * tables. A configuration (changes.c) and its files (params.c, config_file.c) are tables as well.
 *
 * Accesses go through a struct libroc_pass, one pass over a card. It keeps the first error:
 * afterwards reads return 0 and writes do nothing, so a sequence is checked once, at its end.
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

/* One pass over a card, on the stack of its function */
struct libroc_pass {
	struct roc_endpoint *ep;
	/* Locate a value on this card type. */
	struct libroc_where (*where)(const struct libroc_pass *c, const struct libroc_value *v,
				     unsigned int link);
	unsigned int e; /* CRU: number of the endpoint */
	bool locked;	/* this pass has locked the card */
	int err;	/* first error, as -errno */
	unsigned int reads, writes;
	/* CRU: mask of existing links, set with base[] by libroc_cru_find_links() */
	uint32_t links;
	uint32_t base[ROC_CRU_LINKS];
	unsigned int cached;
	struct libroc_pass_cached cache[LIBROC_PASS_CACHE];
};

/* pass.c */

/* Begin a pass: check the card type. With @lock also lock the card. @info may be NULL. */
int libroc_pass_begin(struct roc_endpoint *ep, struct libroc_pass *c, enum roc_card_type type,
		      bool lock, struct roc_ep_info *info);
/* End a pass: unlock the card if needed. Return the first error of the pass. */
int libroc_pass_end(struct libroc_pass *c);

uint32_t libroc_pass_read(struct libroc_pass *c, unsigned int bar, uint32_t offset);
/* The same, but read each register only once per pass. */
uint32_t libroc_pass_read_once(struct libroc_pass *c, unsigned int bar, uint32_t offset);
/*
 * Read a running 64-bit counter consistently, the low word first. The pass fails with -EBADMSG if
 * the high word changes at each read.
 */
uint64_t libroc_pass_read_count(struct libroc_pass *c, unsigned int bar, uint32_t offset);
void libroc_pass_write(struct libroc_pass *c, unsigned int bar, uint32_t offset, uint32_t value);
/* Return the previous value of the register. */
uint32_t libroc_pass_modify(struct libroc_pass *c, unsigned int bar, uint32_t offset, uint32_t mask,
			    uint32_t value);
/* Modify a register even after an error, which is kept with its error text: for cleaning up. */
void libroc_pass_modify_anyway(struct libroc_pass *c, unsigned int bar, uint32_t offset,
			       uint32_t mask, uint32_t value);
/* Set the bits to 1, then to 0. */
void libroc_pass_pulse(struct libroc_pass *c, unsigned int bar, uint32_t offset, uint32_t mask);
void libroc_pass_sleep(struct libroc_pass *c, unsigned int us);
void libroc_pass_fail(struct libroc_pass *c, int ret);
/* Return -EOPNOTSUPP if the card lacks @feature; @lacks names the feature in the error text. */
int libroc_pass_need_feature(struct roc_endpoint *ep, enum roc_card_type type,
			     struct libroc_where feature, const char *lacks);
/* Fail with -EBUSY if a channel of the card runs. */
int libroc_pass_need_stopped(struct libroc_pass *c, const char *what);
/* The same after seconds of work: a channel may have been started meanwhile. */
int libroc_pass_still_stopped(struct libroc_pass *c);

/* card_block.c */

/* Formats and units as in struct roc_p40_status and struct roc_robinnp_status */
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
	LIBROC_BOOL, /* true if any bit is set */
};

struct libroc_value {
	const char *name;
	unsigned int place; /* enumerator of the card type's own list */
	uint32_t offset;    /* offset of the register from the place */
	uint32_t mask;
	size_t member; /* offset in the structure */
	enum libroc_kind kind;
	unsigned int flags; /* defined by the register block */
	/* smallest value; the largest is @last, or if that is 0, limited by @mask */
	unsigned int first;
	uint32_t last;
};

/* The five mandatory members, then optional ones such as .kind = LIBROC_BOOL */
#define LIBROC_VALUE(name_, place_, offset_, mask_, ...)                                           \
	{                                                                                          \
		.name = (name_), .place = (place_), .offset = (offset_), .mask = (mask_),          \
		.member = __VA_ARGS__                                                              \
	}

#define LIBROC_COUNT(a) (sizeof(a) / sizeof((a)[0]))

uint32_t libroc_value_get(const struct libroc_value *v, const void *from);
void libroc_value_put(const struct libroc_value *v, void *to, uint32_t value);
/* Largest valid value */
uint32_t libroc_value_max(const struct libroc_value *v);
/* Read all values of a table into a structure, with one read per register and pass. */
void libroc_values_read(struct libroc_pass *c, const struct libroc_value *table, size_t n,
			unsigned int link, void *to);
/* Check the ranges of all values. Return -ERANGE with an error text that begins with @what. */
int libroc_values_check(const char *what, const struct libroc_value *table, size_t n,
			const void *from);
/* Write whole registers in the table's order and read each back. */
void libroc_values_write(struct libroc_pass *c, const char *what, const struct libroc_value *table,
			 size_t n, const void *from);

/* Shift a value to the position of a mask, and back. */
static inline uint32_t libroc_to_mask(uint32_t mask, uint32_t value)
{
	return mask ? value << __builtin_ctz(mask) & mask : 0;
}

static inline uint32_t libroc_from_mask(uint32_t mask, uint32_t word)
{
	return mask ? (word & mask) >> __builtin_ctz(mask) : 0;
}

/* params.c: parameters with the names of configuration files */

struct libroc_param {
	const char *key;
	enum {
		LIBROC_P_BOOL,
		LIBROC_P_NAME,
		LIBROC_P_DEC,
		LIBROC_P_HEX
	} kind;
	size_t member; /* offset in the structure of the section */
	uint32_t last;
	const char *const *names; /* LIBROC_P_NAME: indexed by value, NULL: no such value */
	bool optional;		  /* may be missing in a section of a file */
};

/* The mandatory members, then optional ones such as .names */
#define LIBROC_PARAM(key_, kind_, type, member_, last_, ...)                                       \
	{                                                                                          \
		.key = (key_), .kind = (kind_), .member = offsetof(struct type, member_),          \
		.last = (last_), __VA_ARGS__                                                       \
	}
/* The parameters of one type of section */
struct libroc_params {
	const struct libroc_param *list;
	size_t count;
};

uint32_t libroc_param_get(const struct libroc_param *p, const void *from);
void libroc_param_put(const struct libroc_param *p, void *to, uint32_t value);
void libroc_param_text(const struct libroc_param *p, uint32_t value, char *text, size_t size);
/* Return NULL if there is no such key. */
const struct libroc_param *libroc_param_find(const struct libroc_params *params, const char *key);
/* Parse a value. Return -EINVAL or -ERANGE with the reason as text in @reason. */
int libroc_param_parse(const struct libroc_param *p, const char *text, uint32_t *value,
		       char *reason, size_t size);
/* Check the ranges of all parameters. Return -ERANGE with an error text about section.key. */
int libroc_params_check(const char *section, const struct libroc_params *params, const void *from);
/* If the values differ, append to @diffs (may be NULL) and increment *n. */
void libroc_param_differ(const char *section, const struct libroc_param *p, uint32_t target,
			 uint32_t have, struct roc_config_difference *diffs, unsigned int *n);

/* changes.c: register bits to change, or to write if forced */

struct libroc_change {
	struct libroc_where at;
	uint32_t target; /* at its position in the register */
	uint32_t before; /* previous register value, valid after the write */
	bool nonzero;	 /* the register reads back correctly if any bit is set */
	char name[48];
};

#define LIBROC_CHANGES_MAX 192

/* All changes of one configuration call, which allocates this */
struct libroc_changes {
	struct libroc_pass *c;
	struct roc_config_result *result;
	unsigned int count;
	struct libroc_change list[LIBROC_CHANGES_MAX];
};

/* Check the flags and the firmware before a pass. */
int libroc_config_begin(struct roc_endpoint *ep, enum roc_card_type type, unsigned int flags);
/* Return the next difference of the result to fill in. */
struct roc_config_difference *libroc_difference(struct roc_config_result *r);
/* @section, @first and @second are for names and texts; @second is searched after @first. */
void libroc_difference_add(struct roc_config_result *r, const char *section,
			   const struct libroc_params *first, const struct libroc_params *second,
			   const struct libroc_value *v, uint32_t target, uint32_t have);
void libroc_change_add(struct libroc_changes *changes, const char *section,
		       const struct libroc_value *v, unsigned int link, uint32_t target);
/* Write all changes. Return the number of writes, including a failed one. */
unsigned int libroc_changes_apply(struct libroc_changes *changes);
/*
 * Restore the first @written registers, even after an error of the pass. Return true if all read
 * back correctly.
 */
bool libroc_changes_restore(struct libroc_changes *changes, unsigned int written);
/*
 * Check whether a failed pass, which had made @writes register writes at its start, has changed
 * registers and may restore them. If not, return false with the reason in @outcome, and complete
 * the result.
 */
bool libroc_changes_restorable(struct libroc_changes *changes, unsigned int writes, char *outcome,
			       size_t size);
/*
 * Set the error text of a failed configuration. @reason: the failure; @outcome: the resulting state
 * of the card.
 */
void libroc_changes_set_error(const struct libroc_changes *changes, const char *reason,
			      const char *outcome);

/* config_file.c: configuration files, INI and JSON */

#define LIBROC_SECTIONS_MAX 32

/* Format of the files of one card type. Sections are numbered from 0. */
struct libroc_config_format {
	enum roc_card_type type;
	const char *card;     /* "CRU" */
	const char *sections; /* "there are [cru], [links], ..." */
	const char *example;  /* "cru" */
	size_t size;	      /* size of the configuration structure */
	/* Return the number of a section, or -1. */
	int (*section)(const char *name);
	const struct libroc_params *(*params)(unsigned int section);
	void (*put)(void *config, unsigned int section, const struct libroc_param *p,
		    uint32_t value);
	/*
	 * Check the order of sections; may be NULL. Return -EINVAL with an error text that begins
	 * with file and line. @seen: mask of the sections before.
	 */
	int (*order)(const char *file, unsigned int line, unsigned int section, uint32_t seen);
	int (*check)(const void *config);
};

/*
 * Read a file for the card type of @format. @formats: all card types, NULL-terminated. @missing:
 * mask of the optional keys that the file lacks, bits as in the parameter table of section 0.
 */
int libroc_config_load(const struct libroc_config_format *format,
		       const struct libroc_config_format *const *formats, const char *uri,
		       void *config, uint32_t *missing);
/* Implements roc_config_card(). */
int libroc_config_card(const struct libroc_config_format *const *formats, const char *uri,
		       enum roc_card_type *type);

/* State of libroc_config_section(), which writes the sections of a configuration */
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
