/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Recordings: units in files, and an index beside each. Documentation/recording.md is the contract;
 * a program that reads recordings needs that page only.
 *
 *	recording_format.c	the index as bytes
 *	crc32c.c		checksums
 *	file_io.c		opens an io_uring, registers memory, sets direct I/O
 *	writer.c		writes files one behind the other, of any format
 *	recording_file.c	a file and its index while they are written: room, the end
 *	commit.c		entries after their data, and what is synced between the two
 *	sink_record.c		writes units straight from their memory; in the tools by the writer
 *				process
 *	recording_open.c	finds the files of a recording and believes nothing of them
 *	source_replay.c		reads, by io_uring, and lends what was read
 *	record.c, replay.c	the tools
 */
#ifndef ROC_UTILS_RECORDING_H
#define ROC_UTILS_RECORDING_H

#include "utils/units/units.h"

#define RECORDING_MAGIC "ROC-IDX\n"
#define RECORDING_VERSION 1
#define RECORDING_ORDER UINT32_C(0x01020304)
#define RECORDING_HEADER 256 /* bytes */
#define RECORDING_ENTRY 64
#define RECORDING_ALIGN 4096 /* of places in a file, and of memory */

enum recording_flags {
	RECORDING_ANY_LINK = 1 << 0,
	RECORDING_CLOSED = 1 << 1,     /* was written to its end: entries and bytes are known */
	RECORDING_DATA_CRC = 1 << 2,   /* entries have checksums of their data */
	RECORDING_DATA_FIRST = 1 << 3, /* data were synced before their entries were written */
};

/* Head of an index. */
struct recording_header {
	uint32_t version, header, entry, align;
	uint32_t flags, content, page_bytes, number; /* of the file in the recording, from 0 */
	uint64_t run;				     /* the same in all files of a recording */
	uint64_t time;				     /* CLOCK_REALTIME ns at which it was begun */
	uint64_t entries, bytes;		     /* CLOSED; bytes of the data file */
	uint64_t unit_max;
	char from[64];
};

/* One unit. */
struct recording_entry {
	uint64_t offset, bytes, first, sequence, time;
	uint64_t run; /* of the sender, 0: the recording has one */
	int32_t link;
	uint32_t flags;	   /* enum unit_flags */
	uint32_t data_crc; /* CRC-32C of the unit, if RECORDING_DATA_CRC */
};

/* What is wrong with an index. */
enum recording_wrong {
	RECORDING_GOOD,
	RECORDING_SHORT,    /* no whole header */
	RECORDING_NO_INDEX, /* another kind of file */
	RECORDING_FOREIGN,  /* of the other byte order */
	RECORDING_NEWER,    /* a version that we do not know */
	RECORDING_CORRUPT,  /* the checksum is wrong */
	RECORDING_PAGES,    /* of a size that no pages have */
};

void recording_put_header(unsigned char *to, const struct recording_header *h);
enum recording_wrong recording_get_header(const unsigned char *from, size_t length,
					  struct recording_header *h);
void recording_put_entry(unsigned char *to, const struct recording_entry *e);
bool recording_get_entry(const unsigned char *from, struct recording_entry *e);

/* DIR/PREFIX-000000.data, and .index */
#define RECORDING_DATA ".data"
#define RECORDING_INDEX ".index"

/* What is synced before a unit goes back to its source. */
enum recording_durability {
	RECORDING_DURABLE_NONE,	 /* nothing */
	RECORDING_DURABLE_INDEX, /* its data, before its entry is written */
	RECORDING_DURABLE_DISK,	 /* and its entry */
};

extern const char *const recording_durabilities[]; /* their names, NULL-terminated */

struct record_options {
	const char *dir, *prefix;
	uint64_t file_bytes;	 /* a new file after so many, 0: never */
	uint64_t file_time;	 /* seconds, 0: never */
	uint64_t total_bytes;	 /* that the run takes, 0: no limit */
	uint32_t depth;		 /* writes on their way at most */
	bool buffered;		 /* by the page cache */
	unsigned int durability; /* enum recording_durability */
};

/* Is it something that a file can be called? Exit code. */
int record_usage(const struct record_options *o);

/* NULL: the sentence is in @reason. Both structures must outlive the sink. */
struct sink *sink_record(const struct record_options *o, const struct source *source,
			 char reason[UNITS_REASON]);

/* The same in a writer process, see sink_process.h. */
struct sink *sink_record_process(const struct record_options *o, const struct source *source,
				 char reason[UNITS_REASON]);

/* A recording as it was found. */
struct recording_part {
	char *data, *index; /* names */
	struct recording_header header;
	struct recording_entry *entries;
	uint64_t count;	   /* that have their data */
	uint64_t lost;	   /* entries without their data */
	bool cut, corrupt; /* the data file, the index */
};

struct recording {
	struct recording_part *parts;
	unsigned int count;
	uint64_t units, bytes; /* that can be read */
	uint64_t unit_max;
	char reason[UNITS_REASON]; /* what is missing, empty: nothing */
	char note[UNITS_REASON];
};

/* @path: a folder, of one recording, or one of its indexes. 0, or -errno with the sentence. */
int recording_open(const char *path, struct recording *r, char reason[UNITS_REASON]);
/* What can be read of all recordings in this folder, whatever the rest is; perhaps nothing. */
void recording_open_any(const char *dir, struct recording *r);
void recording_close(struct recording *r);

struct replay_options {
	const char *path;
	uint64_t rate;	 /* bytes per second, 0: as fast as possible */
	uint64_t buffer; /* bytes of memory */
	uint32_t depth;	 /* reads on their way at most */
	bool buffered;	 /* by the page cache */
};

struct source *source_replay(const struct replay_options *o, char reason[UNITS_REASON]);

#endif
