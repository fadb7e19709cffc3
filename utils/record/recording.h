/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Recordings: units in data files, with an index for each file. Documentation/recording.md
 * specifies the format; a program that reads recordings needs that page only.
 *
 *	recording_format.c	encoding of the index
 *	crc32c.c		checksums
 *	file_io.c		io_uring, registered memory, direct I/O
 *	writer.c		writes files one after the other, in any format
 *	recording_file.c	a data file and its index during the recording: reserved blocks, end
 *	commit.c		writes index entries after their data, with the required syncs
 *	sink_record.c		writes units from their memory; the tools run it in a writer
 *				process
 *	recording_open.c	finds and validates the files of a recording
 *	source_replay.c		reads ahead with io_uring, and lends the units
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
#define RECORDING_ALIGN 4096 /* of offsets in a file, and of memory */

enum recording_flags {
	RECORDING_ANY_LINK = 1 << 0,
	RECORDING_CLOSED = 1 << 1,     /* was ended in order: entries and bytes are valid */
	RECORDING_DATA_CRC = 1 << 2,   /* entries have checksums of their data */
	RECORDING_DATA_FIRST = 1 << 3, /* data were synced before their entries were written */
};

/* Head of an index. */
struct recording_header {
	uint32_t version, header, entry, align;
	/* number: of the file in the recording, from 0 */
	uint32_t flags, content, page_bytes, number;
	uint64_t run;		 /* equal in all files of a recording */
	uint64_t time;		 /* CLOCK_REALTIME ns of its start */
	uint64_t entries, bytes; /* valid if CLOSED; bytes: of the data file */
	uint64_t unit_max;
	char from[64];
};

/* Index entry of a unit. */
struct recording_entry {
	uint64_t offset, bytes, first, sequence, time;
	uint64_t run; /* of the sender; 0: that of the recording */
	int32_t link;
	uint32_t flags;	   /* enum unit_flags */
	uint32_t data_crc; /* CRC-32C of the unit, if RECORDING_DATA_CRC */
};

/* Result of the validation of an index. */
enum recording_wrong {
	RECORDING_GOOD,
	RECORDING_SHORT,    /* the header is incomplete */
	RECORDING_NO_INDEX, /* not an index */
	RECORDING_FOREIGN,  /* has the other byte order */
	RECORDING_NEWER,    /* has an unknown version */
	RECORDING_CORRUPT,  /* the checksum is wrong */
	RECORDING_PAGES,    /* has an invalid page size */
};

void recording_put_header(unsigned char *to, const struct recording_header *h);
enum recording_wrong recording_get_header(const unsigned char *from, size_t length,
					  struct recording_header *h);
void recording_put_entry(unsigned char *to, const struct recording_entry *e);
bool recording_get_entry(const unsigned char *from, struct recording_entry *e);

/* File names are DIR/PREFIX-000000.data and .index. */
#define RECORDING_DATA ".data"
#define RECORDING_INDEX ".index"

/* What is synced before a unit goes back to its source. */
enum recording_durability {
	RECORDING_DURABLE_NONE,	 /* nothing */
	RECORDING_DURABLE_INDEX, /* its data, before its entry is written */
	RECORDING_DURABLE_DISK,	 /* its data and its entry */
};

extern const char *const recording_durabilities[]; /* names, NULL-terminated */

struct record_options {
	const char *dir, *prefix;
	uint64_t file_bytes;	 /* start a new file after so many, 0: never */
	uint64_t file_time;	 /* seconds, 0: never */
	uint64_t total_bytes;	 /* limit of the run, 0: none */
	uint32_t depth;		 /* maximum of concurrent writes */
	bool buffered;		 /* use the page cache */
	unsigned int durability; /* enum recording_durability */
};

/* Check the options, as the prefix of file names. Return: exit code. */
int record_usage(const struct record_options *o);

/* Open a sink. @o and @source must outlive it. Return: NULL with the reason in @reason. */
struct sink *sink_record(const struct record_options *o, const struct source *source,
			 char reason[UNITS_REASON]);

/* As sink_record(), in a writer process: see sink_process.h. */
struct sink *sink_record_process(const struct record_options *o, const struct source *source,
				 char reason[UNITS_REASON]);

/* One data file with its index, as found. */
struct recording_part {
	char *data, *index; /* file names */
	struct recording_header header;
	struct recording_entry *entries;
	uint64_t count;	   /* entries with their data */
	uint64_t lost;	   /* entries without their data */
	bool cut, corrupt; /* the data file is too short; the index is damaged */
};

struct recording {
	struct recording_part *parts;
	unsigned int count;
	uint64_t units, bytes; /* readable */
	uint64_t unit_max;
	char reason[UNITS_REASON]; /* what is missing, empty: nothing */
	char note[UNITS_REASON];
};

/* @path: folder of one recording, or one of its indexes. Return: 0, or -errno with the reason. */
int recording_open(const char *path, struct recording *r, char reason[UNITS_REASON]);
/* Open what is readable of all recordings in a folder, ignoring errors. There may be nothing. */
void recording_open_any(const char *dir, struct recording *r);
void recording_close(struct recording *r);

struct replay_options {
	const char *path;
	uint64_t rate;	 /* bytes per second, 0: as fast as possible */
	uint64_t buffer; /* bytes of memory */
	uint32_t depth;	 /* maximum of concurrent reads */
	bool buffered;	 /* use the page cache */
};

struct source *source_replay(const struct replay_options *o, char reason[UNITS_REASON]);

#endif
