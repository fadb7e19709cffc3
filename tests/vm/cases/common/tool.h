/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The installed tools as users run them: their output and exit codes. A shell runs the command as
 * root in the case's directory; stdout and stderr go together.
 */
#ifndef CASE_TOOL_H
#define CASE_TOOL_H

#include <stdbool.h>

#define TOOL_LIMIT 60000 /* ms */

/* Output of the last command. */
extern char out[262144];

/* Returns the exit code, or shell()'s error. If the output is JSON, all keys must be camelCase. */
#define RUN(...) tool_run(shell(out, sizeof(out), TOOL_LIMIT, __VA_ARGS__))
int tool_run(int code);

/* Assert that the output of the last command contains @text; print all of the output if not. */
#define OUTPUT_HAS(text) CU_ASSERT(tool_printed(text))
bool tool_printed(const char *text);

/* In a command: wait until this channel runs, as %s; the command has a limit. */
const char *until_running(const char *id, int channel);

/* Assert that a command ends with this code and prints this sentence. */
void ends(int code, const char *command);
void refuses(int code, const char *sentence, const char *command);
/* The same with code 0. */
void prints(const char *command, const char *sentence);
/* Assert that a command prints JSON and ends with code 0. */
void prints_json(const char *command);
/* The second of two readers of channel 0 reports the process of the first. */
struct two_readers {
	const char *id;
	const char *first, *second; /* commands; what the first one prints is JSON */
	const char *stats;	    /* the command that also names the owner */
	const char *expected[3];    /* of the second one */
};
void second_reader_fails(const struct two_readers *r);

/* Change to an empty directory of this case. */
void tool_enter(const char *directory);

#endif /* CASE_TOOL_H */
