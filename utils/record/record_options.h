/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Options for writing files, for tools whose values have a member "record" of type struct
 * record_options. Short: programs without a command line include recording.h without it.
 */
#ifndef UTILS_RECORD_OPTIONS_H
#define UTILS_RECORD_OPTIONS_H

#include "utils/common/options.h"
#include "utils/record/recording.h"

#define RECORD_AT(values, option_name, option_type, member)                                        \
	.name = (option_name), .type = (option_type), .offset = offsetof(values, record.member)

/* The variable arguments are added to each option. */
#define RECORD_OPTIONS(values, ...)                                                                \
	{RECORD_AT(values, "prefix", OPTION_TEXT, prefix), .arg = "NAME", .fallback = "run",       \
	 .help = "Set the prefix of the file names: NAME-000000.data and so on", __VA_ARGS__},     \
		{RECORD_AT(values, "file-size", OPTION_SIZE, file_bytes), .arg = "SIZE",           \
		 .fallback = "4Gi", .help = "Start a new file after this many bytes, 0 = never",   \
		 __VA_ARGS__},                                                                     \
		{RECORD_AT(values, "file-time", OPTION_TIME, file_time), .arg = "TIME",            \
		 .help = "Start a new file after this time, as in 5h30m10s (default: never)",      \
		 __VA_ARGS__},                                                                     \
		{RECORD_AT(values, "depth", OPTION_NUMBER, depth),                                 \
		 .arg = "N",                                                                       \
		 .fallback = "32",                                                                 \
		 .min = 1,                                                                         \
		 .max = 1024,                                                                      \
		 .help = "Set the number of outstanding writes",                                   \
		 __VA_ARGS__},                                                                     \
		{RECORD_AT(values, "durability", OPTION_CHOICE, durability),                       \
		 .arg = "LEVEL",                                                                   \
		 .fallback = "disk",                                                               \
		 .choices = recording_durabilities,                                                \
		 .help = "Select what must be on disk before a unit is returned",                  \
		 __VA_ARGS__},                                                                     \
	{                                                                                          \
		RECORD_AT(values, "buffered", OPTION_FLAG, buffered),                              \
			.help = "Write through the page cache, which copies the data", __VA_ARGS__ \
	}

#endif
