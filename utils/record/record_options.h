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
	 .help = "How the files are called: NAME-000000.data and so on", __VA_ARGS__},             \
		{RECORD_AT(values, "file-size", OPTION_SIZE, file_bytes), .arg = "SIZE",           \
		 .fallback = "4Gi", .help = "A new file after so many bytes, 0 = never",           \
		 __VA_ARGS__},                                                                     \
		{RECORD_AT(values, "file-time", OPTION_TIME, file_time), .arg = "TIME",            \
		 .help = "A new file after this time, as in 5h30m10s (never)", __VA_ARGS__},       \
		{RECORD_AT(values, "depth", OPTION_NUMBER, depth),                                 \
		 .arg = "N",                                                                       \
		 .fallback = "32",                                                                 \
		 .min = 1,                                                                         \
		 .max = 1024,                                                                      \
		 .help = "Writes on their way at the same time",                                   \
		 __VA_ARGS__},                                                                     \
		{RECORD_AT(values, "durability", OPTION_CHOICE, durability),                       \
		 .arg = "LEVEL",                                                                   \
		 .fallback = "disk",                                                               \
		 .choices = recording_durabilities,                                                \
		 .help = "What is on the disk before a unit goes back",                            \
		 __VA_ARGS__},                                                                     \
	{                                                                                          \
		RECORD_AT(values, "buffered", OPTION_FLAG, buffered),                              \
			.help = "Write by the page cache, which copies", __VA_ARGS__               \
	}

#endif
